//! Tokens that only their issuer can read (RFC 7662).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use http::header::AUTHORIZATION;
use jackfield_http::fetch::{Fetch, FetchError, FetchRequest};
use parking_lot::Mutex;
use serde::Deserialize;
use tokio::sync::Semaphore;

use super::{AccessToken, TokenVerifier, VerifyError, Verifying};
use crate::clock::ExpiringMap;
use crate::jose::Claims;
use crate::{Clock, Secret, basic, random};

/// Who asks the authorization server about tokens.
#[derive(Clone, Debug)]
pub struct IntrospectionClient {
    /// Its name there.
    pub id: String,
    /// Its secret there.
    pub secret: Secret,
}

/// Asks the issuer about each token. Answers are kept for a short time, and few are asked for at once: whoever shows tokens that
/// nobody issued must not make us flood the issuer.
#[derive(Debug)]
pub struct Introspection {
    issuer: String,
    endpoint: String,
    client: IntrospectionClient,
    fetch: Arc<dyn Fetch>,
    clock: Clock,
    life: Duration,
    known: Mutex<ExpiringMap<String, Arc<AccessToken>>>,
    /// Tokens that the issuer said are not good. They do not take the room of good ones.
    inactive: Mutex<ExpiringMap<String, ()>>,
    asking: Semaphore,
    /// Until when the issuer is not asked, because it did not answer.
    away_until: AtomicU64,
}

const KNOWN: usize = 4096;
/// How many questions may be under way at once.
const ASKING: usize = 32;
/// How long a question may wait for its turn.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long an issuer that did not answer is left alone, in seconds.
const AWAY: u64 = 2;
/// How long it is believed that a token is not good, in seconds.
const INACTIVE: u64 = 10;

impl Introspection {
    /// Asks at an endpoint about tokens of an issuer.
    pub fn new(
        issuer: impl Into<String>,
        endpoint: impl Into<String>,
        client: IntrospectionClient,
        fetch: Arc<dyn Fetch>,
    ) -> Self {
        Self {
            issuer: issuer.into(),
            endpoint: endpoint.into(),
            client,
            fetch,
            clock: Clock::system(),
            life: Duration::from_secs(30),
            known: Mutex::new(ExpiringMap::new(KNOWN)),
            inactive: Mutex::new(ExpiringMap::new(KNOWN)),
            asking: Semaphore::new(ASKING),
            away_until: AtomicU64::new(0),
        }
    }

    /// Sets how long a good answer is believed; 30 seconds by default. A revoked token works for that long.
    #[must_use]
    pub fn life(mut self, life: Duration) -> Self {
        self.life = life;
        self
    }

    /// Sets the clock.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    async fn ask(&self, text: &str) -> Result<Arc<AccessToken>, VerifyError> {
        let name = random::digest(text);
        if let Some(known) = self.look(&name) {
            return known;
        }
        let busy = || VerifyError::Unavailable(Arc::new(FetchError::TimedOut));
        // An issuer that does not answer must not keep everybody waiting behind each other.
        if self.away_until.load(Ordering::Relaxed) > self.clock.now() {
            return Err(busy());
        }
        let turn = tokio::time::timeout(PATIENCE, self.asking.acquire()).await;
        let Ok(Ok(_turn)) = turn else { return Err(busy()) };
        // Somebody else may have asked about it while this waited.
        if let Some(known) = self.look(&name) {
            return known;
        }
        let now = self.clock.now();
        let unavailable = |error: FetchError| VerifyError::Unavailable(Arc::new(error));
        let credentials = basic::header(&self.client.id, &self.client.secret);
        let form = [("token", text), ("token_type_hint", "access_token")];
        let ask = FetchRequest::post_form(&self.endpoint, form).map_err(unavailable)?.with(AUTHORIZATION, credentials);
        let fetched = self.fetch.fetch(ask).await;
        if fetched.is_err() {
            self.away_until.store(self.clock.now().saturating_add(AWAY), Ordering::Relaxed);
        }
        let document = fetched.and_then(jackfield_http::fetch::Document::success).map_err(unavailable)?;
        let state: State = document.json().map_err(unavailable)?;
        if !state.active {
            let until = now.saturating_add(INACTIVE);
            self.inactive.lock().insert(name, (), until, now);
            return Err(INVALID);
        }
        let mut claims: Claims = document.json().map_err(unavailable)?;
        // The issuer may leave itself out of its own answer, but may not speak for another.
        if claims.iss.get_or_insert_with(|| self.issuer.clone()) != &self.issuer {
            return Err(VerifyError::Invalid("the token is of another issuer"));
        }
        let token = AccessToken::from_claims(claims, document.body);
        let token = Arc::new(token.ok_or(VerifyError::Invalid("the issuer says too little about the token"))?);
        let until = now.saturating_add(self.life.as_secs()).min(token.expires_at.unwrap_or(u64::MAX));
        self.known.lock().insert(name, token.clone(), until, now);
        Ok(token)
    }

    /// Answers from what was asked before.
    fn look(&self, name: &String) -> Option<Result<Arc<AccessToken>, VerifyError>> {
        let now = self.clock.now();
        if let Some(known) = self.known.lock().get(name, now) {
            return Some(Ok(known.clone()));
        }
        let inactive = self.inactive.lock();
        inactive.get(name, now).map(|()| Err(INVALID))
    }
}

const INVALID: VerifyError = VerifyError::Invalid("the token is not active");

#[derive(Deserialize)]
struct State {
    active: bool,
}

impl TokenVerifier for Introspection {
    fn verify<'a>(&'a self, token: &'a str) -> Verifying<'a> {
        Box::pin(self.ask(token))
    }
}
