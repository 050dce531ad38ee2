//! The arguments of tools and prompts, from the words of a command line.

mod typed;
mod word;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jackfield::protocol::{Prompt, Tool};
use serde_json::{Map, Value};

use crate::failure::{Failure, likely};
use crate::show::{Parameter, one_line, parameters, resolved};
pub(crate) use typed::{boolean, integer, number};
use typed::{takes, typed, typed_list};
pub(crate) use word::{Given, Word};

/// Makes the arguments of a tool. `-` is the JSON object in `input`, sent as it is; other words add to it.
pub(crate) fn of_tool(tool: &Tool, words: &[String], input: &str) -> Result<Map<String, Value>, Failure> {
    let mut arguments = Map::new();
    let from_input = words.iter().any(|word| word == "-");
    if from_input {
        arguments = object(input)?;
    }
    let words = words.iter().filter(|word| *word != "-").map(|word| Word::read(word));
    let words = words.collect::<Result<Vec<_>, _>>().map_err(|failure| failure.hint(usage(tool)))?;
    let takes = Takes::of(tool);
    for (name, values) in grouped(words) {
        let value = takes.value(&name, values).map_err(|what| {
            Failure::usage(format!("the argument {name} of {} {what}", one_line(&tool.name))).hint(usage(tool))
        })?;
        arguments.insert(name, value);
    }
    // What came as JSON goes to the server as it is, also to see what the server says to it.
    let missing = takes.named.iter().filter(|p| p.required && !arguments.contains_key(&p.name));
    let missing: Vec<&str> = missing.map(|parameter| parameter.name.as_str()).collect();
    if !missing.is_empty() && !from_input {
        let what = format!("{} needs the argument {}", one_line(&tool.name), missing.join(", "));
        return Err(Failure::usage(what).hint(usage(tool)));
    }
    Ok(arguments)
}

/// Makes the arguments of a prompt, which are texts.
pub(crate) fn of_prompt(prompt: &Prompt, words: &[String]) -> Result<BTreeMap<String, String>, Failure> {
    let named = prompt.arguments.as_deref().unwrap_or_default();
    let names: Vec<&str> = named.iter().map(|argument| argument.name.as_str()).collect();
    let hint = if names.is_empty() {
        format!("{} takes no arguments", one_line(&prompt.name))
    } else {
        format!("{} takes {}", one_line(&prompt.name), one_line(&names.join(", ")))
    };
    let arguments = texts(words).map_err(|failure| failure.hint(hint.clone()))?;
    if let Some(unknown) = arguments.keys().find(|name| !names.contains(&name.as_str())) {
        let meant = likely(unknown, names.iter().copied()).map(|name| format!("did you mean {name}?"));
        let what = format!("the prompt {} has no argument {unknown}", one_line(&prompt.name));
        return Err(Failure::usage(what).hint_if(meant).hint(hint));
    }
    let needed = named.iter().filter(|argument| argument.required == Some(true));
    if let Some(missing) = needed.into_iter().find(|argument| !arguments.contains_key(&argument.name)) {
        let what = format!("the prompt {} needs the argument {}", one_line(&prompt.name), one_line(&missing.name));
        return Err(Failure::usage(what).hint(hint));
    }
    Ok(arguments)
}

/// Reads words `name=text` and `name=@file`.
pub(crate) fn texts(words: &[String]) -> Result<BTreeMap<String, String>, Failure> {
    let mut out = BTreeMap::new();
    for word in words {
        let Word { name, given } = Word::read(word)?;
        let text = match given {
            Given::Text(text) => text,
            Given::File(path) => {
                String::from_utf8(content(&path).map_err(|what| Failure::usage(format!("{name} {what}")))?)
                    .map_err(|_| Failure::usage(format!("{name}: {} is not text", path.display())))?
            }
            Given::Json(_) | Given::JsonFile(_) => {
                return Err(Failure::usage(format!("{name} takes text, not JSON")).hint(format!("write {name}=text")));
            }
        };
        if out.insert(name.clone(), text).is_some() {
            return Err(Failure::usage(format!("{name} is given twice")));
        }
    }
    Ok(out)
}

/// Says how a tool is called.
pub(crate) fn usage(tool: &Tool) -> String {
    let parameters = parameters(&tool.input_schema);
    let name = one_line(&tool.name);
    if parameters.is_empty() {
        return format!("{name} names no arguments");
    }
    let mut out = format!("{name} takes:");
    for parameter in &parameters {
        let about =
            parameter.description().map(|about| format!("  {}", one_line(about.lines().next().unwrap_or(about))));
        let _ = write!(
            out,
            "\n  {}  {}{}",
            one_line(&parameter.name),
            one_line(&parameter.rules()),
            about.unwrap_or_default()
        );
    }
    out
}

/// The values of each name, in the order in which the names were first given.
fn grouped(words: Vec<Word>) -> Vec<(String, Vec<Given>)> {
    let mut out: Vec<(String, Vec<Given>)> = Vec::new();
    for Word { name, given } in words {
        match out.iter_mut().find(|(known, _)| *known == name) {
            Some((_, values)) => values.push(given),
            None => out.push((name, vec![given])),
        }
    }
    out
}

/// What a tool takes.
struct Takes {
    named: Vec<Parameter>,
    /// The schema of arguments that are not named; none if there must not be any.
    others: Option<Value>,
}

impl Takes {
    fn of(tool: &Tool) -> Self {
        let root = tool.input_schema.to_value();
        let named = parameters(&tool.input_schema);
        let others = match &root["additionalProperties"] {
            schema @ Value::Object(_) => Some(resolved(schema, &root)),
            Value::Bool(true) => Some(Value::Null),
            // Nothing is said about any argument at all.
            Value::Null if root.get("properties").is_none() => Some(Value::Null),
            _ if root.get("patternProperties").is_some() => Some(Value::Null),
            _ => None,
        };
        Self { named, others }
    }

    /// Makes the value of an argument. The error is the end of a sentence that begins with the argument.
    fn value(&self, name: &str, values: Vec<Given>) -> Result<Value, String> {
        let own = self.named.iter().find(|parameter| parameter.name == name).map(|parameter| &parameter.schema);
        let Some(schema) = own.or(self.others.as_ref()) else {
            let names = self.named.iter().map(|parameter| parameter.name.as_str());
            let meant = likely(name, names).map(|meant| format!("; did you mean {meant}?")).unwrap_or_default();
            return Err(format!("does not exist{meant}"));
        };
        let mut texts = Vec::new();
        let several = values.len() > 1;
        for value in values {
            match value {
                Given::Text(text) => texts.push(text),
                _ if several => return Err("is given more than once; only name=value may be repeated".to_owned()),
                Given::File(path) => return of_file(schema, &path),
                Given::Json(text) => return json(&text),
                Given::JsonFile(path) => {
                    let text = String::from_utf8(content(&path)?);
                    return json(&text.map_err(|_| format!("cannot be read: {} is not text", path.display()))?);
                }
            }
        }
        let value = match texts.as_slice() {
            [text] => typed(schema, text),
            texts => typed_list(schema, texts),
        };
        value.map_err(|what| format!("does not fit: {what}"))
    }
}

fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("is not JSON: {error}"))
}

/// The content of a file as a value: text where the schema takes text, base64 where it says so, else JSON.
fn of_file(schema: &Value, path: &Path) -> Result<Value, String> {
    let bytes = content(path)?;
    if schema["contentEncoding"] == "base64" {
        return Ok(Value::String(STANDARD.encode(bytes)));
    }
    let text = String::from_utf8(bytes).map_err(|_| format!("cannot be read: {} is not text", path.display()))?;
    let is_text = takes(schema, "string") || schema.get("type").is_none() && schema.get("anyOf").is_none();
    if is_text {
        return Ok(Value::String(text));
    }
    typed(schema, text.trim()).map_err(|what| format!("does not fit: {what}"))
}

fn content(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("cannot be read from {}: {error}", path.display()))
}

fn object(text: &str) -> Result<Map<String, Value>, Failure> {
    serde_json::from_str(text).map_err(|error| {
        Failure::usage("standard input is not a JSON object")
            .why(error.to_string())
            .hint("pipe {\"name\": value, …} into it")
    })
}

#[cfg(test)]
mod tests {
    use jackfield::protocol::{PromptArgument, Schema};
    use serde_json::json;

    use super::*;

    fn tool(schema: Value) -> Tool {
        Tool::new("t", Schema::new(&schema).unwrap())
    }

    fn call(tool: &Tool, words: &[&str], input: &str) -> Result<String, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        of_tool(tool, &words, input)
            .map(|arguments| Value::Object(arguments).to_string())
            .map_err(|failure| failure.message())
    }

    fn sum() -> Tool {
        tool(json!({"type": "object", "required": ["a", "b"],
            "properties": {"a": {"type": "number", "description": "The first."}, "b": {"type": "number"},
                           "tags": {"type": "array", "items": {"type": "string"}}}}))
    }

    #[test]
    fn words_are_typed_by_the_schema() {
        assert_eq!(call(&sum(), &["a=2", "b=3.5"], "").unwrap(), r#"{"a":2,"b":3.5}"#);
        assert_eq!(
            call(&sum(), &["a:=2", "b=3", "tags=x", "tags=y,z"], "").unwrap(),
            r#"{"a":2,"b":3,"tags":["x","y,z"]}"#
        );
    }

    #[test]
    fn mistakes_name_the_arguments_of_the_tool() {
        for (words, part) in [
            (&["a=2", "c=3"][..], "the argument c of t does not exist"),
            (&["a=2", "B=3"], "did you mean b?"),
            (&["a=two", "b=3"], r#"the argument a of t does not fit: "two" is not number"#),
            (&["a=", "b=3"], r#"does not fit: "" is not number"#),
            (&["a=null", "b=3"], "for a real null write :=null"),
            (&["a=2"], "t needs the argument b"),
            (&["a=2", "a=3", "b=1"], "takes one value"),
            (&["a:={", "b=1"], "is not JSON"),
            (&["a:=1", "a=2", "b=1"], "more than once"),
            (&["a=@/no/such/file", "b=1"], "cannot be read from /no/such/file"),
            (&["plain"], "is not an argument"),
        ] {
            let error = call(&sum(), words, "").unwrap_err();
            assert!(error.contains(part), "{words:?}: {error}");
            assert!(error.contains("a  number, required  The first."), "{words:?}: {error}");
        }
    }

    #[test]
    fn json_on_standard_input_is_sent_as_it_is() {
        assert_eq!(call(&sum(), &["-"], r#"{"a":null,"x":[]}"#).unwrap(), r#"{"a":null,"x":[]}"#);
        assert_eq!(call(&sum(), &["-", "b=1"], r#"{"a":1,"b":2}"#).unwrap(), r#"{"a":1,"b":1}"#);
        for input in ["", "[]", "null", "{"] {
            assert!(call(&sum(), &["-"], input).unwrap_err().contains("not a JSON object"), "{input}");
        }
    }

    #[test]
    fn what_a_schema_leaves_open_is_open() {
        let open = tool(json!({"type": "object", "additionalProperties": {"type": "integer"}}));
        assert_eq!(call(&open, &["x=1"], "").unwrap(), r#"{"x":1}"#);
        assert!(call(&open, &["x=y"], "").is_err());
        assert_eq!(call(&tool(json!({"type": "object"})), &["x=1"], "").unwrap(), r#"{"x":"1"}"#);
        assert!(call(&tool(json!({"type": "object", "properties": {}})), &["x=1"], "").is_err());
    }

    #[test]
    fn prompts_take_texts() {
        let mut city = PromptArgument::new("city");
        city.required = Some(true);
        let prompt = Prompt::new("p").with_arguments(vec![city, PromptArgument::new("state")]);
        let get = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            of_prompt(&prompt, &words).map_err(|failure| failure.message())
        };
        assert_eq!(get(&["city=5"]).unwrap()["city"], "5");
        for (words, part) in [
            (&["state=x"][..], "needs the argument city"),
            (&["city=a", "stat=x"], "did you mean state?"),
            (&["city:=1"], "takes text"),
            (&["city=a", "city=b"], "twice"),
        ] {
            let error = get(words).unwrap_err();
            assert!(
                error.contains(part) && error.contains("p takes city, state") || error.contains("write city="),
                "{error}"
            );
        }
    }
}
