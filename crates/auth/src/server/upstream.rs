//! Users who log in at another OpenID provider, and the tokens we hold for them there.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderValue;
use http::header::AUTHORIZATION;
use serde::{Deserialize, Serialize};
use url::form_urlencoded::byte_serialize;

use super::authorize::{Cookie, Pending, Session};
use super::builder::AuthorizationServer;
use super::pages;
use super::redirect;
use super::respond::{self, Answer, OAuthError};
use super::visit::Visit;
use crate::fetch::{Ask, Fetch, FetchError};
use crate::jose::{Claims, Jws, KeyCache, KeyCacheLimits, RemoteKeys};
use crate::metadata::{self, AuthorizationServerMetadata};
use crate::pkce::{self, Verifier};
use crate::resource::AccessToken;
use crate::{Clock, Secret, random, secret};

/// Another OpenID provider, where users log in.
#[derive(Debug)]
pub struct Upstream {
    issuer: String,
    client_id: String,
    secret: Secret,
    scopes: String,
    fetch: Arc<dyn Fetch>,
    keys: KeyCache,
}

/// What we remember while a user is away.
#[derive(Debug, Serialize, Deserialize)]
struct Away {
    pending: Pending,
    nonce: String,
    verifier: String,
}

/// The tokens of a third party.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ThirdPartyTokens {
    access_token: String,
    #[serde(default)]
    refresh_token: Option<String>,
    #[serde(default)]
    expires_at: Option<u64>,
}

#[derive(Deserialize)]
struct Answered {
    access_token: String,
    #[serde(default)]
    refresh_token: Option<String>,
    #[serde(default)]
    expires_in: Option<u64>,
    #[serde(default)]
    id_token: Option<String>,
}

/// Why there is no token of the third party.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ThirdPartyError {
    /// The user's login there is over; ours is over too now.
    #[error("the login at the other provider is over")]
    Over,
    /// The provider or the store can not be reached.
    #[error("the token can not be had at present")]
    Unavailable,
}

/// A token is renewed this long before its end, in seconds.
const MARGIN: u64 = 30;

impl Upstream {
    /// Sends users to the provider with this issuer, as one of its clients.
    pub fn new(issuer: impl Into<String>, client_id: impl Into<String>, secret: Secret, fetch: Arc<dyn Fetch>) -> Self {
        let issuer = issuer.into();
        let keys = RemoteKeys::of(issuer.clone(), fetch.clone());
        let keys = KeyCache::new(Arc::new(keys), KeyCacheLimits::default(), Clock::system());
        Self { issuer, client_id: client_id.into(), secret, scopes: "openid".to_owned(), fetch, keys }
    }

    /// Asks for scopes there, besides `openid`.
    #[must_use]
    pub fn scope(mut self, scopes: &str) -> Self {
        self.scopes = format!("openid {scopes}");
        self
    }

    pub(super) fn with_clock(self, clock: &Clock) -> Self {
        let keys = RemoteKeys::of(self.issuer.clone(), self.fetch.clone());
        Self { keys: KeyCache::new(Arc::new(keys), KeyCacheLimits::default(), clock.clone()), ..self }
    }

    pub(super) fn issuer(&self) -> &str {
        &self.issuer
    }

    pub(super) fn scopes(&self) -> &str {
        &self.scopes
    }

    async fn metadata(&self) -> Result<AuthorizationServerMetadata, FetchError> {
        metadata::discover(&self.issuer, &*self.fetch).await
    }

    async fn ask(&self, form: &[(&str, &str)]) -> Result<Answered, FetchError> {
        let endpoint = self.metadata().await?.token_endpoint.ok_or(FetchError::Unusable("no token endpoint"))?;
        let part = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
        let plain = format!("{}:{}", part(&self.client_id), part(self.secret.expose()));
        let value = HeaderValue::from_str(&format!("Basic {}", STANDARD.encode(plain)));
        let mut value = value.map_err(|_| FetchError::Unusable("the secret is no text"))?;
        value.set_sensitive(true);
        let ask = Ask::post_form(&endpoint, form.iter().copied())?.with(AUTHORIZATION, value);
        self.fetch.fetch(ask).await?.success()?.json()
    }

    /// Checks the identity token of a login, and returns the user's name there.
    async fn subject(&self, text: &str, nonce: &str, now: u64) -> Option<String> {
        let jws = Jws::parse(text).ok()?;
        let keys = self.keys.candidates(jws.header.kid.as_deref(), jws.algorithm).await.ok()?;
        let payload = keys.iter().find_map(|key| jws.verify(key).ok())?;
        let claims: Claims = serde_json::from_slice(payload).ok()?;
        let is_good = claims.iss.as_deref() == Some(self.issuer.as_str())
            && claims.aud.names(&self.client_id)
            && (claims.aud.0.len() == 1 || claims.azp.as_deref() == Some(self.client_id.as_str()))
            && claims.exp.is_some_and(|end| end.saturating_add(MARGIN) > now)
            && claims.nonce.as_deref().is_some_and(|shown| secret::same(shown, nonce));
        claims.sub.filter(|subject| is_good && !subject.is_empty())
    }
}

impl AuthorizationServer {
    /// Sends the user to the provider, after they consented. Only now the browser gets the cookie that lets it come back.
    pub(super) async fn send_upstream(&self, upstream: &Upstream, pending: &Pending) -> Result<Answer, OAuthError> {
        let found = upstream.metadata().await.map_err(|error| {
            tracing::warn!(%error, "the upstream provider can not be reached");
            OAuthError::unavailable()
        })?;
        let endpoint = found.authorization_endpoint.ok_or(OAuthError::unavailable())?;
        let (state, nonce, verifier) = (random::token()?, random::token()?, Verifier::random()?);
        let away = Away { pending: pending.clone(), nonce: nonce.clone(), verifier: verifier.expose().to_owned() };
        let life = self.0.life.interaction;
        self.store().save(&format!("away:{}", random::digest(&state)), &away, self.now().saturating_add(life)).await?;
        let (callback, challenge) = (self.endpoint("/callback"), verifier.challenge());
        let to = redirect::with_params(
            &endpoint,
            &[
                ("response_type", "code"),
                ("client_id", &upstream.client_id),
                ("redirect_uri", &callback),
                ("scope", &upstream.scopes),
                ("state", &state),
                ("nonce", &nonce),
                ("code_challenge", challenge.as_str()),
                ("code_challenge_method", pkce::METHOD),
            ],
        );
        let mut answer = respond::redirect(&to);
        self.set_cookie(&mut answer, Cookie::Upstream, &state, life);
        Ok(answer)
    }

    /// The user comes back from the provider.
    pub(super) async fn callback(&self, visit: &Visit) -> Answer {
        let mut answer = match self.returned(visit).await {
            Ok(answer) => answer,
            Err(reason) => pages::bad_request(reason),
        };
        self.set_cookie(&mut answer, Cookie::Upstream, "", 0);
        answer
    }

    async fn returned(&self, visit: &Visit) -> Result<Answer, &'static str> {
        const GONE: &str = "This answer does not belong to a login that began in this browser.";
        let upstream = self.0.upstream.as_ref().ok_or(GONE)?;
        let params = visit.query().map_err(|error| error.description)?;
        let state = params.get("state").ok_or(GONE)?;
        let cookie = visit.cookie(self.cookie_name(Cookie::Upstream)).ok_or(GONE)?;
        if !secret::same(&cookie, state) {
            return Err(GONE);
        }
        let away: Option<Away> = self.store().pop(&format!("away:{}", random::digest(state))).await.ok().flatten();
        let away = away.ok_or(GONE)?;
        if params.get("iss").is_some_and(|issuer| issuer != upstream.issuer) {
            return Err(GONE);
        }
        let pending = &away.pending;
        let denied = || {
            let params = [("error", "access_denied"), ("error_description", "the login was not completed")];
            self.back(&pending.redirect_uri, pending.state.as_deref(), &params)
        };
        let Some(code) = params.get("code") else { return Ok(denied()) };
        let callback = self.endpoint("/callback");
        let form = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &*callback),
            ("code_verifier", &*away.verifier),
        ];
        let answered = match upstream.ask(&form).await {
            Ok(answered) => answered,
            Err(error) => {
                tracing::warn!(%error, "the upstream provider refused a code");
                return Ok(denied());
            }
        };
        let identity = answered.id_token.as_deref().unwrap_or_default();
        let Some(user) = upstream.subject(identity, &away.nonce, self.now()).await else { return Ok(denied()) };
        let client = self.client(&pending.client_id).await.map_err(|_| "The client is not known here any more.")?;
        let session = Session { user, since: self.now() };
        let tokens = Some(self.tokens_of(answered, None));
        self.grant(pending, &client, &session, tokens).await.map_err(|_| "This can not be done at present.")
    }

    fn tokens_of(&self, answered: Answered, before: Option<String>) -> ThirdPartyTokens {
        ThirdPartyTokens {
            access_token: answered.access_token,
            refresh_token: answered.refresh_token.or(before),
            expires_at: answered.expires_in.map(|life| self.now().saturating_add(life)),
        }
    }

    /// Keeps tokens of the third party, sealed, for as long as our own.
    pub(super) async fn keep_third_party(&self, family: &str, tokens: &ThirdPartyTokens) -> Result<(), OAuthError> {
        let key = format!("third-party:{family}");
        let sealed = self.0.sealer.seal(&key, &super::store::encode(tokens)?)?;
        let until = self.now().saturating_add(self.0.life.refresh);
        Ok(self.store().put(&key, sealed, until).await?)
    }

    /// Renews the tokens of the third party if they are about to end; false if the login there is over.
    pub(super) async fn follow_third_party(&self, family: &str) -> Result<bool, OAuthError> {
        Ok(self.third_party(family).await?.is_some())
    }

    async fn third_party(&self, family: &str) -> Result<Option<ThirdPartyTokens>, OAuthError> {
        let key = format!("third-party:{family}");
        let Some(sealed) = self.store().get(&key).await? else { return Ok(None) };
        let plain = self.0.sealer.open(&key, &sealed);
        let Some(tokens) = super::store::decode::<ThirdPartyTokens>(plain)? else { return Ok(None) };
        if tokens.expires_at.is_none_or(|end| end > self.now().saturating_add(MARGIN)) {
            return Ok(Some(tokens));
        }
        let (Some(upstream), Some(refresh)) = (&self.0.upstream, &tokens.refresh_token) else { return Ok(None) };
        match upstream.ask(&[("grant_type", "refresh_token"), ("refresh_token", refresh)]).await {
            Ok(answered) => {
                let tokens = self.tokens_of(answered, Some(refresh.clone()));
                self.keep_third_party(family, &tokens).await?;
                Ok(Some(tokens))
            }
            Err(FetchError::Status(status)) if status.is_client_error() => Ok(None),
            Err(_) => Err(OAuthError::unavailable()),
        }
    }

    /// Returns the token of the other provider for the user of one of our tokens, renewed if need be. It is for requests to that
    /// provider's own services; the client never sees it.
    ///
    /// # Errors
    /// The login there is over, in which case our own tokens of it are revoked, or the provider can not be reached.
    pub async fn third_party_token(&self, token: &AccessToken) -> Result<Secret, ThirdPartyError> {
        let family: String = token.claim("sid").ok_or(ThirdPartyError::Over)?;
        match self.third_party(&family).await {
            Ok(Some(tokens)) => Ok(Secret::new(tokens.access_token)),
            Ok(None) => {
                self.revoke_family(&family).await.map_err(|_| ThirdPartyError::Unavailable)?;
                Err(ThirdPartyError::Over)
            }
            Err(_) => Err(ThirdPartyError::Unavailable),
        }
    }
}
