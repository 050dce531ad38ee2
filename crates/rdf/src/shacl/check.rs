//! One node against one shape.

use oxrdf::vocab::xsd;
use oxrdf::{NamedNode, NamedOrBlankNode, Term};

use super::data::{Data, node_of};
use super::read::{Constraint, Path, Shape, Shapes, number};
use crate::vocabulary::RDF_JSON;

/// A rule that a node breaks.
#[derive(Clone, Debug)]
pub(super) struct Breach {
    pub(super) focus: Term,
    /// The property on the way to the value.
    pub(super) path: Option<NamedNode>,
    pub(super) value: Option<Term>,
    /// The name of the constraint, such as `sh:minCount`.
    pub(super) rule: &'static str,
    pub(super) shape: NamedOrBlankNode,
    pub(super) message: Option<String>,
    /// Why none of the alternatives of `sh:or` fits, or why the shape of `sh:node` does not.
    pub(super) details: Vec<Breach>,
}

pub(super) struct Check<'a> {
    pub(super) shapes: &'a Shapes,
    pub(super) data: &'a Data,
}

impl Check<'_> {
    /// Returns what a node breaks of a shape.
    pub(super) fn breaches(&self, name: &NamedOrBlankNode, focus: &Term) -> Vec<Breach> {
        let Some(shape) = self.shapes.get(name) else { return Vec::new() };
        let values = self.values(shape, focus);
        let mut found = Vec::new();
        for constraint in &shape.constraints {
            self.constraint(constraint, &values, &mut |rule, value, details| {
                let path = shape.path.as_ref().map(|(Path::Property(path) | Path::Items(path))| path.clone());
                let (focus, shape, message) = (focus.clone(), name.clone(), shape.message.clone());
                found.push(Breach { focus, path, value, rule, shape, message, details });
            });
            if let Constraint::Property(inner) = constraint {
                found.extend(values.iter().flat_map(|value| self.breaches(inner, value)));
            }
        }
        found
    }

    fn conforms(&self, name: &NamedOrBlankNode, focus: &Term) -> bool {
        self.breaches(name, focus).is_empty()
    }

    fn values(&self, shape: &Shape, focus: &Term) -> Vec<Term> {
        let of = |property: &NamedNode| {
            let node = node_of(focus);
            node.map(|node| self.data.objects(&node, property.as_str()).cloned().collect::<Vec<_>>())
                .unwrap_or_default()
        };
        match &shape.path {
            None => vec![focus.clone()],
            Some(Path::Property(property)) => of(property),
            Some(Path::Items(property)) => {
                let mut items: Vec<Term> = Vec::new();
                // A path leads to a set of values: the same value twice is one.
                for item in of(property).iter().flat_map(|head| self.data.items(head)) {
                    if !items.contains(&item) {
                        items.push(item);
                    }
                }
                items
            }
        }
    }

    fn constraint(
        &self,
        constraint: &Constraint,
        values: &[Term],
        report: &mut dyn FnMut(&'static str, Option<Term>, Vec<Breach>),
    ) {
        match constraint {
            Constraint::MinCount(least) if (values.len() as u64) < *least => report("sh:minCount", None, Vec::new()),
            Constraint::MaxCount(most) if (values.len() as u64) > *most => report("sh:maxCount", None, Vec::new()),
            Constraint::HasValue(wanted) if !values.contains(wanted) => report("sh:hasValue", None, Vec::new()),
            Constraint::MinCount(_) | Constraint::MaxCount(_) | Constraint::HasValue(_) | Constraint::Property(_) => {}
            each => {
                for value in values {
                    if let Some((rule, details)) = self.broken(each, value) {
                        report(rule, Some(value.clone()), details);
                    }
                }
            }
        }
    }

    /// Whether one value breaks a constraint; its name, and why.
    fn broken(&self, constraint: &Constraint, value: &Term) -> Option<(&'static str, Vec<Breach>)> {
        let (holds, rule) = match constraint {
            Constraint::Datatype(datatype) => (has_datatype(value, datatype), "sh:datatype"),
            Constraint::IsNode => (!matches!(value, Term::Literal(_)), "sh:nodeKind"),
            Constraint::In(values) => (values.contains(value), "sh:in"),
            Constraint::MinInclusive(least) => (numeric(value).is_some_and(|n| n >= *least), "sh:minInclusive"),
            Constraint::MaxInclusive(most) => (numeric(value).is_some_and(|n| n <= *most), "sh:maxInclusive"),
            Constraint::Not(shape) => (!self.conforms(shape, value), "sh:not"),
            Constraint::Node(shape) => {
                let details = self.breaches(shape, value);
                return (!details.is_empty()).then_some(("sh:node", details));
            }
            Constraint::Or(shapes) => return self.alternatives(shapes, value).map(|details| ("sh:or", details)),
            Constraint::MinCount(_) | Constraint::MaxCount(_) | Constraint::HasValue(_) | Constraint::Property(_) => {
                return None;
            }
        };
        (!holds).then_some((rule, Vec::new()))
    }

    /// Why no alternative fits: what the nearest one lacks. That a message is not of another method explains nothing.
    fn alternatives(&self, shapes: &[NamedOrBlankNode], value: &Term) -> Option<Vec<Breach>> {
        let mut nearest: Option<Vec<Breach>> = None;
        for shape in shapes {
            let breaches = self.breaches(shape, value);
            if breaches.is_empty() {
                return None;
            }
            // An alternative whose constant differs is not what was meant.
            let weight = |breaches: &[Breach]| {
                let count = |rule: &str| breaches.iter().filter(|breach| breach.rule == rule).count();
                (count("sh:not"), count("sh:in"), breaches.len())
            };
            if nearest.as_ref().is_none_or(|best| weight(&breaches) < weight(best)) {
                nearest = Some(breaches);
            }
        }
        Some(nearest.unwrap_or_default())
    }
}

/// Whether a literal has a datatype, and its text is one of that datatype.
fn has_datatype(value: &Term, datatype: &NamedNode) -> bool {
    let Term::Literal(literal) = value else { return false };
    if literal.datatype() != datatype.as_ref() {
        return false;
    }
    let text = literal.value();
    match datatype.as_ref() {
        xsd::INTEGER => {
            let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        }
        xsd::BOOLEAN => matches!(text, "true" | "false" | "0" | "1"),
        xsd::DOUBLE => matches!(text, "INF" | "+INF" | "-INF" | "NaN") || text.parse::<f64>().is_ok_and(f64::is_finite),
        other if other.as_str() == RDF_JSON => serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok(),
        _ => true,
    }
}

/// The number that a literal of a numeric datatype means.
fn numeric(value: &Term) -> Option<f64> {
    let Term::Literal(literal) = value else { return None };
    let known = [xsd::INTEGER, xsd::DOUBLE, xsd::DECIMAL, xsd::FLOAT];
    known.contains(&literal.datatype()).then(|| number(value)).flatten()
}
