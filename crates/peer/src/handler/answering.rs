//! What a handler gives back.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use jackfield_protocol::{AnyResult, ErrorObject, Outcome};

/// The answer to a request.
pub type Reply = Result<Outcome<AnyResult>, ErrorObject>;

/// An answer that is ready, or will be.
///
/// Work that is ready at once needs no allocation and no task.
#[expect(clippy::allow_attributes, reason = "how large depends on the features of serde_json")]
#[allow(clippy::large_enum_variant, reason = "moving an answer is cheaper than allocating for each")]
pub enum Answering {
    /// The answer is known.
    Ready(Reply),
    /// The answer comes later.
    Later(Pin<Box<dyn Future<Output = Reply> + Send>>),
}

impl Answering {
    /// Wraps an answer that is known.
    #[must_use]
    pub fn ready(reply: Reply) -> Self {
        Self::Ready(reply)
    }

    /// Wraps an answer that comes later.
    pub fn later(future: impl Future<Output = Reply> + Send + 'static) -> Self {
        Self::Later(Box::pin(future))
    }

    /// Waits for the answer.
    pub async fn reply(self) -> Reply {
        match self {
            Self::Ready(reply) => reply,
            Self::Later(future) => future.await,
        }
    }
}

impl fmt::Debug for Answering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ready(reply) => f.debug_tuple("Ready").field(reply).finish(),
            Self::Later(_) => f.write_str("Later"),
        }
    }
}
