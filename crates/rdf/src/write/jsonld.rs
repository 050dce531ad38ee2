//! JSON-LD with a context: the message itself, and marks where JSON-LD would lose something.

use serde_json::{Map, Value, json};

use crate::Profile;
use crate::literal::{Literal, is_whole, json_text, survives_canonical_json};
use crate::view::{View, other_members, terms};
use crate::vocabulary::{OTHER_MEMBERS, RDF_JSON, XSD};

/// Returns the members of an object as JSON-LD has them under the context of the vocabulary.
///
/// In the plain profile that is the message, without the members that no term can name: JSON-LD would not take `@id` or
/// `@context` within arguments as data.
pub(crate) fn marked(members: &Map<String, Value>, profile: Profile) -> Map<String, Value> {
    let mut out: Map<String, Value> =
        terms(members).map(|(key, value)| (key.to_owned(), mark(value, Some(key), profile))).collect();
    if let Some(others) = other_members(members, profile) {
        out.insert(OTHER_MEMBERS.to_owned(), json_literal(others));
    }
    out
}

fn mark(value: &Value, key: Option<&str>, profile: Profile) -> Value {
    match View::of(value, key, profile) {
        View::Node(members) => Value::Object(marked(members, profile)),
        View::List(items) => json!({ "@list": marks(items, profile) }),
        View::Set(items) => marks(items, profile),
        View::Literal(Literal::Json(_)) => json_literal(value.clone()),
        View::Literal(Literal::Double(text)) if value.as_f64().is_some_and(is_whole) => {
            json!({ "@type": format!("{XSD}double"), "@value": text })
        }
        View::Literal(_) | View::Absent => value.clone(),
    }
}

fn marks(items: &[Value], profile: Profile) -> Value {
    items.iter().map(|item| mark(item, None, profile)).collect()
}

/// A JSON literal. Where the canonical form that JSON-LD asks for would change a number, the text itself is given.
pub(super) fn json_literal(value: Value) -> Value {
    if survives_canonical_json(&value) {
        json!({ "@type": "@json", "@value": value })
    } else {
        json!({ "@type": RDF_JSON, "@value": json_text(&value) })
    }
}
