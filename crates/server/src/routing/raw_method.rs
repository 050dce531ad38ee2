//! Methods that a user answers without any help: the low-level server, and methods outside the specification.

use std::future::Future;

use jackfield_peer::{Incoming, Reply};

use crate::routing::hooks::Boxed;

/// Answers one method.
pub(crate) trait RawMethod: Send + Sync {
    fn answer(&self, incoming: Incoming) -> Boxed<Reply>;
}

impl<F, R> RawMethod for F
where
    F: Fn(Incoming) -> R + Send + Sync,
    R: Future<Output = Reply> + Send + 'static,
{
    fn answer(&self, incoming: Incoming) -> Boxed<Reply> {
        Box::pin(self(incoming))
    }
}
