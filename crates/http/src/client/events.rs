//! An answer that is a stream of events.

use std::fmt;

use bytes::{Buf, Bytes};

use super::{Answer, Error};
use crate::sse::{SseDecoder, SseEvent, TooLong};

/// The events of an answer.
pub struct Events {
    answer: Answer,
    decoder: SseDecoder,
    /// What has come and was not looked at yet. Events are made when they are asked for.
    chunk: Bytes,
    retry: Option<u64>,
}

impl Events {
    pub(super) fn new(answer: Answer, limit: usize) -> Self {
        // Names of fields, and ids, come on top of the data.
        let decoder = SseDecoder::new(limit.saturating_add(8192));
        Self { answer, decoder, chunk: Bytes::new(), retry: None }
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
            match self.decode() {
                Err(TooLong) => return Some(Err(Error::too_long())),
                Ok(Some(event)) => return Some(Ok(event)),
                Ok(None) => {}
            }
            self.chunk = match self.answer.chunk().await? {
                Ok(chunk) => chunk,
                Err(error) => return Some(Err(error)),
            };
        }
    }

    /// Makes the next event of what has come.
    fn decode(&mut self) -> Result<Option<SseEvent>, TooLong> {
        let mut rest: &[u8] = &self.chunk;
        let event = self.decoder.next(&mut rest)?;
        let taken = self.chunk.len().saturating_sub(rest.len());
        self.chunk.advance(taken);
        self.retry = event.as_ref().and_then(|event| event.retry).or(self.retry);
        Ok(event)
    }

    /// Returns the last id that the stream has given: what to name when coming back for the rest. It is empty if there is none.
    #[must_use]
    pub fn last_event_id(&self) -> &str {
        self.decoder.last_event_id()
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
