//! One connection: its link, and the questions of the server that are being answered.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use jackfield_peer::Guarded;
use jackfield_peer::tape::{Recorder, Side};
use jackfield_protocol::envelope::{MethodName, Params, RawId, Request};
use jackfield_protocol::error::code;
use jackfield_protocol::{
    ClientResult, EmptyResult, ErrorObject, InputRequest, Method, RequestId, Revision, TaskMetadata,
    write_client_result,
};
use tokio::task::{AbortHandle, JoinSet};

use crate::config::LONGEST_NAME;
use crate::connection::Core;
use crate::questions::{ReceivedTasks, take_wish};
use crate::{BoxFuture, Link, Outgoing, OutgoingKind};

/// One connection to the server.
#[derive(Debug)]
pub(crate) struct Connection {
    state: Mutex<Inner>,
    recorder: Option<Recorder>,
}

#[derive(Debug, Default)]
struct Inner {
    link: Option<Arc<dyn Link>>,
    revision: Option<Revision>,
    /// `initialize` has been sent; the server may ask for a sign of life before it answers.
    in_handshake: bool,
    /// Questions that came before it was clear whether they may be answered.
    early: Vec<Request>,
    /// Handlers that answer questions; they end with the connection.
    answering: JoinSet<()>,
    running: HashMap<RequestId, AbortHandle>,
    /// The same for questions that are answered as tasks.
    following: Vec<AbortHandle>,
    /// What was answered so; made with the first of them.
    tasks: Option<ReceivedTasks>,
}

impl Connection {
    pub(crate) fn new(recorder: Option<Recorder>) -> Self {
        Self { state: Mutex::default(), recorder }
    }

    /// Records what one of the two sides sent.
    pub(crate) fn record(&self, from: Side, text: &[u8]) {
        if let Some(recorder) = &self.recorder {
            recorder.record(from, text);
        }
    }

    fn state(&self) -> MutexGuard<'_, Inner> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn opened(&self, link: Arc<dyn Link>) {
        self.state().link = Some(link);
    }

    pub(crate) fn begins_handshake(&self) {
        self.state().in_handshake = true;
    }

    pub(crate) fn agreed(&self, core: &Arc<Core>, revision: Revision) {
        let early = {
            let mut state = self.state();
            state.revision = Some(revision);
            std::mem::take(&mut state.early)
        };
        early.into_iter().for_each(|request| self.question(core, request));
    }

    pub(crate) fn revision(&self) -> Option<Revision> {
        self.state().revision
    }

    /// Ends what belongs to the connection.
    pub(crate) fn ended(&self) {
        let mut state = self.state();
        state.link = None;
        state.running.clear();
        let answering = std::mem::take(&mut state.answering);
        drop(state);
        drop(answering);
    }

    /// Answers a question of the server, if its revision has such questions.
    pub(crate) fn question(&self, core: &Arc<Core>, request: Request) {
        let mut state = self.state();
        let Some(link) = state.link.clone() else { return };
        let is_ping = request.method == MethodName::Known(Method::Ping);
        let revision = match state.revision {
            Some(revision) => revision,
            None if is_ping && state.in_handshake => Revision::LATEST_WITH_HANDSHAKE,
            None if is_short(&request) && state.early.len() < core.options.limits.questions => {
                return state.early.extend(detached(request));
            }
            None if state.in_handshake => {
                drop(state);
                return reply_to(&*link, &request.id, Err(too_many()), Revision::LATEST_WITH_HANDSHAKE);
            }
            // Only servers with a handshake may be answered at all.
            None => return,
        };
        drop(state);
        if !revision.has_server_requests() {
            // Nothing may be answered there; questions come as results.
            return tracing::warn!(
                method = request.method.as_str(),
                "the server's revision forbids requests to clients"
            );
        }
        if request.id.as_json().len() > LONGEST_NAME {
            let error = ErrorObject::invalid_request("the id is too long");
            return reply_to(&*link, &request.id, Err(error), revision);
        }
        let Request { id, method, params } = request;
        let reply = match method {
            MethodName::Known(Method::Ping) => Ok(ClientResult::from(EmptyResult::default())),
            MethodName::Known(method @ (Method::CreateMessage | Method::ListRoots | Method::Elicit))
                if method.is_defined(revision) =>
            {
                match read_question(method, &params) {
                    Ok(mut question) => {
                        let wish = take_wish(&mut question, revision).filter(|_| core.options.handlers.has(&question));
                        let is_task = wish.is_some();
                        let work = match wish {
                            Some(wish) => self.as_task(core, link.clone(), id.clone(), question, wish, revision),
                            None => as_usual(core, link.clone(), id.clone(), question, revision),
                        };
                        return self.begin(core, &*link, &id, work, revision, is_task);
                    }
                    Err(error) => Err(error),
                }
            }
            MethodName::Known(
                method @ (Method::GetTask | Method::ListTasks | Method::CancelTask | Method::TaskResult),
            ) if revision.has_core_tasks() && core.options.capabilities().tasks.is_some() => {
                let (tasks, reply_link, reply_id) = (self.tasks(core), link.clone(), id.clone());
                let work = async move {
                    let reply = tasks.answer(method, &params).await;
                    reply_to(&*reply_link, &reply_id, reply, revision);
                };
                return self.begin(core, &*link, &id, Box::pin(work), revision, false);
            }
            other => Err(ErrorObject::method_not_found(other.as_str())),
        };
        reply_to(&*link, &id, reply, revision);
    }

    /// Works on the answer to a request of the server. A task is not tied to its request, which is answered at once.
    fn begin(
        &self,
        core: &Core,
        link: &dyn Link,
        id: &RawId,
        work: BoxFuture<'static, ()>,
        revision: Revision,
        is_task: bool,
    ) {
        let Some(key) = id.decode() else { return };
        let mut state = self.state();
        while state.answering.try_join_next().is_some() {}
        state.running.retain(|_, task| !task.is_finished());
        state.following.retain(|task| !task.is_finished());
        let limit = core.options.limits.questions;
        let error = if state.running.contains_key(&key) {
            Some(ErrorObject::invalid_request("a question with this id is being answered"))
        } else if state.running.len() + state.following.len() >= limit {
            Some(too_many())
        } else {
            None
        };
        if let Some(error) = error {
            drop(state);
            return reply_to(link, id, Err(error), revision);
        }
        let task = state.answering.spawn(work);
        if is_task {
            state.following.push(task);
        } else {
            state.running.insert(key, task);
        }
    }

    fn tasks(&self, core: &Core) -> ReceivedTasks {
        let limit = core.options.limits.tasks;
        self.state().tasks.get_or_insert_with(|| ReceivedTasks::new(limit)).clone()
    }

    /// Answers a question as a task: the server is told at once, and comes back for the answer.
    fn as_task(
        &self,
        core: &Arc<Core>,
        link: Arc<dyn Link>,
        id: RawId,
        question: InputRequest,
        wish: TaskMetadata,
        revision: Revision,
    ) -> BoxFuture<'static, ()> {
        let (core, tasks) = (core.clone(), self.tasks(core));
        let busy = TimeoutPause::new(&core);
        Box::pin(async move {
            let _busy = busy;
            let created = match tasks.create(&wish).await {
                Ok(created) => created,
                Err(error) => return reply_to(&*link, &id, Err(error), revision),
            };
            reply_to(&*link, &id, Ok(created.handle()), revision);
            created.follow(answered(core, question), revision).await;
        })
    }

    /// The server no longer wants an answer.
    pub(crate) fn cancelled(&self, params: &Params) {
        let id = params.get("requestId").and_then(RequestId::from_json);
        if let Some(task) = id.and_then(|id| self.state().running.remove(&id)) {
            task.abort();
        }
    }
}

/// Answers a question while the server waits.
fn as_usual(
    core: &Arc<Core>,
    link: Arc<dyn Link>,
    id: RawId,
    question: InputRequest,
    revision: Revision,
) -> BoxFuture<'static, ()> {
    let core = core.clone();
    let busy = TimeoutPause::new(&core);
    Box::pin(async move {
        let _busy = busy;
        reply_to(&*link, &id, answered(core, question).await, revision);
    })
}

/// Asks the handler. One that panics has an answer too, so that the server does not wait for it.
fn answered(core: Arc<Core>, question: InputRequest) -> Guarded<ClientResult> {
    Guarded::new(Box::pin(async move {
        let answer = core.options.handlers.answer(question).await;
        answer.map(ClientResult::from).map_err(|unanswered| unanswered.into_error_object())
    }))
}

fn read_question(method: Method, params: &Params) -> Result<InputRequest, ErrorObject> {
    match method {
        Method::CreateMessage => params.decode().map(InputRequest::CreateMessage),
        Method::Elicit => params.decode().map(InputRequest::Elicit),
        _ => params.decode().map(InputRequest::ListRoots),
    }
}

/// Whether a question may be remembered until it is clear whether it may be answered.
fn is_short(request: &Request) -> bool {
    let parts = [request.id.as_json(), request.method.as_str().as_bytes(), request.params.as_json()];
    parts.iter().all(|part| part.len() <= LONGEST_NAME)
}

/// Keeps nothing of a question's text but its parts.
fn detached(mut request: Request) -> Option<Request> {
    request.params = Params::from_json(Bytes::copy_from_slice(request.params.as_json())).ok()?;
    request.detach();
    Some(request)
}

fn too_many() -> ErrorObject {
    ErrorObject::new(code::TOO_MANY_REQUESTS, "too many questions are being answered")
}

fn reply_to(link: &dyn Link, id: &RawId, reply: Result<ClientResult, ErrorObject>, revision: Revision) {
    let mut text = Vec::with_capacity(256);
    text.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    text.extend_from_slice(id.as_json());
    let start = text.len();
    let written = reply.and_then(|result| {
        text.extend_from_slice(br#","result":"#);
        write_client_result(&mut text, result, revision).map_err(|cause| ErrorObject::internal(cause.to_string()))
    });
    if let Err(error) = written {
        text.truncate(start);
        text.extend_from_slice(br#","error":"#);
        if serde_json::to_writer(&mut text, &error).is_err() {
            return;
        }
    }
    text.push(b'}');
    // If it cannot be sent, the server has gone and waits no longer.
    let _ = link.send(Outgoing { text: &text, kind: OutgoingKind::Answer });
}

/// Says, while it lives, that a person is being asked: requests do not time out meanwhile.
#[derive(Debug)]
pub struct TimeoutPause(Arc<Core>);

impl TimeoutPause {
    pub(crate) fn new(core: &Arc<Core>) -> Self {
        core.questions.send_modify(|count| *count += 1);
        Self(core.clone())
    }
}

impl Drop for TimeoutPause {
    fn drop(&mut self) {
        self.0.note_answered();
    }
}
