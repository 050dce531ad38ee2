//! Proofs of possession (RFC 9449): who shows a token shows that it holds the key the token is bound to.

mod checker;
mod nonces;

use ring::digest;
use serde::{Deserialize, Serialize};
use url::Url;

pub use checker::{ProofChecker, ProofError, ProofRules};

use crate::jose::{Algorithm, Header, SignError, SigningKey};
use crate::random;

/// The header that carries a proof.
pub const HEADER: http::HeaderName = http::HeaderName::from_static("dpop");
/// The header that carries the nonce for the next proof.
pub const NONCE_HEADER: http::HeaderName = http::HeaderName::from_static("dpop-nonce");

/// What a proof says.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Proof {
    jti: String,
    htm: String,
    htu: String,
    iat: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ath: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nonce: Option<String>,
}

/// The request that a proof has to be about.
#[derive(Clone, Copy, Debug)]
pub struct Proven<'a> {
    /// Its method.
    pub method: &'a str,
    /// Its address; query and fragment do not count.
    pub url: &'a str,
    /// The token that comes with it.
    pub token: Option<&'a str>,
}

/// Makes a proof for one request.
///
/// # Errors
/// The system has no random numbers.
pub fn prove(key: &SigningKey, request: Proven<'_>, nonce: Option<&str>, now: u64) -> Result<String, SignError> {
    let mut public = key.public().clone();
    (public.kid, public.alg, public.usage) = (None, None, None);
    let header = Header { typ: Some("dpop+jwt".to_owned()), jwk: Some(public), ..Header::new(Algorithm::Es256) };
    let proof = Proof {
        jti: random::token()?,
        htm: request.method.to_owned(),
        htu: bare(request.url).unwrap_or_else(|| request.url.to_owned()),
        iat: now,
        ath: request.token.map(token_hash),
        nonce: nonce.map(str::to_owned),
    };
    key.sign_with(&header, &proof)
}

/// Returns the nonce in a proof of our own.
#[cfg(feature = "client")]
pub(crate) fn nonce_of(proof: &str) -> Option<String> {
    let payload = random::decode(proof.split('.').nth(1)?)?;
    serde_json::from_slice::<Proof>(&payload).ok()?.nonce
}

fn token_hash(token: &str) -> String {
    random::encode(digest::digest(&digest::SHA256, token.as_bytes()))
}

/// The address without query and fragment, in the one spelling that URLs have.
fn bare(url: &str) -> Option<String> {
    let mut url = Url::parse(url).ok()?;
    url.set_query(None);
    url.set_fragment(None);
    Some(url.into())
}
