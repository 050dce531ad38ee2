//! Limits of connections that are streams of bytes.

use std::time::Duration;

/// The limits of a connection with one message per line: standard streams, sockets, memory. Those of calls are
/// [`CallLimits`](crate::CallLimits). Every field has a default and can be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StreamLimits {
    /// The longest line, in bytes: 16 MiB. The rest of a longer one is skipped, and it is answered with -32600.
    pub line_bytes: usize,
    /// The most messages of handlers that wait to be written: 256. A handler that sends more waits.
    pub queued_messages: usize,
    /// When more bytes than this wait to be written, 1 MiB, nothing more is read. When batches hold back as much, because answers are
    /// missing, the requests of further batches are refused with the error 429.
    pub queued_bytes: usize,
    /// How long handlers may go on after the connection was told to end: 5 seconds. Then they are dropped.
    pub drain: Duration,
    /// How long handlers may go on after the peer has closed its side: 1.5 seconds. It is short, because clients that close
    /// standard input end a server by force after about two seconds.
    pub end_of_input: Duration,
}

impl Default for StreamLimits {
    fn default() -> Self {
        Self {
            line_bytes: 16 * 1024 * 1024,
            queued_messages: 256,
            queued_bytes: 1024 * 1024,
            drain: Duration::from_secs(5),
            end_of_input: Duration::from_millis(1500),
        }
    }
}
