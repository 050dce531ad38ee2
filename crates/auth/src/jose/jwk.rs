//! Public keys as JSON (RFC 7517).

use ring::signature::{RsaPublicKeyComponents, UnparsedPublicKey};
use serde::{Deserialize, Serialize};

use super::Algorithm;
use crate::random;

/// A public key as JSON. Private members are never read nor written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Jwk {
    /// The type of the key: `EC`, `OKP` or `RSA`.
    pub kty: String,
    /// The curve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crv: Option<String>,
    /// A coordinate of a point, or the key itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<String>,
    /// The other coordinate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y: Option<String>,
    /// The modulus of an RSA key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n: Option<String>,
    /// The exponent of an RSA key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub e: Option<String>,
    /// The name of the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kid: Option<String>,
    /// The only algorithm it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alg: Option<String>,
    /// What it is for: `sig` or `enc`.
    #[serde(default, rename = "use", skip_serializing_if = "Option::is_none")]
    pub usage: Option<String>,
    /// Says that the sender showed a private key. Such a key is refused.
    #[serde(default, rename = "d", skip_serializing, deserialize_with = "present")]
    pub(crate) is_private: bool,
}

/// A set of keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct JwkSet {
    /// The keys.
    pub keys: Vec<Jwk>,
}

/// How many keys of a set are looked at.
const MOST_KEYS: usize = 100;

impl JwkSet {
    /// Reads a set. Keys of kinds that are not known here are left out, as RFC 7517 section 5 says.
    #[must_use]
    pub fn parse(json: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct Raw {
            keys: Vec<serde_json::Value>,
        }
        let raw: Raw = serde_json::from_slice(json).ok()?;
        let keys = raw.keys.into_iter().take(MOST_KEYS).filter_map(|key| serde_json::from_value(key).ok());
        Some(Self { keys: keys.collect() })
    }

    /// Returns the keys that may have made a signature.
    pub fn candidates<'a>(&'a self, kid: Option<&'a str>, algorithm: Algorithm) -> impl Iterator<Item = &'a Jwk> {
        self.keys.iter().filter(move |key| (kid.is_none() || key.kid.as_deref() == kid) && key.is_for(algorithm))
    }
}

impl Jwk {
    /// Whether signatures of an algorithm can be of this key: type, curve, declared algorithm and use fit.
    #[must_use]
    pub fn is_for(&self, algorithm: Algorithm) -> bool {
        let (kty, crv) = algorithm.key_type();
        self.kty == kty
            && self.crv.as_deref() == crv
            && self.alg.as_deref().is_none_or(|alg| Algorithm::from_name(alg) == Some(algorithm))
            && self.usage.as_deref().is_none_or(|usage| usage == "sig")
            && !self.is_private
    }

    /// Checks a signature.
    #[must_use]
    pub fn verifies(&self, algorithm: Algorithm, message: &[u8], signature: &[u8]) -> bool {
        if !self.is_for(algorithm) {
            return false;
        }
        match (algorithm.on_curve(), algorithm.rsa()) {
            (Some(on_curve), _) => self
                .point()
                .is_some_and(|point| UnparsedPublicKey::new(on_curve, point).verify(message, signature).is_ok()),
            (None, Some(parameters)) => self.modulus().is_some_and(|(n, e)| {
                RsaPublicKeyComponents { n: &n, e: &e }.verify(parameters, message, signature).is_ok()
            }),
            (None, None) => false,
        }
    }

    /// Returns the thumbprint (RFC 7638): the same for all spellings of the same key.
    #[must_use]
    pub fn thumbprint(&self) -> Option<String> {
        let text = |value: &Option<String>| value.as_deref().filter(|value| random::decode(value).is_some()).map(json);
        let members = match self.kty.as_str() {
            "EC" => format!(
                r#"{{"crv":{},"kty":"EC","x":{},"y":{}}}"#,
                json(self.crv.as_deref()?),
                text(&self.x)?,
                text(&self.y)?
            ),
            "OKP" => format!(r#"{{"crv":{},"kty":"OKP","x":{}}}"#, json(self.crv.as_deref()?), text(&self.x)?),
            "RSA" => format!(r#"{{"e":{},"kty":"RSA","n":{}}}"#, text(&self.e)?, text(&self.n)?),
            _ => return None,
        };
        Some(random::digest(&members))
    }

    fn point(&self) -> Option<Vec<u8>> {
        let x = random::decode(self.x.as_deref()?)?;
        match self.crv.as_deref()? {
            "Ed25519" => Some(x),
            curve => {
                let length = if curve == "P-256" { 32 } else { 48 };
                let y = random::decode(self.y.as_deref()?)?;
                (x.len() == length && y.len() == length).then(|| [&[4], &*x, &*y].concat())
            }
        }
    }

    fn modulus(&self) -> Option<(Vec<u8>, Vec<u8>)> {
        // Leading zeros are no part of a number, but some servers send one.
        let number = |text: &Option<String>| {
            let bytes = random::decode(text.as_deref()?)?;
            let start = bytes.iter().position(|byte| *byte != 0)?;
            bytes.get(start..).map(<[u8]>::to_vec)
        };
        Some((number(&self.n)?, number(&self.e)?))
    }
}

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    serde::de::IgnoredAny::deserialize(deserializer).map(|_| true)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 7638, section 3.1.
    #[test]
    fn the_published_thumbprint_fits() {
        let key: Jwk = serde_json::from_str(
            r#"{"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw","e":"AQAB","alg":"RS256","kid":"2011-04-29"}"#,
        )
        .unwrap();
        assert_eq!(key.thumbprint().unwrap(), "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs");
        assert!(key.is_for(Algorithm::Rs256) && !key.is_for(Algorithm::Ps256) && !key.is_for(Algorithm::Es256));
    }

    #[test]
    fn keys_of_unknown_kinds_are_left_out() {
        let set = JwkSet::parse(
            br#"{"keys":[{"kty":"oct","k":"AAAA"},{"kty":7},{"kty":"EC","crv":"P-256","x":"","y":"","d":"x"}]}"#,
        )
        .unwrap();
        assert_eq!(set.keys.len(), 2);
        assert_eq!(
            Algorithm::ALL.iter().filter(|algorithm| set.keys.iter().any(|key| key.is_for(**algorithm))).count(),
            0
        );
        assert_eq!(JwkSet::parse(b"{}"), None);
    }
}
