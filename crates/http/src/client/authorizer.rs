//! Who is asking: headers for each request, and what to do when a server refuses.

use std::error::Error as StdError;
use std::fmt;
use std::future::Future;
use std::pin::Pin;

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode, Uri};

/// A future that is boxed because it crosses a trait object.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Says who is asking. One authorizer is shared by all requests of a client, which ask it at the same time.
///
/// It is only ever asked about the origin that the user named: requests do not leave it.
pub trait Authorizer: Send + Sync + fmt::Debug + 'static {
    /// Returns the headers that say who is asking, such as `Authorization` and `DPoP`, for a request that is about to be
    /// sent. They replace headers of the same name.
    fn headers<'a>(&'a self, asked: Asked<'a>) -> Boxed<'a, Result<HeaderMap, NotAuthorized>>;

    /// Learns that the server refused a request with 401 or 403, and says whether to send it again.
    ///
    /// It may take as long as a person needs to log in. Several requests may be refused at the same moment; what was
    /// [sent](Refusal::sent) with each tells whether something newer is known by now.
    fn refused<'a>(&'a self, refusal: &'a Refusal) -> Boxed<'a, Result<Reaction, NotAuthorized>>;

    /// Returns the extensions of the protocol by which it gets its tokens. Clients that use it declare them.
    fn extensions(&self) -> &[&'static str] {
        &[]
    }

    /// Learns the headers of an answer that is no refusal, such as a new `DPoP-Nonce`.
    fn answered(&self, headers: &HeaderMap) {
        let _ = headers;
    }
}

/// A request that is about to be sent.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Asked<'a> {
    /// Its method.
    pub method: &'a Method,
    /// Where it goes.
    pub uri: &'a Uri,
    /// How many times it has been refused before.
    pub attempt: u32,
}

impl<'a> Asked<'a> {
    /// Names a request that has not been refused yet.
    #[must_use]
    pub fn new(method: &'a Method, uri: &'a Uri) -> Self {
        Self { method, uri, attempt: 0 }
    }
}

/// A request that the server refused.
#[non_exhaustive]
pub struct Refusal {
    /// The request's method.
    pub method: Method,
    /// Where it went.
    pub uri: Uri,
    /// 401 or 403.
    pub status: StatusCode,
    /// The headers of the refusal, such as `WWW-Authenticate`.
    pub headers: HeaderMap,
    /// The beginning of the refusal's body.
    pub body: Bytes,
    /// The headers that the authorizer gave for this request.
    pub sent: HeaderMap,
    /// How many times the request has been refused before.
    pub attempt: u32,
}

impl fmt::Debug for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Refusal").field("status", &self.status).field("attempt", &self.attempt).finish_non_exhaustive()
    }
}

/// What to do about a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reaction {
    /// Send the request again; the headers are asked for anew.
    Retry,
    /// Leave it at that.
    GiveUp,
}

/// Why a request could not be authorized.
#[derive(Debug)]
pub struct NotAuthorized {
    what: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl NotAuthorized {
    /// Makes a reason: a short text in lower case, without secrets.
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), source: None }
    }

    /// Adds a cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }
}

impl fmt::Display for NotAuthorized {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl StdError for NotAuthorized {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}
