//! The work on a request or notification.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use jackfield_protocol::ErrorObject;
use tracing::{Instrument, Span};

use super::panics::{Guarded, handle};
use crate::{Answering, Handler, Incoming, Reply};

/// The work on a request or notification, after it was polled once.
#[expect(clippy::allow_attributes, reason = "how large depends on the features of serde_json")]
#[allow(clippy::large_enum_variant, reason = "moving an answer is cheaper than allocating for each")]
pub enum Work {
    /// It is done.
    Ready(Reply),
    /// The transport has to go on polling it. It ends with an error when it panics or takes too long.
    Pending(Guarded),
}

impl Work {
    /// Begins the work on a notification, which may take `limit`.
    pub fn on_notification(handler: &dyn Handler, incoming: Incoming, limit: Option<Duration>) -> Self {
        Self::begin(handler, incoming, limit, &Span::none())
    }

    /// Begins to answer, and polls once in place: most handlers are ready at once, and need neither a task nor a timer.
    #[inline]
    pub(super) fn begin(handler: &dyn Handler, incoming: Incoming, limit: Option<Duration>, span: &Span) -> Self {
        let answering = {
            // A closure would be one more place that the request is moved to.
            let _inside = span.enter();
            handle(handler, incoming)
        };
        match answering {
            Answering::Ready(reply) => Self::Ready(reply),
            Answering::Later(future) => Self::poll_once(Guarded(future), limit, span),
        }
    }

    fn poll_once(mut future: Guarded, limit: Option<Duration>, span: &Span) -> Self {
        // No wake-up is lost: the transport polls a pending future again at once, with the waker of its task.
        let mut cx = Context::from_waker(Waker::noop());
        match span.in_scope(|| Pin::new(&mut future).poll(&mut cx)) {
            Poll::Ready(reply) => Self::Ready(reply),
            Poll::Pending => Self::Pending(inside(within(future, limit), span)),
        }
    }

    /// Waits for the end.
    pub async fn reply(self) -> Reply {
        match self {
            Self::Ready(reply) => reply,
            Self::Pending(future) => future.await,
        }
    }
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ready(reply) => f.debug_tuple("Ready").field(reply).finish(),
            Self::Pending(_) => f.write_str("Pending"),
        }
    }
}

/// Ends a future after `limit`.
fn within(future: Guarded, limit: Option<Duration>) -> Guarded {
    let Some(limit) = limit else { return future };
    Guarded(Box::pin(async move {
        tokio::time::timeout(limit, future)
            .await
            .unwrap_or_else(|_| Err(ErrorObject::internal("the request took too long and was ended")))
    }))
}

/// Polls a future inside its span, if anybody records it.
fn inside(future: Guarded, span: &Span) -> Guarded {
    if span.is_disabled() { future } else { Guarded(Box::pin(future.instrument(span.clone()))) }
}
