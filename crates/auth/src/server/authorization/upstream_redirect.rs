//! Redirects to another provider, and back: the user logs in there.

use serde::{Deserialize, Serialize};

use crate::pkce::{self, Verifier};
use crate::server::authorization::authorize::Pending;
use crate::server::authorization::cookies::Cookie;
use crate::server::authorization::pages;
use crate::server::authorization::redirect;
use crate::server::authorization::session::Session;
use crate::server::authorization::upstream::Upstream;
use crate::server::builder::AuthorizationServer;
use crate::server::requests::request::ReceivedRequest;
use crate::server::requests::respond::{self, Answer, OAuthError};
use crate::{random, secret};

/// What is stored while a user logs in at another provider.
#[derive(Serialize, Deserialize)]
struct UpstreamLogin {
    pending: Pending,
    nonce: String,
    verifier: String,
}

impl AuthorizationServer {
    /// Sends the user to the provider, after they consented. Only now the browser gets the cookie that lets it come back.
    pub(in crate::server) async fn send_upstream(
        &self,
        upstream: &Upstream,
        pending: &Pending,
    ) -> Result<Answer, OAuthError> {
        let found = upstream.metadata().await.map_err(|error| {
            tracing::warn!(%error, "the upstream provider cannot be reached");
            OAuthError::unavailable()
        })?;
        let endpoint = found.authorization_endpoint.as_deref().ok_or(OAuthError::unavailable())?;
        let (state, nonce, verifier) = (random::token()?, random::token()?, Verifier::random()?);
        let login =
            UpstreamLogin { pending: pending.clone(), nonce: nonce.clone(), verifier: verifier.expose().to_owned() };
        let life = self.0.life.interaction;
        self.store().save(&upstream_login_key(&state), &login, self.now().saturating_add(life)).await?;
        let (callback, challenge) = (self.endpoint("/callback"), verifier.challenge());
        let to = redirect::with_params(
            endpoint,
            &[
                ("response_type", "code"),
                ("client_id", &upstream.client_id),
                ("redirect_uri", &callback),
                ("scope", upstream.scopes()),
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

    /// Handles the redirect back from the provider.
    pub(in crate::server) async fn callback(&self, request: &ReceivedRequest) -> Answer {
        let mut answer = match self.returned(request).await {
            Ok(answer) => answer,
            Err(reason) => pages::bad_request(reason),
        };
        self.set_cookie(&mut answer, Cookie::Upstream, "", 0);
        answer
    }

    async fn returned(&self, request: &ReceivedRequest) -> Result<Answer, &'static str> {
        const GONE: &str = "This answer does not belong to a login that began in this browser.";
        const FAILED: &str = "This cannot be done at present. Please try again later.";
        let upstream = self.0.upstream.as_ref().ok_or(GONE)?;
        let params = request.query().map_err(|error| error.description)?;
        let state = params.get("state").ok_or(GONE)?;
        let cookie = request.cookie(self.cookie_name(Cookie::Upstream)).ok_or(GONE)?;
        if !secret::same(&cookie, state) {
            return Err(GONE);
        }
        let login: Option<UpstreamLogin> = self.store().pop(&upstream_login_key(state)).await.ok().flatten();
        let login = login.ok_or(GONE)?;
        let found = upstream.metadata().await.map_err(|_| FAILED)?;
        // A provider that names itself in its answers does so in all of them (RFC 9207, section 2.4).
        match params.get("iss") {
            Some(issuer) if issuer == upstream.issuer() => {}
            None if !found.authorization_response_iss_parameter_supported => {}
            _ => return Err(GONE),
        }
        let pending = &login.pending;
        let client = self.client(&pending.client_id).await.map_err(|_| "The client is not known here any more.")?;
        let denied = || {
            let denied = ("access_denied", "the login was not completed");
            self.tell(&client, &pending.redirect_uri, pending.state.as_deref(), denied)
        };
        let Some(code) = params.get("code") else { return Ok(denied()) };
        let callback = self.endpoint("/callback");
        let form = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &*callback),
            ("code_verifier", &*login.verifier),
        ];
        let answered = match upstream.ask(&form).await {
            Ok(answered) => answered,
            Err(error) => {
                tracing::warn!(%error, "the upstream provider refused a code");
                return Ok(denied());
            }
        };
        let identity = answered.id_token.as_deref().unwrap_or_default();
        let Some(user) = upstream.subject(identity, &login.nonce).await else { return Ok(denied()) };
        // Names of another issuer never meet our own.
        let session = Session { user: format!("{}:{user}", upstream.issuer()), since: self.now() };
        let tokens = Some(self.tokens_of(answered, None));
        self.grant(pending, &client, &session, tokens).await.map_err(|_| FAILED)
    }
}

fn upstream_login_key(state: &str) -> String {
    format!("upstream-login:{}", random::digest(state))
}
