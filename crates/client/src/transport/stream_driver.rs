//! A connection over a byte stream with one message per line: standard streams, a socket, a pipe, or memory.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::BytesMut;
use jackfield_peer::{ByteStream, Line, Lines};
use jackfield_protocol::envelope::Memo;
use tokio::io::{AsyncRead, AsyncReadExt};

use crate::transport::{StreamLink, Turn};
use crate::{EndReason, Inbox, Limits};

/// Moves the bytes of one stream. It has no queue between reading and the one who waits for the answer. Dropping it ends the stream.
pub(crate) struct Driver {
    reader: Box<dyn AsyncRead + Send + Unpin>,
    lines: Lines,
    link: Arc<StreamLink>,
    inbox: Inbox,
    memo: Memo,
    line_bytes: usize,
}

/// Why there is nothing to do for the driver.
pub(crate) enum Stop {
    /// The server has closed its side, or the stream failed.
    Stream(EndReason),
    /// The link was closed, and all has been written.
    Closed,
    /// The server has ended, and what it wrote last has been read.
    Gone,
}

impl Driver {
    pub(crate) fn new(stream: ByteStream, inbox: Inbox, limits: &Limits) -> Self {
        let (reader, writer) = stream.into_parts();
        let link = StreamLink::new(writer, limits.queued_bytes);
        let line_bytes = limits.line_bytes;
        Self { reader, lines: Lines::new(line_bytes), link, inbox, memo: Memo::default(), line_bytes }
    }

    pub(crate) fn link(&self) -> Arc<StreamLink> {
        self.link.clone()
    }

    /// Moves bytes until the server closes its side or the stream fails.
    ///
    /// When the link is closed, the writer is shut down and dropped, and reading goes on until the server has closed too.
    pub(crate) async fn run(mut self) -> EndReason {
        poll_fn(|cx| match self.poll(cx) {
            Poll::Ready(Stop::Stream(ended)) => Poll::Ready(ended),
            _ => Poll::Pending,
        })
        .await
    }

    /// Moves bytes until there is a reason to stop; then the server's input is closed.
    pub(crate) async fn next_stop(&mut self) -> Stop {
        let stop = poll_fn(|cx| self.poll(cx)).await;
        self.link.end();
        stop
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Stop> {
        let turn = self.link.turn(cx);
        loop {
            match read_once(&mut *self.reader, cx, self.lines.space()) {
                Poll::Ready(Ok(0)) => {
                    self.finish_lines();
                    return Poll::Ready(Stop::Stream(EndReason::new("the server closed the connection")));
                }
                Poll::Ready(Ok(_)) => self.serve_lines(),
                Poll::Ready(Err(error)) => {
                    let ended = EndReason::new("reading from the server failed").with_cause(error);
                    return Poll::Ready(Stop::Stream(ended));
                }
                Poll::Pending => break,
            }
        }
        match turn {
            Turn::GoOn => Poll::Pending,
            Turn::Closed => Poll::Ready(Stop::Closed),
            Turn::Gone => Poll::Ready(Stop::Gone),
        }
    }

    fn serve_lines(&mut self) {
        while let Some(line) = self.lines.next() {
            match line {
                Line::Whole(text) => self.inbox.receive_with(text, &mut self.memo),
                Line::TooLong(start) => self.inbox.receive_too_long(&start, self.line_bytes),
            }
        }
    }

    fn finish_lines(&mut self) {
        if let Some(Line::Whole(text)) = self.lines.finish() {
            self.inbox.receive_last(text);
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.link.end();
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
