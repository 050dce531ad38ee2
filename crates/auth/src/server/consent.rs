//! Users who say what a client may do.

use serde::{Deserialize, Serialize};
use url::Url;

use super::authorize::{Pending, Session};
use super::builder::AuthorizationServer;
use super::client::{Client, Origin};
use super::code::{Code, Grant};
use super::pages;
use super::redirect;
use super::respond::{Answer, OAuthError};
use super::upstream::ThirdPartyTokens;
use super::visit::Visit;
use crate::{Scopes, random};

/// What a user has allowed a client.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Consent {
    scopes: Scopes,
    redirect_uri: String,
}

impl AuthorizationServer {
    pub(super) fn consent_page(&self, id: &str, pending: &Pending, client: &Client, user: Option<&str>) -> Answer {
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

    pub(super) async fn consent(&self, visit: &Visit) -> Answer {
        match self.decided(visit).await {
            Ok(answer) => answer,
            Err(reason) => pages::bad_request(reason),
        }
    }

    async fn decided(&self, visit: &Visit) -> Result<Answer, &'static str> {
        const FAILED: &str = "This can not be done at present. Please try again later.";
        let form = visit.form().map_err(|error| error.description)?;
        let (id, pending) = self.pending_of(visit, &form).await?;
        let client = self.client(&pending.client_id).await.map_err(|_| "The client is not known here any more.")?;
        let session = self.session(visit).await.map_err(|_| FAILED)?;
        if self.0.upstream.is_none() && session.is_none() {
            return Ok(pages::login(&self.endpoint("/login"), &id, &pending, &client, None));
        }
        // Each request is decided once.
        let key = format!("request:{}", random::digest(&id));
        self.store().take(&key).await.map_err(|_| FAILED)?.ok_or("This was decided already.")?;
        if form.get("decision") != Some("allow") {
            let params = [("error", "access_denied"), ("error_description", "the user said no")];
            return Ok(self.back(&pending.redirect_uri, pending.state.as_deref(), &params));
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
    pub(super) async fn has_consent(
        &self,
        session: &Session,
        pending: &Pending,
        client: &Client,
    ) -> Result<bool, OAuthError> {
        let url = Url::parse(&pending.redirect_uri).ok();
        let is_safe = url.is_some_and(|url| url.scheme() == "https" && !redirect::is_loopback(&url));
        if !is_safe
            || matches!(pending.prompt.as_deref(), Some("consent"))
            || client.origin == Origin::Registered && client.is_public()
        {
            return Ok(false);
        }
        let known: Option<Consent> = self.store().load(&consent_key(&session.user, &client.id)).await?;
        Ok(known
            .is_some_and(|known| pending.scopes.is_subset(&known.scopes) && known.redirect_uri == pending.redirect_uri))
    }

    async fn remember(&self, session: &Session, pending: &Pending) -> Result<(), OAuthError> {
        let key = consent_key(&session.user, &pending.client_id);
        let before: Option<Consent> = self.store().load(&key).await?;
        let before = before.filter(|before| before.redirect_uri == pending.redirect_uri);
        let scopes = before.map_or(Scopes::none(), |before| before.scopes).union(&pending.scopes);
        let consent = Consent { scopes, redirect_uri: pending.redirect_uri.clone() };
        let until = self.now().saturating_add(self.0.life.consent);
        Ok(self.store().save(&key, &consent, until).await?)
    }

    /// Gives the client a code, and the user back to the client.
    pub(super) async fn grant(
        &self,
        pending: &Pending,
        client: &Client,
        session: &Session,
        third_party: Option<ThirdPartyTokens>,
    ) -> Result<Answer, OAuthError> {
        self.keep_client(client).await?;
        let family = random::token()?;
        if let Some(tokens) = third_party {
            self.keep_third_party(&family, &tokens).await?;
        }
        let grant = Grant {
            client_id: client.id.clone(),
            subject: session.user.clone(),
            scopes: pending.scopes.clone(),
            resource: pending.resource.clone(),
            key: pending.key.clone(),
            family,
            auth_time: session.since,
        };
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

fn consent_key(user: &str, client: &str) -> String {
    format!("consent:{}", random::digest(&format!("{} {user} {client}", user.len())))
}
