//! Standard streams on Unix: own descriptors, without blocking where the kernel can tell us when to go on.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;

use super::thread::ThreadReader;
use crate::ByteStream;

pub(super) fn open() -> io::Result<ByteStream> {
    let input = io::stdin().as_fd().try_clone_to_owned()?;
    #[expect(clippy::disallowed_methods, reason = "this is the one place that takes standard output for the protocol")]
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok(ByteStream { reader: reader(input)?, writer: writer(output)? })
}

enum Kind {
    Pipe,
    Socket,
    /// A file or a terminal: it is always ready, or must not be switched to non-blocking because others share it.
    Other,
}

fn kind(fd: &OwnedFd) -> io::Result<Kind> {
    let file_type = File::from(fd.try_clone()?).metadata()?.file_type();
    Ok(if file_type.is_fifo() {
        Kind::Pipe
    } else if file_type.is_socket() {
        Kind::Socket
    } else {
        Kind::Other
    })
}

fn socket(fd: OwnedFd) -> io::Result<UnixStream> {
    let stream = StdUnixStream::from(fd);
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}

fn reader(fd: OwnedFd) -> io::Result<Box<dyn AsyncRead + Send + Unpin>> {
    Ok(match kind(&fd)? {
        Kind::Pipe => Box::new(pipe::Receiver::from_owned_fd(fd)?),
        Kind::Socket => Box::new(socket(fd)?),
        Kind::Other => Box::new(ThreadReader::new(File::from(fd))?),
    })
}

fn writer(fd: OwnedFd) -> io::Result<Box<dyn AsyncWrite + Send + Unpin>> {
    Ok(match kind(&fd)? {
        #[cfg(target_os = "linux")]
        Kind::Pipe => Box::new(super::pipe::PipeWriter::new(pipe::Sender::from_owned_fd(fd)?)),
        #[cfg(not(target_os = "linux"))]
        Kind::Pipe => Box::new(pipe::Sender::from_owned_fd(fd)?),
        Kind::Socket => Box::new(socket(fd)?),
        Kind::Other => Box::new(DirectWriter(File::from(fd))),
    })
}

/// Writes to a file or terminal at once.
struct DirectWriter(File);

impl AsyncWrite for DirectWriter {
    fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(self.0.write(bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
