//! What every assertion has to say: that it is for us, and good now (RFC 7523, section 3).

use crate::jose::Claims;
use crate::server::builder::AuthorizationServer;

/// How far clocks may differ, in seconds.
pub(in crate::server) const LEEWAY: u64 = 30;

/// What is wrong with the claims of an assertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::server) enum BadClaims {
    Audience,
    Time,
}

impl BadClaims {
    pub(in crate::server) fn describe(self) -> &'static str {
        match self {
            Self::Audience => "the assertion is for another server",
            Self::Time => "the assertion is not valid at this time",
        }
    }
}

impl AuthorizationServer {
    /// Checks that an assertion is for us, good now, and not good for longer than it may be, in seconds.
    pub(in crate::server) fn check_assertion_claims(&self, claims: &Claims, longest: u64) -> Result<(), BadClaims> {
        let bare = self.0.issuer.trim_end_matches('/');
        let ours = [bare.to_owned(), format!("{bare}/"), self.endpoint("/token")];
        if !claims.aud.0.iter().any(|audience| ours.contains(audience)) {
            return Err(BadClaims::Audience);
        }
        let (now, end) = (self.now(), claims.exp.unwrap_or_default());
        let soon = now.saturating_add(LEEWAY);
        let is_now = end.saturating_add(LEEWAY) > now
            && end <= soon.saturating_add(longest)
            && claims.nbf.is_none_or(|begin| begin <= soon)
            && claims.iat.is_none_or(|begin| begin <= soon);
        if is_now { Ok(()) } else { Err(BadClaims::Time) }
    }
}
