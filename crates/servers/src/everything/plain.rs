//! Tools that need nothing but their arguments.

use std::time::Duration;

use jackfield::protocol::{Annotations, CallToolResult, ContentBlock, Resource, Role};
use jackfield::{Cx, Json, tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::media::tiny_png;
use super::resources;

/// The longest operation, in seconds.
const LONGEST: f64 = 3600.0;
/// The most steps of an operation.
const MOST_STEPS: f64 = 10_000.0;

/// Return the message.
#[tool(name = "echo", title = "Echo Tool", read_only, destructive = false, idempotent, open_world = false)]
pub(super) fn echo(
    /** What to return. */
    message: String,
) -> String {
    format!("Echo: {message}")
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(super) enum MessageType {
    Error,
    Success,
    Debug,
}

/// Return a text, and on request an image, with annotations that say for whom it is and how important.
#[tool(
    name = "get-annotated-message",
    title = "Get Annotated Message Tool",
    read_only,
    destructive = false,
    idempotent,
    open_world = false
)]
pub(super) fn get_annotated_message(
    /** Which kind of message. */
    #[arg(rename = "messageType")]
    message_type: MessageType,
    /** Whether to add an image. */
    #[arg(rename = "includeImage")]
    #[default(false)]
    include_image: bool,
) -> Vec<ContentBlock> {
    let (text, priority, audience) = match message_type {
        MessageType::Error => ("Error: Operation failed", 1.0, vec![Role::User, Role::Assistant]),
        MessageType::Success => ("Operation completed successfully", 0.7, vec![Role::User]),
        MessageType::Debug => ("Debug: Cache hit ratio 0.95, latency 150ms", 0.3, vec![Role::Assistant]),
    };
    let mut blocks = vec![annotated(ContentBlock::text(text), priority, audience)];
    if include_image {
        blocks.push(annotated(tiny_png(), 0.5, vec![Role::User]));
    }
    blocks
}

fn annotated(mut block: ContentBlock, priority: f64, audience: Vec<Role>) -> ContentBlock {
    let mut annotations = Annotations::default();
    annotations.priority = Some(priority);
    annotations.audience = Some(audience);
    match &mut block {
        ContentBlock::Text(text) => text.annotations = Some(annotations),
        ContentBlock::Image(image) => image.annotations = Some(annotations),
        _ => {}
    }
    block
}

/// Return links to resources of this server, text and binary in turn.
#[tool(
    name = "get-resource-links",
    title = "Get Resource Links Tool",
    read_only,
    destructive = false,
    idempotent,
    open_world = false
)]
pub(super) fn get_resource_links(
    /** How many links. */
    #[arg(range(min = 1, max = 10))]
    #[default(3.0)]
    count: f64,
) -> Vec<ContentBlock> {
    let intro = format!("Here are {} resource links to resources available in this server:", number(count));
    let links = (1..=count as u64).map(|id| {
        let (kind, uri) =
            if id % 2 == 0 { ("Text", resources::text_uri(id)) } else { ("Blob", resources::blob_uri(id)) };
        let mut link = Resource::new(uri, format!("{kind} Resource {id}"));
        link.description = Some(format!("Resource {id}: plaintext resource"));
        link.mime_type = Some("text/plain".to_owned());
        ContentBlock::link(link)
    });
    std::iter::once(ContentBlock::text(intro)).chain(links).collect()
}

#[derive(Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) enum ResourceType {
    #[default]
    Text,
    Blob,
}

/// Return a resource of this server inside the answer.
#[tool(
    name = "get-resource-reference",
    title = "Get Resource Reference Tool",
    read_only,
    destructive = false,
    idempotent,
    open_world = false
)]
pub(super) fn get_resource_reference(
    /** Text or binary. */
    #[arg(rename = "resourceType")]
    #[default(ResourceType::Text)]
    resource_type: ResourceType,
    /** The number of the resource, from 1. */
    #[arg(rename = "resourceId")]
    #[default(1.0)]
    resource_id: f64,
) -> Result<Vec<ContentBlock>, String> {
    let id = resources::positive(resource_id)
        .ok_or_else(|| format!("Invalid resourceId: {}. Must be a finite positive integer.", number(resource_id)))?;
    let (uri, contents) = match resource_type {
        ResourceType::Text => (resources::text_uri(id), resources::text_contents(id)),
        ResourceType::Blob => (resources::blob_uri(id), resources::blob_contents(id)),
    };
    Ok(vec![
        ContentBlock::text(format!("Returning resource reference for Resource {id}:")),
        ContentBlock::resource(contents),
        ContentBlock::text(format!("You can access this resource using the URI: {uri}")),
    ])
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[schemars(inline)]
pub(super) enum Location {
    #[serde(rename = "New York")]
    NewYork,
    Chicago,
    #[serde(rename = "Los Angeles")]
    LosAngeles,
}

#[derive(Clone, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Weather {
    /// In degrees.
    #[schemars(with = "f64")]
    temperature: i64,
    /// In words.
    conditions: &'static str,
    /// In percent.
    #[schemars(with = "f64")]
    humidity: i64,
}

fn weather(location: Location) -> Weather {
    let (temperature, conditions, humidity) = match location {
        Location::NewYork => (33, "Cloudy", 82),
        Location::Chicago => (36, "Light rain / drizzle", 82),
        Location::LosAngeles => (73, "Sunny / Clear", 48),
    };
    Weather { temperature, conditions, humidity }
}

/// Return the weather as data that fits an output schema.
#[tool(
    name = "get-structured-content",
    title = "Get Structured Content Tool",
    read_only,
    destructive = false,
    idempotent,
    open_world = false
)]
pub(super) fn get_structured_content(
    /** Where. */
    location: Location,
) -> Json<Weather> {
    Json(weather(location))
}

/// Return the weather of several days: data whose root is an array.
#[tool(
    name = "get-structured-content-list",
    title = "Get Structured Content List Tool",
    read_only,
    destructive = false,
    idempotent,
    open_world = false
)]
pub(super) fn get_structured_content_list(
    /** Where. */
    location: Location,
    /** How many days. */
    #[arg(range(min = 1, max = 5))]
    #[default(3)]
    days: usize,
) -> Json<Vec<Weather>> {
    Json(vec![weather(location); days])
}

/// Add two numbers.
#[tool(name = "get-sum", title = "Get Sum Tool", read_only, destructive = false, idempotent, open_world = false)]
pub(super) fn get_sum(
    /** The first. */
    a: f64,
    /** The second. */
    b: f64,
) -> String {
    format!("The sum of {} and {} is {}.", number(a), number(b), number(a + b))
}

/// Prints a number as JavaScript does.
fn number(value: f64) -> String {
    if value != 0.0 && !(1e-6..1e21).contains(&value.abs()) && value.is_finite() {
        let text = format!("{value:e}");
        match text.split_once('e') {
            Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
            _ => text,
        }
    } else {
        // Negative zero prints as zero there.
        (value + 0.0).to_string()
    }
}

/// Return a small image between two texts.
#[tool(
    name = "get-tiny-image",
    title = "Get Tiny Image Tool",
    read_only,
    destructive = false,
    idempotent,
    open_world = false
)]
pub(super) fn get_tiny_image() -> Vec<ContentBlock> {
    vec![
        ContentBlock::text("Here's the image you requested:"),
        tiny_png(),
        ContentBlock::text("The image above is the MCP logo."),
    ]
}

/// Take some time, and say after each step how far it is.
#[tool(
    name = "trigger-long-running-operation",
    title = "Trigger Long Running Operation Tool",
    read_only,
    destructive = false,
    idempotent,
    open_world = false
)]
pub(super) async fn trigger_long_running_operation(
    /** How long, in seconds. */
    #[default(10.0)]
    duration: f64,
    /** In how many steps. */
    #[default(5.0)]
    steps: f64,
    cx: &Cx,
) -> Result<CallToolResult, String> {
    if duration > LONGEST || steps > MOST_STEPS {
        let (longest, most) = (number(LONGEST), number(MOST_STEPS));
        return Err(format!("the operation may take {longest} seconds at most, in {most} steps at most"));
    }
    let pause = Duration::try_from_secs_f64(duration / steps).unwrap_or_default();
    for step in 1..=steps as u32 {
        tokio::time::sleep(pause).await;
        cx.progress(step, steps, None);
    }
    let (duration, steps) = (number(duration), number(steps));
    Ok(CallToolResult::text(format!("Long running operation completed. Duration: {duration} seconds, Steps: {steps}.")))
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_are_printed_as_javascript_does() {
        for (value, text) in [
            (5.0, "5"),
            (0.1 + 0.2, "0.30000000000000004"),
            (-0.0, "0"),
            (1e21, "1e+21"),
            (1.5e-7, "1.5e-7"),
            (123_456_789_012.0, "123456789012"),
        ] {
            assert_eq!(number(value), text);
        }
    }
}
