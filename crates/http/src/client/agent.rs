//! The agent: sends requests over connections that it keeps.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{LOCATION, PROXY_AUTHORIZATION};
use http::{HeaderMap, Method, Request, StatusCode, Uri};
use hyper::rt::Executor;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::TokioTimer;

use super::answer::AnswerBody;
use super::authorizer::{Asked, Authorizer, Reaction, Refusal};
use super::dialer::{Dial, Dialer};
use super::error::Kind;
use super::origin::{has_userinfo, resolve, same_origin};
use super::proxies::Proxies;
use super::resolve::Resolve;
#[cfg(feature = "client-tls")]
use super::tls::Tls;
use super::{Answer, Error};
use jackfield_peer::Background;

use crate::Body;
use crate::fetch::Reach;

/// The most of a refusal that an authorizer sees.
const REFUSAL_BYTES: usize = 64 * 1024;

/// Sends requests over connections that it keeps and reuses. Clones share them; the last one to go ends them.
///
/// A redirect is followed only within the origin, and only if it keeps the request as it is; any other is returned as the
/// answer. Nothing is ever sent to an origin that the request does not name.
#[derive(Clone)]
pub struct Agent {
    client: Client<Dialer, Body>,
    dialer: Dialer,
    limits: Limits,
    /// Owns the connections.
    _connections: Arc<Background>,
}

#[derive(Clone, Copy, Debug)]
struct Limits {
    redirects: u32,
    authorizations: u32,
}

/// How an agent connects, and its limits.
#[derive(Debug)]
#[non_exhaustive]
pub struct AgentConfig {
    /// How long opening a connection may take, TLS included.
    pub connect_timeout: Duration,
    /// How long an unused connection is kept.
    pub idle_timeout: Duration,
    /// The longest head of an answer, in bytes; at least 8 KiB.
    pub header_bytes: usize,
    /// The most headers of an answer.
    pub headers: usize,
    /// The most redirects within the origin for one request.
    pub redirects: u32,
    /// The most times that a refused request is sent again.
    pub authorizations: u32,
    /// Whether `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` are heeded. This machine is never reached through a proxy.
    pub proxies_from_environment: bool,
    /// Proxies to use in place of those of the environment, for this machine too.
    pub proxies: Option<Proxies>,
    /// How far connections reach: names are resolved here, and only addresses within reach are dialled. It is for URLs that
    /// strangers chose; without it everything is reached. A proxy would resolve the names itself, so none is used for what is
    /// within [`Reach::Public`] and [`Reach::Web`].
    pub reach: Option<Reach>,
    /// Opens the connections, if not TCP.
    pub dial: Option<Arc<dyn Dial>>,
    /// Says which addresses a host has, if not the operating system. A proxy is asked for names, so this is not.
    pub names: Option<Arc<dyn Resolve>>,
    /// Certificate authorities to trust besides those of the operating system, as PEM text.
    #[cfg(feature = "client-tls")]
    pub authorities: Option<Vec<u8>>,
    /// How TLS is done, if not with what the operating system trusts.
    #[cfg(feature = "client-tls")]
    pub tls: Option<rustls::ClientConfig>,
}

impl Default for AgentConfig {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(60),
            header_bytes: 64 * 1024,
            headers: 100,
            redirects: 3,
            authorizations: 5,
            proxies_from_environment: true,
            proxies: None,
            reach: None,
            dial: None,
            names: None,
            #[cfg(feature = "client-tls")]
            authorities: None,
            #[cfg(feature = "client-tls")]
            tls: None,
        }
    }
}

impl Default for Agent {
    fn default() -> Self {
        Self::new(AgentConfig::default())
    }
}

impl Agent {
    /// Makes an agent.
    #[must_use]
    pub fn new(mut config: AgentConfig) -> Self {
        if let Some(proxies) = config.proxies.take() {
            return Self::assemble(Some(proxies.matcher), true, config);
        }
        let heeds_proxies = config.proxies_from_environment && matches!(config.reach, None | Some(Reach::Desktop));
        Self::through(heeds_proxies.then(Matcher::from_env), config)
    }

    /// Makes an agent that uses these proxies.
    pub(super) fn through(proxies: Option<Matcher>, config: AgentConfig) -> Self {
        Self::assemble(proxies, false, config)
    }

    fn assemble(proxies: Option<Matcher>, proxies_loopback: bool, config: AgentConfig) -> Self {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        // A server that vanished without a word is noticed, even if nothing is sent to it.
        tcp.set_keepalive(Some(Duration::from_secs(30)));
        tcp.set_keepalive_interval(Some(Duration::from_secs(15)));
        tcp.set_keepalive_retries(Some(3));
        let dialer = Dialer {
            tcp,
            reach: config.reach,
            proxies: proxies.map(Arc::new),
            proxies_loopback,
            #[cfg(feature = "client-tls")]
            tls: Tls::new(config.tls, config.authorities),
            dial: config.dial,
            names: config.names,
            timeout: config.connect_timeout,
        };
        let connections = Arc::new(Background::default());
        let client = Client::builder(Spawner(Arc::downgrade(&connections)))
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(config.idle_timeout)
            .http1_max_headers(config.headers)
            .http1_max_buf_size(config.header_bytes.max(8192))
            .http2_max_header_list_size(u32::try_from(config.header_bytes).unwrap_or(u32::MAX))
            .http2_keep_alive_interval(Duration::from_secs(30))
            .build(dialer.clone());
        let limits = Limits { redirects: config.redirects, authorizations: config.authorizations };
        Self { client, dialer, limits, _connections: connections }
    }

    /// Whether requests for this address go through a proxy, which then resolves the name.
    #[must_use]
    pub fn is_proxied(&self, uri: &Uri) -> bool {
        self.dialer.proxy(uri).is_some()
    }

    /// Sends a request, and sends it again while the authorizer says so.
    ///
    /// The answer may have any status. How long to wait for it is the caller's business.
    ///
    /// # Errors
    /// The address is no `http` or `https` URL, no connection could be opened, it broke, or the authorizer failed.
    ///
    /// # Cancellation
    /// Dropping the future ends the exchange; the server may have got the request.
    pub async fn send(&self, request: Request<Bytes>, authorizer: Option<&dyn Authorizer>) -> Result<Answer, Error> {
        let (parts, body) = request.into_parts();
        check(&parts.uri)?;
        let mut head = Head { method: parts.method, uri: parts.uri, headers: parts.headers, body };
        let Some(authorizer) = authorizer else { return self.follow(&mut head).await };
        let own = head.headers.clone();
        let mut attempt = 0;
        loop {
            let asked = Asked { method: &head.method, uri: &head.uri, attempt };
            let sent = authorizer.headers(asked).await.map_err(|cause| Error::new(Kind::Authorization, cause))?;
            for name in sent.keys() {
                head.headers.remove(name);
            }
            head.headers.extend(sent.clone());
            let mut answer = self.follow(&mut head).await?;
            if !matches!(answer.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
                authorizer.answered(&answer.headers);
                return Ok(answer);
            }
            let text = answer.beginning(REFUSAL_BYTES).await.unwrap_or_default().freeze();
            answer.body = AnswerBody::Read(Some(text.clone()));
            if attempt >= self.limits.authorizations {
                return Ok(answer);
            }
            let refusal = Refusal {
                method: head.method.clone(),
                uri: head.uri.clone(),
                status: answer.status,
                headers: answer.headers.clone(),
                body: text,
                sent,
                attempt,
            };
            match authorizer.refused(&refusal).await.map_err(|cause| Error::new(Kind::Authorization, cause))? {
                // What was refused is not sent again, unless the authorizer says so.
                Reaction::Retry => {
                    attempt = attempt.saturating_add(1);
                    head.headers.clone_from(&own);
                }
                Reaction::GiveUp => return Ok(answer),
            }
        }
    }

    /// Sends a request, and follows redirects that stay within the origin and keep the request.
    async fn follow(&self, head: &mut Head) -> Result<Answer, Error> {
        let mut redirects = 0;
        loop {
            let response = self.client.request(self.request(head)).await.map_err(Error::from_client)?;
            let next =
                (redirects < self.limits.redirects).then(|| head.redirect(response.status(), response.headers()));
            let Some(uri) = next.flatten() else { return Ok(Answer::new(response)) };
            head.uri = uri;
            redirects = redirects.saturating_add(1);
        }
    }

    fn request(&self, head: &Head) -> Request<Body> {
        let body = if head.body.is_empty() { Body::empty() } else { Body::full(head.body.clone()) };
        let mut request = Request::new(body);
        *request.method_mut() = head.method.clone();
        *request.uri_mut() = head.uri.clone();
        *request.headers_mut() = head.headers.clone();
        if let Some(value) = self.dialer.proxy_authorization(&head.uri) {
            request.headers_mut().insert(PROXY_AUTHORIZATION, value);
        }
        request
    }
}

/// A request that can be sent again.
struct Head {
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
}

impl Head {
    /// Returns where a redirect leads, if it may be followed.
    fn redirect(&self, status: StatusCode, headers: &HeaderMap) -> Option<Uri> {
        let keeps_the_request = match status {
            StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT => true,
            // These turn a POST into a GET.
            StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND | StatusCode::SEE_OTHER => self.method == Method::GET,
            _ => false,
        };
        let location = headers.get(LOCATION).filter(|_| keeps_the_request)?.to_str().ok()?;
        resolve(&self.uri, location).filter(|uri| same_origin(&self.uri, uri))
    }
}

fn check(uri: &Uri) -> Result<(), Error> {
    let is_web = matches!(uri.scheme_str(), Some("http" | "https"));
    match uri.authority() {
        Some(authority) if is_web && !authority.host().is_empty() && !has_userinfo(authority) => Ok(()),
        _ => Err(Error::new(Kind::Address, "it is not a plain http or https URL")),
    }
}

/// Runs what a connection needs, for as long as the agent lives.
#[derive(Clone)]
struct Spawner(std::sync::Weak<Background>);

impl<F: Future<Output = ()> + Send + 'static> Executor<F> for Spawner {
    fn execute(&self, task: F) {
        if let Some(tasks) = self.0.upgrade() {
            tasks.spawn(task);
        }
    }
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent").field("limits", &self.limits).finish_non_exhaustive()
    }
}
