//! Reading the body of a request, bounded in size and time.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

use bytes::{Buf, Bytes, BytesMut};
use http::{Response, StatusCode};
use http_body::{Body as HttpBody, Frame};
use jackfield_peer::deadline::after;
use tokio::time::timeout_at;

use crate::connection::without_waking;
use crate::response::respond;
use crate::{Body, HttpLimits};

/// Reads a whole body.
///
/// Memory grows with what has come, not with what was announced.
pub(crate) async fn read_body<B: HttpBody + Unpin>(
    body: &mut B,
    limits: &HttpLimits,
) -> Result<Bytes, Box<Response<Body>>> {
    let limit = limits.body_bytes;
    if body.size_hint().lower() > limit as u64 {
        return Err(too_large(limit));
    }
    let first = at_once(body).await;
    // Most bodies are there in one piece. What the others need while they are waited for has room of its own.
    match first {
        Poll::Ready(Some(Ok(frame))) if body.is_end_stream() => match frame.into_data() {
            Ok(mut data) if data.remaining() <= limit => Ok(data.copy_to_bytes(data.remaining())),
            Ok(_) => Err(too_large(limit)),
            Err(_) => Ok(Bytes::new()),
        },
        first => Box::pin(gather(body, first, limits)).await,
    }
}

/// Reads the rest of a body that did not come at once.
async fn gather<B: HttpBody + Unpin>(
    body: &mut B,
    mut found: Found<B>,
    limits: &HttpLimits,
) -> Result<Bytes, Box<Response<Body>>> {
    let limit = limits.body_bytes;
    let mut text = Gathered::Nothing;
    let mut deadline = None;
    loop {
        let frame = match found {
            Poll::Ready(frame) => frame,
            // Timers are made only when there is something to wait for.
            Poll::Pending => {
                let whole = *deadline.get_or_insert_with(|| after(limits.body_timeout));
                let idle = after(limits.body_idle_timeout);
                let frame = poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx));
                timeout_at(idle.min(whole), frame).await.map_err(|_| {
                    Box::new(respond::refusal(StatusCode::REQUEST_TIMEOUT, "the body did not come in time"))
                })?
            }
        };
        match frame {
            None => return Ok(text.into_bytes()),
            Some(Err(_)) => {
                return Err(Box::new(respond::refusal(StatusCode::BAD_REQUEST, "the body could not be read")));
            }
            // Trailers mean nothing here.
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    text = text.and(data);
                }
            }
        }
        if text.len() > limit {
            return Err(too_large(limit));
        }
        if body.is_end_stream() {
            return Ok(text.into_bytes());
        }
        found = at_once(body).await;
    }
}

/// The next piece of a body, if it is there.
type Found<B> = Poll<Option<Result<Frame<<B as HttpBody>::Data>, <B as HttpBody>::Error>>>;

/// Takes the next piece if it is there.
async fn at_once<B: HttpBody + Unpin>(body: &mut B) -> Found<B> {
    poll_fn(|cx| {
        let frame = without_waking(|| Pin::new(&mut *body).poll_frame(cx));
        // Whoever brings the body need not be told that all of it was taken, but must be told to go on.
        if !body.is_end_stream() {
            cx.waker().wake_by_ref();
        }
        Poll::Ready(frame)
    })
    .await
}

/// What has come so far. Most bodies come in one piece, which is not copied.
enum Gathered {
    Nothing,
    One(Bytes),
    Several(BytesMut),
}

impl Gathered {
    fn and(self, mut data: impl Buf) -> Self {
        match self {
            Self::Nothing => Self::One(data.copy_to_bytes(data.remaining())),
            Self::One(first) => {
                let mut all = BytesMut::with_capacity(first.len().saturating_add(data.remaining()));
                all.extend_from_slice(&first);
                Self::Several(all).and(data)
            }
            Self::Several(mut all) => {
                while data.has_remaining() {
                    let count = data.chunk().len();
                    all.extend_from_slice(data.chunk());
                    data.advance(count);
                }
                Self::Several(all)
            }
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::One(first) => first.len(),
            Self::Several(all) => all.len(),
        }
    }

    fn into_bytes(self) -> Bytes {
        match self {
            Self::Nothing => Bytes::new(),
            Self::One(first) => first,
            Self::Several(all) => all.freeze(),
        }
    }
}

fn too_large(limit: usize) -> Box<Response<Body>> {
    let message = format!("the body is longer than {limit} bytes");
    Box::new(respond::refusal(StatusCode::PAYLOAD_TOO_LARGE, message))
}
