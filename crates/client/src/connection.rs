//! One connection: its link, and the questions of the server that are being answered.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jackfield_protocol::envelope::{MethodName, Params, RawId, Request};
use jackfield_protocol::error::code;
use jackfield_protocol::{
    ClientResult, EmptyResult, ErrorObject, InputRequest, Method, RequestId, Revision, write_client_result,
};
use tokio::task::{AbortHandle, JoinSet};

use crate::core::Core;
use crate::{Link, Outgoing, Sent};

/// One connection to the server.
#[derive(Debug, Default)]
pub(crate) struct Connection {
    state: Mutex<Inner>,
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
}

impl Connection {
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
            None if state.early.len() < core.options.limits.questions => return state.early.push(request),
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
        let Request { id, method, params } = request;
        let reply = match method {
            MethodName::Known(Method::Ping) => Ok(ClientResult::from(EmptyResult::default())),
            MethodName::Known(method @ (Method::CreateMessage | Method::ListRoots | Method::Elicit))
                if method.is_defined(revision) =>
            {
                match read_question(method, &params) {
                    Ok(question) => return self.begin(core, link, id, question, revision),
                    Err(error) => Err(error),
                }
            }
            other => Err(ErrorObject::method_not_found(other.as_str())),
        };
        reply_to(&*link, &id, reply, revision);
    }

    fn begin(&self, core: &Arc<Core>, link: Arc<dyn Link>, id: RawId, question: InputRequest, revision: Revision) {
        let Some(key) = id.decode() else { return };
        let mut state = self.state();
        while state.answering.try_join_next().is_some() {}
        state.running.retain(|_, task| !task.is_finished());
        let limit = core.options.limits.questions;
        if state.running.len() >= limit || state.running.contains_key(&key) {
            drop(state);
            let error = ErrorObject::new(code::TOO_MANY_REQUESTS, "too many questions are being answered");
            return reply_to(&*link, &id, Err(error), revision);
        }
        let core = core.clone();
        let busy = Busy::new(&core);
        let task = state.answering.spawn(async move {
            let _busy = busy;
            let answer = core.options.handlers.answer(question).await;
            let reply = answer.map(ClientResult::from).map_err(|unanswered| unanswered.into_error_object());
            reply_to(&*link, &id, reply, revision);
        });
        state.running.insert(key, task);
    }

    /// The server no longer wants an answer.
    pub(crate) fn cancelled(&self, params: &Params) {
        let id = params.get("requestId").and_then(RequestId::from_json);
        if let Some(task) = id.and_then(|id| self.state().running.remove(&id)) {
            task.abort();
        }
    }
}

fn read_question(method: Method, params: &Params) -> Result<InputRequest, ErrorObject> {
    match method {
        Method::CreateMessage => params.decode().map(InputRequest::CreateMessage),
        Method::Elicit => params.decode().map(InputRequest::Elicit),
        _ => params.decode().map(InputRequest::ListRoots),
    }
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
    // If it can not be sent, the server has gone and waits no longer.
    let _ = link.send(Outgoing { text: &text, kind: Sent::Answer });
}

/// Says, while it lives, that a person is being asked: requests do not time out meanwhile.
#[derive(Debug)]
pub struct Busy(Arc<Core>);

impl Busy {
    pub(crate) fn new(core: &Arc<Core>) -> Self {
        core.questions.send_modify(|count| *count += 1);
        Self(core.clone())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.note_answered();
    }
}
