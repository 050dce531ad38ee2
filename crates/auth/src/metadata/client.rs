//! How a client describes itself (RFC 7591, OpenID Connect Registration, client ID metadata documents).

use serde::{Deserialize, Serialize};

use crate::Scopes;
use crate::jose::JwkSet;

/// How a client describes itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ClientMetadata {
    /// Where users come back to.
    #[serde(default)]
    pub redirect_uris: Vec<String>,
    /// What people call it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_name: Option<String>,
    /// Where people read about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_uri: Option<String>,
    /// Its picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logo_uri: Option<String>,
    /// Against what it wants tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant_types: Option<Vec<String>>,
    /// What it asks for in authorization requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_types: Option<Vec<String>>,
    /// How it says who it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_endpoint_auth_method: Option<String>,
    /// The scopes it may ask for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scopes>,
    /// Whether it runs on the user's machine or on a server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application_type: Option<ApplicationType>,
    /// Its keys.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "keys")]
    pub jwks: Option<JwkSet>,
    /// Where its keys are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jwks_uri: Option<String>,
    /// The maker's name for the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub software_id: Option<String>,
    /// The version of the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub software_version: Option<String>,
    /// All its tokens are bound to a key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dpop_bound_access_tokens: Option<bool>,
}

/// Where a client runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ApplicationType {
    /// On the user's machine.
    Native,
    /// On a server, behind a name.
    Web,
}

fn keys<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<JwkSet>, D::Error> {
    let raw = Box::<serde_json::value::RawValue>::deserialize(deserializer)?;
    let keys = JwkSet::parse(raw.get().as_bytes());
    keys.map(Some).ok_or_else(|| serde::de::Error::custom("not a set of keys"))
}
