//! Fetching over HTTP, within reach.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use http::header::{ACCEPT, LOCATION};
use http::{HeaderMap, Method, Request, StatusCode};
use url::Url;

use crate::client::{Agent, AgentConfig};

use super::{Document, Fetch, FetchError, FetchFuture, FetchRequest, OutOfReach, Reach};

/// Fetches over HTTP. A name is resolved once per connection; each address is checked, and the connection goes to an
/// address that was checked. Redirects are checked like the first address. There are no cookies, and what was sent to one origin is
/// not sent to another.
#[derive(Clone, Debug)]
pub struct HttpFetch {
    agent: Agent,
    reach: Reach,
}

const CONNECT: Duration = Duration::from_secs(10);

impl HttpFetch {
    /// For servers: `https` to public addresses, and no proxy, because a proxy resolves names by itself.
    #[must_use]
    pub fn public() -> Self {
        Self::new(Reach::Public, AgentConfig::default())
    }

    /// For a user's own machine: loopback and private networks too, and the proxies that the environment names.
    #[must_use]
    pub fn desktop() -> Self {
        Self::new(Reach::Desktop, AgentConfig::default())
    }

    /// Fetches within a reach, and connects as the configuration says. What resolves names there is asked, and its answers are
    /// checked; what dials is not used.
    #[must_use]
    pub fn new(reach: Reach, mut config: AgentConfig) -> Self {
        config.reach = Some(reach);
        config.dial = None;
        config.redirects = 0;
        config.connect_timeout = config.connect_timeout.min(CONNECT);
        Self { agent: Agent::new(config), reach }
    }

    async fn follow(&self, mut request: FetchRequest) -> Result<Document, FetchError> {
        let mut redirects = 0;
        loop {
            self.reach.check_url(&request.url)?;
            let document = self.send(&request).await?;
            let Some(next) = redirect(&request, &document)? else { return Ok(document) };
            redirects += 1;
            if redirects > request.redirects {
                return Err(FetchError::Unusable("too many redirects"));
            }
            if next.origin() != request.url.origin() {
                let accept = request.headers.remove(ACCEPT);
                request.headers = accept.into_iter().map(|value| (ACCEPT, value)).collect();
            }
            request.url = next;
        }
    }

    async fn send(&self, request: &FetchRequest) -> Result<Document, FetchError> {
        let mut url = request.url.clone();
        url.set_fragment(None);
        let mut outgoing = Request::new(request.body.clone());
        *outgoing.method_mut() = request.method.clone();
        *outgoing.uri_mut() = url.as_str().parse().map_err(|_| FetchError::Refused("not a URL"))?;
        *outgoing.headers_mut() = request.headers.clone();
        let answer = self.agent.send(outgoing, None).await.map_err(failure)?;
        let (status, headers) = (answer.status, answer.headers.clone());
        if headers.contains_key(http::header::CONTENT_ENCODING) {
            return Err(FetchError::Unusable("the answer is encoded in a way that was not asked for"));
        }
        Ok(Document::new(status, headers, answer.text(request.limit).await.map_err(failure)?))
    }
}

impl Fetch for HttpFetch {
    fn fetch(&self, request: FetchRequest) -> FetchFuture<'_> {
        Box::pin(async move {
            let deadline = request.deadline;
            tokio::time::timeout(deadline, self.follow(request)).await.unwrap_or(Err(FetchError::TimedOut))
        })
    }
}

/// Returns where an answer sends us, if it does and may.
fn redirect(request: &FetchRequest, document: &Document) -> Result<Option<Url>, FetchError> {
    let is_redirect = matches!(
        document.status,
        StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::SEE_OTHER
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT
    );
    if !is_redirect || request.method != Method::GET || request.redirects == 0 {
        return Ok(None);
    }
    let next = location(&document.headers).and_then(|text| request.url.join(text).ok());
    let next = next.ok_or(FetchError::Unusable("a redirect that leads nowhere"))?;
    if request.url.scheme() == "https" && next.scheme() != "https" {
        return Err(FetchError::Refused("a redirect away from https"));
    }
    if !next.username().is_empty() || next.password().is_some() {
        return Err(FetchError::Refused("user information in the URL"));
    }
    Ok(Some(next))
}

fn location(headers: &HeaderMap) -> Option<&str> {
    headers.get(LOCATION)?.to_str().ok()
}

fn failure(error: crate::client::Error) -> FetchError {
    if error.is_too_long() {
        return FetchError::TooLarge;
    }
    let mut cause: Option<&(dyn StdError + 'static)> = Some(&error);
    while let Some(next) = cause {
        if let Some(io) = next.downcast_ref::<io::Error>()
            && io.get_ref().is_some_and(|inner| inner.is::<OutOfReach>())
        {
            return FetchError::Refused("the address is not public");
        }
        cause = next.source();
    }
    FetchError::Connection(Box::new(error))
}
