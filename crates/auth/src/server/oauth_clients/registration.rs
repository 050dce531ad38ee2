//! Clients that register themselves (RFC 7591).

use http::StatusCode;
use http::header::CONTENT_TYPE;

use crate::metadata::{ClientMetadata, Redirects};
use crate::server::authorization::redirect;
use crate::server::builder::AuthorizationServer;
use crate::server::oauth_clients::client::{AUTHORIZATION_CODE, Client, Origin, REFRESH_TOKEN};
use crate::server::requests::request::ReceivedRequest;
use crate::server::requests::respond::{self, Answer, OAuthError};
use crate::server::requests::throttle::Rate;
use crate::{Secret, random};

/// How clients may register themselves.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Registration {
    /// How often from one address; 20 an hour.
    pub per_address: Rate,
    /// How often in all; 1000 an hour.
    pub in_all: Rate,
    /// How long a client is known that no user has ever consented to, in seconds; a day.
    pub unused_life: u64,
    /// How long a client is known after its last consent or refresh, in seconds; 90 days.
    pub life: u64,
}

impl Default for Registration {
    fn default() -> Self {
        Self {
            per_address: Rate { times: 20, seconds: 3600 },
            in_all: Rate { times: 1000, seconds: 3600 },
            unused_life: 86_400,
            life: 90 * 86_400,
        }
    }
}

const MOST_REDIRECTS: usize = 20;
const LONGEST_NAME: usize = 200;

impl AuthorizationServer {
    pub(in crate::server) async fn register(&self, request: &ReceivedRequest) -> Answer {
        match self.registered(request).await {
            Ok(answer) => answer,
            Err(error) => respond::error(&error),
        }
    }

    async fn registered(&self, request: &ReceivedRequest) -> Result<Answer, OAuthError> {
        let Some(registration) = &self.0.registration else {
            let error = OAuthError::new("access_denied", "clients cannot register themselves here");
            return Err(OAuthError { status: StatusCode::FORBIDDEN, ..error });
        };
        let throttles = &self.0.throttles;
        let by_address = throttles.registration_by_address.attempt(&request.origin()).await?;
        if !by_address || !throttles.registration.attempt("all").await? {
            return Err(OAuthError::too_often());
        }
        let kind = request.parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if !kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json") {
            return Err(bad("the body must be application/json"));
        }
        let metadata: ClientMetadata =
            serde_json::from_slice(&request.body).map_err(|_| bad("the metadata makes no sense"))?;
        let metadata = accepted(asked_for(metadata)?, self.0.redirects)?;
        let now = self.now();
        let secret = match metadata.token_endpoint_auth_method.as_deref() {
            Some("client_secret_basic" | "client_secret_post") => Some(Secret::random()?),
            _ => None,
        };
        let client = Client {
            id: random::token()?,
            metadata,
            secret: secret.as_ref().map(|secret| random::digest(secret.expose())),
            origin: Origin::Registered,
            issued_at: now,
        };
        let until = now.saturating_add(registration.unused_life);
        self.store().save(&format!("client:{}", client.id), &client, until).await?;
        Ok(respond::json(StatusCode::CREATED, &described(&client, secret.as_ref())))
    }

    /// A client that a user consented to, and that is in use, is kept for longer.
    pub(in crate::server) async fn keep_client(&self, client: &Client) -> Result<(), OAuthError> {
        if let (Origin::Registered, Some(registration)) = (client.origin, &self.0.registration) {
            let until = self.now().saturating_add(registration.life);
            self.store().save(&format!("client:{}", client.id), client, until).await?;
        }
        Ok(())
    }
}

fn bad(description: &'static str) -> OAuthError {
    OAuthError::new("invalid_client_metadata", description)
}

/// Checks what a client asks for that registers itself, and fills in what it leaves out.
fn asked_for(mut metadata: ClientMetadata) -> Result<ClientMetadata, OAuthError> {
    let grants = metadata.grant_types.get_or_insert_with(|| vec![AUTHORIZATION_CODE.to_owned()]);
    if !grants.iter().all(|grant| grant == AUTHORIZATION_CODE || grant == REFRESH_TOKEN) {
        return Err(bad("a client that registers itself can have authorization_code and refresh_token only"));
    }
    let responses = metadata.response_types.get_or_insert_with(|| vec!["code".to_owned()]);
    if responses.iter().any(|response| response != "code") {
        return Err(bad("the only response type is code"));
    }
    metadata.token_endpoint_auth_method.get_or_insert_with(|| "client_secret_basic".to_owned());
    Ok(metadata)
}

/// Checks what a client says about itself, whether it registers or is the name of a document.
pub(in crate::server) fn accepted(
    metadata: ClientMetadata,
    redirects: Redirects,
) -> Result<ClientMetadata, OAuthError> {
    let method = metadata.token_endpoint_auth_method.as_deref().unwrap_or_default();
    match method {
        "none" | "client_secret_basic" | "client_secret_post" => {}
        "private_key_jwt" if metadata.jwks.is_some() != metadata.jwks_uri.is_some() => {}
        _ => return Err(bad("the client cannot say who it is in this way")),
    }
    let texts = [
        &metadata.client_name,
        &metadata.client_uri,
        &metadata.logo_uri,
        &metadata.software_id,
        &metadata.software_version,
    ];
    let longest = texts.iter().filter_map(|text| text.as_ref()).map(String::len).max().unwrap_or_default();
    if metadata.client_name.as_ref().is_some_and(|name| name.chars().count() > LONGEST_NAME) || longest > 2048 {
        return Err(bad("a text is too long"));
    }
    let links = [&metadata.client_uri, &metadata.logo_uri, &metadata.jwks_uri];
    if links.iter().filter_map(|link| link.as_ref()).any(|link| !link.starts_with("https://")) {
        return Err(bad("links must be https"));
    }
    let uris = &metadata.redirect_uris;
    if uris.is_empty()
        || uris.len() > MOST_REDIRECTS
        || !uris.iter().all(|uri| redirect::may_register(uri, metadata.application_type, redirects))
    {
        return Err(OAuthError::new(
            "invalid_redirect_uri",
            "users cannot be sent to these addresses: https, or http on loopback for native applications",
        ));
    }
    Ok(metadata)
}

fn described(client: &Client, secret: Option<&Secret>) -> serde_json::Value {
    let mut body = serde_json::to_value(&client.metadata).unwrap_or_default();
    if let Some(members) = body.as_object_mut() {
        members.insert("client_id".to_owned(), client.id.clone().into());
        members.insert("client_id_issued_at".to_owned(), client.issued_at.into());
        if let Some(secret) = secret {
            members.insert("client_secret".to_owned(), secret.expose().into());
            members.insert("client_secret_expires_at".to_owned(), 0.into());
        }
    }
    body
}
