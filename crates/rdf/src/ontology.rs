//! The ontology in Turtle: classes and properties, made from the table of types.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use jackfield_protocol::{Method, Revision};

use crate::schema::message_name;
use crate::shape::{BUILDING_BLOCK, Kind, Member, Shape, own_terms, shape, shapes};
use crate::vocabulary::{RDF, RDFS, VOCABULARY, XSD};

/// Returns the ontology of all revisions in Turtle: a class for each type, and for each member a property with label,
/// domain and range. `mcp:since` and `mcp:until` tell the revisions in which something exists, unless it is in all.
#[must_use]
pub fn ontology() -> String {
    let mut out = String::new();
    let owl = "http://www.w3.org/2002/07/owl#";
    for (prefix, namespace) in [("mcp", VOCABULARY), ("owl", owl), ("rdf", RDF), ("rdfs", RDFS), ("xsd", XSD)] {
        let _ = writeln!(out, "@prefix {prefix}: <{namespace}> .");
    }
    let ours = own_terms();
    let _ = write!(
        out,
        "\n<{}> a owl:Ontology ;\n    rdfs:label \"Model Context Protocol\" ;\n    rdfs:comment \"The messages of all \
         revisions, in the vocabulary of the OGC building block for MCP. That knows the members of revision {BUILDING_BLOCK}; \
         all classes are added here, and these {} properties: {}.\" .\n",
        VOCABULARY.trim_end_matches('#'),
        ours.len() + OWN_PROPERTIES.len(),
        ours.iter().chain(OWN_PROPERTIES.iter().map(|(name, ..)| name)).copied().collect::<Vec<_>>().join(", "),
    );
    shapes().for_each(|shape| class(&mut out, shape));
    Method::TABLE.iter().for_each(|row| message_class(&mut out, row.method));
    for (name, doc, domain, range) in OWN_PROPERTIES {
        property_of(&mut out, name, doc, &[domain.to_owned()].into(), &[range.to_owned()].into(), None);
    }
    for (name, doc) in OWN_CLASSES {
        let _ = write!(
            out,
            "\nmcp:{name} a owl:Class ;\n    rdfs:label \"{}\" ;\n    rdfs:comment \"{doc}\" .\n",
            label(name)
        );
    }
    for (name, uses) in uses() {
        property(&mut out, name, &uses);
    }
    out
}

/// Classes that no type of the protocol has; catalogues use them.
const OWN_CLASSES: [(&str, &str); 2] =
    [("Server", "a server and what it offers"), ("Parameter", "a parameter of a tool, from its input schema")];

/// Properties that no member of a message has.
const OWN_PROPERTIES: [(&str, &str, &str, &str); 9] = [
    ("otherMembers", "the members of an object that no IRI can name", "rdfs:Resource", "rdf:JSON"),
    ("since", "the first revision that has it", "rdfs:Resource", "xsd:string"),
    ("until", "the last revision that has it", "rdfs:Resource", "xsd:string"),
    ("offersTool", "a tool of the server", "mcp:Server", "mcp:Tool"),
    ("offersPrompt", "a prompt of the server", "mcp:Server", "mcp:Prompt"),
    ("offersResource", "a resource of the server", "mcp:Server", "mcp:Resource"),
    ("offersResourceTemplate", "a resource template of the server", "mcp:Server", "mcp:ResourceTemplate"),
    ("parameter", "a parameter of the tool", "mcp:Tool", "mcp:Parameter"),
    ("schema", "the JSON Schema of the parameter", "mcp:Parameter", "rdf:JSON"),
];

fn class(out: &mut String, shape: &Shape) {
    let _ = write!(out, "\nmcp:{} a owl:Class ;\n    rdfs:label \"{}\" ;\n", shape.name, label(shape.name));
    if !shape.choices.is_empty() {
        let choices: Vec<String> = shape.choices.iter().map(|name| format!("mcp:{name}")).collect();
        let _ = writeln!(out, "    owl:unionOf ( {} ) ;", choices.join(" "));
    }
    lifetime(out, shape.first, shape.last);
    let _ = writeln!(out, "    rdfs:comment \"{}\" .", shape.doc);
}

fn message_class(out: &mut String, method: Method) {
    let (row, name) = (method.row(), message_name(method));
    let above = if name.ends_with("Request") { "Request" } else { "Notification" };
    let _ = write!(
        out,
        "\nmcp:{name} a owl:Class ;\n    rdfs:label \"{}\" ;\n    rdfs:subClassOf mcp:{above} ;\n",
        label(&name)
    );
    lifetime(out, row.first, row.last);
    let _ = writeln!(out, "    rdfs:comment \"a message with the method {}\" .", row.name);
}

/// Where a member occurs.
type Uses = Vec<(&'static Shape, &'static Member)>;

fn uses() -> BTreeMap<&'static str, Uses> {
    let mut uses: BTreeMap<&str, Uses> = BTreeMap::new();
    for shape in shapes() {
        for member in shape.members {
            uses.entry(member.name).or_default().push((shape, member));
        }
    }
    uses
}

fn property(out: &mut String, name: &str, uses: &Uses) {
    let mut docs: Vec<&str> = Vec::new();
    for (_, member) in uses {
        if !docs.contains(&member.doc) {
            docs.push(member.doc);
        }
    }
    let domain = uses.iter().map(|(shape, _)| format!("mcp:{}", shape.name)).collect();
    let range = uses.iter().flat_map(|(_, member)| ranges(member.kind)).map(str::to_owned).collect();
    // A member exists as long as one of the types that have it does.
    let first = uses.iter().map(|(shape, member)| shape.first.max(member.first)).min();
    let last = uses.iter().map(|(shape, member)| shape.last.min(member.last)).max();
    property_of(out, name, &docs.join("; "), &domain, &range, first.zip(last));
}

fn property_of(
    out: &mut String,
    name: &str,
    doc: &str,
    domain: &BTreeSet<String>,
    range: &BTreeSet<String>,
    lifetime_of: Option<(Revision, Revision)>,
) {
    let is_simple = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let term = if is_simple { format!("mcp:{name}") } else { format!("<{VOCABULARY}{name}>") };
    let is_data = |range: &String| range.starts_with("xsd:") || range == "rdf:JSON";
    let kind = match (range.iter().all(is_data), range.iter().any(is_data) || range.contains("rdfs:Resource")) {
        (true, _) => "owl:DatatypeProperty",
        (false, true) => "rdf:Property",
        (false, false) => "owl:ObjectProperty",
    };
    let _ = write!(out, "\n{term} a {kind} ;\n    rdfs:label \"{}\" ;\n", label(name));
    let _ = writeln!(out, "    rdfs:domain {} ;\n    rdfs:range {} ;", union(domain), union(range));
    if let Some((first, last)) = lifetime_of {
        lifetime(out, first, last);
    }
    let _ = writeln!(out, "    rdfs:comment \"{doc}\" .");
}

/// What a member's values are. An array is a list, or in the plain profile its items.
fn ranges(kind: Kind) -> Vec<&'static str> {
    match kind {
        Kind::Text | Kind::Word(_) | Kind::Words(_) => vec!["xsd:string"],
        Kind::Boolean => vec!["xsd:boolean"],
        Kind::Count | Kind::Integer => vec!["xsd:integer"],
        Kind::CountOrNull => vec!["xsd:integer", "rdf:JSON"],
        Kind::Number => vec!["xsd:integer", "xsd:double"],
        Kind::Id => vec!["xsd:string", "xsd:integer"],
        Kind::Any | Kind::Object | Kind::Map(_) => vec!["rdfs:Resource"],
        Kind::Of(name) => vec![class_name(name)],
        Kind::List(item) | Kind::OneOrList(item) => {
            let mut all = ranges(*item);
            all.push("rdf:List");
            all
        }
    }
}

fn class_name(name: &'static str) -> &'static str {
    use std::sync::LazyLock;
    static NAMES: LazyLock<BTreeMap<&str, String>> =
        LazyLock::new(|| shapes().map(|shape| (shape.name, format!("mcp:{}", shape.name))).collect());
    debug_assert!(shape(name).is_some());
    NAMES.get(name).map_or("rdfs:Resource", String::as_str)
}

/// Several classes are a union: several domains or ranges would mean all of them at once.
fn union(classes: &BTreeSet<String>) -> String {
    let mut names: Vec<&str> = classes.iter().map(String::as_str).collect();
    if names.contains(&"rdfs:Resource") {
        names = vec!["rdfs:Resource"];
    }
    match names.as_slice() {
        [one] => (*one).to_owned(),
        several => format!("[ a owl:Class ; owl:unionOf ( {} ) ]", several.join(" ")),
    }
}

fn lifetime(out: &mut String, first: Revision, last: Revision) {
    if first.older().is_some() {
        let _ = writeln!(out, "    mcp:since \"{first}\" ;");
    }
    if last != Revision::LATEST {
        let _ = writeln!(out, "    mcp:until \"{last}\" ;");
    }
}

/// The words of a name: `nextCursor` is `next cursor`.
fn label(name: &str) -> String {
    let name = name.rsplit('/').next().unwrap_or(name).trim_start_matches(['_', '$']);
    let mut words = String::new();
    for c in name.chars() {
        match c {
            '-' | '_' => words.push(' '),
            c if c.is_ascii_uppercase() => {
                if !words.is_empty() {
                    words.push(' ');
                }
                words.push(c.to_ascii_lowercase());
            }
            c => words.push(c),
        }
    }
    words
}
