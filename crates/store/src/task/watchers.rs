//! Who in this process watches which task.

use std::collections::HashMap;

use bytes::Bytes;
use parking_lot::{Mutex, MutexGuard};

use super::{TaskRecord, TaskStage, TaskWatch, TaskWatched};

/// The watched tasks of a backend whose tasks are kept elsewhere.
#[derive(Debug, Default)]
pub(crate) struct Watchers(Mutex<HashMap<String, TaskWatched>>);

impl Watchers {
    fn watched(&self) -> MutexGuard<'_, HashMap<String, TaskWatched>> {
        self.0.lock()
    }

    /// Notes that a task is about to be watched, of which nothing is known yet. What is heard of it meanwhile is not lost.
    #[cfg(feature = "redis")]
    pub(crate) fn expect(&self, id: &str) -> TaskWatch {
        let mut all = self.watched();
        all.entry(id.to_owned()).or_insert_with(TaskWatched::unknown).watch()
    }

    /// Begins to watch a task that is like this now.
    pub(crate) fn watch(&self, record: &TaskRecord) -> TaskWatch {
        let mut all = self.watched();
        // Those that nobody watches any more make room now and then.
        if all.len().is_power_of_two() {
            all.retain(|_, watched| watched.is_watched());
        }
        let watched = all.entry(record.id.to_string()).or_insert_with(|| TaskWatched::new(record));
        watched.tell(record);
        watched.watch()
    }

    /// Tells that a task has changed.
    pub(crate) fn tell(&self, id: &str, version: u64, stage: TaskStage) {
        let mut all = self.watched();
        let Some(watched) = all.get(id) else { return };
        if watched.is_watched() {
            watched.tell_stage(version, stage);
        } else {
            all.remove(id);
        }
    }

    /// Tells that a task is no longer kept.
    pub(crate) fn gone(&self, id: &str) {
        self.watched().remove(id);
    }

    /// Whether nobody watches any task.
    #[cfg(feature = "sqlite")]
    pub(crate) fn is_idle(&self) -> bool {
        !self.watched().values().any(TaskWatched::is_watched)
    }

    /// Returns the tasks that someone watches, after those were forgotten that nobody does.
    pub(crate) fn ids(&self) -> Vec<String> {
        let mut all = self.watched();
        all.retain(|_, watched| watched.is_watched());
        all.keys().cloned().collect()
    }
}

/// What is told of a change: the version and the stage.
pub(crate) fn notice(record: &TaskRecord) -> Bytes {
    let stage = match record.stage() {
        TaskStage::Working => b'w',
        TaskStage::InputRequired => b'i',
        TaskStage::Ended => b'e',
    };
    let mut notice = record.version.to_be_bytes().to_vec();
    notice.push(stage);
    notice.into()
}

/// Reads a notice.
pub(crate) fn read_notice(notice: &[u8]) -> Option<(u64, TaskStage)> {
    let (version, stage) = notice.split_first_chunk::<8>()?;
    let stage = match stage {
        b"w" => TaskStage::Working,
        b"i" => TaskStage::InputRequired,
        b"e" => TaskStage::Ended,
        _ => return None,
    };
    Some((u64::from_be_bytes(*version), stage))
}
