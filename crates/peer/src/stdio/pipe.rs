//! Writing to a pipe, long messages in few steps.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use rustix::pipe::fcntl_setpipe_size;
use tokio::io::AsyncWrite;
use tokio::net::unix::pipe::Sender;
use tokio::time::{Sleep, sleep};

/// What is longer than this is written through a larger pipe.
const LONG: usize = 256 * 1024;
/// The size of the larger pipe: the most that the kernel gives to everybody.
const LARGE: usize = 1024 * 1024;
/// How long a full large pipe is left alone.
const PAUSE: Duration = Duration::from_millis(1);

/// The writing end of a pipe.
///
/// A reader that takes a few kilobytes at a time would wake the writer for each of them, which costs more than making a message of
/// megabytes. So a pipe is made larger when the first long message comes, and while much is left to be written, a full pipe is not
/// looked at again before the reader has had time to take more of it.
pub(super) struct PipeWriter {
    sender: Sender,
    size: PipeSize,
    pause: Option<Pin<Box<Sleep>>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PipeSize {
    Unchanged,
    Large,
    /// The kernel does not make it larger.
    Fixed,
}

impl PipeWriter {
    pub(super) fn new(sender: Sender) -> Self {
        Self { sender, size: PipeSize::Unchanged, pause: None }
    }

    /// Whether so much is left that the pipe is filled as a whole.
    fn fills(&mut self, length: usize) -> bool {
        if length <= LONG {
            return false;
        }
        if self.size == PipeSize::Unchanged {
            let size = fcntl_setpipe_size(&self.sender, LARGE);
            self.size = if size.is_ok_and(|size| size >= LARGE) { PipeSize::Large } else { PipeSize::Fixed };
        }
        self.size == PipeSize::Large
    }
}

impl AsyncWrite for PipeWriter {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if !self.fills(bytes.len()) {
            return Pin::new(&mut self.sender).poll_write(cx, bytes);
        }
        loop {
            if let Some(pause) = &mut self.pause {
                std::task::ready!(pause.as_mut().poll(cx));
                self.pause = None;
            }
            match self.sender.try_write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.pause = Some(Box::pin(sleep(PAUSE))),
                written => return Poll::Ready(written),
            }
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.sender).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.sender).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use rustix::pipe::fcntl_getpipe_size;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::unix::pipe;

    use super::*;

    #[tokio::test]
    async fn a_long_message_goes_through_a_large_pipe_and_a_short_one_leaves_it_alone() {
        let (sender, mut receiver) = pipe::pipe().unwrap();
        let size = fcntl_getpipe_size(&sender).unwrap();
        let mut writer = PipeWriter::new(sender);
        let read = async move |receiver: &mut pipe::Receiver, length: usize| {
            let mut text = vec![0; length];
            // As little as many readers take at a time.
            for chunk in text.chunks_mut(8 * 1024) {
                receiver.read_exact(chunk).await.unwrap();
            }
            text
        };
        let (written, text) = tokio::join!(writer.write_all(b"short"), read(&mut receiver, 5));
        written.unwrap();
        assert_eq!((text.as_slice(), fcntl_getpipe_size(&writer.sender).unwrap()), (b"short".as_slice(), size));
        let long: Vec<u8> = (0..3_000_000_u32).map(|at| at.to_le_bytes()[at as usize % 3]).collect();
        let (written, text) = tokio::join!(writer.write_all(&long), read(&mut receiver, long.len()));
        written.unwrap();
        assert!(text == long);
        assert_eq!(fcntl_getpipe_size(&writer.sender).unwrap(), LARGE);
    }
}
