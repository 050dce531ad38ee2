//! Types, bounds and signatures as Rust writes them, from rustdoc's JSON.

use serde_json::Value;

/// Writes a type.
pub(super) fn ty(value: &Value) -> String {
    let Some((kind, inner)) = value.as_object().and_then(|members| members.iter().next()) else {
        return "_".to_owned();
    };
    match kind.as_str() {
        "resolved_path" => path(inner),
        "generic" | "primitive" if inner == "never" => "!".to_owned(),
        "generic" | "primitive" => text(inner),
        "borrowed_ref" => format!("&{}{}", borrow(inner), ty(&inner["type"])),
        "raw_pointer" => format!("*{} {}", if is(inner, "is_mutable") { "mut" } else { "const" }, ty(&inner["type"])),
        "tuple" => {
            let parts: Vec<String> = list(inner).map(ty).collect();
            if parts.len() == 1 { format!("({},)", parts[0]) } else { format!("({})", parts.join(", ")) }
        }
        "slice" => format!("[{}]", ty(inner)),
        "array" => format!("[{}; {}]", ty(&inner["type"]), text(&inner["len"])),
        "impl_trait" => format!("impl {}", bounds(inner)),
        "dyn_trait" => {
            let traits = list(&inner["traits"]).map(|one| format!("{}{}", for_lifetimes(one), path(&one["trait"])));
            let lifetime = inner["lifetime"].as_str().map(str::to_owned);
            format!("dyn {}", traits.chain(lifetime).collect::<Vec<_>>().join(" + "))
        }
        "qualified_path" => {
            let (name, of) = (text(&inner["name"]), ty(&inner["self_type"]));
            let arguments = arguments(&inner["args"]);
            match inner["trait"]["path"].as_str() {
                None | Some("") => format!("{of}::{name}{arguments}"),
                Some(_) => format!("<{of} as {}>::{name}{arguments}", path(&inner["trait"])),
            }
        }
        "function_pointer" => format!("{}fn{}", for_lifetimes(inner), signature(&inner["sig"], false)),
        _ => kind.clone(),
    }
}

/// Writes the path of a trait or type with its arguments.
pub(super) fn path(value: &Value) -> String {
    format!("{}{}", text(&value["path"]), arguments(&value["args"]))
}

/// Writes parameters and result of a function.
pub(super) fn signature(value: &Value, with_names: bool) -> String {
    let parameters = list(&value["inputs"]).map(|input| {
        let (name, given) = (text(&input[0]), &input[1]);
        match (name.as_str(), given["generic"].as_str() == Some("Self")) {
            ("self", true) => name,
            ("self", false) if given["borrowed_ref"]["type"]["generic"].as_str() == Some("Self") => {
                format!("&{}self", borrow(&given["borrowed_ref"]))
            }
            _ if with_names => format!("{name}: {}", ty(given)),
            _ => ty(given),
        }
    });
    let parameters = parameters.collect::<Vec<_>>().join(", ");
    let result = if value["output"].is_null() { String::new() } else { format!(" -> {}", ty(&value["output"])) };
    format!("({parameters}){result}")
}

/// Writes a function or method.
pub(super) fn function(name: &str, value: &Value) -> String {
    let header = &value["header"];
    let words = [("is_const", "const "), ("is_async", "async "), ("is_unsafe", "unsafe ")];
    let words: String = words.into_iter().filter(|(member, _)| is(header, member)).map(|(_, word)| word).collect();
    let generics = &value["generics"];
    format!("{words}fn {name}{}{}{}", parameters(generics), signature(&value["sig"], true), conditions(generics))
}

/// Writes generic parameters.
pub(super) fn parameters(generics: &Value) -> String {
    let is_written = |parameter: &&Value| !is(&parameter["kind"]["type"], "is_synthetic");
    let parameters = list(&generics["params"]).filter(is_written).map(|parameter| {
        let (name, kind) = (text(&parameter["name"]), &parameter["kind"]);
        let (bound, default) = match kind {
            kind if kind["const"].is_object() => {
                return format!(
                    "const {name}: {}{}",
                    ty(&kind["const"]["type"]),
                    default(&kind["const"]["default"], text)
                );
            }
            kind if kind["type"].is_object() => {
                (bounds(&kind["type"]["bounds"]), default(&kind["type"]["default"], ty))
            }
            kind => (list(&kind["lifetime"]["outlives"]).map(text).collect::<Vec<_>>().join(" + "), String::new()),
        };
        if bound.is_empty() { format!("{name}{default}") } else { format!("{name}: {bound}{default}") }
    });
    angled(parameters.collect())
}

/// Writes the conditions that stand after `where`.
pub(super) fn conditions(generics: &Value) -> String {
    let conditions = list(&generics["where_predicates"]).map(|condition| {
        if let Some(bound) = condition.get("bound_predicate") {
            format!("{}{}: {}", for_lifetimes(bound), ty(&bound["type"]), bounds(&bound["bounds"]))
        } else if let Some(lifetime) = condition.get("lifetime_predicate") {
            let outlives: Vec<String> = list(&lifetime["outlives"]).map(text).collect();
            format!("{}: {}", text(&lifetime["lifetime"]), outlives.join(" + "))
        } else {
            condition.to_string()
        }
    });
    let conditions: Vec<String> = conditions.collect();
    if conditions.is_empty() { String::new() } else { format!(" where {}", conditions.join(", ")) }
}

/// Writes bounds, one after the other.
pub(super) fn bounds(value: &Value) -> String {
    let bounds = list(value).map(|bound| {
        if let Some(bound) = bound.get("trait_bound") {
            let modifier = if bound["modifier"] == "maybe" { "?" } else { "" };
            format!("{modifier}{}{}", for_lifetimes(bound), path(&bound["trait"]))
        } else if let Some(uses) = bound.get("use") {
            let captured = list(uses).map(|one| one.as_str().map_or_else(|| text(&one["lifetime"]), str::to_owned));
            format!("use<{}>", captured.collect::<Vec<_>>().join(", "))
        } else {
            text(&bound["outlives"])
        }
    });
    bounds.collect::<Vec<_>>().join(" + ")
}

fn arguments(value: &Value) -> String {
    if let Some(inner) = value.get("parenthesized") {
        let inputs: Vec<String> = list(&inner["inputs"]).map(ty).collect();
        let result = if inner["output"].is_null() { String::new() } else { format!(" -> {}", ty(&inner["output"])) };
        return format!("({}){result}", inputs.join(", "));
    }
    let Some(inner) = value.get("angle_bracketed") else { return String::new() };
    let given = list(&inner["args"]).map(|argument| match argument {
        argument if argument["type"].is_object() => ty(&argument["type"]),
        argument if argument["lifetime"].is_string() => text(&argument["lifetime"]),
        argument if argument["const"].is_object() => text(&argument["const"]["expr"]),
        _ => "_".to_owned(),
    });
    let constraints = list(&inner["constraints"]).map(|constraint| {
        let name = format!("{}{}", text(&constraint["name"]), arguments(&constraint["args"]));
        match constraint["binding"].get("constraint") {
            Some(wanted) => format!("{name}: {}", bounds(wanted)),
            None => {
                let equal = &constraint["binding"]["equality"];
                let equal =
                    if equal["type"].is_object() { ty(&equal["type"]) } else { text(&equal["constant"]["expr"]) };
                format!("{name} = {equal}")
            }
        }
    });
    angled(given.chain(constraints).collect())
}

fn angled(parts: Vec<String>) -> String {
    if parts.is_empty() { String::new() } else { format!("<{}>", parts.join(", ")) }
}

fn borrow(value: &Value) -> String {
    let lifetime = value["lifetime"].as_str().map_or_else(String::new, |lifetime| format!("{lifetime} "));
    format!("{lifetime}{}", if is(value, "is_mutable") { "mut " } else { "" })
}

fn for_lifetimes(value: &Value) -> String {
    let names: Vec<String> = list(&value["generic_params"]).map(|parameter| text(&parameter["name"])).collect();
    if names.is_empty() { String::new() } else { format!("for<{}> ", names.join(", ")) }
}

fn default(value: &Value, write: fn(&Value) -> String) -> String {
    if value.is_null() { String::new() } else { format!(" = {}", write(value)) }
}

fn is(value: &Value, member: &str) -> bool {
    value[member].as_bool() == Some(true)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().map(Vec::as_slice).unwrap_or_default().iter()
}
