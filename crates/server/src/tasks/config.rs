//! How a server keeps and runs tasks.

use std::sync::Arc;
use std::time::Duration;

use jackfield_store::TaskStore;

/// How a server keeps and runs tasks; see [`Server::tasks`](crate::Server::tasks).
///
/// The defaults: tasks are kept in memory for an hour, or as long as the client asks, but at most for a day; a user has at most 256 of
/// them, and may ask about them 1000 times a second; 128 run at the same time. Without a user a task of 2025-11-25 belongs to its session. A task of the extension then belongs to
/// everyone who knows its id, which nobody can guess.
#[derive(Clone, Debug)]
#[must_use = "it does nothing until it is given to a server"]
pub struct Tasks {
    pub(crate) store: Option<Arc<dyn TaskStore>>,
    pub(crate) ttl: Duration,
    pub(crate) longest_ttl: Duration,
    pub(crate) poll_interval: Duration,
    pub(crate) per_owner: usize,
    pub(crate) per_second: u32,
    pub(crate) running: usize,
    pub(crate) lease: Duration,
}

impl Default for Tasks {
    fn default() -> Self {
        Self {
            store: None,
            ttl: Duration::from_secs(60 * 60),
            longest_ttl: Duration::from_secs(24 * 60 * 60),
            poll_interval: Duration::from_secs(1),
            per_owner: 256,
            per_second: 1000,
            running: 128,
            lease: Duration::from_secs(30),
        }
    }
}

impl Tasks {
    /// Begins with the defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps tasks in a store of your own, which other servers may share.
    pub fn store(mut self, store: Arc<dyn TaskStore>) -> Self {
        self.store = Some(store);
        self
    }

    /// Sets how long a task is kept, from its creation, if the client does not ask for another time. When it is over the
    /// task is forgotten, and ended if it still runs. An hour by default.
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = ttl;
        self
    }

    /// Sets how long a client may have a task kept; a day by default.
    pub fn longest_ttl(mut self, longest: Duration) -> Self {
        self.longest_ttl = longest;
        self
    }

    /// Sets how long clients are asked to wait between two looks at a task; a second by default.
    pub fn poll_interval(mut self, interval: Duration) -> Self {
        self.poll_interval = interval;
        self
    }

    /// Sets how many tasks are kept for one user, or for one session without user; 256 by default.
    pub fn per_owner(mut self, most: usize) -> Self {
        self.per_owner = most;
        self
    }

    /// Sets how often in a second one user, or one session without user, may begin tasks or ask about them. Who asks more often is
    /// refused until a moment has passed. 1,000 times by default.
    pub fn per_second(mut self, most: u32) -> Self {
        self.per_second = most.max(1);
        self
    }

    /// Sets how many tasks run at the same time. A call that would be one more is refused. 128 by default.
    pub fn running(mut self, most: usize) -> Self {
        self.running = most;
        self
    }

    /// Sets how long a task goes on looking alive after its server died, where others share the store; 30 seconds by default.
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease.max(Duration::from_millis(30));
        self
    }

    /// How long a task is kept for which the client asks for so many milliseconds.
    pub(crate) fn ttl_for(&self, wanted: Option<u64>) -> Duration {
        let wanted = wanted.map_or(self.ttl, Duration::from_millis);
        wanted.clamp(Duration::from_millis(1), self.longest_ttl.max(Duration::from_millis(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TASK-048: how long a task is kept has a limit, whatever the client asks for.
    #[test]
    fn the_time_to_live_is_within_limits() {
        let tasks = Tasks::new().ttl(Duration::from_secs(60)).longest_ttl(Duration::from_secs(100));
        assert_eq!(tasks.ttl_for(None).as_secs(), 60);
        assert_eq!(tasks.ttl_for(Some(99_999)).as_millis(), 99_999);
        assert_eq!(tasks.ttl_for(Some(100_001)).as_secs(), 100);
        assert_eq!(tasks.ttl_for(Some(u64::MAX)).as_secs(), 100);
        assert_eq!(tasks.ttl_for(Some(0)).as_millis(), 1);
    }
}
