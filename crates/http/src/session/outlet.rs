//! The outlet of a session: messages that belong to no request.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Weak};

use bytes::Bytes;
use jackfield_peer::{AskError, Closed, Outlet, RequestKey, Shutdown};

use super::{Live, Transport};

/// Takes messages that belong to no request to the stream that the client opened for them.
#[derive(Debug)]
pub(crate) struct SessionOutlet {
    // The session owns the outlet, not the other way round; frameworks may keep the outlet for longer.
    live: Weak<Live>,
    shutdown: Shutdown,
}

impl SessionOutlet {
    pub(crate) fn new(live: Weak<Live>, shutdown: Shutdown) -> Self {
        Self { live, shutdown }
    }

    fn live(&self) -> Option<Arc<Live>> {
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
            match live.opened_standalone() {
                Some(stream) => stream.append_when_room(message).await,
                // Nobody has ever listened: the notice is for nobody.
                None => tracing::trace!(session = ?live.id, "a notice for nobody"),
            }
            Ok(())
        })
    }

    fn try_notify(&self, _about: Option<RequestKey>, message: Vec<u8>) -> bool {
        let Some(live) = self.live() else { return false };
        live.opened_standalone().is_some_and(|stream| stream.try_append(message).is_ok())
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
            live.questions.ask(method, params, &|message| stream.append(message)).await
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
