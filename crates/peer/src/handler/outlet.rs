//! Where the messages of a handler go while its request is running.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use jackfield_protocol::ErrorObject;

use crate::{SessionChange, Shutdown};

/// A future that is boxed because it crosses a trait object.
type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Where messages go besides the answer: notifications about a request or a session, and questions to the other side.
///
/// Messages are given as encoded text, already in the words of the caller's revision.
pub trait Outlet: Send + Sync + fmt::Debug {
    /// Sends a notification about a request, or about none; waits while the queue is full.
    ///
    /// What comes after the request has been answered or cancelled is thrown away.
    fn notify(&self, about: Option<RequestKey>, message: Vec<u8>) -> Boxed<'_, Result<(), Closed>>;

    /// Sends a notification if the queue has room; otherwise it is dropped, and `false` returned.
    fn try_notify(&self, about: Option<RequestKey>, message: Vec<u8>) -> bool;

    /// Sends a notification about no request, as [`try_notify`](Self::try_notify) does, but not before `request` has been
    /// answered, where both travel on one stream: the other side has to know from the answer what it is about.
    fn try_notify_after(&self, request: RequestKey, message: Vec<u8>) -> bool {
        let _ = request;
        self.try_notify(None, message)
    }

    /// Sends a notification about no request, as [`try_notify`](Self::try_notify) does, but once for all who send it under the same
    /// key: where several nodes serve a session, each of them hears of a change.
    fn try_notify_once(&self, key: &str, message: Vec<u8>) -> bool {
        let _ = key;
        self.try_notify(None, message)
    }

    /// Keeps a change of the session where other nodes find it that serve it too; `None` if there are none to wait for.
    fn keep(&self, change: SessionChange<'_>) -> Option<Boxed<'static, Result<(), Closed>>> {
        let _ = change;
        None
    }

    /// Returns what all nodes call the session that this outlet belongs to, if several serve it. Nobody can guess it.
    fn session_name(&self) -> Option<&str> {
        None
    }

    /// Sends a request and waits for the result's JSON text. `params` is the JSON text of the parameters.
    ///
    /// Dropping the future cancels the request at the other side.
    fn ask<'a>(&'a self, method: &'static str, params: Vec<u8>) -> Boxed<'a, Result<Bytes, AskError>>;

    /// Tells when the connection is about to end.
    fn shutdown(&self) -> Shutdown;

    /// Closes the connection that carries this request, if the client can come back for the rest; it is asked to wait for
    /// `retry` first. Returns whether it does.
    fn release(&self, retry: Duration) -> bool {
        let _ = retry;
        false
    }
}

/// Names a request within its connection; unlike its id, it is never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RequestKey(pub u64);

/// The connection is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the connection is closed")]
pub struct Closed;

/// Why a question to the other side has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The other side answered with an error.
    #[error("the client answered with an error: {0}")]
    Refused(ErrorObject),
    /// The other side did not answer in time.
    #[error("the client did not answer in time")]
    TimedOut,
    /// The connection closed before the answer.
    #[error("the connection closed before the client answered")]
    Closed,
    /// Too many questions are waiting already.
    #[error("too many questions are waiting for the client")]
    TooMany,
}

impl From<Closed> for AskError {
    fn from(Closed: Closed) -> Self {
        Self::Closed
    }
}
