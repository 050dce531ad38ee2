//! Tasks in memory: the contract, and the bounds.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use jackfield_store::contract::{Setting, TASK_CHECKS, TaskSetting};
use jackfield_store::{Boxed, MemoryTasks, NewTask, StoreError, TaskChange, TaskEnd, TaskStore, Timestamp, Updated};

/// A clock that a test moves.
struct Memory(Arc<AtomicU64>);

impl Memory {
    fn new() -> Self {
        Self(Arc::new(AtomicU64::new(1_000_000)))
    }

    fn tasks(&self) -> MemoryTasks {
        let clock = self.0.clone();
        MemoryTasks::new().with_clock(Arc::new(move || Timestamp::from_millis(clock.load(Ordering::Relaxed))))
    }
}

impl Setting for Memory {
    fn pass(&self, time: Duration) -> Boxed<'_, ()> {
        self.0.fetch_add(u64::try_from(time.as_millis()).unwrap(), Ordering::Relaxed);
        Box::pin(std::future::ready(()))
    }
}

impl TaskSetting for Memory {
    fn store(&self) -> Boxed<'_, Arc<dyn TaskStore>> {
        let store: Arc<dyn TaskStore> = Arc::new(self.tasks());
        Box::pin(std::future::ready(store))
    }
}

/// TASK-014, TASK-015, TASK-016: a task begins as working, and its end never changes.
#[tokio::test]
async fn memory_keeps_the_contract() {
    for (what, check) in TASK_CHECKS {
        println!("{what}");
        check(&Memory::new()).await;
    }
}

/// TASK-048: memory is bounded, and what has expired makes room.
#[tokio::test]
async fn the_number_of_tasks_is_bounded() {
    let setting = Memory::new();
    let store = setting.tasks().with_limit(2);
    let short = || {
        let mut task = NewTask::new("o");
        task.ttl = Some(Duration::from_secs(1));
        task
    };
    store.create(short()).await.unwrap();
    store.create(short()).await.unwrap();
    assert!(matches!(store.create(NewTask::new("p")).await, Err(StoreError::Full("tasks"))));
    setting.pass(Duration::from_secs(1)).await;
    store.create(NewTask::new("p")).await.unwrap();
}

/// TASK-048: results are bounded too; what ends without a result always finds room.
#[tokio::test]
async fn the_bytes_of_tasks_are_bounded() {
    let store = Memory::new().tasks().with_byte_limit(10);
    let (one, two) = (NewTask::new("o"), NewTask::new("o"));
    for task in [&one, &two] {
        store.create(task.clone()).await.unwrap();
    }
    let result = |length| TaskChange::end(TaskEnd::Completed(Bytes::from(vec![b'x'; length])));
    store.update(one.id.as_str(), result(8)).await.unwrap();
    assert!(matches!(store.update(two.id.as_str(), result(8)).await, Err(StoreError::Full(_))));
    let asked = TaskChange::ask(vec![("key".to_owned(), Bytes::from_static(b"question"))]);
    assert!(matches!(store.update(two.id.as_str(), asked).await, Err(StoreError::Full(_))));
    assert!(store.get(two.id.as_str()).await.unwrap().unwrap().end.is_none());
    let updated = store.update(two.id.as_str(), TaskChange::end(TaskEnd::Cancelled)).await.unwrap();
    assert!(matches!(updated, Updated::Applied(_)));
}
