//! What a token says (RFC 7519, RFC 9068).

use serde::{Deserialize, Deserializer, Serialize};

use crate::Scopes;

/// What a token says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Claims {
    /// Who issued it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iss: Option<String>,
    /// Whom it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sub: Option<String>,
    /// Whom it is for.
    #[serde(default, skip_serializing_if = "Audience::is_empty")]
    pub aud: Audience,
    /// Until when it is valid.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "seconds")]
    pub exp: Option<u64>,
    /// Since when it is valid.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "seconds")]
    pub nbf: Option<u64>,
    /// When it was issued.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "seconds")]
    pub iat: Option<u64>,
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jti: Option<String>,
    /// Which client it was issued to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// The same, as some servers say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub azp: Option<String>,
    /// What it allows.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "scopes")]
    pub scope: Option<Scopes>,
    /// The same, as some servers say it.
    #[serde(default, skip_serializing, deserialize_with = "scopes")]
    pub scp: Option<Scopes>,
    /// The key whose possession has to be proven.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cnf: Option<Confirmation>,
    /// The resource that an identity assertion is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<Audience>,
    /// Which login the token goes back to; ending it ends all its tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sid: Option<String>,
    /// The random value of an authorization request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nonce: Option<String>,
    /// When the user logged in.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "seconds")]
    pub auth_time: Option<u64>,
    /// The user's address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Whether the issuer has made sure that the address is the user's.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "yes_or_no")]
    pub email_verified: Option<bool>,
}

/// Whom a token is for: one or several.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Audience(pub Vec<String>);

/// The key whose possession has to be proven (RFC 7800).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confirmation {
    /// The thumbprint of the key of a proof (RFC 9449).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jkt: Option<String>,
    /// The thumbprint of a TLS certificate (RFC 8705). It cannot be checked here, so a token that has it is refused.
    #[serde(default, rename = "x5t#S256", skip_serializing_if = "Option::is_none")]
    pub x5t_s256: Option<String>,
}

impl Claims {
    /// Returns what the token allows.
    #[must_use]
    pub fn scopes(&self) -> Scopes {
        self.scope.clone().or_else(|| self.scp.clone()).unwrap_or_default()
    }
}

impl Audience {
    /// Whether nobody is named.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether somebody is named, to the letter.
    #[must_use]
    pub fn names(&self, who: &str) -> bool {
        self.0.iter().any(|one| one == who)
    }
}

impl From<String> for Audience {
    fn from(one: String) -> Self {
        Self(vec![one])
    }
}

impl From<&str> for Audience {
    fn from(one: &str) -> Self {
        Self(vec![one.to_owned()])
    }
}

impl<'de> Deserialize<'de> for Audience {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The specification has a choice of one text or several here.
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum OneOrMany {
            One(String),
            Many(Vec<String>),
        }
        Ok(match OneOrMany::deserialize(deserializer)? {
            OneOrMany::One(one) => Self(vec![one]),
            OneOrMany::Many(many) => Self(many),
        })
    }
}

/// Times are numbers that may have a fraction. What is before 1970 or absurd is no time.
fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let number = serde_json::Number::deserialize(deserializer)?;
    if let Some(whole) = number.as_u64() {
        return Ok(Some(whole));
    }
    match number.as_f64() {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range was checked")]
        Some(time) if (0.0..1e12).contains(&time) => Ok(Some(time as u64)),
        _ => Err(serde::de::Error::custom("not a time")),
    }
}

/// Some servers write the word in place of the value. What is neither says nothing.
fn yes_or_no<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<bool>, D::Error> {
    Ok(match serde_json::Value::deserialize(deserializer)? {
        serde_json::Value::Bool(yes) => Some(yes),
        serde_json::Value::String(text) => text.parse().ok(),
        _ => None,
    })
}

/// Scopes are a text with spaces, or with some servers a list.
fn scopes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Scopes>, D::Error> {
    let Audience(texts) = Audience::deserialize(deserializer)?;
    let all: Option<Vec<Scopes>> = texts.iter().map(|text| Scopes::parse(text)).collect();
    let all = all.ok_or_else(|| serde::de::Error::custom("not a list of scopes"))?;
    Ok(Some(all.iter().fold(Scopes::none(), |all, one| all.union(one))))
}
