//! The first look at a request: authentication, and paths besides ours.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use http::Response;
use http::request::Parts;

use crate::Body;

/// The verdict of a [`Gate`], now or later.
pub type Passing<'a> = Pin<Box<dyn Future<Output = Result<(), Response<Body>>> + Send + 'a>>;

/// Looks at every request before its body is read, after the Host and Origin checks.
///
/// It may put values into the request's extensions: a [`jackfield_peer::Principal`] there becomes the caller's identity, and
/// sessions are bound to it; everything else reaches handlers. It may also answer the request itself.
pub trait Gate: Send + Sync + fmt::Debug + 'static {
    /// Lets the request pass, or answers it.
    ///
    /// A client that leaves meanwhile may be missed only after the verdict, so what this waits for needs a deadline.
    fn pass<'a>(&'a self, request: &'a mut Parts) -> Passing<'a>;

    /// Looks at the answer to a request that passed, before it leaves; its head is as `pass` left it.
    fn leave(&self, request: &Parts, response: &mut Response<Body>) {
        let _ = (request, response);
    }
}
