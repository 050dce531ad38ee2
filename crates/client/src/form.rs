//! Whether an answer fits the form that the server asked to be filled in.

use jackfield_protocol::{ElicitAction, ElicitResult, ElicitSchema, PrimitiveSchema};
use serde_json::Value;

/// Checks the content of an accepted form: required fields, types, lengths, ranges, choices.
pub(crate) fn check_form(schema: &ElicitSchema, answer: &ElicitResult) -> Result<(), String> {
    if answer.action != ElicitAction::Accept {
        return Ok(());
    }
    let content = answer.content.as_ref();
    for name in schema.required.iter().flatten() {
        if !content.is_some_and(|content| content.contains_key(name)) {
            return Err(format!("the field {name:?} is missing"));
        }
    }
    for (name, value) in content.into_iter().flatten() {
        let Some((_, field)) = schema.properties.iter().find(|(known, _)| known == name) else {
            return Err(format!("the form has no field {name:?}"));
        };
        if !fits(field, value) {
            return Err(format!("the value of the field {name:?} is not allowed"));
        }
    }
    Ok(())
}

fn fits(field: &PrimitiveSchema, value: &Value) -> bool {
    match (field, value) {
        (PrimitiveSchema::Boolean(_), Value::Bool(_)) => true,
        (PrimitiveSchema::String(field), Value::String(text)) => {
            let length = text.chars().count() as u64;
            field.min_length.is_none_or(|least| length >= least) && field.max_length.is_none_or(|most| length <= most)
        }
        (PrimitiveSchema::Number(field), Value::Number(number)) => {
            let Some(number) = number.as_f64() else { return false };
            (!field.integer || number.fract() == 0.0)
                && field.minimum.is_none_or(|least| number >= least)
                && field.maximum.is_none_or(|most| number <= most)
        }
        (PrimitiveSchema::SingleSelect(field), Value::String(text)) => {
            field.choices.values().any(|choice| choice == text)
        }
        (PrimitiveSchema::MultiSelect(field), Value::Array(values)) => values
            .iter()
            .all(|value| value.as_str().is_some_and(|text| field.choices.values().any(|choice| choice == text))),
        _ => false,
    }
}
