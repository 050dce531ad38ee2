//! What a store of sessions can do.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;

use super::{NewSession, SessionRecord};
use crate::{Boxed, StoreError};

/// Keeps sessions where every node finds them.
///
/// Each method is one step that happens whole or not at all. A session is a set of fields, each changed on its own, so that two nodes do
/// not undo each other's work. It is kept until it has not been used for as long as the caller said with its last use.
pub trait SessionStore: fmt::Debug + Send + Sync + 'static {
    /// Adds a session. When it returns, everyone finds it.
    ///
    /// # Errors
    /// There is no room, for this owner or at all, or the id is in use.
    fn create(&self, session: NewSession) -> Boxed<'_, Result<(), StoreError>>;

    /// Finds a session. That is not a use of it.
    ///
    /// # Errors
    /// The store is not available.
    fn load<'a>(&'a self, id: &'a str) -> Boxed<'a, Result<Option<SessionRecord>, StoreError>>;

    /// Notes that a session is in use, and how long it is kept from now on without another use. Returns the version that the session is
    /// at, so that one who remembers an older one knows to load it again; `None` if it is gone.
    ///
    /// # Errors
    /// The store is not available.
    fn touch<'a>(&'a self, id: &'a str, idle: Duration) -> Boxed<'a, Result<Option<u64>, StoreError>>;

    /// Changes fields: sets those with a value and removes the others. The rest stays as it is. Returns the version after the change;
    /// `None` if the session is gone.
    ///
    /// # Errors
    /// There is no room for what the change adds, or the store is not available.
    fn change<'a>(
        &'a self,
        id: &'a str,
        fields: Vec<(String, Option<Bytes>)>,
    ) -> Boxed<'a, Result<Option<u64>, StoreError>>;

    /// Removes a session; says whether it was there.
    ///
    /// # Errors
    /// The store is not available.
    fn remove<'a>(&'a self, id: &'a str) -> Boxed<'a, Result<bool, StoreError>>;

    /// Counts the sessions of an owner.
    ///
    /// # Errors
    /// The store is not available.
    fn count<'a>(&'a self, owner: &'a str) -> Boxed<'a, Result<usize, StoreError>>;
}
