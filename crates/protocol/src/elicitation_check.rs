//! Whether what was filled in is what a form asks for: the one place of these rules, for those who ask, those who answer, and the
//! one who types.

use std::collections::HashSet;
use std::fmt::{self, Display};

use serde_json::Value;

use crate::{ElicitSchema, JsonObject, PrimitiveSchema, number};

/// What is wrong with one field of an answer. It says what would be right, and never what was filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormProblem {
    /// The field must be filled in, and is not.
    Missing {
        /// The field.
        field: String,
    },
    /// The form has no such field.
    Unknown {
        /// The field.
        field: String,
    },
    /// The value is not one that the field takes.
    Unfit {
        /// The field.
        field: String,
        /// What the field takes, as [`PrimitiveSchema::takes`] says it.
        takes: String,
    },
}

impl Display for FormProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { field } => write!(f, "`{field}` is missing, but required"),
            Self::Unknown { field } => write!(f, "`{field}` is not a field of the form"),
            Self::Unfit { field, takes } => write!(f, "`{field}` must be {takes}"),
        }
    }
}

impl std::error::Error for FormProblem {}

impl ElicitSchema {
    /// Returns a field by its name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&PrimitiveSchema> {
        self.properties.iter().find(|(known, _)| known == name).map(|(_, field)| field)
    }

    /// Returns the names of all fields, for whoever looks for many.
    #[must_use]
    pub fn names(&self) -> HashSet<&str> {
        self.properties.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// Checks that an accepted answer is what the form asks for: every required field is filled in, each value fits its field, and
    /// nothing else is there. `null` is no value.
    ///
    /// # Errors
    /// All that is wrong, in the order of the form; what it does not know comes last.
    pub fn check(&self, content: &JsonObject) -> Result<(), Vec<FormProblem>> {
        // Form and answer come from others, and both may be long: nothing is searched for once more for each field.
        let described = self.names();
        let required: HashSet<&str> = self.required.iter().flatten().map(String::as_str).collect();
        let known = self.properties.iter().filter_map(|(name, field)| match content.get(name) {
            Some(value) if field.accepts(value) => None,
            None if !required.contains(name.as_str()) => None,
            None => Some(FormProblem::Missing { field: name.clone() }),
            Some(_) => Some(FormProblem::Unfit { field: name.clone(), takes: field.takes() }),
        });
        // A form may require a field that it forgot to describe; no answer can be right then.
        let undescribed = self.required.iter().flatten();
        let undescribed = undescribed
            .filter(|name| !described.contains(name.as_str()) && !content.contains_key(*name))
            .map(|name| FormProblem::Missing { field: name.clone() });
        let unknown = content.keys().filter(|name| !described.contains(name.as_str()));
        let unknown = unknown.map(|name| FormProblem::Unknown { field: name.clone() });
        let problems: Vec<_> = known.chain(undescribed).chain(unknown).collect();
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }
}

impl PrimitiveSchema {
    /// Whether a value is one that the field takes. A `pattern` is not looked at: it is an expression of somebody else's making, which
    /// may take for ever.
    #[must_use]
    pub fn accepts(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Boolean(_), Value::Bool(_)) => true,
            (Self::String(field), Value::String(text)) => {
                is_within(text.chars().count() as u64, field.min_length, field.max_length)
                    && field.format.is_none_or(|format| format.accepts(text))
            }
            (Self::Number(field), Value::Number(number)) => number.as_f64().is_some_and(|number| {
                (!field.integer || number.fract() == 0.0) && is_within(number, field.minimum, field.maximum)
            }),
            (Self::SingleSelect(field), Value::String(choice)) => field.choices.values().any(|known| known == choice),
            (Self::MultiSelect(field), Value::Array(chosen)) => {
                let choices: HashSet<&str> = field.choices.values().collect();
                is_within(chosen.len() as u64, field.min_items, field.max_items)
                    && chosen.iter().all(|choice| choice.as_str().is_some_and(|choice| choices.contains(choice)))
            }
            _ => false,
        }
    }

    /// Says for people what the field takes, such as `a whole number from 1 to 9`.
    #[must_use]
    pub fn takes(&self) -> String {
        match self {
            Self::String(field) => {
                let kind = field.format.map_or("a text", |format| format.takes());
                let mut takes = match amount(field.min_length, field.max_length) {
                    Some(length) => format!("{kind} of {length} characters"),
                    None => kind.to_owned(),
                };
                if let Some(pattern) = &field.pattern {
                    takes.push_str(" that matches ");
                    takes.push_str(&readable(pattern));
                }
                takes
            }
            Self::Number(field) => {
                let kind = if field.integer { "a whole number" } else { "a number" };
                match (field.minimum, field.maximum) {
                    (Some(least), Some(most)) => format!("{kind} from {least} to {most}"),
                    (least, most) => amount(least, most).map_or(kind.to_owned(), |range| format!("{kind} of {range}")),
                }
            }
            Self::Boolean(_) => "true or false".to_owned(),
            Self::SingleSelect(_) => "one of the choices".to_owned(),
            Self::MultiSelect(field) => {
                let count = amount(field.min_items, field.max_items);
                format!("{} of the choices", count.as_deref().unwrap_or("any"))
            }
        }
    }

    /// Returns what is filled in at first. It need not be a value that the field takes.
    #[must_use]
    pub fn default_value(&self) -> Option<Value> {
        match self {
            Self::String(field) => field.default.clone().map(Value::from),
            Self::Number(field) => field.default.map(number::value),
            Self::Boolean(field) => field.default.map(Value::from),
            Self::SingleSelect(field) => field.default.clone().map(Value::from),
            Self::MultiSelect(field) => field.default.clone().map(Value::from),
        }
    }
}

fn is_within<T: PartialOrd>(value: T, least: Option<T>, most: Option<T>) -> bool {
    least.is_none_or(|least| value >= least) && most.is_none_or(|most| value <= most)
}

/// The longest part of a pattern that is shown.
const SHOWN: usize = 200;

/// Shows a text of somebody else to people: not without end, and nothing in it is more than letters to a terminal.
fn readable(text: &str) -> String {
    let mut shown = String::new();
    for c in text.chars().take(SHOWN) {
        match c {
            '\\' | '"' | '\'' => shown.push(c),
            _ => shown.extend(c.escape_debug()),
        }
    }
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

/// Says which amounts are allowed; none if all are.
fn amount<T: Display>(least: Option<T>, most: Option<T>) -> Option<String> {
    match (least, most) {
        (Some(least), Some(most)) => Some(format!("{least} to {most}")),
        (Some(least), None) => Some(format!("at least {least}")),
        (None, Some(most)) => Some(format!("at most {most}")),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// In the order of the text.
    const FORM: &str = r#"{
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 2, "maxLength": 3},
            "mail": {"type": "string", "format": "email", "maxLength": 9},
            "age": {"type": "integer", "minimum": 1, "maximum": 9},
            "size": {"type": "number", "minimum": 0.5},
            "yes": {"type": "boolean"},
            "one": {"type": "string", "oneOf": [{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]},
            "old": {"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"]},
            "many": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"type": "string", "enum": ["a", "b", "c"]}}
        },
        "required": ["name", "yes"]
    }"#;

    fn form() -> ElicitSchema {
        serde_json::from_str(FORM).unwrap()
    }

    fn problems(content: &Value) -> Vec<String> {
        let found = form().check(content.as_object().unwrap()).err().unwrap_or_default();
        found.iter().map(ToString::to_string).collect()
    }

    fn good() -> Value {
        json!({
            "name": "äb", "mail": "a@b.c", "age": 9.0, "size": 0.5, "yes": false, "one": "b", "old": "a", "many": ["c", "a"],
        })
    }

    /// CLI-075, CLI-091, CLI-092: each value is what its field asks for, or the answer says what would be.
    #[test]
    fn each_field_is_checked() {
        assert_eq!(problems(&good()), [""; 0]);
        for (field, bad, takes) in [
            ("name", json!(["a", "abcd", 1, null, ["ab"]]), "a text of 2 to 3 characters"),
            ("mail", json!(["a", "a@b.example", true]), "an e-mail address of at most 9 characters"),
            ("age", json!([0, 10, 1.5, "1", null]), "a whole number from 1 to 9"),
            ("size", json!([0.4, -1, "1", {}]), "a number of at least 0.5"),
            ("yes", json!(["yes", 1, null]), "true or false"),
            ("one", json!(["A", "", 1, ["a"]]), "one of the choices"),
            ("old", json!(["A", "c", false]), "one of the choices"),
            ("many", json!([[], ["a", "b", "c"], ["x"], ["a", 1], "a", {"0": "a"}]), "1 to 2 of the choices"),
        ] {
            for bad in bad.as_array().unwrap() {
                let mut content = good();
                content[field] = bad.clone();
                assert_eq!(problems(&content), [format!("`{field}` must be {takes}")], "{bad}");
            }
        }
    }

    /// CLI-075, CLI-091, CLI-092: what must be there is, and nothing else; all problems are told at once, in the form's order.
    #[test]
    fn every_problem_is_told() {
        let content = json!({ "zip": 1, "age": 0, "mail": "x", "yes": true });
        let expected = [
            "`name` is missing, but required",
            "`mail` must be an e-mail address of at most 9 characters",
            "`age` must be a whole number from 1 to 9",
            "`zip` is not a field of the form",
        ];
        assert_eq!(problems(&content), expected);
        let mut form = form();
        form.required.get_or_insert_default().push("forgotten".to_owned());
        let forgotten = FormProblem::Missing { field: "forgotten".to_owned() };
        assert_eq!(form.check(good().as_object().unwrap()), Err(vec![forgotten]));
    }

    /// A form and its answer are as long as a message may be. This would take hours if each field were searched for.
    #[test]
    fn a_long_form_is_checked_in_one_pass() {
        const FIELDS: usize = 200_000;
        let mut form = ElicitSchema::new();
        for place in 0..FIELDS {
            form = form.with_required(format!("field {place}"), crate::BooleanSchema::default());
        }
        let problems = form.check(&JsonObject::new()).unwrap_err();
        assert_eq!(problems.len(), FIELDS);
        assert!(problems.iter().all(|problem| matches!(problem, FormProblem::Missing { .. })));
        let strange: JsonObject = (0..FIELDS).map(|place| (format!("other {place}"), Value::Null)).collect();
        assert_eq!(form.check(&strange).unwrap_err().len(), 2 * FIELDS);

        let choices: Vec<String> = (0..FIELDS).map(|place| place.to_string()).collect();
        let field = PrimitiveSchema::from(crate::MultiSelectSchema::new(crate::Choices::plain(&choices)));
        assert!(field.accepts(&choices.into()));
    }

    /// What a text has to match is told to the person, and reaches a terminal as letters only.
    #[test]
    fn a_pattern_is_shown_and_not_evaluated() {
        let field = |pattern: &str| {
            let field = json!({ "type": "string", "maxLength": 3, "pattern": pattern });
            serde_json::from_value::<PrimitiveSchema>(field).unwrap()
        };
        let plain = field(r#"^[A-Z]\d"ä"+$"#);
        assert_eq!(plain.takes(), r#"a text of at most 3 characters that matches ^[A-Z]\d"ä"+$"#);
        assert!(plain.accepts(&json!("no")));
        assert_eq!(serde_json::to_value(&plain).unwrap()["pattern"], r#"^[A-Z]\d"ä"+$"#, "it is passed on");
        let shown = field("\u{1b}[2J\n\u{202e}").takes();
        assert!(shown.ends_with(r"matches \u{1b}[2J\n\u{202e}"), "{shown}");
        let long = field(&"x".repeat(SHOWN + 1)).takes();
        assert!(long.ends_with("x…") && long.chars().count() < SHOWN + 60, "{long}");
    }

    #[test]
    fn a_field_says_what_it_takes_and_begins_with() {
        let said = |field: Value| {
            let field: PrimitiveSchema = serde_json::from_value(field).unwrap();
            (field.takes(), field.default_value().unwrap_or_default())
        };
        let any = json!({ "type": "string", "enum": ["a"] });
        for (field, takes, default) in [
            (json!({ "type": "string" }), "a text", json!(null)),
            (
                json!({ "type": "string", "minLength": 1, "default": "x" }),
                "a text of at least 1 characters",
                json!("x"),
            ),
            (json!({ "type": "string", "format": "date" }), "a date such as 2000-12-31", json!(null)),
            (json!({ "type": "number", "default": 1.5 }), "a number", json!(1.5)),
            (json!({ "type": "integer", "maximum": 3, "default": 2.0 }), "a whole number of at most 3", json!(2)),
            (json!({ "type": "boolean", "default": true }), "true or false", json!(true)),
            (json!({ "type": "array", "items": any, "default": ["a"] }), "any of the choices", json!(["a"])),
            (json!({ "type": "array", "items": any, "maxItems": 1 }), "at most 1 of the choices", json!(null)),
        ] {
            assert_eq!(said(field), (takes.to_owned(), default));
        }
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let text = prop_oneof![Just("a".to_owned()), Just("b".to_owned()), Just("a@b".to_owned()), ".{0,4}"];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-2i64..12).prop_map(Value::from),
            (-2.0..12.0).prop_map(Value::from),
            text.prop_map(Value::from),
        ];
        leaf.prop_recursive(1, 4, 4, |inner| prop::collection::vec(inner, 0..4).prop_map(Value::from))
    }

    proptest! {
        /// An answer is right exactly if each of its fields is, taken alone.
        #[test]
        fn the_whole_is_as_right_as_its_fields(content in prop::collection::btree_map("name|mail|age|yes|many|zip", any_value(), 0..6)) {
            let form = form();
            let content: JsonObject = content.into_iter().collect();
            let fields = content.iter().all(|(name, value)| form.field(name).is_some_and(|field| field.accepts(value)));
            let complete = content.contains_key("name") && content.contains_key("yes");
            prop_assert_eq!(form.check(&content).is_ok(), fields && complete);
        }

        /// What is wrong is told without what was filled in, which may be nobody else's business.
        #[test]
        fn problems_do_not_repeat_the_answer(secret in "[XYZ]{8}") {
            let content = json!({ "name": secret, "mail": secret, "age": secret, "one": secret, "many": [secret] });
            let told = problems(&content);
            prop_assert_eq!(told.len(), 6);
            prop_assert!(!told.join("").contains(&secret));
        }
    }
}
