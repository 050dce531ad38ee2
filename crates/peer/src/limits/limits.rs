//! Everything a peer can grow, and how far.

use std::time::Duration;

use crate::Rate;

/// The limits of a connection. Every field has a default and can be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The longest line, in bytes: 16 MiB. The rest of a longer one is skipped, and it is answered with -32600.
    pub line_bytes: usize,
    /// The most entries of a batch: 100. A longer one is refused with -32600.
    pub batch_entries: usize,
    /// The most requests under way at once: 128. A further one is refused at once, with the error 429. As many notifications may be
    /// under way beside them; further ones are dropped.
    pub requests_in_flight: usize,
    /// The most questions to the other side that wait for an answer: 1024. A further one fails at the handler that asks it.
    pub questions_waiting: usize,
    /// How long a question to the other side may wait for its answer: 15 minutes. Then it fails, and the other side is told that it
    /// is no longer wanted.
    pub question_timeout: Duration,
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
    /// How long a handler may take; then its request is answered with -32603. By default `None`, which lets it run until it is
    /// cancelled.
    pub request_timeout: Option<Duration>,
    /// How often one caller may call tools: 1,000,000 times in 10 seconds. A caller is a user, else a session; those who are
    /// neither count as one. A further call is refused with the error 429, which says when to try again. The default stops only
    /// what runs wild. A rate of 10,000 at once or more is counted for all callers together at first, so that one of them may have
    /// up to twice as much.
    pub tool_calls: Option<Rate>,
    /// How often one caller may ask for completions: 100,000 times in 10 seconds. Further requests are refused in the same way.
    pub completions: Option<Rate>,
    /// How many log messages one caller is sent: 100,000 in 10 seconds. Further ones are left out.
    pub log_messages: Option<Rate>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            line_bytes: 16 * 1024 * 1024,
            batch_entries: 100,
            requests_in_flight: 128,
            questions_waiting: 1024,
            question_timeout: Duration::from_secs(15 * 60),
            queued_messages: 256,
            queued_bytes: 1024 * 1024,
            drain: Duration::from_secs(5),
            end_of_input: Duration::from_millis(1500),
            request_timeout: None,
            tool_calls: Some(Rate::new(1_000_000, Duration::from_secs(10))),
            completions: Some(Rate::new(100_000, Duration::from_secs(10))),
            log_messages: Some(Rate::new(100_000, Duration::from_secs(10))),
        }
    }
}
