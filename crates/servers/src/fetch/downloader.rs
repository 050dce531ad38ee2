//! Sends requests, each to an address that was checked, and follows redirects.

use std::error::Error as StdError;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, LOCATION, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Request, StatusCode, Uri};
use jackfield_http::client::{Agent, AgentConfig, Answer, BadProxy, Proxies, Resolve};
use url::Url;

use super::decompress::{self, decompressed};
use super::destination::{CheckedNames, Destinations, Refusal};
use super::failure::{Failure, Problem};
use super::limits::Limits;
use super::options::{Options, Proxy};

/// Sends requests. Every address is checked before anything is sent to it, and connections are opened to what was checked.
pub(super) struct Downloader {
    agent: Agent,
    destinations: Destinations,
    names: Arc<dyn Resolve>,
    limits: Limits,
}

/// What a site sent.
#[derive(Debug)]
pub(super) struct Download {
    pub(super) status: StatusCode,
    pub(super) content_type: String,
    pub(super) body: Vec<u8>,
}

impl Downloader {
    pub(super) fn new(options: &Options, names: impl Resolve) -> Result<Self, BadProxy> {
        let names: Arc<dyn Resolve> = Arc::new(CheckedNames::new(options.destinations.clone(), names));
        let mut config = AgentConfig::default();
        config.proxies_from_environment = false;
        config.proxies = match &options.proxy {
            Proxy::Environment => Some(Proxies::from_env()?),
            Proxy::Url(url) => Some(Proxies::all(url)?),
            Proxy::Direct => None,
        };
        // Redirects are followed here, where each of them is checked.
        config.redirects = 0;
        config.names = Some(names.clone());
        config.connect_timeout = options.limits.time;
        Ok(Self {
            agent: Agent::new(config),
            destinations: options.destinations.clone(),
            names,
            limits: options.limits,
        })
    }

    /// Sends one request. The URL and the addresses of its host are checked.
    pub(super) async fn send(&self, url: &Url, user_agent: &str) -> Result<Answer, Stopped> {
        self.destinations.check(url)?;
        let mut plain = url.clone();
        plain.set_fragment(None);
        let uri: Uri = plain.as_str().parse().map_err(|_| Problem::BadUrl)?;
        if self.agent.is_proxied(&uri) {
            self.check_before_proxy(url).await?;
        }
        let mut request = Request::new(Bytes::new());
        *request.uri_mut() = uri;
        *request.headers_mut() = headers(user_agent)?;
        self.agent.send(request, None).await.map_err(|error| stopped(&error))
    }

    /// A proxy resolves names itself. What they mean here is checked all the same; a name that only the proxy knows passes.
    async fn check_before_proxy(&self, url: &Url) -> Result<(), Stopped> {
        let Some(name) = url.domain() else { return Ok(()) };
        match self.names.resolve(name, url.port_or_known_default().unwrap_or_default()).await {
            Err(error) => refusal(&error).map_or(Ok(()), |refusal| Err(refusal.into())),
            Ok(_) => Ok(()),
        }
    }

    /// Returns where an answer redirects to, if it does.
    pub(super) fn redirect(url: &Url, answer: &Answer) -> Result<Option<Url>, Problem> {
        if !matches!(answer.status.as_u16(), 301 | 302 | 303 | 307 | 308) {
            return Ok(None);
        }
        let Some(location) = answer.headers.get(LOCATION) else { return Ok(None) };
        let location = String::from_utf8_lossy(location.as_bytes());
        url.join(&location).map(Some).map_err(|_| Problem::BadRedirect)
    }

    /// Reads a body within the limits.
    pub(super) async fn read(&self, answer: Answer) -> Result<Download, Problem> {
        let limit = self.limits.wire_bytes;
        let length = text(&answer.headers, &CONTENT_LENGTH).parse::<usize>();
        if length.is_ok_and(|length| length > limit) {
            return Err(Problem::TooLong(limit));
        }
        let status = answer.status;
        let content_type = text(&answer.headers, &CONTENT_TYPE);
        let encoding = text(&answer.headers, &CONTENT_ENCODING);
        let body = answer.text(limit).await.map_err(|error| match error.is_too_long() {
            true => Problem::TooLong(limit),
            false => Problem::Connection(last_cause(&error)),
        })?;
        let decoded_bytes = self.limits.decoded_bytes;
        let body = in_background(move || decompressed(body.into(), &encoding, decoded_bytes)).await??;
        Ok(Download { status, content_type, body })
    }
}

/// Runs what takes long beside the calls of others.
pub(super) async fn in_background<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
    tokio::task::spawn_blocking(work).await.map_err(|error| Problem::Connection(error.to_string()))
}

/// Why a request was not sent or has no answer.
#[derive(Debug)]
pub(super) enum Stopped {
    Refused(Refusal),
    Failed(Problem),
}

impl Stopped {
    /// Says for which page, and at which address on the way.
    pub(super) fn at(self, page: &str, address: &Url) -> Failure {
        match self {
            Self::Refused(refusal) => Failure::refused(address, refusal),
            Self::Failed(problem) => Failure::Failed { url: page.to_owned(), problem },
        }
    }
}

impl From<Refusal> for Stopped {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<Problem> for Stopped {
    fn from(problem: Problem) -> Self {
        Self::Failed(problem)
    }
}

fn headers(user_agent: &str) -> Result<HeaderMap, Problem> {
    let mut headers = HeaderMap::new();
    let user_agent = HeaderValue::from_str(user_agent)
        .map_err(|_| Problem::Connection("the user agent cannot be sent as a header".to_owned()))?;
    headers.insert(USER_AGENT, user_agent);
    headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(decompress::ACCEPTED));
    Ok(headers)
}

/// Returns all values of a header, joined as one.
fn text(headers: &HeaderMap, name: &HeaderName) -> String {
    let values = headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    values.collect::<Vec<_>>().join(", ")
}

fn stopped(error: &(dyn StdError + 'static)) -> Stopped {
    match refusal(error) {
        Some(refusal) => refusal.into(),
        None if is_refused(error) => Problem::NobodyListens.into(),
        None => Problem::Connection(last_cause(error)).into(),
    }
}

/// Whether nobody listens at any address of the host.
fn is_refused(error: &(dyn StdError + 'static)) -> bool {
    let is_io = error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::ConnectionRefused);
    is_io || error.source().is_some_and(is_refused)
}

/// Finds the refusal of an address among the causes of an error.
fn refusal(error: &(dyn StdError + 'static)) -> Option<Refusal> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(refusal) = error.downcast_ref::<Refusal>() {
            return Some(refusal.clone());
        }
        // An I/O error hands out the cause of what it wraps, not what it wraps.
        let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        if let Some(refusal) = wrapped.and_then(|wrapped| refusal(wrapped)) {
            return Some(refusal);
        }
        cause = error.source();
    }
    None
}

fn last_cause(error: &(dyn StdError + 'static)) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}
