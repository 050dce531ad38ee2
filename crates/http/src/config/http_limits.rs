//! Everything a client can grow over HTTP, and how far.

use std::time::Duration;

/// The limits of an HTTP server. Every field has a default and can be changed; [`Duration::MAX`] is no limit. Those of calls, which hold over
/// every transport, are the handler's: see [`CallLimits`](jackfield_peer::CallLimits).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpLimits {
    /// The longest body of a request: 4 MiB. A longer one gets 413, however it is sent.
    pub body_bytes: usize,
    /// The most bytes of a request's head: 64 KiB. A longer one gets 431 or 414.
    pub header_bytes: usize,
    /// The most header fields of a request: 100. More get 431.
    pub header_fields: usize,
    /// How long a client may take to send the head of a request: 10 seconds. Then the connection is closed.
    pub header_timeout: Duration,
    /// How long a client may pause while it sends a body: 15 seconds; then it gets 408.
    pub body_idle_timeout: Duration,
    /// How long a client may take to send a whole body: a minute; then it gets 408.
    pub body_timeout: Duration,
    /// How long a connection may be open without a request: 75 seconds. Then it is closed.
    pub keep_alive_timeout: Duration,
    /// How long a client may take nothing of what is written to it: 30 seconds; then the connection is closed.
    pub write_timeout: Duration,
    /// The most connections: 16,384. Further ones are closed at once.
    pub connections: usize,
    /// The most connections from one address: 1,024. Further ones are closed at once.
    pub connections_per_address: usize,
    /// The most requests under way of callers without a session that nobody authenticated, from one address: 1,024. Further ones
    /// get 429. Behind a proxy all callers have the address of the proxy.
    pub requests_per_address: usize,
    /// The most sessions: 10,000. The one that was idle longest makes room, or one whose handshake is not finished, if these are
    /// more than an eighth; if none is idle, `initialize` gets 503.
    pub sessions: usize,
    /// The most sessions of one authenticated user: 256. For a further one `initialize` gets 503.
    pub sessions_per_principal: usize,
    /// How long a session may be idle, with no call under way and no stream open: 5 minutes. Then it is over.
    pub session_idle: Duration,
    /// How long a client may take from `initialize` to `notifications/initialized`: 30 seconds. Then the session is over.
    pub session_opening: Duration,
    /// The most messages that wait on a stream: 256. A handler that sends more waits.
    pub queued_messages: usize,
    /// The most bytes that wait on a stream: 1 MiB. A handler that sends more waits. When batches of a session hold back as much, because
    /// answers are missing, the requests of further batches are refused with the error 429.
    pub queued_bytes: usize,
    /// The most events of a stream that are kept for a client that comes back: 512. The oldest make room.
    pub kept_events: usize,
    /// The most bytes of events of a stream that are kept: 1 MiB. The oldest make room; the newest stays whatever its size.
    pub kept_bytes: usize,
    /// The most bytes of events that are kept for all finished streams of a session: 10 MiB. The oldest that nobody reads make room.
    pub kept_session_bytes: usize,
    /// The most finished streams of a session that are kept: 256. The oldest that nobody reads make room.
    pub kept_streams: usize,
    /// How long the events of a finished stream are kept: 5 minutes.
    pub kept_time: Duration,
    /// How long a stream may be silent before a comment is sent: 15 seconds; also how long an answer may take before it becomes
    /// a stream.
    pub sse_keep_alive: Duration,
    /// How long calls under way may go on after shutdown was asked for: 10 seconds. Then they are dropped.
    pub drain: Duration,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            body_bytes: 4 * 1024 * 1024,
            header_bytes: 64 * 1024,
            header_fields: 100,
            header_timeout: Duration::from_secs(10),
            body_idle_timeout: Duration::from_secs(15),
            body_timeout: Duration::from_secs(60),
            keep_alive_timeout: Duration::from_secs(75),
            write_timeout: Duration::from_secs(30),
            connections: 16_384,
            connections_per_address: 1_024,
            requests_per_address: 1_024,
            sessions: 10_000,
            sessions_per_principal: 256,
            session_idle: Duration::from_secs(300),
            session_opening: Duration::from_secs(30),
            queued_messages: 256,
            queued_bytes: 1024 * 1024,
            kept_events: 512,
            kept_bytes: 1024 * 1024,
            kept_session_bytes: 10 * 1024 * 1024,
            kept_streams: 256,
            kept_time: Duration::from_secs(300),
            sse_keep_alive: Duration::from_secs(15),
            drain: Duration::from_secs(10),
        }
    }
}
