//! Reading the body of a request, bounded in size and time.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

use bytes::{Buf, Bytes, BytesMut};
use http::{Response, StatusCode};
use http_body::Body as HttpBody;
use tokio::time::{Instant, timeout_at};

use crate::connection::unheard;
use crate::deadline::after;
use crate::{Body, HttpLimits, respond};

/// Reads a whole body.
///
/// Memory grows with what has come, not with what was announced.
pub(crate) async fn collect<B: HttpBody + Unpin>(
    mut body: B,
    limits: &HttpLimits,
) -> Result<Bytes, Box<Response<Body>>> {
    let limit = limits.body_bytes;
    if body.size_hint().lower() > limit as u64 {
        return Err(too_large(limit));
    }
    let mut text = Gathered::Nothing;
    let mut deadline = None;
    while let Some(data) = next(&mut body, &mut deadline, limits).await? {
        text = text.and(data);
        if text.len() > limit {
            return Err(too_large(limit));
        }
        if body.is_end_stream() {
            break;
        }
    }
    Ok(text.into_bytes())
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

/// Waits for the next piece. Timers are made only when there is something to wait for.
async fn next<B: HttpBody + Unpin>(
    body: &mut B,
    deadline: &mut Option<Instant>,
    limits: &HttpLimits,
) -> Result<Option<B::Data>, Box<Response<Body>>> {
    loop {
        let at_once = poll_fn(|cx| {
            let frame = unheard(|| Pin::new(&mut *body).poll_frame(cx));
            // Whoever brings the body need not be told that all of it was taken, but must be told to go on.
            if !body.is_end_stream() {
                cx.waker().wake_by_ref();
            }
            match frame {
                Poll::Ready(frame) => Poll::Ready(Some(frame)),
                Poll::Pending => Poll::Ready(None),
            }
        })
        .await;
        let frame = match at_once {
            Some(frame) => frame,
            None => {
                let whole = *deadline.get_or_insert_with(|| after(limits.body_timeout));
                let idle = after(limits.body_idle_timeout);
                let frame = poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx));
                timeout_at(idle.min(whole), frame).await.map_err(|_| {
                    Box::new(respond::refusal(StatusCode::REQUEST_TIMEOUT, "the body did not come in time"))
                })?
            }
        };
        match frame {
            None => return Ok(None),
            Some(Err(_)) => {
                return Err(Box::new(respond::refusal(StatusCode::BAD_REQUEST, "the body could not be read")));
            }
            // Trailers mean nothing here.
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
        }
    }
}

fn too_large(limit: usize) -> Box<Response<Body>> {
    let message = format!("the body is longer than {limit} bytes");
    Box::new(respond::refusal(StatusCode::PAYLOAD_TOO_LARGE, message))
}
