//! Everything a server can grow or delay, and how far.

use std::time::Duration;

use jackfield_peer::{Backoff, Rate};

/// The limits of a client. The defaults are those of the security documentation; every field can be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The longest message over HTTP, in bytes. A longer one is skipped, and the request it answers fails. 16 MiB by default.
    pub message_bytes: usize,
    /// The same over a byte stream, such as that of a child process. 64 MiB by default: such servers read files of this machine, and repeat
    /// text as structured content.
    pub line_bytes: usize,
    /// The most bytes that wait to be sent to a server that does not read. Further requests fail. 32 MiB by default.
    pub queued_bytes: usize,
    /// The most requests that wait for an answer; 1,024 by default.
    pub requests_waiting: usize,
    /// The most questions of the server (until 2025-11-25) that are answered at the same time; 32 by default.
    pub questions: usize,
    /// The most questions of the server (only 2025-11-25) that it has answered as tasks, with those that are done and still kept;
    /// 64 by default.
    pub tasks: usize,
    /// How often the server may ask the person something, by forms or pages; `None` sets no limit. More is refused. 100 times a
    /// minute by default.
    pub elicitations: Option<Rate>,
    /// How often the server may ask the client's model something; `None` sets no limit. More is refused. 100 times a
    /// minute by default.
    pub samplings: Option<Rate>,
    /// The most questions in one `input_required` result; 64 by default.
    pub questions_per_round: usize,
    /// The most `input_required` rounds of one request, and of one task; 10 by default.
    pub rounds: usize,
    /// The longest `requestState`, in bytes; 1 MiB by default.
    pub request_state_bytes: usize,
    /// The most pages of one list; 1,000 by default.
    pub pages: usize,
    /// The most entries of a batch; 100 by default.
    pub batch_entries: usize,
    /// The most changed resources that a subscription remembers until they are looked at; 1,024 by default.
    pub events: usize,
    /// The most progress notices of one request that wait to be looked at; the oldest go first. 64 by default.
    pub progress_notices: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_bytes: 16 * 1024 * 1024,
            line_bytes: 64 * 1024 * 1024,
            queued_bytes: 32 * 1024 * 1024,
            requests_waiting: 1024,
            questions: 32,
            tasks: 64,
            elicitations: Some(Rate::new(100, Duration::from_secs(60))),
            samplings: Some(Rate::new(100, Duration::from_secs(60))),
            questions_per_round: 64,
            rounds: 10,
            request_state_bytes: 1024 * 1024,
            pages: 1000,
            batch_entries: 100,
            events: 1024,
            progress_notices: 64,
        }
    }
}

/// The longest id, URI or cursor of a server that is remembered, in bytes. What is counted is counted with this length.
pub(crate) const LONGEST_NAME: usize = 64 * 1024;

/// How long a client waits.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timeouts {
    /// For the connection to be ready for use: the start of the server and the handshake. One minute by default.
    pub connect: Duration,
    /// For the answer to the first probe, before the handshake of older revisions is begun beside it. It is what an old server
    /// costs that says nothing to a question it does not know; a server that starts more slowly than this and speaks both
    /// eras ends up in the older one. Two seconds by default.
    pub probe: Duration,
    /// For an answer. A sign of progress starts it anew, and so does a question of the server that is being answered. One
    /// minute by default.
    pub request: Duration,
    /// For an answer, whatever progress there is; all rounds and looks at a task count. 15 minutes by default.
    pub maximum: Duration,
    /// Between two looks at a task that does not say itself how long to wait. One second by default.
    pub task_poll: Duration,
    /// Between two pings that find out whether the server is still there; `None` sends none. A server that does not answer one within
    /// the same time counts as gone, and its requests end; so does one to which two in a row cannot be sent. Only servers until
    /// 2025-11-25 can be pinged. None are sent by default.
    pub keep_alive: Option<Duration>,
    /// For a server to end after it was told to; then it is killed. Ten seconds by default.
    pub close: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(60),
            probe: Duration::from_secs(2),
            request: Duration::from_secs(60),
            maximum: Duration::from_secs(15 * 60),
            task_poll: Duration::from_secs(1),
            keep_alive: None,
            close: Duration::from_secs(10),
        }
    }
}

/// Whether and how often a server that died is started again.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Restarts {
    /// How many times in a row; 0 never starts it again. Ten by default.
    pub limit: u32,
    /// The longest first wait; it doubles each time. The real wait is a random part of it. 500 ms by default.
    pub first: Duration,
    /// The longest wait; 30 seconds by default.
    pub longest: Duration,
    /// A connection that lasted this long makes the count begin anew. One minute by default.
    pub forgiven_after: Duration,
}

impl Default for Restarts {
    fn default() -> Self {
        Self {
            limit: 10,
            first: Duration::from_millis(500),
            longest: Duration::from_secs(30),
            forgiven_after: Duration::from_secs(60),
        }
    }
}

impl Restarts {
    /// Returns the waits between attempts.
    pub(crate) fn backoff(&self) -> Backoff {
        Backoff::new(self.first, self.longest).with_jitter()
    }
}
