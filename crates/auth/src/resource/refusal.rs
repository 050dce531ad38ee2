//! How a request without a good token is answered (RFC 6750, section 3; RFC 9449, section 7.1).

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, Response, StatusCode};

use super::ResourceServer;
use super::builder::DpopUse;
use crate::Scopes;
use crate::challenge::Challenge;
use crate::dpop::{NONCE_HEADER, ProofError};

/// Why a request is refused.
#[derive(Clone, Debug)]
pub(super) enum Refusal {
    /// It has no token.
    NoToken,
    /// It cannot be understood.
    Malformed(&'static str),
    /// Its token is not good.
    InvalidToken(&'static str),
    /// Its proof is not good.
    Proof(ProofError),
    /// Its token allows too little.
    Scope(Scopes),
    /// Its token cannot be checked at present.
    Unavailable,
}

impl Refusal {
    pub(super) fn status(&self) -> StatusCode {
        match self {
            Self::NoToken | Self::InvalidToken(_) => StatusCode::UNAUTHORIZED,
            Self::Proof(ProofError::Busy | ProofError::Unavailable) | Self::Unavailable => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Self::Proof(_) => StatusCode::UNAUTHORIZED,
            Self::Malformed(_) => StatusCode::BAD_REQUEST,
            Self::Scope(_) => StatusCode::FORBIDDEN,
        }
    }

    fn error(&self) -> Option<&'static str> {
        match self {
            Self::NoToken | Self::Unavailable | Self::Proof(ProofError::Busy | ProofError::Unavailable) => None,
            Self::Malformed(_) => Some("invalid_request"),
            Self::InvalidToken(_) => Some("invalid_token"),
            Self::Proof(ProofError::UseNonce) => Some("use_dpop_nonce"),
            Self::Proof(_) => Some("invalid_dpop_proof"),
            Self::Scope(_) => Some("insufficient_scope"),
        }
    }

    fn description(&self) -> Option<String> {
        match self {
            Self::NoToken => None,
            Self::Malformed(text) | Self::InvalidToken(text) => Some((*text).to_owned()),
            Self::Proof(error) => Some(error.to_string()),
            Self::Scope(needed) => Some(format!("this needs the scopes {needed}")),
            Self::Unavailable => Some("tokens cannot be checked at present".to_owned()),
        }
    }

    /// The challenges that go with it: what to do about it.
    fn challenges(&self, server: &ResourceServer) -> Vec<Challenge> {
        let state = server.state();
        let scope = match self {
            Self::Scope(needed) => Some(needed.clone()),
            _ => Some(state.required.clone()).filter(|scopes| !scopes.is_empty()),
        };
        let of_proof = matches!(self, Self::Proof(_));
        let fill = |challenge: Challenge, says: bool| {
            challenge
                .with_some("error", self.error().filter(|_| says))
                .with_some("error_description", self.description().filter(|_| says))
                .with_some("scope", scope.as_ref())
                .with("resource_metadata", &state.metadata_url)
        };
        let mut challenges = Vec::new();
        if state.dpop != DpopUse::Required && !of_proof {
            challenges.push(fill(Challenge::bearer(), true));
        }
        let challenge = fill(Challenge::new("DPoP"), challenges.is_empty());
        challenges.push(challenge.with("algs", state.proofs.algorithms().join(" ")));
        challenges
    }

    pub(super) fn response(&self, server: &ResourceServer) -> Response<Bytes> {
        let error = self.error().unwrap_or(match self.status() {
            StatusCode::UNAUTHORIZED => "unauthorized",
            _ => "temporarily_unavailable",
        });
        let body = serde_json::json!({ "error": error, "error_description": self.description() });
        let mut response = Response::new(Bytes::from(body.to_string()));
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        self.mark(&mut response, server);
        response
    }

    /// Gives a response the status and the headers of the refusal.
    pub(super) fn mark<B>(&self, response: &mut Response<B>, server: &ResourceServer) {
        *response.status_mut() = self.status();
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if self.status() == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("5"));
            return;
        }
        for challenge in self.challenges(server) {
            headers.append(WWW_AUTHENTICATE, challenge.to_header());
        }
        if let Self::Proof(ProofError::UseNonce) = self {
            server.add_nonce(headers);
        }
    }
}

impl ResourceServer {
    /// Tells the client the nonce of its next proof.
    pub(super) fn add_nonce(&self, headers: &mut http::HeaderMap) {
        let nonce = self.state().proofs.nonce();
        if let Some(value) = nonce.and_then(|nonce| HeaderValue::from_str(&nonce).ok()) {
            headers.insert(NONCE_HEADER, value);
        }
    }
}
