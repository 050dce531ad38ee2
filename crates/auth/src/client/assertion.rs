//! What others assert about the user or the program, and who takes it for a token.

use std::fmt;
use std::io;
use std::path::PathBuf;

use jackfield_http::client::Boxed;

use super::AuthError;
use super::discovery::Found;
use super::identity::{AuthMethod, KnownClient};
use super::oauth::Settings;
use super::token_endpoint::{TOKEN_EXCHANGE, TokenRequest};
use crate::{Scopes, Secret};

const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";
const ID_TOKEN: &str = "urn:ietf:params:oauth:token-type:id_token";

/// Gives assertions: signed texts in which somebody vouches for a user or a program.
pub trait AssertionSource: Send + Sync + fmt::Debug + 'static {
    /// Returns an assertion that is valid now.
    fn assertion<'a>(&'a self, wanted: AssertionWanted<'a>) -> Boxed<'a, io::Result<Secret>>;
}

/// What an assertion is wanted for.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct AssertionWanted<'a> {
    /// The authorization server that will read it.
    pub audience: &'a str,
    /// The server that the token is for.
    pub resource: &'a str,
}

/// The same text each time.
impl AssertionSource for Secret {
    fn assertion<'a>(&'a self, _: AssertionWanted<'a>) -> Boxed<'a, io::Result<Secret>> {
        Box::pin(std::future::ready(Ok(self.clone())))
    }
}

/// A file that the platform keeps up to date, such as the token of a Kubernetes service account. It is read each time.
#[derive(Clone, Debug)]
pub struct AssertionFile(pub PathBuf);

impl AssertionSource for AssertionFile {
    fn assertion<'a>(&'a self, _: AssertionWanted<'a>) -> Boxed<'a, io::Result<Secret>> {
        let path = self.0.clone();
        Box::pin(async move {
            let read = tokio::task::spawn_blocking(move || std::fs::read_to_string(path));
            let text = read.await.map_err(io::Error::other)??;
            Ok(Secret::new(text.trim()))
        })
    }
}

/// The identity provider of an organization, which decides for its users what they may use.
#[derive(Clone, Debug)]
#[must_use]
pub struct IdentityProvider {
    token_endpoint: String,
    client: KnownClient,
    identity: std::sync::Arc<dyn AssertionSource>,
    subject_token_type: String,
}

impl IdentityProvider {
    /// Names the token endpoint, the client there, and what the user got there at login: an OpenID Connect identity token.
    pub fn new(
        token_endpoint: impl Into<String>,
        client_id: impl Into<String>,
        identity: impl AssertionSource,
    ) -> Self {
        Self {
            token_endpoint: token_endpoint.into(),
            client: KnownClient::new(client_id.into(), AuthMethod::None),
            identity: std::sync::Arc::new(identity),
            subject_token_type: ID_TOKEN.to_owned(),
        }
    }

    /// Says who the client is with a secret.
    pub fn secret(mut self, secret: impl Into<Secret>) -> Self {
        self.client.secret = Some(secret.into());
        self.client.method = AuthMethod::ClientSecretBasic;
        self
    }

    /// Sets what kind of assertion the user got at login, if it is no identity token.
    pub fn subject_token_type(mut self, kind: impl Into<String>) -> Self {
        self.subject_token_type = kind.into();
        self
    }

    /// Exchanges the user's identity for an assertion that the server's authorization server takes (RFC 8693).
    pub(super) async fn exchange(
        &self,
        settings: &Settings,
        found: &Found,
        scopes: &Scopes,
    ) -> Result<Secret, AuthError> {
        let identity = obtain(&*self.identity, found).await?;
        let mut form = vec![
            ("grant_type", TOKEN_EXCHANGE.to_owned()),
            ("requested_token_type", ID_JAG.to_owned()),
            ("audience", found.issuer.issuer.clone()),
            ("resource", found.resource.clone()),
            ("subject_token", identity.expose().to_owned()),
            ("subject_token_type", self.subject_token_type.clone()),
        ];
        if !scopes.is_empty() {
            form.push(("scope", scopes.to_string()));
        }
        let endpoint = self.token_endpoint.as_str();
        let request = TokenRequest { settings, endpoint, audience: endpoint, client: &self.client, form, key: None };
        let tokens = request.tokens().await?;
        if tokens.issued_token_type.as_deref() != Some(ID_JAG) {
            return Err(AuthError::BadToken("the identity provider issued something else than an ID-JAG"));
        }
        Ok(tokens.access_token)
    }
}

pub(super) async fn obtain(source: &dyn AssertionSource, found: &Found) -> Result<Secret, AuthError> {
    let wanted = AssertionWanted { audience: &found.issuer.issuer, resource: &found.resource };
    source.assertion(wanted).await.map_err(|error| AuthError::Assertion(error.into()))
}
