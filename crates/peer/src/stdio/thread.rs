//! Reading a file or terminal in a thread of its own.

use std::fs::File;
use std::io::{self, Read};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::mpsc;

/// Reads in a thread. The thread may stay blocked in a read for as long as the process lives, which is why it is none of the
/// runtime's: nothing waits for it when the process ends.
pub(super) struct ThreadReader {
    chunks: mpsc::Receiver<io::Result<Bytes>>,
    current: Bytes,
}

impl ThreadReader {
    pub(super) fn new(file: File) -> io::Result<Self> {
        let (sender, chunks) = mpsc::channel(4);
        std::thread::Builder::new().name("jackfield-stdin".into()).spawn(move || read_all(file, &sender))?;
        Ok(Self { chunks, current: Bytes::new() })
    }
}

fn read_all(mut file: File, chunks: &mpsc::Sender<io::Result<Bytes>>) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let chunk = match file.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => Ok(Bytes::copy_from_slice(buffer.get(..count).unwrap_or_default())),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let failed = chunk.is_err();
        if chunks.blocking_send(chunk).is_err() || failed {
            return;
        }
    }
}

impl AsyncRead for ThreadReader {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.current.is_empty() {
            match ready!(self.chunks.poll_recv(cx)) {
                Some(chunk) => self.current = chunk?,
                None => return Poll::Ready(Ok(())),
            }
        }
        let count = self.current.len().min(buffer.remaining());
        buffer.put_slice(self.current.get(..count).unwrap_or_default());
        self.current.advance(count);
        Poll::Ready(Ok(()))
    }
}
