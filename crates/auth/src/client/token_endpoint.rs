//! Asking for tokens, and giving them back.

use std::fmt;

use http::HeaderValue;
use http::header::AUTHORIZATION;
use jackfield_http::fetch::{Document, FetchError, FetchRequest};
use serde::{Deserialize, Deserializer, Serialize};

use super::AuthError;
use super::error::told;
use super::identity::{AuthMethod, KnownClient};
use super::oauth::Settings;
use crate::dpop::{self, Proven};
use crate::jose::{Algorithm, Header, SigningKey};
use crate::{Scopes, Secret, basic, random};

pub(super) const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
pub(super) const TOKEN_EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
/// How long an assertion about ourselves is valid, in seconds.
const ASSERTION_LIFE: u64 = 60;

/// A request to an endpoint of an authorization server. Printed, it shows the names of what it sends.
pub(super) struct TokenRequest<'a> {
    pub(super) settings: &'a Settings,
    pub(super) endpoint: &'a str,
    /// Whom an assertion about ourselves is for.
    pub(super) audience: &'a str,
    pub(super) client: &'a KnownClient,
    pub(super) form: Vec<(&'static str, String)>,
    /// The key that tokens are to be bound to.
    pub(super) key: Option<&'a SigningKey>,
}

/// What the token endpoint answers.
#[derive(Deserialize)]
pub(super) struct Tokens {
    #[serde(deserialize_with = "secret")]
    pub(super) access_token: Secret,
    #[serde(default)]
    pub(super) token_type: String,
    #[serde(default, deserialize_with = "seconds")]
    pub(super) expires_in: Option<u64>,
    #[serde(default, deserialize_with = "some_secret")]
    pub(super) refresh_token: Option<Secret>,
    #[serde(default)]
    pub(super) scope: Option<String>,
    #[serde(default)]
    pub(super) issued_token_type: Option<String>,
}

impl Tokens {
    pub(super) fn scopes(&self) -> Option<Scopes> {
        self.scope.as_deref().map(Scopes::from)
    }

    /// Whether the token is bound to a key.
    pub(super) fn is_bound(&self) -> bool {
        self.token_type.eq_ignore_ascii_case("DPoP")
    }
}

#[derive(Deserialize)]
struct Refused {
    error: String,
    error_description: Option<String>,
}

#[derive(Serialize)]
struct Assertion<'a> {
    iss: &'a str,
    sub: &'a str,
    aud: &'a str,
    iat: u64,
    exp: u64,
    jti: String,
}

impl TokenRequest<'_> {
    /// Asks for tokens. A server that wants a nonce in the proof of possession is asked once more.
    pub(super) async fn tokens(&self) -> Result<Tokens, AuthError> {
        let mut document = self.send().await?;
        if is_nonce_wanted(&document) && self.key.is_some() {
            document = self.send().await?;
        }
        if !document.status.is_success() {
            return Err(refused(&document));
        }
        let tokens: Tokens = document.json()?;
        if HeaderValue::from_str(tokens.access_token.expose()).is_err() || tokens.access_token.expose().is_empty() {
            return Err(AuthError::BadToken("the access token is none"));
        }
        Ok(tokens)
    }

    /// Says something to the endpoint that has no answer but yes.
    pub(super) async fn tell(&self) -> Result<(), AuthError> {
        let document = self.send().await?;
        if document.status.is_success() { Ok(()) } else { Err(refused(&document)) }
    }

    async fn send(&self) -> Result<Document, AuthError> {
        let mut form: Vec<(&str, &str)> = self.form.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let assertion;
        let mut basic = None;
        match (self.client.method, &self.client.secret) {
            (AuthMethod::None, _) => form.push(("client_id", &self.client.id)),
            (AuthMethod::ClientSecretBasic, Some(secret)) => basic = Some(basic::header(&self.client.id, secret)),
            (AuthMethod::ClientSecretPost, Some(secret)) => {
                form.push(("client_id", &self.client.id));
                form.push(("client_secret", secret.expose()));
            }
            (AuthMethod::PrivateKeyJwt, _) => {
                assertion = self.assertion()?;
                form.push(("client_id", &self.client.id));
                form.push(("client_assertion_type", ASSERTION_TYPE));
                form.push(("client_assertion", &assertion));
            }
            (_, None) => return Err(AuthError::NoKey),
        }
        let mut ask =
            FetchRequest::post_form(self.endpoint, form).map_err(|source| bad_endpoint("token_endpoint", source))?;
        if let Some(basic) = basic {
            ask = ask.with(AUTHORIZATION, basic);
        }
        let origin = ask.url.origin().ascii_serialization();
        if let Some(key) = self.key {
            let nonce = self.settings.nonces.get(&origin);
            let proven = Proven { method: "POST", url: self.endpoint, token: None };
            let proof = dpop::prove(key, proven, nonce.as_deref(), self.settings.clock.now())?;
            let proof = HeaderValue::from_str(&proof).map_err(|_| AuthError::NoKey)?;
            ask = ask.with(dpop::HEADER, proof);
        }
        let document = self.settings.fetch.fetch(ask).await?;
        self.settings.nonces.learn(&origin, &document.headers);
        Ok(document)
    }

    /// Signs who we are (RFC 7523, section 2.2).
    fn assertion(&self) -> Result<String, AuthError> {
        let key = self.settings.signing_key().ok_or(AuthError::NoKey)?;
        let (now, id) = (self.settings.clock.now(), self.client.id.as_str());
        let exp = now.saturating_add(ASSERTION_LIFE);
        let claims = Assertion { iss: id, sub: id, aud: self.audience, iat: now, exp, jti: random::token()? };
        let kid = Some(key.id().to_owned());
        let header = Header { typ: Some("JWT".to_owned()), kid, ..Header::new(Algorithm::Es256) };
        Ok(key.sign_with(&header, &claims)?)
    }
}

impl fmt::Debug for TokenRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.form.iter().map(|(name, _)| *name).collect();
        f.debug_struct("TokenRequest").field("endpoint", &self.endpoint).field("form", &names).finish_non_exhaustive()
    }
}

pub(super) fn bad_endpoint(name: &'static str, source: FetchError) -> AuthError {
    AuthError::BadEndpoint { name, source }
}

fn is_nonce_wanted(document: &Document) -> bool {
    document.status.is_client_error()
        && document.headers.contains_key(dpop::NONCE_HEADER)
        && document.json::<Refused>().is_ok_and(|refused| refused.error == "use_dpop_nonce")
}

fn refused(document: &Document) -> AuthError {
    match document.json::<Refused>() {
        Ok(refused) => {
            let told = told(&refused.error, refused.error_description.as_deref());
            AuthError::Token { code: refused.error, told }
        }
        Err(_) => AuthError::Fetch(FetchError::Status(document.status)),
    }
}

fn secret<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Secret, D::Error> {
    String::deserialize(deserializer).map(Secret::new)
}

fn some_secret<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Secret>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.filter(|text| !text.is_empty()).map(Secret::new))
}

/// A number, which some servers write as a text.
fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    Ok(match serde_json::Value::deserialize(deserializer)? {
        serde_json::Value::Number(number) => number.as_u64(),
        serde_json::Value::String(text) => text.parse().ok(),
        _ => None,
    })
}
