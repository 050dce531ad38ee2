//! Which types the messages of each method have.

use std::collections::HashMap;
use std::sync::LazyLock;

use jackfield_protocol::{Method, Revision};

use super::model::{Definition, Value};
use super::table::{defined, definition};

/// The types of a method in a revision.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exchange {
    pub(crate) method: Method,
    /// The request or notification.
    pub(crate) message: &'static Definition,
    /// The result of a request.
    pub(crate) result: Option<&'static Definition>,
}

impl Exchange {
    /// What the parameters hold.
    pub(crate) fn params(&self, revision: Revision) -> Option<&'static Value> {
        self.message.members().iter().find(|m| m.name == "params" && m.lifetime.contains(revision)).map(|m| &m.value)
    }
}

static EXCHANGES: LazyLock<HashMap<(Method, Revision), Exchange>> = LazyLock::new(|| {
    let mut all = HashMap::new();
    for revision in Revision::ALL {
        for message in defined(revision) {
            let Some(method) = method_of(message, revision) else { continue };
            let stem = message.name.strip_suffix("Request");
            let named = stem.and_then(|stem| definition(&format!("{stem}Result"), revision));
            let result = stem.and(named.or_else(|| definition("EmptyResult", revision)));
            // The first message of a method is its own; what comes later only repeats it in place.
            all.entry((method, revision)).or_insert(Exchange { method, message, result });
        }
    }
    all
});

/// Returns the types of a method in a revision, if it has the method.
pub(crate) fn exchange(method: Method, revision: Revision) -> Option<&'static Exchange> {
    EXCHANGES.get(&(method, revision))
}

/// The types of all methods of a revision, in the order of the method table.
pub(crate) fn exchanges(revision: Revision) -> impl Iterator<Item = &'static Exchange> {
    Method::TABLE
        .iter()
        .filter(move |row| row.method.is_defined(revision))
        .filter_map(move |row| exchange(row.method, revision))
}

/// The method that a message is for: its member `method` is always the same word.
fn method_of(message: &Definition, revision: Revision) -> Option<Method> {
    message.members_in(revision).find(|member| member.name == "method").and_then(|member| match member.value {
        Value::Word(word) => Method::from_name(word),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use jackfield_protocol::Kind;

    #[test]
    fn every_method_has_its_types_in_every_revision_that_has_it() {
        for revision in Revision::ALL {
            for row in Method::TABLE.iter().filter(|row| row.method.is_defined(revision)) {
                let found = exchange(row.method, revision).unwrap_or_else(|| panic!("{} in {revision}", row.name));
                assert_eq!(found.result.is_some(), row.kind == Kind::Request, "{}", row.name);
                assert!(found.params(revision).is_some(), "{}", row.name);
            }
        }
    }
}
