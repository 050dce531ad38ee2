//! An answer that is a stream of events.

use std::collections::VecDeque;
use std::fmt;

use super::{Answer, Error};
use crate::sse::{SseDecoder, SseEvent};

/// The events of an answer.
pub struct Events {
    answer: Answer,
    decoder: SseDecoder,
    /// Events that came together with one that was looked at; all of them came in one chunk.
    ready: VecDeque<SseEvent>,
    retry: Option<u64>,
    /// The id of the last event that was taken.
    last: String,
}

impl Events {
    pub(super) fn new(answer: Answer, limit: usize) -> Self {
        // Names of fields, and ids, come on top of the data.
        let decoder = SseDecoder::new(limit.saturating_add(8192));
        Self { answer, decoder, ready: VecDeque::new(), retry: None, last: String::new() }
    }

    /// Waits for the next event; `None` when the stream has ended. What came after the last whole event is dropped.
    ///
    /// # Errors
    /// An event is too long, or the connection broke. The stream is over then.
    ///
    /// # Cancellation
    /// Nothing is lost.
    pub async fn next(&mut self) -> Option<Result<SseEvent, Error>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                self.retry = event.retry.or(self.retry);
                self.last.clone_from(&event.id);
                return Some(Ok(event));
            }
            let chunk = match self.answer.chunk().await? {
                Ok(chunk) => chunk,
                Err(error) => return Some(Err(error)),
            };
            let ready = &mut self.ready;
            if self.decoder.feed(&chunk, |event| ready.push_back(event)).is_err() {
                return Some(Err(Error::too_long()));
            }
        }
    }

    /// Returns the last id that the stream has given: what to name when coming back for the rest. It is empty if there is none.
    #[must_use]
    pub fn last_event_id(&self) -> &str {
        if self.ready.is_empty() { self.decoder.last_event_id() } else { &self.last }
    }

    /// Returns how many milliseconds the server wants its client to wait before coming back.
    #[must_use]
    pub fn retry(&self) -> Option<u64> {
        self.decoder.retry().or(self.retry)
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").field("answer", &self.answer).finish_non_exhaustive()
    }
}
