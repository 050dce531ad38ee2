//! A stream as a connection reads it.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use jackfield_peer::Shutdown;

use super::stream::Dismissed;
use super::{Chunk, EventId, Gone, MemoryEventLog, Stream, StreamKey};
use crate::nodes::Remote;
use crate::sse::{COMMENT, write_event, write_retry};

/// Reads a stream for one connection. Nothing is queued for a connection: it has a place in the log, and reads on from
/// there when it can write.
pub(crate) struct Reader {
    pub(crate) key: StreamKey,
    pub(crate) log: Arc<MemoryEventLog>,
    /// Reads the store instead, where others write the stream.
    pub(crate) remote: Option<Remote>,
    /// Makes one, if others come to end the stream of this process.
    pub(crate) elsewhere: Option<Elsewhere>,
    /// The writer's side, if it is in this process.
    pub(crate) stream: Option<Arc<Stream>>,
    /// The number of this reader at the stream.
    pub(crate) number: u64,
    /// Up to where events have been sent on this connection, or need not be sent.
    pub(crate) place: u64,
    /// The same, if all nodes have to know it and it has not been said yet.
    pub(crate) unsaid: Option<u64>,
    pub(crate) format: Format,
    /// What to send first.
    pub(crate) head: Vec<u8>,
    pub(crate) keep_alive: Duration,
    /// Ends the stream when the server ends, where no answer is awaited on it.
    pub(crate) shutdown: Option<Shutdown>,
    /// What lives as long as the connection.
    pub(crate) _held: Option<Box<dyn std::any::Any + Send + Sync>>,
    pub(crate) ended: bool,
}

/// Makes what reads the store.
pub(crate) type Elsewhere = Box<dyn FnOnce() -> Remote + Send + Sync>;

/// How events are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// With ids, for clients that can come back.
    Resumable,
    /// As `message` events without ids: HTTP+SSE.
    Message,
}

enum Wakeup {
    Changed,
    Dismissed(Dismissed),
    Silence,
    Shutdown,
}

impl Reader {
    /// Begins a stream whose client can come back: the first event tells it how. `primed` clients understand an event
    /// without data.
    pub(crate) fn greet(&mut self, primed: bool, retry: Duration) {
        let milliseconds = u64::try_from(retry.as_millis()).unwrap_or(u64::MAX);
        write_retry(&mut self.head, milliseconds);
        if primed {
            let id = EventId { stream: self.key.stream, sequence: self.place }.to_string();
            write_event(&mut self.head, None, Some(&id), b"");
        } else {
            self.head.push(b'\n');
        }
    }

    /// Waits for the next bytes to send; none at the end.
    async fn next(&mut self) -> Option<Bytes> {
        if !self.head.is_empty() {
            // A client that knows the stream can come back to it at any node.
            if let Some(stream) = &self.stream {
                stream.opened().await;
            }
            return Some(std::mem::take(&mut self.head).into());
        }
        while !self.ended {
            let Ok(chunk) = self.read().await else { break };
            self.ended = chunk.finished;
            if let Some(text) = self.encode(&chunk) {
                return Some(text);
            }
            if self.ended {
                break;
            }
            self.say_sent().await;
            match self.wait().await {
                Wakeup::Changed => {}
                Wakeup::Silence => return Some(Bytes::from_static(COMMENT)),
                Wakeup::Dismissed(Dismissed::Replaced) | Wakeup::Shutdown => break,
                Wakeup::Dismissed(Dismissed::Release(retry)) => {
                    self.ended = true;
                    let mut text = Vec::new();
                    write_retry(&mut text, u64::try_from(retry.as_millis()).unwrap_or(u64::MAX));
                    text.push(b'\n');
                    return Some(text.into());
                }
            }
        }
        self.ended = true;
        None
    }

    async fn read(&mut self) -> Result<Chunk, Gone> {
        if self.remote.is_none() {
            match (self.log.read(self.key, self.place), self.elsewhere.take()) {
                (Err(Gone), Some(elsewhere)) => self.remote = Some(elsewhere()),
                (chunk, elsewhere) => {
                    self.elsewhere = elsewhere;
                    return chunk;
                }
            }
        }
        match &mut self.remote {
            Some(remote) => remote.read(self.place).await,
            None => Err(Gone),
        }
    }

    /// Says up to where events have been sent. A connection asks for more before it writes what it has; it has written when it comes
    /// back, and not before that an event counts as sent: a client that knows no id would never see it, if this process died.
    async fn say_sent(&mut self) {
        if self.unsaid.is_some() {
            tokio::task::yield_now().await;
        }
        if let Some((remote, place)) = self.remote.as_ref().zip(self.unsaid.take()) {
            remote.sent(place);
        }
    }

    async fn wait(&mut self) -> Wakeup {
        let number = self.number;
        let dismissed = async {
            match &self.stream {
                Some(stream) => stream.dismissed(number).await,
                None => std::future::pending().await,
            }
        };
        let shutdown = async {
            match &self.shutdown {
                Some(shutdown) => shutdown.triggered().await,
                None => std::future::pending().await,
            }
        };
        let changed = async {
            match &mut self.remote {
                Some(remote) => remote.changed().await,
                None => self.log.changed(self.key, self.place).await,
            }
        };
        tokio::select! {
            biased;
            dismissed = dismissed => Wakeup::Dismissed(dismissed),
            () = changed => Wakeup::Changed,
            () = shutdown => Wakeup::Shutdown,
            () = tokio::time::sleep(self.keep_alive) => Wakeup::Silence,
        }
    }

    fn encode(&mut self, chunk: &Chunk) -> Option<Bytes> {
        let newest = chunk.events.last()?.sequence;
        let size = chunk.events.iter().map(|event| event.data.len().saturating_add(48)).sum();
        let mut text = Vec::with_capacity(size);
        for event in &chunk.events {
            match self.format {
                Format::Message => write_event(&mut text, Some("message"), None, &event.data),
                Format::Resumable => {
                    let id = EventId { stream: self.key.stream, sequence: event.sequence }.to_string();
                    write_event(&mut text, None, Some(&id), &event.data);
                }
            }
        }
        self.place = newest;
        if let Some(stream) = &self.stream {
            stream.sent(&chunk.events);
        }
        match &mut self.remote {
            Some(remote) if remote.is_common() => self.unsaid = Some(newest),
            Some(remote) => remote.progressed(newest, text.len()),
            None => {}
        }
        Some(text.into())
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        if let Some(stream) = &self.stream {
            stream.detach(self.number);
        }
    }
}

/// A [`Reader`] as the body of a response.
pub(crate) struct EventBody(State);

/// A reader and what it has read.
type Read = (Box<Reader>, Option<Bytes>);

enum State {
    Idle(Box<Reader>),
    Reading(Pin<Box<dyn Future<Output = Read> + Send>>),
    Over,
}

impl EventBody {
    pub(crate) fn new(reader: Reader) -> Self {
        Self(State::Idle(Box::new(reader)))
    }

    pub(crate) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        loop {
            match std::mem::replace(&mut self.0, State::Over) {
                State::Over => return Poll::Ready(None),
                State::Idle(mut reader) => {
                    self.0 = State::Reading(Box::pin(async move {
                        let text = reader.next().await;
                        (reader, text)
                    }));
                }
                State::Reading(mut reading) => match reading.as_mut().poll(cx) {
                    Poll::Pending => {
                        self.0 = State::Reading(reading);
                        return Poll::Pending;
                    }
                    Poll::Ready((reader, text)) => {
                        if text.is_some() {
                            self.0 = State::Idle(reader);
                        }
                        return Poll::Ready(text);
                    }
                },
            }
        }
    }
}
