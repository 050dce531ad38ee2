//! How a request is answered.

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

/// Writes a text.
pub(crate) fn written(write: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut text = Vec::with_capacity(512);
    write(&mut text);
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
}
