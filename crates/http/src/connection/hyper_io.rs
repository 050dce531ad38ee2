//! A connection's bytes as hyper gets them.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use hyper::rt::{Read, ReadBufCursor, Write};

use super::io::WatchedIo;

/// A connection's bytes, lent to hyper, while whoever lends them sees whether the client is still there.
///
/// hyper would look for that itself, with a read and a new buffer for every request, before its handler has been asked at all. Most
/// handlers are ready at once, so that only those that are not should cost a look.
pub(super) struct HyperIo<T>(Arc<Mutex<WatchedIo<T>>>);

impl<T> HyperIo<T> {
    pub(super) fn new(io: WatchedIo<T>) -> Self {
        Self(Arc::new(Mutex::new(io)))
    }

    pub(super) fn share(&self) -> Self {
        Self(self.0.clone())
    }

    /// Takes the bytes back, when nobody else has them.
    pub(super) fn take_back(self) -> Option<WatchedIo<T>> {
        Some(Arc::into_inner(self.0)?.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// It is only ever used by one task, which never waits for it.
    fn io(&self) -> MutexGuard<'_, WatchedIo<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Read + Unpin> HyperIo<T> {
    /// Looks whether the client has gone while its request, of which nothing is missing, is served.
    pub(super) fn look(&self, cx: &mut Context<'_>) -> Poll<Look> {
        let mut io = self.io();
        let had = io.has_ahead();
        match io.poll_gone(cx) {
            Poll::Ready(error) => Poll::Ready(Look::Gone(error)),
            Poll::Pending if io.has_ahead() && !had => Poll::Ready(Look::Sends),
            Poll::Pending => Poll::Pending,
        }
    }
}

/// What a look at a client has shown.
pub(super) enum Look {
    Gone(io::Error),
    /// It has sent something, which hyper may be waiting for.
    Sends,
}

impl<T: Read + Unpin> Read for HyperIo<T> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.io()).poll_read(cx, buffer)
    }
}

impl<T: Write + Unpin> Write for HyperIo<T> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.io()).poll_write(cx, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.io()).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.io()).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.io().is_write_vectored()
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.io()).poll_write_vectored(cx, slices)
    }
}
