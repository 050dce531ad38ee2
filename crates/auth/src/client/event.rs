//! What happens on the way to a token, step by step.

use std::fmt;
use std::sync::Arc;

use super::store::Place;
use crate::Scopes;

/// One step on the way to a token. Nothing in it is secret.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AuthEvent {
    /// The server refused a request and said what it wants.
    Challenged {
        /// The status, 401 or 403.
        status: u16,
        /// How tokens are to be sent, such as `Bearer`; none if the server said nothing.
        scheme: Option<String>,
        /// The error it named.
        error: Option<String>,
        /// The scopes it asks for.
        scopes: Option<Scopes>,
        /// Where it says its metadata is.
        resource_metadata: Option<String>,
    },
    /// The server answered a request without a token, and did not ask for one.
    Unchallenged {
        /// The status of the answer.
        status: u16,
    },
    /// A document was looked for.
    Looked {
        /// What for.
        document: Document,
        /// Where.
        url: String,
        /// Why it was not there; none if it was.
        failure: Option<String>,
    },
    /// The server's own metadata was found.
    Resource {
        /// Its name.
        resource: String,
        /// The authorization servers it names.
        authorization_servers: Vec<String>,
        /// The scopes of basic use.
        scopes: Option<Scopes>,
    },
    /// The server has no metadata of its own, so its host is asked, as in the first revision with authorization.
    NoResourceMetadata,
    /// An authorization server was found.
    Issuer {
        /// Its name.
        issuer: String,
        /// Whether its endpoints are only guessed.
        is_guessed: bool,
    },
    /// It is decided as which client we speak.
    Client {
        /// How the client came to be known there.
        origin: ClientOrigin,
        /// Its id.
        id: String,
    },
    /// A user is sent to a page.
    Visiting {
        /// The page without its query.
        page: String,
        /// The scopes that are asked for.
        scopes: Scopes,
        /// Where the user comes back to.
        redirect_uri: String,
    },
    /// The user came back, and the answer is ours.
    CameBack,
    /// A token was issued.
    Issued {
        /// The scopes it has, as far as it is known.
        scopes: Scopes,
        /// For how many seconds it is valid.
        expires_in: Option<u64>,
        /// Whether it can be renewed without the user.
        is_renewable: bool,
        /// Whether it is bound to a key.
        is_bound: bool,
    },
    /// What was issued is kept for the next time.
    Kept {
        /// Where.
        place: Place,
    },
    /// A token was renewed without the user.
    Renewed,
    /// Another process had renewed it already.
    RenewedElsewhere,
    /// A token could not be renewed.
    NotRenewed {
        /// Why.
        why: String,
    },
    /// More scopes are asked for.
    SteppingUp {
        /// All that are asked for.
        scopes: Scopes,
    },
    /// Tokens were forgotten.
    LoggedOut {
        /// Whether the authorization server was told, and heard it. An access token that it cannot take back ends by itself.
        is_revoked: bool,
    },
}

/// A document that is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Document {
    /// Protected resource metadata.
    Resource,
    /// Authorization server metadata.
    AuthorizationServer,
}

/// How a client came to be known at an authorization server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClientOrigin {
    /// The user brought the id.
    Given,
    /// The id is the URL of a document about the client.
    Document,
    /// It registered itself some time ago.
    Remembered,
    /// It registers itself.
    Registering,
}

/// Hears of each step.
#[derive(Clone, Default)]
pub(super) struct Observer(pub(super) Option<Arc<Hear>>);

type Hear = dyn Fn(&AuthEvent) + Send + Sync;

impl Observer {
    pub(super) fn tell(&self, event: AuthEvent) {
        tracing::debug!(?event, "authorization");
        if let Some(observer) = &self.0 {
            observer(&event);
        }
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}
