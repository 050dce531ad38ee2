//! The front of all endpoints: what every request passes, and where it goes.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use bytes::Bytes;
use http::request::Parts;
use http::{Method as Verb, Request, Response, StatusCode};
use http_body::Body as HttpBody;
use jackfield_peer::tape::Tape;
use jackfield_peer::{CallLimits, Handler, Shutdown, ShutdownTrigger, received};
use jackfield_protocol::envelope::{Message, MethodName, Rejected};
use jackfield_protocol::{Method, Revision, meta::key};
use jackfield_store::Stores;
use tokio::time::Instant;

use super::arrived::{Arrived, address_of, id_of, params_of};
use crate::events::MemoryEventLog;
use crate::legacy::{SessionHost, SseEndpoint, StreamableEndpoint};
use crate::modern::ModernEndpoint;
use crate::nodes::{Cluster, Node};
use crate::request::{self, Accepts, ClientMemo, Cors, HostOriginCheck, McpHeaders, Version, read_body};
use crate::response::{HttpAnswer, RecordedExchange, respond};
use crate::session::Shared;
use crate::{Body, HttpConfig, HttpLimits};

/// The front of all endpoints: what every request passes, and where it goes.
pub(crate) struct Endpoint {
    pub(crate) config: HttpConfig,
    pub(crate) shared: Arc<Shared>,
    pub(crate) host: Arc<SessionHost>,
    modern: ModernEndpoint,
    streamable: Arc<StreamableEndpoint>,
    sse: Option<SseEndpoint>,
    cluster: Option<Arc<Cluster>>,
    host_origin: HostOriginCheck,
    cors: Cors,
    /// Every request is looked at on its way in, or recorded.
    has_detour: bool,
    /// The server speaks a revision that has sessions.
    has_sessions: bool,
    trigger: ShutdownTrigger,
}

/// What a path stands for.
#[derive(Clone, Copy)]
enum Route<'a> {
    Mcp,
    SseStream(&'a SseEndpoint),
    SseMessage(&'a SseEndpoint),
    Health,
    Unknown,
}

impl Endpoint {
    pub(crate) fn new(handler: Arc<dyn Handler>, config: HttpConfig) -> Arc<Self> {
        let (trigger, shutdown) = Shutdown::new();
        let shared = Arc::new(Shared {
            limits: config.limits.clone(),
            calls: handler.call_limits(),
            log: Arc::new(MemoryEventLog::new(&config.limits)),
            node: config.stores.clone().filter(Stores::is_shared).map(Node::new),
            shutdown,
            retry: config.retry,
            start: Instant::now(),
            next_key: AtomicU64::new(0),
        });
        let host = SessionHost::new(handler.clone(), shared.clone());
        let cluster = shared.node.clone().map(|node| Cluster::new(node, host.clone()));
        let has_sessions = handler.revisions().iter().any(|revision| revision.has_handshake());
        let sse = config.sse.clone().filter(|_| has_sessions);
        Arc::new(Self {
            host_origin: HostOriginCheck::new(&config),
            cors: Cors::new(&config),
            has_detour: config.authenticator.is_some() || config.routes.is_some() || config.tape.is_some(),
            has_sessions,
            modern: ModernEndpoint::new(handler, shared.clone()),
            streamable: StreamableEndpoint::new(host.clone(), cluster.clone()),
            sse: sse.map(|paths| SseEndpoint::new(host.clone(), cluster.clone(), paths)),
            cluster,
            config,
            shared,
            host,
            trigger,
        })
    }

    pub(crate) fn limits(&self) -> &HttpLimits {
        &self.shared.limits
    }

    /// Returns the limits of calls, which are the handler's.
    pub(crate) fn calls(&self) -> &CallLimits {
        &self.shared.calls
    }

    /// Serves one request. `any_path` treats every path as the endpoint's own.
    ///
    /// Head and body come apart, and the code that needs the body borrows it: the future of a request is small, because it lies in memory of its
    /// own for each connection.
    pub(crate) async fn serve<B>(
        &self,
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
            let answer = self.dispatch(&parts, &checked.headers, &mut body, any_path, from).await;
            if allowed.is_some() { answer.response().await } else { answer.response_to(&mut parts).await }
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
        &self,
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
        let is_for_us = || any_path || !matches!(self.route(arrived.uri.path()), Route::Health | Route::Unknown);
        let (mut response, recorded) = match self.config.tape.as_ref().filter(|_| is_for_us()) {
            None => (self.dispatch(arrived, &known, body, any_path, from).await.response().await, None),
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
        &self,
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
            return (self.dispatch(parts, known, body, any_path, from).await.response().await, Some(recorded));
        }
        let text = match read_body(body, self.limits()).await {
            Ok(text) => text,
            Err(refusal) => return (*refusal, Some(RecordedExchange::begin(tape, parts, None))),
        };
        let recorded = RecordedExchange::begin(tape, parts, Some(&text));
        (self.dispatch(parts, known, &mut Body::full(text), any_path, from).await.response().await, Some(recorded))
    }

    async fn dispatch<B>(
        &self,
        parts: &Arc<Parts>,
        known: &McpHeaders<'_>,
        body: &mut B,
        any_path: bool,
        from: Option<&ClientMemo>,
    ) -> HttpAnswer
    where
        B: HttpBody + Unpin,
    {
        let route = if any_path { Route::Mcp } else { self.route(parts.uri.path()) };
        // What is rare is boxed, so that the future of a request stays small: it is moved more than once.
        let response: Response<Body> = match (route, &parts.method) {
            (Route::Mcp, &Verb::POST) => {
                return match self.body(known, body).await {
                    Ok(text) => self.post(parts, known, from, &text),
                    Err(refusal) => refusal.into(),
                };
            }
            (Route::Mcp, &Verb::GET) if self.has_sessions => Box::pin(self.streamable.get(parts, known)).await,
            (Route::Mcp, &Verb::DELETE) if self.has_sessions => Box::pin(self.streamable.delete(parts, known)).await,
            (Route::Mcp, _) if self.has_sessions => respond::method_not_allowed("GET, POST, DELETE"),
            (Route::SseStream(sse), &Verb::GET) => Box::pin(sse.open(parts)).await,
            (Route::SseMessage(sse), &Verb::POST) => match self.body(known, body).await {
                Ok(text) => Box::pin(sse.message(parts, &text)).await,
                Err(response) => *response,
            },
            (Route::Health, &Verb::GET | &Verb::HEAD) => self.health(),
            (Route::Mcp | Route::SseMessage(_), _) => respond::method_not_allowed("POST"),
            (Route::SseStream(_) | Route::Health, _) => respond::method_not_allowed("GET"),
            (Route::Unknown, _) => respond::refusal(
                StatusCode::NOT_FOUND,
                format!("nothing is served here; the endpoint is at {}", self.config.path),
            ),
        };
        response.into()
    }

    fn route(&self, path: &str) -> Route<'_> {
        if path == self.config.path {
            return Route::Mcp;
        }
        match &self.sse {
            Some(sse) if path == sse.paths().stream => Route::SseStream(sse),
            Some(sse) if path == sse.paths().message => Route::SseMessage(sse),
            _ if self.config.health_path.as_deref() == Some(path) => Route::Health,
            _ => Route::Unknown,
        }
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
    fn post(&self, parts: &Arc<Parts>, known: &McpHeaders<'_>, from: Option<&ClientMemo>, text: &Bytes) -> HttpAnswer {
        let Some(accepts) = Accepts::of(known.accept, &parts.headers) else {
            let message = "the answer is application/json or text/event-stream; accept both";
            return respond::refusal(StatusCode::NOT_ACCEPTABLE, message).into();
        };
        let read = match from {
            Some(from) => from.read(text, self.calls().batch_entries),
            None => Message::read(text, self.calls().batch_entries),
        };
        let message = match read {
            Ok(message) => message,
            Err(rejected) => return self.rejected(parts, known, accepts, rejected),
        };
        let version = match Version::of(known, &parts.headers) {
            Ok(version) => version,
            Err(error) => {
                return respond::error(StatusCode::BAD_REQUEST, id_of(&message), &error, Revision::LATEST).into();
            }
        };
        let address = address_of(parts, from);
        let arrived = Arrived { parts: parts.clone(), address, version, accepts };
        if self.is_modern(&arrived.version, &message) {
            self.modern.post(arrived, known, from, message)
        } else {
            self.streamable.post(arrived, known, message)
        }
    }

    /// Refuses a POST whose message cannot be served. If it was meant to be an answer, the side that asked need not wait any longer.
    #[cold]
    fn rejected(&self, parts: &Arc<Parts>, known: &McpHeaders<'_>, accepts: Accepts, rejected: Rejected) -> HttpAnswer {
        let id = rejected.about.asked();
        let refusal = respond::error(StatusCode::BAD_REQUEST, id, &rejected.error, Revision::LATEST);
        let (Ok(message), Ok(version)) = (received(Err(rejected)), Version::of(known, &parts.headers)) else {
            return refusal.into();
        };
        if self.is_modern(&version, &message) {
            return refusal.into();
        }
        let arrived = Arrived { parts: parts.clone(), address: None, version, accepts };
        let passed_on = self.streamable.post(arrived, known, message);
        HttpAnswer::pending(async move {
            passed_on.response().await;
            refusal
        })
    }

    /// Begins what a node does besides answering requests; where there is one process, nothing.
    pub(crate) fn start_node(&self) {
        if let Some(cluster) = &self.cluster {
            cluster.start();
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
            _ if opens => !self.has_sessions,
            Version::Unknown(_) => true,
            Version::Absent | Version::Known(_) => !self.has_sessions,
        }
    }

    fn health(&self) -> Response<Body> {
        if self.shared.shutdown.is_triggered() {
            return respond::json(StatusCode::SERVICE_UNAVAILABLE, &br#"{"status":"stopping"}"#[..]);
        }
        respond::json(StatusCode::OK, &br#"{"status":"ok"}"#[..])
    }

    /// Tells streams and handlers that the server is about to end.
    pub(crate) fn begin_shutdown(&self) {
        self.trigger.trigger();
    }

    /// Waits for calls that go on without a connection, then ends all sessions.
    pub(crate) async fn finish_shutdown(&self, limit: Duration) {
        self.host.shut_down(limit).await;
        if let Some(node) = &self.shared.node {
            node.stop().await;
        }
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("config", &self.config).finish_non_exhaustive()
    }
}
