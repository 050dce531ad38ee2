//! What a server answered: status, headers, and a body that is read within a limit.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;

use bytes::{Bytes, BytesMut};
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use http::{HeaderMap, StatusCode};
use http_body::Body as _;
use hyper::body::Incoming;

use super::error::Kind;
use super::{Error, Events};

/// What a server answered. Dropping it before its body is read ends the exchange.
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    pub(super) body: AnswerBody,
}

pub(super) enum AnswerBody {
    Live(Incoming),
    /// What was read of it already.
    Read(Option<Bytes>),
}

impl Answer {
    pub(super) fn new(response: http::Response<Incoming>) -> Self {
        let (parts, body) = response.into_parts();
        Self { status: parts.status, headers: parts.headers, body: AnswerBody::Live(body) }
    }

    /// Returns the media type without its parameters, in lower case; none if the body is encoded in a way that was not asked
    /// for.
    #[must_use]
    pub fn media_type(&self) -> Option<String> {
        if self.headers.get(CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
            return None;
        }
        let value = self.headers.get(CONTENT_TYPE)?.to_str().ok()?;
        Some(value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
    }

    /// Waits for the next part of the body; `None` at its end.
    ///
    /// # Errors
    /// The connection broke.
    ///
    /// # Cancellation
    /// Nothing is lost.
    pub async fn chunk(&mut self) -> Option<Result<Bytes, Error>> {
        match &mut self.body {
            AnswerBody::Read(text) => text.take().map(Ok),
            AnswerBody::Live(body) => loop {
                match poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await? {
                    Err(error) => return Some(Err(Error::new(Kind::Broken, error))),
                    // Trailers mean nothing here.
                    Ok(frame) => {
                        if let Ok(data) = frame.into_data() {
                            return Some(Ok(data));
                        }
                    }
                }
            },
        }
    }

    /// Reads the whole body. Memory grows with what has come, not with what was announced.
    ///
    /// # Errors
    /// The body is longer than `limit` bytes, or the connection broke.
    pub async fn text(mut self, limit: usize) -> Result<Bytes, Error> {
        let all = self.beginning(limit.saturating_add(1)).await?;
        if all.len() > limit { Err(Error::too_long()) } else { Ok(all.freeze()) }
    }

    /// Reads the body, or the first `limit` bytes of a longer one.
    pub(super) async fn beginning(&mut self, limit: usize) -> Result<BytesMut, Error> {
        let mut all = BytesMut::new();
        while let Some(chunk) = self.chunk().await {
            let chunk = chunk?;
            let room = limit.saturating_sub(all.len());
            all.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
            if all.len() >= limit {
                break;
            }
        }
        Ok(all)
    }

    /// Reads the body as a stream of events of at most `limit` bytes each.
    #[must_use]
    pub fn events(self, limit: usize) -> Events {
        Events::new(self, limit)
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer").field("status", &self.status).finish_non_exhaustive()
    }
}
