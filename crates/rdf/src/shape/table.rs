//! The whole table.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use jackfield_protocol::Revision;

use super::kind::Shape;
use super::{content, elicitation, envelope, handshake, lists, sampling, tasks};

const PARTS: [&[Shape]; 7] = [
    envelope::SHAPES,
    handshake::SHAPES,
    lists::SHAPES,
    content::SHAPES,
    sampling::SHAPES,
    elicitation::SHAPES,
    tasks::SHAPES,
];

static BY_NAME: LazyLock<BTreeMap<&'static str, &'static Shape>> =
    LazyLock::new(|| shapes().map(|shape| (shape.name, shape)).collect());

/// All shapes, in the order of the specification.
pub(crate) fn shapes() -> impl Iterator<Item = &'static Shape> {
    PARTS.into_iter().flatten()
}

/// Finds a shape by its name.
pub(crate) fn shape(name: &str) -> Option<&'static Shape> {
    BY_NAME.get(name).copied()
}

/// The revision whose messages the building block describes.
pub(crate) const BUILDING_BLOCK: Revision = Revision::V2025_06_18;

/// Returns the terms that are ours: members that some revision has, but not the one that the building block describes.
#[must_use]
pub fn own_terms() -> Vec<&'static str> {
    let all: BTreeSet<&str> = shapes().flat_map(|shape| shape.members).map(|member| member.name).collect();
    let theirs: BTreeSet<&str> = shapes()
        .filter(|shape| shape.is_defined(BUILDING_BLOCK))
        .flat_map(|shape| shape.members_in(BUILDING_BLOCK))
        .map(|member| member.name)
        .collect();
    all.difference(&theirs).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{Kind, body};
    use jackfield_protocol::Method;

    fn named(kind: Kind) -> Option<&'static str> {
        match kind {
            Kind::Of(name) => Some(name),
            Kind::List(inner) | Kind::OneOrList(inner) | Kind::Map(inner) => named(*inner),
            _ => None,
        }
    }

    #[test]
    fn every_shape_that_is_named_exists_wherever_it_is_used() {
        let mut used = BTreeSet::new();
        for revision in Revision::ALL {
            for shape in shapes().filter(|shape| shape.is_defined(revision)) {
                for name in shape.members_in(revision).filter_map(|member| named(member.kind)) {
                    used.insert(name);
                    let other = self::shape(name).unwrap_or_else(|| panic!("{} names {name}", shape.name));
                    assert!(other.is_defined(revision), "{} names {name} in {revision}", shape.name);
                }
                used.extend(shape.choices);
                assert!(shape.choices.iter().all(|name| self::shape(name).is_some()), "{}", shape.name);
            }
            for row in Method::TABLE.iter().filter(|row| row.method.is_defined(revision)) {
                let body = body(row.method, revision);
                for name in std::iter::once(body.params).chain(body.result) {
                    used.insert(name);
                    assert!(shape(name).unwrap().is_defined(revision), "{} in {revision}", row.name);
                }
            }
        }
        let outcomes = [
            "Request",
            "Notification",
            "ResultResponse",
            "ErrorResponse",
            "Error",
            "InputRequired",
            "TaskHandle",
            "CreateTaskResult",
        ];
        let unused: Vec<_> =
            shapes().map(|s| s.name).filter(|name| !used.contains(name) && !outcomes.contains(name)).collect();
        assert!(unused.is_empty(), "{unused:?}");
    }

    #[test]
    fn terms_of_other_revisions_are_ours() {
        let ours = own_terms();
        assert!(["icons", "resultType", "ttlMs", "task", "inputRequests"].iter().all(|term| ours.contains(term)));
        assert!(["jsonrpc", "name", "structuredContent", "uri"].iter().all(|term| !ours.contains(term)));
    }
}
