//! A connection's bytes, watched: when they come, and whether the client takes what is written.

use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use hyper::rt::{ReadBuf, ReadBufCursor};
use tokio::time::Sleep;

use super::activity::Activity;

/// A stream that tells its [`Activity`] when bytes come, and fails when the client takes none for too long.
pub(crate) struct WatchedIo<T> {
    inner: T,
    activity: Arc<Activity>,
    write_timeout: Duration,
    /// Runs while a write is stuck.
    stuck: Option<Pin<Box<Sleep>>>,
    /// What has been read already, by somebody who had no use for it.
    ahead: Bytes,
}

impl<T> WatchedIo<T> {
    pub(crate) fn new(inner: T, activity: Arc<Activity>, write_timeout: Duration) -> Self {
        Self { inner, activity, write_timeout, stuck: None, ahead: Bytes::new() }
    }

    /// Whether something that has been read already waits for a reader.
    pub(super) fn has_ahead(&self) -> bool {
        !self.ahead.is_empty()
    }

    /// Lets the next reader begin with these bytes, before what was put back earlier and not read again.
    pub(super) fn put_back(&mut self, bytes: &[u8]) {
        self.ahead = [bytes, &self.ahead].concat().into();
    }

    fn watch(&mut self, cx: &mut Context<'_>, wrote: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if wrote.is_ready() {
            self.stuck = None;
            return wrote;
        }
        self.activity.set_unwritten(true);
        let stuck = self.stuck.get_or_insert_with(|| Box::pin(tokio::time::sleep(self.write_timeout)));
        match stuck.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<T: hyper::rt::Read + Unpin> WatchedIo<T> {
    /// Reads something; nothing at the end.
    pub(super) async fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        poll_fn(|cx| {
            let mut buffer = ReadBuf::new(bytes);
            ready!(hyper::rt::Read::poll_read(Pin::new(self), cx, buffer.unfilled()))?;
            Poll::Ready(Ok(buffer.filled().len()))
        })
        .await
    }

    /// Waits until the client has gone, while nothing is expected of it. What it sends nevertheless waits, bounded: it is not
    /// read on before somebody wants it.
    pub(super) fn poll_gone(&mut self, cx: &mut Context<'_>) -> Poll<io::Error> {
        while self.ahead.is_empty() {
            let mut bytes = [0; 64];
            let mut buffer = ReadBuf::new(&mut bytes);
            if let Err(error) = ready!(hyper::rt::Read::poll_read(Pin::new(&mut *self), cx, buffer.unfilled())) {
                return Poll::Ready(error);
            }
            if buffer.filled().is_empty() {
                return Poll::Ready(io::ErrorKind::UnexpectedEof.into());
            }
            self.ahead = Bytes::copy_from_slice(buffer.filled());
        }
        Poll::Pending
    }
}

impl<T: hyper::rt::Read + Unpin> hyper::rt::Read for WatchedIo<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        if self.ahead.is_empty() {
            let read = Pin::new(&mut self.inner).poll_read(cx, buffer);
            if read.is_ready() {
                self.activity.read();
            }
            return read;
        }
        let count = self.ahead.len().min(buffer.remaining());
        buffer.put_slice(self.ahead.get(..count).unwrap_or_default());
        self.ahead.advance(count);
        self.activity.read();
        Poll::Ready(Ok(()))
    }
}

impl<T: hyper::rt::Write + Unpin> hyper::rt::Write for WatchedIo<T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.inner).poll_write(cx, bytes);
        self.watch(cx, wrote)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // Whoever flushes has handed over all that was to be written.
        self.activity.set_unwritten(false);
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.inner).poll_write_vectored(cx, slices);
        self.watch(cx, wrote)
    }
}
