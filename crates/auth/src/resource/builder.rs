//! How a protected server is set up.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use url::Url;

use super::TokenVerifier;
use crate::dpop::{ProofChecker, ProofRules};
use crate::metadata::{ProtectedResourceMetadata, canonical_resource, is_loopback, protected_resource_url};
use crate::{AuthStore, Clock, ScopeHierarchy, Scopes};

/// Protects a server. Clones share everything.
///
/// It is a [`Authenticator`](jackfield_http::Authenticator) and a `tower` [`Layer`](tower_layer::Layer).
#[derive(Clone)]
pub struct ResourceServer(pub(super) Arc<State>);

/// What all requests share.
pub(super) struct State {
    pub(super) resource: String,
    /// Scheme, host and port, for the addresses in proofs.
    pub(super) origin: String,
    pub(super) audiences: Vec<String>,
    pub(super) issuers: Vec<String>,
    pub(super) verifiers: Vec<Arc<dyn TokenVerifier>>,
    pub(super) required: Scopes,
    pub(super) hierarchy: ScopeHierarchy,
    pub(super) leeway: u64,
    pub(super) clock: Clock,
    pub(super) dpop: DpopUse,
    pub(super) proofs: ProofChecker,
    pub(super) metadata_url: String,
    pub(super) metadata_paths: Vec<String>,
    pub(super) metadata: Bytes,
    pub(super) open_paths: Vec<String>,
}

/// How a protected server is set up.
#[derive(Debug)]
pub struct ResourceServerBuilder {
    resource: String,
    audiences: Vec<String>,
    issuers: Vec<String>,
    verifiers: Vec<Arc<dyn TokenVerifier>>,
    required: Scopes,
    hierarchy: ScopeHierarchy,
    supported: Option<Scopes>,
    leeway: u64,
    clock: Clock,
    dpop: DpopUse,
    rules: ProofRules,
    store: Option<Arc<dyn AuthStore>>,
    name: Option<String>,
    documentation: Option<String>,
    open_paths: Vec<String>,
}

/// Whether tokens are bound to keys of their holders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DpopUse {
    /// A token that is bound is taken with its proof; others are taken too.
    #[default]
    Accepted,
    /// Every token has to be bound.
    Required,
}

/// The setup makes no sense.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The resource is no `https` URL, nor a loopback one.
    #[error("\"{0}\" is no address of a server that can be protected")]
    Resource(String),
    /// No issuer, or nobody to check its tokens.
    #[error("a protected server needs at least one authorization server and a verifier of its tokens")]
    NoIssuer,
    /// The system has no random numbers.
    #[error(transparent)]
    NoRandomness(#[from] crate::NoRandomness),
}

impl ResourceServer {
    /// Begins to protect the server at a URL. The URL is its name: tokens have to be issued for it.
    pub fn builder(resource: impl Into<String>) -> ResourceServerBuilder {
        ResourceServerBuilder {
            resource: resource.into(),
            audiences: Vec::new(),
            issuers: Vec::new(),
            verifiers: Vec::new(),
            required: Scopes::none(),
            hierarchy: ScopeHierarchy::flat(),
            supported: None,
            leeway: 30,
            clock: Clock::system(),
            dpop: DpopUse::Accepted,
            rules: ProofRules::default(),
            store: None,
            name: None,
            documentation: None,
            open_paths: Vec::new(),
        }
    }

    /// Returns the name of the resource.
    #[must_use]
    pub fn resource(&self) -> &str {
        &self.0.resource
    }

    /// Returns where its metadata lies.
    #[must_use]
    pub fn metadata_url(&self) -> &str {
        &self.0.metadata_url
    }

    pub(super) fn state(&self) -> &State {
        &self.0
    }
}

impl ResourceServerBuilder {
    /// Takes tokens of an issuer, checked by a verifier.
    #[must_use]
    pub fn issuer(mut self, issuer: impl Into<String>, verifier: impl TokenVerifier) -> Self {
        self.issuers.push(issuer.into());
        self.verifiers.push(Arc::new(verifier));
        self
    }

    /// Takes tokens for another name of this server too, such as its old address.
    #[must_use]
    pub fn also_known_as(mut self, audience: impl Into<String>) -> Self {
        self.audiences.push(audience.into());
        self
    }

    /// Every request needs these scopes.
    #[must_use]
    pub fn require(mut self, scopes: impl Into<Scopes>) -> Self {
        self.required = self.required.union(&scopes.into());
        self
    }

    /// Sets which scopes imply which.
    #[must_use]
    pub fn hierarchy(mut self, hierarchy: ScopeHierarchy) -> Self {
        self.hierarchy = hierarchy;
        self
    }

    /// Names the scopes of basic use in the metadata; by default those that every request needs.
    #[must_use]
    pub fn scopes_supported(mut self, scopes: impl Into<Scopes>) -> Self {
        self.supported = Some(scopes.into());
        self
    }

    /// Sets how far clocks may differ, in seconds; 30 by default, 300 at most.
    #[must_use]
    pub fn leeway(mut self, seconds: u64) -> Self {
        self.leeway = seconds.min(300);
        self
    }

    /// Sets the clock.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Sets whether tokens have to be bound to keys of their holders, and how proofs are checked.
    #[must_use]
    pub fn dpop(mut self, usage: DpopUse, rules: ProofRules) -> Self {
        (self.dpop, self.rules) = (usage, rules);
        self
    }

    /// Remembers proofs in a store, with all other nodes that use it: a proof that one of them took, none takes again. Each call with a
    /// token that is bound to a key then writes to the store, and is refused while it is away. Without it each node remembers its own.
    ///
    /// `SharedStore`, of the feature `store`, makes one of a file or Redis.
    #[must_use]
    pub fn share_proofs(mut self, store: Arc<dyn AuthStore>) -> Self {
        self.store = Some(store);
        self
    }

    /// Sets what people call the server.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets where people read about the server.
    #[must_use]
    pub fn documentation(mut self, url: impl Into<String>) -> Self {
        self.documentation = Some(url.into());
        self
    }

    /// Leaves a path open to everybody, such as that of the health check.
    #[must_use]
    pub fn open_path(mut self, path: impl Into<String>) -> Self {
        self.open_paths.push(path.into());
        self
    }

    /// Puts it together.
    ///
    /// # Errors
    /// The setup makes no sense; see [`BuildError`].
    pub fn build(self) -> Result<ResourceServer, BuildError> {
        let bad = || BuildError::Resource(self.resource.clone());
        let resource = canonical_resource(&self.resource).ok_or_else(bad)?;
        let url = Url::parse(&resource).map_err(|_| bad())?;
        if url.scheme() != "https" && !is_loopback(&url) {
            return Err(bad());
        }
        if self.issuers.is_empty() {
            return Err(BuildError::NoIssuer);
        }
        let mut proofs = ProofChecker::new(self.rules, self.clock.clone())?;
        if let Some(store) = self.store {
            proofs = proofs.share(store);
        }
        // Refresh tokens are no matter of a resource, so nobody is asked for them here.
        let required = self.required.without("offline_access");
        let supported = self.supported.unwrap_or_else(|| required.clone()).without("offline_access");
        let metadata_url = protected_resource_url(&url);
        let metadata = ProtectedResourceMetadata {
            resource: resource.clone(),
            authorization_servers: self.issuers.clone(),
            scopes_supported: Some(supported.iter().map(str::to_owned).collect())
                .filter(|list: &Vec<_>| !list.is_empty()),
            bearer_methods_supported: vec!["header".to_owned()],
            resource_name: self.name,
            resource_documentation: self.documentation,
            dpop_signing_alg_values_supported: proofs.algorithms(),
            dpop_bound_access_tokens_required: (self.dpop == DpopUse::Required).then_some(true),
        };
        let root = "/.well-known/oauth-protected-resource".to_owned();
        let mut metadata_paths = vec![metadata_url.path().to_owned()];
        if !metadata_paths.contains(&root) {
            metadata_paths.push(root);
        }
        Ok(ResourceServer(Arc::new(State {
            origin: url.origin().ascii_serialization(),
            audiences: std::iter::once(resource.clone()).chain(self.audiences).collect(),
            resource,
            issuers: self.issuers,
            verifiers: self.verifiers,
            required,
            hierarchy: self.hierarchy,
            leeway: self.leeway,
            clock: self.clock,
            dpop: self.dpop,
            proofs,
            metadata_url: metadata_url.into(),
            metadata_paths,
            metadata: serde_json::to_vec(&metadata).unwrap_or_default().into(),
            open_paths: self.open_paths,
        })))
    }
}

impl fmt::Debug for ResourceServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResourceServer")
            .field("resource", &self.0.resource)
            .field("issuers", &self.0.issuers)
            .finish_non_exhaustive()
    }
}
