//! The login at one server: what the HTTP client asks who is asking.

use std::fmt;
use std::sync::Arc;

use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue, StatusCode, Uri};
use jackfield_http::client::{Asked, Authorizer, Boxed, NotAuthorized, Reaction, Refusal};
use jackfield_http::fetch::FetchRequest;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use url::Url;

use super::authorize::Authorization;
use super::discovery::{self, Found};
use super::event::AuthEvent;
use super::grant::Grant;
use super::oauth::{Settings, Way};
use super::renewal::{self, Renewed};
use super::store::StoreError;
use super::turn::{Purpose, Turn, Turns};
use super::{AuthError, registration};
use crate::Scopes;
use crate::challenge::Challenge;
use crate::dpop::{self, Proven};
use crate::metadata::canonical_resource;

/// The login at one server. It gives each request its token, renews tokens before they end, and when the server refuses it finds
/// out why and asks the user, as far as it may.
///
/// All requests of a client share it. However many are refused at the same moment, one of them logs in and the others wait, and
/// share what came of it.
pub struct Login(Arc<Inner>);

pub(super) struct Inner {
    pub(super) settings: Settings,
    server: Url,
    /// The canonical name of the server, under which its tokens are kept.
    pub(super) name: String,
    state: Mutex<State>,
    pub(super) turns: Turns,
    /// Renewals run to their end even if nobody waits for them any more: a new token that got lost would end the login.
    renewals: Mutex<JoinSet<()>>,
}

#[derive(Default)]
pub(super) struct State {
    is_loaded: bool,
    grant: Option<Arc<Grant>>,
    pub(super) standing: Standing,
    /// The scopes for which more was asked already, so that it is not asked forever.
    pub(super) stepped_up: Vec<Scopes>,
}

/// What the server thinks of the current token, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Standing {
    /// It comes from the store, or the server has taken it.
    #[default]
    Good,
    /// It was renewed and not used yet.
    Renewed,
    /// It was just issued and not used yet.
    Issued,
}

/// A login that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Account {
    /// The server.
    pub server: String,
    /// The authorization server.
    pub issuer: String,
    /// The client that is logged in.
    pub client_id: String,
    /// What the token allows.
    pub scopes: Scopes,
    /// When the token ends, in seconds since 1970.
    pub expires_at: Option<u64>,
    /// Whether it can be renewed without the user.
    pub is_renewable: bool,
    /// Whether it is bound to a key.
    pub is_bound: bool,
}

impl Account {
    pub(super) fn of(grant: &Grant) -> Self {
        Self {
            server: grant.server.clone(),
            issuer: grant.issuer.issuer.clone(),
            client_id: grant.client.id.clone(),
            scopes: grant.scopes.clone(),
            expires_at: grant.expires_at,
            is_renewable: grant.refresh.is_some(),
            is_bound: grant.key.is_some(),
        }
    }
}

impl Login {
    pub(super) fn new(settings: Settings, url: &str) -> Result<Self, AuthError> {
        let plain = url.split('#').next().unwrap_or_default().trim();
        // A password must not appear in an error.
        let bad = || AuthError::BadServer(if url.contains('@') { "…@…".to_owned() } else { url.to_owned() });
        let name = canonical_resource(plain).ok_or_else(bad)?;
        let server = Url::parse(plain).map_err(|_| bad())?;
        Ok(Self(Arc::new(Inner {
            settings,
            server,
            name,
            state: Mutex::default(),
            turns: Turns::new(),
            renewals: Mutex::default(),
        })))
    }

    /// Logs in, even if the server has not asked for it yet.
    ///
    /// # Errors
    /// It did not work, or the server knows nothing of logins.
    ///
    /// # Cancellation
    /// No token is kept. A client that has registered itself is, for the next login.
    pub async fn login(&self) -> Result<Account, AuthError> {
        let _turn = self.0.turns.take().await;
        let challenge = self.0.probe().await?;
        let found = self.0.discover(challenge.as_ref()).await?;
        let scopes = self.0.scopes(challenge.as_ref(), &found, None);
        let needs_binding = challenge.as_ref().is_some_and(|challenge| challenge.is("DPoP"));
        let grant = self.0.authorize(&found, scopes, needs_binding).await?;
        Ok(Account::of(&grant))
    }

    /// Walks through discovery without logging in; the observer hears each step.
    ///
    /// # Errors
    /// A step fails.
    pub async fn explain(&self) -> Result<(), AuthError> {
        let challenge = self.0.probe().await?;
        let found = self.0.discover(challenge.as_ref()).await?;
        if matches!(self.0.settings.way, Way::User) {
            registration::without_registering(&self.0.settings, &found).await?;
        }
        Ok(())
    }

    /// Forgets the tokens and the client that registered itself for them, and tells the authorization server that the tokens are
    /// over. Says whether there were any.
    ///
    /// # Errors
    /// The store cannot be changed.
    pub async fn logout(&self) -> Result<bool, AuthError> {
        let _turn = self.0.turns.take().await;
        let name = Grant::name(&self.0.name);
        let _lock = self.0.settings.store.lock(&name).await?;
        let kept = match self.0.settings.load::<Grant>(&name).await {
            // They can be read, and then revoked, when the keyring is open.
            Err(error @ (StoreError::Keyring(_) | StoreError::Sealed(_))) => return Err(error.into()),
            kept => kept.transpose(),
        };
        self.0.settings.store.remove(&name).await?;
        *self.0.state() = State { is_loaded: true, ..State::default() };
        let is_revoked = match kept {
            None => return Ok(false),
            Some(Ok(grant)) => {
                // The tokens are over, whatever the store says of the client.
                let is_revoked = renewal::revoke(&self.0.settings, &grant).await;
                registration::forget(&self.0.settings, &grant.issuer.issuer, &grant.client.id).await?;
                is_revoked
            }
            // What nobody can read any more is forgotten all the same, but nobody can name it to the authorization server.
            Some(Err(_)) => false,
        };
        self.0.settings.observer.tell(AuthEvent::LoggedOut { is_revoked });
        Ok(true)
    }

    /// Returns who is logged in.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn account(&self) -> Result<Option<Account>, AuthError> {
        Ok(self.0.load().await?.as_deref().map(Account::of))
    }
}

impl Inner {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Returns the grant, from the store if it has not been read yet.
    pub(super) async fn load(&self) -> Result<Option<Arc<Grant>>, AuthError> {
        {
            let state = self.state();
            if state.is_loaded {
                return Ok(state.grant.clone());
            }
        }
        let kept = self.settings.load::<Grant>(&Grant::name(&self.name)).await?.map(Arc::new);
        let mut state = self.state();
        if !state.is_loaded {
            state.is_loaded = true;
            state.grant = kept;
        }
        Ok(state.grant.clone())
    }

    pub(super) fn adopt(&self, grant: Grant, standing: Standing) -> Arc<Grant> {
        let grant = Arc::new(grant);
        let mut state = self.state();
        (state.is_loaded, state.grant, state.standing) = (true, Some(grant.clone()), standing);
        drop(state);
        self.turns.succeeded();
        grant
    }

    /// Returns a grant that is not about to end, if there is one.
    async fn current(self: &Arc<Self>) -> Result<Option<Arc<Grant>>, AuthError> {
        let Some(grant) = self.load().await? else { return Ok(None) };
        if !grant.is_due(self.settings.clock.now()) {
            return Ok(Some(grant));
        }
        match self.renewed().await {
            Err(error) if matches!(error.plain(), AuthError::Store(_)) => Err(error),
            // While the token lasts, the server may take it; after that it will say what it wants.
            Err(_) => Ok(self.load().await?.filter(|grant| !grant.is_over(self.settings.clock.now()))),
            grant => grant,
        }
    }

    /// Returns a grant that was renewed, by us or whoever was faster; none if there is none that could be.
    async fn renewed(self: &Arc<Self>) -> Result<Option<Arc<Grant>>, AuthError> {
        let mut turn = self.turns.take_for(&Purpose::Renewal).await?;
        let Some(grant) = self.load().await? else { return Ok(None) };
        let now = self.settings.clock.now();
        if !grant.is_due(now) {
            return Ok(Some(grant));
        }
        let renewed = match (&grant.refresh, &self.settings.way) {
            (Some(_), _) => self.renew(&grant, &mut turn).await,
            (None, Way::User) => return Ok(Some(grant).filter(|grant| !grant.is_over(now))),
            (None, _) => self.obtain_again(&grant).await,
        };
        renewed.map(Some).map_err(|error| self.turns.failed(Purpose::Renewal, error))
    }

    /// Renews the grant in a task of its own, which holds the turn until it is done and then gives it back.
    pub(super) async fn renew(
        self: &Arc<Self>,
        old: &Arc<Grant>,
        turn: &mut Option<Turn>,
    ) -> Result<Arc<Grant>, AuthError> {
        let (tell, told) = oneshot::channel();
        let (inner, old, held) = (self.clone(), old.clone(), turn.take());
        {
            let mut renewals = self.renewals.lock();
            while renewals.try_join_next().is_some() {}
            renewals.spawn(async move {
                let renewed = match renewal::renew(&inner.settings, &old).await {
                    Ok(Renewed::Here(grant)) => Ok(inner.adopt(grant, Standing::Renewed)),
                    Ok(Renewed::Elsewhere(grant)) => Ok(inner.adopt(grant, Standing::Good)),
                    Ok(Renewed::Not { kept, why }) => {
                        let mut state = inner.state();
                        (state.grant, state.standing) = (kept.map(Arc::new), Standing::Good);
                        Err(why)
                    }
                    Err(error) => Err(error.into()),
                };
                let _ = tell.send((renewed, held));
            });
        }
        let (renewed, held) = told.await.unwrap_or((Err(AuthError::LoginNeeded), None));
        *turn = held;
        renewed
    }

    /// A program that acts for itself needs nobody to get another token.
    async fn obtain_again(&self, old: &Grant) -> Result<Arc<Grant>, AuthError> {
        let found = Found {
            resource: old.resource.clone(),
            scopes: None,
            issuer: old.issuer.clone(),
            is_guessed: false,
            needs_binding: old.key.is_some(),
        };
        self.authorize(&found, old.requested.clone(), old.key.is_some()).await
    }

    /// Asks the server something without a token, to hear what it wants.
    async fn probe(&self) -> Result<Option<Challenge>, AuthError> {
        let ping = serde_json::json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
        let mut ask = FetchRequest::post_json(self.server.as_str(), &ping)?;
        let both = HeaderValue::from_static("application/json, text/event-stream");
        ask = ask.with(http::header::ACCEPT, both);
        let answer = self.settings.fetch.fetch(ask).await?;
        if answer.status != StatusCode::UNAUTHORIZED {
            self.settings.observer.tell(AuthEvent::Unchallenged { status: answer.status.as_u16() });
            return Ok(None);
        }
        Ok(self.heard(answer.status, &answer.headers).into_iter().next())
    }

    pub(super) async fn discover(&self, challenge: Option<&Challenge>) -> Result<Found, AuthError> {
        let current = self.load().await?;
        let mut preferred: Vec<&str> = Vec::new();
        preferred.extend(self.settings.given.as_ref().and_then(|given| given.issuer.as_deref()));
        preferred.extend(current.as_ref().map(|grant| grant.issuer.issuer.as_str()));
        let found = discovery::find(&self.settings, &self.server, challenge, &preferred).await?;
        if challenge.is_none() && found.is_guessed {
            return Err(AuthError::NotProtected);
        }
        Ok(found)
    }

    /// The scopes to ask for: those of the challenge, or else those of the metadata; with those that were asked for before, and
    /// those that the application wants.
    pub(super) fn scopes(&self, challenge: Option<&Challenge>, found: &Found, current: Option<&Grant>) -> Scopes {
        let wanted = challenge.and_then(Challenge::scopes).or_else(|| found.scopes.clone()).unwrap_or_default();
        let before = current.filter(|grant| grant.issuer.issuer == found.issuer.issuer);
        let before = before.map(|grant| grant.requested.clone()).unwrap_or_default();
        wanted.union(&before).union(&self.settings.scopes)
    }

    pub(super) async fn authorize(
        &self,
        found: &Found,
        scopes: Scopes,
        needs_binding: bool,
    ) -> Result<Arc<Grant>, AuthError> {
        let (settings, server) = (&self.settings, self.name.as_str());
        let grant = Authorization { settings, server, found, scopes, needs_binding }.run().await?;
        let name = Grant::name(&self.name);
        let _lock = self.settings.store.lock(&name).await?;
        self.settings.save(&name, &grant).await?;
        self.settings.observer.tell(AuthEvent::Kept { place: self.settings.store.place() });
        Ok(self.adopt(grant, Standing::Issued))
    }

    async fn sent(self: &Arc<Self>, asked: Asked<'_>) -> Result<HeaderMap, AuthError> {
        let mut headers = HeaderMap::new();
        let Some(grant) = self.current().await? else { return Ok(headers) };
        headers.insert(AUTHORIZATION, token_header(&grant)?);
        if grant.key.is_some() {
            let key = grant.signing_key().ok_or(AuthError::NoKey)?;
            let url = asked.uri.to_string();
            let nonce = self.settings.nonces.get(&origin(asked.uri));
            let proven = Proven { method: asked.method.as_str(), url: &url, token: Some(grant.access.expose()) };
            let proof = dpop::prove(&key, proven, nonce.as_deref(), self.settings.clock.now())?;
            headers.insert(dpop::HEADER, HeaderValue::from_str(&proof).map_err(|_| AuthError::NoKey)?);
        }
        Ok(headers)
    }
}

pub(super) fn token_header(grant: &Grant) -> Result<HeaderValue, AuthError> {
    let scheme = if grant.key.is_some() { "DPoP" } else { "Bearer" };
    let value = HeaderValue::from_str(&format!("{scheme} {}", grant.access.expose()));
    let mut value = value.map_err(|_| AuthError::BadToken("the access token is none"))?;
    value.set_sensitive(true);
    Ok(value)
}

pub(super) fn origin(uri: &Uri) -> String {
    Url::parse(&uri.to_string()).map(|url| url.origin().ascii_serialization()).unwrap_or_default()
}

fn not_authorized(error: AuthError) -> NotAuthorized {
    NotAuthorized::new(error.to_string()).with_source(error)
}

impl Authorizer for Login {
    fn headers<'a>(&'a self, asked: Asked<'a>) -> Boxed<'a, Result<HeaderMap, NotAuthorized>> {
        Box::pin(async move { self.0.sent(asked).await.map_err(not_authorized) })
    }

    fn refused<'a>(&'a self, refusal: &'a Refusal) -> Boxed<'a, Result<Reaction, NotAuthorized>> {
        Box::pin(async move { self.0.react(refusal).await.map_err(not_authorized) })
    }

    fn extensions(&self) -> &[&'static str] {
        self.0.settings.way.extensions()
    }

    fn answered(&self, headers: &HeaderMap) {
        self.0.settings.nonces.learn(&self.0.server.origin().ascii_serialization(), headers);
        self.0.state().standing = Standing::Good;
    }
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login").field("server", &self.0.name).finish_non_exhaustive()
    }
}
