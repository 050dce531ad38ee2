//! Checks proofs, each once.

use std::sync::Arc;

use http::HeaderMap;
use jackfield_store::InsertError;
use parking_lot::Mutex;

use super::nonces::Nonces;
use super::{HEADER, Proof, Proven, bare, token_hash};
use crate::clock::ExpiringMap;
use crate::jose::{Algorithm, Jws};
use crate::{AuthStore, Clock, NoRandomness, StoreError, random, secret};

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
    /// The store that remembers them cannot be reached.
    #[error("DPoP proofs cannot be checked at present")]
    Unavailable,
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
    /// What was taken here. It bounds what is written to a store: anybody can make proofs.
    seen: Mutex<ExpiringMap<String, ()>>,
    /// What others took too.
    shared: Option<Arc<dyn AuthStore>>,
    nonces: Option<Nonces>,
}

/// Where a store keeps the proofs.
const KIND: &str = "proof";

impl ProofChecker {
    /// Makes a checker.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn new(rules: ProofRules, clock: Clock) -> Result<Self, NoRandomness> {
        let seen = Mutex::new(ExpiringMap::new(rules.remembered));
        let nonces = if rules.nonce { Some(Nonces::new()?) } else { None };
        Ok(Self { rules, clock, seen, shared: None, nonces })
    }

    /// Remembers proofs in a store, together with all who use it.
    #[must_use]
    pub fn share(mut self, store: Arc<dyn AuthStore>) -> Self {
        self.nonces = self.nonces.map(|_| Nonces::shared(store.clone()));
        self.shared = Some(store);
        self
    }

    /// Returns the accepted algorithms by name.
    #[must_use]
    pub fn algorithms(&self) -> Vec<String> {
        self.rules.algorithms.iter().map(|algorithm| algorithm.name().to_owned()).collect()
    }

    /// Returns the nonce that the next proof has to have, if any is needed. Where it comes from a store it is known after the
    /// first check.
    #[must_use]
    pub fn nonce(&self) -> Option<String> {
        self.nonces.as_ref()?.at(self.clock.now())
    }

    /// Checks the proof among the headers of a request and returns the thumbprint of its key.
    ///
    /// # Errors
    /// It is missing or refused.
    pub async fn check(&self, headers: &HeaderMap, request: Proven<'_>) -> Result<String, ProofError> {
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
        self.check_nonce(&proof).await?;
        self.remember(&thumbprint, &proof).await?;
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
        Ok(())
    }

    async fn check_nonce(&self, proof: &Proof) -> Result<(), ProofError> {
        let Some(nonces) = &self.nonces else { return Ok(()) };
        let now = self.clock.now();
        nonces.find(now).await?;
        let is_fresh = proof.nonce.as_deref().is_some_and(|nonce| nonces.is_fresh(nonce, now));
        if is_fresh { Ok(()) } else { Err(ProofError::UseNonce) }
    }

    async fn remember(&self, thumbprint: &str, proof: &Proof) -> Result<(), ProofError> {
        let until = proof.iat.saturating_add(self.rules.window).saturating_add(1);
        let name = random::digest(&format!("{thumbprint} {}", proof.jti));
        let taken = self.seen.lock().try_insert(name.clone(), (), until, self.clock.now());
        match taken {
            Ok(()) => {}
            Err(InsertError::Occupied) => return Err(ProofError::Replayed),
            Err(_) => return Err(ProofError::Busy),
        }
        let Some(store) = &self.shared else { return Ok(()) };
        // The clocks of others may be behind ours, by no more than a proof may be old.
        let until = until.saturating_add(self.rules.window);
        match store.add(&format!("{KIND}:{name}"), Vec::new(), until).await? {
            true => Ok(()),
            false => Err(ProofError::Replayed),
        }
    }
}

impl From<StoreError> for ProofError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Full => Self::Busy,
            StoreError::Failed(error) => {
                tracing::warn!(error, "the store of DPoP proofs failed");
                Self::Unavailable
            }
        }
    }
}
