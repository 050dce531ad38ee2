//! Stores in an SQLite file: the contract, several processes, and faults.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use jackfield_store::contract::{
    BUS_CHECKS, EVENT_CHECKS, KV_CHECKS, SESSION_CHECKS, Setting, StoresCheck, StoresSetting, TASK_CHECKS,
};
use jackfield_store::{
    Boxed, Bus, Clock, EventLimits, EventStore, KvStore, NewEvent, NewEvents, NewSession, NewTask, Notice,
    SessionStore, Sqlite, StoreError, Stores, StreamName, TaskChange, TaskEnd, TaskStore, Timestamp,
};

/// A folder that is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("jackfield-store-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn file(&self) -> PathBuf {
        self.0.join("store.db")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A clock that a test moves, and a folder for files.
pub(crate) struct Files {
    clock: Arc<AtomicU64>,
    folder: Folder,
    next: AtomicU64,
}

impl Files {
    pub(crate) fn new() -> Self {
        Self { clock: Arc::new(AtomicU64::new(1_000_000)), folder: Folder::new(), next: AtomicU64::new(0) }
    }

    fn clock(&self) -> Clock {
        let clock = self.clock.clone();
        Arc::new(move || Timestamp::from_millis(clock.load(Ordering::Relaxed)))
    }
}

impl Setting for Files {
    fn pass(&self, time: Duration) -> Boxed<'_, ()> {
        self.clock.fetch_add(u64::try_from(time.as_millis()).unwrap(), Ordering::Relaxed);
        Box::pin(std::future::ready(()))
    }
}

impl StoresSetting for Files {
    /// Two connections to one file, as two processes have them.
    fn pair(&self) -> Boxed<'_, (Stores, Stores)> {
        let file = self.folder.0.join(format!("{}.db", self.next.fetch_add(1, Ordering::Relaxed)));
        let open = || Sqlite::open_with_clock(&file, self.clock()).unwrap().stores();
        let pair = (open(), open());
        Box::pin(std::future::ready(pair))
    }
}

async fn contract(checks: &[StoresCheck]) {
    for (_, check) in checks {
        check(&Files::new()).await;
    }
}

/// TASK-014, TASK-015, TASK-016: a task begins as working, and its end never changes.
#[tokio::test]
async fn tasks_keep_the_contract() {
    for (what, check) in TASK_CHECKS {
        println!("{what}");
        check(&Files::new()).await;
    }
}

#[tokio::test]
async fn sessions_keep_the_contract() {
    contract(SESSION_CHECKS).await;
}

#[tokio::test]
async fn events_keep_the_contract() {
    contract(EVENT_CHECKS).await;
}

#[tokio::test]
async fn values_keep_the_contract() {
    contract(KV_CHECKS).await;
}

#[tokio::test]
async fn the_bus_keeps_the_contract() {
    contract(BUS_CHECKS).await;
}

/// A change that one process makes wakes one who watches the task in another.
#[tokio::test]
async fn a_task_is_watched_from_another_process() {
    let (one, other) = Files::new().pair().await;
    let made = one.tasks().create(NewTask::new("o")).await.unwrap();
    let mut watch = other.tasks().watch(made.id.as_str()).await.unwrap().unwrap();
    one.tasks().update(made.id.as_str(), TaskChange::end(TaskEnd::Cancelled)).await.unwrap();
    watch.ended().await;
}

#[tokio::test]
async fn everything_is_there_after_the_file_was_opened_again() {
    let folder = Folder::new();
    let url = format!("sqlite:{}", folder.file().display());
    let stream = StreamName::new("s", 1);
    let task = NewTask::new("o");
    {
        let stores = jackfield_store::open(&url).unwrap();
        let hour = Duration::from_secs(3600);
        stores.kv().put("k", Bytes::from_static(b"v"), None).await.unwrap();
        stores.sessions().create(NewSession::new("s", hour).with_field("f", "v")).await.unwrap();
        let events = vec![NewEvent::once("k", "a"), NewEvent::new("b")];
        stores.events().append(stream, NewEvents::new(events, EventLimits::default())).await.unwrap();
        stores.tasks().create(task.clone()).await.unwrap();
        let end = TaskChange::end(TaskEnd::Completed(Bytes::from_static(b"r")));
        stores.tasks().update(task.id.as_str(), end).await.unwrap();
    }
    let stores = jackfield_store::open(&url).unwrap();
    assert!(stores.is_shared());
    assert_eq!(stores.kv().get("k").await.unwrap().as_deref(), Some(&b"v"[..]));
    assert_eq!(stores.sessions().load("s").await.unwrap().unwrap().field("f").unwrap(), "v");
    assert_eq!(stores.events().read(stream, 0, 9).await.unwrap().unwrap().events.len(), 2);
    let found = stores.tasks().get(task.id.as_str()).await.unwrap().unwrap();
    assert_eq!(found.end, Some(TaskEnd::Completed(Bytes::from_static(b"r"))));
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_can_read_the_files() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let store = Sqlite::open(folder.file()).unwrap();
    store.put("k", Bytes::new(), None).await.unwrap();
    for entry in std::fs::read_dir(&folder.0).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o077, 0, "{:?}", entry.file_name());
    }
}

#[tokio::test]
async fn a_full_disk_is_told_and_nothing_is_half_done() {
    let folder = Folder::new();
    let store = Sqlite::open(folder.file()).unwrap();
    store.put("small", Bytes::from_static(b"v"), None).await.unwrap();
    store.limit(400_000).await.unwrap();
    let fields = NewSession::new("s", Duration::from_secs(60)).with_field("f", vec![1; 300_000]);
    let refused = SessionStore::create(&store, fields.with_field("g", vec![2; 300_000])).await;
    assert!(matches!(refused, Err(StoreError::Full(_))), "{refused:?}");
    assert!(SessionStore::load(&store, "s").await.unwrap().is_none());
    assert_eq!(store.get_value("small").await, "v");
    store.put("next", Bytes::from_static(b"v"), None).await.unwrap();
}

#[tokio::test]
async fn a_file_that_can_not_be_used_is_refused_with_the_reason() {
    let folder = Folder::new();
    let reason = |error: StoreError| match error {
        StoreError::Unavailable(source) => source.to_string(),
        other => panic!("{other:?}"),
    };
    let absent = reason(Sqlite::open(folder.0.join("no/such/folder.db")).unwrap_err());
    assert!(absent.contains("No such file"), "{absent}");
    std::fs::write(folder.file(), "This is not a database, whatever it is called. ".repeat(50)).unwrap();
    let other = reason(Sqlite::open(folder.file()).unwrap_err());
    assert!(other.contains("not a database"), "{other}");
    let newer = folder.0.join("newer.db");
    rusqlite::Connection::open(&newer).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let newer = reason(Sqlite::open(&newer).unwrap_err());
    assert!(newer.contains("version 99"), "{newer}");
    assert!(matches!(jackfield_store::open("sqlite:"), Err(StoreError::BadUrl(_))));
}

/// While someone else holds the file, a request waits; it does not fail at once, and does not wait for ever.
#[tokio::test]
async fn a_file_that_is_held_by_another_is_waited_for() {
    let folder = Folder::new();
    let store = Sqlite::open(folder.file()).unwrap();
    let mut holder = rusqlite::Connection::open(folder.file()).unwrap();
    let held = holder.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).unwrap();
    let (put, ()) = tokio::join!(store.put("k", Bytes::from_static(b"v"), None), async {
        tokio::task::yield_now().await;
        held.commit().unwrap();
    });
    put.unwrap();
}

/// Whoever has not looked for so long that notices were deleted learns that something was missed.
#[tokio::test]
async fn notices_that_were_deleted_unseen_are_told_as_missed() {
    let folder = Folder::new();
    let store = Sqlite::open(folder.file()).unwrap();
    let made = store.create_task().await;
    let mut watch = TaskStore::watch(&store, &made).await.unwrap().unwrap();
    let mut heard = store.subscribe(&["t"]).await.unwrap();
    let mut other = rusqlite::Connection::open(folder.file()).unwrap();
    // In one step, so that the store does not see what is between.
    let change = other.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).unwrap();
    for _ in 0..3 {
        change.execute("INSERT INTO notices (kind, topic, notice, at) VALUES (0, 't', x'31', 0)", []).unwrap();
    }
    change.execute("DELETE FROM notices", []).unwrap();
    change.execute("DELETE FROM tasks", []).unwrap();
    change.commit().unwrap();
    assert_eq!(heard.next().await, Some(Notice::Missed));
    assert_eq!(watch.changed().await, None);
}

const CHILD: &str = "JACKFIELD_STORE_TEST_FILE";

/// The child of the next test, which is killed while it writes. Without its file it has nothing to do.
#[tokio::test]
async fn child_that_writes_until_it_is_killed() {
    let Some(file) = std::env::var_os(CHILD) else { return };
    let store = Sqlite::open(Path::new(&file)).unwrap();
    let stream = StreamName::new("s", 1);
    for number in 0u64.. {
        let events = NewEvents::new(vec![NewEvent::new(number.to_string())], EventLimits::default());
        store.append(stream, events).await.unwrap();
        store.put(&format!("k{number}"), Bytes::from(number.to_string()), None).await.unwrap();
        println!("\nkept {number}");
    }
}

#[tokio::test]
async fn what_was_kept_survives_kill_9() {
    let folder = Folder::new();
    for round in 1..4u64 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "sqlite::child_that_writes_until_it_is_killed", "--nocapture"])
            .env(CHILD, folder.file())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let mut kept = lines.filter_map(|line| line.strip_prefix("kept ")?.parse::<u64>().ok());
        let mut last = kept.by_ref().take(usize::try_from(round * 20).unwrap()).last().unwrap();
        // SIGKILL, wherever it is at the moment.
        child.kill().unwrap();
        child.wait().unwrap();
        last = kept.last().unwrap_or(last);
        let store = Sqlite::open(folder.file()).unwrap();
        for number in 0..=last {
            assert_eq!(store.get_value(&format!("k{number}")).await, number.to_string());
        }
        let chunk = EventStore::read(&store, StreamName::new("s", 1), 0, usize::MAX).await.unwrap().unwrap();
        for (expected, event) in (chunk.events.first().unwrap().sequence..).zip(&chunk.events) {
            assert_eq!(event.sequence, expected);
        }
        let check: String = rusqlite::Connection::open(folder.file())
            .unwrap()
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .unwrap();
        assert_eq!(check, "ok");
    }
}

trait Shortcuts {
    async fn get_value(&self, key: &str) -> String;
    async fn create_task(&self) -> String;
}

impl Shortcuts for Sqlite {
    async fn get_value(&self, key: &str) -> String {
        String::from_utf8(KvStore::get(self, key).await.unwrap().unwrap().into()).unwrap()
    }

    async fn create_task(&self) -> String {
        TaskStore::create(self, NewTask::new("o")).await.unwrap().id.to_string()
    }
}

/// What another process tells is heard while this one reads without a pause.
#[tokio::test]
async fn notices_are_heard_between_reads() {
    let folder = Folder::new();
    let (one, other) = (Sqlite::open(folder.file()).unwrap(), Sqlite::open(folder.file()).unwrap());
    let mut heard = Bus::subscribe(&one, &["t"]).await.unwrap();
    // There is always one waiting, so that the store has no moment to itself.
    let read = || async { while KvStore::get(&one, "k").await.is_ok() {} };
    let reading = async {
        tokio::join!(read(), read(), read(), read(), read(), read(), read(), read());
    };
    let telling = async {
        Bus::publish(&other, "t", Bytes::from_static(b"x")).await.unwrap();
        heard.next().await
    };
    let notice = async {
        tokio::select! { () = reading => None, notice = telling => notice }
    };
    let notice = tokio::time::timeout(Duration::from_secs(20), notice).await.expect("it is heard");
    assert!(matches!(notice, Some(Notice::Heard { .. })), "{notice:?}");
}
