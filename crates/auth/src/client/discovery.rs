//! Finding out where the tokens for a server come from.

use http::HeaderName;
use http::HeaderValue;
use jackfield_http::fetch::{Document as Fetched, FetchError, FetchRequest};
use jackfield_protocol::Revision;
use url::Url;

use super::AuthError;
use super::event::{AuthEvent, Document};
use super::oauth::Settings;
use crate::Scopes;
use crate::challenge::Challenge;
use crate::metadata::{
    AuthorizationServerMetadata, ProtectedResourceMetadata, authorization_server_urls, canonical_resource,
    protected_resource_url, same_resource,
};

/// Where the tokens for a server come from, and what is known about them.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// The name of the server in requests for tokens, to the letter as the server writes it.
    pub(super) resource: String,
    /// The scopes of basic use.
    pub(super) scopes: Option<Scopes>,
    /// The authorization server.
    pub(super) issuer: AuthorizationServerMetadata,
    /// Its endpoints are only guessed.
    pub(super) is_guessed: bool,
    /// Tokens have to be bound to a key.
    pub(super) needs_binding: bool,
}

const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// Finds out where the tokens for a server come from. `preferred` are issuers to take if the server has a choice.
pub(super) async fn find(
    settings: &Settings,
    server: &Url,
    challenge: Option<&Challenge>,
    preferred: &[&str],
) -> Result<Found, AuthError> {
    let Some(resource) = resource_metadata(settings, server, challenge).await? else {
        settings.observer.tell(AuthEvent::NoResourceMetadata);
        return from_host(settings, server).await;
    };
    let scopes = resource.scopes_supported.as_ref().map(|scopes| scopes.iter().map(String::as_str).collect());
    settings.observer.tell(AuthEvent::Resource {
        resource: resource.resource.clone(),
        authorization_servers: resource.authorization_servers.clone(),
        scopes: Option::clone(&scopes),
    });
    if !is_about(&resource.resource, server) {
        let expected = canonical_resource(server.as_str()).unwrap_or_default();
        return Err(AuthError::ForeignResource { expected, found: resource.resource });
    }
    let known = preferred.iter().find(|issuer| resource.authorization_servers.iter().any(|one| one == *issuer));
    let issuer = known.copied().or_else(|| resource.authorization_servers.first().map(String::as_str));
    let issuer = issuer.ok_or(AuthError::NoAuthorizationServer)?;
    let metadata = issuer_metadata(settings, issuer).await?.ok_or_else(|| AuthError::Metadata {
        url: issuer.to_owned(),
        source: FetchError::Unusable("there is none at any of the known places"),
    })?;
    let needs_binding = resource.dpop_bound_access_tokens_required == Some(true);
    tell_issuer(settings, &metadata, false);
    Ok(Found { resource: resource.resource, scopes, issuer: metadata, is_guessed: false, needs_binding })
}

/// The metadata of the server itself: where the challenge says, or else at the path and then at the root. None if it has none.
async fn resource_metadata(
    settings: &Settings,
    server: &Url,
    challenge: Option<&Challenge>,
) -> Result<Option<ProtectedResourceMetadata>, AuthError> {
    let look = async |url: &str| look::<ProtectedResourceMetadata>(settings, Document::Resource, url).await;
    if let Some(url) = challenge.and_then(|challenge| challenge.get("resource_metadata")) {
        return match look(url).await {
            Ok(found) => Ok(Some(found)),
            Err(source) => Err(AuthError::Metadata { url: url.to_owned(), source }),
        };
    }
    let mut root = server.clone();
    root.set_path("/");
    root.set_query(None);
    let mut places = vec![protected_resource_url(server), protected_resource_url(&root)];
    places.dedup();
    for place in places {
        match look(place.as_str()).await {
            Ok(found) => return Ok(Some(found)),
            Err(error) if error.is_absent() => {}
            Err(source) => return Err(AuthError::Metadata { url: place.into(), source }),
        }
    }
    Ok(None)
}

/// The metadata of an issuer; none if it is at none of the places.
async fn issuer_metadata(settings: &Settings, issuer: &str) -> Result<Option<AuthorizationServerMetadata>, AuthError> {
    let bad = |source| AuthError::Metadata { url: issuer.to_owned(), source };
    let url = Url::parse(issuer).map_err(|_| bad(FetchError::Unusable("the issuer is no URL")))?;
    let mut failed = None;
    for place in authorization_server_urls(&url) {
        let found = look::<AuthorizationServerMetadata>(settings, Document::AuthorizationServer, place.as_str()).await;
        match found {
            Ok(metadata) if metadata.issuer == issuer => return Ok(Some(metadata)),
            Ok(metadata) => {
                return Err(AuthError::ForeignIssuer { expected: issuer.to_owned(), found: metadata.issuer });
            }
            Err(error) if error.is_absent() => {}
            Err(source @ FetchError::TimedOut) => return Err(AuthError::Metadata { url: place.into(), source }),
            // It may be at the next place; if it is not, this is why.
            Err(source) => {
                failed.get_or_insert(AuthError::Metadata { url: place.into(), source });
            }
        }
    }
    failed.map_or(Ok(None), Err)
}

/// The way of the first revision with authorization: the host of the server is the issuer, and has its endpoints at the root
/// if it does not say otherwise.
async fn from_host(settings: &Settings, server: &Url) -> Result<Found, AuthError> {
    let host = server.origin().ascii_serialization();
    let resource = canonical_resource(server.as_str()).ok_or_else(|| AuthError::BadServer(server.to_string()))?;
    let found = issuer_metadata(settings, &host).await?;
    let is_guessed = found.is_none();
    let issuer = found.unwrap_or_else(|| AuthorizationServerMetadata {
        authorization_endpoint: Some(format!("{host}/authorize")),
        token_endpoint: Some(format!("{host}/token")),
        registration_endpoint: Some(format!("{host}/register")),
        issuer: host,
        ..AuthorizationServerMetadata::default()
    });
    tell_issuer(settings, &issuer, is_guessed);
    Ok(Found { resource, scopes: None, issuer, is_guessed, needs_binding: false })
}

fn tell_issuer(settings: &Settings, issuer: &AuthorizationServerMetadata, is_guessed: bool) {
    settings.observer.tell(AuthEvent::Issuer { issuer: issuer.issuer.clone(), is_guessed });
}

async fn look<T: serde::de::DeserializeOwned>(
    settings: &Settings,
    document: Document,
    url: &str,
) -> Result<T, FetchError> {
    let found = async {
        let ask = FetchRequest::get(url)?.with(PROTOCOL_VERSION, HeaderValue::from_static(Revision::LATEST.as_str()));
        settings.fetch.fetch(ask).await.and_then(Fetched::success)?.json()
    };
    let found = found.await;
    let failure = found.as_ref().err().map(ToString::to_string);
    settings.observer.tell(AuthEvent::Looked { document, url: url.to_owned(), failure });
    found
}

/// Whether a name is that of a server: its URL, or a part of the same origin that contains it. The metadata of a whole host is
/// good for each of its servers, that of a neighbour is not.
fn is_about(resource: &str, server: &Url) -> bool {
    if same_resource(resource, server.as_str()) {
        return true;
    }
    let Some(resource) = canonical_resource(resource).and_then(|text| Url::parse(&text).ok()) else { return false };
    let above = resource.path().strip_suffix('/').unwrap_or(resource.path());
    resource.origin() == server.origin()
        && resource.query().is_none()
        && server.path().strip_prefix(above).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T-063: the mismatch matrix. AUTH-070
    #[test]
    fn metadata_of_another_server_is_noticed() {
        let server: Url = "https://mcp.example.com/team/mcp".parse().unwrap();
        for good in [
            "https://mcp.example.com/team/mcp",
            "https://mcp.example.com/team/mcp/",
            "HTTPS://MCP.example.com:443/team/mcp",
            "https://mcp.example.com",
            "https://mcp.example.com/",
            "https://mcp.example.com/team",
        ] {
            assert!(is_about(good, &server), "{good}");
        }
        for bad in [
            "https://evil.example/team/mcp",
            "http://mcp.example.com/team/mcp",
            "https://mcp.example.com:8443/team/mcp",
            "https://mcp.example.com.evil.example/team/mcp",
            "https://mcp.example.com/team/mcp/deeper",
            "https://mcp.example.com/te",
            "https://mcp.example.com/Team/mcp",
            "https://mcp.example.com/other",
            "https://mcp.example.com/team/mcp?x",
            "https://mcp.example.com?x",
            "https://mcp.example.com/team/mcp#x",
            "https://user@mcp.example.com/team/mcp",
            "mcp.example.com",
            "",
        ] {
            assert!(!is_about(bad, &server), "{bad}");
        }
    }
}
