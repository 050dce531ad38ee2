//! The server as a `tower` service, beside our own endpoint, and as an axum router.

use std::convert::Infallible;
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use http::{Request, Response, StatusCode};
use http_body::Body as HttpBody;
use jackfield_http::{Body, ClientAddress, ExtraRoutes, RouteFuture};
use tower_service::Service;

use crate::server::builder::AuthorizationServer;
use crate::server::requests::request::ReceivedRequest;
use crate::server::requests::respond;

/// The largest body, and how long it may take.
const LARGEST: usize = 64 * 1024;
const DEADLINE: Duration = Duration::from_secs(15);

impl AuthorizationServer {
    async fn serve_request(&self, request: Request<Bytes>, address: Option<IpAddr>) -> Response<Body> {
        let (parts, body) = request.into_parts();
        let answer = if body.len() > LARGEST {
            respond::empty(StatusCode::PAYLOAD_TOO_LARGE)
        } else {
            self.answer(ReceivedRequest { parts, body, address }).await
        };
        answer.map(Body::full)
    }
}

impl ExtraRoutes for AuthorizationServer {
    fn serves(&self, path: &str) -> bool {
        self.place(path).is_some()
    }

    fn serve(&self, request: Request<Bytes>, address: Option<IpAddr>) -> RouteFuture {
        let server = self.clone();
        Box::pin(async move { server.serve_request(request, address).await })
    }
}

/// Attempts are counted by the [`ClientAddress`] among the extensions of a request; without one all count as one.
impl<B> Service<Request<B>> for AuthorizationServer
where
    B: HttpBody + Send + 'static,
    B::Data: Send,
    B::Error: Send,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let server = self.clone();
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let address = parts.extensions.get::<ClientAddress>().map(|address| address.0);
            let body = match tokio::time::timeout(DEADLINE, collect(body)).await {
                Ok(Ok(body)) => body,
                Ok(Err(status)) => return Ok(respond::empty(status).map(Body::full)),
                Err(_) => return Ok(respond::empty(StatusCode::REQUEST_TIMEOUT).map(Body::full)),
            };
            Ok(server.serve_request(Request::from_parts(parts, body), address).await)
        })
    }
}

async fn collect<B: HttpBody>(body: B) -> Result<Bytes, StatusCode> {
    let mut body = pin!(body);
    let mut text = BytesMut::new();
    while let Some(frame) = std::future::poll_fn(|cx| body.as_mut().poll_frame(cx)).await {
        let frame = frame.map_err(|_| StatusCode::BAD_REQUEST)?;
        let Ok(mut data) = frame.into_data() else { continue };
        if text.len().saturating_add(data.remaining()) > LARGEST {
            return Err(StatusCode::PAYLOAD_TOO_LARGE);
        }
        text.extend_from_slice(&data.copy_to_bytes(data.remaining()));
    }
    Ok(text.freeze())
}

#[cfg(feature = "axum")]
impl AuthorizationServer {
    /// Makes a router that serves all paths of the server.
    pub fn router(&self) -> axum::Router {
        self.paths().into_iter().fold(axum::Router::new(), |router, path| router.route_service(&path, self.clone()))
    }
}
