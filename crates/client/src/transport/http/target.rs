//! A server's URL, and how to talk to it.

use std::fmt;
use std::sync::Arc;

use http::header::{ACCEPT, AUTHORIZATION, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderName, HeaderValue, Uri};
#[cfg(feature = "tls")]
use jackfield_http::client::AgentConfig;
use jackfield_http::client::{Agent, Authorizer};

use super::eras::EraCache;
use crate::Error;
use crate::error::Cause;

/// A server's URL, and how to talk to it.
///
/// ```no_run
/// # async fn example() -> Result<(), jackfield_client::Error> {
/// use jackfield_client::{Client, Http};
///
/// let server = Http::new("https://example.com/mcp").header("X-Api-Key", "…");
/// let client = Client::builder().connect(server).await?;
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing happens until a client connects to it"]
pub struct Http {
    pub(super) uri: Result<Uri, Error>,
    pub(super) headers: HeaderMap,
    pub(super) authorizer: Option<Arc<dyn Authorizer>>,
    pub(super) agent: Option<Agent>,
    pub(super) eras: EraCache,
    pub(super) allows_http_sse: bool,
}

impl Http {
    /// Names a server by its `http` or `https` URL. What is wrong with it is said when a client connects.
    pub fn new(url: impl AsRef<str>) -> Self {
        Self {
            uri: parse(url.as_ref()),
            headers: HeaderMap::new(),
            authorizer: None,
            agent: None,
            eras: EraCache::of_process(),
            allows_http_sse: true,
        }
    }

    /// Sends a header with every request, such as a key. It is never logged, and never leaves the origin of the URL.
    pub fn header(mut self, name: impl AsRef<str>, value: impl AsRef<str>) -> Self {
        match header(name.as_ref(), value.as_ref()) {
            Some((name, value)) => {
                self.headers.append(name, value);
            }
            None if self.uri.is_ok() => self.uri = Err(Cause::BadHeader(name.as_ref().to_owned()).into()),
            None => {}
        }
        self
    }

    /// Sends `Authorization: Bearer …` with every request.
    pub fn bearer(self, token: impl AsRef<str>) -> Self {
        self.header(AUTHORIZATION.as_str(), format!("Bearer {}", token.as_ref()))
    }

    /// Asks this for the headers that say who is asking, and what to do when the server refuses.
    pub fn authorizer(mut self, authorizer: Arc<dyn Authorizer>) -> Self {
        self.authorizer = Some(authorizer);
        self
    }

    /// The extensions by which the tokens for this server are obtained.
    pub(crate) fn extensions(&self) -> &[&'static str] {
        self.authorizer.as_deref().map_or(&[], Authorizer::extensions)
    }

    /// Sends through this agent, and shares its connections; otherwise the client has its own.
    pub fn agent(mut self, agent: Agent) -> Self {
        self.agent = Some(agent);
        self
    }

    /// Trusts these certificate authorities, given as PEM text, besides those that the operating system trusts.
    #[cfg(feature = "tls")]
    pub fn trust(self, pem: impl Into<Vec<u8>>) -> Self {
        let mut config = AgentConfig::default();
        config.authorities = Some(pem.into());
        self.agent(Agent::new(config))
    }

    /// Remembers here what the server speaks, instead of in the memory that all clients of the process share.
    pub fn eras(mut self, eras: EraCache) -> Self {
        self.eras = eras;
        self
    }

    /// Never falls back to the two channels of 2024-11-05.
    pub fn without_http_sse(mut self) -> Self {
        self.allows_http_sse = false;
        self
    }
}

impl<T: AsRef<str>> From<T> for Http {
    fn from(url: T) -> Self {
        Self::new(url)
    }
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http").field("uri", &self.uri.as_ref().map(Uri::path)).finish_non_exhaustive()
    }
}

fn parse(url: &str) -> Result<Uri, Error> {
    // What follows a `#` is for browsers and never sent.
    let plain = url.split('#').next().unwrap_or_default().trim();
    let uri: Option<Uri> = plain.parse().ok();
    let is_plain = |uri: &Uri| {
        let is_web = matches!(uri.scheme_str(), Some("http" | "https"));
        is_web
            && uri
                .authority()
                .is_some_and(|authority| !authority.host().is_empty() && !authority.as_str().contains('@'))
    };
    // A password in it must not appear in an error.
    uri.filter(is_plain)
        .ok_or_else(|| Cause::BadUrl(if url.contains('@') { "…@…".to_owned() } else { url.to_owned() }).into())
}

/// Reads a header of the user. Those that belong to the protocol or to HTTP itself cannot be set.
fn header(name: &str, value: &str) -> Option<(HeaderName, HeaderValue)> {
    let name: HeaderName = name.parse().ok()?;
    let ours = name.as_str().starts_with("mcp-")
        || name == "last-event-id"
        || [ACCEPT, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, TRANSFER_ENCODING].contains(&name);
    let mut value = HeaderValue::from_str(value).ok().filter(|_| !ours)?;
    value.set_sensitive(true);
    Some((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_web_addresses_are_servers() {
        for good in ["http://localhost:1", "https://h/mcp?x=1#y", "http://[::1]:8000/mcp"] {
            assert!(Http::new(good).uri.is_ok(), "{good}");
        }
        for bad in ["", "h/mcp", "/mcp", "ftp://h/", "http://", "file:///etc/passwd", "http://a b/"] {
            assert!(matches!(&Http::new(bad).uri, Err(error) if matches!(error.cause(), Cause::BadUrl(_))), "{bad}");
        }
        let secret = Http::new("https://user:secret@h/mcp");
        assert!(!format!("{:?}", secret.uri).contains("secret"));
    }

    /// T-033: a header cannot end its line, and none shows up in what is printed.
    #[test]
    fn headers_are_checked_and_kept_secret() {
        let http = Http::new("http://h/").header("X-Key", "secret").bearer("secret");
        assert_eq!(http.headers.len(), 2);
        assert!(!format!("{http:?} {:?}", http.headers).contains("secret"));
        for (name, value) in [("X-Key", "a\r\nb: c"), ("X Key", "a"), ("Mcp-Session-Id", "1"), ("Host", "evil")] {
            assert!(
                Http::new("http://h/")
                    .header(name, value)
                    .uri
                    .is_err_and(|error| matches!(error.cause(), Cause::BadHeader(_))),
                "{name}"
            );
        }
    }
}
