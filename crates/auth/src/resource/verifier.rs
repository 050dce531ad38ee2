//! Finding out whether a token is genuine.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use super::AccessToken;

/// A verdict, now or later.
pub type Verifying<'a> = Pin<Box<dyn Future<Output = Result<Arc<AccessToken>, VerifyError>> + Send + 'a>>;

/// Finds out whether a token is genuine, and what it says.
///
/// A verifier answers for signature and issuer. Audience, time, binding and scopes are checked by the
/// [`ResourceServer`](super::ResourceServer) for every verifier alike, so none can forget them.
pub trait TokenVerifier: Send + Sync + fmt::Debug + 'static {
    /// Looks at a token.
    fn verify<'a>(&'a self, token: &'a str) -> Verifying<'a>;
}

/// Why a token is not accepted.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// It is not genuine.
    #[error("{0}")]
    Invalid(&'static str),
    /// It cannot be found out at present.
    #[error("tokens cannot be checked at present")]
    Unavailable(#[source] Arc<dyn std::error::Error + Send + Sync>),
}

impl<V: TokenVerifier + ?Sized> TokenVerifier for Arc<V> {
    fn verify<'a>(&'a self, token: &'a str) -> Verifying<'a> {
        (**self).verify(token)
    }
}
