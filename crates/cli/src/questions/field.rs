//! One field of a form: what it takes, and whether a text fits.

use jackfield::protocol::{Choices, PrimitiveSchema};
use serde_json::Value;

use crate::arguments::{boolean, integer, number};

/// Reads a text as the value of a field. The error says what would fit.
pub(crate) fn read(field: &PrimitiveSchema, text: &str) -> Result<Value, String> {
    let value = match field {
        PrimitiveSchema::String(_) => Some(text.into()),
        PrimitiveSchema::Number(rules) if rules.integer => integer(text.trim()).map(Value::Number),
        PrimitiveSchema::Number(_) => number(text.trim()).map(Value::Number),
        PrimitiveSchema::Boolean(_) => boolean(text.trim()).map(Value::Bool),
        PrimitiveSchema::SingleSelect(rules) => Some(choice(&rules.choices, text.trim())?.into()),
        PrimitiveSchema::MultiSelect(rules) => Some(several(&rules.choices, text)?.into()),
        _ => return Err("this version does not know fields of this kind".to_owned()),
    };
    value.filter(|value| field.accepts(value)).ok_or_else(|| format!("it must be {}", kind(field)))
}

/// Returns what is filled in at first. A server may propose what its own form does not take; that is no default.
pub(crate) fn default(field: &PrimitiveSchema) -> Option<Value> {
    field.default_value().filter(|value| field.accepts(value))
}

/// Returns the name for people and the meaning of a field.
pub(crate) fn words(field: &PrimitiveSchema) -> (Option<&str>, Option<&str>) {
    let (title, description) = match field {
        PrimitiveSchema::String(rules) => (&rules.title, &rules.description),
        PrimitiveSchema::Number(rules) => (&rules.title, &rules.description),
        PrimitiveSchema::Boolean(rules) => (&rules.title, &rules.description),
        PrimitiveSchema::SingleSelect(rules) => (&rules.title, &rules.description),
        PrimitiveSchema::MultiSelect(rules) => (&rules.title, &rules.description),
        _ => return (None, None),
    };
    (title.as_deref(), description.as_deref())
}

/// Says what is to be typed.
pub(crate) fn kind(field: &PrimitiveSchema) -> String {
    match field {
        PrimitiveSchema::Boolean(_) => "yes or no".to_owned(),
        PrimitiveSchema::MultiSelect(_) => format!("{}, with commas between them", field.takes()),
        _ => field.takes(),
    }
}

/// Returns the choices of a field: values, and names for people where they differ.
pub(crate) fn choices(field: &PrimitiveSchema) -> Vec<(&str, Option<&str>)> {
    let choices = match field {
        PrimitiveSchema::SingleSelect(rules) => &rules.choices,
        PrimitiveSchema::MultiSelect(rules) => &rules.choices,
        _ => return Vec::new(),
    };
    pairs(choices)
}

fn pairs(choices: &Choices) -> Vec<(&str, Option<&str>)> {
    match choices {
        Choices::Titled(choices) => {
            choices.iter().map(|one| (one.r#const.as_str(), Some(one.title.as_str()))).collect()
        }
        Choices::Named(values, names) => {
            let name = |index: usize| names.get(index).map(String::as_str);
            values.iter().enumerate().map(|(index, value)| (value.as_str(), name(index))).collect()
        }
        other => other.values().map(|value| (value, None)).collect(),
    }
}

/// Finds a choice by its value, its name, or its place in the list.
fn choice(choices: &Choices, text: &str) -> Result<String, String> {
    let pairs = pairs(choices);
    let by_value = pairs.iter().find(|(value, _)| *value == text);
    let by_name = || pairs.iter().find(|(value, name)| name.unwrap_or(value).eq_ignore_ascii_case(text));
    let by_place = || text.parse::<usize>().ok().and_then(|place| pairs.get(place.checked_sub(1)?));
    let found = by_value.or_else(by_name).or_else(by_place);
    found.map(|(value, _)| (*value).to_owned()).ok_or_else(|| format!("{text:?} is none of the choices"))
}

fn several(choices: &Choices, text: &str) -> Result<Vec<String>, String> {
    let mut chosen = Vec::new();
    for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        let value = choice(choices, word)?;
        if !chosen.contains(&value) {
            chosen.push(value);
        }
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use jackfield::protocol::{
        BooleanSchema, MultiSelectSchema, NumberSchema, SingleSelectSchema, StringFormat, StringSchema,
    };
    use serde_json::json;

    use super::*;

    /// CLI-075, CLI-091: what does not fit its field is not accepted.
    #[test]
    fn texts_fit_their_fields_or_not() {
        let mut short = StringSchema::default();
        (short.min_length, short.max_length) = (Some(2), Some(3));
        let short = PrimitiveSchema::from(short);
        let whole = PrimitiveSchema::from(NumberSchema::integer().with_minimum(1).with_maximum(100));
        let any = PrimitiveSchema::from(NumberSchema::default());
        let yes = PrimitiveSchema::from(BooleanSchema::default());
        let titled = Choices::titled([("key-c", "C major"), ("key-g", "G major")]);
        let one = PrimitiveSchema::from(SingleSelectSchema::new(titled.clone()));
        let some = PrimitiveSchema::from(MultiSelectSchema::new(titled).with_items(1, 2));
        for (field, typed, value) in [
            (&short, "ab", Some(json!("ab"))),
            (&short, "äöü", Some(json!("äöü"))),
            (&short, "a", None),
            (&short, "abcd", None),
            (&whole, "42", Some(json!(42))),
            (&whole, " 7 ", Some(json!(7))),
            (&whole, "0", None),
            (&whole, "101", None),
            (&whole, "4.5", None),
            (&any, "4.5", Some(json!(4.5))),
            (&any, "", None),
            (&yes, "Yes", Some(json!(true))),
            (&yes, "perhaps", None),
            (&one, "key-g", Some(json!("key-g"))),
            (&one, "c MAJOR", Some(json!("key-c"))),
            (&one, "2", Some(json!("key-g"))),
            (&one, "3", None),
            (&one, "0", None),
            (&some, "1, key-g", Some(json!(["key-c", "key-g"]))),
            (&some, "1,2,1", Some(json!(["key-c", "key-g"]))),
            (&some, "", None),
            (&some, "1,x", None),
        ] {
            assert_eq!(read(field, typed).ok(), value, "{typed:?}");
        }
    }

    /// CLI-052: what a server proposes is filled in, if its form takes it.
    #[test]
    fn a_default_that_does_not_fit_is_none() {
        let mail =
            |proposed: &str| StringSchema::default().with_format(StringFormat::Email).with_default(proposed).into();
        assert_eq!(default(&mail("a@b.example")), Some(json!("a@b.example")));
        assert_eq!(default(&mail("none")), None);
    }

    #[test]
    fn the_answer_to_a_wrong_text_says_what_would_be_right() {
        let mail = PrimitiveSchema::from(StringSchema::default().with_format(StringFormat::Email));
        let some = MultiSelectSchema::new(Choices::plain(["a", "b"])).with_items(1, 2).into();
        let whole = NumberSchema::integer().with_minimum(1).into();
        for (field, typed, said) in [
            (&mail, "a.b", "it must be an e-mail address"),
            (&whole, "old", "it must be a whole number of at least 1"),
            (&BooleanSchema::default().into(), "perhaps", "it must be yes or no"),
            (&some, "", "it must be 1 to 2 of the choices, with commas between them"),
            (&some, "c", "\"c\" is none of the choices"),
        ] {
            assert_eq!(read(field, typed), Err(said.to_owned()));
        }
    }
}
