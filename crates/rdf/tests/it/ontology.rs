//! The ontology: every term of every message is in it.

use std::collections::BTreeSet;

use jackfield_protocol::Revision;
use jackfield_rdf::{Encoder, Options, Profile, Syntax, VOCABULARY, ontology};
use oxrdf::vocab::{rdf, rdfs};
use oxrdf::{NamedNode, Term};

use crate::generate::{Dice, message};
use crate::graph::read;

#[test]
fn every_class_and_property_has_a_label_and_every_property_a_domain_and_a_range() {
    let quads = read(&ontology(), Syntax::Turtle);
    let said = |predicate: oxrdf::NamedNodeRef<'_>| -> BTreeSet<String> {
        quads.iter().filter(|q| q.predicate.as_ref() == predicate).map(|q| q.subject.to_string()).collect()
    };
    let (labels, domains, ranges) = (said(rdfs::LABEL), said(rdfs::DOMAIN), said(rdfs::RANGE));
    let mut count = 0;
    for quad in quads.iter().filter(|q| q.predicate.as_ref() == rdf::TYPE) {
        let subject = quad.subject.to_string();
        if !subject.starts_with(&format!("<{VOCABULARY}")) {
            continue;
        }
        count += 1;
        assert!(labels.contains(&subject), "{subject}");
        if quad.object.to_string().contains("Property") {
            assert!(domains.contains(&subject) && ranges.contains(&subject), "{subject}");
        }
    }
    assert!(count > 250, "{count}");
}

/// What is named is described.
#[test]
fn every_term_that_the_ontology_uses_is_defined_in_it() {
    let quads = read(&ontology(), Syntax::Turtle);
    let defined: BTreeSet<String> =
        quads.iter().filter(|q| q.predicate.as_ref() == rdf::TYPE).map(|q| q.subject.to_string()).collect();
    for quad in &quads {
        let terms = [Term::from(quad.predicate.clone()), quad.object.clone()];
        for term in terms.iter().map(Term::to_string).filter(|t| t.starts_with(&format!("<{VOCABULARY}"))) {
            assert!(defined.contains(&term), "{term}");
        }
    }
}

/// Messages of all revisions use properties of the ontology only, outside of what is free-form.
#[test]
fn every_property_of_a_message_is_defined() {
    let defined: BTreeSet<NamedNode> = read(&ontology(), Syntax::Turtle)
        .into_iter()
        .filter_map(|quad| match quad.subject {
            oxrdf::NamedOrBlankNode::NamedNode(node) => Some(node),
            oxrdf::NamedOrBlankNode::BlankNode(_) => None,
        })
        .collect();
    let mut dice = Dice(5);
    let mut found = BTreeSet::new();
    for revision in Revision::ALL {
        for _ in 0..300 {
            let Some(wire) = message(&mut dice, revision) else { continue };
            let options = Options { profile: Profile::Json, ..Options::default() };
            let text = Encoder::new(Syntax::NQuads, options).document(&wire.json).unwrap();
            found.extend(read(&text, Syntax::NQuads).into_iter().map(|quad| quad.predicate));
        }
    }
    // Names that the generator makes up in objects that the protocol does not look into.
    let made_up = ["a", "items", "id", "com.example/y", "io.modelcontextprotocol/x", "$ref", "größe"];
    let undefined: Vec<&str> = found
        .iter()
        .filter(|predicate| !defined.contains(*predicate))
        .filter_map(|predicate| predicate.as_str().strip_prefix(VOCABULARY))
        .filter(|key| !made_up.contains(key))
        .collect();
    assert!(undefined.is_empty(), "{undefined:?}");
}

/// The page in docs is the one that the command writes.
#[test]
fn the_page_of_the_ontology_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/ontology.md");
    let committed = std::fs::read_to_string(path).unwrap();
    let made = jackfield_rdf::ontology_page();
    assert!(committed == made, "write it again: jackfield rdf ontology --format markdown > docs/ontology.md");
}

/// A property that several classes share has their union as its domain; it says which version it is, and where the specification stands.
#[test]
fn domains_are_unions_and_the_ontology_says_its_version() {
    let text = ontology();
    let name = text.split("\nmcp:name a ").nth(1).unwrap().split(" .\n").next().unwrap();
    assert!(name.contains("rdfs:domain [ a owl:Class ; owl:unionOf ("), "{name}");
    assert!(name.contains("mcp:Tool ") && name.contains("mcp:Prompt "), "{name}");
    assert!(text.contains("owl:versionInfo") && text.contains("owl:versionIRI"));
    for revision in Revision::ALL {
        assert!(text.contains(&format!("rdfs:seeAlso <https://modelcontextprotocol.io/specification/{revision}>")));
    }
    assert!(text.contains("specification/2026-07-28/schema#calltoolrequest"));
}
