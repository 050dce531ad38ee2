//! The outlet of a session: messages that belong to no request.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Weak};

use bytes::Bytes;
use jackfield_peer::{AskError, Closed, Outlet, RequestKey, SessionChange, Shutdown};
use jackfield_protocol::LoggingLevel;

use super::{LocalSession, Transport};
use crate::nodes;

/// Takes messages that belong to no request to the stream that the client opened for them.
#[derive(Debug)]
pub(crate) struct SessionOutlet {
    // The session owns the outlet, not the other way round; frameworks may keep the outlet for longer.
    live: Weak<LocalSession>,
    shutdown: Shutdown,
    /// What all nodes call the session.
    name: Option<String>,
}

impl SessionOutlet {
    pub(crate) fn new(live: Weak<LocalSession>, shutdown: Shutdown, name: Option<String>) -> Self {
        Self { live, shutdown, name }
    }

    fn live(&self) -> Option<Arc<LocalSession>> {
        self.live.upgrade()
    }
}

impl Outlet for SessionOutlet {
    fn notify(
        &self,
        _about: Option<RequestKey>,
        message: Vec<u8>,
    ) -> Pin<Box<dyn Future<Output = Result<(), Closed>> + Send + '_>> {
        Box::pin(async move {
            let live = self.live().ok_or(Closed)?;
            let stream = match live.opened_standalone() {
                Some(stream) => stream,
                None if nodes::has_listener(&live).await => live.standalone(),
                None => {
                    // Nobody has ever listened: the notice is for nobody.
                    tracing::trace!(session = ?live.id, "a notice for nobody");
                    return Ok(());
                }
            };
            stream.append_when_room(message).await
        })
    }

    fn try_notify(&self, _about: Option<RequestKey>, message: Vec<u8>) -> bool {
        let Some(live) = self.live() else { return false };
        live.opened_standalone().is_some_and(|stream| stream.try_append(message).is_ok())
    }

    fn try_notify_once(&self, key: &str, message: Vec<u8>) -> bool {
        let Some(live) = self.live() else { return false };
        live.opened_standalone().is_some_and(|stream| stream.try_append_once(key, message))
    }

    fn keep(&self, change: SessionChange<'_>) -> Option<Pin<Box<dyn Future<Output = Result<(), Closed>> + Send>>> {
        let live = self.live().filter(|live| live.is_replicated())?;
        let uri = match change {
            SessionChange::Subscribed { uri, .. } | SessionChange::Unsubscribed(uri) => uri.to_owned(),
            _ => String::new(),
        };
        let change = match change {
            SessionChange::Subscribed { after, .. } => Kept::Subscribed { after },
            SessionChange::Unsubscribed(_) => Kept::Unsubscribed,
            SessionChange::LogLevel(level) => Kept::LogLevel(level),
            _ => return None,
        };
        Some(Box::pin(async move { nodes::keep_change(&live, change.of(&uri)).await.map_err(|_| Closed) }))
    }

    fn session_name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn ask<'a>(
        &'a self,
        method: &'static str,
        params: Vec<u8>,
    ) -> Pin<Box<dyn Future<Output = Result<Bytes, AskError>> + Send + 'a>> {
        Box::pin(async move {
            let live = self.live().ok_or(AskError::Closed)?;
            // The client may open its stream a little later; the question waits for it there.
            let stream = live.standalone().clone();
            live.ask(&stream, method, &params).await
        })
    }

    fn shutdown(&self) -> Shutdown {
        self.shutdown.clone()
    }

    fn release(&self, retry: std::time::Duration) -> bool {
        let live = self.live().filter(|live| live.transport == Transport::Streamable);
        let stream = live.and_then(|live| live.opened_standalone().cloned());
        stream.is_some_and(|stream| {
            stream.release(retry);
            true
        })
    }
}

/// A change without the text that it is about, which travels beside it.
#[derive(Clone, Copy)]
enum Kept {
    LogLevel(LoggingLevel),
    Subscribed { after: Option<u64> },
    Unsubscribed,
}

impl Kept {
    fn of(self, uri: &str) -> SessionChange<'_> {
        match self {
            Self::LogLevel(level) => SessionChange::LogLevel(level),
            Self::Subscribed { after } => SessionChange::Subscribed { uri, after },
            Self::Unsubscribed => SessionChange::Unsubscribed(uri),
        }
    }
}
