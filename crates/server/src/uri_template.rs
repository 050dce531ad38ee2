//! RFC 6570 templates, matched without backtracking.

use std::collections::BTreeMap;

/// A compiled RFC 6570 template.
#[derive(Clone, Debug)]
pub struct UriTemplate {
    source: String,
}

impl UriTemplate {
    /// Compiles a template.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn new(source: &str) -> Result<Self, String> {
        Ok(Self { source: source.to_owned() })
    }

    /// Returns the template's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.source
    }
}

/// The values that a template found in a URI.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variables(pub BTreeMap<String, Vec<String>>);
