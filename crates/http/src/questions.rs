//! Requests of the server that wait for the client's answer.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use jackfield_peer::AskError;
use jackfield_protocol::envelope::{Answer, ResultText};
use jackfield_protocol::{ErrorObject, RequestId, json};
use tokio::sync::oneshot;

use crate::nodes::Node;

/// The questions of one session. Answers are looked up here only, never in another session.
#[derive(Debug)]
pub(crate) struct Questions {
    state: Mutex<State>,
    limit: usize,
    timeout: Duration,
    /// The node that asks, where others may get the answer. It is part of the ids then.
    node: Option<String>,
}

#[derive(Debug, Default)]
struct State {
    waiting: HashMap<u64, oneshot::Sender<Result<Bytes, ErrorObject>>>,
    asked: u64,
    /// How many answers came that nobody waits for.
    stray: u64,
    closed: bool,
}

impl Questions {
    pub(crate) fn new(limit: usize, timeout: Duration, node: Option<String>) -> Self {
        Self { state: Mutex::default(), limit, timeout, node }
    }

    /// Returns the other node that asked, if one did.
    pub(crate) fn asked_elsewhere<'a>(&self, answer: &'a Answer) -> Option<&'a str> {
        let own = self.node.as_deref()?;
        let Some(RequestId::String(id)) = &answer.id else { return None };
        let (node, _) = id.rsplit_once('-')?;
        // A client can write anything there; only what a node may be called is looked for.
        (node != own && Node::is_name(node)).then_some(node)
    }

    /// Writes the id of a question.
    fn write_id(&self, out: &mut Vec<u8>, id: u64) {
        match &self.node {
            None => json::write_u64(out, id),
            Some(node) => json::write_str(out, &format!("{node}-{id}")),
        }
    }

    fn number(&self, id: &RequestId) -> Option<u64> {
        match (id, &self.node) {
            (RequestId::Integer(id), None) => u64::try_from(*id).ok(),
            (RequestId::String(id), Some(node)) => id.strip_prefix(node.as_str())?.strip_prefix('-')?.parse().ok(),
            _ => None,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks by handing a message to `send`, and waits for the answer. Dropping the future tells the client that the
    /// question is no longer wanted.
    pub(crate) async fn ask(
        &self,
        method: &'static str,
        params: Vec<u8>,
        send: &(dyn Fn(Vec<u8>) + Sync),
    ) -> Result<Bytes, AskError> {
        // The answer may come before the message is sent, so the slot is taken first.
        let (id, answer) = self.reserve()?;
        let _withdraw = Withdraw { questions: self, id, send };
        send(self.message(id, method, &params));
        match tokio::time::timeout(self.timeout, answer).await {
            Ok(Ok(outcome)) => outcome.map_err(AskError::Refused),
            Ok(Err(_)) => Err(AskError::Closed),
            Err(_) => Err(AskError::TimedOut),
        }
    }

    fn reserve(&self) -> Result<(u64, oneshot::Receiver<Result<Bytes, ErrorObject>>), AskError> {
        let mut state = self.state();
        if state.closed {
            return Err(AskError::Closed);
        }
        if state.waiting.len() >= self.limit {
            return Err(AskError::TooMany);
        }
        state.asked = state.asked.saturating_add(1);
        let id = state.asked;
        let (sender, receiver) = oneshot::channel();
        state.waiting.insert(id, sender);
        Ok((id, receiver))
    }

    /// Hands an answer to the one who waits for it. An answer that nobody waits for is counted and dropped.
    pub(crate) fn answer(&self, answer: Answer) {
        let mut state = self.state();
        let number = answer.id.as_ref().and_then(|id| self.number(id));
        let waiting = number.and_then(|id| state.waiting.remove(&id));
        match waiting {
            // The asker may have gone in the meantime; then nobody misses the answer.
            Some(asker) => drop(asker.send(answer.outcome.map(ResultText::into_bytes))),
            None => {
                state.stray = state.stray.saturating_add(1);
                tracing::debug!(count = state.stray, "an answer came that nobody waits for");
            }
        }
    }

    /// Ends all questions: nobody will answer any more.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        state.waiting.clear();
    }

    fn message(&self, id: u64, method: &str, params: &[u8]) -> Vec<u8> {
        let mut message = Vec::with_capacity(params.len().saturating_add(64));
        message.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
        self.write_id(&mut message, id);
        message.extend_from_slice(b",\"method\":");
        json::write_str(&mut message, method);
        if !params.is_empty() {
            message.extend_from_slice(b",\"params\":");
            message.extend_from_slice(params);
        }
        message.push(b'}');
        message
    }
}

/// Tells the client that a question is no longer wanted, unless it has been answered.
struct Withdraw<'a> {
    questions: &'a Questions,
    id: u64,
    send: &'a (dyn Fn(Vec<u8>) + Sync),
}

impl Drop for Withdraw<'_> {
    fn drop(&mut self) {
        if self.questions.state().waiting.remove(&self.id).is_some() {
            let mut message = br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"#.to_vec();
            self.questions.write_id(&mut message, self.id);
            message.extend_from_slice(br#","reason":"no longer needed"}}"#);
            (self.send)(message);
        }
    }
}
