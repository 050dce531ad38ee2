//! Limits of calls, the same over every transport.

use std::time::Duration;

use crate::Rate;

/// The limits of calls. They are those of a [handler](crate::Handler::call_limits), and hold over every transport that brings it calls. Every
/// field has a default and can be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallLimits {
    /// The most requests under way at once, of one connection, session or authenticated user: 128. A further one is refused at once, with
    /// the error 429. On a stream of bytes as many notifications may be under way beside them; further ones are dropped.
    pub requests_in_flight: usize,
    /// The most entries of a batch: 100. A longer one is refused with -32600.
    pub batch_entries: usize,
    /// The most listen streams of one user, or of one connection or address where nobody is authenticated: 64. A further one is refused with
    /// the error 429.
    pub listen_streams: usize,
    /// The most questions to one client that wait for an answer: 1024. A further one fails at the handler that asks it.
    pub questions_waiting: usize,
    /// How long a question may wait for its answer: 15 minutes. Then it fails, and the client is told that it is no longer wanted.
    pub question_timeout: Duration,
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
    /// How many log messages one caller is sent: 100,000 in 10 seconds. Further ones are dropped.
    pub log_messages: Option<Rate>,
}

impl Default for CallLimits {
    fn default() -> Self {
        Self {
            requests_in_flight: 128,
            batch_entries: 100,
            listen_streams: 64,
            questions_waiting: 1024,
            question_timeout: Duration::from_secs(15 * 60),
            request_timeout: None,
            tool_calls: Some(Rate::new(1_000_000, Duration::from_secs(10))),
            completions: Some(Rate::new(100_000, Duration::from_secs(10))),
            log_messages: Some(Rate::new(100_000, Duration::from_secs(10))),
        }
    }
}
