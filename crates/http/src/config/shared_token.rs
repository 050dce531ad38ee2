//! A secret between a local server and the client that it is for.

use std::fmt;
use std::sync::Arc;

use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::request::Parts;
use http::{HeaderValue, StatusCode};

use crate::response::respond;
use crate::{Authentication, Authenticator, SessionId};

/// Lets only those pass who know a secret: a server on this machine can be reached by every process on it, not only by the client that
/// it was started for.
///
/// Clients send it as `Authorization: Bearer …`. It is no login, because it says nothing about who they are. For servers that others
/// than one local client use there is `jackfield-auth`.
#[derive(Clone)]
pub struct SharedToken(Arc<str>);

impl SharedToken {
    /// Makes a new secret of 256 random bits.
    ///
    /// # Errors
    /// The operating system has no random numbers.
    pub fn random() -> Result<Self, getrandom::Error> {
        let halves = [SessionId::random()?.to_text(), SessionId::random()?.to_text()];
        Ok(Self(halves.concat().into()))
    }

    /// Takes a secret that both sides know, for example from the environment. It should have 128 random bits at least.
    pub fn new(secret: impl Into<Arc<str>>) -> Self {
        Self(secret.into())
    }

    /// Returns the secret, to be told to the client by a way that others do not see: a file of one's own, or standard output of the
    /// process that started the server.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    fn is(&self, given: &[u8]) -> bool {
        let known = self.0.as_bytes();
        // All bytes are looked at, so that the time says nothing about how many are right.
        let differing = known.iter().zip(given).fold(0, |all, (one, other)| all | (one ^ other));
        !known.is_empty() && known.len() == given.len() && differing == 0
    }
}

impl Authenticator for SharedToken {
    fn authenticate<'a>(&'a self, request: &'a mut Parts) -> Authentication<'a> {
        let mut given = request.headers.get_all(AUTHORIZATION).iter();
        let is_known = match (given.next(), given.next()) {
            (Some(only), None) => bearer(only.as_bytes()).is_some_and(|token| self.is(token)),
            _ => false,
        };
        Box::pin(std::future::ready(if is_known {
            Ok(())
        } else {
            let mut refusal =
                respond::refusal(StatusCode::UNAUTHORIZED, "the server wants a token that it was started with");
            refusal.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            Err(refusal)
        }))
    }
}

fn bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"bearer ").then_some(token)
}

/// Does not show the secret.
impl fmt::Debug for SharedToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedToken(…)")
    }
}
