//! A modern request under way: its handler, and the messages that it sends.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use jackfield_peer::deadline::after;
use jackfield_peer::{ActiveRequest, AskError, Closed, Handler, Outlet, Reply, RequestKey, Shutdown, Work};
use tokio::time::Sleep;

use super::queue::Queue;
use crate::request::Permit;
use crate::session::Shared;
use crate::sse::{COMMENT, write_event};
use crate::telemetry::OpenStream;

/// A modern request under way. The handler runs inside the response: when the client closes the connection, the response is
/// dropped, and the handler with it.
pub(crate) struct ModernStream {
    /// None when it is over.
    pub(crate) work: Option<Work>,
    pub(crate) outlet: Arc<ModernOutlet>,
    pub(crate) request: ActiveRequest,
    pub(crate) handler: Arc<dyn Handler>,
    pub(crate) silence: Pin<Box<Sleep>>,
    pub(crate) keep_alive: Duration,
    /// What counts as long as the request runs.
    pub(crate) _permit: Option<Permit>,
    pub(crate) _open: Option<OpenStream>,
}

/// What comes first from a handler that was not ready at once.
pub(crate) enum First {
    /// Its answer, and nothing before it.
    Answer(Reply),
    /// A message, or nothing for a while: the response becomes a stream.
    Stream,
}

impl ModernStream {
    /// Waits until it is clear whether the response is one text or a stream.
    pub(crate) fn poll_first(&mut self, cx: &mut Context<'_>, may_stream: bool) -> Poll<First> {
        self.poll_work(cx);
        let streams = may_stream && (!self.outlet.queue.is_empty() || self.silence.as_mut().poll(cx).is_ready());
        match self.work.take() {
            Some(Work::Ready(reply)) if !streams => Poll::Ready(First::Answer(reply)),
            work => {
                self.work = work;
                if streams { Poll::Ready(First::Stream) } else { self.poll_queue(cx) }
            }
        }
    }

    /// Registers for the first message.
    fn poll_queue(&self, cx: &Context<'_>) -> Poll<First> {
        match self.outlet.queue.poll_ready(cx) {
            Poll::Ready(()) => Poll::Ready(First::Stream),
            Poll::Pending => Poll::Pending,
        }
    }

    fn poll_work(&mut self, cx: &mut Context<'_>) {
        if let Some(Work::Pending(future)) = &mut self.work
            && let Poll::Ready(reply) = Pin::new(future).poll(cx)
        {
            self.work = Some(Work::Ready(reply));
        }
    }

    /// Returns the next bytes of the stream: all messages that wait, then the answer, then the end.
    pub(crate) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if self.work.is_none() {
            return Poll::Ready(None);
        }
        self.poll_work(cx);
        let messages = self.outlet.queue.poll_take(cx);
        let mut text = Vec::new();
        if let Poll::Ready(messages) = messages {
            write_messages(&mut text, messages);
        }
        if let Some(Work::Ready(reply)) = self.work.take_if(|work| matches!(work, Work::Ready(_))) {
            self.outlet.queue.close();
            let mut answer = Vec::with_capacity(256);
            self.request.answer(reply, &*self.handler)(&mut answer);
            write_event(&mut text, None, None, &crate::events::one_line(answer));
        }
        if text.is_empty() {
            if self.silence.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            text.extend_from_slice(COMMENT);
        }
        // The body is polled again after each piece, which registers for the timer.
        self.silence.as_mut().reset(after(self.keep_alive));
        Poll::Ready(Some(text.into()))
    }
}

impl Drop for ModernStream {
    fn drop(&mut self) {
        // A handler may have handed its outlet to somebody else, who learns now that nobody listens.
        self.outlet.queue.close();
    }
}

fn write_messages(text: &mut Vec<u8>, messages: VecDeque<Vec<u8>>) {
    for message in messages {
        write_event(text, None, None, &crate::events::one_line(message));
    }
}

/// Takes the messages of a handler to the stream of its own request.
#[derive(Debug)]
pub(crate) struct ModernOutlet {
    pub(crate) queue: Queue,
    pub(crate) shared: Arc<Shared>,
    /// The client takes no stream, so that messages are thrown away.
    pub(crate) silent: bool,
}

impl Outlet for ModernOutlet {
    fn notify(
        &self,
        _about: Option<RequestKey>,
        message: Vec<u8>,
    ) -> Pin<Box<dyn Future<Output = Result<(), Closed>> + Send + '_>> {
        Box::pin(async move { if self.silent { Ok(()) } else { self.queue.push(message).await } })
    }

    fn try_notify(&self, _about: Option<RequestKey>, message: Vec<u8>) -> bool {
        !self.silent && self.queue.try_push(message)
    }

    /// A modern server asks through results, never through requests of its own.
    fn ask<'a>(
        &'a self,
        _method: &'static str,
        _params: Vec<u8>,
    ) -> Pin<Box<dyn Future<Output = Result<Bytes, AskError>> + Send + 'a>> {
        Box::pin(std::future::ready(Err(AskError::Closed)))
    }

    fn shutdown(&self) -> Shutdown {
        self.shared.shutdown.clone()
    }
}
