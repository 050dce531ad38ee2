//! How an application gets tokens.

use std::collections::BTreeMap;
use std::sync::Arc;

use http::HeaderMap;
use jackfield_http::fetch::{Fetch, HttpFetch};
use parking_lot::Mutex;
use serde::Serialize;
use serde::de::DeserializeOwned;
use url::Url;

use super::assertion::{AssertionSource, IdentityProvider};
use super::binding::FirstUse;
use super::event::{AuthEvent, Observer};
use super::grant::Grant;
use super::identity::{AuthMethod, GivenClient};
use super::login::{Account, Login};
use super::store::{CredentialStore, MemoryStore, StoreError};
use super::{AuthError, Interaction, registration};
use crate::dpop::NONCE_HEADER;
use crate::jose::{JwkSet, SigningKey};
use crate::metadata::{ClientMetadata, Redirects};
use crate::{Clock, Scopes, Secret};

/// How an application gets tokens: as whom it speaks, how it asks its user, where it keeps what it got.
///
/// Without further settings it can use nothing but what is in the store already; who is to log in by hand needs an
/// [`OAuth::interaction`], a program that acts for itself one of [`OAuth::client_credentials`], [`OAuth::workload_identity`] and
/// [`OAuth::enterprise`].
#[derive(Clone, Debug)]
#[must_use]
pub struct OAuth(Settings);

/// When tokens are bound to a key, so that nobody else can use them (DPoP, RFC 9449).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Binding {
    /// When the server asks for it.
    #[default]
    WhenAsked,
    /// Always; an authorization server that cannot do it is not used.
    Always,
    /// Never.
    Never,
}

/// How tokens are obtained.
#[derive(Clone, Debug)]
pub(super) enum Way {
    /// A user logs in and consents.
    User,
    /// The client acts for itself.
    Client,
    /// The user's organization says yes for its users.
    Enterprise(Arc<IdentityProvider>),
    /// The platform vouches for the program that runs on it.
    Workload(Arc<dyn AssertionSource>),
}

/// The names of the extensions that say how a client gets tokens without asking its user.
const CLIENT_CREDENTIALS: &str = "io.modelcontextprotocol/oauth-client-credentials";
const ENTERPRISE_MANAGED: &str = "io.modelcontextprotocol/enterprise-managed-authorization";

impl Way {
    /// The extensions that a client declares which goes this way.
    pub(super) fn extensions(&self) -> &[&'static str] {
        match self {
            Self::User | Self::Workload(_) => &[],
            Self::Client => &[CLIENT_CREDENTIALS],
            Self::Enterprise(_) => &[ENTERPRISE_MANAGED],
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) name: String,
    pub(super) home: Option<String>,
    pub(super) fetch: Arc<dyn Fetch>,
    pub(super) store: Arc<dyn CredentialStore>,
    pub(super) interaction: Option<Arc<dyn Interaction>>,
    pub(super) observer: Observer,
    pub(super) way: Way,
    pub(super) given: Option<GivenClient>,
    /// Whose client the given one is, as soon as it was used.
    pub(super) first_use: Arc<FirstUse>,
    pub(super) document: Option<String>,
    pub(super) key: Option<Arc<SigningKey>>,
    pub(super) redirect_uri: Option<String>,
    redirects: Redirects,
    pub(super) scopes: Scopes,
    pub(super) binding: Binding,
    pub(super) clock: Clock,
    pub(super) nonces: Arc<Nonces>,
}

impl OAuth {
    /// Begins with the name that users see on login pages. Tokens are kept in memory, and only what this machine may reach is
    /// fetched.
    pub fn new(name: impl Into<String>) -> Self {
        Self(Settings {
            name: name.into(),
            home: None,
            fetch: Arc::new(HttpFetch::desktop()),
            store: Arc::new(MemoryStore::default()),
            interaction: None,
            observer: Observer::default(),
            way: Way::User,
            given: None,
            first_use: Arc::default(),
            document: None,
            key: None,
            redirect_uri: None,
            redirects: Redirects::default(),
            scopes: Scopes::none(),
            binding: Binding::default(),
            clock: Clock::system(),
            nonces: Arc::default(),
        })
    }

    /// Says where users can read about the application.
    pub fn home_page(mut self, url: impl Into<String>) -> Self {
        self.0.home = Some(url.into());
        self
    }

    /// Keeps tokens and registrations here.
    pub fn store(self, store: impl CredentialStore) -> Self {
        self.shared_store(Arc::new(store))
    }

    /// Keeps tokens and registrations in a store that others use too.
    pub fn shared_store(mut self, store: Arc<dyn CredentialStore>) -> Self {
        self.0.store = store;
        self
    }

    /// Brings users to login pages in this way.
    pub fn interaction(mut self, interaction: impl Interaction) -> Self {
        self.0.interaction = Some(Arc::new(interaction));
        self
    }

    /// Fetches metadata and tokens with this. Servers that act for strangers use [`HttpFetch::public`].
    pub fn fetch(mut self, fetch: impl Fetch) -> Self {
        self.0.fetch = Arc::new(fetch);
        self
    }

    /// Tells each step to an observer.
    pub fn observer(mut self, observer: impl Fn(&AuthEvent) + Send + Sync + 'static) -> Self {
        self.0.observer = Observer(Some(Arc::new(observer)));
        self
    }

    /// Speaks as a client that an authorization server knows already.
    pub fn client(mut self, client: GivenClient) -> Self {
        (self.0.given, self.0.first_use) = (Some(client), Arc::default());
        self
    }

    /// Speaks as the client whose metadata document is at this `https` URL, where authorization servers support that. The
    /// document has to list [`OAuth::redirect_uri`], or `http://127.0.0.1/callback` if none is set.
    ///
    /// # Errors
    /// The URL cannot be a client's name: it is not `https`, or has no path.
    pub fn client_document(mut self, url: impl Into<String>) -> Result<Self, AuthError> {
        let text = url.into();
        let is_sound = Url::parse(&text).is_ok_and(|url| {
            url.scheme() == "https"
                && url.path().len() > 1
                && url.fragment().is_none()
                && url.username().is_empty()
                && url.password().is_none()
        });
        if !is_sound {
            return Err(AuthError::BadServer(text));
        }
        self.0.document = Some(text);
        Ok(self)
    }

    /// Returns the document to serve at the URL of [`OAuth::client_document`], as `application/json`; none if no URL is set.
    #[must_use]
    pub fn document(&self) -> Option<serde_json::Value> {
        let settings = &self.0;
        let redirect_uri = settings.redirect_uri.as_deref().unwrap_or(registration::ANY_PORT);
        let method = if settings.key.is_some() { AuthMethod::PrivateKeyJwt } else { AuthMethod::None };
        let keys = settings.key.as_ref().map(|key| JwkSet { keys: vec![key.public().clone()] });
        let metadata = ClientMetadata { jwks: keys, ..registration::metadata(settings, redirect_uri, method) };
        let mut document = serde_json::to_value(metadata).ok()?;
        document["client_id"] = settings.document.as_deref()?.into();
        Some(document)
    }

    /// Signs with this key who the client of [`OAuth::client_document`] is.
    pub fn client_key(mut self, key: SigningKey) -> Self {
        self.0.key = Some(Arc::new(key));
        self
    }

    /// Has users come back to this address, which is `https`, or `http` on this machine; [`OAuth::server`] refuses any other.
    /// Without a port any port of this machine is used.
    pub fn redirect_uri(mut self, uri: impl Into<String>) -> Self {
        self.0.redirect_uri = Some(uri.into());
        self
    }

    /// Lets users come back to a scheme of the application too, such as `com.example.app:/callback` (RFC 8252, section 7.1).
    ///
    /// This deviates from the specification of the protocol, by which that address is `https` or on the user's own machine: any
    /// application can claim such a scheme, and then gets the codes of this one. Off unless this is called.
    pub fn private_use_schemes(mut self) -> Self {
        self.0.redirects = Redirects::PrivateUse;
        self
    }

    /// Asks for these scopes, besides those that the server asks for.
    pub fn scopes(mut self, scopes: impl Into<Scopes>) -> Self {
        self.0.scopes = scopes.into();
        self
    }

    /// Says when tokens are bound to a key.
    pub fn binding(mut self, binding: Binding) -> Self {
        self.0.binding = binding;
        self
    }

    /// Acts for the client itself, without a user (`client_credentials`). Needs a client with a secret or a key.
    pub fn client_credentials(mut self, client: GivenClient) -> Self {
        self.0.way = Way::Client;
        self.client(client)
    }

    /// Acts for the program itself, for which its platform vouches (`jwt-bearer`).
    pub fn workload_identity(mut self, assertion: impl AssertionSource) -> Self {
        self.0.way = Way::Workload(Arc::new(assertion));
        self
    }

    /// Lets the organization of the user decide: its identity provider gives an assertion for the server's authorization
    /// server, which takes it for a token.
    pub fn enterprise(mut self, provider: IdentityProvider) -> Self {
        self.0.way = Way::Enterprise(Arc::new(provider));
        self
    }

    /// Sets the clock.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.0.clock = clock;
        self
    }

    /// Makes a login for one server.
    ///
    /// # Errors
    /// The URL is not a plain `http` or `https` URL, or users cannot come back to [`OAuth::redirect_uri`].
    pub fn server(&self, url: impl AsRef<str>) -> Result<Arc<Login>, AuthError> {
        self.0.redirect_uri.as_deref().map_or(Ok(()), |uri| self.0.check_redirect(uri))?;
        Login::new(self.0.clone(), url.as_ref()).map(Arc::new)
    }

    /// Returns all logins that are kept. One that cannot be read, or a file of which nobody knows what it was for, is there as what is
    /// wrong with it.
    ///
    /// # Errors
    /// The store as a whole cannot be read.
    pub async fn accounts(&self) -> Result<Vec<Result<Account, StoreError>>, AuthError> {
        let mut accounts = Vec::new();
        for name in self.0.store.names().await? {
            let name = match name {
                Ok(name) if Grant::server_of(&name).is_some() => name,
                Ok(_) => continue,
                Err(error) => {
                    accounts.push(Err(error));
                    continue;
                }
            };
            match self.0.load::<Grant>(&name).await {
                Ok(grant) => accounts.extend(grant.as_ref().map(Account::of).map(Ok)),
                Err(error) if error.is_of_one_entry() => accounts.push(Err(error)),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(accounts)
    }
}

impl Settings {
    pub(super) async fn load<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, StoreError> {
        let Some(text) = self.store.load(name).await? else { return Ok(None) };
        serde_json::from_str(text.expose()).map(Some).map_err(|_| StoreError::Damaged(name.to_owned()))
    }

    pub(super) async fn save(&self, name: &str, value: &impl Serialize) -> Result<(), StoreError> {
        let text = serde_json::to_string(value).map_err(|_| StoreError::Damaged(name.to_owned()))?;
        self.store.save(name, &Secret::new(text)).await
    }

    /// The key that signs who the client is.
    pub(super) fn signing_key(&self) -> Option<&SigningKey> {
        self.given.as_ref().and_then(|given| given.key.as_deref()).or(self.key.as_deref())
    }

    /// Checks an address that users are to come back to.
    pub(super) fn check_redirect(&self, uri: &str) -> Result<(), AuthError> {
        match self.redirects.allowed(uri) {
            Some(_) => Ok(()),
            None => Err(AuthError::Redirect(uri.to_owned())),
        }
    }
}

/// The nonces that servers want to see in proofs of possession, by origin.
#[derive(Debug, Default)]
pub(super) struct Nonces(Mutex<BTreeMap<String, String>>);

/// How many origins are remembered.
const ORIGINS: usize = 64;

impl Nonces {
    pub(super) fn get(&self, origin: &str) -> Option<String> {
        self.0.lock().get(origin).cloned()
    }

    /// Remembers the nonce of an answer.
    pub(super) fn learn(&self, origin: &str, headers: &HeaderMap) {
        let Some(nonce) = headers.get(NONCE_HEADER).and_then(|value| value.to_str().ok()) else { return };
        let mut nonces = self.0.lock();
        if nonces.get(origin).is_some_and(|known| known == nonce) {
            return;
        }
        if nonces.len() >= ORIGINS {
            nonces.clear();
        }
        nonces.insert(origin.to_owned(), nonce.to_owned());
    }
}
