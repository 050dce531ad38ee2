//! How a request is answered.

use std::cell::Cell;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, Response, StatusCode};

use super::respond;
use crate::Body;

/// How a request is answered.
pub(crate) enum HttpAnswer {
    /// With one JSON text. Its head is made at the very end, so that little is moved about.
    Json(StatusCode, Bytes),
    /// With anything else that is known, which is rare.
    Response(Box<Response<Body>>),
    /// With what something has to be waited for.
    Pending(Pin<Box<dyn Future<Output = Response<Body>> + Send>>),
}

/// The most headers whose room is kept for the next request.
const KEPT_HEADERS: usize = 32;

impl HttpAnswer {
    pub(crate) fn pending(response: impl Future<Output = Response<Body>> + Send + 'static) -> Self {
        Self::Pending(Box::pin(response))
    }

    /// Makes the response to a request that is over.
    ///
    /// The request's headers lend their room to those of the response. hyper reads the next request's into the same, so that a
    /// connection needs no more memory for them however many requests it brings.
    pub(crate) async fn response_to(self, request: &mut Arc<Parts>) -> Response<Body> {
        match self {
            Self::Response(response) => *response,
            Self::Pending(response) => response.await,
            Self::Json(status, text) => {
                let mut headers = match Arc::get_mut(request) {
                    Some(parts) if parts.headers.capacity() <= KEPT_HEADERS => std::mem::take(&mut parts.headers),
                    _ => HeaderMap::new(),
                };
                headers.clear();
                respond::json_with(headers, status, text)
            }
        }
    }

    /// Makes the response to a request that is still looked at.
    pub(crate) async fn response(self) -> Response<Body> {
        match self {
            Self::Response(response) => *response,
            Self::Pending(response) => response.await,
            Self::Json(status, text) => respond::json(status, text),
        }
    }
}

impl From<Response<Body>> for HttpAnswer {
    fn from(response: Response<Body>) -> Self {
        Self::Response(Box::new(response))
    }
}

impl From<Box<Response<Body>>> for HttpAnswer {
    fn from(response: Box<Response<Body>>) -> Self {
        Self::Response(response)
    }
}

thread_local! {
    static SCRATCH: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// What is written at once and copied; a longer text keeps the memory it was written to.
const SHORT: usize = 16 * 1024;

/// Writes a text, which takes no more memory than it needs.
pub(crate) fn written(write: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut scratch = SCRATCH.take();
    scratch.clear();
    write(&mut scratch);
    if scratch.len() > SHORT {
        return scratch;
    }
    let text = scratch.as_slice().to_vec();
    // What was written may have been long before it was given up for an error.
    if scratch.capacity() <= SHORT.saturating_mul(2) {
        SCRATCH.set(scratch);
    }
    text
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn request(headers: usize) -> Arc<Parts> {
        let mut request = Request::builder();
        for number in 0..headers {
            request = request.header(format!("x-{number}"), "secret");
        }
        Arc::new(request.body(()).unwrap().into_parts().0)
    }

    fn json() -> HttpAnswer {
        HttpAnswer::Json(StatusCode::OK, Bytes::from_static(b"{}"))
    }

    #[tokio::test]
    async fn nothing_of_a_request_is_in_its_response() {
        let mut parts = request(6);
        let room = parts.headers.capacity();
        let response = json().response_to(&mut parts).await;
        assert_eq!(response.headers().len(), 1);
        assert_eq!(response.headers()["content-type"], "application/json");
        assert_eq!(response.headers().capacity(), room);
    }

    #[tokio::test]
    async fn a_request_that_somebody_still_reads_is_left_alone() {
        let mut parts = request(6);
        let held = parts.clone();
        assert_eq!(json().response_to(&mut parts).await.headers().len(), 1);
        assert_eq!(held.headers.len(), 6);
    }

    #[tokio::test]
    async fn the_room_of_many_headers_is_given_back() {
        let mut parts = request(90);
        assert!(json().response_to(&mut parts).await.headers().capacity() <= KEPT_HEADERS);
    }

    #[test]
    fn texts_may_be_written_within_each_other() {
        let mut inner = Vec::new();
        let outer = written(|out| {
            out.extend_from_slice(b"outer");
            inner = written(|out| out.extend_from_slice(b"inner"));
        });
        assert_eq!((outer.as_slice(), inner.as_slice()), (&b"outer"[..], &b"inner"[..]));
        let long = written(|out| out.resize(SHORT.saturating_add(1), b'x'));
        assert_eq!(long.len(), SHORT.saturating_add(1));
        assert_eq!(written(|out| out.push(b'y')), b"y");
        let given_up = written(|out| {
            out.resize(SHORT.saturating_mul(9), b'x');
            out.truncate(1);
        });
        assert_eq!(given_up, b"x");
        assert!(SCRATCH.take().capacity() <= SHORT.saturating_mul(2), "the memory is not kept for ever");
    }
}
