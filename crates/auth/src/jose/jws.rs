//! Signed texts in compact form (RFC 7515).

use serde::{Deserialize, Serialize};

use super::{Algorithm, Jwk};
use crate::random;

/// The header of a signed text. `jku`, `x5u` and `x5c` are not even read: keys come from configuration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The algorithm.
    pub alg: String,
    /// What kind of text this is, such as `at+jwt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typ: Option<String>,
    /// Which key has signed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kid: Option<String>,
    /// The key itself; only proofs of possession have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jwk: Option<Jwk>,
    /// Extensions that have to be understood. None is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) crit: Option<serde_json::Value>,
    /// Another extension that changes how the text is read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) b64: Option<serde_json::Value>,
}

impl Header {
    /// A header that says how the text is signed, and nothing else.
    #[must_use]
    pub fn new(algorithm: Algorithm) -> Self {
        Self { alg: algorithm.name().to_owned(), ..Self::default() }
    }
}

/// A signed text that was taken apart; its signature has not been checked.
#[derive(Clone, Debug)]
pub struct Jws<'a> {
    /// The header.
    pub header: Header,
    /// The algorithm that the header names.
    pub algorithm: Algorithm,
    message: &'a str,
    payload: Vec<u8>,
    signature: Vec<u8>,
}

/// Why a signed text is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JwsError {
    /// It is longer than tokens are.
    #[error("the token is too long")]
    TooLong,
    /// It does not have three parts of base64url with JSON inside.
    #[error("the token is not a signed JWT")]
    Malformed,
    /// It is signed in a way that is not accepted.
    #[error("the token's algorithm is not accepted")]
    Algorithm,
    /// It demands extensions.
    #[error("the token demands extensions that are not understood")]
    Critical,
    /// The signature is wrong.
    #[error("the token's signature is wrong")]
    Signature,
}

/// The longest text that is looked at.
pub(crate) const LONGEST: usize = 16 * 1024;

impl<'a> Jws<'a> {
    /// Takes a text apart.
    ///
    /// # Errors
    /// It is not a signed text in compact form, or is signed by something other than a public key.
    pub fn parse(text: &'a str) -> Result<Self, JwsError> {
        if text.len() > LONGEST {
            return Err(JwsError::TooLong);
        }
        let (message, signature) = text.rsplit_once('.').ok_or(JwsError::Malformed)?;
        let (header, payload) = message.split_once('.').ok_or(JwsError::Malformed)?;
        if payload.contains('.') {
            return Err(JwsError::Malformed);
        }
        let part = |text: &str| random::decode(text).ok_or(JwsError::Malformed);
        let header: Header = serde_json::from_slice(&part(header)?).map_err(|_| JwsError::Malformed)?;
        if header.crit.is_some() || header.b64.is_some() {
            return Err(JwsError::Critical);
        }
        let algorithm = Algorithm::from_name(&header.alg).ok_or(JwsError::Algorithm)?;
        Ok(Self { header, algorithm, message, payload: part(payload)?, signature: part(signature)? })
    }

    /// Whether the header calls the text of a kind. `application/` may be left out (RFC 7515, section 4.1.9).
    #[must_use]
    pub fn is_typ(&self, expected: &str) -> bool {
        self.header.typ.as_deref().is_some_and(|typ| {
            let short = match typ.get(..12) {
                Some(prefix) if prefix.eq_ignore_ascii_case("application/") => typ.get(12..).unwrap_or(typ),
                _ => typ,
            };
            short.eq_ignore_ascii_case(expected)
        })
    }

    /// Checks the signature and returns what was signed.
    ///
    /// # Errors
    /// The signature is not one of this key.
    pub fn verify(&self, key: &Jwk) -> Result<&[u8], JwsError> {
        if key.verifies(self.algorithm, self.message.as_bytes(), &self.signature) {
            Ok(&self.payload)
        } else {
            Err(JwsError::Signature)
        }
    }

    /// Reads what was signed without checking that it was. Only for finding out which key to check with.
    #[cfg(feature = "resource")]
    pub(crate) fn unverified<T: serde::de::DeserializeOwned>(&self) -> Result<T, JwsError> {
        serde_json::from_slice(&self.payload).map_err(|_| JwsError::Malformed)
    }
}
