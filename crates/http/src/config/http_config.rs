//! How an endpoint is set up.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::HeaderName;
use jackfield_peer::tape::Tape;
use jackfield_store::Stores;

use crate::{Authenticator, ExtraRoutes, HttpLimits};

/// How an endpoint is set up. The defaults serve this machine only, and refuse what no configuration allows.
#[derive(Clone)]
#[non_exhaustive]
pub struct HttpConfig {
    /// The path of the endpoint.
    pub path: String,
    /// The paths of the HTTP+SSE transport of 2024-11-05; `None` switches it off.
    pub sse: Option<SsePaths>,
    /// The path that tells load balancers whether the server lives; `None` switches it off.
    pub health_path: Option<String>,
    /// Names under which clients reach the server, besides those of this machine: `example.com`, or `example.com:8443`
    /// for one port only. Requests to other names get 403, because they may come from a page that rebound its own name.
    pub allowed_hosts: Vec<String>,
    /// Origins of web pages that may use the server, besides those of this machine: `https://app.example.com`.
    pub allowed_origins: Vec<String>,
    /// Origins of web pages that browsers let read the answers (CORS). Each is allowed by the Origin check as well.
    pub cors_origins: Vec<String>,
    /// Listening on addresses other than those of this machine is meant.
    pub allow_remote: bool,
    /// Serving strangers there without [`HttpConfig::authenticator`] is meant.
    pub allow_unauthenticated: bool,
    /// Headers that are taken away from requests after the authenticator has seen them, so that no handler can pass them on. Those that
    /// always carry credentials (`Authorization`, `Proxy-Authorization`, `Cookie`) are taken away in any case; add those of
    /// your own, such as `x-api-key`.
    pub hidden_headers: Vec<HeaderName>,
    /// HTTP/2 is spoken with clients that ask for it.
    pub http2: bool,
    /// How long a client waits before it comes back to a stream.
    pub retry: Duration,
    /// Everything a client can grow.
    pub limits: HttpLimits,
    /// Authenticates every request before its body is read.
    pub authenticator: Option<Arc<dyn Authenticator>>,
    /// Serves paths beside the endpoint's own, without passing the authenticator.
    pub routes: Option<Arc<dyn ExtraRoutes>>,
    /// Where sessions and the events of their streams are kept, so that other processes with the same stores serve them too; `None`
    /// keeps them in the memory of this one, as stores do that are [not shared](Stores::is_shared). All who share a store serve the
    /// same, and know the same users.
    pub stores: Option<Stores>,
    /// Records the messages of the endpoint in both directions: what the authenticator let in, and how it was answered. Neither headers nor ids of
    /// sessions are on the tape.
    pub tape: Option<Tape>,
}

/// The paths of the HTTP+SSE transport.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SsePaths {
    /// Where clients open the stream.
    pub stream: String,
    /// Where clients post messages.
    pub message: String,
}

impl Default for SsePaths {
    fn default() -> Self {
        Self { stream: "/sse".to_owned(), message: "/message".to_owned() }
    }
}

impl Default for HttpConfig {
    fn default() -> Self {
        Self {
            path: "/mcp".to_owned(),
            sse: Some(SsePaths::default()),
            health_path: Some("/healthz".to_owned()),
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            cors_origins: Vec::new(),
            allow_remote: false,
            allow_unauthenticated: false,
            hidden_headers: Vec::new(),
            http2: true,
            retry: Duration::from_secs(1),
            limits: HttpLimits::default(),
            authenticator: None,
            routes: None,
            stores: None,
            tape: None,
        }
    }
}

impl HttpConfig {
    /// Lets clients reach the server under this name.
    #[must_use]
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {
        self.allowed_hosts.push(host.into());
        self
    }

    /// Lets pages of this origin use the server.
    #[must_use]
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.allowed_origins.push(origin.into());
        self
    }

    /// Keeps a header that carries credentials from handlers.
    #[must_use]
    pub fn hide_header(mut self, name: HeaderName) -> Self {
        self.hidden_headers.push(name);
        self
    }

    /// Authenticates every request with `authenticator`.
    #[must_use]
    pub fn with_authenticator(mut self, authenticator: impl Authenticator) -> Self {
        self.authenticator = Some(Arc::new(authenticator));
        self
    }

    /// Serves the paths of `routes` too.
    #[must_use]
    pub fn with_routes(mut self, routes: impl ExtraRoutes) -> Self {
        self.routes = Some(Arc::new(routes));
        self
    }

    /// Shares sessions with other processes that have the same stores.
    #[must_use]
    pub fn with_stores(mut self, stores: Stores) -> Self {
        self.stores = Some(stores);
        self
    }

    /// Records the messages of the endpoint.
    #[must_use]
    pub fn with_tape(mut self, tape: Tape) -> Self {
        self.tape = Some(tape);
        self
    }

    /// Changes limits.
    #[must_use]
    pub fn with_limits(mut self, change: impl FnOnce(&mut HttpLimits)) -> Self {
        change(&mut self.limits);
        self
    }
}

impl fmt::Debug for HttpConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpConfig")
            .field("path", &self.path)
            .field("sse", &self.sse)
            .field("allowed_hosts", &self.allowed_hosts)
            .field("allowed_origins", &self.allowed_origins)
            .field("allow_remote", &self.allow_remote)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
