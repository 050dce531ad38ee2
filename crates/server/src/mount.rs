//! One server inside another, under a prefix.

use std::sync::Arc;

use crate::core::Core;

/// A server inside another.
#[derive(Clone)]
pub(crate) struct Mount {
    pub(crate) prefix: Prefix,
    pub(crate) core: Arc<Core>,
}

/// What stands before the names of a mounted server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Prefix(Arc<str>);

impl Prefix {
    pub(crate) fn new(prefix: &str) -> Self {
        Self(prefix.into())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// `add` under `math` is `math_add`. The underscore is allowed in tool names, and model providers that are stricter than
    /// the protocol allow it too.
    pub(crate) fn name(&self, name: &str) -> String {
        format!("{}_{name}", self.0)
    }

    /// `note://7` under `docs` is `note://docs/7`, `file:///a` is `file:///docs/a`, `urn:x` is `urn:docs/x`: the scheme stays,
    /// the prefix becomes the first segment after it.
    pub(crate) fn uri(&self, uri: &str) -> String {
        let at = scheme_end(uri);
        let (scheme, rest) = uri.split_at(at);
        format!("{scheme}{}/{rest}", self.0)
    }

    /// Undoes [`uri`](Self::uri).
    pub(crate) fn strip_uri(&self, uri: &str) -> Option<String> {
        let (scheme, rest) = uri.split_at(scheme_end(uri));
        let rest = rest.strip_prefix(self.as_str())?.strip_prefix('/')?;
        Some(format!("{scheme}{rest}"))
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
}
