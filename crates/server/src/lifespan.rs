//! What is opened before a server serves, and closed after it.

use std::any::type_name;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use jackfield_peer::Extensions;

use crate::hooks::Boxed;

/// Something that is opened before a server serves, and closed after it.
#[derive(Clone)]
pub(crate) struct Lifespan {
    start: Arc<dyn Fn() -> Boxed<Result<Started, String>> + Send + Sync>,
}

/// What has been opened: how it becomes state, and how it is closed.
struct Started {
    publish: Box<dyn FnOnce(&mut Extensions) + Send>,
    stop: Close,
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
        Start: Fn() -> StartFuture + Send + Sync + 'static,
        StartFuture: Future<Output = Result<T, E>> + Send + 'static,
        Stop: Fn(Arc<T>) -> StopFuture + Send + Sync + 'static,
        StopFuture: Future<Output = ()> + Send + 'static,
    {
        let (start, stop) = (Arc::new(start), Arc::new(stop));
        Self {
            start: Arc::new(move || {
                let (start, stop) = (start.clone(), stop.clone());
                Box::pin(async move {
                    let opened = start().await.map_err(|error| format!("{}: {error}", type_name::<T>()))?;
                    let opened = Arc::new(opened);
                    let closing = opened.clone();
                    Ok(Started {
                        publish: Box::new(move |state| state.insert_shared(opened)),
                        stop: Box::new(move || Box::pin(stop(closing))),
                    })
                })
            }),
        }
    }

    /// Opens, publishes what was opened as state, and keeps how it is closed.
    pub(crate) async fn start(&self, state: &std::sync::RwLock<Extensions>, open: &Open) -> Result<(), StartError> {
        let started = (self.start)().await.map_err(StartError)?;
        (started.publish)(&mut state.write().unwrap_or_else(PoisonError::into_inner));
        open.0.lock().unwrap_or_else(PoisonError::into_inner).push(started.stop);
        Ok(())
    }
}

impl Open {
    /// Closes everything, the newest first.
    pub(crate) async fn close(&self) {
        loop {
            let next = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
            match next {
                Some(stop) => stop().await,
                None => return,
            }
        }
    }
}
