//! What is opened before a server serves, and closed after it.

use std::future::Future;
use std::sync::Arc;

use crate::builder::state::{AnyState, StateType};
use crate::routing::hooks::Boxed;
use crate::sync::Mutex;

/// Something that is opened before a server serves, and closed after it.
pub(crate) struct Lifespan {
    /// What handlers find it by.
    pub(crate) state: StateType,
    open: Box<dyn FnOnce() -> Boxed<Result<Opened, String>> + Send>,
}

/// What has been opened, and how it is closed.
struct Opened {
    value: AnyState,
    close: Close,
}

/// What has been opened and waits to be closed, in the order of opening.
#[derive(Default)]
pub(crate) struct Open(Mutex<Vec<Close>>);

/// Closes something.
type Close = Box<dyn FnOnce() -> Boxed<()> + Send>;

/// A server could not be started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the server could not be started: {0}")]
pub struct StartError(String);

impl StartError {
    pub(crate) fn new(why: String) -> Self {
        Self(why)
    }
}

impl Lifespan {
    pub(crate) fn new<T, E, Start, StartFuture, Stop, StopFuture>(start: Start, stop: Stop) -> Self
    where
        T: Send + Sync + 'static,
        E: std::fmt::Display,
        Start: FnOnce() -> StartFuture + Send + 'static,
        StartFuture: Future<Output = Result<T, E>> + Send + 'static,
        Stop: FnOnce(Arc<T>) -> StopFuture + Send + 'static,
        StopFuture: Future<Output = ()> + Send + 'static,
    {
        let state = StateType::of::<T>();
        let open = move || -> Boxed<Result<Opened, String>> {
            Box::pin(async move {
                let opened = start().await.map_err(|error| format!("{}: {error}", state.name))?;
                let value = Arc::new(opened);
                let closing = value.clone();
                Ok(Opened { value, close: Box::new(move || Box::pin(stop(closing))) })
            })
        };
        Self { state, open: Box::new(open) }
    }

    /// Opens it, and keeps how it is closed. Returns what handlers find.
    pub(crate) async fn open(self, open: &Open) -> Result<AnyState, StartError> {
        let Opened { value, close } = (self.open)().await.map_err(StartError)?;
        open.0.lock().push(close);
        Ok(value)
    }
}

impl Open {
    /// Closes everything, the newest first.
    pub(crate) async fn close(&self) {
        loop {
            let next = self.0.lock().pop();
            match next {
                Some(close) => close().await,
                None => return,
            }
        }
    }
}
