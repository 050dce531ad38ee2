//! Becoming known to an authorization server.

use serde::Deserialize;

use super::AuthError;
use super::discovery::Found;
use super::error::told;
use super::event::{AuthEvent, ClientOrigin};
use super::grant::Grant;
use super::identity::{AuthMethod, KnownClient};
use super::interaction::Visit;
use super::oauth::Settings;
use crate::Secret;
use crate::fetch::Ask;
use crate::metadata::ClientMetadata;

/// Where users come back to when the client is not one that registered itself.
pub(super) const ANY_PORT: &str = "http://127.0.0.1/callback";

#[derive(Deserialize)]
struct Registered {
    client_id: String,
    client_secret: Option<String>,
    client_secret_expires_at: Option<u64>,
    token_endpoint_auth_method: Option<String>,
}

#[derive(Deserialize)]
struct Refused {
    error: String,
    error_description: Option<String>,
}

/// Finds the client to speak as, in the order that the specification asks for, and the visit that its users come back from.
pub(super) async fn prepare(
    settings: &Settings,
    found: &Found,
    current: Option<&Grant>,
) -> Result<(KnownClient, Box<dyn Visit>), AuthError> {
    let interaction = settings.interaction.as_ref().ok_or(AuthError::LoginNeeded)?;
    if let Some(client) = without_registering(settings, found, current)? {
        let wanted = settings.redirect_uri.as_deref().unwrap_or(ANY_PORT);
        let visit = interaction.prepare(Some(wanted)).await?;
        if settings.redirect_uri.as_deref().is_some_and(|exactly| has_port(exactly) && visit.redirect_uri() != exactly)
        {
            return Err(AuthError::Redirect(wanted.to_owned()));
        }
        return Ok((client, visit));
    }
    let name = KnownClient::name(&found.issuer.issuer);
    let remembered = settings.load::<KnownClient>(&name).await?;
    let remembered = remembered.filter(|client| client.secret_ends.is_none_or(|end| end > settings.clock.now()));
    let wanted = remembered.as_ref().and_then(|client| client.redirect_uri.as_deref());
    let visit = interaction.prepare(wanted.or(settings.redirect_uri.as_deref())).await?;
    if let Some(client) = remembered
        && client.redirect_uri.as_deref() == Some(visit.redirect_uri())
    {
        tell(settings, ClientOrigin::Remembered, &client.id);
        return Ok((client, visit));
    }
    let client = register(settings, found, visit.redirect_uri()).await?;
    tell(settings, ClientOrigin::Registering, &client.id);
    settings.save(&name, &client).await?;
    Ok((client, visit))
}

/// Returns the client that somebody brought, or whose document is its name; none if it has to register itself.
pub(super) fn without_registering(
    settings: &Settings,
    found: &Found,
    current: Option<&Grant>,
) -> Result<Option<KnownClient>, AuthError> {
    let issuer = &found.issuer;
    if let Some(given) = &settings.given {
        let bound = given.issuer.as_deref();
        let bound = bound
            .or_else(|| current.filter(|grant| grant.client.id == given.id).map(|grant| grant.issuer.issuer.as_str()));
        if let Some(registered) = bound.filter(|registered| *registered != issuer.issuer) {
            let registered = registered.to_owned();
            return Err(AuthError::ForeignClient { registered, found: issuer.issuer.clone() });
        }
        tell(settings, ClientOrigin::Given, &given.id);
        return Ok(Some(given.known_at(issuer)));
    }
    match &settings.document {
        Some(document) if issuer.client_id_metadata_document_supported => {
            tell(settings, ClientOrigin::Document, document);
            let method = if settings.key.is_some() { AuthMethod::PrivateKeyJwt } else { AuthMethod::None };
            Ok(Some(KnownClient::new(document.clone(), method)))
        }
        _ if issuer.registration_endpoint.is_some() => Ok(None),
        _ => Err(AuthError::NoClient(issuer.issuer.clone())),
    }
}

/// Registers the client (RFC 7591).
async fn register(settings: &Settings, found: &Found, redirect_uri: &str) -> Result<KnownClient, AuthError> {
    let endpoint = found.issuer.registration_endpoint.as_deref();
    let endpoint = endpoint.ok_or_else(|| AuthError::NoClient(found.issuer.issuer.clone()))?;
    let metadata = metadata(settings, redirect_uri, AuthMethod::to_register(&found.issuer));
    let document = settings.fetch.fetch(Ask::post_json(endpoint, &metadata)?).await?;
    if !document.status.is_success() {
        let told = match document.json::<Refused>() {
            Ok(refused) => told(&refused.error, refused.error_description.as_deref()),
            Err(_) => format!("status {}", document.status.as_u16()),
        };
        return Err(AuthError::Registration(told));
    }
    let registered: Registered = document.json()?;
    // What the server decided counts, not what was asked for.
    let decided = registered.token_endpoint_auth_method.as_deref().and_then(AuthMethod::from_name);
    let method = match (decided, &registered.client_secret) {
        (Some(method), _) => method,
        (None, Some(_)) => AuthMethod::with_secret(&found.issuer),
        (None, None) => AuthMethod::None,
    };
    Ok(KnownClient {
        secret: registered.client_secret.map(Secret::new),
        secret_ends: registered.client_secret_expires_at.filter(|end| *end > 0),
        redirect_uri: Some(redirect_uri.to_owned()),
        ..KnownClient::new(registered.client_id, method)
    })
}

/// What the client says of itself.
pub(super) fn metadata(settings: &Settings, redirect_uri: &str, method: AuthMethod) -> ClientMetadata {
    ClientMetadata {
        redirect_uris: vec![redirect_uri.to_owned()],
        client_name: Some(settings.name.clone()),
        client_uri: settings.home.clone(),
        grant_types: Some(vec!["authorization_code".to_owned(), "refresh_token".to_owned()]),
        response_types: Some(vec!["code".to_owned()]),
        token_endpoint_auth_method: Some(method.name().to_owned()),
        application_type: Some(settings.application_type(redirect_uri)),
        ..ClientMetadata::default()
    }
}

fn has_port(redirect_uri: &str) -> bool {
    url::Url::parse(redirect_uri).is_ok_and(|url| url.port().is_some() || url.scheme() == "https")
}

fn tell(settings: &Settings, origin: ClientOrigin, id: &str) {
    settings.observer.tell(AuthEvent::Client { origin, id: id.to_owned() });
}
