//! What all exchanges of one connection share.

use std::collections::HashMap;
use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Uri};
use jackfield_http::client::{Agent, Answer, Asked, Authorizer, Boxed, NotAuthorized, Reaction, Refusal};
use jackfield_protocol::Revision;
use tokio::sync::{oneshot, watch};
use tokio::task::{AbortHandle, JoinSet};

use super::eras::{EraCache, KnownServer};
use super::message::{self, Message};
use crate::{EndReason, Failure, Inbox, Limits, NotSent, Restarts, Timeouts};

/// A server and how to talk to it; the same for all connections of a client.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) uri: Uri,
    pub(super) url: String,
    pub(super) headers: HeaderMap,
    pub(super) authorizer: Option<Arc<dyn Authorizer>>,
    pub(super) agent: Agent,
    pub(super) eras: EraCache,
    pub(super) allows_http_sse: bool,
    pub(super) limits: Limits,
    pub(super) timeouts: Timeouts,
    pub(super) restarts: Restarts,
    /// Requests that the server did not take because their session was over.
    pub(super) untaken: Mutex<Vec<Message>>,
    /// The last connection used the two channels of 2024-11-05.
    pub(super) over_http_sse: AtomicBool,
}

impl Server {
    pub(super) fn known(&self) -> Option<KnownServer> {
        self.eras.recall(&self.url)
    }

    pub(super) fn untaken(&self) -> MutexGuard<'_, Vec<Message>> {
        self.untaken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The two forms of the older era; modern requests look the same in both.
#[derive(Clone, Debug, Default)]
pub(super) enum Form {
    /// Every request is answered where it was sent.
    #[default]
    Streamable,
    /// Requests go to this address, and all answers come on one stream.
    HttpSse(Uri),
}

/// What all exchanges of one connection share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) server: Arc<Server>,
    pub(super) inbox: Inbox,
    agreement: Mutex<Agreement>,
    work: Mutex<Work>,
    /// How many bytes wait to be sent.
    pub(super) waiting: Arc<AtomicUsize>,
    /// Open unless the server must first hear that the handshake is over.
    pub(super) gate: watch::Sender<bool>,
    /// Becomes true when the client wants to end the connection.
    pub(super) closing: watch::Sender<bool>,
}

#[derive(Debug, Default)]
struct Agreement {
    revision: Option<Revision>,
    session: Option<HeaderValue>,
    form: Form,
}

#[derive(Debug)]
struct Work {
    tasks: JoinSet<()>,
    running: HashMap<u64, AbortHandle>,
    /// Tells why the connection is over; none when it is.
    over: Option<oneshot::Sender<EndReason>>,
}

/// More tasks than requests may be under way: notices, answers, and the stream for what the server says by itself.
const FURTHER_TASKS: usize = 256;

/// How long the server may take to hear that a session is over.
const FAREWELL: Duration = Duration::from_secs(5);

impl Shared {
    /// Opens a connection, which costs nothing yet; the future says why it ended.
    pub(super) fn open(server: Arc<Server>, inbox: Inbox) -> (Arc<Self>, impl Future<Output = EndReason> + Send) {
        let (over, ended) = oneshot::channel();
        server.over_http_sse.store(false, Ordering::Relaxed);
        let shared = Arc::new(Self {
            server,
            inbox,
            agreement: Mutex::default(),
            work: Mutex::new(Work { tasks: JoinSet::new(), running: HashMap::new(), over: Some(over) }),
            waiting: Arc::default(),
            gate: watch::Sender::new(true),
            closing: watch::Sender::new(false),
        });
        let run = run(Ending(shared.clone()), ended);
        (shared, run)
    }

    fn agreement(&self) -> MutexGuard<'_, Agreement> {
        self.agreement.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn agree(&self, revision: Revision) {
        self.agreement().revision = Some(revision);
    }

    pub(super) fn agreed(&self) -> Option<Revision> {
        self.agreement().revision
    }

    pub(super) fn form(&self) -> Form {
        self.agreement().form.clone()
    }

    pub(super) fn use_http_sse(&self, endpoint: Uri) {
        self.agreement().form = Form::HttpSse(endpoint);
        self.server.over_http_sse.store(true, Ordering::Relaxed);
    }

    pub(super) fn session(&self) -> Option<HeaderValue> {
        self.agreement().session.clone()
    }

    pub(super) fn begin_session(&self, id: HeaderValue) {
        self.agreement().session = Some(id);
    }

    /// Runs a task of this connection; with an id it can be stopped.
    pub(super) fn spawn(
        self: &Arc<Self>,
        id: Option<u64>,
        task: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), NotSent> {
        let mut work = self.work();
        if work.over.is_none() {
            return Err(NotSent::Ended);
        }
        while work.tasks.try_join_next().is_some() {}
        if work.tasks.len() >= self.server.limits.requests_waiting.saturating_add(FURTHER_TASKS) {
            return Err(NotSent::Full);
        }
        let owner = self.clone();
        let handle = work.tasks.spawn(async move {
            // Made here and not before: a runtime that is closing drops the task where it is spawned, while `work` is locked.
            let _done = Done(owner, id);
            task.await;
        });
        if let Some(id) = id {
            work.running.insert(id, handle);
        }
        Ok(())
    }

    /// Stops the exchange of a request; its stream is closed.
    pub(super) fn stop_exchange(&self, id: u64) {
        let running = self.work().running.remove(&id);
        if let Some(handle) = running {
            handle.abort();
        }
    }

    /// The connection is over; the client may open another one.
    pub(super) fn end(&self, why: EndReason) {
        let over = self.work().over.take();
        if let Some(over) = over {
            let _ = over.send(why);
        }
    }

    pub(super) async fn wait_for_gate(&self) {
        // An error is not possible, because the sender lives as long as `self`.
        let _ = self.gate.subscribe().wait_for(|open| *open).await;
    }

    /// Posts a message to where it belongs.
    pub(super) async fn post(&self, message: &Message) -> Result<Answer, jackfield_http::client::Error> {
        let (revision, session, form) = {
            let agreement = self.agreement();
            (agreement.revision, agreement.session.clone(), agreement.form.clone())
        };
        let uri = match &form {
            Form::HttpSse(endpoint) => endpoint,
            Form::Streamable => &self.server.uri,
        };
        self.ask(message.post(uri, &self.server.headers, revision, session.as_ref())).await
    }

    /// Opens an event stream, or comes back for the rest of one.
    pub(super) async fn get(
        &self,
        last_event_id: Option<HeaderValue>,
    ) -> Result<Answer, jackfield_http::client::Error> {
        let (revision, session) = {
            let agreement = self.agreement();
            (agreement.revision, agreement.session.clone())
        };
        let (uri, headers) = (&self.server.uri, &self.server.headers);
        self.ask(message::get(uri, headers, revision, session.as_ref(), last_event_id)).await
    }

    async fn ask(&self, request: Request<Bytes>) -> Result<Answer, jackfield_http::client::Error> {
        let attentive =
            self.server.authorizer.clone().map(|inner| PausingAuthorizer { inner, inbox: self.inbox.clone() });
        let authorizer = attentive.as_ref().map(|authorizer| authorizer as &dyn Authorizer);
        self.server.agent.send(request, authorizer).await
    }

    /// Says that a request has no answer because something ended.
    pub(super) fn lose(&self, id: u64, why: &str) {
        self.inbox.fail(id, Failure::Lost(EndReason::new(why)));
    }

    async fn say_farewell(&self) {
        let Some(session) = self.session() else { return };
        let request = message::delete(&self.server.uri, &self.server.headers, self.agreed(), &session);
        if tokio::time::timeout(FAREWELL, self.ask(request)).await.is_err() {
            tracing::debug!("the server did not hear in time that its session is over");
        }
    }
}

/// Stays with a connection until it is over, or until the client wants it to be.
async fn run(connection: Ending, ended: oneshot::Receiver<EndReason>) -> EndReason {
    let shared = &connection.0;
    let mut closing = shared.closing.subscribe();
    let why = tokio::select! {
        why = ended => Some(why.unwrap_or_else(|_| EndReason::new("the connection was given up"))),
        _ = closing.wait_for(|closing| *closing) => None,
    };
    if let Some(why) = why {
        return why;
    }
    shared.stop();
    shared.say_farewell().await;
    EndReason::new("the client was closed")
}

impl Shared {
    fn stop(&self) {
        let mut work = self.work();
        work.over = None;
        work.running.clear();
        let tasks = std::mem::take(&mut work.tasks);
        drop(work);
        drop(tasks);
    }
}

/// Ends all tasks of a connection when it is dropped.
struct Ending(Arc<Shared>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Forgets a task when it has ended.
struct Done(Arc<Shared>, Option<u64>);

impl Drop for Done {
    fn drop(&mut self) {
        if let Some(id) = self.1 {
            self.0.work().running.remove(&id);
        }
    }
}

/// Lets nothing time out while the user's authorizer waits for a person.
#[derive(Debug)]
struct PausingAuthorizer {
    inner: Arc<dyn Authorizer>,
    inbox: Inbox,
}

impl Authorizer for PausingAuthorizer {
    fn headers<'a>(&'a self, asked: Asked<'a>) -> Boxed<'a, Result<HeaderMap, NotAuthorized>> {
        self.inner.headers(asked)
    }

    fn refused<'a>(&'a self, refusal: &'a Refusal) -> Boxed<'a, Result<Reaction, NotAuthorized>> {
        Box::pin(async move {
            let _pause = self.inbox.pause_timeouts();
            self.inner.refused(refusal).await
        })
    }

    fn extensions(&self) -> &[&'static str] {
        self.inner.extensions()
    }

    fn answered(&self, headers: &HeaderMap) {
        self.inner.answered(headers);
    }
}
