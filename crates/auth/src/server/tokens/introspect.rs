//! Telling resource servers about tokens (RFC 7662).

use http::StatusCode;
use serde_json::{Value, json};

use crate::jose::{Claims, Jws};
use crate::server::builder::AuthorizationServer;
use crate::server::oauth_clients::client::Origin;
use crate::server::requests::request::ReceivedRequest;
use crate::server::requests::respond::{self, Answer, OAuthError};

impl AuthorizationServer {
    pub(in crate::server) async fn introspect(&self, request: &ReceivedRequest) -> Answer {
        match self.introspected(request).await {
            Ok(body) => respond::json(StatusCode::OK, &body),
            Err(error) => respond::error(&error),
        }
    }

    async fn introspected(&self, request: &ReceivedRequest) -> Result<Value, OAuthError> {
        let form = request.form()?;
        let client = self.authenticate(request, &form).await?;
        if client.is_public() {
            return Err(OAuthError::invalid_client("only clients that prove who they are may ask about tokens"));
        }
        let token = form.need("token", "token is missing")?;
        let inactive = json!({ "active": false });
        if let Some(claims) = self.own_token(token).await {
            // Resource servers are known to the administrator. Anybody else learns about tokens of their own only.
            let may_ask =
                client.origin == Origin::Configured || claims.client_id.as_deref() == Some(client.id.as_str());
            return Ok(if may_ask && self.is_active(&claims).await? { active(&claims) } else { inactive });
        }
        let Some(shown) = self.shown_refresh(token).await? else { return Ok(inactive) };
        let (refresh, grant) = (&shown.refresh, &shown.refresh.grant);
        if grant.client_id != client.id || !shown.is_current() || self.is_revoked(&grant.family).await? {
            return Ok(inactive);
        }
        Ok(json!({ "active": true, "token_type": "refresh_token", "client_id": grant.client_id, "sub": grant.subject,
            "scope": grant.scopes, "exp": refresh.expires_at, "iss": self.0.issuer }))
    }

    /// Reads an access token of our own, expired or not.
    pub(in crate::server) async fn own_token(&self, token: &str) -> Option<Claims> {
        let jws = Jws::parse(token).ok().filter(|jws| jws.is_typ("at+jwt"))?;
        self.0.keys.follow().await;
        let keys = self.0.keys.public();
        let key = keys.candidates(jws.header.kid.as_deref(), jws.algorithm).next()?;
        serde_json::from_slice(jws.verify(key).ok()?).ok()
    }

    /// Whether an access token of our own is good: neither expired nor revoked.
    pub(in crate::server) async fn is_active(&self, claims: &Claims) -> Result<bool, OAuthError> {
        if claims.exp.is_none_or(|end| end <= self.now()) {
            return Ok(false);
        }
        for name in [&claims.sid, &claims.jti].into_iter().flatten() {
            if self.is_revoked(name).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn active(claims: &Claims) -> Value {
    let mut body = serde_json::to_value(claims).unwrap_or_default();
    if let Some(members) = body.as_object_mut() {
        members.insert("active".to_owned(), true.into());
        let kind = if claims.cnf.is_some() { "DPoP" } else { "Bearer" };
        members.insert("token_type".to_owned(), kind.into());
        members.remove("sid");
    }
    body
}
