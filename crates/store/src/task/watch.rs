//! Noticing changes of a task.

use tokio::sync::watch;

use super::{TaskRecord, TaskStage};

/// Notices changes of a task.
#[derive(Clone, Debug)]
pub struct TaskWatch(watch::Receiver<(u64, TaskStage)>);

/// The end of a [`TaskWatch`] that a backend keeps. Dropping it says that the task is no longer kept.
#[derive(Debug)]
pub struct TaskWatched(watch::Sender<(u64, TaskStage)>);

impl TaskWatch {
    /// Returns what stage the task was at when it was last noticed.
    #[must_use]
    pub fn stage(&self) -> TaskStage {
        self.0.borrow().1
    }

    /// Waits for a change since the last time. Many changes may be noticed as one. `None` if the task is no longer kept.
    ///
    /// # Cancellation
    /// Nothing is lost.
    pub async fn changed(&mut self) -> Option<TaskStage> {
        self.0.changed().await.ok()?;
        Some(self.0.borrow_and_update().1)
    }

    /// Waits until the task has ended or is no longer kept.
    ///
    /// # Cancellation
    /// Nothing is lost.
    pub async fn ended(&mut self) {
        // An error means that the task is no longer kept.
        let _ = self.0.wait_for(|(_, stage)| *stage == TaskStage::Ended).await;
    }
}

impl TaskWatched {
    /// Begins with what a record says.
    #[must_use]
    pub fn new(record: &TaskRecord) -> Self {
        Self(watch::Sender::new((record.version, record.stage())))
    }

    /// Begins with nothing.
    #[cfg(feature = "redis")]
    pub(crate) fn unknown() -> Self {
        Self(watch::Sender::new((0, TaskStage::Working)))
    }

    /// Tells all who watch that the task is now like this.
    pub fn tell(&self, record: &TaskRecord) {
        self.tell_stage(record.version, record.stage());
    }

    /// The same, for a backend that heard of the change and did not read it.
    pub fn tell_stage(&self, version: u64, stage: TaskStage) {
        self.0.send_if_modified(|known| {
            let newer = version > known.0;
            if newer {
                *known = (version, stage);
            }
            newer
        });
    }

    /// Makes one more that watches.
    #[must_use]
    pub fn watch(&self) -> TaskWatch {
        TaskWatch(self.0.subscribe())
    }

    /// Whether anyone watches.
    #[must_use]
    pub fn is_watched(&self) -> bool {
        self.0.receiver_count() > 0
    }
}
