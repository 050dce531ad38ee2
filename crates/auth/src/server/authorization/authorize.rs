//! Authorization requests: where users come from.

use http::{Method, StatusCode};
use serde::{Deserialize, Serialize};

use crate::pkce::{self, CodeChallenge};
use crate::server::authorization::cookies::Cookie;
use crate::server::authorization::pages;
use crate::server::authorization::redirect;
use crate::server::authorization::session::Session;
use crate::server::builder::AuthorizationServer;
use crate::server::oauth_clients::client::{AUTHORIZATION_CODE, Client, Origin};
use crate::server::oauth_clients::clients::NoClient;
use crate::server::requests::request::{Params, ReceivedRequest};
use crate::server::requests::respond::{self, Answer, OAuthError};
use crate::{Scopes, random, secret};

/// An authorization request that waits for its user.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::server) struct Pending {
    pub(in crate::server) client_id: String,
    pub(in crate::server) redirect_uri: String,
    pub(in crate::server) state: Option<String>,
    pub(in crate::server) scopes: Scopes,
    pub(in crate::server) resource: String,
    pub(in crate::server) challenge: String,
    pub(in crate::server) nonce: Option<String>,
    pub(in crate::server) key: Option<String>,
    /// Words that say what the user has to be shown, whatever is known already.
    pub(in crate::server) prompt: Option<String>,
    pub(in crate::server) max_age: Option<u64>,
    /// What forms of this request have to send back.
    pub(in crate::server) csrf: String,
    /// The digest of the cookie of the browser that began it.
    pub(in crate::server) browser: String,
}

impl Pending {
    /// Whether the client asks for something to be shown, or nothing (OpenID Connect, `prompt`).
    pub(in crate::server) fn asks_for(&self, word: &str) -> bool {
        self.prompt.as_deref().is_some_and(|prompt| prompt.split(' ').any(|one| one == word))
    }

    /// Returns what the consent form has to send back. It is another for each user, so that nobody consents on a page that
    /// was shown to somebody else.
    pub(in crate::server) fn csrf_for(&self, user: Option<&str>) -> String {
        random::digest(&format!("{} {}", self.csrf, user.unwrap_or_default()))
    }
}

const LONGEST_STATE: usize = 2048;

impl AuthorizationServer {
    pub(in crate::server) async fn authorize(&self, request: &ReceivedRequest) -> Answer {
        match self.0.throttles.authorizations.attempt(&request.origin()).await {
            Ok(true) => {}
            Ok(false) => {
                let text = "Please try again in a minute.";
                return pages::problem("Too many requests", text, StatusCode::TOO_MANY_REQUESTS);
            }
            Err(error) => {
                tracing::warn!(%error, "the store of the authorization server failed");
                let text = "You cannot log in at present. Please try again later.";
                return pages::problem("Not available", text, StatusCode::SERVICE_UNAVAILABLE);
            }
        }
        let params = if request.parts.method == Method::POST { request.form() } else { request.query() };
        let params = match params {
            Ok(params) => params,
            Err(error) => return pages::bad_request(error.description),
        };
        // As long as client and address are in doubt nobody is sent anywhere.
        let (client, redirect_uri) = match self.whence(&params).await {
            Ok(found) => found,
            Err(reason) => return pages::bad_request(reason),
        };
        let state = params.get("state").filter(|state| state.len() <= LONGEST_STATE);
        match self.begin(request, &params, &client, &redirect_uri).await {
            Ok(answer) => answer,
            Err(error) => self.tell(&client, &redirect_uri, state, (error.error, error.description)),
        }
    }

    /// Finds the client and the address to come back to.
    async fn whence(&self, params: &Params) -> Result<(Client, String), &'static str> {
        let id = params.get("client_id").ok_or("The request names no client.")?;
        let client = self.client(id).await.map_err(|error| match error {
            NoClient::Unknown => "The client is not known here.",
            NoClient::Document(reason) => reason,
            NoClient::Failed(_) => "The client cannot be looked up at present.",
        })?;
        let registered = &client.metadata.redirect_uris;
        let redirect_uri = match (params.get("redirect_uri"), registered.as_slice()) {
            (Some(asked), _) if redirect::is_registered(asked, registered) => asked.to_owned(),
            (Some(_), _) => return Err("The address to return to is not one that the client registered."),
            (None, [only]) => only.clone(),
            (None, _) => return Err("The request does not say where to return to."),
        };
        Ok((client, redirect_uri))
    }

    async fn begin(
        &self,
        request: &ReceivedRequest,
        params: &Params,
        client: &Client,
        redirect_uri: &str,
    ) -> Result<Answer, OAuthError> {
        let browser = request.cookie(self.cookie_name(Cookie::Browser)).filter(|value| value.len() == 43);
        let fresh = random::token()?;
        let browser_value = browser.as_deref().unwrap_or(&fresh);
        let pending = self.pending(params, client, redirect_uri, browser_value)?;
        let id = random::token()?;
        let until = self.now().saturating_add(self.0.life.interaction);
        let session = self.session(request).await?.filter(|session| self.is_recent(session, &pending));
        if pending.asks_for("none") {
            return self.silently(&pending, client, session).await;
        }
        self.store().save(&format!("request:{}", random::digest(&id)), &pending, until).await?;
        let mut answer = match (&session, &self.0.upstream, &self.0.users) {
            (_, Some(_), _) => self.consent_page(&id, &pending, client, None),
            (Some(session), None, _) if self.has_consent(session, &pending, client).await? => {
                self.grant(&pending, client, session, None).await?
            }
            (Some(session), None, _) => self.consent_page(&id, &pending, client, Some(&session.user)),
            (None, None, Some(_)) => pages::login(&self.endpoint("/login"), &id, &pending, client, None),
            (None, None, None) => return Err(OAuthError::new("access_denied", "nobody can log in here")),
        };
        if browser.is_none() {
            self.set_cookie(&mut answer, Cookie::Browser, &fresh, self.0.life.interaction.saturating_mul(6));
        }
        Ok(answer)
    }

    fn pending(
        &self,
        params: &Params,
        client: &Client,
        redirect_uri: &str,
        browser: &str,
    ) -> Result<Pending, OAuthError> {
        if params.get("response_type") != Some("code") {
            return Err(OAuthError::new("unsupported_response_type", "the only response type is code"));
        }
        if params.get("response_mode").is_some_and(|mode| mode != "query") {
            return Err(OAuthError::invalid_request("the only response mode is query"));
        }
        if params.get("request").is_some() || params.get("request_uri").is_some() {
            return Err(OAuthError::new("request_not_supported", "requests as objects are not supported"));
        }
        if !client.may_use(AUTHORIZATION_CODE) {
            return Err(OAuthError::new("unauthorized_client", "the client may not ask users"));
        }
        // Without a method the challenge would be the verifier itself, which proves nothing.
        if params.get("code_challenge_method") != Some(pkce::METHOD) {
            return Err(OAuthError::invalid_request("code_challenge_method must be S256"));
        }
        let challenge = params.get("code_challenge").and_then(CodeChallenge::parse);
        let challenge = challenge.ok_or(OAuthError::invalid_request("code_challenge is missing or makes no sense"))?;
        if params.get("state").is_some_and(|state| state.len() > LONGEST_STATE) {
            return Err(OAuthError::invalid_request("state is too long"));
        }
        if params.get("prompt").is_some_and(|prompt| prompt != "none" && prompt.split(' ').any(|word| word == "none")) {
            return Err(OAuthError::invalid_request("prompt cannot be none and something else"));
        }
        let resource = self.target(&params.all("resource"))?;
        let scopes = self.scopes_for(&resource, params.get("scope"), client)?;
        Ok(Pending {
            client_id: client.id.clone(),
            redirect_uri: redirect_uri.to_owned(),
            state: params.get("state").map(str::to_owned),
            scopes,
            resource,
            challenge: challenge.as_str().to_owned(),
            nonce: params.get("nonce").filter(|nonce| nonce.len() <= 512).map(str::to_owned),
            key: params.get("dpop_jkt").map(str::to_owned),
            prompt: params.get("prompt").map(str::to_owned),
            max_age: params.get("max_age").and_then(|age| age.parse().ok()),
            csrf: random::token()?,
            browser: random::digest(browser),
        })
    }

    /// Finds the resource that a token is asked for (RFC 8707). A client that does not say means the only one.
    pub(in crate::server) fn target(&self, asked: &[&str]) -> Result<String, OAuthError> {
        let found = match (asked, self.0.resources.as_slice()) {
            ([one], _) => self.resource(one),
            ([], [only]) => Some(only),
            _ => None,
        };
        let found =
            found.ok_or(OAuthError::new("invalid_target", "tokens are issued for one known resource at a time"))?;
        Ok(found.url.clone())
    }

    /// Finds the scopes to grant: those asked for, if the resource has them all and an administrator does not keep them from the
    /// client. What a client registered for itself binds nobody: clients register with what they need first, and ask for more
    /// when a server demands it.
    pub(in crate::server) fn scopes_for(
        &self,
        resource: &str,
        asked: Option<&str>,
        client: &Client,
    ) -> Result<Scopes, OAuthError> {
        let invalid = || OAuthError::new("invalid_scope", "a scope is not known, or not for this client");
        let known = self.resource(resource).ok_or_else(invalid)?;
        let of_client = client.metadata.scope.as_ref();
        match asked {
            Some(text) => {
                let scopes = Scopes::parse(text).ok_or_else(invalid)?;
                let own = scopes.clone().without("openid").without("offline_access");
                let limit = of_client.filter(|_| client.origin == Origin::Configured);
                let fits = own.is_subset(&known.all()) && limit.is_none_or(|allowed| own.is_subset(allowed));
                if fits { Ok(scopes) } else { Err(invalid()) }
            }
            None => {
                let usual = known.default.clone().unwrap_or_else(|| known.all());
                Ok(of_client.map_or(usual.clone(), |allowed| usual.intersection(allowed)))
            }
        }
    }

    /// Answers without showing anything, as `prompt=none` asks.
    async fn silently(
        &self,
        pending: &Pending,
        client: &Client,
        session: Option<Session>,
    ) -> Result<Answer, OAuthError> {
        let session = session.ok_or(OAuthError::new("login_required", "nobody is logged in"))?;
        if self.has_consent(&session, pending, client).await? {
            return self.grant(pending, client, &session, None).await;
        }
        Err(OAuthError::new("consent_required", "the user has not consented"))
    }

    /// Sends the user back to the client, naming ourselves (RFC 9207).
    pub(in crate::server) fn back(&self, redirect_uri: &str, state: Option<&str>, params: &[(&str, &str)]) -> Answer {
        let mut all = params.to_vec();
        all.extend(state.map(|state| ("state", state)));
        all.push(("iss", &self.0.issuer));
        respond::redirect(&redirect::with_params(redirect_uri, &all))
    }

    /// Tells a client that it gets nothing. The user is sent there at once only where that can do no harm: a stranger could
    /// register an address of a page that looks like ours, and send users there by a mistake made on purpose (RFC 9700,
    /// section 4.11.2).
    pub(in crate::server) fn tell(
        &self,
        client: &Client,
        redirect_uri: &str,
        state: Option<&str>,
        (error, description): (&str, &str),
    ) -> Answer {
        let answer = self.back(redirect_uri, state, &[("error", error), ("error_description", description)]);
        let to = answer.headers().get(http::header::LOCATION).and_then(|location| location.to_str().ok());
        match to {
            Some(to) if !redirect::is_trusted(client, redirect_uri) => pages::refused(client, to, description),
            _ => answer,
        }
    }

    /// Finds the request that a form is about: the browser has to be the one that began it, the form one of ours, which
    /// `csrf` tells.
    pub(in crate::server) async fn pending_of(
        &self,
        request: &ReceivedRequest,
        form: &Params,
        csrf: impl FnOnce(&Pending) -> String,
    ) -> Result<(String, Pending), &'static str> {
        const GONE: &str =
            "This page is too old, or does not belong to this browser. Please begin again at the application.";
        let id = form.get("request").ok_or(GONE)?;
        let found = self.store().load(&format!("request:{}", random::digest(id))).await;
        let pending: Pending = found.ok().flatten().ok_or(GONE)?;
        let browser = request.cookie(self.cookie_name(Cookie::Browser)).ok_or(GONE)?;
        let shown = form.get("csrf").ok_or(GONE)?;
        if secret::same(&pending.browser, &random::digest(&browser)) & secret::same(&csrf(&pending), shown) {
            Ok((id.to_owned(), pending))
        } else {
            Err(GONE)
        }
    }

    fn is_recent(&self, session: &Session, pending: &Pending) -> bool {
        let age = self.now().saturating_sub(session.since);
        !pending.asks_for("login")
            && !pending.asks_for("select_account")
            && pending.max_age.is_none_or(|most| age <= most)
    }
}
