//! Scopes: what a token allows.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A set of scopes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Scopes(BTreeSet<String>);

impl Scopes {
    /// The empty set.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Reads a list of scopes with spaces between; none if a character is not allowed in one (RFC 6749, section 3.3).
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_allowed = |byte: u8| matches!(byte, 0x21 | 0x23..=0x5b | 0x5d..=0x7e);
        let mut scopes = BTreeSet::new();
        for scope in text.split(' ').filter(|scope| !scope.is_empty()) {
            if !scope.bytes().all(is_allowed) {
                return None;
            }
            scopes.insert(scope.to_owned());
        }
        Some(Self(scopes))
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a scope is in the set itself, hierarchies aside.
    #[must_use]
    pub fn contains(&self, scope: &str) -> bool {
        self.0.contains(scope)
    }

    /// Whether all scopes of the set are in another.
    #[must_use]
    pub fn is_subset(&self, of: &Self) -> bool {
        self.0.is_subset(&of.0)
    }

    /// Returns the scopes that are in either.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self(self.0.union(&other.0).cloned().collect())
    }

    /// Returns the scopes that are in both.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        Self(self.0.intersection(&other.0).cloned().collect())
    }

    /// Returns the set without one scope.
    #[must_use]
    pub fn without(mut self, scope: &str) -> Self {
        self.0.remove(scope);
        self
    }

    /// Returns the scopes, sorted.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl<S: Into<String>> FromIterator<S> for Scopes {
    fn from_iter<I: IntoIterator<Item = S>>(scopes: I) -> Self {
        Self(scopes.into_iter().map(Into::into).collect())
    }
}

/// Reads scopes with spaces between. What is no scope at all is left out.
impl From<&str> for Scopes {
    fn from(text: &str) -> Self {
        text.split(' ').filter_map(Self::parse).fold(Self::none(), |all, one| all.union(&one))
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, scope) in self.0.iter().enumerate() {
            if place > 0 {
                f.write_str(" ")?;
            }
            f.write_str(scope)?;
        }
        Ok(())
    }
}

impl Serialize for Scopes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Scopes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("not a list of scopes"))
    }
}

/// Which scopes imply which: `files:write` may include `files:read`.
#[derive(Clone, Debug, Default)]
pub struct ScopeHierarchy(BTreeMap<String, Scopes>);

impl ScopeHierarchy {
    /// No scope implies another.
    #[must_use]
    pub fn flat() -> Self {
        Self::default()
    }

    /// Says that whoever has `broad` has all of `narrow` too.
    #[must_use]
    pub fn implies(mut self, broad: impl Into<String>, narrow: impl Into<Scopes>) -> Self {
        let entry = self.0.entry(broad.into()).or_default();
        *entry = entry.union(&narrow.into());
        self
    }

    /// Returns the scopes with everything they imply, in any number of steps.
    #[must_use]
    pub fn expand(&self, granted: &Scopes) -> Scopes {
        let mut all = granted.clone();
        let mut open: Vec<String> = granted.0.iter().cloned().collect();
        while let Some(scope) = open.pop() {
            for implied in self.0.get(&scope).into_iter().flat_map(|implied| &implied.0) {
                if all.0.insert(implied.clone()) {
                    open.push(implied.clone());
                }
            }
        }
        all
    }

    /// Whether what was granted is enough.
    #[must_use]
    pub fn allows(&self, granted: &Scopes, needed: &Scopes) -> bool {
        needed.is_subset(granted) || needed.is_subset(&self.expand(granted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_a_set_with_spaces_between() {
        let scopes = Scopes::parse("b a  b").unwrap();
        assert_eq!(scopes.to_string(), "a b");
        assert_eq!(Scopes::parse("a\"b"), None);
        assert_eq!(Scopes::parse("a\\b"), None);
        assert_eq!(Scopes::parse(""), Some(Scopes::none()));
    }

    /// AUTH-098
    #[test]
    fn a_broad_scope_implies_narrow_ones_in_any_number_of_steps() {
        let hierarchy =
            ScopeHierarchy::flat().implies("admin", "write").implies("write", "read").implies("read", "write");
        assert!(hierarchy.allows(&"admin".into(), &"read write".into()));
        assert!(hierarchy.allows(&"read".into(), &"write".into()));
        assert!(!hierarchy.allows(&"write".into(), &"admin".into()));
        assert!(!ScopeHierarchy::flat().allows(&"admin".into(), &"read".into()));
    }
}
