//! Finding a client by its name.

use crate::server::builder::AuthorizationServer;
use crate::server::oauth_clients::client::Client;
use crate::server::requests::respond::OAuthError;

/// Why there is no client of a name.
#[derive(Debug)]
pub(in crate::server) enum NoClient {
    Unknown,
    /// Its document cannot be used, and why.
    Document(&'static str),
    Failed(OAuthError),
}

impl AuthorizationServer {
    /// Finds a client: one that was configured, one that registered, or the URL of a document.
    pub(in crate::server) async fn client(&self, id: &str) -> Result<Client, NoClient> {
        if let Some(client) = self.0.clients.get(id) {
            return Ok(client.clone());
        }
        if id.starts_with("https://") {
            let documents = self.0.documents.as_ref().ok_or(NoClient::Unknown)?;
            return documents.client(id).await.map_err(NoClient::Document);
        }
        if id.len() > 128 {
            return Err(NoClient::Unknown);
        }
        let found = self.store().load(&format!("client:{id}")).await.map_err(|error| NoClient::Failed(error.into()))?;
        found.ok_or(NoClient::Unknown)
    }
}
