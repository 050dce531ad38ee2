//! Requests of ours that wait for the answer of the other side.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use jackfield_protocol::envelope::{RawResponse, ResponseError, ResultText};
use jackfield_protocol::{ErrorObject, RequestId, json};
use tokio::sync::oneshot;

use crate::{AskError, Closed};

/// The questions of one connection or session. Answers are looked up here only, never among those of another.
#[derive(Debug)]
pub struct Questions {
    state: Mutex<State>,
    limit: usize,
    timeout: Duration,
    asker: Option<String>,
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
    /// Makes room for `limit` questions that wait at once, each for at most `timeout`.
    #[must_use]
    pub fn new(limit: usize, timeout: Duration) -> Self {
        Self { state: Mutex::default(), limit, timeout, asker: None }
    }

    /// Makes the name of who asks a part of the ids, so that whoever gets an answer knows whose it is.
    #[must_use]
    pub fn asked_by(mut self, asker: impl Into<String>) -> Self {
        self.asker = Some(asker.into());
        self
    }

    /// Returns who asked what is answered, if the id says so and it was somebody else.
    #[must_use]
    pub fn asked_elsewhere<'a>(&self, answer: &'a RawResponse) -> Option<&'a str> {
        let own = self.asker.as_deref()?;
        let Some(RequestId::String(id)) = &answer.id else { return None };
        id.rsplit_once('-').map(|(asker, _)| asker).filter(|asker| *asker != own)
    }

    fn write_id(&self, out: &mut Vec<u8>, id: u64) {
        match &self.asker {
            None => json::write_u64(out, id),
            Some(asker) => json::write_str(out, &format!("{asker}-{id}")),
        }
    }

    fn number(&self, id: &RequestId) -> Option<u64> {
        match (id, &self.asker) {
            (RequestId::Integer(id), None) => u64::try_from(*id).ok(),
            (RequestId::String(id), Some(asker)) => id.strip_prefix(asker.as_str())?.strip_prefix('-')?.parse().ok(),
            _ => None,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks by handing a message to `send`, and waits for the answer. If that is given up, `withdraw` gets a message that says so.
    ///
    /// # Errors
    /// There was no room, no answer in time, or none that is a result.
    pub async fn ask<S>(
        &self,
        method: &'static str,
        params: &[u8],
        send: impl FnOnce(Vec<u8>) -> S,
        withdraw: &(dyn Fn(Vec<u8>) + Sync),
    ) -> Result<Bytes, AskError>
    where
        S: Future<Output = Result<(), Closed>>,
    {
        // The answer may come before the message is sent, so the slot is taken first.
        let (id, answer) = self.reserve()?;
        let _withdraw = Withdraw { questions: self, id, send: withdraw };
        let asked = async {
            send(self.message(id, method, params)).await.map_err(|Closed| AskError::Closed)?;
            answer.await.map_err(|_| AskError::Closed)?.map_err(AskError::Refused)
        };
        tokio::time::timeout(self.timeout, asked).await.unwrap_or(Err(AskError::TimedOut))
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
    pub fn answer(&self, answer: RawResponse) {
        let mut state = self.state();
        let number = answer.id.as_ref().and_then(|id| self.number(id));
        match number.and_then(|id| state.waiting.remove(&id)) {
            // The asker may have gone in the meantime; then nobody misses the answer.
            Some(asker) => {
                let outcome = answer.outcome.map(ResultText::into_bytes);
                drop(asker.send(outcome.map_err(ResponseError::into_error_object)));
            }
            None => {
                state.stray = state.stray.saturating_add(1);
                tracing::debug!(count = state.stray, "an answer came that nobody waits for");
            }
        }
    }

    /// Ends all questions: nobody will answer any more.
    pub fn close(&self) {
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

/// Tells the other side that a question is no longer wanted, unless it has been answered.
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
