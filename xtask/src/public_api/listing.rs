//! Everything that users can reach, one line for each item and each of its members.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use serde_json::Value;

use super::documents::{Document, Documents, Item};
use super::render;

/// Returns the names at the root of a crate.
pub(super) fn root_names(documents: &Documents, facade: &str) -> Result<BTreeSet<String>> {
    let document = documents.get(facade).context("the facade has no document")?;
    let root = document.index.get(&document.root).context("the facade has no root")?;
    let items = children(root).filter_map(|id| document.item(id));
    Ok(items.filter_map(name_of).collect())
}

/// Writes the listing of a crate.
pub(super) fn write(documents: &Documents, facade: &str) -> Result<String> {
    let document = documents.get(facade).context("the facade has no document")?;
    let mut listing = Listing { documents, known: BTreeMap::new(), lines: BTreeMap::new(), waiting: Vec::new() };
    listing.waiting.push(Reached { krate: facade.to_owned(), id: document.root, path: facade.to_owned() });
    // Level by level, so that an item is described where its path is shortest.
    while !listing.waiting.is_empty() {
        let mut level = std::mem::take(&mut listing.waiting);
        level.sort();
        for reached in level {
            listing.item(&reached);
        }
    }
    let mut text = String::new();
    for ((path, head), members) in &listing.lines {
        debug_assert!(!path.is_empty());
        text.push_str(head);
        text.push('\n');
        for member in members {
            text.push_str("    ");
            text.push_str(member);
            text.push('\n');
        }
    }
    Ok(text)
}

struct Listing<'a> {
    documents: &'a Documents,
    /// Where items were described already.
    known: BTreeMap<(String, u64), String>,
    /// By path and first line: what is below it.
    lines: BTreeMap<(String, String), Vec<String>>,
    waiting: Vec<Reached>,
}

/// An item, and a path that leads to it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Reached {
    path: String,
    krate: String,
    id: u64,
}

impl Listing<'_> {
    fn item(&mut self, reached: &Reached) {
        let Reached { krate, id, path } = reached;
        let Some(document) = self.documents.get(krate) else { return };
        let Some(item) = document.index.get(id) else { return };
        if let Some(known) = self.known.get(&(krate.clone(), *id)) {
            return self.add(path, format!("use {path} = {known}"), Vec::new());
        }
        self.known.insert((krate.clone(), *id), path.clone());
        let (kind, parts) = item.parts();
        if kind == "module" {
            if path.contains("::") {
                self.add(path, format!("mod {path}"), Vec::new());
            }
            for child in children(item) {
                self.child(krate, document, child, path);
            }
            return;
        }
        let (head, members) = describe(document, item, kind, parts, path);
        self.add(path, head, members);
    }

    fn child(&mut self, krate: &str, document: &Document, id: &Value, path: &str) {
        let Some(child) = document.item(id) else { return };
        let Some(name) = name_of(child) else { return };
        let path = format!("{path}::{name}");
        let (kind, parts) = child.parts();
        if kind != "use" {
            let id = id.as_u64().unwrap_or_default();
            return self.waiting.push(Reached { krate: krate.to_owned(), id, path });
        }
        match self.target(krate, document, parts) {
            Some((krate, id)) => self.waiting.push(Reached { krate, id, path }),
            None => {
                let source = parts["source"].as_str().unwrap_or_default();
                self.add(&path, format!("use {path} = {source}"), Vec::new());
            }
        }
    }

    /// Finds what a re-export names, in this crate or in another one of ours.
    fn target(&self, krate: &str, document: &Document, parts: &Value) -> Option<(String, u64)> {
        let id = parts["id"].as_u64()?;
        if let Some(item) = document.index.get(&id) {
            let (kind, parts) = item.parts();
            return if kind == "use" { self.target(krate, document, parts) } else { Some((krate.to_owned(), id)) };
        }
        let path = &document.paths.get(&id)?.path;
        let krate = path.first()?;
        Some((krate.clone(), self.documents.get(krate)?.find(path)?))
    }

    fn add(&mut self, path: &str, head: String, members: Vec<String>) {
        self.lines.insert((path.to_owned(), head), members);
    }
}

fn children(item: &Item) -> impl Iterator<Item = &Value> {
    item.parts().1["items"].as_array().map(Vec::as_slice).unwrap_or_default().iter()
}

/// Returns the name under which a module has an item.
fn name_of(item: &Item) -> Option<String> {
    match item.parts() {
        ("use", parts) => parts["name"].as_str().map(str::to_owned),
        ("impl", _) => None,
        _ => item.name.clone(),
    }
}

/// Returns the line of an item, and those of its members.
fn describe(document: &Document, item: &Item, kind: &str, parts: &Value, path: &str) -> (String, Vec<String>) {
    let mark = if item.is_non_exhaustive() { "#[non_exhaustive] " } else { "" };
    let generics = &parts["generics"];
    let (parameters, conditions) = (render::parameters(generics), render::conditions(generics));
    match kind {
        "struct" => {
            let mut members = fields(document, &parts["kind"]);
            members.extend(implementations(document, parts));
            (format!("{mark}struct {path}{parameters}{conditions}"), members)
        }
        "enum" => {
            let variants = ids(&parts["variants"]).filter_map(|id| document.item(id));
            let mut members: Vec<String> = variants.flat_map(|variant| variant_lines(document, variant)).collect();
            members.extend(implementations(document, parts));
            (format!("{mark}enum {path}{parameters}{conditions}"), members)
        }
        "trait" => {
            let items = ids(&parts["items"]).filter_map(|id| document.item(id));
            let mut members: Vec<String> = items.filter_map(associated).collect();
            members.sort();
            members.extend(implementors(document, parts));
            let bounds = render::bounds(&parts["bounds"]);
            let bounds = if bounds.is_empty() { bounds } else { format!(": {bounds}") };
            (format!("trait {path}{parameters}{bounds}{conditions}"), members)
        }
        "function" => (render::function(path, parts), Vec::new()),
        "constant" => (format!("const {path}: {}", render::ty(&parts["type"])), Vec::new()),
        "static" => (format!("static {path}: {}", render::ty(&parts["type"])), Vec::new()),
        "type_alias" => (format!("type {path}{parameters} = {}{conditions}", render::ty(&parts["type"])), Vec::new()),
        "macro" => (format!("macro {path}!"), Vec::new()),
        "proc_macro" => {
            let kind = parts["kind"].as_str().unwrap_or_default();
            (format!("{kind} macro {path}"), Vec::new())
        }
        other => (format!("{other} {path}"), Vec::new()),
    }
}

fn fields(document: &Document, kind: &Value) -> Vec<String> {
    if let Some(plain) = kind.get("plain") {
        let mut lines: Vec<String> =
            ids(&plain["fields"]).filter_map(|id| document.item(id)).filter_map(field).collect();
        lines.extend((plain["has_stripped_fields"] == true).then(|| "private fields".to_owned()));
        return lines;
    }
    let Some(tuple) = kind.get("tuple").and_then(Value::as_array) else { return Vec::new() };
    let types =
        tuple.iter().map(|id| document.item(id).map_or_else(|| "_".to_owned(), |item| render::ty(item.parts().1)));
    vec![format!("({})", types.collect::<Vec<_>>().join(", "))]
}

fn field(item: &Item) -> Option<String> {
    Some(format!("{}: {}", item.name.as_ref()?, render::ty(item.parts().1)))
}

fn variant_lines(document: &Document, variant: &Item) -> Vec<String> {
    let name = variant.name.clone().unwrap_or_default();
    let mark = if variant.is_non_exhaustive() { "#[non_exhaustive] " } else { "" };
    let kind = &variant.parts().1["kind"];
    let of = |id: &Value| document.item(id).map(|item| render::ty(item.parts().1)).unwrap_or_default();
    if let Some(tuple) = kind.get("tuple").and_then(Value::as_array) {
        let types: Vec<String> = tuple.iter().map(of).collect();
        return vec![format!("{mark}{name}({})", types.join(", "))];
    }
    let mut lines = vec![format!("{mark}{name}")];
    if let Some(plain) = kind.get("struct") {
        let members = ids(&plain["fields"]).filter_map(|id| document.item(id)).filter_map(field);
        lines.extend(members.map(|member| format!("{name}.{member}")));
    }
    lines
}

/// Returns the inherent members of a type, and the traits that it implements.
fn implementations(document: &Document, parts: &Value) -> Vec<String> {
    let (mut members, mut traits) = (Vec::new(), Vec::new());
    for item in ids(&parts["impls"]).filter_map(|id| document.item(id)) {
        let implementation = item.parts().1;
        if is_implied(implementation) {
            continue;
        }
        if implementation["trait"].is_null() {
            let items = ids(&implementation["items"]).filter_map(|id| document.item(id));
            // Several blocks of one type may be for different arguments of it.
            let of = render::ty(&implementation["for"]);
            let conditions = render::conditions(&implementation["generics"]);
            let place = if of.contains('<') { format!("{of}{conditions}: ") } else { String::new() };
            members.extend(items.filter_map(associated).map(|line| format!("{place}{line}")));
        } else {
            traits.push(implementation_line(implementation));
        }
    }
    members.sort();
    traits.sort();
    members.extend(traits);
    members
}

/// Returns which types implement a trait, as far as its own crate says so.
fn implementors(document: &Document, parts: &Value) -> Vec<String> {
    let items = ids(&parts["implementations"]).filter_map(|id| document.item(id));
    let mut lines: Vec<String> = items.map(|item| implementation_line(item.parts().1)).collect();
    lines.sort();
    lines
}

fn implementation_line(implementation: &Value) -> String {
    let generics = &implementation["generics"];
    let not = if implementation["is_negative"] == true { "!" } else { "" };
    format!(
        "impl{} {not}{} for {}{}",
        render::parameters(generics),
        render::path(&implementation["trait"]),
        render::ty(&implementation["for"]),
        render::conditions(generics)
    )
}

/// Whether the compiler wrote an implementation, or it is one for all types.
fn is_implied(implementation: &Value) -> bool {
    const COMPILER: [&str; 2] = ["StructuralPartialEq", "Freeze"];
    let name = implementation["trait"]["path"].as_str().unwrap_or_default();
    implementation["is_synthetic"] == true || !implementation["blanket_impl"].is_null() || COMPILER.contains(&name)
}

/// Writes a member of a trait or of a type.
fn associated(item: &Item) -> Option<String> {
    let name = item.name.as_ref()?;
    let (kind, parts) = item.parts();
    Some(match kind {
        "function" => render::function(name, parts),
        "assoc_const" => format!("const {name}: {}", render::ty(&parts["type"])),
        "assoc_type" => {
            let (generics, bounds) = (render::parameters(&parts["generics"]), render::bounds(&parts["bounds"]));
            let bounds = if bounds.is_empty() { bounds } else { format!(": {bounds}") };
            format!("type {name}{generics}{bounds}")
        }
        _ => return None,
    })
}

fn ids(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().map(Vec::as_slice).unwrap_or_default().iter()
}

#[cfg(test)]
mod tests;
