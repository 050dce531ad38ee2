//! Arrays of the plain profile: a graph of it does not tell one value from an array with one value.

use jackfield_protocol::{Method, Revision};
use serde_json::Value as Json;

use super::messages::exchange;
use super::model::{Body, Definition, Value};
use super::table::{any_definition, definition};

/// Makes arrays of the single values that stand where the parameters of a method have arrays.
pub(crate) fn restore_params(params: &mut Json, method: Method) {
    let revision = method.row().last;
    if let Some(held) = exchange(method, revision).and_then(|exchange| exchange.params(revision)) {
        Restore { revision }.value(params, held);
    }
}

/// Makes arrays of the single values that stand where the result of a method has arrays.
pub(crate) fn restore_result(result: &mut Json, method: Method) {
    let revision = method.row().last;
    // A tag says that the result is none of the method's own.
    let found = match result.get("resultType").and_then(Json::as_str) {
        Some("input_required") => definition("InputRequiredResult", Revision::LATEST),
        Some("task") => None,
        _ => exchange(method, revision).and_then(|exchange| exchange.result),
    };
    if let Some(found) = found {
        Restore { revision }.definition(result, found);
    }
}

struct Restore {
    revision: Revision,
}

impl Restore {
    fn definition(&self, json: &mut Json, definition: &Definition) {
        match &definition.body {
            Body::Alias(value) => self.value(json, value),
            Body::Object(_) => self.members(json, definition),
        }
    }

    fn members(&self, json: &mut Json, definition: &Definition) {
        let Json::Object(members) = json else { return };
        for (name, held) in members.iter_mut() {
            // The message may be of an older revision, whose members other entries describe.
            let mut described = definition.members().iter().filter(|member| member.name == *name);
            let now = described.clone().find(|member| member.lifetime.contains(self.revision));
            if let Some(member) = now.or_else(|| described.next()) {
                self.value(held, &member.value);
            }
        }
        for member in definition.members_in(self.revision) {
            // A set without values is no statement at all.
            if member.required && matches!(member.value, Value::List(..)) && !members.contains_key(member.name) {
                members.insert(member.name.to_owned(), Json::Array(Vec::new()));
            }
        }
    }

    fn value(&self, json: &mut Json, value: &Value) {
        match value {
            Value::Of(name) | Value::InPlace(name) => {
                if let Some(definition) = any_definition(name, self.revision) {
                    self.definition(json, definition);
                }
            }
            Value::List(item, _) => {
                if !json.is_array() {
                    *json = Json::Array(vec![json.take()]);
                }
                json.as_array_mut().into_iter().flatten().for_each(|held| self.value(held, item));
            }
            Value::Map(inner) => {
                json.as_object_mut().into_iter().flat_map(|map| map.values_mut()).for_each(|v| self.value(v, inner));
            }
            Value::All(values) => values.iter().for_each(|value| self.value(json, value)),
            Value::Choice(choices) => {
                if let Some(chosen) = choices.iter().find(|choice| self.fits(json, choice)) {
                    self.value(json, chosen);
                }
            }
            _ => {}
        }
    }

    /// Whether a value has the constants and the required members of a choice.
    fn fits(&self, json: &Json, value: &Value) -> bool {
        match value {
            Value::List(..) => json.is_array(),
            Value::Of(name) | Value::InPlace(name) => match definition(name, self.revision) {
                None => false,
                Some(Definition { body: Body::Alias(value), .. }) => self.fits(json, value),
                Some(definition) => definition.members_in(self.revision).filter(|m| m.required).all(|member| {
                    let held = json.get(member.name);
                    match (&member.value, held) {
                        (Value::Word(word), held) => held.and_then(Json::as_str) == Some(word),
                        (Value::List(..), _) => json.is_object(),
                        (_, held) => held.is_some(),
                    }
                }),
            },
            Value::Choice(choices) => choices.iter().any(|choice| self.fits(json, choice)),
            Value::Map(_) => json.is_object(),
            _ => !json.is_object() && !json.is_array(),
        }
    }
}
