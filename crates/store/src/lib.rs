//! What outlives a request: typed stores, each a small trait with one contract that every backend passes.
//!
//! At present there are tasks, kept in memory. A store knows nothing of the protocol: what is kept in it are bytes that only its
//! user understands, so that a backend need not change when the protocol does.
//!
//! A backend of your own implements [`TaskStore`]; with the feature `contract` it can be put to the same test as ours.

mod error;
mod task;
mod timestamp;

#[cfg(feature = "contract")]
pub mod contract;

pub use error::StoreError;
pub use task::{
    MemoryTasks, NewTask, TaskChange, TaskEnd, TaskId, TaskInput, TaskPage, TaskRecord, TaskStage, TaskStore,
    TaskWatch, TaskWatched, Updated,
};
pub use timestamp::{Clock, Timestamp};

/// A future that is boxed because it crosses a trait object.
pub type Boxed<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;
