//! A server that serves.

use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use jackfield_peer::tape::Tape;
use jackfield_peer::{Answering, CallLimits, Handler, Incoming, Reply, Session, StreamLimits};
use jackfield_protocol::{AnyResult, ErrorObject, Implementation, Outcome, ParamHeader, Revision};
use jackfield_store::Stores;
use tower_service::Service;

use crate::Registry;
use crate::builder::lifespan::Open;
use crate::routing::hooks::Boxed;
use crate::routing::middleware::boxed;
use crate::routing::router::Router;

/// A server that has been started: a [`Handler`] and a `tower` service. Clones are handles of the same one.
///
/// It serves until it is [stopped](Self::stop). Dropping the last handle drops what lifespans opened without closing it.
#[derive(Clone)]
pub struct RunningServer {
    shared: Arc<Shared>,
}

struct Shared {
    setup: Setup,
    open: Open,
}

/// What a server is made of when it is built.
pub(crate) struct Setup {
    pub(crate) router: Arc<Router>,
    /// The router, or the middleware around it.
    pub(crate) entrance: Option<Arc<dyn Handler>>,
    pub(crate) limits: CallLimits,
    pub(crate) stream_limits: StreamLimits,
    pub(crate) stores: Option<Stores>,
    pub(crate) tape: Option<Tape>,
}

impl RunningServer {
    pub(crate) fn new(setup: Setup, open: Open) -> Self {
        Self { shared: Arc::new(Shared { setup, open }) }
    }

    /// Ends listen streams and tasks, and closes what lifespans opened, the newest first. Connections have to be ended before. A task that
    /// still runs fails, which can be seen where its store outlives the server.
    pub async fn stop(&self) {
        self.end_streams();
        self.setup().router.tasks.stop().await;
        self.shared.open.close().await;
    }

    /// Ends all listen streams, each with its result. Connections do that by themselves when they are told to end.
    pub fn end_streams(&self) {
        self.setup().router.stop.trigger();
    }

    /// Returns what adds and removes tools, resources and prompts at any time.
    #[must_use]
    pub fn registry(&self) -> Registry {
        Registry::new(&self.setup().router.core)
    }

    /// Returns the stores, if there are any of its own.
    #[must_use]
    pub fn stores(&self) -> Option<&Stores> {
        self.setup().stores.as_ref()
    }

    /// Returns the tape that messages are recorded on, if there is one.
    #[must_use]
    pub fn tape(&self) -> Option<&Tape> {
        self.setup().tape.as_ref()
    }

    /// Returns what the server says about itself.
    #[must_use]
    pub fn info(&self) -> &Implementation {
        &self.setup().router.info
    }

    pub(crate) fn setup(&self) -> &Setup {
        &self.shared.setup
    }
}

impl Handler for RunningServer {
    fn handle(&self, incoming: Incoming) -> Answering {
        match &self.setup().entrance {
            None => self.setup().router.handle(incoming),
            Some(entrance) => entrance.handle(incoming),
        }
    }

    fn revisions(&self) -> &[Revision] {
        self.setup().router.revisions()
    }

    fn identity(&self, revision: Revision) -> Option<&[u8]> {
        self.setup().router.identity(revision)
    }

    fn call_limits(&self) -> CallLimits {
        self.setup().limits.clone()
    }

    fn resumed(&self, session: &Arc<Session>, after: Option<u64>) {
        self.setup().router.core.hub.resume(session, after);
    }

    fn param_headers(&self, tool: &str) -> Option<Arc<[ParamHeader]>> {
        crate::routing::tools::headers(&self.setup().router, tool)
    }
}

impl Service<Incoming> for RunningServer {
    type Response = Outcome<AnyResult>;
    type Error = ErrorObject;
    type Future = Boxed<Reply>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), ErrorObject>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, incoming: Incoming) -> Self::Future {
        boxed(self.handle(incoming))
    }
}

impl fmt::Debug for RunningServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunningServer").field("info", self.info()).finish_non_exhaustive()
    }
}
