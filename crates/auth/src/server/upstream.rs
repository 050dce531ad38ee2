//! Another OpenID provider, where users log in.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use http::header::AUTHORIZATION;
use serde::Deserialize;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::JoinSet;

use crate::fetch::{Ask, Document, Fetch, FetchError};
use crate::jose::{Claims, Jws, KeyCache, KeyCacheLimits, RemoteKeys};
use crate::metadata::{self, AuthorizationServerMetadata};
use crate::{Clock, Secret, basic, random, secret};

/// Another OpenID provider, where users log in.
#[derive(Debug)]
pub struct Upstream {
    issuer: String,
    pub(super) client_id: String,
    secret: Secret,
    scopes: String,
    fetch: Arc<dyn Fetch>,
    keys: KeyCache,
    clock: Clock,
    /// What the provider says about itself, and until when that is believed.
    metadata: Mutex<Option<(Arc<AuthorizationServerMetadata>, u64)>>,
    /// One of these is held while the tokens of a login are renewed.
    renewals: Vec<Semaphore>,
    /// Renewals under way.
    running: Mutex<JoinSet<()>>,
}

/// What the provider answers to a token request.
#[derive(Deserialize)]
pub(super) struct Answered {
    pub(super) access_token: String,
    #[serde(default)]
    pub(super) refresh_token: Option<String>,
    #[serde(default)]
    pub(super) expires_in: Option<u64>,
    #[serde(default)]
    pub(super) id_token: Option<String>,
}

impl fmt::Debug for Answered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answered").field("expires_in", &self.expires_in).finish_non_exhaustive()
    }
}

/// How far clocks may differ, in seconds.
const LEEWAY: u64 = 30;
/// How long the provider's description of itself is believed, in seconds.
const METADATA_LIFE: u64 = 600;
/// How many logins can be renewed at once.
const RENEWALS: usize = 64;

impl Upstream {
    /// Sends users to the provider with this issuer, as one of its clients.
    pub fn new(issuer: impl Into<String>, client_id: impl Into<String>, secret: Secret, fetch: Arc<dyn Fetch>) -> Self {
        let (issuer, clock) = (issuer.into(), Clock::system());
        Self {
            keys: keys(&issuer, &fetch, &clock),
            client_id: client_id.into(),
            secret,
            scopes: "openid".to_owned(),
            fetch,
            issuer,
            clock,
            metadata: Mutex::default(),
            renewals: (0..RENEWALS).map(|_| Semaphore::new(1)).collect(),
            running: Mutex::default(),
        }
    }

    /// Asks for scopes there, besides `openid`.
    #[must_use]
    pub fn scope(mut self, scopes: &str) -> Self {
        self.scopes = format!("openid {scopes}");
        self
    }

    pub(super) fn with_clock(self, clock: &Clock) -> Self {
        Self { keys: keys(&self.issuer, &self.fetch, clock), clock: clock.clone(), ..self }
    }

    pub(super) fn issuer(&self) -> &str {
        &self.issuer
    }

    pub(super) fn scopes(&self) -> &str {
        &self.scopes
    }

    /// Does something that is not given up with the request that asked for it, but only with the server.
    pub(super) fn run(&self, work: impl Future<Output = ()> + Send + 'static) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        while running.try_join_next().is_some() {}
        running.spawn(work);
    }

    /// Waits until nobody else renews the tokens of a login. Providers that rotate refresh tokens take a second use of one for
    /// a theft, so two must not try at once.
    pub(super) async fn renewal(&self, family: &str) -> Option<SemaphorePermit<'_>> {
        let digest = random::digest(family);
        let lane = digest.bytes().fold(0_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
        self.renewals.get(lane.checked_rem(self.renewals.len())?)?.acquire().await.ok()
    }

    /// Returns what the provider says about itself.
    pub(super) async fn metadata(&self) -> Result<Arc<AuthorizationServerMetadata>, FetchError> {
        let known = self.metadata.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((metadata, until)) = known
            && until > self.clock.now()
        {
            return Ok(metadata);
        }
        let found = Arc::new(metadata::discover(&self.issuer, &*self.fetch).await?);
        let until = self.clock.now().saturating_add(METADATA_LIFE);
        *self.metadata.lock().unwrap_or_else(PoisonError::into_inner) = Some((found.clone(), until));
        Ok(found)
    }

    /// Asks the provider for tokens.
    pub(super) async fn ask(&self, form: &[(&str, &str)]) -> Result<Answered, FetchError> {
        let endpoint = self.metadata().await?.token_endpoint.clone();
        self.post(&endpoint.ok_or(FetchError::Unusable("no token endpoint"))?, form).await?.json()
    }

    /// Gives a token back, if the provider takes any.
    pub(super) async fn give_back(&self, token: &str) -> Result<(), FetchError> {
        let Some(endpoint) = self.metadata().await?.revocation_endpoint.clone() else { return Ok(()) };
        self.post(&endpoint, &[("token", token)]).await.map(drop)
    }

    async fn post(&self, endpoint: &str, form: &[(&str, &str)]) -> Result<Document, FetchError> {
        let credentials = basic::header(&self.client_id, &self.secret);
        let ask = Ask::post_form(endpoint, form.iter().copied())?.with(AUTHORIZATION, credentials);
        self.fetch.fetch(ask).await?.success()
    }

    /// Checks the identity token of a login, and returns the user's name there.
    pub(super) async fn subject(&self, text: &str, nonce: &str) -> Option<String> {
        let jws = Jws::parse(text).ok()?;
        let keys = self.keys.candidates(jws.header.kid.as_deref(), jws.algorithm).await.ok()?;
        let payload = keys.iter().find_map(|key| jws.verify(key).ok())?;
        let claims: Claims = serde_json::from_slice(payload).ok()?;
        let is_good = claims.iss.as_deref() == Some(self.issuer.as_str())
            && claims.aud.names(&self.client_id)
            && (claims.aud.0.len() == 1 || claims.azp.as_deref() == Some(self.client_id.as_str()))
            && claims.exp.is_some_and(|end| end.saturating_add(LEEWAY) > self.clock.now())
            && claims.nonce.as_deref().is_some_and(|shown| secret::same(shown, nonce));
        claims.sub.filter(|subject| is_good && !subject.is_empty())
    }
}

fn keys(issuer: &str, fetch: &Arc<dyn Fetch>, clock: &Clock) -> KeyCache {
    let keys = RemoteKeys::of(issuer, fetch.clone());
    KeyCache::new(Arc::new(keys), KeyCacheLimits::default(), clock.clone())
}
