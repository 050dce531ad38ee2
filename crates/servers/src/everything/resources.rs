//! Resources: two templates, and documents that come with the server.

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jackfield::protocol::ResourceContents;
use jackfield::server::{CacheHint, ProtocolError};
use jackfield::{Cached, Server, resource, resources};

pub(super) const TEXT: &str = "demo://resource/dynamic/text/";
pub(super) const BLOB: &str = "demo://resource/dynamic/blob/";

pub(super) fn add(server: Server, documents: CacheHint) -> Server {
    server
        .resources(resources![dynamic_text, dynamic_blob, features, instructions])
        .cache(Cached::Resource("demo://resource/static/document/features.md".to_owned()), documents)
        .cache(Cached::Resource("demo://resource/static/document/instructions.md".to_owned()), documents)
}

pub(super) fn text_uri(id: u64) -> String {
    format!("{TEXT}{id}")
}

pub(super) fn blob_uri(id: u64) -> String {
    format!("{BLOB}{id}")
}

pub(super) fn text_contents(id: u64) -> ResourceContents {
    let text = format!("Resource {id}: This is a plaintext resource created at {}", clock());
    ResourceContents::text(text_uri(id), text).with_mime_type("text/plain")
}

pub(super) fn blob_contents(id: u64) -> ResourceContents {
    let text = format!("Resource {id}: This is a base64 blob created at {}", clock());
    ResourceContents::blob(blob_uri(id), STANDARD.encode(text)).with_mime_type("text/plain")
}

/// Returns the number if it is a positive integer.
pub(super) fn positive(number: f64) -> Option<u64> {
    // Above this, not every integer is a number of this type.
    const MOST: f64 = 9_007_199_254_740_991.0;
    ((1.0..=MOST).contains(&number) && number.fract() == 0.0).then_some(number as u64)
}

/// Reads a positive integer from a text.
pub(super) fn positive_text(text: &str) -> Option<u64> {
    text.parse().ok().and_then(positive)
}

/// The value itself, if it is a positive integer.
pub(super) fn complete_id(typed: &str) -> Vec<String> {
    positive_text(typed).map(|_| typed.to_owned()).into_iter().collect()
}

/// A text that is made when it is read.
#[resource("demo://resource/dynamic/text/{resourceId}", name = "Dynamic Text Resource", mime_type = "text/plain")]
fn dynamic_text(
    #[arg(rename = "resourceId")]
    #[complete(complete_id)]
    id: String,
) -> Result<ResourceContents, ProtocolError> {
    positive_text(&id).map(text_contents).ok_or_else(|| unknown(TEXT, &id))
}

/// Bytes that are made when they are read.
#[resource(
    "demo://resource/dynamic/blob/{resourceId}",
    name = "Dynamic Blob Resource",
    mime_type = "application/octet-stream"
)]
fn dynamic_blob(
    #[arg(rename = "resourceId")]
    #[complete(complete_id)]
    id: String,
) -> Result<ResourceContents, ProtocolError> {
    positive_text(&id).map(blob_contents).ok_or_else(|| unknown(BLOB, &id))
}

fn unknown(family: &str, id: &str) -> ProtocolError {
    ProtocolError::invalid_params(format!("Unknown resource: {family}{id}"))
}

/// What this server shows.
#[resource("demo://resource/static/document/features.md", name = "features.md", mime_type = "text/markdown")]
fn features() -> &'static str {
    include_str!("documents/features.md")
}

/// How to use this server.
#[resource("demo://resource/static/document/instructions.md", name = "instructions.md", mime_type = "text/markdown")]
fn instructions() -> &'static str {
    include_str!("documents/instructions.md")
}

/// The time of day (UTC), as in `6:11:55 PM`.
fn clock() -> String {
    let seconds =
        SystemTime::now().duration_since(UNIX_EPOCH).map(|since| since.as_secs()).unwrap_or_default() % 86_400;
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let half = if hour < 12 { "AM" } else { "PM" };
    let hour = if hour % 12 == 0 { 12 } else { hour % 12 };
    format!("{hour}:{minute:02}:{second:02} {half}")
}
