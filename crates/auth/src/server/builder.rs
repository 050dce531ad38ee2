//! How the server is set up.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use jackfield_http::fetch::Fetch;
use url::Url;

use super::authorization::redirect;
use super::authorization::upstream::Upstream;
use super::oauth_clients::client::Client;
use super::oauth_clients::client_keys::ClientKeys;
use super::oauth_clients::documents::Documents;
use super::oauth_clients::registration::Registration;
use super::requests::per_origin_limit::PerOriginLimit;
use super::requests::throttle::{Rate, Throttle};
use super::signing::keys::KeyRing;
use super::signing::shared_keys::{self, SharedKeys};
use super::tokens::assertion::TrustedIssuer;
use super::tokens::exchange::AssertionTarget;
use super::users::Users;
use crate::dpop::{ProofChecker, ProofRules};
use crate::metadata::{Redirects, canonical_resource, is_loopback, same_resource};
use crate::seal::Sealer;
use crate::store::{AuthStore, MemoryStore, StoreError};
use crate::{Clock, NoRandomness, Scopes};

/// An authorization server. Clones share everything.
#[derive(Clone)]
pub struct AuthorizationServer(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) issuer: String,
    /// What browsers call the origin of our pages.
    pub(super) origin: String,
    /// The path of the issuer, without a slash at its end.
    pub(super) prefix: String,
    /// Cookies are for `https` only, as they always are but on loopback.
    pub(super) is_secure: bool,
    pub(super) resources: Vec<Resource>,
    pub(super) users: Option<Users>,
    pub(super) upstream: Option<Upstream>,
    pub(super) clients: BTreeMap<String, Client>,
    pub(super) registration: Option<Registration>,
    pub(super) documents: Option<Documents>,
    pub(super) redirects: Redirects,
    pub(super) client_keys: Option<ClientKeys>,
    pub(super) store: Arc<dyn AuthStore>,
    /// The store was given to us, so others may use it too.
    pub(super) is_shared: bool,
    pub(super) keys: Arc<KeyRing>,
    pub(super) life: Lifetimes,
    pub(super) proofs: ProofChecker,
    pub(super) trusted: Vec<TrustedIssuer>,
    pub(super) targets: Vec<AssertionTarget>,
    pub(super) sealer: Sealer,
    pub(super) clock: Clock,
    pub(super) throttles: Throttles,
}

/// What is tried too often by those who guess.
pub(super) struct Throttles {
    pub(super) authorizations: Throttle,
    pub(super) login_by_address: Throttle,
    pub(super) login_by_user: Throttle,
    pub(super) client: Throttle,
    pub(super) clients_at_once: PerOriginLimit,
    pub(super) registration_by_address: Throttle,
    pub(super) registration: Throttle,
}

/// A resource that tokens are issued for.
#[derive(Clone, Debug)]
pub struct Resource {
    pub(super) url: String,
    /// Scopes, and what they mean in words for people.
    pub(super) scopes: BTreeMap<String, String>,
    pub(super) default: Option<Scopes>,
}

impl Resource {
    /// A resource by its URL.
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), scopes: BTreeMap::new(), default: None }
    }

    /// Adds a scope, and what it means in words for people.
    #[must_use]
    pub fn scope(mut self, scope: impl Into<String>, meaning: impl Into<String>) -> Self {
        self.scopes.insert(scope.into(), meaning.into());
        self
    }

    /// Sets what a client gets that asks for no scope in particular; all scopes by default.
    #[must_use]
    pub fn default_scopes(mut self, scopes: impl Into<Scopes>) -> Self {
        self.default = Some(scopes.into());
        self
    }

    pub(super) fn all(&self) -> Scopes {
        self.scopes.keys().cloned().collect()
    }
}

/// How long things live, in seconds.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Lifetimes {
    /// Codes; 60.
    pub code: u64,
    /// Access tokens; 600.
    pub access: u64,
    /// Refresh tokens, and with them a login at a client; 30 days. Each use begins anew.
    pub refresh: u64,
    /// How long a refresh token may be used again by a client that did not get the answer; 10.
    pub refresh_grace: u64,
    /// How long a user stays logged in; 8 hours.
    pub session: u64,
    /// How long a user may take to log in and consent; 600.
    pub interaction: u64,
    /// How long consent is remembered; 90 days.
    pub consent: u64,
}

impl Default for Lifetimes {
    fn default() -> Self {
        Self {
            code: 60,
            access: 600,
            refresh: 30 * 86_400,
            refresh_grace: 10,
            session: 8 * 3600,
            interaction: 600,
            consent: 90 * 86_400,
        }
    }
}

/// The setup makes no sense.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The issuer is no `https` URL, nor a loopback one.
    #[error("\"{0}\" cannot be an issuer: it must be an https URL without query and fragment")]
    Issuer(String),
    /// There is no resource, or its URL is none.
    #[error("\"{0}\" cannot be a resource")]
    Resource(String),
    /// There is nothing that tokens could be for.
    #[error("an authorization server needs at least one resource")]
    NoResource,
    /// A client's address is not acceptable.
    #[error("client \"{0}\" has an address that users cannot be sent to")]
    Redirect(String),
    /// The store does not have the keys, or they were sealed with another key.
    #[error("the keys cannot be had from the store")]
    Store(#[source] Arc<StoreError>),
    /// The system has no random numbers.
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
}

/// How the server is set up.
#[derive(Debug)]
pub struct AuthorizationServerBuilder {
    issuer: String,
    resources: Vec<Resource>,
    users: Option<Users>,
    upstream: Option<Upstream>,
    clients: Vec<Client>,
    registration: Option<Registration>,
    redirects: Redirects,
    fetch: Option<Arc<dyn Fetch>>,
    documents: bool,
    store: Option<Arc<dyn AuthStore>>,
    keys: Option<KeyRing>,
    life: Lifetimes,
    proofs: ProofRules,
    trusted: Vec<TrustedIssuer>,
    targets: Vec<AssertionTarget>,
    sealing_key: Option<[u8; 32]>,
    clock: Clock,
}

impl AuthorizationServer {
    /// Begins to set up a server. The issuer is the URL under which it is reached.
    pub fn builder(issuer: impl Into<String>) -> AuthorizationServerBuilder {
        AuthorizationServerBuilder {
            issuer: issuer.into(),
            resources: Vec::new(),
            users: None,
            upstream: None,
            clients: Vec::new(),
            registration: None,
            redirects: Redirects::default(),
            fetch: None,
            documents: false,
            store: None,
            keys: None,
            life: Lifetimes::default(),
            proofs: ProofRules::default(),
            trusted: Vec::new(),
            targets: Vec::new(),
            sealing_key: None,
            clock: Clock::system(),
        }
    }

    /// Returns the issuer.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.0.issuer
    }

    /// Returns the keys by which tokens are signed.
    #[must_use]
    pub fn keys(&self) -> &Arc<KeyRing> {
        &self.0.keys
    }

    /// Returns the address of an endpoint.
    pub(super) fn endpoint(&self, path: &str) -> String {
        format!("{}{path}", self.0.issuer.trim_end_matches('/'))
    }

    pub(super) fn now(&self) -> u64 {
        self.0.clock.now()
    }

    pub(super) fn store(&self) -> &dyn AuthStore {
        &*self.0.store
    }

    pub(super) fn resource(&self, url: &str) -> Option<&Resource> {
        self.0.resources.iter().find(|resource| same_resource(&resource.url, url))
    }
}

impl AuthorizationServerBuilder {
    /// Issues tokens for a resource.
    #[must_use]
    pub fn resource(mut self, resource: Resource) -> Self {
        self.resources.push(resource);
        self
    }

    /// Lets these users log in.
    #[must_use]
    pub fn users(mut self, users: Users) -> Self {
        self.users = Some(users);
        self
    }

    /// Lets users log in at another OpenID provider, in place of users of our own.
    #[must_use]
    pub fn upstream(mut self, upstream: Upstream) -> Self {
        self.upstream = Some(upstream);
        self
    }

    /// Knows a client from the start.
    #[must_use]
    pub fn client(mut self, client: Client) -> Self {
        self.clients.push(client);
        self
    }

    /// Lets clients register themselves. It is off unless this is called.
    #[must_use]
    pub fn registration(mut self, registration: Registration) -> Self {
        self.registration = Some(registration);
        self
    }

    /// Lets users be sent back to schemes of applications too, such as `com.example.app:/callback` (RFC 8252, section 7.1).
    ///
    /// This deviates from the specification of the protocol, by which an address to come back to is `https` or on the user's own
    /// machine: any application can claim such a scheme, and then gets the codes of others. Off unless this is called.
    #[must_use]
    pub fn private_use_schemes(mut self) -> Self {
        self.redirects = Redirects::PrivateUse;
        self
    }

    /// Takes the URL of a client's metadata document for its name, and fetches the document. Off unless this is called.
    #[must_use]
    pub fn client_documents(mut self, fetch: Arc<dyn Fetch>) -> Self {
        self.fetch = Some(fetch);
        self.documents = true;
        self
    }

    /// Fetches keys that clients keep at a URL.
    #[must_use]
    pub fn fetch(mut self, fetch: Arc<dyn Fetch>) -> Self {
        self.fetch = Some(fetch);
        self
    }

    /// Keeps state in a store of one's own; by default in memory.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn AuthStore>) -> Self {
        self.store = Some(store);
        self
    }

    /// Signs with these keys; by default with new ones, which are gone when the process ends, or those of
    /// [`build_shared`](Self::build_shared).
    #[must_use]
    pub fn keys(mut self, keys: KeyRing) -> Self {
        self.keys = Some(keys);
        self
    }

    /// Sets how long things live.
    #[must_use]
    pub fn lifetimes(mut self, change: impl FnOnce(&mut Lifetimes)) -> Self {
        change(&mut self.life);
        self
    }

    /// Sets how proofs of possession are checked.
    #[must_use]
    pub fn proofs(mut self, rules: ProofRules) -> Self {
        self.proofs = rules;
        self
    }

    /// Issues tokens against assertions of another issuer.
    #[must_use]
    pub fn trust(mut self, issuer: TrustedIssuer) -> Self {
        self.trusted.push(issuer);
        self
    }

    /// Issues identity assertions for another authorization server, in exchange for identity tokens of our own.
    #[must_use]
    pub fn assert_for(mut self, target: AssertionTarget) -> Self {
        self.targets.push(target);
        self
    }

    /// Sets the key that seals what the store holds of third parties' credentials, and the keys that sign. Who reads the store
    /// but not this key can then forge nothing. Servers that share a store need the same one.
    #[must_use]
    pub fn sealing_key(mut self, key: [u8; 32]) -> Self {
        self.sealing_key = Some(key);
        self
    }

    /// Sets the clock.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Puts it together as one of several servers that share the store, at the same time or one after the other: they sign with
    /// the same keys, which are in the store too. Without [`sealing_key`](Self::sealing_key) the key that seals them is there as
    /// well, and the store must be as private as they are.
    ///
    /// # Errors
    /// The store cannot be reached, or the setup makes no sense; see [`BuildError`].
    pub async fn build_shared(mut self) -> Result<AuthorizationServer, BuildError> {
        let failed = |error| BuildError::Store(Arc::new(error));
        let clock = self.clock.clone();
        let store = self.store.get_or_insert_with(|| Arc::new(MemoryStore::new(clock.clone()))).clone();
        let sealing_key = match self.sealing_key {
            Some(key) => key,
            None => shared_keys::sealing_key(&*store, clock.now()).await.map_err(failed)?,
        };
        self.sealing_key = Some(sealing_key);
        if self.keys.is_none() {
            let shared = SharedKeys::new(store, Sealer::new(Some(sealing_key))?);
            self.keys = Some(KeyRing::shared(shared, clock, self.life.access).await.map_err(failed)?);
        }
        self.build()
    }

    /// Puts it together.
    ///
    /// # Errors
    /// The setup makes no sense; see [`BuildError`].
    pub fn build(self) -> Result<AuthorizationServer, BuildError> {
        let url = check_issuer(&self.issuer)?;
        if self.resources.is_empty() {
            return Err(BuildError::NoResource);
        }
        let mut resources = self.resources;
        for resource in &mut resources {
            resource.url =
                canonical_resource(&resource.url).ok_or_else(|| BuildError::Resource(resource.url.clone()))?;
        }
        for client in &self.clients {
            if !client.metadata.redirect_uris.iter().all(|uri| redirect::may_register(uri, None, self.redirects)) {
                return Err(BuildError::Redirect(client.id.clone()));
            }
        }
        let clock = self.clock;
        let keys = match self.keys {
            Some(keys) => keys,
            None => KeyRing::generate(clock.clone())?,
        };
        let documents = self.fetch.clone().filter(|_| self.documents);
        let documents = documents.map(|fetch| Documents::new(fetch, clock.clone(), self.redirects));
        let mut proofs = ProofChecker::new(self.proofs, clock.clone())?;
        if let Some(store) = &self.store {
            proofs = proofs.share(store.clone());
        }
        let is_shared = self.store.is_some();
        let store = self.store.unwrap_or_else(|| Arc::new(MemoryStore::new(clock.clone())));
        let throttles = Throttles::new(self.registration.as_ref(), &clock, &store);
        Ok(AuthorizationServer(Arc::new(Inner {
            origin: url.origin().ascii_serialization(),
            prefix: url.path().trim_end_matches('/').to_owned(),
            is_secure: url.scheme() == "https",
            issuer: self.issuer,
            resources,
            users: self.users,
            upstream: self.upstream.map(|upstream| upstream.with_clock(&clock)),
            clients: self.clients.into_iter().map(|client| (client.id.clone(), client)).collect(),
            registration: self.registration,
            documents,
            redirects: self.redirects,
            client_keys: self.fetch.map(|fetch| ClientKeys::new(fetch, clock.clone())),
            store,
            is_shared,
            keys: Arc::new(keys.outlive(self.life.access)),
            life: self.life,
            proofs,
            trusted: self.trusted.into_iter().map(|issuer| issuer.with_clock(&clock)).collect(),
            targets: self.targets,
            sealer: Sealer::new(self.sealing_key)?,
            clock,
            throttles,
        })))
    }
}

impl Throttles {
    fn new(registration: Option<&Registration>, clock: &Clock, store: &Arc<dyn AuthStore>) -> Self {
        let throttle = |what, rate| Throttle::new(what, rate, clock.clone(), store.clone());
        let of = |what, times, seconds| throttle(what, Rate { times, seconds });
        let registration = registration.cloned().unwrap_or_default();
        Self {
            authorizations: of("authorize", 120, 60),
            login_by_address: of("login-from", 30, 60),
            login_by_user: of("login-as", 5, 300),
            client: of("client-from", 20, 60),
            clients_at_once: PerOriginLimit::new(20),
            registration_by_address: throttle("register-from", registration.per_address),
            registration: throttle("register", registration.in_all),
        }
    }
}

/// Everything is served over `https`, but on loopback.
fn check_issuer(issuer: &str) -> Result<Url, BuildError> {
    let bad = || BuildError::Issuer(issuer.to_owned());
    let url = Url::parse(issuer).map_err(|_| bad())?;
    let is_sound = (url.scheme() == "https" || (url.scheme() == "http" && is_loopback(&url)))
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && canonical_resource(issuer).is_some_and(|canonical| canonical == issuer || format!("{canonical}/") == issuer);
    if is_sound { Ok(url) } else { Err(bad()) }
}

impl fmt::Debug for AuthorizationServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthorizationServer").field("issuer", &self.0.issuer).finish_non_exhaustive()
    }
}
