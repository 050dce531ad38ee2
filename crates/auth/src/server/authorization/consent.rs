//! Users who say what a client may do.

use serde::{Deserialize, Serialize};
use url::Url;

use crate::metadata::is_loopback;
use crate::server::authorization::authorize::Pending;
use crate::server::authorization::code::Code;
use crate::server::authorization::pages;
use crate::server::authorization::session::Session;
use crate::server::authorization::third_party::ThirdPartyTokens;
use crate::server::builder::AuthorizationServer;
use crate::server::oauth_clients::client::{Client, Origin};
use crate::server::requests::request::ReceivedRequest;
use crate::server::requests::respond::{Answer, OAuthError};
use crate::server::tokens::grant::{Grant, Target};
use crate::{Scopes, random};

/// What a user has allowed a client.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Consent {
    scopes: Scopes,
    redirect_uri: String,
}

impl AuthorizationServer {
    pub(in crate::server) fn consent_page(
        &self,
        id: &str,
        pending: &Pending,
        client: &Client,
        user: Option<&str>,
    ) -> Answer {
        let resource = self.resource(&pending.resource);
        let meanings = pending.scopes.iter().map(|scope| {
            let meaning = match scope {
                "openid" => Some("Know who you are"),
                "offline_access" => Some("Do so while you are away"),
                _ => resource.and_then(|resource| resource.scopes.get(scope)).map(String::as_str),
            };
            (scope, meaning.unwrap_or(scope))
        });
        let third_party = self.0.upstream.as_ref().map(|upstream| (upstream.issuer(), upstream.scopes()));
        pages::consent(&pages::ConsentPage {
            action: &self.endpoint("/consent"),
            request: id,
            pending,
            client,
            user,
            scopes: &meanings.collect::<Vec<_>>(),
            third_party,
        })
    }

    pub(in crate::server) async fn consent(&self, request: &ReceivedRequest) -> Answer {
        match self.decided(request).await {
            Ok(answer) => pages::leading(answer),
            Err(reason) => pages::bad_request(reason),
        }
    }

    async fn decided(&self, request: &ReceivedRequest) -> Result<Answer, &'static str> {
        const FAILED: &str = "This cannot be done at present. Please try again later.";
        let form = request.form().map_err(|error| error.description)?;
        let session = self.session(request).await.map_err(|_| FAILED)?;
        if self.0.upstream.is_none() && session.is_none() {
            return Err("Your login is over. Please begin again at the application.");
        }
        let user = session.as_ref().filter(|_| self.0.upstream.is_none()).map(|session| session.user.as_str());
        let (id, pending) = self.pending_of(request, &form, |pending| pending.csrf_for(user)).await?;
        let client = self.client(&pending.client_id).await.map_err(|_| "The client is not known here any more.")?;
        // Each request is decided once.
        let key = format!("request:{}", random::digest(&id));
        self.store().take(&key).await.map_err(|_| FAILED)?.ok_or("This was decided already.")?;
        if form.get("decision") != Some("allow") {
            let denied = ("access_denied", "the user said no");
            return Ok(self.tell(&client, &pending.redirect_uri, pending.state.as_deref(), denied));
        }
        if let Some(upstream) = &self.0.upstream {
            return self.send_upstream(upstream, &pending).await.map_err(|_| FAILED);
        }
        let session = session.ok_or(FAILED)?;
        self.remember(&session, &pending).await.map_err(|_| FAILED)?;
        self.grant(&pending, &client, &session, None).await.map_err(|_| FAILED)
    }

    /// Whether the page can be left out: the user allowed this client all of it before, and only that client can be reached at
    /// the address. Any program can listen on loopback, so there the user is asked each time.
    pub(in crate::server) async fn has_consent(
        &self,
        session: &Session,
        pending: &Pending,
        client: &Client,
    ) -> Result<bool, OAuthError> {
        let url = Url::parse(&pending.redirect_uri).ok();
        let is_safe = url.is_some_and(|url| url.scheme() == "https" && !is_loopback(&url));
        if !is_safe || pending.asks_for("consent") || client.origin == Origin::Registered && client.is_public() {
            return Ok(false);
        }
        let known: Option<Consent> = self.store().load(&consent_key(session, pending)).await?;
        Ok(known
            .is_some_and(|known| pending.scopes.is_subset(&known.scopes) && known.redirect_uri == pending.redirect_uri))
    }

    async fn remember(&self, session: &Session, pending: &Pending) -> Result<(), OAuthError> {
        let key = consent_key(session, pending);
        let before: Option<Consent> = self.store().load(&key).await?;
        let before = before.filter(|before| before.redirect_uri == pending.redirect_uri);
        let scopes = before.map_or(Scopes::none(), |before| before.scopes).union(&pending.scopes);
        let consent = Consent { scopes, redirect_uri: pending.redirect_uri.clone() };
        let until = self.now().saturating_add(self.0.life.consent);
        Ok(self.store().save(&key, &consent, until).await?)
    }

    /// Gives the client a code, and the user back to the client.
    pub(in crate::server) async fn grant(
        &self,
        pending: &Pending,
        client: &Client,
        session: &Session,
        third_party: Option<ThirdPartyTokens>,
    ) -> Result<Answer, OAuthError> {
        self.keep_client(client).await?;
        let target =
            Target { resource: pending.resource.clone(), scopes: pending.scopes.clone(), key: pending.key.clone() };
        let grant = Grant::new(client, session.user.clone(), target, session.since)?;
        if let Some(tokens) = third_party {
            self.keep_third_party(&grant.family, &tokens).await?;
        }
        let code = Code {
            grant,
            redirect_uri: pending.redirect_uri.clone(),
            challenge: pending.challenge.clone(),
            nonce: pending.nonce.clone(),
            used: false,
            expires_at: self.now().saturating_add(self.0.life.code),
        };
        let text = self.keep_code(&code).await?;
        Ok(self.back(&pending.redirect_uri, pending.state.as_deref(), &[("code", &text)]))
    }
}

/// Consent is for one client and one resource: the same scope can mean less at one than at another.
fn consent_key(session: &Session, pending: &Pending) -> String {
    let (user, client, resource) = (&session.user, &pending.client_id, &pending.resource);
    format!("consent:{}", random::digest(&format!("{} {user} {} {client} {resource}", user.len(), client.len())))
}
