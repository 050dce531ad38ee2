//! The seam between the client and what carries its messages.
//!
//! A [`Connector`] knows how to reach one server and opens connections to it, one at a time. A [`Link`] takes messages to the
//! server; what comes back is pushed into the [`Inbox`](crate::Inbox). The two are apart because they end differently: the
//! client drops its link when it has no more to say, while the future [`OpenConnection::run`] goes on until the server is gone.
//!
//! A transport with one stream for all (standard streams, sockets, memory) hands over every line it reads. One with a stream
//! per request, such as HTTP, hands over each message of each stream, and calls [`Inbox::fail`](crate::Inbox::fail) when a
//! stream ends without an answer. Neither looks into the messages.
//!
//! What only concerns the transport stays in it: resuming a broken stream, sending a session's id along, choosing between its own
//! older and newer forms. When the session itself is gone, [`OpenConnection::run`] ends; the client then connects again, finds
//! out anew what the server speaks, and opens its subscriptions again.

use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;

use jackfield_protocol::Revision;

use crate::Inbox;

/// A future that is boxed because it crosses a trait object.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Knows how to reach one server.
pub trait Connector: Send + Sync + fmt::Debug + 'static {
    /// Opens a connection. What the server sends goes to `inbox`.
    fn connect(&self, inbox: Inbox) -> BoxFuture<'_, io::Result<OpenConnection>>;

    /// Returns what carries the messages, as tapes say it: `stdio`, `http`, or `stream` for anything else.
    fn transport(&self) -> &'static str {
        "stream"
    }

    /// Whether another connection can be opened when one has ended, for example by starting the server again.
    fn can_reconnect(&self) -> bool {
        false
    }

    /// Whether every server answers the first message, whatever it speaks. Then the older handshake begins only after an answer
    /// that allows it; otherwise also when the server stays silent or goes away.
    fn always_answers(&self) -> bool {
        false
    }

    /// Returns the revision that the server is known to speak from an earlier connection.
    fn recall(&self) -> Option<Revision> {
        None
    }

    /// Learns which revision the server speaks; `None` if what was known about it is wrong.
    fn remember(&self, revision: Option<Revision>) {
        let _ = revision;
    }

    /// Returns the last part of what the server wrote beside the protocol, such as its standard error.
    fn diagnostics(&self) -> Option<String> {
        None
    }
}

/// An open connection.
pub struct OpenConnection {
    /// Takes messages to the server.
    pub link: Arc<dyn Link>,
    /// Moves the messages, and says why the connection ended. After [`Link::close`] it ends the connection in an orderly way;
    /// when it is dropped, the connection ends at once.
    pub run: BoxFuture<'static, EndReason>,
}

impl fmt::Debug for OpenConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenConnection").field("link", &self.link).finish_non_exhaustive()
    }
}

/// Takes messages to the server. All methods return at once.
pub trait Link: Send + Sync + fmt::Debug + 'static {
    /// Takes one message; it is sent as soon as possible, in order.
    ///
    /// # Errors
    /// The connection has ended, or too much waits to be sent.
    fn send(&self, message: Outgoing<'_>) -> Result<(), NotSent>;

    /// Learns that the answer to a request is no longer wanted; says whether the server must be told so by a message.
    ///
    /// By default it must; where each request has its own stream, closing that may say the same.
    fn give_up(&self, id: u64, revision: Revision) -> bool {
        let _ = (id, revision);
        true
    }

    /// Learns which revision the two sides agreed on.
    fn agreed(&self, revision: Revision) {
        let _ = revision;
    }

    /// Returns a number that stands for the credentials of the next request, so that what was kept for one user is not shown to another.
    /// `None` if they never change. The future ends with none if there are no credentials to be had now.
    fn credentials(&self) -> Option<BoxFuture<'_, Option<u64>>> {
        None
    }

    /// Whether all messages go out on one stream. Then what waits to be sent waits for the server to read; otherwise it may wait for a
    /// single answer to begin.
    fn has_one_stream(&self) -> bool {
        true
    }

    /// Whether the server wants some arguments of tools in headers too (`x-mcp-header`).
    fn wants_param_headers(&self) -> bool {
        false
    }

    /// Sends what waits, then ends the connection.
    fn close(&self);
}

/// A message to the server, and what a transport may want to know about it without reading it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Outgoing<'a> {
    /// The JSON text, without line breaks.
    pub text: &'a [u8],
    /// What kind of message it is.
    pub kind: OutgoingKind<'a>,
}

/// What kind of message is sent.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum OutgoingKind<'a> {
    /// A request.
    Request(RequestInfo<'a>),
    /// A notification of this method.
    Notification(&'a str),
    /// The answer to a request of the server; only until 2025-11-25.
    Answer,
}

/// What a transport may want to know about a request.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RequestInfo<'a> {
    /// Its id.
    pub id: u64,
    /// Its method.
    pub method: &'a str,
    /// The revision it is written in.
    pub revision: Revision,
    /// The tool's or prompt's name, or the resource's URI.
    pub name: Option<&'a str>,
    /// Arguments that are also sent as headers: full header names and encoded values.
    pub headers: &'a [(String, String)],
}

/// Why a message was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotSent {
    /// The connection has ended.
    #[error("the connection has ended")]
    Ended,
    /// The server does not read what is sent to it.
    #[error("too much waits to be sent")]
    Full,
}

/// Why a connection ended.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct EndReason {
    what: String,
    #[source]
    cause: Option<io::Error>,
}

impl EndReason {
    /// Makes a reason: a short text in lower case, without anything the server wrote.
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), cause: None }
    }

    /// Adds what the operating system said.
    #[must_use]
    pub fn with_cause(mut self, cause: io::Error) -> Self {
        self.cause = Some(cause);
        self
    }
}
