//! Tasks in memory: the bounds.

use std::time::Duration;

use bytes::Bytes;
use jackfield_store::contract::Setting;
use jackfield_store::{NewTask, StoreError, TaskChange, TaskEnd, TaskStore, Updated};

use crate::memory::Memory;

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
