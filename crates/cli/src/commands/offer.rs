//! Everything a server offers.

use jackfield::protocol::code;
use jackfield::protocol::{Implementation, Prompt, Resource, ResourceTemplate, Revision, ServerCapabilities, Tool};
use jackfield_client::{Client, Listed, Listing};
use serde::Serialize;

use crate::failure::Failure;

/// What a server says about itself, and what it lists.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Offer {
    pub(crate) revision: Option<Revision>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) server_info: Option<Implementation>,
    pub(crate) capabilities: ServerCapabilities,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) instructions: Option<String>,
    pub(crate) tools: Vec<Tool>,
    pub(crate) resources: Vec<Resource>,
    pub(crate) resource_templates: Vec<ResourceTemplate>,
    pub(crate) prompts: Vec<Prompt>,
}

impl Offer {
    /// Asks for everything.
    pub(crate) async fn of(client: &Client) -> Result<Self, Failure> {
        let facts = client.server();
        let facts = facts.as_deref();
        Ok(Self {
            revision: client.revision(),
            server_info: facts.and_then(|facts| facts.info.clone()),
            capabilities: facts.map(|facts| facts.capabilities.clone()).unwrap_or_default(),
            instructions: facts.and_then(|facts| facts.instructions.clone()),
            tools: all(client.tools()).await?,
            resources: all(client.resources()).await?,
            resource_templates: all(client.resource_templates()).await?,
            prompts: all(client.prompts()).await?,
        })
    }
}

/// Reads a whole list. What a server does not have is an empty list: many of them have resources, but know nothing of
/// templates.
pub(crate) async fn all<T: Listed>(listing: Listing<T>) -> Result<Vec<T>, Failure> {
    match listing.all().await {
        Err(error) if error.is_not_offered() => Ok(Vec::new()),
        Err(error) if error.code() == Some(code::METHOD_NOT_FOUND) => Ok(Vec::new()),
        other => Ok(other?),
    }
}
