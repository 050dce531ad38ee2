//! The ontology for people: every class and every property, and where they come from.

use std::fmt::Write;

use crate::definitions::{BUILDING_BLOCK, own_terms};
use crate::terms::{ClassKind, OWN_CLASSES, OWN_PROPERTIES, classes, lifetime_words, properties};
use crate::vocabulary::VOCABULARY;

/// Returns a page in Markdown with every class and property of the ontology: which are the building block's, and which ours.
#[must_use]
pub fn ontology_page() -> String {
    let (classes, properties, ours) = (classes(), properties(), own_terms());
    let mut out = format!(
        "# Ontology\n\nThe vocabulary `{VOCABULARY}`, written `mcp:`, in which messages of all revisions are linked data. This page is \
         made by `jackfield rdf ontology --format markdown`; a test compares it.\n\n\
         - **Building block**: properties that the OGC building block for MCP has, which are the members of revision {BUILDING_BLOCK}: {}.\n\
         - **Ours**: properties of members that only other revisions have, {}; properties for catalogues, tapes and the ontology itself, {}; and \
         all classes, of which the building block has none.\n\
         - A class is a type of the protocol, under its name in the official schemas. Those marked *in place* have no name there: the schemas write \
         them where they are used, or an extension defines them.\n\
         - Several classes in a domain or range mean any of them (`owl:unionOf`). `rdf:List` stands beside the items of an array, because \
         the profile `plain` writes arrays as sets.\n\
         - Revisions: those that have the term; `all` five, unless said otherwise.\n\n## Classes\n\n\
         | class | what it is | revisions | name in the schemas |\n| --- | --- | --- | --- |\n",
        properties.iter().filter(|property| !ours.contains(&property.name)).count(),
        ours.len(),
        OWN_PROPERTIES.len(),
    );
    for class in &classes {
        let what = match &class.kind {
            ClassKind::Union(choices) => format!("{}: {}", class.doc, choices.join(", ")),
            ClassKind::Datatype => format!("{} (a literal)", class.doc),
            ClassKind::Object => class.doc.to_owned(),
        };
        let named = match class.page() {
            Some(page) => format!("[yes]({page})"),
            None if class.is_official => "yes".to_owned(),
            None => "in place".to_owned(),
        };
        let _ = writeln!(out, "| `mcp:{}` | {what} | {} | {named} |", class.name, lifetime_words(class.lifetime));
    }
    out.push_str(
        "\nClasses that no type of the protocol has:\n\n| class | what it is | kind of |\n| --- | --- | --- |\n",
    );
    for (name, doc, above) in OWN_CLASSES {
        let _ =
            writeln!(out, "| `mcp:{name}` | {doc} | {} |", above.map(|above| format!("`{above}`")).unwrap_or_default());
    }
    out.push_str(
        "\n## Properties\n\n| property | what it means | domain | range | revisions | whose |\n| --- | --- | --- | --- | --- | --- |\n",
    );
    let row = |out: &mut String, name: &str, doc: &str, domain: &str, range: &str, revisions: &str, whose: &str| {
        let _ = writeln!(out, "| `mcp:{name}` | {doc} | {domain} | {range} | {revisions} | {whose} |");
    };
    let short = |names: &[String]| {
        let names: Vec<&str> = names.iter().map(|name| name.trim_start_matches("mcp:")).collect();
        names.join(", ")
    };
    for property in &properties {
        let whose = if ours.contains(&property.name) { "ours" } else { "building block" };
        let revisions = property.lifetime.map(lifetime_words).unwrap_or_default();
        let (domain, range) = (short(&property.domain), short(&property.range));
        row(&mut out, property.name, &property.docs.join("; "), &domain, &range, &revisions, whose);
    }
    out.push_str(
        "\nProperties that no member of a message has:\n\n| property | what it means | domain | range |\n| --- | --- | --- | --- |\n",
    );
    for (name, doc, domain, range) in OWN_PROPERTIES {
        let _ = writeln!(out, "| `mcp:{name}` | {doc} | `{domain}` | `{range}` |");
    }
    out
}
