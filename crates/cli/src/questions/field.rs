//! One field of a form: what it takes, and whether a text fits.

use jackfield::protocol::{Choices, MultiSelectSchema, NumberSchema, PrimitiveSchema, StringFormat, StringSchema};
use serde_json::Value;

use crate::arguments::{boolean, integer, number};

/// Reads a text as the value of a field. The error says what would fit.
pub(crate) fn read(field: &PrimitiveSchema, text: &str) -> Result<Value, String> {
    match field {
        PrimitiveSchema::String(rules) => string(rules, text).map(Value::String),
        PrimitiveSchema::Number(rules) => self::rules(rules, text),
        PrimitiveSchema::Boolean(_) => boolean(text.trim()).map(Value::Bool).ok_or_else(|| "type yes or no".to_owned()),
        PrimitiveSchema::SingleSelect(rules) => choice(&rules.choices, text.trim()).map(Value::String),
        PrimitiveSchema::MultiSelect(rules) => several(rules, text),
        _ => Err("this version does not know fields of this kind".to_owned()),
    }
}

/// Returns what is filled in at first.
pub(crate) fn default(field: &PrimitiveSchema) -> Option<Value> {
    match field {
        PrimitiveSchema::String(rules) => rules.default.clone().map(Value::from),
        PrimitiveSchema::Number(rules) => {
            rules.default.and_then(|default| number(&default.to_string())).map(Value::Number)
        }
        PrimitiveSchema::Boolean(rules) => rules.default.map(Value::from),
        PrimitiveSchema::SingleSelect(rules) => rules.default.clone().map(Value::from),
        PrimitiveSchema::MultiSelect(rules) => rules.default.clone().map(Value::from),
        _ => None,
    }
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

/// Says what kind of value a field takes.
pub(crate) fn kind(field: &PrimitiveSchema) -> String {
    match field {
        PrimitiveSchema::String(rules) => {
            let format = rules.format.map_or("text", |format| match format {
                StringFormat::Email => "e-mail address",
                StringFormat::Uri => "URI",
                StringFormat::Date => "date such as 2000-12-31",
                StringFormat::DateTime => "date and time such as 2000-12-31T23:59:00Z",
                _ => "text",
            });
            format!("{format}{}", range(rules.min_length, rules.max_length, "characters"))
        }
        PrimitiveSchema::Number(rules) => {
            let kind = if rules.integer { "whole number" } else { "number" };
            format!("{kind}{}", range(rules.minimum, rules.maximum, ""))
        }
        PrimitiveSchema::Boolean(_) => "yes or no".to_owned(),
        PrimitiveSchema::SingleSelect(_) => "one of".to_owned(),
        PrimitiveSchema::MultiSelect(rules) => {
            format!("any of, with commas between them{}", range(rules.min_items, rules.max_items, "of them"))
        }
        _ => "something unknown".to_owned(),
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

fn string(rules: &StringSchema, text: &str) -> Result<String, String> {
    let length = text.chars().count() as u64;
    if rules.min_length.is_some_and(|least| length < least) || rules.max_length.is_some_and(|most| length > most) {
        return Err(format!("it has {length} characters{}", range(rules.min_length, rules.max_length, "are allowed")));
    }
    let fits = match rules.format {
        Some(StringFormat::Email) => {
            text.split_once('@').is_some_and(|(name, host)| !name.is_empty() && !host.is_empty() && !text.contains(' '))
        }
        Some(StringFormat::Uri) => text.split_once(':').is_some_and(|(scheme, rest)| {
            scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && !rest.is_empty() && !text.contains(' ')
        }),
        Some(StringFormat::Date) => is_date(text),
        Some(StringFormat::DateTime) => {
            text.split_once(['T', 't']).is_some_and(|(date, time)| is_date(date) && is_time(time))
        }
        _ => true,
    };
    if fits { Ok(text.to_owned()) } else { Err(format!("it is no {}", kind(&PrimitiveSchema::String(rules.clone())))) }
}

fn is_date(text: &str) -> bool {
    let parts: Vec<u32> = text.split('-').filter_map(|part| part.parse().ok()).collect();
    let [year, month, day] = parts[..] else { return false };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    text.len() == 10 && (1..=days).contains(&day)
}

fn is_time(text: &str) -> bool {
    let zone = text.find(['Z', 'z', '+', '-']);
    let Some((time, zone)) = zone.map(|at| text.split_at(at)) else { return false };
    let clock = |text: &str, most: &[u32]| {
        let parts: Vec<&str> = text.split(':').collect();
        let digits = |part: &str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit());
        parts.len() == most.len()
            && parts.iter().zip(most).all(|(part, most)| digits(part) && part.parse::<u32>().is_ok_and(|n| n <= *most))
    };
    let whole = time.split_once('.').map_or(time, |(whole, _)| whole);
    clock(whole, &[23, 59, 60]) && (zone.eq_ignore_ascii_case("z") || clock(&zone[1..], &[23, 59]))
}

fn rules(rules: &NumberSchema, text: &str) -> Result<Value, String> {
    let text = text.trim();
    let value = if rules.integer { integer(text) } else { number(text) };
    let value = value.ok_or_else(|| format!("type a {}", if rules.integer { "whole number" } else { "number" }))?;
    let size = value.as_f64().unwrap_or(f64::NAN);
    if rules.minimum.is_some_and(|least| size < least) || rules.maximum.is_some_and(|most| size > most) {
        return Err(format!("type a number{}", range(rules.minimum, rules.maximum, "")));
    }
    Ok(Value::Number(value))
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

fn several(rules: &MultiSelectSchema, text: &str) -> Result<Value, String> {
    let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
    let mut chosen = words.map(|word| choice(&rules.choices, word)).collect::<Result<Vec<_>, _>>()?;
    chosen.dedup();
    let count = chosen.len() as u64;
    if rules.min_items.is_some_and(|least| count < least) || rules.max_items.is_some_and(|most| count > most) {
        return Err(format!("{count} are chosen{}", range(rules.min_items, rules.max_items, "are allowed")));
    }
    Ok(chosen.into())
}

/// Says which numbers are allowed, after a comma.
fn range<T: std::fmt::Display>(least: Option<T>, most: Option<T>, unit: &str) -> String {
    let words = match (least, most) {
        (Some(least), Some(most)) => format!(", {least} to {most} {unit}"),
        (Some(least), None) => format!(", at least {least} {unit}"),
        (None, Some(most)) => format!(", at most {most} {unit}"),
        (None, None) => String::new(),
    };
    words.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use jackfield::protocol::{BooleanSchema, SingleSelectSchema};
    use serde_json::json;

    use super::*;

    fn text(format: StringFormat) -> PrimitiveSchema {
        StringSchema::default().with_format(format).into()
    }

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
            (&some, "", None),
            (&some, "1,x", None),
        ] {
            assert_eq!(read(field, typed).ok(), value, "{typed:?}");
        }
        for (format, good, bad) in [
            (StringFormat::Email, "a@b.example", "a.b"),
            (StringFormat::Uri, "https://x", "no uri"),
            (StringFormat::Date, "2024-02-29", "2023-02-29"),
            (StringFormat::DateTime, "2024-02-29T23:59:00.5+01:00", "2024-02-29 23:59"),
            (StringFormat::DateTime, "2024-02-29T23:59:00Z", "2024-02-29T24:59:00Z"),
        ] {
            assert!(read(&text(format), good).is_ok(), "{good}");
            assert!(read(&text(format), bad).is_err(), "{bad}");
        }
    }
}
