//! A link over a byte stream with one message per line: standard streams, a socket, a pipe, or memory.

use std::fmt;
use std::future::{Future, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};

use bytes::BytesMut;
use jackfield_peer::{ByteStream, Line, Lines};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};

use crate::{Ended, Inbox, Link, NotSent, Outgoing};

/// What waits to be written. Callers append to it; the driver takes all of it at once, so that calls of the same moment share
/// one write.
#[derive(Debug, Default)]
struct Outbox {
    text: Vec<u8>,
    state: OutboxState,
    driver: Option<Waker>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum OutboxState {
    #[default]
    Open,
    /// What waits is still written; then the stream is closed.
    Closing,
    Ended,
}

/// The sending side of a byte stream.
pub(crate) struct StreamLink {
    outbox: Mutex<Outbox>,
    limit: usize,
}

impl StreamLink {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { outbox: Mutex::default(), limit })
    }

    fn outbox(&self) -> MutexGuard<'_, Outbox> {
        self.outbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_closing(&self) -> bool {
        self.outbox().state == OutboxState::Closing
    }

    /// Takes no more messages.
    pub(crate) fn end(&self) {
        let mut outbox = self.outbox();
        outbox.state = OutboxState::Ended;
        outbox.text = Vec::new();
    }
}

impl Link for StreamLink {
    fn send(&self, message: Outgoing<'_>) -> Result<(), NotSent> {
        let mut outbox = self.outbox();
        if outbox.state != OutboxState::Open {
            return Err(NotSent::Ended);
        }
        if outbox.text.len() > self.limit {
            return Err(NotSent::Full);
        }
        outbox.text.extend_from_slice(message.text);
        outbox.text.push(b'\n');
        let driver = outbox.driver.take();
        drop(outbox);
        if let Some(driver) = driver {
            driver.wake();
        }
        Ok(())
    }

    fn close(&self) {
        let mut outbox = self.outbox();
        if outbox.state == OutboxState::Open {
            outbox.state = OutboxState::Closing;
        }
        if let Some(driver) = outbox.driver.take() {
            driver.wake();
        }
    }
}

impl fmt::Debug for StreamLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamLink").field("waiting", &self.outbox().text.len()).finish_non_exhaustive()
    }
}

/// Moves the bytes of one stream. It has no queue between reading and the one who waits for the answer.
pub(crate) struct Driver {
    reader: Box<dyn AsyncRead + Send + Unpin>,
    writer: Option<Box<dyn AsyncWrite + Send + Unpin>>,
    lines: Lines,
    link: Arc<StreamLink>,
    inbox: Inbox,
    writing: Vec<u8>,
    written: usize,
    unflushed: bool,
}

impl Driver {
    pub(crate) fn new(stream: ByteStream, link: Arc<StreamLink>, inbox: Inbox, line_bytes: usize) -> Self {
        let (reader, writer) = stream.into_parts();
        Self {
            reader,
            writer: Some(writer),
            lines: Lines::new(line_bytes),
            link,
            inbox,
            writing: Vec::new(),
            written: 0,
            unflushed: false,
        }
    }

    /// Moves bytes until the server closes its side or the stream fails.
    ///
    /// When the link is closed, the writer is shut down and dropped, and reading goes on until the server has closed too.
    pub(crate) async fn run(&mut self) -> Ended {
        let ended = poll_fn(|cx| self.poll(cx)).await;
        self.link.end();
        ended
    }

    /// Moves bytes as [`Driver::run`] does, but only until the link is closed and all has been written; then there is no
    /// reason why the stream ended.
    pub(crate) async fn run_until_closed(&mut self) -> Option<Ended> {
        let ended = poll_fn(|cx| match self.poll(cx) {
            Poll::Pending if self.writer.is_none() && self.link.is_closing() => Poll::Ready(None),
            other => other.map(Some),
        })
        .await;
        self.link.end();
        ended
    }

    /// Closes the server's input.
    pub(crate) fn stop_writing(&mut self) {
        self.writer = None;
    }

    /// Reads what is there already, without waiting for more.
    pub(crate) async fn drain(&mut self) {
        poll_fn(|cx| {
            let _ = self.poll(cx);
            Poll::Ready(())
        })
        .await;
        self.link.end();
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Ended> {
        // A server that no longer reads may still have something to say, so a failed write only ends the writing.
        if self.writer.is_some()
            && let Poll::Ready(outcome) = self.poll_write(cx)
        {
            self.writer = None;
            if let Err(error) = outcome {
                tracing::debug!(%error, "writing to the server failed");
                self.link.end();
            }
        }
        loop {
            match ready!(self.poll_read(cx)) {
                Ok(0) => {
                    self.finish_lines();
                    return Poll::Ready(Ended::new("the server closed the connection"));
                }
                Ok(_) => self.serve_lines(),
                Err(error) => return Poll::Ready(Ended::new("reading from the server failed").with_cause(error)),
            }
        }
    }

    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        read_once(&mut *self.reader, cx, self.lines.space())
    }

    fn serve_lines(&mut self) {
        while let Some(line) = self.lines.next() {
            self.line(line);
        }
    }

    fn finish_lines(&mut self) {
        if let Some(Line::Whole(text)) = self.lines.finish() {
            self.inbox.receive_last(text);
        }
    }

    fn line(&self, line: Line) {
        match line {
            Line::Whole(text) => self.inbox.receive(text),
            Line::TooLong(start) => self.inbox.receive_too_long(&start),
        }
    }

    /// Writes what waits. Ready when writing is over for good.
    fn poll_write(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Some(writer) = &mut self.writer else { return Poll::Ready(Ok(())) };
        let mut writer = Pin::new(writer);
        loop {
            if self.written >= self.writing.len() {
                self.writing.clear();
                self.written = 0;
                self.writing.shrink_to(256 * 1024);
                let mut outbox = self.link.outbox();
                std::mem::swap(&mut self.writing, &mut outbox.text);
                if self.writing.is_empty() {
                    match &mut outbox.driver {
                        Some(waker) => waker.clone_from(cx.waker()),
                        none => *none = Some(cx.waker().clone()),
                    }
                    let state = outbox.state;
                    drop(outbox);
                    if state == OutboxState::Closing {
                        return writer.poll_shutdown(cx);
                    }
                    if self.unflushed {
                        ready!(writer.poll_flush(cx))?;
                        self.unflushed = false;
                    }
                    return Poll::Pending;
                }
            }
            let count = ready!(writer.as_mut().poll_write(cx, &self.writing[self.written..]))?;
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.written += count;
            self.unflushed = true;
        }
    }
}

/// Reads once, appending to `buffer`. The future of `read_buf` keeps nothing between two polls.
fn read_once(
    reader: &mut (dyn AsyncRead + Send + Unpin),
    cx: &mut Context<'_>,
    buffer: &mut BytesMut,
) -> Poll<io::Result<usize>> {
    pin!(reader.read_buf(buffer)).poll(cx)
}
