//! Prompts, and the completion of their arguments.

use jackfield::protocol::{ContentBlock, PromptMessage, Role};
use jackfield::server::{Completing, ProtocolError};
use jackfield::{Server, prompt, prompts};

use super::resources;

pub(super) fn add(server: Server) -> Server {
    server.prompts(prompts![simple_prompt, args_prompt, completable_prompt, resource_prompt])
}

/// A prompt without arguments.
#[prompt(name = "simple-prompt", title = "Simple Prompt")]
fn simple_prompt() -> &'static str {
    "This is a simple prompt without arguments."
}

/// A prompt with a required and an optional argument.
#[prompt(name = "args-prompt", title = "Arguments Prompt")]
fn args_prompt(
    /** Name of the city. */
    city: String,
    /** Name of the state. */
    state: Option<String>,
) -> String {
    let place = match state {
        Some(state) => format!("{city}, {state}"),
        None => city,
    };
    format!("What's weather in {place}?")
}

/// Departments and their people, for completion.
const TEAMS: [(&str, [&str; 3]); 4] = [
    ("Engineering", ["Alice", "Bob", "Charlie"]),
    ("Sales", ["David", "Eve", "Frank"]),
    ("Marketing", ["Grace", "Henry", "Iris"]),
    ("Support", ["John", "Kim", "Lee"]),
];

fn beginning<'a>(names: impl IntoIterator<Item = &'a str>, prefix: &str) -> Vec<String> {
    names.into_iter().filter(|name| name.starts_with(prefix)).map(str::to_owned).collect()
}

fn complete_department(typed: &str) -> Vec<String> {
    beginning(TEAMS.iter().map(|(department, _)| *department), typed)
}

async fn complete_name(typed: Completing) -> Vec<String> {
    let department = typed.context.get("department").map(String::as_str).unwrap_or_default();
    let people =
        TEAMS.iter().find(|(name, _)| *name == department).map(|(_, people)| people.as_slice()).unwrap_or_default();
    beginning(people.iter().copied(), &typed.value)
}

/// A prompt whose second argument is completed by the first.
#[prompt(name = "completable-prompt", title = "Team Management")]
fn completable_prompt(
    /** The department. */
    #[complete(complete_department)]
    department: String,
    /** Who is to lead it. */
    #[complete(complete_name)]
    name: String,
) -> String {
    format!("Please promote {name} to the head of the {department} team.")
}

/// A prompt that carries a resource.
#[prompt(name = "resource-prompt", title = "Resource Prompt")]
fn resource_prompt(
    /** Text or Blob. */
    #[arg(rename = "resourceType")]
    #[complete("Text", "Blob")]
    resource_type: String,
    /** The number of the resource, from 1. */
    #[arg(rename = "resourceId")]
    #[complete(resources::complete_id)]
    resource_id: String,
) -> Result<Vec<PromptMessage>, ProtocolError> {
    let id = resources::positive_text(&resource_id).ok_or_else(|| {
        ProtocolError::invalid_params(format!("Invalid resourceId: {resource_id}. Must be a finite positive integer."))
    })?;
    let contents = match resource_type.as_str() {
        "Text" => resources::text_contents(id),
        "Blob" => resources::blob_contents(id),
        other => {
            return Err(ProtocolError::invalid_params(format!("Invalid resourceType: {other}. Must be Text or Blob.")));
        }
    };
    let text = format!(
        "This prompt includes the {resource_type} resource with id: {id}. Please analyze the following resource:"
    );
    Ok(vec![
        PromptMessage::new(Role::User, ContentBlock::text(text)),
        PromptMessage::new(Role::User, ContentBlock::resource(contents)),
    ])
}
