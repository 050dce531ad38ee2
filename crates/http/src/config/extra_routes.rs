//! Routes beside the endpoint's own, on the same connections.

use std::fmt;
use std::net::IpAddr;
use std::pin::Pin;

use bytes::Bytes;
use http::{Request, Response};

use crate::Body;

/// An answer, now or later.
pub type RouteFuture = Pin<Box<dyn Future<Output = Response<Body>> + Send>>;

/// Serves paths beside the endpoint's own, such as those of an authorization server: after the Host and Origin checks, within
/// the same limits, and without passing the [`Authenticator`](crate::Authenticator).
pub trait ExtraRoutes: Send + Sync + fmt::Debug + 'static {
    /// Whether a path is served here.
    fn serves(&self, path: &str) -> bool;

    /// Serves a request whose body has come. `address` says where it came from, if that is known.
    fn serve(&self, request: Request<Bytes>, address: Option<IpAddr>) -> RouteFuture;
}

/// Where a request came from: an application that mounts services of ours puts it into the extensions of a request, so that limits for
/// each address hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientAddress(pub IpAddr);
