//! A graph that is checked.

use std::collections::{HashMap, HashSet};

use oxrdf::vocab::rdf;
use oxrdf::{NamedNode, NamedOrBlankNode, Quad, Term};

use crate::vocabulary::key_of;

/// The property by which the dataset of a tape names the node of a message.
const ROOT: &str = "root";

/// Statements by subject. The names of graphs do not matter: blank nodes keep the messages apart.
#[derive(Debug, Default)]
pub(super) struct Data {
    nodes: HashMap<NamedOrBlankNode, Vec<(NamedNode, Term)>>,
    /// The subjects in the order in which they appear.
    pub(super) subjects: Vec<NamedOrBlankNode>,
    /// The nodes that are values of another.
    parts: HashSet<NamedOrBlankNode>,
}

impl Data {
    pub(super) fn new(quads: impl IntoIterator<Item = Quad>) -> Self {
        let mut data = Self::default();
        for Quad { subject, predicate, object, .. } in quads {
            if let Some(part) = node_of(&object).filter(|_| key_of(predicate.as_str()) != ROOT) {
                data.parts.insert(part);
            }
            let said = data.nodes.entry(subject.clone()).or_insert_with(|| {
                data.subjects.push(subject);
                Vec::new()
            });
            // The same statement twice is one statement.
            if !said.iter().any(|(p, o)| *p == predicate && *o == object) {
                said.push((predicate, object));
            }
        }
        data
    }

    /// Whether a node is part of another one.
    pub(super) fn is_part(&self, node: &NamedOrBlankNode) -> bool {
        self.parts.contains(node)
    }

    /// The values of a property.
    pub(super) fn objects(&self, subject: &NamedOrBlankNode, predicate: &str) -> impl Iterator<Item = &Term> {
        let said = self.nodes.get(subject).map_or(&[][..], Vec::as_slice);
        said.iter().filter(move |(p, _)| p.as_str() == predicate).map(|(_, object)| object)
    }

    pub(super) fn statements(&self, subject: &NamedOrBlankNode) -> &[(NamedNode, Term)] {
        self.nodes.get(subject).map_or(&[], Vec::as_slice)
    }

    pub(super) fn object(&self, subject: &NamedOrBlankNode, predicate: &str) -> Option<&Term> {
        self.objects(subject, predicate).next()
    }

    /// The items of a list; a list that leads back into itself ends there.
    pub(super) fn items(&self, head: &Term) -> Vec<Term> {
        let (mut items, mut cell) = (Vec::new(), head.clone());
        let mut seen = HashSet::new();
        while let Some(node) = node_of(&cell).filter(|node| seen.insert(node.clone())) {
            items.extend(self.objects(&node, rdf::FIRST.as_str()).cloned());
            match self.object(&node, rdf::REST.as_str()) {
                Some(next) => cell = next.clone(),
                None => break,
            }
        }
        items
    }
}

/// The node that a term is, unless it is a literal.
pub(super) fn node_of(term: &Term) -> Option<NamedOrBlankNode> {
    match term {
        Term::NamedNode(node) => Some(node.clone().into()),
        Term::BlankNode(node) => Some(node.clone().into()),
        Term::Literal(_) => None,
    }
}
