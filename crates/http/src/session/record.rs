//! Sessions beyond this process.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use bytes::Bytes;
use jackfield_peer::Principal;

use super::SessionId;

/// What another process needs to know to go on with a session.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionRecord {
    /// The JSON text of the parameters of `initialize`.
    pub initialize: Bytes,
    /// Who opened the session.
    pub principal: Option<Principal>,
    /// The client has said `notifications/initialized`.
    pub ready: bool,
}

impl SessionRecord {
    /// Describes a session.
    #[must_use]
    pub fn new(initialize: Bytes, principal: Option<Principal>, ready: bool) -> Self {
        Self { initialize, principal, ready }
    }
}

/// The answer of [`SessionTable::load`].
pub type Loading<'a> = Pin<Box<dyn Future<Output = Option<SessionRecord>> + Send + 'a>>;
/// The answer of [`SessionTable::save`] and [`SessionTable::remove`].
pub type Saving<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// Keeps sessions where other processes find them. It is asked only for sessions that this process does not have; it may
/// forget those that were not saved for as long as its own rules say.
pub trait SessionTable: Send + Sync + fmt::Debug + 'static {
    /// Adds a session, or changes what is known of it.
    fn save(&self, id: SessionId, record: SessionRecord) -> Saving<'_>;

    /// Finds a session.
    fn load(&self, id: SessionId) -> Loading<'_>;

    /// Removes a session that has ended.
    fn remove(&self, id: SessionId) -> Saving<'_>;
}
