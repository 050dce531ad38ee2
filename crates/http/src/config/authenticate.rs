//! Who authenticates requests.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use http::Response;
use http::request::Parts;

use crate::Body;

/// The decision of an [`Authenticator`], now or later.
pub type Authentication<'a> = Pin<Box<dyn Future<Output = Result<(), Response<Body>>> + Send + 'a>>;

/// Looks at every request before its body is read, after the Host and Origin checks.
///
/// It may put values into the request's extensions: a [`jackfield_peer::Principal`] there becomes the caller's identity, and
/// sessions are bound to it; everything else reaches handlers. It may also answer the request itself.
pub trait Authenticator: Send + Sync + fmt::Debug + 'static {
    /// Lets the request pass, or answers it.
    ///
    /// A client that disconnects meanwhile may be noticed only after the decision, so every wait in here needs a deadline.
    fn authenticate<'a>(&'a self, request: &'a mut Parts) -> Authentication<'a>;

    /// Looks at the answer to a request that passed, before it leaves; its head is as `authenticate` left it.
    fn finish(&self, request: &Parts, response: &mut Response<Body>) {
        let _ = (request, response);
    }
}
