//! A connection's bytes, watched: when they come, and whether the client takes what is written.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::rt::ReadBufCursor;
use tokio::time::{Instant, Sleep};

use crate::activity::Activity;

/// A stream that tells its [`Activity`] when bytes come, and fails when the client takes none for too long.
pub(crate) struct WatchedIo<T> {
    inner: T,
    activity: Arc<Activity>,
    write_timeout: Duration,
    /// Runs while a write is stuck.
    stuck: Option<Pin<Box<Sleep>>>,
}

impl<T> WatchedIo<T> {
    pub(crate) fn new(inner: T, activity: Arc<Activity>, write_timeout: Duration) -> Self {
        Self { inner, activity, write_timeout, stuck: None }
    }

    fn watch(&mut self, cx: &mut Context<'_>, wrote: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if wrote.is_ready() {
            self.stuck = None;
            return wrote;
        }
        let deadline = Instant::now() + self.write_timeout;
        let stuck = self.stuck.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(deadline)));
        match stuck.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<T: hyper::rt::Read + Unpin> hyper::rt::Read for WatchedIo<T> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.inner).poll_read(cx, buffer);
        if read.is_ready() {
            self.activity.read();
        }
        read
    }
}

impl<T: hyper::rt::Write + Unpin> hyper::rt::Write for WatchedIo<T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.inner).poll_write(cx, bytes);
        self.watch(cx, wrote)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
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
