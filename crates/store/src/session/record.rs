//! What is kept of a session.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use bytes::Bytes;

/// A session that is to be kept.
#[derive(Clone)]
#[non_exhaustive]
pub struct NewSession {
    /// Its name. Whoever knows it may be let in, so nobody can guess it.
    pub id: String,
    /// Whose it is, in the words of the store's user.
    pub owner: Option<String>,
    /// What is known of it from the beginning.
    pub fields: BTreeMap<String, Bytes>,
    /// How long it is kept without being used.
    pub idle: Duration,
    /// The most sessions that are kept for one owner.
    pub owner_limit: usize,
}

impl NewSession {
    /// Describes a session of nobody in particular, of which nothing is known.
    pub fn new(id: impl Into<String>, idle: Duration) -> Self {
        Self { id: id.into(), owner: None, fields: BTreeMap::new(), idle, owner_limit: usize::MAX }
    }

    /// Says whose it is, and how many of them the owner may have.
    #[must_use]
    pub fn with_owner(mut self, owner: impl Into<String>, limit: usize) -> Self {
        (self.owner, self.owner_limit) = (Some(owner.into()), limit);
        self
    }

    /// Adds something that is known from the beginning.
    #[must_use]
    pub fn with_field(mut self, name: impl Into<String>, value: impl Into<Bytes>) -> Self {
        self.fields.insert(name.into(), value.into());
        self
    }
}

/// Logs are read by more people than sessions are.
impl fmt::Debug for NewSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields: Vec<_> = self.fields.keys().collect();
        f.debug_struct("NewSession").field("idle", &self.idle).field("fields", &fields).finish_non_exhaustive()
    }
}

/// What is kept of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionRecord {
    /// Whose it is.
    pub owner: Option<String>,
    /// What is known of it, by name.
    pub fields: BTreeMap<String, Bytes>,
    /// Grows with each change of the fields. Whoever remembers a record knows by it whether it still holds.
    pub version: u64,
}

impl SessionRecord {
    /// Makes a record, as a backend hands it out.
    #[must_use]
    pub fn new(owner: Option<String>, fields: BTreeMap<String, Bytes>, version: u64) -> Self {
        Self { owner, fields, version }
    }

    /// Returns what is known under a name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Bytes> {
        self.fields.get(name)
    }
}
