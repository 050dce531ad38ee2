//! Resources and a template.

use jackfield::{Json, JsonSchema, Server, resource, resources};
use serde::Serialize;

use crate::media::PNG;

pub(crate) fn add(server: Server) -> Server {
    server.resources(resources![static_text, static_binary, watched_resource, template])
}

/// A text that never changes.
#[resource("test://static-text", title = "Static Text Resource", mime_type = "text/plain")]
fn static_text() -> &'static str {
    "This is the content of the static text resource."
}

/// An image that never changes.
#[resource("test://static-binary", title = "Static Binary Resource", mime_type = "image/png")]
fn static_binary() -> Vec<u8> {
    PNG.to_vec()
}

/// A text that clients may subscribe to.
#[resource("test://watched-resource", title = "Watched Resource", mime_type = "text/plain")]
fn watched_resource() -> &'static str {
    "Watched resource content"
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Data {
    id: String,
    template_test: bool,
    data: String,
}

/// The data of an id.
#[resource("test://template/{id}/data", title = "Resource Template", mime_type = "application/json")]
fn template(id: String) -> Json<Data> {
    let data = format!("Data for ID: {id}");
    Json(Data { id, template_test: true, data })
}
