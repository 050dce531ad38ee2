//! Identity assertions for other authorization servers, in exchange for identity tokens (RFC 8693, ID-JAG).

use crate::jose::{Audience, Claims, Jws};
use crate::metadata::same_resource;
use crate::server::builder::AuthorizationServer;
use crate::server::oauth_clients::client::{Client, TOKEN_EXCHANGE};
use crate::server::requests::request::Params;
use crate::server::requests::respond::OAuthError;
use crate::server::tokens::assertion::ID_JAG;
use crate::server::tokens::issue::TokenResponse;
use crate::{Scopes, random};

/// Another authorization server, and what assertions for it may say.
#[derive(Clone, Debug)]
pub struct AssertionTarget {
    issuer: String,
    resources: Vec<String>,
    scopes: Scopes,
    /// Our name of a client, and the one it has there.
    clients: Vec<(String, String)>,
}

impl AssertionTarget {
    /// Another authorization server, by its issuer.
    pub fn new(issuer: impl Into<String>) -> Self {
        Self { issuer: issuer.into(), resources: Vec::new(), scopes: Scopes::none(), clients: Vec::new() }
    }

    /// Allows a resource there.
    #[must_use]
    pub fn resource(mut self, resource: impl Into<String>) -> Self {
        self.resources.push(resource.into());
        self
    }

    /// Allows scopes there.
    #[must_use]
    pub fn scopes(mut self, scopes: impl Into<Scopes>) -> Self {
        self.scopes = self.scopes.union(&scopes.into());
        self
    }

    /// Allows a client of ours, which has another name there.
    #[must_use]
    pub fn client(mut self, here: impl Into<String>, there: impl Into<String>) -> Self {
        self.clients.push((here.into(), there.into()));
        self
    }
}

const ID_JAG_TOKEN: &str = "urn:ietf:params:oauth:token-type:id-jag";
const ID_TOKEN: &str = "urn:ietf:params:oauth:token-type:id_token";
/// How long an assertion is valid, in seconds.
const LIFE: u64 = 300;

impl AuthorizationServer {
    pub(in crate::server) async fn exchange(
        &self,
        client: &Client,
        form: &Params,
    ) -> Result<TokenResponse, OAuthError> {
        if !client.may_use(TOKEN_EXCHANGE) || client.is_public() {
            return Err(OAuthError::new("unauthorized_client", "the client may not exchange tokens"));
        }
        if form.get("requested_token_type") != Some(ID_JAG_TOKEN) || form.get("subject_token_type") != Some(ID_TOKEN) {
            return Err(OAuthError::invalid_request(
                "only identity tokens are exchanged, and only for identity assertions",
            ));
        }
        let user = self.identity(client, form.need("subject_token", "subject_token is missing")?).await?;
        let audience = form.need("audience", "audience is missing")?;
        let resource = form.need("resource", "resource is missing")?;
        let no_target =
            || OAuthError::new("invalid_target", "this is not allowed for the server, the resource or the client");
        let target = self.0.targets.iter().find(|target| target.issuer == audience).ok_or_else(no_target)?;
        let resource = target.resources.iter().find(|known| same_resource(known, resource)).ok_or_else(no_target)?;
        let there = target.clients.iter().find(|(here, _)| *here == client.id).ok_or_else(no_target)?;
        let asked =
            form.get("scope").map(|scope| Scopes::parse(scope).ok_or(OAuthError::new("invalid_scope", "no scopes")));
        let scopes = asked.transpose()?.map_or(target.scopes.clone(), |asked| asked.intersection(&target.scopes));
        let now = self.now();
        let claims = Claims {
            iss: Some(self.0.issuer.clone()),
            sub: user.sub,
            aud: target.issuer.clone().into(),
            resource: Some(Audience::from(resource.as_str())),
            client_id: Some(there.1.clone()),
            jti: Some(random::token()?),
            exp: Some(now.saturating_add(LIFE)),
            iat: Some(now),
            scope: Some(scopes.clone()).filter(|scopes| !scopes.is_empty()),
            auth_time: user.auth_time,
            ..Claims::default()
        };
        Ok(TokenResponse {
            access_token: self.0.keys.current().sign(ID_JAG, &claims)?,
            token_type: "N_A",
            expires_in: LIFE,
            scope: scopes,
            issued_token_type: Some(ID_JAG_TOKEN),
            ..TokenResponse::default()
        })
    }

    /// Checks an identity token: one of ours, for this very client, of a login that is not over.
    async fn identity(&self, client: &Client, text: &str) -> Result<Claims, OAuthError> {
        let refused = || OAuthError::invalid_grant("the identity token is not valid");
        let jws = Jws::parse(text).ok().filter(|jws| jws.is_typ("id+jwt")).ok_or_else(refused)?;
        let keys = self.0.keys.public();
        let key = keys.candidates(jws.header.kid.as_deref(), jws.algorithm).next().ok_or_else(refused)?;
        let claims: Claims = serde_json::from_slice(jws.verify(key).map_err(|_| refused())?).map_err(|_| refused())?;
        let is_good = claims.iss.as_deref() == Some(self.0.issuer.as_str()) && claims.aud.names(&client.id);
        if is_good && self.is_active(&claims).await? { Ok(claims) } else { Err(refused()) }
    }
}
