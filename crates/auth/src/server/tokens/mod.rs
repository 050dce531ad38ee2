//! Tokens: how they are asked for, issued, renewed, revoked.

pub(crate) mod assertion;
pub(crate) mod assertion_claims;
pub(crate) mod exchange;
pub(crate) mod grant;
pub(crate) mod introspect;
pub(crate) mod issue;
pub(crate) mod refresh;
pub(crate) mod revoke;
pub(crate) mod token;
