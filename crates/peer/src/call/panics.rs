//! A panicking handler hurts only its own caller.

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use jackfield_protocol::{AnyResult, ErrorObject, Outcome};

use crate::{Answering, Handler, Incoming};

/// Begins to answer a request; a panic becomes the answer.
pub(super) fn handle(handler: &dyn Handler, incoming: Incoming) -> Answering {
    catch_unwind(AssertUnwindSafe(|| handler.handle(incoming)))
        .unwrap_or_else(|panic| Answering::ready(Err(describe(&*panic))))
}

/// A future whose panic becomes its answer: a [`Reply`](crate::Reply), or whatever else a handler answers.
pub struct Guarded<T = Outcome<AnyResult>>(pub(super) BoxedWork<T>);

type BoxedWork<T> = Pin<Box<dyn Future<Output = Result<T, ErrorObject>> + Send>>;

impl<T> Guarded<T> {
    /// Guards a future, such as that of [`Answering::Later`].
    #[must_use]
    pub fn new(future: BoxedWork<T>) -> Self {
        Self(future)
    }
}

impl<T> fmt::Debug for Guarded<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Guarded")
    }
}

impl<T> Future for Guarded<T> {
    type Output = Result<T, ErrorObject>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        catch_unwind(AssertUnwindSafe(|| self.0.as_mut().poll(cx)))
            .unwrap_or_else(|panic| Poll::Ready(Err(describe(&*panic))))
    }
}

/// The panic's own words go to the log, not to the peer: they may hold what it must not see.
fn describe(panic: &(dyn Any + Send)) -> ErrorObject {
    let words = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    tracing::error!(panic = words.unwrap_or("(no message)"), "a handler panicked");
    ErrorObject::internal("internal error: the handler panicked")
}
