//! The messages of a handler that wait for the stream of its own request.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use jackfield_peer::Closed;
use tokio::sync::Notify;

use crate::HttpLimits;

/// A bounded queue with one reader. Until the first message it holds no memory of its own.
#[derive(Debug)]
pub(crate) struct Queue {
    state: Mutex<State>,
    room: Notify,
    max_messages: usize,
    max_bytes: usize,
}

#[derive(Debug, Default)]
struct State {
    messages: VecDeque<Vec<u8>>,
    bytes: usize,
    reader: Option<Waker>,
    /// The request has been answered, or nobody reads any more.
    closed: bool,
}

impl Queue {
    pub(crate) fn new(limits: &HttpLimits) -> Self {
        let (max_messages, max_bytes) = (limits.queued_messages, limits.queued_bytes);
        Self { state: Mutex::default(), room: Notify::new(), max_messages, max_bytes }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a message; waits while the queue is full.
    pub(crate) async fn push(&self, mut message: Vec<u8>) -> Result<(), Closed> {
        loop {
            let room = self.room.notified();
            tokio::pin!(room);
            room.as_mut().enable();
            message = match self.offer(message) {
                Ok(()) => return Ok(()),
                Err(Refused::Closed) => return Err(Closed),
                Err(Refused::Full(message)) => message,
            };
            room.await;
        }
    }

    /// Adds a message if there is room.
    pub(crate) fn try_push(&self, message: Vec<u8>) -> bool {
        self.offer(message).is_ok()
    }

    fn offer(&self, message: Vec<u8>) -> Result<(), Refused> {
        let mut state = self.state();
        if state.closed {
            return Err(Refused::Closed);
        }
        // One message always has room, however long it is.
        let full =
            state.messages.len() >= self.max_messages || state.bytes.saturating_add(message.len()) > self.max_bytes;
        if full && !state.messages.is_empty() {
            return Err(Refused::Full(message));
        }
        state.bytes = state.bytes.saturating_add(message.len());
        state.messages.push_back(message);
        let reader = state.reader.take();
        drop(state);
        if let Some(reader) = reader {
            reader.wake();
        }
        Ok(())
    }

    /// Takes all messages that wait; pending if there are none.
    pub(crate) fn poll_take(&self, cx: &Context<'_>) -> Poll<VecDeque<Vec<u8>>> {
        let mut state = self.state();
        if state.messages.is_empty() {
            state.reader = Some(cx.waker().clone());
            return Poll::Pending;
        }
        state.bytes = 0;
        let messages = std::mem::take(&mut state.messages);
        drop(state);
        self.room.notify_waiters();
        Poll::Ready(messages)
    }

    /// Waits until there is a message.
    pub(crate) fn poll_ready(&self, cx: &Context<'_>) -> Poll<()> {
        let mut state = self.state();
        if state.messages.is_empty() {
            state.reader = Some(cx.waker().clone());
            return Poll::Pending;
        }
        Poll::Ready(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.state().messages.is_empty()
    }

    /// Throws away what comes from now on.
    pub(crate) fn close(&self) {
        self.state().closed = true;
        self.room.notify_waiters();
    }
}

enum Refused {
    Closed,
    Full(Vec<u8>),
}
