//! The user's own crate, from which a server takes its version.

/// Facts from the manifest of the crate that a tool, resource or prompt was written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Package {
    /// The crate's name.
    pub name: &'static str,
    /// The crate's version.
    pub version: &'static str,
    /// The crate's description; may be empty.
    pub description: &'static str,
    /// The crate's home page; may be empty.
    pub homepage: &'static str,
}

impl Package {
    /// Takes the facts as `env!("CARGO_PKG_…")` gives them.
    #[must_use]
    pub const fn new(
        name: &'static str,
        version: &'static str,
        description: &'static str,
        homepage: &'static str,
    ) -> Self {
        Self { name, version, description, homepage }
    }
}
