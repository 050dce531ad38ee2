//! The endpoint as a `tower` service, to mount in an application.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::{Request, Response};
use http_body::Body as HttpBody;
use jackfield_peer::{Handler, Shutdown};
use tokio::io::{AsyncRead, AsyncWrite};
use tower_service::Service;

use crate::connection::{self, Protocol};
use crate::endpoint::{Endpoint, apart};
use crate::{Body, HttpConfig};

/// The endpoint as a `tower` service. Clones share everything.
///
/// It looks at the paths of its configuration: that of the endpoint, those of HTTP+SSE, and the health path. The application
/// sets limits for connections and heads; all others hold here too. Those that hold for each address need a
/// [`ClientAddress`](crate::ClientAddress) in the extensions of a request: without it all callers whom nobody authenticated count as one.
#[derive(Clone, Debug)]
pub struct StreamableService {
    endpoint: Arc<Endpoint>,
    any_path: bool,
}

impl StreamableService {
    /// Makes a service that is answered by `handler`.
    pub fn new(handler: Arc<dyn Handler>, config: HttpConfig) -> Self {
        Self { endpoint: Endpoint::new(handler, config), any_path: false }
    }

    /// Serves the endpoint at every path, and nothing else: for mounting at a path that the application chose.
    #[must_use]
    pub fn any_path(mut self) -> Self {
        self.any_path = true;
        self
    }

    /// Returns how many sessions are open.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.endpoint.host.sessions.len()
    }

    /// Returns the configuration.
    #[must_use]
    pub fn config(&self) -> &HttpConfig {
        &self.endpoint.config
    }

    /// Ends: streams close, calls under way have the time of [`crate::HttpLimits::drain`] to finish, sessions are dropped.
    pub async fn shutdown(&self) {
        self.endpoint.begin_shutdown();
        self.endpoint.finish_shutdown(self.endpoint.limits().drain).await;
    }

    /// Serves one connection that was accepted elsewhere: on a Unix socket, in a tunnel, in memory. `from` is where it comes from,
    /// as far as that is known; limits for each address count by it. How many connections there are is the caller's business.
    ///
    /// It ends when the client goes, when it is idle or slow for too long, or after `shutdown` is triggered, with what is under way.
    pub async fn connection<S>(&self, stream: S, from: SocketAddr, shutdown: Shutdown)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        self.endpoint.start_node();
        let protocol = Arc::new(Protocol::new(&self.endpoint.config, self.endpoint.calls()));
        connection::serve(stream, from, self.endpoint.clone(), protocol, shutdown).await;
    }

    pub(crate) fn endpoint(&self) -> &Arc<Endpoint> {
        &self.endpoint
    }

    /// Serves one request.
    pub async fn serve<B: HttpBody + Unpin>(&self, request: Request<B>) -> Response<Body> {
        self.endpoint.start_node();
        let (parts, body) = apart(request);
        self.endpoint.serve(parts, body, self.any_path, None).await
    }
}

impl<B> Service<Request<B>> for StreamableService
where
    B: HttpBody + Unpin + Send + 'static,
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
        let (endpoint, any_path) = (self.endpoint.clone(), self.any_path);
        let (parts, body) = apart(request);
        Box::pin(async move {
            endpoint.start_node();
            Ok(endpoint.serve(parts, body, any_path, None).await)
        })
    }
}
