//! Tokens that are signed by their issuer (RFC 9068).

use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use ring::digest;

use super::{AccessToken, TokenVerifier, VerifyError, Verifying};
use crate::Clock;
use crate::clock::ExpiringMap;
use crate::jose::{Algorithm, Claims, Jws, JwsError, KeyCache, KeyCacheLimits, KeyError, KeySource};

/// Checks tokens that are signed by their issuer.
#[derive(Debug)]
pub struct JwtVerifier {
    issuer: String,
    algorithms: Vec<Algorithm>,
    keys: KeyCache,
    clock: Clock,
    needs_typ: bool,
    /// Tokens whose signature was checked: a client shows the same one with every request.
    checked: Mutex<ExpiringMap<[u8; 32], Checked>>,
}

#[derive(Clone, Debug)]
struct Checked {
    token: Arc<AccessToken>,
    /// Of which keys; others may have taken their place.
    generation: u64,
}

const CHECKED: usize = 4096;
/// How long a checked signature is believed, in seconds.
const CHECKED_LIFE: u64 = 300;

impl JwtVerifier {
    /// Takes tokens of an issuer, signed by its keys with ES256, RS256 or another of [`Algorithm::ALL`].
    pub fn new(issuer: impl Into<String>, keys: Arc<dyn KeySource>) -> Self {
        Self::with_clock(issuer, keys, Clock::system())
    }

    /// The same with a clock of one's own.
    pub fn with_clock(issuer: impl Into<String>, keys: Arc<dyn KeySource>, clock: Clock) -> Self {
        Self {
            issuer: issuer.into(),
            algorithms: Algorithm::ALL.to_vec(),
            keys: KeyCache::new(keys, KeyCacheLimits::default(), clock.clone()),
            clock,
            needs_typ: false,
            checked: Mutex::new(ExpiringMap::new(CHECKED)),
        }
    }

    /// Accepts these algorithms only.
    #[must_use]
    pub fn algorithms(mut self, algorithms: &[Algorithm]) -> Self {
        self.algorithms = algorithms.to_vec();
        self
    }

    /// Accepts only tokens that call themselves `at+jwt`, as RFC 9068 asks. Many issuers do not.
    #[must_use]
    pub fn strict_typ(mut self) -> Self {
        self.needs_typ = true;
        self
    }

    /// Changes how keys are kept.
    #[must_use]
    pub fn key_limits(mut self, source: Arc<dyn KeySource>, limits: KeyCacheLimits) -> Self {
        self.keys = KeyCache::new(source, limits, self.clock.clone());
        self
    }

    async fn check(&self, text: &str) -> Result<Arc<AccessToken>, VerifyError> {
        let name = fingerprint(text);
        if let Some(token) = self.known(&name) {
            return Ok(token);
        }
        let jws = Jws::parse(text).map_err(|error| VerifyError::Invalid(describe(error)))?;
        self.check_kind(&jws)?;
        // Whose keys these are is settled; asking for them is not worth it if the token names somebody else.
        let claims: Claims = jws.unverified().map_err(|error| VerifyError::Invalid(describe(error)))?;
        if claims.iss.as_deref() != Some(&self.issuer) {
            return Err(VerifyError::Invalid("the token is of another issuer"));
        }
        if claims.exp.is_none_or(|exp| exp.saturating_add(3600) < self.clock.now()) {
            return Err(VerifyError::Invalid("the token has expired"));
        }
        let keys = self.keys.candidates(jws.header.kid.as_deref(), jws.algorithm).await.map_err(unavailable)?;
        let generation = self.keys.generation().0;
        let payload = keys.iter().find_map(|key| jws.verify(key).ok());
        let payload = payload.ok_or(VerifyError::Invalid("the token's signature is wrong"))?;
        let payload = Bytes::copy_from_slice(payload);
        let token = AccessToken::from_claims(claims, payload);
        let token = Arc::new(token.ok_or(VerifyError::Invalid("the token lacks claims that are needed"))?);
        let now = self.clock.now();
        let until = token.expires_at.unwrap_or(now).min(now.saturating_add(CHECKED_LIFE));
        let checked = Checked { token: token.clone(), generation };
        self.checked.lock().insert(name, checked, until, now);
        Ok(token)
    }

    fn known(&self, name: &[u8; 32]) -> Option<Arc<AccessToken>> {
        let (generation, is_fresh) = self.keys.generation();
        let checked = self.checked.lock();
        let known = checked.get(name, self.clock.now())?;
        (is_fresh && known.generation == generation).then(|| known.token.clone())
    }

    fn check_kind(&self, jws: &Jws<'_>) -> Result<(), VerifyError> {
        if !self.algorithms.contains(&jws.algorithm) {
            return Err(VerifyError::Invalid("the token's algorithm is not accepted"));
        }
        // Identity tokens, assertions and proofs are signed by the same keys, and are no access tokens.
        let is_access = jws.is_typ("at+jwt") || (!self.needs_typ && (jws.header.typ.is_none() || jws.is_typ("jwt")));
        if is_access { Ok(()) } else { Err(VerifyError::Invalid("the token is no access token")) }
    }
}

impl TokenVerifier for JwtVerifier {
    fn verify<'a>(&'a self, token: &'a str) -> Verifying<'a> {
        Box::pin(self.check(token))
    }
}

fn fingerprint(text: &str) -> [u8; 32] {
    let mut name = [0; 32];
    let digest = digest::digest(&digest::SHA256, text.as_bytes());
    for (to, from) in name.iter_mut().zip(digest.as_ref()) {
        *to = *from;
    }
    name
}

fn describe(error: JwsError) -> &'static str {
    match error {
        JwsError::TooLong => "the token is too long",
        JwsError::Malformed => "the token is not a signed JWT",
        JwsError::Algorithm => "the token's algorithm is not accepted",
        JwsError::Critical => "the token demands extensions that are not understood",
        JwsError::Signature => "the token's signature is wrong",
    }
}

fn unavailable(error: KeyError) -> VerifyError {
    match error {
        KeyError::Unknown => VerifyError::Invalid("the issuer has no such key"),
        KeyError::Unavailable(cause) => VerifyError::Unavailable(cause),
    }
}
