//! Becoming known to an authorization server.

use jackfield_http::fetch::FetchRequest;
use serde::Deserialize;

use super::discovery::Found;
use super::error::told;
use super::event::{AuthEvent, ClientOrigin};
use super::identity::{AuthMethod, KnownClient};
use super::interaction::Visit;
use super::oauth::Settings;
use super::store::StoreError;
use super::{AuthError, binding};
use crate::Secret;
use crate::metadata::{ApplicationType, ClientMetadata, is_loopback};

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

/// A client, and the visit that its users come back from.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) client: KnownClient,
    pub(super) origin: ClientOrigin,
    pub(super) visit: Box<dyn Visit>,
}

/// Finds the client to speak as, in the order that the specification asks for, and the visit that its users come back from.
pub(super) async fn prepare(settings: &Settings, found: &Found) -> Result<Prepared, AuthError> {
    let interaction = settings.interaction.as_ref().ok_or(AuthError::LoginNeeded)?;
    let visit_to = async |wanted: Option<&str>| {
        let visit = interaction.prepare(wanted).await?;
        // An interaction of the application's own may have any address in mind.
        settings.check_redirect(visit.redirect_uri())?;
        Ok::<_, AuthError>(visit)
    };
    if let Some((client, origin)) = without_registering(settings, found).await? {
        let wanted = settings.redirect_uri.as_deref().unwrap_or(ANY_PORT);
        let visit = visit_to(Some(wanted)).await?;
        if settings.redirect_uri.as_deref().is_some_and(|exactly| has_port(exactly) && visit.redirect_uri() != exactly)
        {
            return Err(AuthError::Redirect(wanted.to_owned()));
        }
        return Ok(Prepared { client, origin, visit });
    }
    let name = KnownClient::name(&found.issuer.issuer);
    let remembered = settings.load::<KnownClient>(&name).await?;
    let remembered = remembered.filter(|client| client.secret_ends.is_none_or(|end| end > settings.clock.now()));
    let wanted = remembered.as_ref().and_then(|client| client.redirect_uri.as_deref());
    let visit = visit_to(wanted.or(settings.redirect_uri.as_deref())).await?;
    if let Some(client) = remembered
        && client.redirect_uri.as_deref() == Some(visit.redirect_uri())
    {
        let origin = ClientOrigin::Remembered;
        tell(settings, origin, &client.id);
        return Ok(Prepared { client, origin, visit });
    }
    let client = register(settings, found, visit.redirect_uri()).await?;
    // Kept at once, so that logins that do not get further do not register one client after the other.
    settings.save(&name, &client).await?;
    let origin = ClientOrigin::Registering;
    tell(settings, origin, &client.id);
    Ok(Prepared { client, origin, visit })
}

/// Forgets a client that registered itself: the server has forgotten it too, or the user logs out. If another took its place, that one
/// stays; what nobody can read any more does not.
pub(super) async fn forget(settings: &Settings, issuer: &str, id: &str) -> Result<(), StoreError> {
    let name = KnownClient::name(issuer);
    match settings.load::<KnownClient>(&name).await {
        Ok(Some(client)) if client.id == id => settings.store.remove(&name).await,
        Err(StoreError::Damaged(_) | StoreError::DamagedFile(_) | StoreError::Unsafe(..)) => {
            settings.store.remove(&name).await
        }
        Ok(_) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Returns the client that somebody brought, or whose document is its name; none if it has to register itself.
pub(super) async fn without_registering(
    settings: &Settings,
    found: &Found,
) -> Result<Option<(KnownClient, ClientOrigin)>, AuthError> {
    let issuer = &found.issuer;
    if let Some(given) = &settings.given {
        binding::check(settings, given, &issuer.issuer).await?;
        tell(settings, ClientOrigin::Given, &given.id);
        return Ok(Some((given.known_at(issuer), ClientOrigin::Given)));
    }
    match &settings.document {
        Some(document) if issuer.client_id_metadata_document_supported => {
            tell(settings, ClientOrigin::Document, document);
            let method = if settings.key.is_some() { AuthMethod::PrivateKeyJwt } else { AuthMethod::None };
            Ok(Some((KnownClient::new(document.clone(), method), ClientOrigin::Document)))
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
    let document = settings.fetch.fetch(FetchRequest::post_json(endpoint, &metadata)?).await?;
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
        application_type: Some(application_type(redirect_uri)),
        ..ClientMetadata::default()
    }
}

/// A program whose users come back to their own machine runs there.
fn application_type(redirect_uri: &str) -> ApplicationType {
    let is_web = url::Url::parse(redirect_uri).is_ok_and(|url| url.scheme() == "https" && !is_loopback(&url));
    if is_web { ApplicationType::Web } else { ApplicationType::Native }
}

fn has_port(redirect_uri: &str) -> bool {
    url::Url::parse(redirect_uri).is_ok_and(|url| url.port().is_some() || url.scheme() == "https")
}

fn tell(settings: &Settings, origin: ClientOrigin, id: &str) {
    settings.observer.tell(AuthEvent::Client { origin, id: id.to_owned() });
}
