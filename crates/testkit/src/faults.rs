//! A byte stream that behaves as badly as a real one may.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use jackfield_wire::Numbers;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Which faults a stream has. The same seed gives the same faults.
#[derive(Clone, Copy, Debug)]
pub struct Faults {
    /// Where the pseudo-random sequence begins.
    pub seed: u64,
    /// The most bytes that one read or write moves; 0 means no limit.
    pub chunk: usize,
    /// Of 16 polls, how many are answered with "not yet" for no reason.
    pub delays: u8,
    /// Writing fails after this many bytes.
    pub write_fails_after: Option<usize>,
}

impl Faults {
    /// No fault at all.
    pub const NONE: Self = Self { seed: 0, chunk: 0, delays: 0, write_fails_after: None };
}

/// A stream with faults.
#[derive(Debug)]
pub struct Faulty<S> {
    stream: S,
    faults: Faults,
    numbers: Numbers,
    written: usize,
}

impl<S> Faulty<S> {
    /// Adds faults to a stream.
    pub fn new(stream: S, faults: Faults) -> Self {
        Self { stream, faults, numbers: Numbers::new(faults.seed), written: 0 }
    }

    fn delayed(&mut self, cx: &Context<'_>) -> bool {
        let delayed = self.numbers.below(16) < u64::from(self.faults.delays);
        if delayed {
            cx.waker().wake_by_ref();
        }
        delayed
    }

    fn size(&mut self, most: usize) -> usize {
        match self.faults.chunk {
            0 => most,
            chunk => most.min(1 + self.numbers.place(chunk)),
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Faulty<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.delayed(cx) {
            return Poll::Pending;
        }
        let size = self.size(buffer.remaining());
        let mut small = buffer.take(size);
        let outcome = Pin::new(&mut self.stream).poll_read(cx, &mut small);
        let filled = small.filled().to_vec();
        if outcome.is_ready() {
            buffer.put_slice(&filled);
        }
        outcome
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Faulty<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.delayed(cx) {
            return Poll::Pending;
        }
        if self.faults.write_fails_after.is_some_and(|limit| self.written >= limit) {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        let size = self.size(bytes.len());
        let outcome = Pin::new(&mut self.stream).poll_write(cx, &bytes[..size]);
        if let Poll::Ready(Ok(count)) = outcome {
            self.written += count;
        }
        outcome
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
