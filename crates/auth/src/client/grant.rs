//! What was granted, and by whom: tokens as they are kept.

use serde::{Deserialize, Serialize};

use super::identity::KnownClient;
use crate::jose::SigningKey;
use crate::metadata::AuthorizationServerMetadata;
use crate::{Scopes, Secret, random};

/// What was granted for one server. Everything that renewing it takes is with it, so that credentials of one authorization
/// server cannot meet another.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Grant {
    /// The server.
    pub(super) server: String,
    /// Its name in requests for tokens.
    pub(super) resource: String,
    /// Who granted it.
    pub(super) issuer: AuthorizationServerMetadata,
    /// To whom.
    pub(super) client: KnownClient,
    #[serde(with = "exposed")]
    pub(super) access: Secret,
    #[serde(default, with = "exposed_option", skip_serializing_if = "Option::is_none")]
    pub(super) refresh: Option<Secret>,
    /// All scopes that were ever asked for in it.
    pub(super) requested: Scopes,
    /// The scopes it has.
    pub(super) scopes: Scopes,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) expires_at: Option<u64>,
    /// From when on it should be renewed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) renew_at: Option<u64>,
    /// The key that the access token is bound to, in PKCS#8.
    #[serde(default, with = "exposed_option", skip_serializing_if = "Option::is_none")]
    pub(super) key: Option<Secret>,
}

impl Grant {
    /// Returns the name under which the grant for a server is kept.
    pub(super) fn name(server: &str) -> String {
        format!("tokens {server}")
    }

    /// Returns the server of a name, if it is the name of a grant.
    pub(super) fn server_of(name: &str) -> Option<&str> {
        name.strip_prefix("tokens ")
    }

    /// Whether it is time to renew it.
    pub(super) fn is_due(&self, now: u64) -> bool {
        self.renew_at.is_some_and(|at| now >= at)
    }

    /// Whether the access token is of no use any more.
    pub(super) fn is_over(&self, now: u64) -> bool {
        self.expires_at.is_some_and(|at| now >= at)
    }

    /// Returns the key that the access token is bound to.
    pub(super) fn signing_key(&self) -> Option<SigningKey> {
        read_key(self.key.as_ref()?)
    }

    /// Whether both hold the same access token.
    pub(super) fn is_same_as(&self, other: &Self) -> bool {
        self.access.matches(other.access.expose())
    }
}

pub(super) fn write_key(key: &SigningKey) -> Secret {
    Secret::new(random::encode(key.to_pkcs8()))
}

pub(super) fn read_key(text: &Secret) -> Option<SigningKey> {
    SigningKey::from_pkcs8(&random::decode(text.expose())?).ok()
}

/// Secrets as they are kept: the store is the one place that sees them.
pub(super) mod exposed {
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::Secret;

    pub(in crate::client) fn serialize<S: Serializer>(secret: &Secret, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(secret.expose())
    }

    pub(in crate::client) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Secret, D::Error> {
        String::deserialize(deserializer).map(Secret::new)
    }
}

pub(super) mod exposed_option {
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::Secret;

    pub(in crate::client) fn serialize<S: Serializer>(
        secret: &Option<Secret>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match secret {
            Some(secret) => serializer.serialize_some(secret.expose()),
            None => serializer.serialize_none(),
        }
    }

    pub(in crate::client) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Secret>, D::Error> {
        Ok(Option::<String>::deserialize(deserializer)?.map(Secret::new))
    }
}
