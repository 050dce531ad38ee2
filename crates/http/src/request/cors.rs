//! Answers that pages of other origins may read, if the configuration says so.

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, ORIGIN, VARY,
};
use http::{HeaderMap, HeaderName, HeaderValue, Response};

use crate::{Body, HttpConfig};

/// Headers of answers that pages may read.
const EXPOSED: &str = "mcp-session-id, www-authenticate, dpop-nonce, retry-after";
/// Headers that pages may send.
const ALLOWED: &str = "content-type, accept, authorization, dpop, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, \
                       last-event-id, traceparent, tracestate, baggage";

/// The origins whose pages may read answers. None by default, and never all.
#[derive(Debug)]
pub(crate) struct Cors(Vec<HeaderValue>);

impl Cors {
    pub(crate) fn new(config: &HttpConfig) -> Self {
        let origins = config.cors_origins.iter().map(|origin| origin.trim_end_matches('/').to_ascii_lowercase());
        Self(origins.filter(|origin| origin != "*" && origin != "null").filter_map(|o| o.parse().ok()).collect())
    }

    /// Returns the configured origin that sends the request, if it is one.
    pub(crate) fn allowed(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        if self.0.is_empty() {
            return None;
        }
        let origin = headers.get(ORIGIN)?;
        let is_same = |allowed: &&HeaderValue| allowed.as_bytes().eq_ignore_ascii_case(origin.as_bytes());
        self.0.iter().find(is_same).map(|_| origin.clone())
    }

    /// Lets pages of `origin` read the response to a request with these headers.
    pub(crate) fn mark(response: &mut Response<Body>, origin: HeaderValue, request: &HeaderMap) {
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.append(VARY, HeaderValue::from_static("origin"));
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, DELETE"));
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, allowed_headers(request));
        headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    }
}

/// Besides those with fixed names, pages may send arguments that are marked as headers, whose names are those of the tools.
fn allowed_headers(request: &HeaderMap) -> HeaderValue {
    let asked = request.get(ACCESS_CONTROL_REQUEST_HEADERS).and_then(|names| names.to_str().ok()).unwrap_or_default();
    let names = asked.split(',').filter_map(|name| HeaderName::from_bytes(name.trim().as_bytes()).ok());
    let mut allowed = ALLOWED.to_owned();
    for name in names.filter(|name| name.as_str().starts_with("mcp-param-")) {
        allowed.push_str(", ");
        allowed.push_str(name.as_str());
    }
    allowed.parse().unwrap_or_else(|_| HeaderValue::from_static(ALLOWED))
}
