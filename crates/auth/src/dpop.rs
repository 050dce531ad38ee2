//! Proofs of possession (RFC 9449): who shows a token shows that it holds the key the token is bound to.

use std::sync::{Mutex, PoisonError};

use http::HeaderMap;
use ring::{digest, hmac};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::expiring::{Added, ExpiringMap};
use crate::jose::{Algorithm, Header, Jws, SigningKey};
use crate::{Clock, NoRandomness, random, secret};

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

/// Why a proof is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProofError {
    /// There is none, or more than one.
    #[error("exactly one DPoP proof is needed")]
    Missing,
    /// It is not a proof, or of another request, key or time.
    #[error("the DPoP proof is not valid: {0}")]
    Invalid(&'static str),
    /// It was used before.
    #[error("the DPoP proof was used before")]
    Replayed,
    /// A nonce is needed, or the one in it is too old.
    #[error("the DPoP proof needs a fresh nonce")]
    UseNonce,
    /// Too many proofs came to remember them all.
    #[error("too many DPoP proofs at present")]
    Busy,
}

/// How proofs are checked.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProofRules {
    /// Which algorithms are accepted.
    pub algorithms: Vec<Algorithm>,
    /// How old a proof may be, and how far ahead its clock; 60 seconds.
    pub window: u64,
    /// How many proofs are remembered; when they are that many within the window, more are refused.
    pub remembered: usize,
    /// Proofs must contain a nonce of ours.
    pub nonce: bool,
}

impl Default for ProofRules {
    fn default() -> Self {
        Self { algorithms: vec![Algorithm::Es256, Algorithm::EdDsa], window: 60, remembered: 65_536, nonce: false }
    }
}

/// Checks proofs, each once.
#[derive(Debug)]
pub struct ProofChecker {
    rules: ProofRules,
    clock: Clock,
    seen: Mutex<ExpiringMap<String, ()>>,
    nonces: Option<Nonces>,
}

impl ProofChecker {
    /// Makes a checker.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn new(rules: ProofRules, clock: Clock) -> Result<Self, NoRandomness> {
        let seen = Mutex::new(ExpiringMap::new(rules.remembered));
        let nonces = if rules.nonce { Some(Nonces::new()?) } else { None };
        Ok(Self { rules, clock, seen, nonces })
    }

    /// Returns the accepted algorithms by name.
    #[must_use]
    pub fn algorithms(&self) -> Vec<String> {
        self.rules.algorithms.iter().map(|algorithm| algorithm.name().to_owned()).collect()
    }

    /// Returns the nonce that the next proof has to have, if any is needed.
    #[must_use]
    pub fn nonce(&self) -> Option<String> {
        self.nonces.as_ref().map(|nonces| nonces.at(self.clock.now()))
    }

    /// Checks the proof among the headers of a request and returns the thumbprint of its key.
    ///
    /// # Errors
    /// It is missing or refused.
    pub fn check(&self, headers: &HeaderMap, request: Proven<'_>) -> Result<String, ProofError> {
        let mut proofs = headers.get_all(HEADER).iter();
        let (Some(proof), None) = (proofs.next(), proofs.next()) else { return Err(ProofError::Missing) };
        let text = proof.to_str().map_err(|_| ProofError::Invalid("not a signed JWT"))?;
        let jws = Jws::parse(text).map_err(|_| ProofError::Invalid("not a signed JWT"))?;
        if !jws.is_typ("dpop+jwt") {
            return Err(ProofError::Invalid("typ is not dpop+jwt"));
        }
        if !self.rules.algorithms.contains(&jws.algorithm) {
            return Err(ProofError::Invalid("the algorithm is not accepted"));
        }
        let key = jws.header.jwk.as_ref().ok_or(ProofError::Invalid("the header has no jwk"))?;
        if key.is_private {
            return Err(ProofError::Invalid("the jwk is a private key"));
        }
        let payload = jws.verify(key).map_err(|_| ProofError::Invalid("the signature is wrong"))?;
        let proof: Proof = serde_json::from_slice(payload).map_err(|_| ProofError::Invalid("claims are missing"))?;
        let thumbprint = key.thumbprint().ok_or(ProofError::Invalid("the jwk has no thumbprint"))?;
        self.check_claims(&proof, request)?;
        self.remember(&thumbprint, &proof)?;
        Ok(thumbprint)
    }

    fn check_claims(&self, proof: &Proof, request: Proven<'_>) -> Result<(), ProofError> {
        if proof.jti.is_empty() || proof.jti.len() > 512 {
            return Err(ProofError::Invalid("jti is empty or too long"));
        }
        if proof.htm != request.method {
            return Err(ProofError::Invalid("htm is of another method"));
        }
        if bare(&proof.htu).is_none_or(|htu| Some(htu) != bare(request.url)) {
            return Err(ProofError::Invalid("htu is of another address"));
        }
        if self.clock.now().abs_diff(proof.iat) > self.rules.window {
            return Err(ProofError::Invalid("iat is too old or in the future"));
        }
        if let Some(token) = request.token {
            let ath = proof.ath.as_deref().ok_or(ProofError::Invalid("ath is missing"))?;
            if !secret::same(ath, &token_hash(token)) {
                return Err(ProofError::Invalid("ath is of another token"));
            }
        }
        match (&self.nonces, &proof.nonce) {
            (None, _) => Ok(()),
            (Some(nonces), Some(nonce)) if nonces.is_fresh(nonce, self.clock.now()) => Ok(()),
            (Some(_), _) => Err(ProofError::UseNonce),
        }
    }

    fn remember(&self, thumbprint: &str, proof: &Proof) -> Result<(), ProofError> {
        let now = self.clock.now();
        let until = proof.iat.saturating_add(self.rules.window).saturating_add(1);
        let name = random::digest(&format!("{thumbprint} {}", proof.jti));
        match self.seen.lock().unwrap_or_else(PoisonError::into_inner).add(name, (), until, now) {
            Added::New => Ok(()),
            Added::Known => Err(ProofError::Replayed),
            Added::Full => Err(ProofError::Busy),
        }
    }
}

/// Makes a proof for one request.
///
/// # Errors
/// The system has no random numbers.
pub fn prove(key: &SigningKey, request: Proven<'_>, nonce: Option<&str>, now: u64) -> Result<String, NoRandomness> {
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

/// Nonces that need no memory: a signature over the time slice they were given in.
#[derive(Debug)]
struct Nonces(hmac::Key);

/// How long a nonce is the current one, in seconds; the one before it is still good.
const SLICE: u64 = 120;

impl Nonces {
    fn new() -> Result<Self, NoRandomness> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|_| NoRandomness)?;
        Ok(Self(hmac::Key::new(hmac::HMAC_SHA256, &bytes)))
    }

    fn at(&self, now: u64) -> String {
        self.of(now / SLICE)
    }

    fn of(&self, slice: u64) -> String {
        random::encode(hmac::sign(&self.0, &slice.to_be_bytes()))
    }

    fn is_fresh(&self, nonce: &str, now: u64) -> bool {
        let slice = now / SLICE;
        secret::same(nonce, &self.of(slice)) | secret::same(nonce, &self.of(slice.saturating_sub(1)))
    }
}
