//! Tokens against assertions of other issuers (RFC 7523): identity providers of enterprises, and workloads.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::jose::{Algorithm, Claims, Jws, KeyCache, KeyCacheLimits, KeyError, KeySource};
use crate::server::builder::AuthorizationServer;
use crate::server::oauth_clients::client::{Client, JWT_BEARER};
use crate::server::requests::request::Params;
use crate::server::requests::respond::OAuthError;
use crate::server::tokens::assertion_claims::LEEWAY;
use crate::server::tokens::grant::Target;
use crate::server::tokens::issue::TokenResponse;
use crate::{Clock, random};

/// Another issuer, whose assertions are worth tokens here.
#[derive(Debug)]
pub struct TrustedIssuer {
    issuer: String,
    source: Arc<dyn KeySource>,
    kind: Kind,
    keys: KeyCache,
    links: Links,
}

/// Who somebody of another issuer is here.
#[derive(Debug, Default)]
struct Links {
    by_subject: BTreeMap<String, String>,
    by_email: BTreeMap<String, String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// It vouches for users, for one client and one resource each time (ID-JAG).
    IdentityProvider,
    /// It vouches for programs.
    Workload,
}

/// The type of identity assertions.
pub(in crate::server) const ID_JAG: &str = "oauth-id-jag+jwt";
/// How long an assertion may be valid, in seconds.
const LONGEST: u64 = 3600;

impl TrustedIssuer {
    /// An identity provider of an enterprise: it says which user may use which client with which resource.
    pub fn identity_provider(issuer: impl Into<String>, keys: Arc<dyn KeySource>) -> Self {
        Self::new(issuer, keys, Kind::IdentityProvider)
    }

    /// An issuer that vouches for programs, such as a cluster or a build service.
    pub fn workload(issuer: impl Into<String>, keys: Arc<dyn KeySource>) -> Self {
        Self::new(issuer, keys, Kind::Workload)
    }

    fn new(issuer: impl Into<String>, source: Arc<dyn KeySource>, kind: Kind) -> Self {
        let keys = KeyCache::new(source.clone(), KeyCacheLimits::default(), Clock::system());
        Self { issuer: issuer.into(), source, kind, keys, links: Links::default() }
    }

    /// Says that somebody is a user of ours, by the name that the issuer has for them (`sub`): tokens are issued for that user.
    /// Whoever is not linked has a name of their own here, which is that of the issuer and theirs.
    #[must_use]
    pub fn link_subject(mut self, subject: impl Into<String>, user: impl Into<String>) -> Self {
        self.links.by_subject.insert(subject.into(), user.into());
        self
    }

    /// The same by an address (`email`) that the issuer has verified (`email_verified`). The name counts first.
    #[must_use]
    pub fn link_email(mut self, email: impl AsRef<str>, user: impl Into<String>) -> Self {
        self.links.by_email.insert(email.as_ref().to_ascii_lowercase(), user.into());
        self
    }

    /// Returns the user of ours that somebody is, if they are one.
    fn linked(&self, claims: &Claims) -> Option<&str> {
        let by_subject = claims.sub.as_ref().and_then(|subject| self.links.by_subject.get(subject));
        let email = claims.email.as_ref().filter(|_| claims.email_verified == Some(true));
        let by_email = || self.links.by_email.get(&email?.to_ascii_lowercase());
        by_subject.or_else(by_email).map(String::as_str)
    }

    pub(in crate::server) fn with_clock(self, clock: &Clock) -> Self {
        let keys = KeyCache::new(self.source.clone(), KeyCacheLimits::default(), clock.clone());
        Self { keys, ..self }
    }

    pub(in crate::server) fn is_identity_provider(&self) -> bool {
        self.kind == Kind::IdentityProvider
    }
}

impl AuthorizationServer {
    pub(in crate::server) async fn assertion_grant(
        &self,
        client: &Client,
        form: &Params,
        key: Option<String>,
    ) -> Result<TokenResponse, OAuthError> {
        if !client.may_use(JWT_BEARER) {
            return Err(OAuthError::new("unauthorized_client", "the client may not use assertions"));
        }
        let refused = || OAuthError::invalid_grant("the assertion is not valid");
        let text = form.need("assertion", "assertion is missing")?;
        let jws = Jws::parse(text).map_err(|_| refused())?;
        let named: Claims = jws.unverified().map_err(|_| refused())?;
        let issuer = self.0.trusted.iter().find(|issuer| named.iss.as_deref() == Some(issuer.issuer.as_str()));
        let issuer = issuer.ok_or_else(refused)?;
        let claims = verified(issuer, &jws).await?;
        // What an assertion is for is said by its type, so that one kind of token is never taken for another.
        let fits = match issuer.kind {
            Kind::IdentityProvider => jws.is_typ(ID_JAG),
            Kind::Workload => jws.header.typ.is_none() || jws.is_typ("jwt"),
        };
        if !fits {
            return Err(OAuthError::invalid_grant("the assertion is of another type"));
        }
        let bad = self.check_assertion_claims(&claims, LONGEST);
        bad.map_err(|bad| OAuthError::invalid_grant(bad.describe()))?;
        let resource = self.asserted_resource(issuer, client, &claims, form)?;
        let asked = form.get("scope");
        let mut scopes = self.scopes_for(&resource, asked, client)?;
        if let Some(granted) = &claims.scope {
            scopes = scopes.intersection(granted);
        }
        self.use_once(issuer, &claims, text).await?;
        let subject = self.asserted_user(issuer, &claims)?;
        self.issue_alone(client, subject, Target { resource, scopes, key })
    }

    /// Finds who an assertion is about: a user of ours, if they are linked. Names of another issuer never meet our own.
    fn asserted_user(&self, issuer: &TrustedIssuer, claims: &Claims) -> Result<String, OAuthError> {
        let subject = claims.sub.as_ref().ok_or(OAuthError::invalid_grant("the assertion is not valid"))?;
        let Some(user) = issuer.linked(claims) else { return Ok(format!("{}:{subject}", issuer.issuer)) };
        match &self.0.users {
            Some(users) if !users.contains(user) => Err(OAuthError::invalid_grant("the user is no longer known")),
            _ => Ok(user.to_owned()),
        }
    }

    /// Finds the resource. An identity provider names it, and the client, in the assertion itself.
    fn asserted_resource(
        &self,
        issuer: &TrustedIssuer,
        client: &Client,
        claims: &Claims,
        form: &Params,
    ) -> Result<String, OAuthError> {
        if issuer.kind == Kind::Workload {
            return self.target(&form.all("resource"));
        }
        let is_whole = claims.jti.is_some() && claims.iat.is_some() && claims.sub.is_some();
        if !is_whole || claims.client_id.as_deref() != Some(client.id.as_str()) {
            return Err(OAuthError::invalid_grant("the assertion is for another client, or lacks claims"));
        }
        let named = claims.resource.as_ref().ok_or(OAuthError::invalid_grant("the assertion names no resource"))?;
        let named: Vec<&str> = named.0.iter().map(String::as_str).collect();
        let resource = self.target(&named)?;
        let asked = form.all("resource");
        if !asked.is_empty() && self.target(&asked)? != resource {
            return Err(OAuthError::new("invalid_target", "the assertion is for another resource"));
        }
        Ok(resource)
    }

    async fn use_once(&self, issuer: &TrustedIssuer, claims: &Claims, text: &str) -> Result<(), OAuthError> {
        let name = claims.jti.as_deref().unwrap_or(text);
        let key = format!("assertion:{}", random::digest(&format!("{} {name}", issuer.issuer)));
        let until = claims.exp.unwrap_or_default().saturating_add(LEEWAY);
        match self.store().add(&key, Vec::new(), until).await? {
            true => Ok(()),
            false => Err(OAuthError::invalid_grant("the assertion was used before")),
        }
    }
}

async fn verified(issuer: &TrustedIssuer, jws: &Jws<'_>) -> Result<Claims, OAuthError> {
    let refused = || OAuthError::invalid_grant("the assertion is not valid");
    if !Algorithm::ALL.contains(&jws.algorithm) {
        return Err(refused());
    }
    let keys = issuer.keys.candidates(jws.header.kid.as_deref(), jws.algorithm).await.map_err(|error| match error {
        KeyError::Unknown => refused(),
        KeyError::Unavailable(_) => OAuthError::unavailable(),
    })?;
    let payload = keys.iter().find_map(|key| jws.verify(key).ok()).ok_or_else(refused)?;
    serde_json::from_slice(payload).map_err(|_| refused())
}
