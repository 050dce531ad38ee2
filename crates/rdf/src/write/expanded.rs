//! JSON-LD in expanded form: no context, every name a full IRI, every value in an array.

use serde_json::{Map, Value, json};

use super::jsonld::json_literal;
use crate::Profile;
use crate::literal::{Literal, is_whole};
use crate::view::{View, other_members, terms};
use crate::vocabulary::{OTHER_MEMBERS, VOCABULARY, XSD};

/// Returns the members of a node in expanded form.
pub(crate) fn expanded(members: &Map<String, Value>, profile: Profile) -> Map<String, Value> {
    let name = |key: &str| format!("{VOCABULARY}{key}");
    let mut out = Map::new();
    for (key, value) in terms(members) {
        let mut values = Vec::new();
        expand(&mut values, value, Some(key), profile);
        out.insert(name(key), values.into());
    }
    if let Some(others) = other_members(members, profile) {
        out.insert(name(OTHER_MEMBERS), json!([json_literal(others)]));
    }
    out
}

fn expand(out: &mut Vec<Value>, value: &Value, key: Option<&str>, profile: Profile) {
    match View::of(value, key, profile) {
        View::Absent => {}
        View::Node(members) => out.push(Value::Object(expanded(members, profile))),
        View::List(items) => {
            let mut list = Vec::new();
            items.iter().for_each(|item| expand(&mut list, item, None, profile));
            out.push(json!({ "@list": list }));
        }
        View::Set(items) => items.iter().for_each(|item| expand(out, item, None, profile)),
        View::Literal(Literal::Json(_)) => out.push(json_literal(value.clone())),
        View::Literal(Literal::Double(text)) if value.as_f64().is_some_and(is_whole) => {
            out.push(json!({ "@type": format!("{XSD}double"), "@value": text }));
        }
        View::Literal(_) => out.push(json!({ "@value": value })),
    }
}
