//! A stream that is read from the store, because another node writes it, or several do.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use jackfield_peer::write_error;
use jackfield_protocol::envelope::RawId;
use jackfield_protocol::error::code;
use jackfield_protocol::{ErrorObject, RequestId, Revision};
use jackfield_store::{EventLimits, EventWatch, NewEvent, NewEvents, StreamName};

use super::latest::Latest;
use super::node::random;
use super::replicas::sent_key;
use super::sink::{Header, answer_key, header_key};
use super::{Node, What};
use crate::HttpLimits;
use crate::events::{Chunk, Event, Gone, StreamKey};
use crate::session::Shared;

/// How many events are read at a time.
const SHEAF: usize = 256;
/// How often a store that is away is asked again before the connection ends, with a pause between.
const TRIES: u32 = 40;
const PAUSE: Duration = Duration::from_millis(250);
/// How often is looked whether the writer lives.
const LOOK: Duration = Duration::from_millis(100);

/// Reads a stream from the store.
pub(crate) struct Remote {
    node: Arc<Node>,
    session: String,
    key: StreamKey,
    /// The number of the connection that reads it, among all nodes.
    reader: u64,
    number: u64,
    limits: EventLimits,
    revision: Revision,
    /// Several nodes write it, so that none of them ends it by dying.
    common: bool,
    watch: Option<EventWatch>,
    /// The node that writes it, once that is known.
    writer: Option<String>,
    /// Up to where messages that belong to no request have been sent, on its way to the store.
    sent: Arc<Latest>,
    pace: Pace,
    /// The place that the writer was told last, and the bytes since then.
    told: (u64, usize),
}

/// How far a reader comes before the writer of its stream is told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    pub(crate) messages: u64,
    pub(crate) bytes: usize,
}

impl Pace {
    /// A writer that waits for its reader is told several times before it has to.
    pub(crate) fn of(limits: &HttpLimits) -> Self {
        Self { messages: (limits.queued_messages / 4) as u64, bytes: limits.queued_bytes / 4 }
    }
}

impl Remote {
    pub(crate) fn new(node: Arc<Node>, key: StreamKey, shared: &Shared, revision: Revision, common: bool) -> Self {
        Self {
            node,
            session: key.session.to_text(),
            key,
            reader: random(),
            number: key.stream,
            limits: shared.event_limits(),
            revision,
            common,
            watch: None,
            writer: None,
            sent: Arc::new(Latest::new()),
            pace: Pace::of(&shared.limits),
            told: (0, 0),
        }
    }

    /// Tells all nodes that the client reads the stream here.
    pub(crate) fn announce(&self) {
        self.node.tell(self.key.session, What::Read(self.number, self.reader));
    }

    /// Reads what is there after a place.
    pub(crate) async fn read(&mut self, after: u64) -> Result<Chunk, Gone> {
        for _ in 0..TRIES {
            let name = StreamName::new(&self.session, self.number);
            let events = self.node.stores.events();
            // The watch begins before the look, so that nothing is lost between them.
            if self.watch.is_none() {
                self.watch = self.node.ask(events.watch(name)).await.ok();
            }
            if self.watch.is_some() {
                match self.node.ask(events.read(name, after, SHEAF)).await {
                    Ok(Some(chunk)) => {
                        let event =
                            |event: jackfield_store::StoredEvent| Event { sequence: event.sequence, data: event.data };
                        return Ok(Chunk {
                            events: chunk.events.into_iter().map(event).collect(),
                            finished: chunk.finished,
                        });
                    }
                    Ok(None) => return Err(Gone),
                    Err(_) => {}
                }
            }
            tokio::time::sleep(PAUSE).await;
        }
        Err(Gone)
    }

    /// Waits until there may be something new. If the writer dies meanwhile, its stream is ended in its place.
    ///
    /// # Cancellation
    /// Nothing is lost.
    pub(crate) async fn changed(&mut self) {
        // Whoever comes back to a stream may come because its writer died.
        let mut pause = Duration::ZERO;
        loop {
            let Some(watch) = &mut self.watch else { return };
            if self.common {
                return watch.changed().await;
            }
            tokio::select! {
                () = watch.changed() => return,
                () = tokio::time::sleep(pause) => {}
            }
            pause = LOOK;
            if self.writer.is_none() {
                self.writer = self.header().await.map(|header| header.node);
            }
            if let Some(writer) = &self.writer
                && self.node.is_dead(writer).await
                && self.end().await
            {
                return;
            }
        }
    }

    async fn header(&self) -> Option<Header> {
        let key = header_key(&self.session, self.number);
        let header = self.node.ask(self.node.stores.kv().get(&key)).await.ok()??;
        serde_json::from_slice(&header).ok()
    }

    /// Ends the stream in place of its writer, which is no more. The store sees to it that that happens once.
    async fn end(&self) -> bool {
        let Some(header) = self.header().await else { return false };
        let events = header.requests.iter().map(|request| self.obituary(request)).collect();
        let last = NewEvents::new(events, self.limits).and_finish();
        let name = StreamName::new(&self.session, self.number);
        let ended = self.node.ask(self.node.stores.events().append(name, last)).await.is_ok();
        if ended {
            tracing::info!(node = header.node, "ended a stream of a node that is no more");
        }
        ended
    }

    /// Answers a request in place of the node that worked on it.
    fn obituary(&self, request: &str) -> NewEvent {
        let id = RequestId::from_json(request.as_bytes()).map(|id| RawId::from(&id));
        let error = ErrorObject::new(code::UNAVAILABLE, "the node that worked on this has stopped; try again");
        let mut text = Vec::new();
        write_error(&mut text, id.as_ref(), &error, self.revision);
        NewEvent::once(answer_key(request), text)
    }

    /// Whether several nodes write the stream: it carries messages that belong to no request.
    pub(crate) fn is_common(&self) -> bool {
        self.common
    }

    /// Tells the writer now and then how far its reader has come; it waits for one that is far behind.
    pub(crate) fn progressed(&mut self, place: u64, bytes: usize) {
        let (told, since) = (self.told.0, self.told.1.saturating_add(bytes));
        if place.saturating_sub(told) < self.pace.messages && since < self.pace.bytes {
            self.told.1 = since;
            return;
        }
        self.told = (place, 0);
        self.node.tell(self.key.session, What::Sent(self.number, place));
    }

    /// Notes up to where messages that belong to no request have been sent.
    pub(crate) fn sent(&self, place: u64) {
        if !self.sent.set(place) {
            return;
        }
        let (node, key, keep, sent) = (self.node.clone(), sent_key(&self.session), self.limits.keep, self.sent.clone());
        self.node.spawn(async move {
            loop {
                let place = sent.get();
                let _ = node.ask(node.stores.kv().put(&key, place.to_string().into(), Some(keep))).await;
                if sent.is_done(place) {
                    return;
                }
            }
        });
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        if !self.common {
            self.node.tell(self.key.session, What::Left(self.number, self.reader));
        }
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").field("common", &self.common).finish_non_exhaustive()
    }
}
