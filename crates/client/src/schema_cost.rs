//! How much effort a schema can cause, before anything is checked with it.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

/// The deepest nesting of a schema.
const MOST_DEPTH: usize = 64;
/// The most subschemas.
const MOST_SUBSCHEMAS: u64 = 10_000;
/// The most subschemas after every reference has been replaced by what it leads to.
const MOST_EXPANDED: u64 = 100_000;

/// How much effort a schema can cause.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Cost {
    /// So many subschemas apply to a value at most.
    Bounded(u64),
    /// It leads back to itself in several ways at once, so that the effort may double with each level of the checked value.
    Unclear,
    /// More than allowed.
    TooMuch(&'static str),
}

/// Estimates the effort of checking with a schema.
pub(crate) fn cost(schema: &Value) -> Cost {
    let mut count = 0;
    if let Some(why) = too_large(schema, 0, &mut count) {
        return Cost::TooMuch(why);
    }
    let mut walk = Walk { root: schema, sizes: HashMap::new(), open: HashSet::new(), back: 0, unclear: false };
    let size = walk.size(schema, false, true);
    if walk.unclear || walk.back >= 2 {
        return Cost::Unclear;
    }
    if size > MOST_EXPANDED {
        Cost::TooMuch("the schema is too large when its references are followed")
    } else {
        Cost::Bounded(size.max(1))
    }
}

fn too_large(value: &Value, depth: usize, count: &mut u64) -> Option<&'static str> {
    if depth > MOST_DEPTH {
        return Some("the schema is nested too deeply");
    }
    match value {
        Value::Object(members) => {
            *count += 1;
            if *count > MOST_SUBSCHEMAS {
                return Some("the schema has too many subschemas");
            }
            if members.get("$ref").and_then(Value::as_str).is_some_and(|target| !target.starts_with('#')) {
                return Some("the schema refers to something outside of it");
            }
            members.values().find_map(|value| too_large(value, depth + 1, count))
        }
        Value::Array(values) => values.iter().find_map(|value| too_large(value, depth + 1, count)),
        _ => None,
    }
}

struct Walk<'a> {
    root: &'a Value,
    sizes: HashMap<String, u64>,
    open: HashSet<String>,
    /// How many references lead back from within a choice or combination.
    back: usize,
    unclear: bool,
}

impl Walk<'_> {
    /// Counts subschemas with references followed. `combined`: several schemas apply to the same value here.
    fn size(&mut self, value: &Value, combined: bool, top: bool) -> u64 {
        match value {
            Value::Object(members) => {
                // Names that move the meaning of references can not be followed by this simple walk.
                self.unclear |= !top && members.contains_key("$id");
                self.unclear |= members.contains_key("$dynamicRef") || members.contains_key("$recursiveRef");
                let mut size: u64 = 1;
                for (keyword, value) in members {
                    let added = match (keyword.as_str(), value) {
                        ("$ref", Value::String(target)) => self.follow(target, combined),
                        ("$defs" | "definitions" | "const" | "enum" | "default" | "examples", _) => 0,
                        (keyword, value) => self.size(value, combined || is_combination(keyword), false),
                    };
                    size = size.saturating_add(added);
                }
                size
            }
            Value::Array(values) => {
                values.iter().fold(0, |size: u64, value| size.saturating_add(self.size(value, combined, false)))
            }
            _ => 0,
        }
    }

    fn follow(&mut self, target: &str, combined: bool) -> u64 {
        if let Some(size) = self.sizes.get(target) {
            return *size;
        }
        if self.open.contains(target) || target == "#" {
            self.back += usize::from(combined);
            return 1;
        }
        let Some(schema) = target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer)) else {
            self.unclear = true;
            return 1;
        };
        self.open.insert(target.to_owned());
        let schema = schema.clone();
        let size = self.size(&schema, combined, false);
        self.open.remove(target);
        self.sizes.insert(target.to_owned(), size);
        size
    }
}

fn is_combination(keyword: &str) -> bool {
    matches!(keyword, "allOf" | "anyOf" | "oneOf" | "not" | "if" | "then" | "else" | "dependentSchemas" | "contains")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// T-100, BASE-045, BASE-048, SRV-035: references out of the schema are refused.
    #[test]
    fn references_stay_inside() {
        for target in ["http://x/y", "https://x", "file:///etc/passwd", "other.json", "data:,{}", "//host/x", ""] {
            assert!(matches!(cost(&json!({"properties": {"a": {"$ref": target}}})), Cost::TooMuch(_)), "{target}");
        }
    }

    /// T-102, BASE-049: deep, wide and doubling schemas are refused; ordinary recursive ones are not.
    #[test]
    fn bombs_are_refused() {
        let deep = (0..70).fold(json!(true), |inner, _| json!({"not": inner}));
        assert!(matches!(cost(&deep), Cost::TooMuch(_)));
        let wide = json!({"anyOf": (0..10_001).map(|_| json!({})).collect::<Vec<_>>()});
        assert!(matches!(cost(&wide), Cost::TooMuch(_)));
        let mut defs = serde_json::Map::new();
        for level in 0..20 {
            let next = format!("#/$defs/d{}", level + 1);
            defs.insert(format!("d{level}"), json!({"anyOf": [{"$ref": next}, {"$ref": next}]}));
        }
        defs.insert("d20".into(), json!({"type": "string"}));
        assert!(matches!(cost(&json!({"$ref": "#/$defs/d0", "$defs": defs})), Cost::TooMuch(_)));
        let list = json!({"properties": {"next": {"$ref": "#"}, "prev": {"$ref": "#"}}});
        assert!(matches!(cost(&list), Cost::Bounded(_)));
        let doubling = json!({"properties": {"x": {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}}});
        assert_eq!(cost(&doubling), Cost::Unclear);
    }
}
