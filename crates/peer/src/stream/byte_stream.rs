//! A pair of byte streams.

use std::fmt;

use tokio::io::{AsyncRead, AsyncWrite};

/// The two directions of a byte stream: standard streams, a socket, a pipe, or memory.
pub struct ByteStream {
    pub(crate) reader: Box<dyn AsyncRead + Send + Unpin>,
    pub(crate) writer: Box<dyn AsyncWrite + Send + Unpin>,
}

impl ByteStream {
    /// Joins a reader and a writer.
    pub fn new(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        Self { reader: Box::new(reader), writer: Box::new(writer) }
    }

    /// Splits a stream that goes both ways, such as a socket.
    pub fn both(stream: impl AsyncRead + AsyncWrite + Send + 'static) -> Self {
        let (reader, writer) = tokio::io::split(stream);
        Self::new(reader, writer)
    }

    /// Makes two ends in memory, connected to each other. Each direction holds at most `capacity` bytes.
    #[must_use]
    pub fn pair(capacity: usize) -> (Self, Self) {
        let (one, other) = tokio::io::duplex(capacity);
        (Self::both(one), Self::both(other))
    }

    /// Takes the stream apart into its reader and its writer.
    #[must_use]
    pub fn into_parts(self) -> (Box<dyn AsyncRead + Send + Unpin>, Box<dyn AsyncWrite + Send + Unpin>) {
        (self.reader, self.writer)
    }
}

impl fmt::Debug for ByteStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ByteStream")
    }
}
