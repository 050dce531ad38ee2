//! Keys that sign.

use std::fmt;

use base64::Engine as _;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use serde::Serialize;

use super::{Algorithm, Header, Jwk};
use crate::{NoRandomness, random};

/// A key that signs with ES256.
pub struct SigningKey {
    pair: EcdsaKeyPair,
    pkcs8: Vec<u8>,
    public: Jwk,
}

/// Something could not be signed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SignError {
    /// The system has no random numbers.
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
    /// What is to be signed cannot be written as JSON.
    #[error("what is to be signed is no JSON")]
    Claims(#[source] serde_json::Error),
}

/// A stored key is none.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("not a private key on P-256 in PKCS#8")]
pub struct KeyFileError;

impl SigningKey {
    /// Makes a new key.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn generate() -> Result<Self, NoRandomness> {
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new());
        let document = document.map_err(|_| NoRandomness)?;
        Self::from_pkcs8(document.as_ref()).map_err(|_| NoRandomness)
    }

    /// Reads a key in PKCS#8.
    ///
    /// # Errors
    /// It is not one.
    pub fn from_pkcs8(pkcs8: &[u8]) -> Result<Self, KeyFileError> {
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8, &SystemRandom::new());
        let pair = pair.map_err(|_| KeyFileError)?;
        let point = pair.public_key().as_ref();
        let (x, y) = point.get(1..33).zip(point.get(33..65)).ok_or(KeyFileError)?;
        let mut public = Jwk {
            kty: "EC".to_owned(),
            crv: Some("P-256".to_owned()),
            x: Some(random::encode(x)),
            y: Some(random::encode(y)),
            alg: Some(Algorithm::Es256.name().to_owned()),
            usage: Some("sig".to_owned()),
            ..Jwk::default()
        };
        public.kid = public.thumbprint();
        Ok(Self { pair, pkcs8: pkcs8.to_vec(), public })
    }

    /// Reads a key in PKCS#8 that is written as PEM, as `openssl genpkey` does.
    ///
    /// # Errors
    /// It is not one.
    pub fn from_pem(pem: &str) -> Result<Self, KeyFileError> {
        let (_, rest) = pem.split_once("-----BEGIN PRIVATE KEY-----").ok_or(KeyFileError)?;
        let (body, _) = rest.split_once("-----END PRIVATE KEY-----").ok_or(KeyFileError)?;
        let body: String = body.chars().filter(|one| !one.is_ascii_whitespace()).collect();
        let pkcs8 = base64::engine::general_purpose::STANDARD.decode(body).map_err(|_| KeyFileError)?;
        Self::from_pkcs8(&pkcs8)
    }

    /// Returns the key in PKCS#8, for keeping it.
    #[must_use]
    pub fn to_pkcs8(&self) -> &[u8] {
        &self.pkcs8
    }

    /// Returns the public key; its name is its thumbprint.
    #[must_use]
    pub fn public(&self) -> &Jwk {
        &self.public
    }

    /// Returns the name of the key.
    #[must_use]
    pub fn id(&self) -> &str {
        self.public.kid.as_deref().unwrap_or_default()
    }

    /// Signs claims as a text of a kind, such as `at+jwt`.
    ///
    /// # Errors
    /// The system has no random numbers, or the claims are no JSON.
    pub fn sign(&self, typ: &str, claims: &impl Serialize) -> Result<String, SignError> {
        let header =
            Header { typ: Some(typ.to_owned()), kid: self.public.kid.clone(), ..Header::new(Algorithm::Es256) };
        self.sign_with(&header, claims)
    }

    /// Signs claims under a header of one's own.
    ///
    /// # Errors
    /// The system has no random numbers, or the claims are no JSON.
    pub fn sign_with(&self, header: &Header, claims: &impl Serialize) -> Result<String, SignError> {
        let part = |json: serde_json::Result<Vec<u8>>| json.map(random::encode).map_err(SignError::Claims);
        let message = format!("{}.{}", part(serde_json::to_vec(header))?, part(serde_json::to_vec(claims))?);
        let signature = self.pair.sign(&SystemRandom::new(), message.as_bytes()).map_err(|_| NoRandomness)?;
        Ok(format!("{message}.{}", random::encode(signature)))
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("id", &self.id()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Jws, JwsError};
    use super::*;

    #[test]
    fn what_is_signed_is_verified_by_the_same_key_only() {
        let (one, other) = (SigningKey::generate().unwrap(), SigningKey::generate().unwrap());
        let again = SigningKey::from_pkcs8(one.to_pkcs8()).unwrap();
        let text = one.sign("at+jwt", &serde_json::json!({ "sub": "ann" })).unwrap();
        let jws = Jws::parse(&text).unwrap();
        assert_eq!(jws.verify(again.public()).unwrap(), br#"{"sub":"ann"}"#);
        assert_eq!(jws.verify(other.public()), Err(JwsError::Signature));
        assert!(jws.is_typ("AT+JWT") && !jws.is_typ("jwt"));
        assert_eq!(jws.header.kid.as_deref(), Some(one.id()));
        let body = base64::engine::general_purpose::STANDARD.encode(one.to_pkcs8());
        let (first, second) = body.split_at(64);
        let pem = format!("-----BEGIN PRIVATE KEY-----\n{first}\n{second}\n-----END PRIVATE KEY-----\n");
        assert_eq!(SigningKey::from_pem(&pem).unwrap().id(), one.id());
        assert!(SigningKey::from_pem(&body).is_err());
        assert!(!format!("{one:?}").contains(&random::encode(one.to_pkcs8())));
        // Keys of JSON objects are texts.
        let no_json = std::collections::BTreeMap::from([((1, 2), 3)]);
        assert!(matches!(one.sign("jwt", &no_json), Err(SignError::Claims(_))));
    }
}
