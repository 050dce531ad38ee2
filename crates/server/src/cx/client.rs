//! The client of a call, for work that goes on after the call.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, Weak};
use std::{fmt, ptr};

use jackfield_peer::{Caller, Outlet, Session, Shutdown, ShutdownTrigger};
use jackfield_protocol::{LoggingLevel, Notification, Revision, write_notification};
use serde::Serialize;

use super::Cx;
use super::log::log_params;
use crate::builder::core::Core;
use crate::subscriptions::changes::{Change, StreamOwner};

/// The client of a call, for work that goes on after the call: a [`Cx`] is silent once its call has ended. Cheap to clone, and two of the
/// same client are equal.
///
/// ```
/// # use jackfield_server::{Cx, NotifyError};
/// # async fn build() -> String { String::new() }
/// # fn start(cx: &Cx) {
/// let client = cx.client();
/// tokio::spawn(async move {
///     tokio::select! {
///         built = build() => client.log(jackfield_protocol::LoggingLevel::Info, None, built).await,
///         () = client.closed() => Err(NotifyError::Closed),
///     }
/// });
/// # }
/// ```
///
/// In the legacy era this is the session, which takes all notifications and can be asked. A client of the modern era has no session: it
/// hears of changes on the streams that it has opened with `subscriptions/listen`, on the same connection or as the same user, and
/// on this node; it gets log messages and questions during calls only.
#[derive(Clone)]
pub struct ClientHandle {
    caller: Arc<Caller>,
    reach: Reach,
    /// Ends with the connection, or with the server.
    shutdown: Shutdown,
    // A handle may be kept in the state of the server, which it must not keep alive.
    outer: Weak<Core>,
    /// The server that the handler belongs to, which may be mounted in the outer one.
    own: Weak<Core>,
}

/// Where a client can be reached.
#[derive(Clone)]
enum Reach {
    Session {
        session: Weak<Session>,
        ended: Shutdown,
    },
    Streams {
        owner: StreamOwner,
        /// While it is kept, no other outlet has the address that may name the owner.
        _outlet: Weak<dyn Outlet>,
    },
}

/// Why a client was not notified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotifyError {
    /// The session or the connection has ended.
    #[error("the client is gone")]
    Closed,
    /// The client has not asked for this: it has not subscribed to the resource, or has no stream open that is about it.
    #[error("the client does not listen for this")]
    NotListening,
    /// The revision that the client speaks has no such notification, or none outside of a call.
    #[error("a client of this revision cannot be told this outside of a call")]
    NotSupported,
    /// The client does not read, or gets more than the limits allow.
    #[error("the client does not read, or too much was sent to it")]
    TooMany,
}

impl Cx {
    /// Returns a handle to the client that can be used after the call.
    #[must_use]
    pub fn client(&self) -> ClientHandle {
        let (call, incoming) = (self.call(), &self.call().incoming);
        let (reach, shutdown) = match &incoming.session {
            Some(session) => {
                let shutdown = session.outlet().shutdown();
                let (session, ended) = (Arc::downgrade(session), end_of(session));
                (Reach::Session { session, ended }, shutdown)
            }
            None => {
                let owner = StreamOwner::of(&incoming.caller, &incoming.outlet);
                (Reach::Streams { owner, _outlet: Arc::downgrade(&incoming.outlet) }, incoming.outlet.shutdown())
            }
        };
        let (outer, own) = (Arc::downgrade(&call.outer), Arc::downgrade(call.core()));
        ClientHandle { caller: incoming.caller.clone(), reach, shutdown, outer, own }
    }
}

impl ClientHandle {
    /// Returns what the client said about itself.
    #[must_use]
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Returns the revision of the protocol that the client speaks.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.caller.revision
    }

    /// Whether the session or the connection has ended. Of a client of the modern era over HTTP, which has neither, it says whether the
    /// server has ended.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        let ended = matches!(&self.reach, Reach::Session { session, .. } if session.strong_count() == 0);
        ended || self.shutdown.is_triggered()
    }

    /// Waits until the client [is gone](Self::is_closed).
    pub async fn closed(&self) {
        match &self.reach {
            Reach::Session { ended, .. } => tokio::select! {
                () = ended.triggered() => {}
                () = self.shutdown.triggered() => {}
            },
            Reach::Streams { .. } => self.shutdown.triggered().await,
        }
    }

    /// Whether the client has subscribed to a resource, or listens to it.
    #[must_use]
    pub fn is_subscribed(&self, uri: &str) -> bool {
        match &self.reach {
            Reach::Session { session, .. } => session.upgrade().is_some_and(|session| session.is_subscribed(uri)),
            Reach::Streams { owner, .. } => {
                let change = self.outside(Change::Resource(uri.to_owned()));
                self.outer.upgrade().is_some_and(|outer| outer.hub.audience().has_stream(owner, &change))
            }
        }
    }

    /// Sends a log message, if the client wants messages of that level; waits while it does not read. See [`Cx::log`] for what is left
    /// out of it.
    ///
    /// # Errors
    /// The client is gone, gets too many of them, or is one of the modern era, where each request says whether it wants any.
    pub async fn log(
        &self,
        level: LoggingLevel,
        logger: Option<&str>,
        data: impl Serialize,
    ) -> Result<(), NotifyError> {
        let session = self.live_session()?;
        let outer = self.outer.upgrade().ok_or(NotifyError::Closed)?;
        if !outer.logs() || level < session.log_level().unwrap_or(LoggingLevel::Info) {
            return Ok(());
        }
        if !outer.admits_log_of(&self.caller, Some(&session)) {
            return Err(NotifyError::TooMany);
        }
        drop((session, outer));
        match log_params(level, logger, data) {
            Some(params) => self.notify(params).await,
            None => Ok(()),
        }
    }

    /// Sends any notification of the protocol, as it is; waits while the client does not read.
    ///
    /// # Errors
    /// The client is gone, or its revision has no such notification or takes none outside of a call.
    pub async fn notify(&self, notification: impl Into<Notification>) -> Result<(), NotifyError> {
        let message = self.encoded(notification.into())?;
        // The session may end while the client does not read.
        let outlet = self.live_session()?.outlet().clone();
        outlet.notify(None, message).await.map_err(|_| NotifyError::Closed)
    }

    /// Sends any notification of the protocol, as [`notify`](Self::notify) does, if the client reads.
    ///
    /// # Errors
    /// As with `notify`; or the client does not read.
    pub fn try_notify(&self, notification: impl Into<Notification>) -> Result<(), NotifyError> {
        let message = self.encoded(notification.into())?;
        match self.live_session()?.outlet().try_notify(None, message) {
            true => Ok(()),
            false if self.is_closed() => Err(NotifyError::Closed),
            false => Err(NotifyError::TooMany),
        }
    }

    /// Tells this client that its list of tools changed, such as after what it may [see](crate::Server::visible_to) changed. What is
    /// registered and removed is told to all clients by itself.
    ///
    /// # Errors
    /// The client is gone, or does not listen.
    pub fn notify_tools_changed(&self) -> Result<(), NotifyError> {
        self.tell(Change::Tools)
    }

    /// Tells this client that its list of prompts changed.
    ///
    /// # Errors
    /// The client is gone, or does not listen.
    pub fn notify_prompts_changed(&self) -> Result<(), NotifyError> {
        self.tell(Change::Prompts)
    }

    /// Tells this client that its list of resources changed.
    ///
    /// # Errors
    /// The client is gone, or does not listen.
    pub fn notify_resources_changed(&self) -> Result<(), NotifyError> {
        self.tell(Change::Resources)
    }

    /// Tells this client that a resource changed, if it has subscribed to it.
    ///
    /// # Errors
    /// The client is gone, or has not subscribed.
    pub fn notify_resource_updated(&self, uri: impl Into<String>) -> Result<(), NotifyError> {
        self.tell(self.outside(Change::Resource(uri.into())))
    }

    fn tell(&self, change: Change) -> Result<(), NotifyError> {
        let outer = self.outer.upgrade().filter(|_| !self.is_closed()).ok_or(NotifyError::Closed)?;
        let is_told = match &self.reach {
            Reach::Session { session, .. } => {
                outer.hub.tell_session(&session.upgrade().ok_or(NotifyError::Closed)?, &change)
            }
            Reach::Streams { owner, .. } => outer.hub.audience().tell_streams_of(owner, &change),
        };
        if is_told { Ok(()) } else { Err(NotifyError::NotListening) }
    }

    /// Names a resource of a mounted server as clients know it.
    fn outside(&self, change: Change) -> Change {
        match (change, self.outer.upgrade(), self.own.upgrade()) {
            (Change::Resource(uri), Some(outer), Some(own)) if !Arc::ptr_eq(&outer, &own) => {
                Change::Resource(own.outer_uri(&own.prefixes_in(&outer), &uri))
            }
            (change, ..) => change,
        }
    }

    fn encoded(&self, notification: Notification) -> Result<Vec<u8>, NotifyError> {
        let mut message = Vec::new();
        write_notification(&mut message, notification, self.revision()).map_err(|_| NotifyError::NotSupported)?;
        Ok(message)
    }

    /// Returns the session, if it lives.
    pub(crate) fn live_session(&self) -> Result<Arc<Session>, NotifyError> {
        match &self.reach {
            Reach::Session { session, .. } => {
                session.upgrade().filter(|_| !self.shutdown.is_triggered()).ok_or(NotifyError::Closed)
            }
            Reach::Streams { .. } => Err(NotifyError::NotSupported),
        }
    }
}

/// Kept with a session; its end is that of the session.
struct SessionEnd {
    _trigger: ShutdownTrigger,
    ended: Shutdown,
}

/// Tells when a session ends. An outlet of HTTP knows only when the server does.
fn end_of(session: &Session) -> Shutdown {
    let mut extensions = session.extensions();
    if let Some(known) = extensions.get_ref::<SessionEnd>() {
        return known.ended.clone();
    }
    let (trigger, ended) = Shutdown::new();
    extensions.insert(SessionEnd { _trigger: trigger, ended: ended.clone() });
    ended
}

impl PartialEq for ClientHandle {
    fn eq(&self, other: &Self) -> bool {
        match (&self.reach, &other.reach) {
            (Reach::Session { session: one, .. }, Reach::Session { session: other, .. }) => one.ptr_eq(other),
            (Reach::Streams { owner: one, .. }, Reach::Streams { owner: other, .. }) => one == other,
            _ => false,
        }
    }
}

impl Eq for ClientHandle {}

impl Hash for ClientHandle {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.reach {
            Reach::Session { session, .. } => ptr::hash(session.as_ptr(), state),
            Reach::Streams { owner, .. } => owner.hash(state),
        }
    }
}

impl fmt::Debug for ClientHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientHandle")
            .field("revision", &self.revision())
            .field("is_closed", &self.is_closed())
            .finish()
    }
}
