//! All stores of one place.

use std::sync::Arc;

use crate::{
    Boxed, Bus, Clock, EventStore, KvStore, MemoryBus, MemoryEvents, MemoryKv, MemorySessions, MemoryTasks,
    SessionStore, StoreError, TaskStore, Timestamp,
};

/// All stores of one place, as [`open`](crate::open()) gives them. Clones of it are the same stores.
#[derive(Clone, Debug)]
pub struct Stores {
    sessions: Arc<dyn SessionStore>,
    events: Arc<dyn EventStore>,
    tasks: Arc<dyn TaskStore>,
    kv: Arc<dyn KvStore>,
    bus: Arc<dyn Bus>,
    shared: bool,
}

impl Stores {
    /// Makes stores in memory, which are lost with the process.
    #[must_use]
    pub fn memory() -> Self {
        Self::memory_with_clock(&(Arc::new(Timestamp::now) as Clock))
    }

    /// Makes stores in memory that tell the time in another way.
    #[must_use]
    pub fn memory_with_clock(clock: &Clock) -> Self {
        Self {
            sessions: Arc::new(MemorySessions::new().with_clock(clock.clone())),
            events: Arc::new(MemoryEvents::new().with_clock(clock.clone())),
            tasks: Arc::new(MemoryTasks::new().with_clock(clock.clone())),
            kv: Arc::new(MemoryKv::new().with_clock(clock.clone())),
            bus: Arc::new(MemoryBus::new()),
            shared: false,
        }
    }

    /// Puts stores together that other processes share.
    #[must_use]
    pub fn shared(
        sessions: Arc<dyn SessionStore>,
        events: Arc<dyn EventStore>,
        tasks: Arc<dyn TaskStore>,
        kv: Arc<dyn KvStore>,
        bus: Arc<dyn Bus>,
    ) -> Self {
        Self { sessions, events, tasks, kv, bus, shared: true }
    }

    /// Returns the sessions.
    #[must_use]
    pub fn sessions(&self) -> &Arc<dyn SessionStore> {
        &self.sessions
    }

    /// Returns the event logs.
    #[must_use]
    pub fn events(&self) -> &Arc<dyn EventStore> {
        &self.events
    }

    /// Returns the tasks.
    #[must_use]
    pub fn tasks(&self) -> &Arc<dyn TaskStore> {
        &self.tasks
    }

    /// Returns the values by key.
    #[must_use]
    pub fn kv(&self) -> &Arc<dyn KvStore> {
        &self.kv
    }

    /// Returns the bus.
    #[must_use]
    pub fn bus(&self) -> &Arc<dyn Bus> {
        &self.bus
    }

    /// Whether other processes may share them: what is in them outlives this one.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.shared
    }

    /// Finds out whether the stores can be reached.
    ///
    /// # Errors
    /// They cannot.
    pub fn check(&self) -> Boxed<'_, Result<(), StoreError>> {
        Box::pin(async { self.kv.get("check").await.map(drop) })
    }
}

impl Default for Stores {
    fn default() -> Self {
        Self::memory()
    }
}
