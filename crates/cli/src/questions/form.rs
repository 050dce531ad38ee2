//! Forms that a server asks the person to fill in.

use std::collections::BTreeMap;
use std::io;

use jackfield::protocol::{ElicitAction, ElicitFormParams, ElicitResult, FormProblem, PrimitiveSchema};
use serde_json::{Map, Value};

use super::dialogue::{Dialogue, Typed};
use super::field;
use crate::show::one_line;

/// What was filled in, and what the command line says about it.
type Content = Map<String, Value>;

/// Fills in a form from the answers of the command line alone. The error says why that is not possible.
pub(crate) fn fill_silently(
    form: &ElicitFormParams,
    answers: &BTreeMap<String, String>,
) -> Result<ElicitResult, String> {
    if answers.is_empty() {
        return Err("nobody is there to be asked, and no --answer is given".to_owned());
    }
    let mut content = given(form, answers)?;
    for (name, schema) in &form.requested_schema.properties {
        if let (None, Some(default)) = (content.get(name), field::default(schema)) {
            content.insert(name.clone(), default);
        }
    }
    let Err(problems) = form.requested_schema.check(&content) else {
        return Ok(ElicitResult::new(ElicitAction::Accept).with_content(content));
    };
    // What was given fits, and so do the defaults: fields are missing, or the form is at odds with itself.
    let missing = problems.iter().map(|problem| match problem {
        FormProblem::Missing { field } => one_line(field).into_owned(),
        other => one_line(&other.to_string()).into_owned(),
    });
    let missing: Vec<String> = missing.collect();
    Err(format!("nobody is there to be asked, and there is no --answer for {}", missing.join(", ")))
}

/// Returns the answers of the command line that belong to the form.
fn given(form: &ElicitFormParams, answers: &BTreeMap<String, String>) -> Result<Content, String> {
    let mut content = Map::new();
    for (name, schema) in &form.requested_schema.properties {
        if let Some(text) = answers.get(name) {
            let value = field::read(schema, text).map_err(|what| format!("--answer {}: {what}", one_line(name)))?;
            content.insert(name.clone(), value);
        }
    }
    Ok(content)
}

const HELP: &str = "Enter alone takes the default or leaves the field out. :decline says no, :cancel stops without an answer, \
:skip leaves a field out, :back goes to the field before.";

/// Asks the person field by field, then shows everything once more before it is sent.
pub(crate) fn fill(
    dialogue: &mut Dialogue<'_>,
    who: &str,
    form: &ElicitFormParams,
    answers: &BTreeMap<String, String>,
) -> io::Result<ElicitResult> {
    dialogue.say(&dialogue.style.heading(&format!("\n{} asks you to fill in a form:", one_line(who))))?;
    dialogue.quote(&form.message)?;
    dialogue.say(&dialogue.style.aside(HELP))?;
    let mut content = match given(form, answers) {
        Ok(content) => content,
        Err(what) => {
            dialogue.say(&dialogue.style.warning(&what))?;
            Map::new()
        }
    };
    let mut open: Vec<usize> = (0..form.requested_schema.properties.len()).collect();
    open.retain(|place| !content.contains_key(&form.requested_schema.properties[*place].0));
    loop {
        match ask_all(dialogue, form, &mut content, &open)? {
            Step::Done => {}
            Step::End(action) => return Ok(ElicitResult::new(action)),
        }
        match review(dialogue, form, &content)? {
            Review::Send => return Ok(ElicitResult::new(ElicitAction::Accept).with_content(content)),
            Review::Edit => open = (0..form.requested_schema.properties.len()).collect(),
            Review::End(action) => return Ok(ElicitResult::new(action)),
        }
    }
}

enum Step {
    Done,
    End(ElicitAction),
}

fn ask_all(
    dialogue: &mut Dialogue<'_>,
    form: &ElicitFormParams,
    content: &mut Content,
    open: &[usize],
) -> io::Result<Step> {
    let mut at = 0;
    while let Some(place) = open.get(at) {
        let (name, schema) = &form.requested_schema.properties[*place];
        let required = form.requested_schema.required.iter().flatten().any(|one| one == name);
        match ask_field(dialogue, name, schema, required, content.get(name))? {
            Field::Value(value) => {
                content.insert(name.clone(), value);
                at += 1;
            }
            Field::LeftOut => {
                content.remove(name);
                at += 1;
            }
            Field::Back => at = at.saturating_sub(1),
            Field::End(action) => return Ok(Step::End(action)),
        }
    }
    Ok(Step::Done)
}

enum Field {
    Value(Value),
    LeftOut,
    Back,
    End(ElicitAction),
}

/// Asks for one field until the answer fits.
fn ask_field(
    dialogue: &mut Dialogue<'_>,
    name: &str,
    schema: &PrimitiveSchema,
    required: bool,
    known: Option<&Value>,
) -> io::Result<Field> {
    introduce(dialogue, name, schema, required)?;
    let default = known.cloned().or_else(|| field::default(schema));
    let shown = default.as_ref().map(|value| format!(" [{}]", one_line(&plain(value)))).unwrap_or_default();
    loop {
        let line = match dialogue.ask(&format!("{}{shown}: ", one_line(name)))? {
            Typed::End => return Ok(Field::End(ElicitAction::Cancel)),
            Typed::Line(line) => line,
        };
        let text = match line.trim() {
            ":decline" => return Ok(Field::End(ElicitAction::Decline)),
            ":cancel" => return Ok(Field::End(ElicitAction::Cancel)),
            ":back" => return Ok(Field::Back),
            ":help" => {
                dialogue.say(HELP)?;
                continue;
            }
            ":skip" if !required => return Ok(Field::LeftOut),
            "" | ":skip" => match (&default, required) {
                (Some(default), _) if line.trim().is_empty() => return Ok(Field::Value(default.clone())),
                (_, false) => return Ok(Field::LeftOut),
                (_, true) => {
                    dialogue
                        .say(&dialogue.style.warning("this field is required; :decline says no to the whole form"))?;
                    continue;
                }
            },
            // A text that begins with a colon is written with two of them.
            _ => line.strip_prefix(':').filter(|rest| rest.starts_with(':')).unwrap_or(&line),
        };
        match field::read(schema, text) {
            Ok(value) => return Ok(Field::Value(value)),
            Err(what) => dialogue.say(&dialogue.style.warning(&one_line(&what)))?,
        }
    }
}

fn introduce(dialogue: &mut Dialogue<'_>, name: &str, schema: &PrimitiveSchema, required: bool) -> io::Result<()> {
    let (title, description) = field::words(schema);
    let mark = if required { ", required" } else { "" };
    let title = one_line(title.unwrap_or(name)).into_owned();
    dialogue.say(&format!("\n{} ({}{mark})", dialogue.style.name(&title), field::kind(schema)))?;
    if let Some(description) = description {
        dialogue.quote(description)?;
    }
    for (place, (value, title)) in field::choices(schema).into_iter().enumerate() {
        let title = title.filter(|title| *title != value).map(|title| format!("  {}", one_line(title)));
        dialogue.say(&format!("  {}. {}{}", place + 1, one_line(value), title.unwrap_or_default()))?;
    }
    Ok(())
}

enum Review {
    Send,
    Edit,
    End(ElicitAction),
}

fn review(dialogue: &mut Dialogue<'_>, form: &ElicitFormParams, content: &Content) -> io::Result<Review> {
    dialogue.say(&dialogue.style.heading("\nThis will be sent to the server:"))?;
    if content.is_empty() {
        dialogue.say("  (nothing is filled in)")?;
    }
    for (name, _) in &form.requested_schema.properties {
        if let Some(value) = content.get(name) {
            dialogue.say(&format!("  {}: {}", one_line(name), one_line(&plain(value))))?;
        }
    }
    loop {
        match dialogue.ask("Send it? [y]es, [e]dit, [d]ecline, [c]ancel: ")? {
            Typed::End => return Ok(Review::End(ElicitAction::Cancel)),
            Typed::Line(line) => match line.trim().trim_start_matches(':').to_ascii_lowercase().as_str() {
                "y" | "yes" => return Ok(Review::Send),
                "e" | "edit" | "back" => return Ok(Review::Edit),
                "n" | "no" | "d" | "decline" => return Ok(Review::End(ElicitAction::Decline)),
                "c" | "cancel" => return Ok(Review::End(ElicitAction::Cancel)),
                _ => {}
            },
        }
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
