//! The protection as the authenticator of our own server, and as a `tower` layer.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::request::Parts;
use http::{Request, Response};
use jackfield_http::{Authentication, Authenticator, Body};
use tower_layer::Layer;
use tower_service::Service;

use super::{Authorized, ResourceServer};

impl Authenticator for ResourceServer {
    fn authenticate<'a>(&'a self, request: &'a mut Parts) -> Authentication<'a> {
        Box::pin(async move { self.admit(request).await.map_err(|refused| refused.map(Body::full)) })
    }

    fn finish(&self, request: &Parts, response: &mut Response<Body>) {
        self.conclude(request.extensions.get::<Authorized>(), response);
    }
}

impl<S> Layer<S> for ResourceServer {
    type Service = Protected<S>;

    fn layer(&self, inner: S) -> Protected<S> {
        Protected { inner, server: self.clone() }
    }
}

/// A service that only requests with a good token reach.
#[derive(Clone, Debug)]
pub struct Protected<S> {
    inner: S,
    server: ResourceServer,
}

impl<S, B, R> Service<Request<B>> for Protected<S>
where
    S: Service<Request<B>, Response = Response<R>> + Clone + Send + 'static,
    S::Future: Send,
    B: Send + 'static,
    R: From<Bytes>,
{
    type Response = Response<R>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Response<R>, S::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let server = self.server.clone();
        // The one that was ready is the one to call.
        let fresh = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, fresh);
        Box::pin(async move {
            let (mut parts, body) = request.into_parts();
            if let Err(refused) = server.admit(&mut parts).await {
                return Ok(refused.map(R::from));
            }
            let authorized = parts.extensions.get::<Authorized>().cloned();
            let mut response = inner.call(Request::from_parts(parts, body)).await?;
            server.conclude(authorized.as_ref(), &mut response);
            Ok(response)
        })
    }
}
