//! Serving one byte stream with one message per line.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use tokio::io::{AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinError;
use tokio::time::Instant;

use super::dispatch::{Finished, StreamDispatch};
use super::lines::Lines;
use super::stream_outlet::{Queued, StreamOutlet};
use crate::tape::Recorder;
use crate::{ByteStream, CallerResolver, Handler, Principal, Shutdown, StreamLimits};

/// Serves one byte stream with one message per line: standard streams, a socket, a pipe, or memory.
pub struct Connection {
    handler: Arc<dyn Handler>,
    limits: StreamLimits,
    principal: Option<Principal>,
    shutdown: Option<Shutdown>,
    recorder: Option<Recorder>,
}

/// The stream failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Reading failed.
    #[error("reading from the peer failed")]
    Read(#[source] io::Error),
    /// Writing failed.
    #[error("writing to the peer failed")]
    Write(#[source] io::Error),
}

#[expect(clippy::allow_attributes, reason = "how large depends on the features of serde_json")]
#[allow(clippy::large_enum_variant, reason = "one at a time, on the stack")]
enum Event {
    Read(io::Result<usize>),
    Wrote(io::Result<usize>),
    Flushed(io::Result<()>),
    Finished(Result<Finished, JoinError>),
    Message(Queued),
    Shutdown,
    DrainOver,
    TurnOver,
}

impl Connection {
    /// Makes a connection that is answered by `handler`.
    pub fn new(handler: Arc<dyn Handler>) -> Self {
        Self { handler, limits: StreamLimits::default(), principal: None, shutdown: None, recorder: None }
    }

    /// Sets the limits of the stream. Those of calls are the [handler's](Handler::call_limits).
    #[must_use]
    pub fn with_limits(mut self, limits: StreamLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Names the authenticated user at the other end.
    #[must_use]
    pub fn with_principal(mut self, principal: Principal) -> Self {
        self.principal = Some(principal);
        self
    }

    /// Ends the connection when `shutdown` is triggered.
    #[must_use]
    pub fn with_shutdown(mut self, shutdown: Shutdown) -> Self {
        self.shutdown = Some(shutdown);
        self
    }

    /// Records every message in both directions.
    #[must_use]
    pub fn with_recorder(mut self, recorder: Recorder) -> Self {
        self.recorder = Some(recorder);
        self
    }

    /// Serves the stream until the peer closes it or shutdown is triggered. Requests under way then have the time of
    /// [`StreamLimits::end_of_input`] or [`StreamLimits::drain`] to finish; what still runs after that is dropped.
    ///
    /// # Errors
    /// The stream failed. A peer that closes its reading end early is not an error.
    ///
    /// # Cancellation
    /// Dropping the future drops all handlers under way.
    pub async fn serve(self, stream: ByteStream) -> Result<(), Error> {
        let outer = self.shutdown.clone();
        let (trigger, inner) = Shutdown::new();
        let calls = self.handler.call_limits();
        let (outlet, mut queue) = StreamOutlet::new(&self.limits, &calls, inner);
        let resolver = CallerResolver::new(self.handler.revisions(), self.principal);
        let mut lines = Lines::new(self.limits.line_bytes);
        let (drain, end_of_input) = (self.limits.drain, self.limits.end_of_input);
        let turn = self.limits.queued_messages;
        let mut dispatch =
            StreamDispatch::new(self.handler, self.limits, calls, resolver, outlet.clone(), self.recorder);
        let ByteStream { mut reader, mut writer } = stream;
        let mut deadline = None;
        // Nothing more will come. At a shutdown a line that is half here stays what it is.
        let mut at_end = false;
        let mut unflushed = false;
        // How many messages of handlers have been taken without a look at what else has happened.
        let mut taken = 0;
        let told = async move {
            match outer {
                Some(outer) => outer.triggered().await,
                None => std::future::pending().await,
            }
        };
        tokio::pin!(told);

        loop {
            serve_lines(&mut dispatch, &mut lines, &mut queue, at_end);
            let all_written = dispatch.output.is_empty() && !unflushed;
            if deadline.is_some() && dispatch.tasks.is_empty() && all_written && queue.is_empty() {
                break;
            }
            let room = !dispatch.is_full();
            // Handlers that send without end must not keep the peer, and those who end the connection, from being heard.
            let turn_over = taken >= turn;
            let event = tokio::select! {
                biased;
                event = write(&mut *writer, dispatch.output.waiting()), if !all_written => event,
                Some(ended) = dispatch.tasks.join_next(), if room => Event::Finished(ended),
                Some(message) = queue.recv(), if room && !turn_over => Event::Message(message),
                () = &mut told, if deadline.is_none() => Event::Shutdown,
                read = reader.read_buf(lines.space()), if room && deadline.is_none() => Event::Read(read),
                () = sleep_until(deadline), if deadline.is_some() => Event::DrainOver,
                // By then the others have been looked at with a fresh budget of the runtime.
                () = tokio::task::yield_now(), if turn_over => Event::TurnOver,
            };
            match event {
                Event::Wrote(Ok(0)) => break,
                Event::Wrote(Ok(count)) => {
                    dispatch.output.wrote(count);
                    if dispatch.output.is_empty() {
                        unflushed = !flush_at_once(&mut *writer).await.map_err(Error::Write)?;
                    }
                }
                Event::Flushed(Ok(())) => unflushed = false,
                Event::Wrote(Err(error)) if error.kind() == io::ErrorKind::BrokenPipe => break,
                Event::Wrote(Err(error)) | Event::Flushed(Err(error)) => return Err(Error::Write(error)),
                Event::Finished(ended) => dispatch.finished(ended, &mut || queue.try_recv().ok()),
                Event::Message(message) => {
                    taken = taken.saturating_add(1);
                    dispatch.message(message, None);
                }
                Event::TurnOver => taken = 0,
                Event::Read(Ok(count)) if count > 0 => taken = 0,
                Event::Read(Err(error)) if error.kind() != io::ErrorKind::ConnectionReset => {
                    return Err(Error::Read(error));
                }
                Event::Read(_) | Event::Shutdown => {
                    at_end = matches!(event, Event::Read(_));
                    // The last line may lack its end, and hold the answer that a question waits for.
                    serve_lines(&mut dispatch, &mut lines, &mut queue, at_end);
                    let grace = if at_end { end_of_input } else { drain };
                    deadline = Instant::now().checked_add(grace).or_else(|| Some(Instant::now()));
                    trigger.trigger();
                    outlet.questions.close();
                }
                Event::DrainOver => break,
            }
        }
        let _ = tokio::time::timeout(std::time::Duration::from_secs(1), writer.shutdown()).await;
        Ok(())
    }
}

/// Serves the lines that have come, as long as there is room for the answers.
fn serve_lines(dispatch: &mut StreamDispatch, lines: &mut Lines, queue: &mut mpsc::Receiver<Queued>, ended: bool) {
    while !dispatch.is_full() {
        let line = match lines.next() {
            Some(line) => line,
            None if ended => match lines.finish() {
                Some(line) => line,
                None => return,
            },
            None => return,
        };
        dispatch.line(line, &mut || queue.try_recv().ok());
    }
}

/// Writes some of what waits, or flushes what was written.
async fn write(writer: &mut (dyn AsyncWrite + Send + Unpin), waiting: &[u8]) -> Event {
    if waiting.is_empty() { Event::Flushed(writer.flush().await) } else { Event::Wrote(writer.write(waiting).await) }
}

/// Flushes without waiting. Returns whether that was possible.
async fn flush_at_once(writer: &mut (dyn AsyncWrite + Send + Unpin)) -> io::Result<bool> {
    std::future::poll_fn(|cx| match Pin::new(&mut *writer).poll_flush(cx) {
        Poll::Ready(flushed) => Poll::Ready(flushed.map(|()| true)),
        Poll::Pending => Poll::Ready(Ok(false)),
    })
    .await
}

async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("limits", &self.limits).finish_non_exhaustive()
    }
}
