//! The endpoint: what every request passes, and where it goes.

use std::fmt;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::request::Parts;
use http::{Method as Verb, Request, Response, StatusCode};
use http_body::Body as HttpBody;
use jackfield_peer::tape::Tape;
use jackfield_peer::{Background, CallerMemo, Handler, Principal, Shutdown, ShutdownTrigger, received};
use jackfield_protocol::envelope::{Message, MethodName, Params, RawId, Rejected};
use jackfield_protocol::{ErrorObject, Method, Revision, meta::key};
use jackfield_store::Stores;
use tokio::time::Instant;

use crate::events::MemoryEventLog;
use crate::legacy::Exchange;
use crate::modern::{self, ModernStream};
use crate::nodes::Node;
use crate::request::{
    self, Accepts, ClientMemo, Cors, HostOriginCheck, McpHeaders, Owner, OwnerCounts, Version, read_body,
};
use crate::response::{RecordedExchange, Served, respond};
use crate::session::{Sessions, Shared};
use crate::sync::Mutex;
use crate::{Body, ClientAddress, HttpConfig, HttpLimits};

/// A request as the endpoint passes it on.
pub(crate) struct Arrived {
    pub(crate) parts: Arc<Parts>,
    /// Where it came from, if that is known.
    pub(crate) address: Option<IpAddr>,
    pub(crate) version: Version,
    pub(crate) accepts: Accepts,
}

/// How far a POST came without waiting. Most come to their end, and nothing of them is moved about.
pub(crate) enum Posted {
    Done(Served),
    /// A modern request whose handler is not ready.
    Modern(Box<ModernStream>, Accepts),
    /// A legacy request, or several, whose handlers are not ready.
    Legacy(Arc<Exchange>),
    /// Something rare that has to wait.
    Later(Pin<Box<dyn Future<Output = Response<Body>> + Send>>),
}

/// What all requests to a server share.
pub(crate) struct Endpoint {
    pub(crate) handler: Arc<dyn Handler>,
    pub(crate) config: HttpConfig,
    pub(crate) shared: Arc<Shared>,
    pub(crate) sessions: Sessions,
    pub(crate) tasks: Background,
    pub(crate) listening: Arc<OwnerCounts>,
    pub(crate) in_flight: Arc<OwnerCounts>,
    pub(crate) notifications: Arc<OwnerCounts>,
    /// The callers of requests whose connections are not ours.
    pub(crate) callers: Mutex<CallerMemo>,
    host_origin: HostOriginCheck,
    cors: Cors,
    /// Every request is looked at on its way in, or recorded.
    has_detour: bool,
    trigger: ShutdownTrigger,
    swept: AtomicU64,
}

/// What a path stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Route {
    Mcp,
    SseStream,
    SseMessage,
    Health,
    Unknown,
}

/// How often idle sessions are checked for.
pub(crate) const SWEEP: Duration = Duration::from_secs(5);

impl Endpoint {
    pub(crate) fn new(handler: Arc<dyn Handler>, config: HttpConfig) -> Arc<Self> {
        let (trigger, shutdown) = Shutdown::new();
        let shared = Shared {
            limits: config.limits.clone(),
            log: Arc::new(MemoryEventLog::new(&config.limits)),
            node: config.stores.clone().filter(Stores::is_shared).map(Node::new),
            shutdown,
            start: Instant::now(),
            next_key: AtomicU64::new(0),
        };
        Arc::new(Self {
            host_origin: HostOriginCheck::new(&config),
            cors: Cors::new(&config),
            has_detour: config.authenticator.is_some() || config.routes.is_some() || config.tape.is_some(),
            handler,
            config,
            shared: Arc::new(shared),
            sessions: Sessions::default(),
            tasks: Background::default(),
            listening: Arc::default(),
            in_flight: Arc::default(),
            notifications: Arc::default(),
            callers: Mutex::new(CallerMemo::default()),
            trigger,
            swept: AtomicU64::new(0),
        })
    }

    pub(crate) fn limits(&self) -> &HttpLimits {
        &self.shared.limits
    }

    /// Serves one request. `any_path` treats every path as the endpoint's own.
    ///
    /// Head and body come apart, and whoever needs the body borrows it: the future of a request is small, because it lies in memory of its
    /// own for each connection.
    pub(crate) async fn serve<B>(
        self: &Arc<Self>,
        mut parts: Arc<Parts>,
        mut body: B,
        any_path: bool,
        from: Option<&ClientMemo>,
    ) -> Response<Body>
    where
        B: HttpBody + Unpin,
    {
        let checked = match self.host_origin.check(&parts) {
            Ok(checked) => checked,
            Err(refused) => {
                tracing::debug!(path = parts.uri.path(), "refused by host or origin");
                return *refused;
            }
        };
        let closes = checked.closes;
        let allowed = self.cors.allowed(&parts.headers);
        let mut response = if parts.method == Verb::OPTIONS && allowed.is_some() {
            respond::empty(StatusCode::NO_CONTENT)
        } else if checked.hides || self.has_detour {
            let hides = checked.hides;
            Box::pin(self.admitted(&mut parts, &mut body, any_path, from, hides)).await
        } else {
            let served = self.dispatch(&parts, &checked.headers, &mut body, any_path, from).await;
            if allowed.is_some() { served.whole() } else { served.answer(&mut parts) }
        };
        if let Some(origin) = allowed {
            Cors::mark(&mut response, origin, &parts.headers);
        }
        if closes {
            response.body_mut().close_after();
        }
        response
    }

    /// Serves a request that is to be checked at, changed, or recorded before the endpoint sees it.
    async fn admitted<B>(
        self: &Arc<Self>,
        arrived: &mut Arc<Parts>,
        body: &mut B,
        any_path: bool,
        from: Option<&ClientMemo>,
        hides: bool,
    ) -> Response<Body>
    where
        B: HttpBody + Unpin,
    {
        let parts = Arc::make_mut(arrived);
        if let Some(routes) = &self.config.routes
            && routes.serves(parts.uri.path())
        {
            return match read_body(body, self.limits()).await {
                Ok(text) => {
                    let request = Request::from_parts(parts.clone(), text);
                    let address = address_of(parts, from);
                    routes.serve(request, address).await
                }
                Err(response) => *response,
            };
        }
        if let Some(authenticator) = &self.config.authenticator
            && let Err(response) = authenticator.authenticate(parts).await
        {
            return response;
        }
        if hides {
            self.host_origin.hide_credentials(parts);
        }
        let known = McpHeaders::find(&arrived.headers);
        let is_for_us =
            || any_path || matches!(self.route(arrived.uri.path()), Route::Mcp | Route::SseStream | Route::SseMessage);
        let (mut response, recorded) = match self.config.tape.as_ref().filter(|_| is_for_us()) {
            None => (self.dispatch(arrived, &known, body, any_path, from).await.whole(), None),
            Some(tape) => self.recorded(tape, arrived, &known, body, any_path, from).await,
        };
        if let Some(authenticator) = &self.config.authenticator {
            authenticator.finish(arrived, &mut response);
        }
        if let Some(recorded) = recorded {
            recorded.answered(&mut response);
        }
        response
    }

    /// Records a request and serves it. The answer is recorded when it is complete.
    async fn recorded<B>(
        self: &Arc<Self>,
        tape: &Tape,
        parts: &Arc<Parts>,
        known: &McpHeaders<'_>,
        body: &mut B,
        any_path: bool,
        from: Option<&ClientMemo>,
    ) -> (Response<Body>, Option<RecordedExchange>)
    where
        B: HttpBody + Unpin,
    {
        if parts.method != Verb::POST || !request::is_json(known.content_type) {
            let recorded = RecordedExchange::begin(tape, parts, None);
            return (self.dispatch(parts, known, body, any_path, from).await.whole(), Some(recorded));
        }
        let text = match read_body(body, self.limits()).await {
            Ok(text) => text,
            Err(refusal) => return (*refusal, Some(RecordedExchange::begin(tape, parts, None))),
        };
        let recorded = RecordedExchange::begin(tape, parts, Some(&text));
        (self.dispatch(parts, known, &mut Body::full(text), any_path, from).await.whole(), Some(recorded))
    }

    async fn dispatch<B>(
        self: &Arc<Self>,
        parts: &Arc<Parts>,
        known: &McpHeaders<'_>,
        body: &mut B,
        any_path: bool,
        from: Option<&ClientMemo>,
    ) -> Served
    where
        B: HttpBody + Unpin,
    {
        let route = if any_path { Route::Mcp } else { self.route(parts.uri.path()) };
        let post = parts.method == Verb::POST;
        let served: Response<Body> = match route {
            Route::Mcp if post => {
                let text = match self.body(known, body).await {
                    Ok(text) => text,
                    Err(refusal) => return refusal.into(),
                };
                match self.post(parts, known, from, &text) {
                    Posted::Done(served) => return served,
                    // What is rare is boxed, so that the future of a request stays small: it is moved more than once.
                    Posted::Modern(under_way, accepts) => Box::pin(modern::wait(under_way, accepts)).await,
                    Posted::Legacy(exchange) => return Box::pin(self.answer(&exchange)).await,
                    Posted::Later(response) => response.await,
                }
            }
            Route::Mcp if parts.method == Verb::GET && self.has_sessions() => Box::pin(self.get(parts, known)).await,
            Route::Mcp if parts.method == Verb::DELETE && self.has_sessions() => {
                Box::pin(self.delete(parts, known)).await
            }
            Route::Mcp if self.has_sessions() => respond::method_not_allowed("GET, POST, DELETE"),
            Route::Mcp => respond::method_not_allowed("POST"),
            Route::SseStream if parts.method == Verb::GET => Box::pin(self.open_http_sse(parts)).await,
            Route::SseStream => respond::method_not_allowed("GET"),
            Route::SseMessage if post => match self.body(known, body).await {
                Ok(text) => Box::pin(self.http_sse_message(parts, &text)).await,
                Err(response) => *response,
            },
            Route::SseMessage => respond::method_not_allowed("POST"),
            Route::Health if parts.method == Verb::GET || parts.method == Verb::HEAD => self.health(),
            Route::Health => respond::method_not_allowed("GET"),
            Route::Unknown => respond::refusal(
                StatusCode::NOT_FOUND,
                format!("nothing is served here; the endpoint is at {}", self.config.path),
            ),
        };
        served.into()
    }

    fn route(&self, path: &str) -> Route {
        let config = &self.config;
        if path == config.path {
            return Route::Mcp;
        }
        match &config.sse {
            Some(sse) if path == sse.stream && self.has_sessions() => return Route::SseStream,
            Some(sse) if path == sse.message && self.has_sessions() => return Route::SseMessage,
            _ => {}
        }
        if config.health_path.as_deref() == Some(path) { Route::Health } else { Route::Unknown }
    }

    /// Whether the server speaks any revision that has sessions.
    fn has_sessions(&self) -> bool {
        self.handler.revisions().iter().any(|revision| revision.has_handshake())
    }

    async fn body<B: HttpBody + Unpin>(
        &self,
        known: &McpHeaders<'_>,
        body: &mut B,
    ) -> Result<Bytes, Box<Response<Body>>> {
        if !request::is_json(known.content_type) {
            let message = "the body must be JSON: send it with content-type application/json";
            return Err(Box::new(respond::refusal(StatusCode::UNSUPPORTED_MEDIA_TYPE, message)));
        }
        read_body(body, self.limits()).await
    }

    /// Serves a POST to the endpoint: finds out the era, from there on each has its own code.
    fn post(
        self: &Arc<Self>,
        parts: &Arc<Parts>,
        known: &McpHeaders<'_>,
        from: Option<&ClientMemo>,
        text: &Bytes,
    ) -> Posted {
        let Some(accepts) = Accepts::of(known.accept, &parts.headers) else {
            let message = "the answer is application/json or text/event-stream; accept both";
            return Posted::Done(respond::refusal(StatusCode::NOT_ACCEPTABLE, message).into());
        };
        let bad = |id: Option<&RawId>, error: &ErrorObject| {
            Posted::Done(respond::error(StatusCode::BAD_REQUEST, id, error, Revision::LATEST).into())
        };
        let read = match from {
            Some(from) => from.read(text, self.limits().batch_entries),
            None => Message::read(text, self.limits().batch_entries),
        };
        let message = match read {
            Ok(message) => message,
            Err(rejected) => return self.rejected(parts, known, accepts, rejected),
        };
        let version = match Version::of(known, &parts.headers) {
            Ok(version) => version,
            Err(error) => return bad(id_of(&message), &error),
        };
        let address = address_of(parts, from);
        let arrived = Arrived { parts: parts.clone(), address, version, accepts };
        if self.is_modern(&arrived.version, &message) {
            self.modern(arrived, known, from, message)
        } else {
            // The clock is read once.
            let now = self.shared.now();
            self.sweep_sometimes(now);
            self.legacy_post(arrived, known, now, message)
        }
    }

    /// Refuses a POST whose message cannot be served. If it was meant to be an answer, whoever asked need not wait any longer.
    #[cold]
    fn rejected(
        self: &Arc<Self>,
        parts: &Arc<Parts>,
        known: &McpHeaders<'_>,
        accepts: Accepts,
        rejected: Rejected,
    ) -> Posted {
        let id = rejected.about.asked();
        let refusal = respond::error(StatusCode::BAD_REQUEST, id, &rejected.error, Revision::LATEST);
        let (Ok(message), Ok(version)) = (received(Err(rejected)), Version::of(known, &parts.headers)) else {
            return Posted::Done(refusal.into());
        };
        if self.is_modern(&version, &message) {
            return Posted::Done(refusal.into());
        }
        let arrived = Arrived { parts: parts.clone(), address: None, version, accepts };
        match self.legacy_post(arrived, known, self.shared.now(), message) {
            Posted::Later(passed_on) => Posted::Later(Box::pin(async move {
                passed_on.await;
                refusal
            })),
            _ => Posted::Done(refusal.into()),
        }
    }

    /// Begins what a node does besides answering requests; where there is one process, nothing.
    pub(crate) fn start_node(self: &Arc<Self>) {
        if let Some(node) = &self.shared.node {
            node.start(self);
        }
    }

    fn is_modern(&self, version: &Version, message: &Message) -> bool {
        let params = params_of(message);
        if version.is_modern() || params.is_some_and(|params| params.meta(key::PROTOCOL_VERSION).is_some()) {
            return true;
        }
        let opens =
            matches!(message, Message::Request(request) if request.method == MethodName::Known(Method::Initialize));
        match version {
            // What a client will speak is agreed upon in the body of `initialize`.
            _ if opens => !self.has_sessions(),
            Version::Unknown(_) => true,
            Version::Absent | Version::Known(_) => !self.has_sessions(),
        }
    }

    fn health(&self) -> Response<Body> {
        if self.shared.shutdown.is_triggered() {
            return respond::json(StatusCode::SERVICE_UNAVAILABLE, &br#"{"status":"stopping"}"#[..]);
        }
        respond::json(StatusCode::OK, &br#"{"status":"ok"}"#[..])
    }

    /// Ends sessions that have been idle for too long, if nobody has looked for a while.
    pub(crate) fn sweep_sometimes(&self, now: u64) {
        let last = self.swept.load(Ordering::Relaxed);
        let due = Duration::from_millis(now.saturating_sub(last)) >= SWEEP;
        if due && self.swept.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            self.sweep();
        }
    }

    pub(crate) fn sweep(&self) {
        for id in self.sessions.sweep(self.shared.now()) {
            tracing::debug!(session = ?id, "an idle session ended");
        }
    }

    /// Tells streams and handlers that the server is about to end.
    pub(crate) fn begin_shutdown(&self) {
        self.trigger.trigger();
    }

    /// Waits for calls that go on without a connection, then ends all sessions.
    pub(crate) async fn finish_shutdown(&self, limit: Duration) {
        self.tasks.drain(limit).await;
        self.sessions.clear();
        if let Some(node) = &self.shared.node {
            node.stop().await;
        }
    }
}

/// Takes a request apart, as `Endpoint::serve` wants it.
pub(crate) fn apart<B>(request: Request<B>) -> (Arc<Parts>, B) {
    let (parts, body) = request.into_parts();
    (Arc::new(parts), body)
}

/// Finds out where a request comes from: the connection knows it, or the application that the service is mounted in.
fn address_of(parts: &Parts, from: Option<&ClientMemo>) -> Option<IpAddr> {
    from.map(|from| from.address).or_else(|| parts.extensions.get::<ClientAddress>().map(|address| address.0))
}

fn params_of(message: &Message) -> Option<&Params> {
    match message {
        Message::Request(request) => Some(&request.params),
        Message::Notification(incident) => Some(&incident.params),
        Message::Answer(_) | Message::Batch(_) => None,
    }
}

pub(crate) fn id_of(message: &Message) -> Option<&RawId> {
    match message {
        Message::Request(request) => Some(&request.id),
        _ => None,
    }
}

impl Arrived {
    pub(crate) fn principal(&self) -> Option<&Principal> {
        self.parts.extensions.get::<Principal>()
    }

    /// Returns who is accountable for the request.
    pub(crate) fn owner(&self) -> Owner {
        let address = self.address.map_or(Owner::Anyone, Owner::Address);
        self.principal().map_or(address, |principal| Owner::Principal(principal.clone()))
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("config", &self.config).finish_non_exhaustive()
    }
}
