//! What handlers see of a legacy session.

use std::collections::BTreeSet;
use std::ops::DerefMut;
use std::sync::Arc;

use jackfield_peer::{Caller, Extensions, Session};
use jackfield_protocol::LoggingLevel;

/// The session of a caller whose revision has sessions: what the client said in it, and a place for what handlers remember of it.
#[derive(Clone, Copy, Debug)]
pub struct SessionView<'a>(pub(super) &'a Arc<Session>);

impl<'a> SessionView<'a> {
    /// Returns who opened the session.
    #[must_use]
    pub fn caller(&self) -> &'a Caller {
        self.0.caller()
    }

    /// Whether the client said `notifications/initialized`.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.0.is_ready()
    }

    /// Returns the level that `logging/setLevel` set last.
    #[must_use]
    pub fn log_level(&self) -> Option<LoggingLevel> {
        self.0.log_level()
    }

    /// Whether the client has subscribed to a resource.
    #[must_use]
    pub fn is_subscribed(&self, uri: &str) -> bool {
        self.0.is_subscribed(uri)
    }

    /// Returns the resources that the client has subscribed to.
    #[must_use]
    pub fn subscriptions(&self) -> BTreeSet<String> {
        self.0.subscriptions().clone()
    }

    /// Locks the values that handlers keep with the session, one of each type. They are dropped when it ends, and are not known to other
    /// nodes.
    #[must_use]
    pub fn extensions(&self) -> impl DerefMut<Target = Extensions> + 'a {
        self.0.extensions()
    }
}
