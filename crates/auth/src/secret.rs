//! Text that must not be seen.

use std::fmt;

use secrecy::{ExposeSecret, SecretString};
use subtle::ConstantTimeEq;

use crate::NoRandomness;

/// Text that must not be seen: it prints as `[redacted]`, is wiped when it goes, and is compared in constant time.
#[derive(Clone)]
pub struct Secret(SecretString);

impl Secret {
    /// Takes a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(SecretString::from(text.into()))
    }

    /// Makes one of 256 random bits.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn random() -> Result<Self, NoRandomness> {
        crate::random::token().map(Self::new)
    }

    /// Returns the text, for the one place that needs it.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// Whether the texts are the same. How long that takes tells nothing about where they differ.
    #[must_use]
    pub fn matches(&self, other: &str) -> bool {
        same(self.expose(), other)
    }
}

/// Compares texts in constant time.
pub(crate) fn same(one: &str, other: &str) -> bool {
    one.as_bytes().ct_eq(other.as_bytes()).into()
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}
