//! How clients say who they are.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::AUTHORIZATION;

use crate::jose::{Algorithm, Claims, Jws};
use crate::random;
use crate::server::builder::AuthorizationServer;
use crate::server::oauth_clients::client::Client;
use crate::server::oauth_clients::clients::NoClient;
use crate::server::requests::request::{Params, ReceivedRequest};
use crate::server::requests::respond::OAuthError;
use crate::server::tokens::assertion_claims::LEEWAY;

pub(in crate::server) const ASSERTION_ALGORITHMS: &[Algorithm] =
    &[Algorithm::Es256, Algorithm::Es384, Algorithm::EdDsa, Algorithm::Rs256, Algorithm::Ps256];
const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
/// How long an assertion may be valid, in seconds.
const LONGEST_ASSERTION: u64 = 600;
/// How long a request waits for others of its origin.
const LONGEST_WAIT: Duration = Duration::from_secs(3);

/// What a client showed.
enum Shown {
    Nothing(String),
    Basic(String, String),
    Post(String, String),
    Assertion(String, String),
}

impl AuthorizationServer {
    /// Finds out which client sent a request, in the one way that is registered for it.
    pub(in crate::server) async fn authenticate(
        &self,
        request: &ReceivedRequest,
        form: &Params,
    ) -> Result<Client, OAuthError> {
        let shown = shown(request, form)?;
        let (origin, throttles) = (request.origin(), &self.0.throttles);
        // What is wrong counts when it is known. Until then a few are looked at, and the others wait a moment: many at once must neither
        // guess for free nor make us fetch more than one after the other would.
        let entering = tokio::time::timeout(LONGEST_WAIT, throttles.clients_at_once.acquire(&origin)).await;
        let _entered = entering.map_err(|_| OAuthError::too_often())?;
        if !throttles.client.is_open(&origin).await? {
            return Err(OAuthError::too_often());
        }
        let checked = self.check(shown).await;
        if let Err(error) = &checked
            && error.error == "invalid_client"
        {
            throttles.client.attempt(&origin).await?;
        }
        checked
    }

    async fn check(&self, shown: Shown) -> Result<Client, OAuthError> {
        let (Shown::Nothing(id) | Shown::Basic(id, _) | Shown::Post(id, _) | Shown::Assertion(id, _)) = &shown;
        let wrong = || OAuthError::invalid_client("the client is not known, or is not the one it says");
        let client = match self.client(id).await {
            Ok(client) => client,
            Err(NoClient::Failed(error)) => return Err(error),
            Err(NoClient::Unknown | NoClient::Document(_)) => return Err(wrong()),
        };
        let is_good = match (&shown, client.auth_method()) {
            (Shown::Nothing(_), "none") => true,
            (Shown::Basic(_, secret), "client_secret_basic" | "client_secret_post")
            | (Shown::Post(_, secret), "client_secret_basic" | "client_secret_post") => client.has_secret(secret),
            (Shown::Assertion(_, assertion), "private_key_jwt") => self.check_assertion(&client, assertion).await?,
            _ => false,
        };
        if is_good { Ok(client) } else { Err(wrong()) }
    }

    /// Checks an assertion of a client (RFC 7523, section 3), once.
    async fn check_assertion(&self, client: &Client, assertion: &str) -> Result<bool, OAuthError> {
        let Ok(jws) = Jws::parse(assertion) else { return Ok(false) };
        if !ASSERTION_ALGORITHMS.contains(&jws.algorithm) {
            return Ok(false);
        }
        let kid = jws.header.kid.as_deref();
        let keys = match (&client.metadata.jwks, &client.metadata.jwks_uri, &self.0.client_keys) {
            (Some(keys), _, _) => keys.candidates(kid, jws.algorithm).take(4).cloned().collect(),
            (None, Some(url), Some(keys)) => match keys.candidates(url, kid, jws.algorithm).await {
                Ok(keys) => keys,
                Err(error) => {
                    tracing::debug!(%error, client = client.id, "the keys of a client cannot be had");
                    return Ok(false);
                }
            },
            _ => return Ok(false),
        };
        let Some(payload) = keys.iter().find_map(|key| jws.verify(key).ok()) else { return Ok(false) };
        let Ok(claims) = serde_json::from_slice::<Claims>(payload) else { return Ok(false) };
        let is_of_client =
            claims.iss.as_deref() == Some(client.id.as_str()) && claims.sub.as_deref() == Some(client.id.as_str());
        if !is_of_client || self.check_assertion_claims(&claims, LONGEST_ASSERTION).is_err() {
            return Ok(false);
        }
        let until = claims.exp.unwrap_or_default().saturating_add(LEEWAY);
        let name = claims.jti.unwrap_or_else(|| assertion.to_owned());
        let key = format!("assertion:{}", random::digest(&format!("{} {name}", client.id)));
        Ok(self.store().add(&key, Vec::new(), until).await?)
    }
}

/// Finds what the client showed. Showing two things at once is an error.
fn shown(request: &ReceivedRequest, form: &Params) -> Result<Shown, OAuthError> {
    let id = form.get("client_id");
    let basic = basic(request)?;
    match (basic, form.get("client_secret"), form.get("client_assertion")) {
        (Some((name, secret)), None, None) => {
            if id.is_some_and(|id| id != name) {
                return Err(OAuthError::invalid_request("the request names two clients"));
            }
            Ok(Shown::Basic(name, secret))
        }
        (None, Some(secret), None) => {
            let id = id.ok_or(OAuthError::invalid_request("client_id is missing"))?;
            Ok(Shown::Post(id.to_owned(), secret.to_owned()))
        }
        (None, None, Some(assertion)) => {
            if form.get("client_assertion_type") != Some(ASSERTION_TYPE) {
                return Err(OAuthError::invalid_request("client_assertion_type is not the one of JWTs"));
            }
            let wrong = || OAuthError::invalid_client("the assertion makes no sense");
            let jws = Jws::parse(assertion).map_err(|_| wrong())?;
            let claims: Claims = jws.unverified().map_err(|_| wrong())?;
            let subject = claims.sub.ok_or_else(wrong)?;
            if id.is_some_and(|id| id != subject) {
                return Err(OAuthError::invalid_request("the request names two clients"));
            }
            Ok(Shown::Assertion(subject, assertion.to_owned()))
        }
        (None, None, None) => {
            let missing = OAuthError::invalid_client("the client does not say who it is");
            id.map(|id| Shown::Nothing(id.to_owned())).ok_or(missing)
        }
        _ => Err(OAuthError::invalid_request("the client says who it is in two ways")),
    }
}

fn basic(request: &ReceivedRequest) -> Result<Option<(String, String)>, OAuthError> {
    let mut values = request.parts.headers.get_all(AUTHORIZATION).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let wrong = || OAuthError::invalid_client("the Authorization header makes no sense");
    if values.next().is_some() {
        return Err(OAuthError::invalid_request("more than one Authorization header"));
    }
    let text = value.to_str().map_err(|_| wrong())?;
    let (scheme, rest) = text.split_once(' ').ok_or_else(wrong)?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return Err(wrong());
    }
    let plain = STANDARD.decode(rest.trim()).ok().and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(wrong)?;
    let (id, secret) = plain.split_once(':').ok_or_else(wrong)?;
    Ok(Some((form_decoded(id), form_decoded(secret))))
}

/// Names and secrets are encoded like forms before they become Basic credentials (RFC 6749, section 2.3.1).
fn form_decoded(text: &str) -> String {
    let pair = format!("v={}", text.replace('&', "%26").replace(';', "%3B"));
    url::form_urlencoded::parse(pair.as_bytes()).next().map_or_else(String::new, |(_, value)| value.into_owned())
}
