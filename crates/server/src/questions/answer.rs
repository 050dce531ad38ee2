//! Answers to forms, checked against the form.

use jackfield_protocol::{
    Choices, ElicitAction, ElicitParams, ElicitResult, ElicitSchema, InputRequest, JsonObject, NumberSchema,
    PrimitiveSchema, RawJson, StringFormat, StringSchema,
};
use serde_json::Value;

use super::Elicited;

/// Reads the answer to a form. The error has one line for each problem.
pub(super) fn of_form(mut result: ElicitResult, form: &ElicitSchema) -> Result<Elicited<JsonObject>, String> {
    // An older client was asked in a narrower way.
    form.read_back(&mut result);
    match result.action {
        ElicitAction::Accept => {}
        ElicitAction::Decline => return Ok(Elicited::Declined),
        _ => return Ok(Elicited::Cancelled),
    }
    let mut content = result.content.unwrap_or_default();
    // What the person saw decides; a client may send more.
    content.retain(|name, _| form.properties.iter().any(|(known, _)| known == name));
    let mut problems = Vec::new();
    for (name, field) in &form.properties {
        let required = form.required.iter().flatten().any(|known| known == name);
        match content.get(name) {
            None | Some(Value::Null) if required => problems.push(format!("`{name}` is missing, but required")),
            None | Some(Value::Null) => {}
            Some(value) => problems.extend(check(field, value).err().map(|problem| format!("`{name}` {problem}"))),
        }
    }
    if problems.is_empty() { Ok(Elicited::Accepted(content)) } else { Err(problems.join("\n")) }
}

/// Gives an answer that is passed on the form that was asked for; one that has it stays as it came.
pub(super) fn as_asked(answer: RawJson, question: &InputRequest) -> RawJson {
    let InputRequest::Elicit(params) = question else { return answer };
    let ElicitParams::Form(form) = &**params else { return answer };
    let Ok(mut result) = answer.read::<ElicitResult>() else { return answer };
    if !form.requested_schema.read_back(&mut result) {
        return answer;
    }
    RawJson::new(&result).unwrap_or(answer)
}

fn check(field: &PrimitiveSchema, value: &Value) -> Result<(), String> {
    match (field, value) {
        (PrimitiveSchema::String(field), Value::String(text)) => check_text(field, text),
        (PrimitiveSchema::Number(field), Value::Number(number)) => check_number(field, number),
        (PrimitiveSchema::Boolean(_), Value::Bool(_)) => Ok(()),
        (PrimitiveSchema::SingleSelect(field), Value::String(text)) => check_choice(&field.choices, text),
        (PrimitiveSchema::MultiSelect(field), Value::Array(chosen)) => {
            let count = chosen.len() as u64;
            if field.min_items.is_some_and(|least| count < least) || field.max_items.is_some_and(|most| count > most) {
                return Err(format!("has {count} values, which is not allowed"));
            }
            chosen.iter().try_for_each(|one| match one {
                Value::String(text) => check_choice(&field.choices, text),
                other => Err(format!("has the value {other}, which is not a text")),
            })
        }
        (field, _) => Err(format!("must be {}", kind(field))),
    }
}

fn check_text(field: &StringSchema, text: &str) -> Result<(), String> {
    let length = text.chars().count() as u64;
    if field.min_length.is_some_and(|least| length < least) {
        return Err(format!("is shorter than {} characters", field.min_length.unwrap_or_default()));
    }
    if field.max_length.is_some_and(|most| length > most) {
        return Err(format!("is longer than {} characters", field.max_length.unwrap_or_default()));
    }
    match field.format {
        Some(format) if !fits(format, text) => Err(format!("is not of the format {format}")),
        _ => Ok(()),
    }
}

/// Whether a text may be what a format says. It finds mistakes; it does not prove that an address exists.
fn fits(format: StringFormat, text: &str) -> bool {
    match format {
        StringFormat::Email => text.split_once('@').is_some_and(|(user, host)| {
            !user.is_empty() && !host.is_empty() && !host.contains('@') && !text.contains(char::is_whitespace)
        }),
        StringFormat::Uri => crate::uri::check(text).is_ok(),
        StringFormat::Date => is_date(text),
        StringFormat::DateTime => {
            text.split_once(['T', 't', ' ']).is_some_and(|(date, time)| is_date(date) && is_time(time))
        }
        _ => true,
    }
}

fn is_date(text: &str) -> bool {
    let parts: Vec<_> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    year.len() == 4 && number(year, 0..=9999) && number(month, 1..=12) && number(day, 1..=31)
}

fn is_time(text: &str) -> bool {
    let Some(end) = text.find(['Z', 'z', '+', '-']) else { return false };
    let (clock, zone) = text.split_at(end);
    let clock = clock.split('.').next().unwrap_or_default();
    let parts: Vec<_> = clock.split(':').collect();
    let [hour, minute, second] = parts.as_slice() else { return false };
    let zone = zone.trim_start_matches(['Z', 'z', '+', '-']);
    let zone_fits =
        zone.is_empty() || zone.split_once(':').is_some_and(|(h, m)| number(h, 0..=23) && number(m, 0..=59));
    number(hour, 0..=23) && number(minute, 0..=59) && number(second, 0..=60) && zone_fits
}

fn number(text: &str, range: std::ops::RangeInclusive<u16>) -> bool {
    (text.len() == 2 || text.len() == 4)
        && text.bytes().all(|b| b.is_ascii_digit())
        && text.parse().is_ok_and(|n| range.contains(&n))
}

fn check_number(field: &NumberSchema, number: &serde_json::Number) -> Result<(), String> {
    let value = number.as_f64().unwrap_or(f64::NAN);
    if field.integer && value.fract() != 0.0 {
        return Err("must be a whole number".to_owned());
    }
    match (field.minimum, field.maximum) {
        (Some(least), _) if value < least => Err(format!("is less than {least}")),
        (_, Some(most)) if value > most => Err(format!("is more than {most}")),
        _ => Ok(()),
    }
}

fn check_choice(choices: &Choices, text: &str) -> Result<(), String> {
    if choices.values().any(|known| known == text) { Ok(()) } else { Err("is none of the choices".to_owned()) }
}

fn kind(field: &PrimitiveSchema) -> &'static str {
    match field {
        PrimitiveSchema::Number(_) => "a number",
        PrimitiveSchema::Boolean(_) => "true or false",
        PrimitiveSchema::MultiSelect(_) => "a list of choices",
        _ => "a text",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn form() -> ElicitSchema {
        serde_json::from_value(json!({
            "type": "object",
            "properties": {
                "name": {"type": "string", "minLength": 2, "maxLength": 3},
                "mail": {"type": "string", "format": "email"},
                "day": {"type": "string", "format": "date"},
                "at": {"type": "string", "format": "date-time"},
                "age": {"type": "integer", "minimum": 1, "maximum": 9},
                "yes": {"type": "boolean"},
                "size": {"type": "string", "enum": ["S", "L"]},
                "many": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"type": "string", "enum": ["a", "b", "c"]}},
            },
            "required": ["name"],
        }))
        .unwrap()
    }

    fn answer(content: Value) -> Result<Elicited<JsonObject>, String> {
        of_form(serde_json::from_value(json!({"action": "accept", "content": content})).unwrap(), &form())
    }

    /// CLI-075, CLI-092: what was filled in is checked against the form.
    #[test]
    fn each_field_is_checked() {
        let good = json!({
            "name": "ab", "mail": "a@b.c", "day": "2026-02-28", "at": "2026-02-28T10:00:00Z", "age": 9, "yes": false,
            "size": "L", "many": ["a", "c"],
        });
        assert_eq!(answer(good.clone()), Ok(Elicited::Accepted(good.as_object().unwrap().clone())));
        assert!(answer(json!({})).unwrap_err().contains("`name` is missing"));
        for (field, bad) in [
            ("name", json!("a")),
            ("name", json!("abcd")),
            ("name", json!(1)),
            ("mail", json!("a")),
            ("day", json!("2026-13-01")),
            ("at", json!("10:00")),
            ("age", json!(0)),
            ("age", json!(10)),
            ("age", json!(1.5)),
            ("age", json!("1")),
            ("yes", json!("yes")),
            ("size", json!("M")),
            ("many", json!([])),
            ("many", json!(["a", "b", "c"])),
            ("many", json!(["x"])),
        ] {
            let mut content = good.clone();
            content[field] = bad.clone();
            let problem = answer(content).unwrap_err();
            assert!(problem.starts_with(&format!("`{field}`")), "{field} {bad}: {problem}");
        }
    }

    #[test]
    fn what_was_not_asked_for_is_dropped() {
        let Ok(Elicited::Accepted(content)) = answer(json!({"name": "ab", "evil": 1})) else { panic!() };
        assert_eq!(Value::from(content), json!({"name": "ab"}));
    }

    /// CLI-064: decline and cancel are answers too.
    #[test]
    fn saying_no_is_an_answer() {
        for (action, expected) in [("decline", Elicited::Declined), ("cancel", Elicited::Cancelled)] {
            let result = serde_json::from_value(json!({"action": action})).unwrap();
            assert_eq!(of_form(result, &form()), Ok(expected));
        }
    }
}
