//! Stores for what outlives a request: sessions, event logs, tasks, values and notices, in memory, in a file, in Redis, or in a store of
//! your own.

#[cfg(feature = "redis")]
pub use jackfield_store::Redis;
#[cfg(feature = "sqlite")]
pub use jackfield_store::Sqlite;
pub use jackfield_store::{
    Appended, Boxed, Bus, Clock, EventChunk, EventLimits, EventStore, EventWatch, KvStore, MemoryBus, MemoryEvents,
    MemoryKv, MemorySessions, MemoryTasks, NewEvent, NewEvents, NewSession, NewTask, NotATime, Notice, SessionRecord,
    SessionStore, StoreError, StoredEvent, Stores, StreamName, Subscription, TaskChange, TaskEnd, TaskId, TaskInput,
    TaskPage, TaskRecord, TaskStage, TaskStore, TaskWatch, TaskWatched, Timestamp, Updated, open,
};
