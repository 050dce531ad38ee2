//! What a handler of a tool, resource or prompt gives back.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use jackfield_protocol::{ErrorObject, Outcome};

/// How the work of a handler ends: with an outcome, or with an error of the protocol.
///
/// A tool that fails in its own terms is an outcome too: a `CallToolResult` that says so.
pub type Done<T> = Result<Outcome<T>, ErrorObject>;

/// Work that is done, or will be. What is ready at once needs no allocation and no task.
pub enum Work<T> {
    /// It is done.
    Ready(Done<T>),
    /// It will be done.
    Later(Pin<Box<dyn Future<Output = Done<T>> + Send>>),
}

impl<T> Work<T> {
    /// Wraps work that will be done.
    pub fn later(future: impl Future<Output = Done<T>> + Send + 'static) -> Self {
        Self::Later(Box::pin(future))
    }

    /// Does work that blocks, on the threads that the runtime has for it. A panic in it is the handler's panic.
    ///
    /// # Cancellation
    /// Work that has begun goes on; its result is thrown away.
    pub fn blocking(work: impl FnOnce() -> Done<T> + Send + 'static) -> Self
    where
        T: Send + 'static,
    {
        Self::later(async move {
            match tokio::task::spawn_blocking(work).await {
                Ok(done) => done,
                Err(error) => match error.try_into_panic() {
                    Ok(panic) => std::panic::resume_unwind(panic),
                    Err(_) => Err(ErrorObject::internal("the server is shutting down")),
                },
            }
        })
    }

    /// Waits until the work is done.
    ///
    /// # Errors
    /// What the handler answered with.
    pub async fn done(self) -> Done<T> {
        match self {
            Self::Ready(done) => done,
            Self::Later(future) => future.await,
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Work<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ready(done) => f.debug_tuple("Ready").field(done).finish(),
            Self::Later(_) => f.write_str("Later"),
        }
    }
}
