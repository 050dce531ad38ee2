//! Authenticating a request.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use jackfield_peer::Principal;

use super::builder::DpopUse;
use super::refusal::Refusal;
use super::{AccessToken, Authorized, ResourceServer, VerifyError};
use crate::dpop::{self, ProofError, Proven};
use crate::metadata::same_resource;

/// How a token was shown.
struct Shown {
    token: String,
    with_proof: bool,
}

/// The longest token that is looked at.
const LONGEST: usize = crate::jose::LONGEST_TOKEN;

impl ResourceServer {
    /// Checks a request. A good one loses its token and gets an [`Authorized`] and a [`Principal`]; another gets its answer.
    pub(super) async fn admit(&self, request: &mut Parts) -> Result<(), Response<Bytes>> {
        let path = request.uri.path();
        if self.state().metadata_paths.iter().any(|known| known == path) {
            return Err(self.metadata(&request.method));
        }
        if self.state().open_paths.iter().any(|open| open == path) {
            request.headers.remove(AUTHORIZATION);
            return Ok(());
        }
        match self.authorize(request).await {
            Ok(token) => {
                let user = Principal::new(token.issuer.clone(), token.subject.clone());
                let user = match &token.client_id {
                    Some(client) => user.through(client.clone()),
                    None => user,
                };
                request.extensions.insert(user);
                request.extensions.insert(Authorized::new(token));
                Ok(())
            }
            Err(refusal) => {
                tracing::debug!(path = request.uri.path(), status = %refusal.status(), reason = ?refusal, "refused by authorization");
                Err(refusal.response(self))
            }
        }
    }

    /// Changes the answer to a request that turned out to need more scopes than its token has.
    pub(super) fn conclude<B>(&self, authorized: Option<&Authorized>, response: &mut Response<B>) {
        let Some(authorized) = authorized else { return };
        if let Some(needed) = authorized.demanded() {
            Refusal::Scope(needed.union(&self.state().required)).mark(response, self);
        }
        if authorized.token().key.is_some() {
            self.add_nonce(response.headers_mut());
        }
    }

    async fn authorize(&self, request: &mut Parts) -> Result<Arc<AccessToken>, Refusal> {
        if has_token_in_query(request) {
            return Err(Refusal::Malformed("a token has no place in the address"));
        }
        let shown = shown(&request.headers)?;
        let token = self.verify(&shown.token).await?;
        self.check_claims(&token)?;
        self.check_binding(request, &shown, &token).await?;
        // From here on nobody sees the token, so nobody can pass it on.
        request.headers.remove(AUTHORIZATION);
        request.headers.remove(dpop::HEADER);
        if !self.state().hierarchy.allows(&token.scopes, &self.state().required) {
            return Err(Refusal::Scope(self.state().required.clone()));
        }
        Ok(token)
    }

    /// Asks the verifiers in turn: each knows its own issuer.
    async fn verify(&self, text: &str) -> Result<Arc<AccessToken>, Refusal> {
        let mut last = Refusal::InvalidToken("no issuer knows the token");
        for verifier in &self.state().verifiers {
            match verifier.verify(text).await {
                Ok(token) => return Ok(token),
                Err(VerifyError::Invalid(reason)) => {
                    if !matches!(last, Refusal::Unavailable) {
                        last = Refusal::InvalidToken(reason);
                    }
                }
                Err(VerifyError::Unavailable(error)) => {
                    tracing::warn!(%error, "a token cannot be checked");
                    last = Refusal::Unavailable;
                }
            }
        }
        Err(last)
    }

    fn check_claims(&self, token: &AccessToken) -> Result<(), Refusal> {
        let state = self.state();
        if !state.issuers.contains(&token.issuer) {
            return Err(Refusal::InvalidToken("the token is of another issuer"));
        }
        let is_for_us = |name: &String| state.audiences.iter().any(|ours| ours == name || same_resource(ours, name));
        if !token.audience.0.iter().any(is_for_us) {
            return Err(Refusal::InvalidToken("the token is for another server"));
        }
        let now = state.clock.now();
        if token.expires_at.is_none_or(|end| end.saturating_add(state.leeway) <= now) {
            return Err(Refusal::InvalidToken("the token has expired"));
        }
        if token.not_before.is_some_and(|begin| begin > now.saturating_add(state.leeway)) {
            return Err(Refusal::InvalidToken("the token is not valid yet"));
        }
        Ok(())
    }

    /// A bound token comes with a proof of its key, in the scheme that says so; an unbound one comes without.
    async fn check_binding(&self, request: &Parts, shown: &Shown, token: &AccessToken) -> Result<(), Refusal> {
        let state = self.state();
        let Some(key) = &token.key else {
            if shown.with_proof || state.dpop == DpopUse::Required {
                return Err(Refusal::InvalidToken("the token is not bound to a key"));
            }
            return Ok(());
        };
        if !shown.with_proof {
            return Err(Refusal::InvalidToken("the token is bound to a key; use the DPoP scheme"));
        }
        let url = format!("{}{}", state.origin, request.uri.path());
        let proven = Proven { method: request.method.as_str(), url: &url, token: Some(&shown.token) };
        let shown_key = state.proofs.check(&request.headers, proven).await.map_err(Refusal::Proof)?;
        if crate::secret::same(key, &shown_key) {
            Ok(())
        } else {
            Err(Refusal::Proof(ProofError::Invalid("the key is not the token's")))
        }
    }

    /// The document that tells clients where tokens come from. It is for everybody, pages of browsers included.
    fn metadata(&self, method: &Method) -> Response<Bytes> {
        let mut response = match *method {
            Method::GET => Response::new(self.state().metadata.clone()),
            Method::HEAD => Response::new(Bytes::new()),
            Method::OPTIONS => {
                let mut response = Response::new(Bytes::new());
                *response.status_mut() = StatusCode::NO_CONTENT;
                let headers = response.headers_mut();
                headers.insert("access-control-allow-methods", HeaderValue::from_static("GET, HEAD"));
                headers.insert("access-control-allow-headers", HeaderValue::from_static("mcp-protocol-version"));
                response
            }
            _ => {
                let mut response = Response::new(Bytes::new());
                *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
                response.headers_mut().insert("allow", HeaderValue::from_static("GET, HEAD"));
                return response;
            }
        };
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=3600"));
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        response
    }
}

fn has_token_in_query(request: &Parts) -> bool {
    let query = request.uri.query().unwrap_or_default();
    // Most requests have no query, and most queries no such word.
    query.contains("access_token")
        && url::form_urlencoded::parse(query.as_bytes()).any(|(name, _)| name == "access_token")
}

/// Reads the one Authorization header.
fn shown(headers: &HeaderMap) -> Result<Shown, Refusal> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let Some(value) = values.next() else { return Err(Refusal::NoToken) };
    if values.next().is_some() {
        return Err(Refusal::Malformed("more than one Authorization header"));
    }
    let text = value.to_str().map_err(|_| Refusal::Malformed("the Authorization header is not text"))?;
    let (scheme, token) = text.split_once(' ').unwrap_or((text, ""));
    let with_proof = scheme.eq_ignore_ascii_case("dpop");
    if !with_proof && !scheme.eq_ignore_ascii_case("bearer") {
        return Err(Refusal::NoToken);
    }
    let token = token.trim_matches(' ');
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
    if token.is_empty() || !token.bytes().all(is_part) {
        return Err(Refusal::Malformed("the Authorization header has no token"));
    }
    if token.len() > LONGEST {
        return Err(Refusal::InvalidToken("the token is too long"));
    }
    Ok(Shown { token: token.to_owned(), with_proof })
}
