//! How a user is brought to the login page, and back.

use std::fmt;
use std::io;

use jackfield_http::client::Boxed;
use url::Url;

use super::AuthError;
use crate::Secret;

/// Brings users to the login page of an authorization server, and takes what they bring back.
pub trait Interaction: Send + Sync + fmt::Debug + 'static {
    /// Prepares one visit. `wanted` is where the user should come back to: with a port that very address, without one any port
    /// will do; none leaves it open.
    fn prepare<'a>(&'a self, wanted: Option<&'a str>) -> Boxed<'a, Result<Box<dyn Visit>, AuthError>>;
}

/// One visit to a login page.
pub trait Visit: Send + Sync + fmt::Debug {
    /// Returns where the user comes back to.
    fn redirect_uri(&self) -> &str;

    /// Brings the user to the page, and returns the address at which they came back, or its query.
    fn visit(self: Box<Self>, page: Page) -> Boxed<'static, Result<String, AuthError>>;
}

/// A login page.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Page {
    /// Its address, which is `https`, or `http` on this machine.
    pub url: Url,
    /// What the user has to bring back. Who brings something else is somebody else.
    pub state: Secret,
}

/// Takes an answer that the user copied from the browser's address bar.
pub trait Paste: Send + Sync + fmt::Debug + 'static {
    /// Waits for the user to paste.
    fn paste(&self) -> Boxed<'_, io::Result<String>>;
}
