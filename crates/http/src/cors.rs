//! Answers that pages of other origins may read, if the configuration says so.

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ORIGIN, VARY,
};
use http::{HeaderMap, HeaderValue, Response};

use crate::{Body, HttpConfig};

/// The origins whose pages may read answers. None by default, and never all.
#[derive(Debug)]
pub(crate) struct Cors(Vec<HeaderValue>);

impl Cors {
    pub(crate) fn new(config: &HttpConfig) -> Self {
        let origins = config.cors_origins.iter().map(|origin| origin.trim_end_matches('/'));
        Self(origins.filter(|origin| *origin != "*" && *origin != "null").filter_map(|o| o.parse().ok()).collect())
    }

    /// Returns the configured origin that sends the request, if it is one.
    pub(crate) fn allowed(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        if self.0.is_empty() {
            return None;
        }
        let origin = headers.get(ORIGIN)?;
        self.0.iter().find(|allowed| *allowed == origin).cloned()
    }

    /// Lets pages of `origin` read the response.
    pub(crate) fn mark(response: &mut Response<Body>, origin: HeaderValue) {
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.append(VARY, HeaderValue::from_static("origin"));
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("mcp-session-id, www-authenticate"));
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, DELETE"));
        let allowed = "content-type, accept, authorization, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, \
                       last-event-id, traceparent, tracestate, baggage";
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(allowed));
        headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    }
}
