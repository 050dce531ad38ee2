//! Prompts, and the completion of their arguments.

use jackfield::server::QuestionError;
use jackfield::{ContentBlock, Cx, Form, Image, JsonSchema, PromptMessage, ResourceContents, Server, prompt, prompts};
use serde::Deserialize;

use crate::media::PNG;

pub(crate) fn add(server: Server) -> Server {
    server.prompts(prompts![
        test_simple_prompt,
        test_prompt_with_arguments,
        test_prompt_with_embedded_resource,
        test_prompt_with_image,
        test_input_required_result_prompt
    ])
}

/// A prompt without arguments.
#[prompt]
fn test_simple_prompt() -> &'static str {
    "This is a simple prompt for testing."
}

/// A prompt with two arguments.
#[prompt]
fn test_prompt_with_arguments(
    /** The first argument. */
    #[complete("test", "testing", "tested")]
    arg1: String,
    /** The second argument. */
    arg2: String,
) -> String {
    format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")
}

/// A prompt with a resource inside.
#[prompt]
fn test_prompt_with_embedded_resource(
    /** The URI of the resource. */
    #[arg(rename = "resourceUri")]
    resource_uri: String,
) -> Vec<PromptMessage> {
    let contents = ResourceContents::text(resource_uri, "Embedded resource content for testing.");
    vec![
        PromptMessage::user(ContentBlock::resource(contents.with_mime_type("text/plain"))),
        PromptMessage::user(ContentBlock::text("Please process the embedded resource above.")),
    ]
}

/// A prompt with an image.
#[prompt]
fn test_prompt_with_image() -> Vec<PromptMessage> {
    vec![
        PromptMessage::user(ContentBlock::from(Image::png(PNG))),
        PromptMessage::user(ContentBlock::text("Please analyze the image above.")),
    ]
}

#[derive(Deserialize, JsonSchema, Form)]
struct Background {
    context: String,
}

/// A prompt that asks the person first.
#[prompt]
async fn test_input_required_result_prompt(cx: &Cx) -> Result<String, QuestionError> {
    let answer = cx.elicit::<Background>("user_context", "What context should the prompt use?").await?.accepted();
    Ok(format!("Use this context: {}", answer.map_or_else(|| "none".to_owned(), |answer| answer.context)))
}
