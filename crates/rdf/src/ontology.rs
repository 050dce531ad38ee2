//! The ontology in Turtle: classes and properties, made from the table of types.

use std::fmt::Write;

use jackfield_protocol::Revision;

use crate::definitions::{BUILDING_BLOCK, Lifetime, own_terms};
use crate::terms::{Class, ClassKind, OWN_CLASSES, OWN_PROPERTIES, Property, classes, properties};
use crate::vocabulary::{OWL, PROV, RDF, RDFS, VOCABULARY, XSD};

/// Where the specification of a revision stands.
pub(crate) fn specification(revision: Revision) -> String {
    format!("https://modelcontextprotocol.io/specification/{revision}")
}

/// Returns the ontology of all revisions in Turtle: a class for each type, and for each member a property with label,
/// domain and range. `mcp:since` and `mcp:until` name the first and the last revision that has something, unless all have it.
#[must_use]
pub fn ontology() -> String {
    let mut out = String::new();
    for (prefix, namespace) in
        [("mcp", VOCABULARY), ("owl", OWL), ("prov", PROV), ("rdf", RDF), ("rdfs", RDFS), ("xsd", XSD)]
    {
        let _ = writeln!(out, "@prefix {prefix}: <{namespace}> .");
    }
    header(&mut out);
    classes().iter().for_each(|class| write_class(&mut out, class));
    for (name, doc, above) in OWN_CLASSES {
        let _ = write!(out, "\nmcp:{name} a owl:Class ;\n    rdfs:label \"{}\" ;\n", label(name));
        if let Some(above) = above {
            let _ = writeln!(out, "    rdfs:subClassOf {above} ;");
        }
        let _ = writeln!(out, "    rdfs:comment \"{doc}\" .");
    }
    for (name, doc, domain, range) in OWN_PROPERTIES {
        let own = Property {
            name,
            docs: vec![doc],
            domain: vec![domain.to_owned()],
            range: vec![range.to_owned()],
            lifetime: None,
        };
        write_property(&mut out, &own);
    }
    properties().iter().for_each(|property| write_property(&mut out, property));
    out
}

fn header(out: &mut String) {
    let ours = own_terms();
    let ours: Vec<&str> = ours.into_iter().chain(OWN_PROPERTIES.iter().map(|(name, ..)| *name)).collect();
    let iri = VOCABULARY.trim_end_matches('#');
    let _ = write!(
        out,
        "\n<{iri}> a owl:Ontology ;\n    rdfs:label \"Model Context Protocol\" ;\n    owl:versionInfo \"{} (revisions {} to {})\" ;\n    \
         owl:versionIRI <{iri}/{}> ;\n",
        env!("CARGO_PKG_VERSION"),
        Lifetime::always().first,
        Revision::LATEST,
        Revision::LATEST,
    );
    for revision in Revision::ALL {
        let _ = writeln!(out, "    rdfs:seeAlso <{}> ;", specification(revision));
    }
    let _ = writeln!(
        out,
        "    rdfs:comment \"The messages of all revisions, in the vocabulary of the OGC building block for MCP. The block has the \
         members of revision {BUILDING_BLOCK}; all classes are added here, and these {} properties: {}.\" .",
        ours.len(),
        ours.join(", "),
    );
}

fn write_class(out: &mut String, class: &Class) {
    let kind = if class.kind == ClassKind::Datatype { "rdfs:Datatype" } else { "owl:Class" };
    let _ = write!(out, "\nmcp:{} a {kind} ;\n    rdfs:label \"{}\" ;\n", class.name, label(class.name));
    if let ClassKind::Union(choices) = &class.kind {
        let choices: Vec<String> = choices.iter().map(|name| format!("mcp:{name}")).collect();
        let _ = writeln!(out, "    owl:unionOf ( {} ) ;", choices.join(" "));
    }
    if let Some(above) = class.above {
        let _ = writeln!(out, "    rdfs:subClassOf mcp:{above} ;");
    }
    if let Some(page) = class.page() {
        let _ = writeln!(out, "    rdfs:seeAlso <{page}> ;");
    }
    lifetime(out, class.lifetime);
    let _ = writeln!(out, "    rdfs:comment \"{}\" .", class.doc);
}

fn write_property(out: &mut String, property: &Property) {
    let kind = match property.is_data() {
        Some(true) => "owl:DatatypeProperty",
        Some(false) => "owl:ObjectProperty",
        None => "rdf:Property",
    };
    let _ = write!(out, "\n{} a {kind} ;\n    rdfs:label \"{}\" ;\n", property.term(), label(property.name));
    let _ = writeln!(out, "    rdfs:domain {} ;\n    rdfs:range {} ;", union(&property.domain), union(&property.range));
    if let Some(range) = property.lifetime {
        lifetime(out, range);
    }
    let _ = writeln!(out, "    rdfs:comment \"{}\" .", property.docs.join("; "));
}

/// Several classes are a union: several domains or ranges would mean all of them at once.
fn union(classes: &[String]) -> String {
    match classes {
        [one] => one.clone(),
        several if several.iter().all(|class| is_datatype(class)) => {
            format!("[ a rdfs:Datatype ; owl:unionOf ( {} ) ]", several.join(" "))
        }
        several => format!("[ a owl:Class ; owl:unionOf ( {} ) ]", several.join(" ")),
    }
}

/// Whether a class is one of literals.
pub(crate) fn is_datatype(class: &str) -> bool {
    class.starts_with("xsd:") || class == "rdf:JSON"
}

fn lifetime(out: &mut String, range: Lifetime) {
    if range.first != Lifetime::always().first {
        let _ = writeln!(out, "    mcp:since \"{}\" ;", range.first);
    }
    if range.last != Revision::LATEST {
        let _ = writeln!(out, "    mcp:until \"{}\" ;", range.last);
    }
}

/// The words of a name: `nextCursor` is `next cursor`.
fn label(name: &str) -> String {
    let name = name.rsplit('/').next().unwrap_or(name).trim_start_matches(['_', '$']);
    let mut words = String::new();
    let mut before = ' ';
    for c in name.chars() {
        match c {
            '-' | '_' => words.push(' '),
            // A row of capitals is one word, such as URL.
            c if c.is_ascii_uppercase() && !before.is_ascii_uppercase() => {
                if !words.is_empty() {
                    words.push(' ');
                }
                words.push(c.to_ascii_lowercase());
            }
            c => words.push(c.to_ascii_lowercase()),
        }
        before = c;
    }
    words
}
