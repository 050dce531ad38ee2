//! Stores in memory: the contract, and the bounds.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jackfield_store::contract::{
    BUS_CHECKS, EVENT_CHECKS, KV_CHECKS, SESSION_CHECKS, Setting, StoresSetting, TASK_CHECKS,
};
use jackfield_store::{
    Appended, Boxed, Clock, EventLimits, EventStore, KvStore, MemoryEvents, MemoryKv, MemorySessions, MemoryTasks,
    NewEvent, NewEvents, NewSession, SessionStore, StoreError, Stores, StreamName, Timestamp,
};

/// A clock that a test moves.
pub(crate) struct Memory(Arc<AtomicU64>);

impl Memory {
    pub(crate) fn new() -> Self {
        Self(Arc::new(AtomicU64::new(1_000_000)))
    }

    fn clock(&self) -> Clock {
        let clock = self.0.clone();
        Arc::new(move || Timestamp::from_millis(clock.load(Ordering::Relaxed)))
    }

    pub(crate) fn tasks(&self) -> MemoryTasks {
        MemoryTasks::new().with_clock(self.clock())
    }
}

impl Setting for Memory {
    fn pass(&self, time: Duration) -> Boxed<'_, ()> {
        self.0.fetch_add(u64::try_from(time.as_millis()).unwrap(), Ordering::Relaxed);
        Box::pin(std::future::ready(()))
    }
}

impl StoresSetting for Memory {
    fn pair(&self) -> Boxed<'_, (Stores, Stores)> {
        let stores = Stores::memory_with_clock(&self.clock());
        Box::pin(std::future::ready((stores.clone(), stores)))
    }
}

/// TASK-014, TASK-015, TASK-016: a task begins as working, and its end never changes.
#[tokio::test]
async fn tasks_keep_the_contract() {
    for (what, check) in TASK_CHECKS {
        println!("{what}");
        check(&Memory::new()).await;
    }
}

#[tokio::test]
async fn the_other_stores_keep_the_contract() {
    for (what, check) in [SESSION_CHECKS, EVENT_CHECKS, KV_CHECKS, BUS_CHECKS].into_iter().flatten() {
        println!("{what}");
        check(&Memory::new()).await;
    }
}

#[tokio::test]
async fn sessions_are_bounded() {
    let setting = Memory::new();
    let store = MemorySessions::new().with_clock(setting.clock()).with_limit(2).with_byte_limit(20);
    let new = |id: &str, length: usize| NewSession::new(id, Duration::from_secs(1)).with_field("f", vec![0; length]);
    store.create(new("1", 4)).await.unwrap();
    assert!(matches!(store.create(new("2", 15)).await, Err(StoreError::Full(_))));
    store.create(new("2", 14)).await.unwrap();
    assert!(matches!(store.create(new("3", 0)).await, Err(StoreError::Full("sessions"))));
    let longer = vec![("f".to_owned(), Some(vec![0; 5].into()))];
    assert!(matches!(store.change("1", longer).await, Err(StoreError::Full(_))));
    let shorter = vec![("f".to_owned(), None), ("g".to_owned(), Some(vec![0; 4].into()))];
    assert_eq!(store.change("1", shorter).await.unwrap(), Some(2));
    setting.pass(Duration::from_secs(1)).await;
    store.create(new("3", 19)).await.unwrap();
}

#[tokio::test]
async fn events_are_bounded() {
    let setting = Memory::new();
    let store = MemoryEvents::new().with_clock(setting.clock()).with_limit(2).with_byte_limit(10);
    let events =
        |length| NewEvents::new(vec![NewEvent::new(vec![0; length])], EventLimits::new(9, 6, Duration::from_secs(1)));
    let name = |number| StreamName::new("s", number);
    store.append(name(1), events(6)).await.unwrap();
    store.open(name(2), Duration::from_secs(1)).await.unwrap();
    assert!(matches!(store.open(name(3), Duration::from_secs(1)).await, Err(StoreError::Full("streams"))));
    assert!(matches!(store.append(name(2), events(5)).await, Err(StoreError::Full(_))));
    assert_eq!(store.append(name(1), events(6)).await.unwrap(), Appended::At(vec![2]), "the old one makes room");
    store.append(name(2), events(4)).await.unwrap();
    setting.pass(Duration::from_secs(1)).await;
    store.append(name(3), events(6)).await.unwrap();
}

#[tokio::test]
async fn values_are_bounded() {
    let setting = Memory::new();
    let store = MemoryKv::new().with_clock(setting.clock()).with_limit(2).with_byte_limit(10);
    let second = Some(Duration::from_secs(1));
    store.put("a", vec![0; 4].into(), second).await.unwrap();
    assert!(matches!(store.add("b", vec![0; 5].into(), None).await, Err(StoreError::Full(_))));
    store.put("b", vec![0; 4].into(), None).await.unwrap();
    assert!(matches!(store.put("c", vec![].into(), None).await, Err(StoreError::Full("values"))));
    assert!(matches!(store.replace("b", &[0; 4], vec![0; 5].into(), None).await, Err(StoreError::Full(_))));
    assert!(store.replace("b", &[0; 4], vec![0; 3].into(), None).await.unwrap());
    setting.pass(Duration::from_secs(1)).await;
    store.put("c", vec![0; 5].into(), None).await.unwrap();
}
