//! Statements as trees, and trees as JSON.

use std::collections::{HashMap, HashSet};

use oxrdf::vocab::{rdf, xsd};
use oxrdf::{Literal, NamedNode, NamedOrBlankNode, Quad, Term};
use serde_json::{Map, Number, Value};

use crate::Error;
use crate::vocabulary::{OTHER_MEMBERS, RDF_JSON, VOCABULARY, key_of};

/// A message is not nested deeper than a parser of JSON goes.
const MAX_DEPTH: usize = 130;

/// The statements of a document by their subject. The names of graphs do not matter.
pub(super) struct Graph {
    nodes: HashMap<NamedOrBlankNode, Vec<(NamedNode, Term)>>,
    /// The subjects that are part of nothing, in the order in which they appear.
    roots: Vec<NamedOrBlankNode>,
}

impl Graph {
    pub(super) fn new(quads: Vec<Quad>) -> Self {
        let mut nodes: HashMap<NamedOrBlankNode, Vec<(NamedNode, Term)>> = HashMap::new();
        let (mut subjects, mut parts) = (Vec::new(), HashSet::new());
        // The same statement twice is one statement.
        let mut seen = HashSet::new();
        for quad in quads.into_iter().filter(|quad| seen.insert(quad.clone())) {
            let Quad { subject, predicate, object, .. } = quad;
            match &object {
                Term::BlankNode(node) => drop(parts.insert(NamedOrBlankNode::from(node.clone()))),
                Term::NamedNode(node) => drop(parts.insert(NamedOrBlankNode::from(node.clone()))),
                Term::Literal(_) => {}
            }
            let said = nodes.entry(subject.clone()).or_insert_with(|| {
                subjects.push(subject);
                Vec::new()
            });
            said.push((predicate, object));
        }
        subjects.retain(|subject| !parts.contains(subject));
        Self { nodes, roots: subjects }
    }

    /// Returns the trees that hang on nothing, as JSON objects.
    pub(super) fn trees(&self) -> Result<Vec<Map<String, Value>>, Error> {
        if self.roots.is_empty() && !self.nodes.is_empty() {
            return Err(Error::NoRoot);
        }
        self.roots.iter().map(|root| self.object(root, 0)).collect()
    }

    fn object(&self, node: &NamedOrBlankNode, depth: usize) -> Result<Map<String, Value>, Error> {
        if depth > MAX_DEPTH {
            return Err(Error::NotATree);
        }
        let mut members: Map<String, Value> = Map::new();
        let mut others = None;
        let mut repeated: HashSet<String> = HashSet::new();
        for (predicate, object) in self.nodes.get(node).into_iter().flatten() {
            if predicate.as_ref() == rdf::TYPE {
                continue;
            }
            let key = key_of(predicate.as_str());
            let value = self.value(object, depth + 1)?;
            if key == OTHER_MEMBERS && predicate.as_str().starts_with(VOCABULARY) {
                others = Some(value);
                continue;
            }
            match members.get_mut(key) {
                None => drop(members.insert(key.to_owned(), value)),
                // Several values of one property are an array whose order was not kept.
                Some(Value::Array(values)) if repeated.contains(key) => values.push(value),
                Some(first) => {
                    repeated.insert(key.to_owned());
                    *first = Value::Array(vec![first.take(), value]);
                }
            }
        }
        if let Some(Value::Object(others)) = others {
            members.extend(others);
        }
        Ok(members)
    }

    fn value(&self, term: &Term, depth: usize) -> Result<Value, Error> {
        let node = match term {
            Term::Literal(literal) => return scalar(literal),
            Term::NamedNode(node) if node.as_ref() == rdf::NIL => return Ok(Value::Array(Vec::new())),
            Term::NamedNode(node) if !self.nodes.contains_key(&NamedOrBlankNode::from(node.clone())) => {
                return Ok(Value::String(node.as_str().to_owned()));
            }
            Term::NamedNode(node) => NamedOrBlankNode::from(node.clone()),
            Term::BlankNode(node) => NamedOrBlankNode::from(node.clone()),
        };
        if self.one(&node, rdf::FIRST).is_some() {
            return self.list(node, depth);
        }
        self.object(&node, depth).map(Value::Object)
    }

    fn list(&self, mut cell: NamedOrBlankNode, depth: usize) -> Result<Value, Error> {
        if depth > MAX_DEPTH {
            return Err(Error::NotATree);
        }
        let mut items = Vec::new();
        loop {
            let first = self.one(&cell, rdf::FIRST).ok_or(Error::BrokenList)?;
            items.push(self.value(first, depth + 1)?);
            // A list that leads back into itself would have more cells than there are nodes.
            if items.len() > self.nodes.len() {
                return Err(Error::BrokenList);
            }
            cell = match self.one(&cell, rdf::REST) {
                Some(Term::NamedNode(end)) if end.as_ref() == rdf::NIL => return Ok(Value::Array(items)),
                Some(Term::BlankNode(next)) => next.clone().into(),
                Some(Term::NamedNode(next)) => next.clone().into(),
                _ => return Err(Error::BrokenList),
            };
        }
    }

    /// Returns the value of a property that has exactly one.
    fn one(&self, node: &NamedOrBlankNode, predicate: oxrdf::NamedNodeRef<'_>) -> Option<&Term> {
        let mut values = self.nodes.get(node)?.iter().filter(|(p, _)| p.as_ref() == predicate).map(|(_, o)| o);
        values.next().filter(|_| values.next().is_none())
    }
}

fn scalar(literal: &Literal) -> Result<Value, Error> {
    let (text, datatype) = (literal.value(), literal.datatype());
    let bad = || Error::BadLiteral(text.chars().take(100).collect());
    if datatype == xsd::BOOLEAN {
        return match text {
            "true" | "1" => Ok(true.into()),
            "false" | "0" => Ok(false.into()),
            _ => Err(bad()),
        };
    }
    if datatype == xsd::INTEGER {
        let whole = text.parse::<u64>().map(Number::from).or_else(|_| text.parse::<i64>().map(Number::from));
        return whole.map(Value::Number).or_else(|_| double(text).ok_or_else(bad));
    }
    if datatype == xsd::DOUBLE || datatype == xsd::DECIMAL || datatype == xsd::FLOAT {
        return double(text).ok_or_else(bad);
    }
    if datatype.as_str() == RDF_JSON {
        return serde_json::from_str(text).map_err(|_| bad());
    }
    Ok(Value::String(text.to_owned()))
}

fn double(text: &str) -> Option<Value> {
    text.parse().ok().and_then(Number::from_f64).map(Value::Number)
}
