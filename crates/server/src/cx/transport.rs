//! What a handler knows about the way its call came, and what it can do with it.

use std::time::Duration;

use jackfield_peer::{Extensions, Principal};

use super::Cx;

impl Cx {
    /// Returns the authenticated user, on transports that have one.
    ///
    /// Over HTTP that is whom the gate of the configuration has let in. The credentials themselves are not handed on: a token
    /// that was issued for this server must not travel any further.
    #[must_use]
    pub fn auth(&self) -> Option<&Principal> {
        self.caller().principal.as_ref()
    }

    /// Returns the headers of the HTTP request that brought the call; none on other transports.
    ///
    /// Headers that carry credentials (`Authorization`, `Proxy-Authorization`, `Cookie`, and those that the configuration hides)
    /// are not among them. What a handler may know of the user is in [`auth`](Self::auth).
    #[cfg(feature = "http")]
    #[must_use]
    pub fn headers(&self) -> Option<&http::HeaderMap> {
        self.extensions().get_ref::<http::request::Parts>().map(|parts| &parts.headers)
    }

    /// Returns a value that middleware put beside the request: middleware of the server into
    /// [`Incoming::extensions`](jackfield_peer::Incoming), or a gate or a layer of HTTP into the extensions of the HTTP request.
    #[must_use]
    pub fn extension<T: Send + Sync + 'static>(&self) -> Option<&T> {
        let own = self.extensions().get_ref::<T>();
        #[cfg(feature = "http")]
        let own = own.or_else(|| self.extensions().get_ref::<http::request::Parts>()?.extensions.get::<T>());
        own
    }

    /// Returns all that transports and middleware put beside the request.
    #[must_use]
    pub fn extensions(&self) -> &Extensions {
        &self.call.incoming.extensions
    }

    /// Lets go of the connection that waits for the answer, if the client can come back for it; it is asked to wait for `retry`
    /// first. Returns whether it was let go. The handler goes on either way, and its answer is delivered either way.
    ///
    /// This spares a server long open connections: the client polls instead. Only the Streamable HTTP of 2025-11-25 can do it,
    /// where streams are resumed and a client knows that their end is not the end of the answer. Everywhere else (stdio,
    /// HTTP+SSE, older revisions, and since 2026-07-28, where a request lives as long as its connection) nothing happens. A
    /// client that takes only plain JSON is not let go either.
    #[must_use = "the connection may still be open"]
    pub fn release(&self, retry: Duration) -> bool {
        !self.call.progress.has_ended() && self.call.incoming.outlet.release(retry)
    }
}
