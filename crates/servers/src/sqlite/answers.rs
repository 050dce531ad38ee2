//! How the original answers where no tool does: clients see these texts, so a drop-in server keeps them.

use std::sync::Arc;

use jackfield::middleware::MethodName;
use jackfield::middleware::{Incoming, Next, Reply};
use jackfield::protocol::code;
use jackfield::protocol::{CallToolResult, ErrorObject, Method, Outcome};
use jackfield::server::{ToolEntry, Validation};
use serde_json::Value;

use super::python_text;
use crate::handshake;
use crate::shape::{Shape, is_of};

/// Gives a tool the texts about bad arguments, and its `isError: false`.
pub(super) fn tool(mut entry: ToolEntry) -> ToolEntry {
    entry.validation = Validation::Off;
    entry.known_input = true;
    let shape = Arc::new(Shape::of(entry.definition.input_schema.get()));
    entry.with_middleware(move |arguments, cx, next| {
        let shape = shape.clone();
        async move {
            let problem = problem(&shape, &serde_json::from_slice(&arguments).unwrap_or_default());
            if let Some(problem) = problem {
                return Ok(Outcome::Complete(CallToolResult::failure(format!("Input validation error: {problem}"))));
            }
            let done = next.run(arguments, cx).await?;
            Ok(done.map(|mut result| {
                result.is_error.get_or_insert(false);
                result
            }))
        }
    })
}

/// Returns the first problem.
fn problem(shape: &Shape, arguments: &Value) -> Option<String> {
    let missing = shape.required.iter().find(|name| arguments.get(name).is_none());
    if let Some(name) = missing {
        return Some(format!("'{name}' is a required property"));
    }
    let wrong = shape.properties.0.iter().find_map(|(name, shape)| {
        let (value, types) = (arguments.get(name)?, shape.types());
        let wanted = types.first().filter(|_| !types.iter().any(|known| is_of(value, known)))?;
        Some((value, *wanted))
    });
    wrong.map(|(value, wanted)| {
        let shown: String = python_text::json(value).chars().take(1000).collect();
        format!("{shown} is not of type '{wanted}'")
    })
}

/// Gives errors of the protocol the original's texts, with the codes that they should have.
pub(super) async fn answer(incoming: Incoming, next: Next) -> Reply {
    match incoming.method {
        MethodName::Known(Method::GetPrompt) => check_prompt(&incoming)?,
        MethodName::Known(Method::CallTool) if incoming.caller.revision.has_handshake() => {
            return call(incoming, next).await;
        }
        _ => {}
    }
    let mut reply = next.run(incoming).await;
    if let Some(capabilities) = handshake::capabilities(&mut reply) {
        let no = Some(false);
        capabilities.tools.get_or_insert_default().list_changed = no;
        capabilities.prompts.get_or_insert_default().list_changed = no;
        capabilities.resources.get_or_insert_default().list_changed = no;
    }
    reply.map_err(|error| match handshake::is_unknown_method(&error) {
        true => ErrorObject::new(code::METHOD_NOT_FOUND, "Method not found"),
        false => error,
    })
}

fn check_prompt(incoming: &Incoming) -> Result<(), ErrorObject> {
    let name = incoming.params.string("name")?;
    if name != super::server::PROMPT {
        let shown: String = name.chars().take(100).collect();
        return Err(ErrorObject::invalid_params(format!("Unknown prompt: {shown}")));
    }
    let arguments: Option<Value> = incoming.params.member("arguments")?;
    match arguments.as_ref().and_then(|arguments| arguments.get("topic")) {
        Some(_) => Ok(()),
        None => Err(ErrorObject::invalid_params("Missing required argument: topic")),
    }
}

/// Answers a call of an unknown tool with an ordinary result, as the original does. The newest revision wants an error.
async fn call(incoming: Incoming, next: Next) -> Reply {
    let name: String = incoming.params.string("name")?.chars().take(128).collect();
    let arguments: Option<Value> = incoming.params.member("arguments")?;
    match next.run(incoming).await {
        Err(error) if error.code == code::INVALID_PARAMS && error.message.starts_with("unknown tool") => {
            let is_empty =
                arguments.is_none_or(|arguments| arguments.as_object().is_none_or(serde_json::Map::is_empty));
            let text =
                if is_empty { "Error: Missing arguments".to_owned() } else { format!("Error: Unknown tool: {name}") };
            let mut result = CallToolResult::text(text);
            result.is_error = Some(false);
            Ok(Outcome::Complete(result.into()))
        }
        reply => reply,
    }
}
