//! Keys of an issuer, fetched when they are needed.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use jackfield_http::fetch::{Fetch, FetchError, FetchRequest};
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;

use super::{Algorithm, Jwk, JwkSet};
use crate::Clock;
use crate::clock::ExpiringMap;
use crate::metadata::{self, AuthorizationServerMetadata};

/// Keys, and how long they may be kept.
#[derive(Clone, Debug)]
pub struct LoadedKeys {
    /// The keys.
    pub keys: JwkSet,
    /// For how long the source says that they are good.
    pub max_age: Option<Duration>,
}

/// Keys, now or later.
pub type LoadingKeys<'a> = Pin<Box<dyn Future<Output = Result<LoadedKeys, FetchError>> + Send + 'a>>;

/// Where the keys of an issuer come from.
pub trait KeySource: Send + Sync + fmt::Debug + 'static {
    /// Loads the keys as they are now.
    fn load(&self) -> LoadingKeys<'_>;
}

/// Keys that never change.
impl KeySource for JwkSet {
    fn load(&self) -> LoadingKeys<'_> {
        let keys = LoadedKeys { keys: self.clone(), max_age: None };
        Box::pin(std::future::ready(Ok(keys)))
    }
}

/// Keys that another server publishes.
#[derive(Debug)]
pub struct RemoteKeys {
    fetch: Arc<dyn Fetch>,
    place: Place,
    /// The longest document.
    limit: usize,
}

/// The longest document with the keys of somebody who is trusted.
const LARGEST: usize = 1 << 20;

#[derive(Debug)]
enum Place {
    Url(String),
    /// The metadata of the issuer says where.
    Issuer(String),
}

impl RemoteKeys {
    /// Keys at a URL.
    pub fn at(url: impl Into<String>, fetch: Arc<dyn Fetch>) -> Self {
        Self { fetch, place: Place::Url(url.into()), limit: LARGEST }
    }

    /// Keys of an issuer, at the place that its metadata names.
    pub fn of(issuer: impl Into<String>, fetch: Arc<dyn Fetch>) -> Self {
        Self { fetch, place: Place::Issuer(issuer.into()), limit: LARGEST }
    }

    /// Takes no document that is longer than this, in bytes.
    #[cfg(feature = "server")]
    pub(crate) fn limit(self, limit: usize) -> Self {
        Self { limit, ..self }
    }
}

impl KeySource for RemoteKeys {
    fn load(&self) -> LoadingKeys<'_> {
        Box::pin(async move {
            let url = match &self.place {
                Place::Url(url) => url.clone(),
                Place::Issuer(issuer) => {
                    let found: AuthorizationServerMetadata = metadata::discover(issuer, &*self.fetch).await?;
                    found.jwks_uri.ok_or(FetchError::Unusable("the issuer's metadata has no jwks_uri"))?
                }
            };
            let mut ask = FetchRequest::get(&url)?;
            ask.limit = self.limit;
            let document = self.fetch.fetch(ask).await?.success()?;
            if document.body.len() > self.limit {
                return Err(FetchError::TooLarge);
            }
            let keys = JwkSet::parse(&document.body).ok_or(FetchError::Unusable("not a set of keys"))?;
            Ok(LoadedKeys { keys, max_age: document.max_age() })
        })
    }
}

/// How keys are kept.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct KeyCacheLimits {
    /// How long keys are kept when the source does not say; its word counts between a minute and a day. 10 minutes.
    pub life: Duration,
    /// How long keys are used beyond that while the source cannot be reached. 5 minutes.
    pub grace: Duration,
    /// How much time lies between two attempts at least, whatever tokens ask for. 10 seconds.
    pub pause: Duration,
    /// How long a key that the source does not have is not asked for again. 60 seconds.
    pub unknown_life: Duration,
    /// How long one attempt may take. 10 seconds.
    pub deadline: Duration,
}

impl Default for KeyCacheLimits {
    fn default() -> Self {
        Self {
            life: Duration::from_secs(600),
            grace: Duration::from_secs(300),
            pause: Duration::from_secs(10),
            unknown_life: Duration::from_secs(60),
            deadline: Duration::from_secs(10),
        }
    }
}

/// Why there is no key.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The issuer has no such key.
    #[error("the issuer has no such key")]
    Unknown,
    /// The keys cannot be had at present.
    #[error("the issuer's keys cannot be fetched")]
    Unavailable(#[source] Arc<FetchError>),
}

/// The keys of an issuer: cached, fetched by one task at a time, and not more often than the limits say. A fetch goes on when
/// whoever began it gives up.
#[derive(Debug)]
pub struct KeyCache {
    known: Arc<Known>,
    /// Held by the one task that fetches.
    flight: Arc<Semaphore>,
    fetching: Mutex<JoinSet<()>>,
}

/// What is known of an issuer's keys, and where more of it comes from.
#[derive(Debug)]
struct Known {
    source: Arc<dyn KeySource>,
    limits: KeyCacheLimits,
    clock: Clock,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    keys: Arc<JwkSet>,
    generation: u64,
    fresh_until: u64,
    usable_until: u64,
    next_attempt: u64,
    failure: Option<Arc<FetchError>>,
    unknown: ExpiringMap<String, ()>,
}

const UNKNOWN_KEYS: usize = 1024;

impl KeyCache {
    /// Makes a cache; nothing is fetched before it is needed.
    pub fn new(source: Arc<dyn KeySource>, limits: KeyCacheLimits, clock: Clock) -> Self {
        let state = State {
            keys: Arc::default(),
            generation: 0,
            fresh_until: 0,
            usable_until: 0,
            next_attempt: 0,
            failure: None,
            unknown: ExpiringMap::new(UNKNOWN_KEYS),
        };
        let known = Known { source, limits, clock, state: Mutex::new(state) };
        Self { known: Arc::new(known), flight: Arc::new(Semaphore::new(1)), fetching: Mutex::default() }
    }

    /// Returns a number that changes whenever keys were added or removed, and whether the keys are fresh.
    #[must_use]
    pub fn generation(&self) -> (u64, bool) {
        let state = self.known.state();
        (state.generation, state.fresh_until > self.known.clock.now())
    }

    /// Returns the keys that may have made a signature, a few at most.
    ///
    /// # Errors
    /// There is none, or it cannot be found out.
    pub async fn candidates(&self, kid: Option<&str>, algorithm: Algorithm) -> Result<Vec<Jwk>, KeyError> {
        if let Some(known) = self.known.look(kid, algorithm) {
            return known;
        }
        let has_asked = match self.flight.clone().try_acquire_owned() {
            Ok(flight) if self.known.may_try() => {
                self.fetch(flight);
                true
            }
            Ok(_) => false,
            // While another task asks, what is past its time but within its grace will do.
            Err(_) => {
                if let Some(usable) = self.known.usable(kid, algorithm) {
                    return Ok(usable);
                }
                false
            }
        };
        let _landed = self.flight.acquire().await;
        self.known.settle(kid, algorithm, has_asked)
    }

    fn fetch(&self, flight: OwnedSemaphorePermit) {
        let known = self.known.clone();
        let mut fetching = self.fetching.lock();
        while fetching.try_join_next().is_some() {}
        fetching.spawn(async move {
            known.refresh().await;
            drop(flight);
        });
    }
}

impl Known {
    /// Answers from what is there; none if the source has to be asked.
    fn look(&self, kid: Option<&str>, algorithm: Algorithm) -> Option<Result<Vec<Jwk>, KeyError>> {
        let state = self.state();
        let now = self.clock.now();
        if state.fresh_until <= now {
            return None;
        }
        let found = candidates(&state.keys, kid, algorithm);
        if !found.is_empty() {
            return Some(Ok(found));
        }
        let name = unknown_name(kid, algorithm);
        let is_settled = state.unknown.get(&name, now).is_some() || state.next_attempt > now;
        is_settled.then_some(Err(KeyError::Unknown))
    }

    /// Returns the keys that are there, if they may still be used.
    fn usable(&self, kid: Option<&str>, algorithm: Algorithm) -> Option<Vec<Jwk>> {
        let state = self.state();
        let found = candidates(&state.keys, kid, algorithm);
        (state.usable_until > self.clock.now() && !found.is_empty()).then_some(found)
    }

    fn may_try(&self) -> bool {
        self.state().next_attempt <= self.clock.now()
    }

    async fn refresh(&self) {
        let loaded = match tokio::time::timeout(self.limits.deadline, self.source.load()).await {
            Ok(loaded) => loaded,
            Err(_) => Err(FetchError::TimedOut),
        };
        let now = self.clock.now();
        let mut state = self.state();
        state.next_attempt = now.saturating_add(self.limits.pause.as_secs());
        match loaded {
            Ok(LoadedKeys { keys, max_age }) => {
                let life = max_age.map_or(self.limits.life.as_secs(), |age| age.as_secs().clamp(60, 86_400));
                state.fresh_until = now.saturating_add(life);
                state.usable_until = state.fresh_until.saturating_add(self.limits.grace.as_secs());
                state.failure = None;
                if *state.keys != keys {
                    state.keys = Arc::new(keys);
                    state.generation = state.generation.wrapping_add(1);
                    state.unknown.clear();
                }
            }
            Err(error) => {
                tracing::warn!(%error, "keys of an issuer could not be fetched");
                state.failure = Some(Arc::new(error));
            }
        }
    }

    /// Answers after the source was asked, or could not be asked again so soon. What was asked for another key may have been asked before
    /// the source had this one, so it does not settle that there is none.
    fn settle(&self, kid: Option<&str>, algorithm: Algorithm, has_asked: bool) -> Result<Vec<Jwk>, KeyError> {
        if let Some(usable) = self.usable(kid, algorithm) {
            return Ok(usable);
        }
        let mut state = self.state();
        let now = self.clock.now();
        if let Some(failure) = &state.failure {
            return Err(KeyError::Unavailable(failure.clone()));
        }
        if has_asked {
            let until = now.saturating_add(self.limits.unknown_life.as_secs());
            state.unknown.insert(unknown_name(kid, algorithm), (), until, now);
        }
        Err(KeyError::Unknown)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

/// A token without the name of its key costs a check per key, so there is a bound.
const MOST_CANDIDATES: usize = 4;

fn candidates(keys: &JwkSet, kid: Option<&str>, algorithm: Algorithm) -> Vec<Jwk> {
    keys.candidates(kid, algorithm).take(MOST_CANDIDATES).cloned().collect()
}

fn unknown_name(kid: Option<&str>, algorithm: Algorithm) -> String {
    let kid: String = kid.unwrap_or_default().chars().take(256).collect();
    format!("{} {kid}", algorithm.name())
}
