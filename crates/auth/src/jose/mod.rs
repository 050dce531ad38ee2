//! Signed tokens: keys as JSON (RFC 7517), signatures (RFC 7515) and claims (RFC 7519).
//!
//! Signatures by public keys only. There is no `none` and no HMAC, so a token cannot choose them.

mod algorithm;
mod claims;
mod jwk;
mod jws;
mod key_cache;
mod signing;

pub use algorithm::Algorithm;
pub use claims::{Audience, Claims, Confirmation};
pub use jwk::{Jwk, JwkSet};
pub use jws::{Header, Jws, JwsError};
pub use key_cache::{KeyCache, KeyCacheLimits, KeyError, KeySource, LoadedKeys, LoadingKeys, RemoteKeys};
pub use signing::{KeyFileError, SignError, SigningKey};

#[cfg(feature = "resource")]
pub(crate) use jws::LONGEST as LONGEST_TOKEN;
