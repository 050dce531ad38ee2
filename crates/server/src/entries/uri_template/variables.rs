//! The values that a template found in a URI.

use std::collections::BTreeMap;
use std::str::FromStr;

/// The values that a template found in a URI, decoded once: `%252e` is `%2e` here, not a dot.
///
/// A variable has one value, with any commas in it; one with `*` has a value for each element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variables(pub BTreeMap<String, Vec<String>>);

impl Variables {
    /// Returns the value of a variable; the first if it has several.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.all(name).first().map(String::as_str)
    }

    /// Returns all values of a variable.
    #[must_use]
    pub fn all(&self, name: &str) -> &[String] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    /// Reads the value of a variable as a type; `None` if it is absent.
    ///
    /// # Errors
    /// The value does not fit the type.
    pub fn parse<T: FromStr>(&self, name: &str) -> Result<Option<T>, T::Err> {
        self.get(name).map(str::parse).transpose()
    }

    /// Returns the value of a variable as a relative path that stays inside its folder: no `..`, no root, no drive, no
    /// backslash, no NUL. Symbolic links are not looked at.
    #[must_use]
    pub fn path(&self, name: &str) -> Option<&str> {
        self.get(name).filter(|path| !leads_outside(path) && !path.starts_with('/'))
    }

    pub(super) fn lead_outside(&self) -> bool {
        self.0.values().flatten().any(|value| leads_outside(value))
    }
}

/// Whether a path may lead out of its folder on any system.
fn leads_outside(path: &str) -> bool {
    let drive = path.as_bytes().get(1) == Some(&b':') && path.starts_with(|c: char| c.is_ascii_alphabetic());
    drive || path.contains(['\\', '\0']) || path.split('/').any(|segment| segment == "..")
}
