//! Everything a peer can grow, and how far.

use std::time::Duration;

use crate::Rate;

/// The limits of a connection. The defaults are those of the security documentation; every field can be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The longest line, in bytes. The rest of a longer one is skipped, and it is answered with -32600.
    pub line_bytes: usize,
    /// The most entries of a batch.
    pub batch_entries: usize,
    /// The most requests under way at once. A further one is refused at once.
    pub requests_in_flight: usize,
    /// The most questions to the other side that wait for an answer.
    pub questions_waiting: usize,
    /// How long a question to the other side may wait for its answer.
    pub question_timeout: Duration,
    /// The most messages of handlers that wait to be written. A handler that sends more waits.
    pub queued_messages: usize,
    /// When more bytes than this wait to be written, nothing more is read.
    pub queued_bytes: usize,
    /// How long handlers may go on after the connection was told to end.
    pub drain: Duration,
    /// How long handlers may go on after the peer has closed its side. It is short, because clients that close standard input end a
    /// server by force after about two seconds.
    pub end_of_input: Duration,
    /// How long a handler may take; `None` lets it run until it is cancelled.
    pub request_timeout: Option<Duration>,
    /// How often one caller may call tools. A caller is a user, else a session; those who are neither count as one. A further call is
    /// refused with the error 429, which says when to try again. The default stops only what runs wild. A rate of 10,000 at once or
    /// more is counted for all callers together at first, so that one of them may have up to twice as much.
    pub tool_calls: Option<Rate>,
    /// How often one caller may ask for completions.
    pub completions: Option<Rate>,
    /// How many log messages one caller is sent. Further ones are left out.
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
