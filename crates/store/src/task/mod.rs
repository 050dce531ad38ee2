//! Tasks: work that goes on after its request has been answered.

mod change;
#[cfg(any(feature = "sqlite", feature = "redis"))]
pub(crate) mod codec;
mod id;
mod memory;
mod record;
mod store;
mod watch;
#[cfg(any(feature = "sqlite", feature = "redis"))]
pub(crate) mod watchers;

pub use change::{TaskChange, TaskEnd, Updated};
pub use id::TaskId;
pub use memory::MemoryTasks;
pub use record::{NewTask, TaskInput, TaskRecord, TaskStage};
pub use store::{TaskPage, TaskStore};
pub use watch::{TaskWatch, TaskWatched};
