//! What outlives a request: typed stores, each a small trait with one contract that every backend passes.
//!
//! | store | what for | backends |
//! | --- | --- | --- |
//! | [`SessionStore`] | what a client and a server agreed on | [`MemorySessions`], `Sqlite`, `Redis` |
//! | [`EventStore`] | what was sent on a stream, in order, to send it again | [`MemoryEvents`], `Sqlite`, `Redis` |
//! | [`TaskStore`] | work that goes on after its request was answered | [`MemoryTasks`], `Sqlite`, `Redis` |
//! | [`KvStore`] | values by key, until they expire | [`MemoryKv`], `Sqlite`, `Redis` |
//! | [`Bus`] | notices of changes, to whoever is interested | [`MemoryBus`], `Sqlite`, `Redis` |
//!
//! `Sqlite` and `Redis` come with the features of these names. [`open()`] gives all five of one place by its address. A store knows nothing of the protocol: what is kept in it are bytes that only
//! its user understands, so that a backend need not change when the protocol does.
//!
//! A backend of your own implements these traits; with the feature `contract` it can be put to the same test as ours.

mod bus;
mod error;
mod event;
mod expiring_map;
mod kv;
mod memory;
mod open;
#[cfg(feature = "redis")]
mod redis;
mod session;
#[cfg(feature = "sqlite")]
mod sqlite;
mod stores;
mod sync;
mod task;
mod timestamp;
#[cfg(feature = "redis")]
mod together;

#[cfg(feature = "contract")]
pub mod contract;

pub use bus::{Bus, MemoryBus, Notice, Subscription};
pub use error::StoreError;
pub use event::{
    Appended, EventChunk, EventLimits, EventStore, EventWatch, MemoryEvents, NewEvent, NewEvents, StoredEvent,
    StreamName,
};
pub use expiring_map::{ExpiringMap, InsertError};
pub use kv::{KvStore, MemoryKv};
pub use open::open;
#[cfg(feature = "redis")]
pub use redis::Redis;
pub use session::{MemorySessions, NewSession, SessionRecord, SessionStore};
#[cfg(feature = "sqlite")]
pub use sqlite::Sqlite;
pub use stores::Stores;
pub use task::{
    MemoryTasks, NewTask, TaskChange, TaskEnd, TaskId, TaskInput, TaskPage, TaskRecord, TaskStage, TaskStore,
    TaskWatch, TaskWatched, Updated,
};
pub use timestamp::{Clock, NotATime, Timestamp};

/// A future that is boxed because it crosses a trait object.
pub type Boxed<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;
