//! Tools that answer at once, with every kind of content.

use jackfield::{Audio, CallToolResult, ContentBlock, Image, ResourceContents, Server, tool, tools};

use crate::media::{PNG, WAV};

pub(crate) fn add(server: Server) -> Server {
    server.tools(tools![
        test_simple_text,
        test_image_content,
        test_audio_content,
        test_embedded_resource,
        test_multiple_content_types,
        test_error_handling
    ])
}

/// Answers with a text.
#[tool]
fn test_simple_text() -> &'static str {
    "This is a simple text response for testing."
}

/// Answers with an image.
#[tool]
fn test_image_content() -> Image {
    Image::png(PNG)
}

/// Answers with sound.
#[tool]
fn test_audio_content() -> Audio {
    Audio::wav(WAV)
}

/// Answers with a resource inside the result.
#[tool]
fn test_embedded_resource() -> ContentBlock {
    embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
}

/// Answers with a text, an image and a resource.
#[tool]
fn test_multiple_content_types() -> Vec<ContentBlock> {
    vec![
        ContentBlock::text("Multiple content types test:"),
        Image::png(PNG).into(),
        embedded("test://mixed-content-resource", "application/json", r#"{"test":"data","value":123}"#),
    ]
}

/// Always fails, in a way that a model can read.
#[tool]
fn test_error_handling() -> CallToolResult {
    CallToolResult::failure("This tool intentionally returns an error for testing")
}

pub(crate) fn embedded(uri: &str, mime_type: &str, text: &'static str) -> ContentBlock {
    ContentBlock::resource(ResourceContents::text(uri, text).with_mime_type(mime_type))
}
