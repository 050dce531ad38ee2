//! One server inside another, under a prefix.

use std::sync::Arc;

use crate::builder::core::Core;

/// A server inside another.
#[derive(Clone)]
pub(crate) struct Mount {
    pub(crate) prefix: Prefix,
    pub(crate) core: Arc<Core>,
}

/// What stands before the names of a [mounted](crate::Server::mount) server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefix {
    text: Arc<str>,
    separator: &'static str,
}

impl Prefix {
    /// Makes a prefix that an underscore separates from names: it is allowed in tool names, and model providers that are stricter than
    /// the protocol allow it too.
    #[must_use]
    pub fn new(prefix: &str) -> Self {
        Self { text: prefix.into(), separator: "_" }
    }

    /// Separates the prefix from names by another text.
    #[must_use]
    pub fn separated_by(self, separator: &'static str) -> Self {
        Self { separator, ..self }
    }

    /// Returns the prefix without what separates it from names.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns a name as it is out here: `add` under `math` is `math_add`.
    #[must_use]
    pub fn name(&self, name: &str) -> String {
        format!("{}{}{name}", self.text, self.separator)
    }

    /// Undoes [`name`](Self::name); `None` if the name does not stand under this prefix.
    #[must_use]
    pub fn strip_name<'a>(&self, name: &'a str) -> Option<&'a str> {
        name.strip_prefix(self.as_str())?.strip_prefix(self.separator)
    }

    /// Returns a URI as it is out here: `note://7` under `docs` is `note://docs/7`, `file:///a` is `file:///docs/a`, `urn:x` is
    /// `urn:docs/x`. The scheme stays, the prefix becomes the first segment after it.
    #[must_use]
    pub fn uri(&self, uri: &str) -> String {
        self.uri_like(uri, uri)
    }

    /// Returns a URI as it is out here if it belongs to a template: the prefix stands where it stands in the template. `file:///a/b` of
    /// `file://{+path}` is `file://docs//a/b`.
    pub(crate) fn uri_like(&self, uri: &str, pattern: &str) -> String {
        let at = scheme_end(pattern);
        let at = if uri.get(..at) == pattern.get(..at) { at } else { scheme_end(uri) };
        let (scheme, rest) = uri.split_at(at);
        format!("{scheme}{}/{rest}", self.text)
    }

    /// Undoes [`uri`](Self::uri); `None` if the URI does not stand under this prefix.
    #[must_use]
    pub fn strip_uri(&self, uri: &str) -> Option<String> {
        let (scheme, rest) = uri.split_at(scheme_end(uri));
        let rest = rest.strip_prefix(self.as_str())?.strip_prefix('/')?;
        Some(format!("{scheme}{rest}"))
    }
}

impl From<&str> for Prefix {
    fn from(prefix: &str) -> Self {
        Self::new(prefix)
    }
}

impl From<&String> for Prefix {
    fn from(prefix: &String) -> Self {
        Self::new(prefix)
    }
}

/// Where the part after `scheme:` and up to three slashes begins.
fn scheme_end(uri: &str) -> usize {
    let Some(colon) = uri.find(':') else { return 0 };
    let after = colon.saturating_add(1);
    let rest = uri.get(after..).unwrap_or_default();
    let slashes = ["///", "//"].into_iter().find(|slashes| rest.starts_with(slashes)).map_or(0, str::len);
    after.saturating_add(slashes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheme_of_a_mounted_resource_stays() {
        let docs = Prefix::new("docs");
        for (inner, outer) in [
            ("note://7", "note://docs/7"),
            ("file:///a/b", "file:///docs/a/b"),
            ("urn:x", "urn:docs/x"),
            ("note://{id}", "note://docs/{id}"),
        ] {
            assert_eq!(docs.uri(inner), outer);
            assert_eq!(docs.strip_uri(outer).as_deref(), Some(inner));
        }
        assert_eq!(docs.strip_uri("note://other/7"), None);
    }

    #[test]
    fn names_stand_behind_the_prefix_and_its_separator() {
        let docs = Prefix::new("docs");
        assert_eq!((docs.name("add").as_str(), docs.strip_name("docs_add")), ("docs_add", Some("add")));
        let docs = docs.separated_by("__");
        assert_eq!((docs.name("_add").as_str(), docs.strip_name("docs___add")), ("docs___add", Some("_add")));
        assert_eq!((docs.strip_name("docs_add"), docs.strip_name("other__add")), (None, None));
    }
}
