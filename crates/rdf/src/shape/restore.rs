//! Arrays of the plain profile: a graph of it does not tell one value from an array with one value.

use jackfield_protocol::{Method, Revision};
use serde_json::Value;

use super::{Kind, body, shape};

/// Makes arrays of the single values that stand where the parameters of a method have arrays.
pub(crate) fn restore_params(params: &mut Value, method: Method) {
    restore(params, body(method, method.row().last).params);
}

/// Makes arrays of the single values that stand where the result of a method has arrays.
pub(crate) fn restore_result(result: &mut Value, method: Method) {
    // A tag says that the result is none of the method's own.
    let name = match result.get("resultType").and_then(Value::as_str) {
        Some("input_required") => Some("InputRequired"),
        Some("task") => None,
        _ => body(method, method.row().last).result,
    };
    if let Some(name) = name {
        restore(result, name);
    }
}

fn restore(value: &mut Value, name: &str) {
    let Some(shape) = shape(name) else { return };
    if !value.is_object() {
        return;
    }
    if !shape.choices.is_empty() {
        if let Some(chosen) = shape.choices.iter().find(|name| fits(value, name)) {
            restore(value, chosen);
        }
        return;
    }
    let Value::Object(members) = value else { return };
    for member in shape.members {
        match (members.get_mut(member.name), member.kind) {
            (Some(held), kind) => restore_kind(held, kind),
            // A set without values is no statement at all.
            (None, Kind::List(_)) if member.is_required(Revision::LATEST) => {
                members.insert(member.name.to_owned(), Value::Array(Vec::new()));
            }
            _ => {}
        }
    }
}

fn restore_kind(value: &mut Value, kind: Kind) {
    match kind {
        Kind::Of(name) => restore(value, name),
        Kind::List(inner) => {
            if !value.is_array() {
                *value = Value::Array(vec![value.take()]);
            }
            value.as_array_mut().into_iter().flatten().for_each(|item| restore_kind(item, *inner));
        }
        Kind::OneOrList(inner) => match value {
            Value::Array(items) => items.iter_mut().for_each(|item| restore_kind(item, *inner)),
            one => restore_kind(one, *inner),
        },
        Kind::Map(inner) => {
            value.as_object_mut().into_iter().flat_map(|map| map.values_mut()).for_each(|v| restore_kind(v, *inner));
        }
        _ => {}
    }
}

/// Whether an object has the constants and the required members of a shape.
fn fits(value: &Value, name: &str) -> bool {
    shape(name).is_some_and(|shape| {
        shape.members.iter().filter(|member| member.required.is_some()).all(|member| match member.kind {
            Kind::Word(word) => value.get(member.name).and_then(Value::as_str) == Some(word),
            Kind::List(_) => true,
            _ => value.get(member.name).is_some() || member.last < Revision::LATEST,
        })
    })
}
