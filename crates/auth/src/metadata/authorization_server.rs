//! How an authorization server describes itself (RFC 8414, OpenID Connect Discovery).

use jackfield_http::fetch::{Fetch, FetchError, FetchRequest};
use serde::{Deserialize, Serialize};
use url::Url;

use super::authorization_server_urls;

/// How an authorization server describes itself. Lists that are absent are empty here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AuthorizationServerMetadata {
    /// Its name.
    pub issuer: String,
    /// Where users are sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorization_endpoint: Option<String>,
    /// Where tokens are issued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_endpoint: Option<String>,
    /// Where clients register themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registration_endpoint: Option<String>,
    /// Where tokens are given back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revocation_endpoint: Option<String>,
    /// Where resource servers ask about tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub introspection_endpoint: Option<String>,
    /// Where its keys are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jwks_uri: Option<String>,
    /// The scopes that clients may ask for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes_supported: Vec<String>,
    /// What an authorization request may ask for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub response_types_supported: Vec<String>,
    /// How the answer may travel.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub response_modes_supported: Vec<String>,
    /// Against what tokens are issued.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grant_types_supported: Vec<String>,
    /// How clients say who they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub token_endpoint_auth_methods_supported: Vec<String>,
    /// How their assertions are signed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub token_endpoint_auth_signing_alg_values_supported: Vec<String>,
    /// How clients say who they are when they give tokens back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub revocation_endpoint_auth_methods_supported: Vec<String>,
    /// How resource servers say who they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub introspection_endpoint_auth_methods_supported: Vec<String>,
    /// The methods of PKCE. Without them there is no PKCE.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub code_challenge_methods_supported: Vec<String>,
    /// Its answers name it (RFC 9207).
    #[serde(default, skip_serializing_if = "is_false")]
    pub authorization_response_iss_parameter_supported: bool,
    /// A client may be the URL of its metadata document.
    #[serde(default, skip_serializing_if = "is_false")]
    pub client_id_metadata_document_supported: bool,
    /// The algorithms of proofs of possession.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dpop_signing_alg_values_supported: Vec<String>,
    /// What kinds of user names there are (OpenID Connect).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subject_types_supported: Vec<String>,
    /// How identity tokens are signed (OpenID Connect).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub id_token_signing_alg_values_supported: Vec<String>,
    /// The profiles of assertions that are taken as grants, such as `urn:ietf:params:oauth:grant-profile:id-jag`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub authorization_grant_profiles_supported: Vec<String>,
}

fn is_false(yes: &bool) -> bool {
    !yes
}

/// Finds the metadata of an issuer: the well-known places in their order, and the document must name the issuer to the letter.
///
/// # Errors
/// No place has a document, it is about another issuer, or a place takes too long. Where one place fails and nothing is at the others,
/// the error is that of the place that fails.
pub async fn discover(issuer: &str, fetch: &dyn Fetch) -> Result<AuthorizationServerMetadata, FetchError> {
    let url = Url::parse(issuer).map_err(|_| FetchError::Unusable("the issuer is no URL"))?;
    let mut last = FetchError::Unusable("no metadata found");
    for place in authorization_server_urls(&url) {
        let fetched =
            fetch.fetch(FetchRequest::get(place.as_str())?).await.and_then(jackfield_http::fetch::Document::success);
        // Some answer unknown paths with a page, which is no document.
        let metadata: AuthorizationServerMetadata = match fetched.and_then(|document| document.json()) {
            Ok(metadata) => metadata,
            // Whoever waits for this has waited long enough.
            Err(error @ FetchError::TimedOut) => return Err(error),
            // What cannot be had here may be at the next place. If it is not, that nothing is there does not hide what went wrong here.
            Err(error) => {
                if last.is_absent() {
                    last = error;
                }
                continue;
            }
        };
        if metadata.issuer != issuer {
            return Err(FetchError::Unusable("the metadata is of another issuer"));
        }
        return Ok(metadata);
    }
    Err(last)
}
