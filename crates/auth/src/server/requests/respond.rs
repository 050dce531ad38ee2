//! The few forms of answers.

use bytes::Bytes;
use http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_TYPE, LOCATION, PRAGMA, RETRY_AFTER};
use http::{HeaderValue, Response, StatusCode};
use serde::Serialize;

use crate::NoRandomness;
use crate::dpop::ProofError;
use crate::jose::SignError;
use crate::seal::SealError;
use crate::store::StoreError;

pub(in crate::server) type Answer = Response<Bytes>;

/// An error as OAuth has it.
#[derive(Clone, Debug)]
pub(in crate::server) struct OAuthError {
    pub(in crate::server) error: &'static str,
    pub(in crate::server) description: &'static str,
    pub(in crate::server) status: StatusCode,
    /// The client has to say who it is, and did so by the Authorization header.
    pub(in crate::server) challenge: bool,
}

impl OAuthError {
    pub(in crate::server) fn new(error: &'static str, description: &'static str) -> Self {
        Self { error, description, status: StatusCode::BAD_REQUEST, challenge: false }
    }

    pub(in crate::server) fn invalid_request(description: &'static str) -> Self {
        Self::new("invalid_request", description)
    }

    pub(in crate::server) fn invalid_grant(description: &'static str) -> Self {
        Self::new("invalid_grant", description)
    }

    pub(in crate::server) fn invalid_client(description: &'static str) -> Self {
        Self { status: StatusCode::UNAUTHORIZED, challenge: true, ..Self::new("invalid_client", description) }
    }

    pub(in crate::server) fn too_often() -> Self {
        let status = StatusCode::TOO_MANY_REQUESTS;
        Self { status, ..Self::new("temporarily_unavailable", "too many attempts; try again later") }
    }

    pub(in crate::server) fn unavailable() -> Self {
        let status = StatusCode::SERVICE_UNAVAILABLE;
        Self { status, ..Self::new("temporarily_unavailable", "the server cannot do this at present") }
    }
}

impl From<StoreError> for OAuthError {
    fn from(error: StoreError) -> Self {
        tracing::warn!(%error, "the store of the authorization server failed");
        Self::unavailable()
    }
}

impl From<NoRandomness> for OAuthError {
    fn from(error: NoRandomness) -> Self {
        tracing::error!(%error, "the authorization server cannot go on");
        Self::unavailable()
    }
}

impl From<SignError> for OAuthError {
    fn from(error: SignError) -> Self {
        tracing::error!(%error, "the authorization server cannot sign");
        Self::unavailable()
    }
}

impl From<SealError> for OAuthError {
    fn from(error: SealError) -> Self {
        tracing::error!(%error, "the authorization server cannot seal");
        Self::unavailable()
    }
}

impl From<ProofError> for OAuthError {
    fn from(error: ProofError) -> Self {
        match error {
            ProofError::UseNonce => Self::new("use_dpop_nonce", "the proof needs the nonce of this server"),
            ProofError::Busy | ProofError::Unavailable => Self::unavailable(),
            ProofError::Replayed => Self::new("invalid_dpop_proof", "the proof was used before"),
            ProofError::Missing => Self::new("invalid_dpop_proof", "exactly one proof is needed"),
            ProofError::Invalid(reason) => Self::new("invalid_dpop_proof", reason),
        }
    }
}

/// JSON that must not be kept by anybody.
pub(in crate::server) fn json(status: StatusCode, body: &impl Serialize) -> Answer {
    let mut answer = Response::new(Bytes::from(serde_json::to_vec(body).unwrap_or_default()));
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(PRAGMA, HeaderValue::from_static("no-cache"));
    // Pages of browsers may use these endpoints: they need no cookies, and get none.
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    answer
}

/// JSON that anybody may keep for a while.
pub(in crate::server) fn document(body: &impl Serialize, max_age: u32) -> Answer {
    let mut answer = json(StatusCode::OK, body);
    let headers = answer.headers_mut();
    headers.remove(PRAGMA);
    if let Ok(value) = HeaderValue::from_str(&format!("public, max-age={max_age}")) {
        headers.insert(CACHE_CONTROL, value);
    }
    answer
}

pub(in crate::server) fn error(error: &OAuthError) -> Answer {
    let body = serde_json::json!({ "error": error.error, "error_description": error.description });
    let mut answer = json(error.status, &body);
    let headers = answer.headers_mut();
    if error.challenge {
        headers.insert("www-authenticate", HeaderValue::from_static("Basic realm=\"clients\""));
    }
    match error.status {
        StatusCode::TOO_MANY_REQUESTS => drop(headers.insert(RETRY_AFTER, HeaderValue::from_static("60"))),
        // Sooner than a refresh token that was used is taken for a stolen one: it may be the answer alone that was lost.
        StatusCode::SERVICE_UNAVAILABLE => drop(headers.insert(RETRY_AFTER, HeaderValue::from_static("5"))),
        _ => {}
    }
    answer
}

pub(in crate::server) fn empty(status: StatusCode) -> Answer {
    let mut answer = Response::new(Bytes::new());
    *answer.status_mut() = status;
    answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

/// Sends the browser elsewhere, with GET whatever it came with.
pub(in crate::server) fn redirect(to: &str) -> Answer {
    let Ok(location) = HeaderValue::from_str(to) else { return empty(StatusCode::BAD_REQUEST) };
    let mut answer = empty(StatusCode::SEE_OTHER);
    let headers = answer.headers_mut();
    headers.insert(LOCATION, location);
    headers.insert("referrer-policy", HeaderValue::from_static("no-referrer"));
    answer
}
