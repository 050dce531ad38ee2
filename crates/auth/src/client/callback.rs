//! Where the browser comes back to: a listener on this machine that takes one answer.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use jackfield_http::Body;
use jackfield_http::client::Boxed;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use url::{Host, Url, form_urlencoded};

use super::browser::{Opener, SystemBrowser, Terminal};
use super::{AuthError, Interaction, Page, Paste, Visit};
use crate::{Secret, random};

/// Opens the login page in a browser, and waits for the user on a port of this machine that nobody knows before. One answer
/// is taken, and only if it brings back the secret that was sent along; others get an error page.
#[derive(Clone, Debug)]
pub struct Loopback {
    opener: Arc<dyn Opener>,
    paste: Option<Arc<dyn Paste>>,
    limit: Duration,
}

const FIVE_MINUTES: Duration = Duration::from_secs(300);
/// How long a browser may take for its request, and to fetch the page that ends the visit.
const REQUEST: Duration = Duration::from_secs(10);
/// How many connections are served at once; more wait.
const CONNECTIONS: usize = 16;

impl Loopback {
    /// Opens pages with an opener of your own.
    pub fn new(opener: impl Opener) -> Self {
        Self { opener: Arc::new(opener), paste: None, limit: FIVE_MINUTES }
    }

    /// Opens pages in the user's browser.
    #[must_use]
    pub fn in_browser() -> Self {
        Self::new(SystemBrowser)
    }

    /// Shows the address in the terminal, and takes the answer from there too; for machines without a browser.
    #[must_use]
    pub fn headless() -> Self {
        Self::new(Terminal).or_paste(Terminal)
    }

    /// Takes the answer from there too, whichever comes first.
    #[must_use]
    pub fn or_paste(mut self, paste: impl Paste) -> Self {
        self.paste = Some(Arc::new(paste));
        self
    }

    /// Sets how long the user may take; five minutes by default.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    async fn listen(&self, wanted: Option<&str>) -> Result<Listening, AuthError> {
        let place = Place::of(wanted)?;
        let mut listener = TcpListener::bind((place.address, place.port)).await;
        if listener.is_err() && place.port != 0 {
            // Somebody else has the port; whether another will do is not for us to say.
            listener = TcpListener::bind((place.address, 0)).await;
        }
        let listener = listener.map_err(|error| AuthError::Interaction(error.to_string()))?;
        let address = listener.local_addr().map_err(|error| AuthError::Interaction(error.to_string()))?;
        let authority = format!("{}:{}", place.host, address.port());
        let redirect_uri = format!("http://{authority}{}", place.path);
        Ok(Listening { settings: self.clone(), listener, authority, path: place.path, redirect_uri })
    }
}

impl Interaction for Loopback {
    fn prepare<'a>(&'a self, wanted: Option<&'a str>) -> Boxed<'a, Result<Box<dyn Visit>, AuthError>> {
        Box::pin(async move { Ok(Box::new(self.listen(wanted).await?) as Box<dyn Visit>) })
    }
}

/// Where to listen.
struct Place {
    host: String,
    address: Ipv4Addr,
    port: u16,
    path: String,
}

impl Place {
    fn of(wanted: Option<&str>) -> Result<Self, AuthError> {
        let address = Ipv4Addr::LOCALHOST;
        let Some(text) = wanted else {
            let path = format!("/callback/{}", random::token()?);
            return Ok(Self { host: address.to_string(), address, port: 0, path });
        };
        let bad = || AuthError::Redirect(text.to_owned());
        let url = Url::parse(text).map_err(|_| bad())?;
        let is_here = match url.host() {
            Some(Host::Ipv4(host)) => host == address,
            Some(Host::Domain(name)) => name == "localhost",
            _ => false,
        };
        if url.scheme() != "http" || !is_here || url.query().is_some() || url.fragment().is_some() {
            return Err(bad());
        }
        let host = url.host_str().unwrap_or_default().to_owned();
        Ok(Self { host, address, port: url.port().unwrap_or(0), path: url.path().to_owned() })
    }
}

/// A listener that waits for one answer.
#[derive(Debug)]
struct Listening {
    settings: Loopback,
    listener: TcpListener,
    authority: String,
    path: String,
    redirect_uri: String,
}

impl Visit for Listening {
    fn redirect_uri(&self) -> &str {
        &self.redirect_uri
    }

    fn visit(self: Box<Self>, page: Page) -> Boxed<'static, Result<String, AuthError>> {
        Box::pin(async move {
            self.settings.opener.open(&page.url).map_err(|error| AuthError::Interaction(error.to_string()))?;
            let limit = self.settings.limit;
            let paste = self.settings.paste.clone();
            let pasted = async {
                match paste {
                    Some(paste) => paste.paste().await.map_err(|error| AuthError::Interaction(error.to_string())),
                    None => std::future::pending().await,
                }
            };
            let answer = async {
                tokio::select! {
                    answer = self.answer(page.state) => answer,
                    pasted = pasted => pasted.map(|text| text.trim().to_owned()),
                }
            };
            tokio::time::timeout(limit, answer).await.unwrap_or(Err(AuthError::TimedOut))
        })
    }
}

impl Listening {
    async fn answer(self, state: Secret) -> Result<String, AuthError> {
        let (found, mut answers) = mpsc::channel(1);
        let expected = Arc::new(Expected { authority: self.authority, path: self.path, state, found });
        let mut connections = JoinSet::new();
        let answer = loop {
            tokio::select! {
                accepted = self.listener.accept(), if connections.len() < CONNECTIONS => match accepted {
                    Ok((stream, peer)) => {
                        connections.spawn(serve(stream, peer, expected.clone()));
                    }
                    Err(error) => return Err(AuthError::Interaction(error.to_string())),
                },
                Some(_) = connections.join_next() => {}
                Some(answer) = answers.recv() => break answer,
            }
        };
        drop(self.listener);
        // The browser gets its page before the listener is gone.
        let _ = tokio::time::timeout(REQUEST, async { while connections.join_next().await.is_some() {} }).await;
        Ok(answer)
    }
}

/// What the right request looks like.
struct Expected {
    authority: String,
    path: String,
    state: Secret,
    found: mpsc::Sender<String>,
}

async fn serve(stream: TcpStream, peer: SocketAddr, expected: Arc<Expected>) {
    if !peer.ip().is_loopback() {
        return;
    }
    let service = service_fn(|request: Request<hyper::body::Incoming>| {
        let answer = expected.take(&request);
        async move { Ok::<_, Infallible>(answer) }
    });
    let mut http = http1::Builder::new();
    http.keep_alive(false).timer(TokioTimer::new()).header_read_timeout(REQUEST).max_buf_size(64 * 1024);
    let _ = tokio::time::timeout(REQUEST, http.serve_connection(TokioIo::new(stream), service)).await;
}

impl Expected {
    fn take<B>(&self, request: &Request<B>) -> Response<Body> {
        let host = request.headers().get(HOST).and_then(|host| host.to_str().ok());
        // A page that rebound its own name to this machine still sends its own name.
        if host != Some(self.authority.as_str()) || request.uri().path() != self.path {
            return page(StatusCode::NOT_FOUND, NOT_HERE);
        }
        if request.method() != Method::GET {
            return page(StatusCode::METHOD_NOT_ALLOWED, NOT_HERE);
        }
        let query = request.uri().query().unwrap_or_default();
        let mut states = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == "state");
        let is_ours = match (states.next(), states.next()) {
            (Some((_, state)), None) => self.state.matches(&state),
            _ => false,
        };
        if !is_ours {
            return page(StatusCode::BAD_REQUEST, NOT_OURS);
        }
        match self.found.try_send(query.to_owned()) {
            Ok(()) => page(StatusCode::OK, DONE),
            Err(_) => page(StatusCode::GONE, NOT_OURS),
        }
    }
}

const DONE: &str = "The answer has arrived. You can close this page and go back to the application.";
const NOT_OURS: &str = "This answer does not belong to a login that is under way. Start the login again.";
const NOT_HERE: &str = "There is nothing here.";

/// A page that is the same for everybody: nothing of the request is in it.
fn page(status: StatusCode, text: &'static str) -> Response<Body> {
    let html = format!("<!doctype html><meta charset=utf-8><title>Login</title><p>{text}</p>\n");
    let mut response = Response::new(Body::full(html));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
