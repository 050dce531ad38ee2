//! Fetching documents whose addresses strangers chose.

#[cfg(feature = "client")]
mod http_fetch;
mod reach;

#[cfg(feature = "client")]
pub use http_fetch::HttpFetch;
pub use reach::{OutOfReach, Reach, is_public};

use std::fmt;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use serde::de::DeserializeOwned;
use url::Url;

/// What to fetch, and how much of it at most. Printed, it shows neither what is sent nor the query of the address.
#[derive(Clone)]
#[non_exhaustive]
pub struct FetchRequest {
    /// The method.
    pub method: Method,
    /// The address.
    pub url: Url,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
    /// The longest answer; 1 MiB unless it is changed.
    pub limit: usize,
    /// How long all of it may take; 10 seconds unless it is changed.
    pub deadline: Duration,
    /// How many redirects are followed, each checked like the first address; 3 unless it is changed, none after a POST.
    pub redirects: u8,
}

/// What was fetched. Printed, it shows its status and its length: it may hold tokens.
#[derive(Clone)]
#[non_exhaustive]
pub struct Document {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

/// Why nothing was fetched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The address is not one that may be fetched.
    #[error("the address may not be fetched: {0}")]
    Refused(&'static str),
    /// The answer is larger than it may be.
    #[error("the answer is too large")]
    TooLarge,
    /// It took too long.
    #[error("fetching took too long")]
    TimedOut,
    /// The other side answered with an error.
    #[error("the answer has status {0}")]
    Status(StatusCode),
    /// The answer makes no sense.
    #[error("the answer cannot be used: {0}")]
    Unusable(&'static str),
    /// The connection failed.
    #[error("the connection failed")]
    Connection(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl FetchError {
    /// Whether nothing is at a place, or something else is: many sites answer every path with a page.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        match self {
            Self::Status(status) => status.is_client_error() || status.is_redirection(),
            Self::Unusable(_) => true,
            _ => false,
        }
    }
}

impl fmt::Debug for FetchRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut url = self.url.clone();
        url.set_query(None);
        let headers: Vec<&str> = self.headers.keys().map(HeaderName::as_str).collect();
        f.debug_struct("FetchRequest")
            .field("method", &self.method)
            .field("url", &url.as_str())
            .field("headers", &headers)
            .field("body", &self.body.len())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Document").field("status", &self.status).field("body", &self.body.len()).finish_non_exhaustive()
    }
}

impl From<OutOfReach> for FetchError {
    fn from(OutOfReach(why): OutOfReach) -> Self {
        Self::Refused(why)
    }
}

/// A document, now or later.
pub type FetchFuture<'a> = Pin<Box<dyn Future<Output = Result<Document, FetchError>> + Send + 'a>>;

/// Fetches documents. An implementation checks each address by a [`Reach`] after it was resolved, dials the very address it
/// checked, and keeps to the limits of the [`FetchRequest`].
pub trait Fetch: Send + Sync + fmt::Debug + 'static {
    /// Fetches a document.
    fn fetch(&self, request: FetchRequest) -> FetchFuture<'_>;
}

impl FetchRequest {
    /// Asks for a JSON document.
    ///
    /// # Errors
    /// The address is no `http` or `https` URL, or carries user information.
    pub fn get(url: &str) -> Result<Self, FetchError> {
        let url = Url::parse(url).map_err(|_| FetchError::Refused("not a URL"))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(FetchError::Refused("only http and https"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(FetchError::Refused("user information in the URL"));
        }
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        let (limit, deadline) = (1 << 20, Duration::from_secs(10));
        Ok(Self { method: Method::GET, url, headers, body: Bytes::new(), limit, deadline, redirects: 3 })
    }

    /// Posts a form.
    ///
    /// # Errors
    /// As for [`FetchRequest::get`].
    pub fn post_form<'a>(url: &str, form: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, FetchError> {
        let mut request = Self::get(url)?;
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
        request.method = Method::POST;
        request.body = body.into();
        request.redirects = 0;
        Ok(request.with(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded")))
    }

    /// Posts a JSON document.
    ///
    /// # Errors
    /// As for [`FetchRequest::get`], or the document is none.
    pub fn post_json(url: &str, document: &impl serde::Serialize) -> Result<Self, FetchError> {
        let mut request = Self::get(url)?;
        request.method = Method::POST;
        request.body = serde_json::to_vec(document).map_err(|_| FetchError::Unusable("not JSON"))?.into();
        request.redirects = 0;
        Ok(request.with(CONTENT_TYPE, HeaderValue::from_static("application/json")))
    }

    /// Sets a header.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }
}

impl Document {
    /// Puts a document together.
    pub fn new(status: StatusCode, headers: HeaderMap, body: impl Into<Bytes>) -> Self {
        Self { status, headers, body: body.into() }
    }

    /// Returns the document if its status is 200.
    ///
    /// # Errors
    /// It is another.
    pub fn success(self) -> Result<Self, FetchError> {
        if self.status == StatusCode::OK { Ok(self) } else { Err(FetchError::Status(self.status)) }
    }

    /// Reads the document as JSON.
    ///
    /// # Errors
    /// It is none, or lacks something.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, FetchError> {
        serde_json::from_slice(&self.body).map_err(|_| FetchError::Unusable("not the JSON that was expected"))
    }

    /// Returns for how long the document may be kept; none if it does not say, zero if it must not be kept.
    #[must_use]
    pub fn max_age(&self) -> Option<Duration> {
        let texts = self.headers.get_all(CACHE_CONTROL).iter().filter_map(|value| value.to_str().ok());
        let mut age = None;
        for directive in texts.flat_map(|text| text.split(',')).map(str::trim) {
            let (name, value) = directive.split_once('=').unwrap_or((directive, ""));
            if name.eq_ignore_ascii_case("no-store") || name.eq_ignore_ascii_case("no-cache") {
                return Some(Duration::ZERO);
            }
            if name.eq_ignore_ascii_case("max-age") {
                age = value.trim_matches('"').parse().ok().map(Duration::from_secs);
            }
        }
        age
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T-068: what is sent and what comes back holds secrets, and prints none of them.
    #[test]
    fn what_is_fetched_prints_no_secrets() {
        let request =
            FetchRequest::post_form("https://a.example/token?key=s3cret", [("refresh_token", "s3cret")]).unwrap();
        let request = request.with(http::header::AUTHORIZATION, HeaderValue::from_static("Basic s3cret"));
        let mut headers = HeaderMap::new();
        headers.insert("location", HeaderValue::from_static("/cb?code=s3cret"));
        let document = Document::new(StatusCode::OK, headers, r#"{"access_token":"s3cret"}"#);
        let printed = format!("{request:?} {document:?}");
        assert!(!printed.contains("s3cret"), "{printed}");
        assert!(printed.contains("https://a.example/token") && printed.contains("authorization"), "{printed}");
    }
}
