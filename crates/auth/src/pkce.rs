//! Proof Key for Code Exchange (RFC 7636), with S256 alone.

use crate::{NoRandomness, Secret, random, secret};

/// The secret of one authorization request; only its challenge is shown before the code is redeemed.
#[derive(Clone, Debug)]
pub struct Verifier(Secret);

/// What an authorization request shows of its verifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeChallenge(String);

/// The only method. `plain` proves nothing to anybody who saw the request.
pub const METHOD: &str = "S256";

impl Verifier {
    /// Makes a new one.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn random() -> Result<Self, NoRandomness> {
        Secret::random().map(Self)
    }

    /// Returns the text that goes to the token endpoint.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.0.expose()
    }

    /// Returns what the authorization request shows.
    #[must_use]
    pub fn challenge(&self) -> CodeChallenge {
        CodeChallenge(random::digest(self.expose()))
    }
}

impl CodeChallenge {
    /// Reads a challenge: the base64url text of 32 bytes.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = random::decode(text)?;
        (bytes.len() == 32).then(|| Self(text.to_owned()))
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is the challenge of a verifier of the right form (43 to 128 unreserved characters).
    #[must_use]
    pub fn is_of(&self, verifier: &str) -> bool {
        let fits = (43..=128).contains(&verifier.len())
            && verifier.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte));
        fits && secret::same(&self.0, &random::digest(verifier))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 7636, appendix B.
    #[test]
    fn the_published_example_fits() {
        let challenge = CodeChallenge::parse("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM").unwrap();
        assert!(challenge.is_of("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"));
        assert!(!challenge.is_of("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXl"));
        assert!(!challenge.is_of("short"));
    }

    #[test]
    fn challenges_that_are_no_digest_are_refused() {
        for text in
            ["", "abc", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM=", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw+cM"]
        {
            assert_eq!(CodeChallenge::parse(text), None, "{text}");
        }
        let verifier = Verifier::random().unwrap();
        assert!(verifier.challenge().is_of(verifier.expose()));
    }
}
