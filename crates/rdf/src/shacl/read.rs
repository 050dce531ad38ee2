//! Shapes from their graph.

use std::collections::HashMap;

use oxrdf::vocab::rdf;
use oxrdf::{Literal, NamedNode, NamedOrBlankNode, Term};

use super::data::{Data, node_of};
use crate::read::quads;
use crate::vocabulary::{RDF, SHACL};
use crate::{Error, Syntax};

/// Shapes by the node that names them.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    shapes: HashMap<NamedOrBlankNode, Shape>,
    /// Those with a target, in the order in which they appear.
    pub(super) targeted: Vec<NamedOrBlankNode>,
}

/// A node shape, or with a path a property shape.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) targets: Vec<Target>,
    pub(super) path: Option<Path>,
    pub(super) constraints: Vec<Constraint>,
    pub(super) message: Option<String>,
}

/// The nodes that a shape is applied to.
#[derive(Debug)]
pub(super) enum Target {
    SubjectsOf(NamedNode),
    Class(NamedNode),
}

/// The way from a node to the values that are checked.
#[derive(Debug)]
pub(super) enum Path {
    Property(NamedNode),
    /// The items of the lists that are values of a property.
    Items(NamedNode),
}

/// What is checked.
#[derive(Debug)]
pub(super) enum Constraint {
    MinCount(u64),
    MaxCount(u64),
    Datatype(NamedNode),
    /// The value is no literal.
    IsNode,
    In(Vec<Term>),
    HasValue(Term),
    MinInclusive(f64),
    MaxInclusive(f64),
    Property(NamedOrBlankNode),
    Node(NamedOrBlankNode),
    Or(Vec<NamedOrBlankNode>),
    Not(NamedOrBlankNode),
}

impl Shapes {
    /// Reads shapes in Turtle.
    pub(super) fn read(turtle: &str) -> Result<Self, Error> {
        let data = Data::new(quads(turtle.as_bytes(), Syntax::Turtle)?);
        let mut shapes = Self::default();
        for subject in &data.subjects {
            let said = data.statements(subject);
            if !said.iter().any(|(predicate, _)| predicate.as_str().starts_with(SHACL)) {
                continue;
            }
            // The inner node of a path is no shape.
            if data.object(subject, &sh("zeroOrMorePath")).is_some() {
                continue;
            }
            let shape = shape(&data, subject)?;
            if !shape.targets.is_empty() {
                shapes.targeted.push(subject.clone());
            }
            shapes.shapes.insert(subject.clone(), shape);
        }
        Ok(shapes)
    }

    pub(super) fn get(&self, name: &NamedOrBlankNode) -> Option<&Shape> {
        self.shapes.get(name)
    }
}

fn sh(name: &str) -> String {
    format!("{SHACL}{name}")
}

fn shape(data: &Data, subject: &NamedOrBlankNode) -> Result<Shape, Error> {
    let mut shape = Shape { targets: Vec::new(), path: None, constraints: Vec::new(), message: None };
    for (predicate, object) in data.statements(subject) {
        let Some(name) = predicate.as_str().strip_prefix(SHACL) else { continue };
        let unknown = || Error::UnknownShape(format!("{predicate} {object}"));
        let iri = || if let Term::NamedNode(iri) = object { Ok(iri.clone()) } else { Err(unknown()) };
        let node = || node_of(object).ok_or_else(unknown);
        let constraint = match name {
            "targetSubjectsOf" => {
                shape.targets.push(Target::SubjectsOf(iri()?));
                continue;
            }
            "targetClass" => {
                shape.targets.push(Target::Class(iri()?));
                continue;
            }
            "path" => {
                shape.path = Some(path(data, object).ok_or_else(unknown)?);
                continue;
            }
            "message" => {
                shape.message = text(object);
                continue;
            }
            "minCount" => Constraint::MinCount(number(object).ok_or_else(unknown)? as u64),
            "maxCount" => Constraint::MaxCount(number(object).ok_or_else(unknown)? as u64),
            "datatype" => Constraint::Datatype(iri()?),
            "nodeKind" if iri()?.as_str() == sh("BlankNodeOrIRI") => Constraint::IsNode,
            "in" => Constraint::In(data.items(object)),
            "hasValue" => Constraint::HasValue(object.clone()),
            "minInclusive" => Constraint::MinInclusive(number(object).ok_or_else(unknown)?),
            "maxInclusive" => Constraint::MaxInclusive(number(object).ok_or_else(unknown)?),
            "property" => Constraint::Property(node()?),
            "node" => Constraint::Node(node()?),
            "not" => Constraint::Not(node()?),
            "or" => {
                let nodes: Option<Vec<_>> = data.items(object).iter().map(node_of).collect();
                Constraint::Or(nodes.ok_or_else(unknown)?)
            }
            _ => return Err(unknown()),
        };
        shape.constraints.push(constraint);
    }
    Ok(shape)
}

/// A property, or the items of its lists.
fn path(data: &Data, object: &Term) -> Option<Path> {
    if let Term::NamedNode(property) = object {
        return Some(Path::Property(property.clone()));
    }
    let steps = data.items(object);
    let [Term::NamedNode(property), rest, Term::NamedNode(first)] = steps.as_slice() else { return None };
    let rest = data.object(&node_of(rest)?, &sh("zeroOrMorePath"))?;
    let is_list = matches!(rest, Term::NamedNode(rest) if rest.as_str() == format!("{RDF}rest"));
    (is_list && first.as_ref() == rdf::FIRST).then(|| Path::Items(property.clone()))
}

fn text(term: &Term) -> Option<String> {
    literal(term).map(|literal| literal.value().to_owned())
}

pub(super) fn number(term: &Term) -> Option<f64> {
    literal(term)?.value().parse().ok()
}

fn literal(term: &Term) -> Option<&Literal> {
    if let Term::Literal(literal) = term { Some(literal) } else { None }
}
