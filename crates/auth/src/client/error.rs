//! Why nobody could be logged in.

use std::sync::Arc;

use super::store::StoreError;
use crate::jose::SignError;
use crate::{NoRandomness, Scopes};
use jackfield_http::fetch::FetchError;

/// Why a request could not be authorized. It holds no secrets.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuthError {
    /// A server is named by something other than a plain `http` or `https` URL.
    #[error("\"{0}\" is not the URL of a server")]
    BadServer(String),
    /// Nobody is logged in, and nobody can be asked to.
    #[error("the server wants to know who is asking, and nobody is logged in")]
    LoginNeeded,
    /// The server does not ask who is asking, and says nothing about authorization.
    #[error("the server does not ask for a login")]
    NotProtected,
    /// A document about the server's authorization cannot be read.
    #[error("the metadata at {url} cannot be used")]
    Metadata {
        /// Where it should be.
        url: String,
        /// Why not.
        #[source]
        source: FetchError,
    },
    /// The metadata is of another server than the one that is used.
    #[error("the server {expected} shows metadata of {found}")]
    ForeignResource {
        /// The server that is used.
        expected: String,
        /// The one that the metadata is about.
        found: String,
    },
    /// The server names no authorization server.
    #[error("the server names no authorization server")]
    NoAuthorizationServer,
    /// The metadata is of another issuer than the one that was asked.
    #[error("the authorization server {expected} shows metadata of {found}")]
    ForeignIssuer {
        /// The issuer that was asked.
        expected: String,
        /// The one that the metadata names.
        found: String,
    },
    /// The authorization server does not say that it protects codes.
    #[error("the authorization server {0} does not announce PKCE with S256")]
    NoPkce(String),
    /// The authorization server lacks something that is needed.
    #[error("the authorization server has no {0}")]
    NoEndpoint(&'static str),
    /// An address of the authorization server is not safe to use.
    #[error("the {name} of the authorization server may not be used")]
    BadEndpoint {
        /// Which one.
        name: &'static str,
        /// Why not.
        #[source]
        source: FetchError,
    },
    /// The authorization server does not know us, and we cannot introduce ourselves.
    #[error("the authorization server {0} does not register clients by itself, and no client id was given for it")]
    NoClient(String),
    /// A client id was given that belongs to another authorization server.
    #[error("the client id belongs to {registered}, but the server now uses {found}")]
    ForeignClient {
        /// Whose client it is.
        registered: String,
        /// Which authorization server the server names.
        found: String,
    },
    /// The authorization server did not register us.
    #[error("the authorization server refused to register the client: {0}")]
    Registration(String),
    /// Users cannot come back where they were expected.
    #[error("users cannot come back to {0}")]
    Redirect(String),
    /// The browser could not be opened, or what the user pasted makes no sense.
    #[error("the user could not be asked: {0}")]
    Interaction(String),
    /// The user did not come back.
    #[error("nobody came back from the login page in time")]
    TimedOut,
    /// What came back is not the answer to our request.
    #[error("the answer of the login page was discarded: {0}")]
    Discarded(&'static str),
    /// The authorization server says no.
    #[error("the authorization server refused: {0}")]
    Denied(String),
    /// The token endpoint says no.
    #[error("no token was issued: {told}")]
    Token {
        /// The code of the error, such as `invalid_grant`.
        code: String,
        /// The code, and what the authorization server says about it.
        told: String,
    },
    /// The answer of the token endpoint makes no sense.
    #[error("the answer of the token endpoint cannot be used: {0}")]
    BadToken(&'static str),
    /// Something could not be fetched.
    #[error("the authorization server did not answer as it should")]
    Fetch(#[from] FetchError),
    /// The server does not take the token that its authorization server has just issued.
    #[error("the server refuses the token that was just issued for it")]
    Rejected,
    /// The server asks again for scopes that were asked for already.
    #[error("the server still asks for the scopes {0}, which were requested already")]
    StepUp(Scopes),
    /// The key that tokens are bound to, or that signs for the client, is missing.
    #[error("the key for this is missing")]
    NoKey,
    /// What others assert about the user or the program could not be had.
    #[error("the assertion could not be obtained")]
    Assertion(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// Credentials cannot be read or kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system has no random numbers.
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
    /// Something that has to be signed could not be.
    #[error(transparent)]
    Sign(#[from] SignError),
    /// Requests that were refused at the same time share what came of it. [`AuthError::plain`] looks through it.
    #[error(transparent)]
    Shared(Arc<AuthError>),
}

impl AuthError {
    /// Returns the error itself, where several requests share it.
    #[must_use]
    pub fn plain(&self) -> &Self {
        match self {
            Self::Shared(error) => error.plain(),
            error => error,
        }
    }

    /// Whether the error is one that a login would end.
    #[must_use]
    pub fn needs_login(&self) -> bool {
        matches!(self.plain(), Self::LoginNeeded)
    }

    /// Whether the authorization server does not know the client, or not any more.
    pub(super) fn is_of_client(&self) -> bool {
        const CODES: [&str; 2] = ["invalid_client", "unauthorized_client"];
        match self {
            Self::Token { code, .. } => CODES.contains(&code.as_str()),
            Self::Denied(told) => CODES.iter().any(|code| told.starts_with(code)),
            _ => false,
        }
    }

    /// Whether somebody said no, and would say so again.
    pub(super) fn is_refusal(&self) -> bool {
        let passes = ["server_error", "temporarily_unavailable"];
        matches!(self, Self::Denied(told) if !passes.iter().any(|code| told.starts_with(code)))
    }
}

/// What a stranger said, fit to be shown: short, and without anything but text.
pub(super) fn told(error: &str, description: Option<&str>) -> String {
    let plain = |text: &str| -> String { text.chars().filter(|one| !one.is_control()).take(300).collect() };
    match description.map(plain).filter(|text| !text.is_empty()) {
        Some(description) => format!("{} ({description})", plain(error)),
        None => plain(error),
    }
}
