//! Values nobody can guess.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest;

/// The system has no random numbers.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the system has no random numbers")]
pub struct NoRandomness;

/// Returns 256 random bits as text for URLs.
pub(crate) fn token() -> Result<String, NoRandomness> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|_| NoRandomness)?;
    Ok(encode(bytes))
}

/// Returns the SHA-256 of a text, as text for URLs: what is stored in place of a secret.
pub(crate) fn digest(text: &str) -> String {
    encode(digest::digest(&digest::SHA256, text.as_bytes()).as_ref())
}

pub(crate) fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Reads base64url without padding; anything else is refused, so that each value has one spelling.
pub(crate) fn decode(text: impl AsRef<[u8]>) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}
