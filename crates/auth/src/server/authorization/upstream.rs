//! Another OpenID provider, where users log in.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use http::header::AUTHORIZATION;
use jackfield_http::fetch::{Document, Fetch, FetchError, FetchRequest};
use parking_lot::Mutex;
use serde::Deserialize;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::jose::{Claims, Jws, KeyCache, KeyCacheLimits, RemoteKeys};
use crate::metadata::{self, AuthorizationServerMetadata};
use crate::server::authorization::third_party::ThirdPartyTokens;
use crate::server::requests::respond::OAuthError;
use crate::{Clock, Secret, basic, secret};

/// Another OpenID provider, where users log in.
#[derive(Debug)]
pub struct Upstream {
    issuer: String,
    pub(in crate::server) client_id: String,
    secret: Secret,
    scopes: String,
    fetch: Arc<dyn Fetch>,
    keys: KeyCache,
    clock: Clock,
    /// What the provider says about itself, and until when that is believed.
    metadata: Mutex<Option<(Arc<AuthorizationServerMetadata>, u64)>>,
    /// Renewals under way, by login.
    renewals: Mutex<Renewals>,
}

#[derive(Debug, Default)]
struct Renewals {
    tasks: JoinSet<()>,
    results: HashMap<String, watch::Receiver<Option<Renewed>>>,
}

/// What came of a renewal; no tokens if the login there is over.
pub(in crate::server) type Renewed = Result<Option<ThirdPartyTokens>, OAuthError>;

/// Why the provider gave no tokens.
#[derive(Debug, thiserror::Error)]
pub(in crate::server) enum NoTokens {
    /// What was shown for them is worth nothing, now and later.
    #[error("the provider takes the code or the refresh token no more")]
    Over,
    /// It cannot be asked at present, or makes no sense, or has something against us.
    #[error(transparent)]
    Failed(#[from] FetchError),
}

#[derive(Deserialize)]
struct Refused {
    error: String,
}

/// What the provider answers to a token request.
#[derive(Deserialize)]
pub(in crate::server) struct Answered {
    pub(in crate::server) access_token: String,
    #[serde(default)]
    pub(in crate::server) refresh_token: Option<String>,
    #[serde(default)]
    pub(in crate::server) expires_in: Option<u64>,
    #[serde(default)]
    pub(in crate::server) id_token: Option<String>,
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
/// How many logins can be renewed at once; more are told to come back.
const RENEWALS: usize = 1024;

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
            renewals: Mutex::default(),
        }
    }

    /// Asks for scopes there, besides `openid`.
    #[must_use]
    pub fn scope(mut self, scopes: &str) -> Self {
        self.scopes = format!("openid {scopes}");
        self
    }

    pub(in crate::server) fn with_clock(self, clock: &Clock) -> Self {
        Self { keys: keys(&self.issuer, &self.fetch, clock), clock: clock.clone(), ..self }
    }

    pub(in crate::server) fn issuer(&self) -> &str {
        &self.issuer
    }

    pub(in crate::server) fn scopes(&self) -> &str {
        &self.scopes
    }

    /// Renews the tokens of a login, once for all who ask while it goes on: providers that rotate refresh tokens take a second
    /// use of one for a theft. It runs to its end even if nobody waits for it any more, because a new refresh token that got lost
    /// would end the login.
    pub(in crate::server) async fn renew(
        &self,
        family: &str,
        work: impl Future<Output = Renewed> + Send + 'static,
    ) -> Renewed {
        let mut result = {
            let mut renewals = self.renewals.lock();
            while renewals.tasks.try_join_next().is_some() {}
            renewals.results.retain(|_, result| result.has_changed().is_ok());
            match renewals.results.get(family) {
                Some(result) => result.clone(),
                None if renewals.results.len() >= RENEWALS => return Err(OAuthError::unavailable()),
                None => {
                    let (tell, told) = watch::channel(None);
                    renewals.results.insert(family.to_owned(), told.clone());
                    renewals.tasks.spawn(async move {
                        let renewed = work.await;
                        tell.send_replace(Some(renewed));
                    });
                    told
                }
            }
        };
        match result.wait_for(Option::is_some).await {
            Ok(renewed) => renewed.clone().unwrap_or_else(|| Err(OAuthError::unavailable())),
            Err(_) => Err(OAuthError::unavailable()),
        }
    }

    /// Returns what the provider says about itself.
    pub(in crate::server) async fn metadata(&self) -> Result<Arc<AuthorizationServerMetadata>, FetchError> {
        let known = self.metadata.lock().clone();
        if let Some((metadata, until)) = known
            && until > self.clock.now()
        {
            return Ok(metadata);
        }
        let found = Arc::new(metadata::discover(&self.issuer, &*self.fetch).await?);
        let until = self.clock.now().saturating_add(METADATA_LIFE);
        *self.metadata.lock() = Some((found.clone(), until));
        Ok(found)
    }

    /// Asks the provider for tokens.
    pub(in crate::server) async fn ask(&self, form: &[(&str, &str)]) -> Result<Answered, NoTokens> {
        let endpoint = self.metadata().await?.token_endpoint.clone();
        let document = self.post(&endpoint.ok_or(FetchError::Unusable("no token endpoint"))?, form).await?;
        // Any other refusal is about us, or about now, and says nothing of the user.
        match document.json::<Refused>() {
            Ok(refused) if !document.status.is_success() && refused.error == "invalid_grant" => Err(NoTokens::Over),
            _ => Ok(document.success()?.json()?),
        }
    }

    /// Gives a token back, if the provider takes any.
    pub(in crate::server) async fn give_back(&self, token: &str) -> Result<(), FetchError> {
        let Some(endpoint) = self.metadata().await?.revocation_endpoint.clone() else { return Ok(()) };
        self.post(&endpoint, &[("token", token)]).await?.success().map(drop)
    }

    async fn post(&self, endpoint: &str, form: &[(&str, &str)]) -> Result<Document, FetchError> {
        let credentials = basic::header(&self.client_id, &self.secret);
        let ask = FetchRequest::post_form(endpoint, form.iter().copied())?.with(AUTHORIZATION, credentials);
        self.fetch.fetch(ask).await
    }

    /// Checks the identity token of a login, and returns the user's name there.
    pub(in crate::server) async fn subject(&self, text: &str, nonce: &str) -> Option<String> {
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
