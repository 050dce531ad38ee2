//! What every store of tasks must do.

use std::sync::Arc;
use std::time::Duration;

use super::{LONG, SHORT, Setting, bytes};
use crate::{
    Boxed, NewTask, StoreError, TaskChange, TaskEnd, TaskId, TaskRecord, TaskStage, TaskStore, Timestamp, Updated,
};

/// Where a store of tasks is tested.
pub trait TaskSetting: Setting {
    /// Makes an empty store; two of them share nothing.
    fn store(&self) -> Boxed<'_, Arc<dyn TaskStore>>;
}

/// A check, and what holds if it passes.
type Check = (&'static str, for<'a> fn(&'a dyn TaskSetting) -> Boxed<'a, ()>);

/// All checks, by the name of what holds.
pub const CHECKS: &[Check] = &[
    ("a task is found as soon as it was created", |s| Box::pin(created(s))),
    ("ids are used once", |s| Box::pin(unique(s))),
    ("an owner has so many tasks and no more", |s| Box::pin(limited(s))),
    ("a change is seen by all, with its time", |s| Box::pin(changed(s))),
    ("of several ends the first one stays", |s| Box::pin(ended_once(s))),
    ("questions wait for their answers, and keys are used once", |s| Box::pin(asked(s))),
    ("lists show all tasks of their owner, and no others, in pages", |s| Box::pin(listed(s))),
    ("cursors of strangers are refused", |s| Box::pin(bad_cursor(s))),
    ("a task is forgotten when its time is over, and not before", |s| Box::pin(expired(s))),
    ("a silent worker counts as gone", |s| Box::pin(abandoned(s))),
    ("every change is noticed", |s| Box::pin(watched(s))),
    ("of many who end a task at once, one does", |s| Box::pin(raced(s))),
];

/// Runs all checks, each with a store of its own.
///
/// # Panics
/// The backend breaks the contract.
pub async fn tasks(setting: &dyn TaskSetting) {
    for (_, check) in CHECKS {
        check(setting).await;
    }
}

fn task(owner: &str) -> NewTask {
    let mut task = NewTask::new(owner);
    task.ttl = Some(LONG);
    task
}

async fn make(store: &Arc<dyn TaskStore>) -> TaskRecord {
    store.create(task("o")).await.expect("there is room")
}

async fn find(store: &Arc<dyn TaskStore>, id: &TaskId) -> Option<TaskRecord> {
    store.get(id.as_str()).await.expect("the store is there")
}

#[track_caller]
fn applied(updated: Result<Updated, StoreError>) -> TaskRecord {
    match updated {
        Ok(Updated::Applied(record)) => record,
        other => panic!("the change was not applied: {other:?}"),
    }
}

async fn created(setting: &dyn TaskSetting) {
    let store = setting.store().await;
    let mut new = task("owner 1");
    new.poll_interval = Some(Duration::from_secs(3));
    let made = store.create(new.clone()).await.expect("there is room");
    assert_eq!((&made.id, made.owner.as_str()), (&new.id, "owner 1"));
    assert_eq!((made.ttl, made.poll_interval), (Some(LONG), Some(Duration::from_secs(3))));
    assert_eq!((made.stage(), made.end.as_ref(), made.message.as_ref()), (TaskStage::Working, None, None));
    assert_eq!(made.created, made.updated);
    assert!(made.created > Timestamp::default() && made.inputs.is_empty() && !made.abandoned);
    assert_eq!(find(&store, &new.id).await.as_ref(), Some(&made));
    assert_eq!(find(&store, &TaskId::random()).await, None);
    assert!(matches!(store.update("none", TaskChange::message("x")).await, Ok(Updated::Gone)));
    assert!(matches!(store.answer("none", vec![]).await, Ok(Updated::Gone)));
    assert!(store.watch("none").await.expect("the store is there").is_none());
}

async fn unique(setting: &dyn TaskSetting) {
    let store = setting.store().await;
    let first = task("o");
    store.create(first.clone()).await.expect("there is room");
    let mut second = task("someone else");
    second.id = first.id.clone();
    assert!(matches!(store.create(second).await, Err(StoreError::Exists)));
    assert_eq!(find(&store, &first.id).await.map(|found| found.owner), Some("o".to_owned()));
}

async fn limited(setting: &dyn TaskSetting) {
    let store = setting.store().await;
    let limited = |owner| {
        let mut task = task(owner);
        task.owner_limit = 2;
        task
    };
    for _ in 0..2 {
        store.create(limited("a")).await.expect("there is room");
    }
    assert!(matches!(store.create(limited("a")).await, Err(StoreError::TooMany { limit: 2, .. })));
    store.create(limited("b")).await.expect("others have their own room");
}

async fn changed(setting: &dyn TaskSetting) {
    let store = setting.store().await;
    let made = make(&store).await;
    setting.pass(SHORT).await;
    let now = applied(store.update(made.id.as_str(), TaskChange::message("half done")).await);
    assert_eq!(now.message.as_deref(), Some("half done"));
    assert!(now.version > made.version && now.updated > made.updated && now.created == made.created);
    assert_eq!(find(&store, &made.id).await.as_ref(), Some(&now));
    // A change that tells nothing leaves what was told.
    let asked = applied(store.update(made.id.as_str(), TaskChange::ask(vec![("k".into(), bytes("?"))])).await);
    assert_eq!(asked.message.as_deref(), Some("half done"));
    let ended = applied(store.update(made.id.as_str(), TaskChange::end(TaskEnd::Cancelled)).await);
    assert_eq!((ended.message, ended.end), (None, Some(TaskEnd::Cancelled)));
}

async fn ended_once(setting: &dyn TaskSetting) {
    let store = setting.store().await;
    for end in [
        TaskEnd::Completed(bytes("{}")),
        TaskEnd::Unsuccessful(bytes(r#"{"isError":true}"#)),
        TaskEnd::Failed(bytes("e\u{0}\u{1}é")),
        TaskEnd::Cancelled,
    ] {
        let made = make(&store).await;
        let id = made.id.as_str();
        let ended = applied(store.update(id, TaskChange::end(end.clone()).with_message("over")).await);
        assert_eq!((ended.end.as_ref(), ended.stage()), (Some(&end), TaskStage::Ended));
        for change in [
            TaskChange::end(TaskEnd::Cancelled),
            TaskChange::end(TaskEnd::Completed(bytes("other"))),
            TaskChange::message("other"),
            TaskChange::ask(vec![("k".into(), bytes("?"))]),
        ] {
            assert_eq!(store.update(id, change).await.expect("the store is there"), Updated::Ended(ended.clone()));
        }
        let late = store.answer(id, vec![("k".into(), bytes("!"))]).await.expect("the store is there");
        assert_eq!(late, Updated::Ended(ended.clone()));
        assert_eq!(find(&store, &made.id).await, Some(ended));
    }
}

async fn asked(setting: &dyn TaskSetting) {
    let store = setting.store().await;
    let made = make(&store).await;
    let id = made.id.as_str();
    let questions = vec![("a".to_owned(), bytes("A?")), ("b".to_owned(), bytes("B?"))];
    let asks = applied(store.update(id, TaskChange::ask(questions)).await);
    assert_eq!(asks.stage(), TaskStage::InputRequired);
    assert_eq!(asks.outstanding().map(|input| input.key.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    let one = applied(store.answer(id, vec![("b".into(), bytes("B!")), ("c".into(), bytes("C!"))]).await);
    assert_eq!(one.stage(), TaskStage::InputRequired);
    assert_eq!(one.input("b").and_then(|input| input.response.clone()), Some(bytes("B!")));
    assert_eq!(one.input("c"), None);
    // The first answer stays, and so does the question.
    let again = applied(store.answer(id, vec![("b".into(), bytes("other"))]).await);
    assert_eq!(again, one);
    let reused = applied(store.update(id, TaskChange::ask(vec![("b".into(), bytes("other?"))])).await);
    assert_eq!(reused.inputs, one.inputs);
    let all = applied(store.answer(id, vec![("a".into(), bytes("A!"))]).await);
    assert_eq!(all.stage(), TaskStage::Working);
    assert_eq!(find(&store, &made.id).await, Some(all));
}

async fn listed(setting: &dyn TaskSetting) {
    let store = setting.store().await;
    let mut own = Vec::new();
    for _ in 0..5 {
        own.push(make(&store).await.id);
        store.create(task("p")).await.expect("there is room");
    }
    let (mut found, mut cursor, mut pages) = (Vec::new(), None, 0);
    loop {
        let page = store.list("o", cursor.as_deref(), 2).await.expect("the cursor is its own");
        assert!(page.tasks.len() <= 2 && page.tasks.iter().all(|task| task.owner == "o"));
        found.extend(page.tasks.into_iter().map(|task| task.id));
        pages += 1;
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!((found, pages), (own, 3));
    let all = store.list("o", None, 5).await.expect("the store is there");
    assert_eq!((all.tasks.len(), all.next), (5, None));
    assert!(store.list("nobody", None, 5).await.expect("the store is there").tasks.is_empty());
}

async fn bad_cursor(setting: &dyn TaskSetting) {
    let store = setting.store().await;
    make(&store).await;
    for bad in ["", "x", "-1", "{}"] {
        assert!(matches!(store.list("o", Some(bad), 2).await, Err(StoreError::BadCursor)), "{bad}");
    }
}

async fn expired(setting: &dyn TaskSetting) {
    let store = setting.store().await;
    let mut short = task("o");
    short.ttl = Some(SHORT.saturating_mul(3));
    short.owner_limit = 1;
    let made = store.create(short.clone()).await.expect("there is room");
    let ended = TaskChange::end(TaskEnd::Completed(bytes("r")));
    applied(store.update(made.id.as_str(), ended).await);
    let mut watch = store.watch(made.id.as_str()).await.expect("the store is there").expect("the task is there");
    setting.pass(SHORT).await;
    assert!(find(&store, &made.id).await.is_some(), "a result is kept until its time is over");
    setting.pass(SHORT.saturating_mul(3)).await;
    assert_eq!(find(&store, &made.id).await, None);
    assert!(store.list("o", None, 9).await.expect("the store is there").tasks.is_empty());
    assert!(matches!(store.update(made.id.as_str(), TaskChange::message("x")).await, Ok(Updated::Gone)));
    assert_eq!(watch.changed().await, None);
    // Its place is free again.
    short.id = TaskId::random();
    store.create(short).await.expect("there is room");
    let mut lasting = task("p");
    lasting.ttl = None;
    let made = store.create(lasting).await.expect("there is room");
    setting.pass(SHORT.saturating_mul(4)).await;
    assert!(find(&store, &made.id).await.is_some(), "without a time to live it is kept");
}

async fn abandoned(setting: &dyn TaskSetting) {
    let store = setting.store().await;
    let leased = || {
        let mut leased = task("o");
        leased.lease = Some(SHORT.saturating_mul(3));
        leased
    };
    let (gone, done) = (leased(), leased());
    for new in [&gone, &done] {
        store.create(new.clone()).await.expect("there is room");
    }
    applied(store.update(done.id.as_str(), TaskChange::end(TaskEnd::Cancelled)).await);
    let is_abandoned = async |id| find(&store, id).await.is_some_and(|found| found.abandoned);
    setting.pass(SHORT.saturating_mul(2)).await;
    assert!(!is_abandoned(&gone.id).await);
    let ids = [gone.id.to_string(), "none".to_owned(), done.id.to_string()];
    store.renew(&ids, SHORT.saturating_mul(3)).await.expect("the store is there");
    setting.pass(SHORT.saturating_mul(2)).await;
    assert!(!is_abandoned(&gone.id).await, "a worker that says it is there is there");
    setting.pass(SHORT.saturating_mul(2)).await;
    assert!(is_abandoned(&gone.id).await);
    assert!(!is_abandoned(&done.id).await, "what has ended has no worker");
    assert!(store.list("o", None, 9).await.expect("the store is there").tasks.iter().any(|task| task.abandoned));
}

async fn watched(setting: &dyn TaskSetting) {
    let store = setting.store().await;
    let made = make(&store).await;
    let id = made.id.as_str();
    let watch = async || store.watch(id).await.expect("the store is there").expect("the task is there");
    let (mut one, mut other) = (watch().await, watch().await);
    assert_eq!(one.stage(), TaskStage::Working);
    applied(store.update(id, TaskChange::ask(vec![("a".into(), bytes("?"))])).await);
    assert_eq!(one.changed().await, Some(TaskStage::InputRequired));
    applied(store.answer(id, vec![("a".into(), bytes("!"))]).await);
    assert_eq!(one.changed().await, Some(TaskStage::Working));
    applied(store.update(id, TaskChange::end(TaskEnd::Cancelled)).await);
    assert_eq!(one.changed().await, Some(TaskStage::Ended));
    // One who was slow notices the last of it.
    assert_eq!(other.changed().await, Some(TaskStage::Ended));
    other.ended().await;
    watch().await.ended().await;
}

async fn raced(setting: &dyn TaskSetting) {
    let store = setting.store().await;
    let made = make(&store).await;
    let ends = ["1", "2", "3", "4"].map(|text| TaskEnd::Completed(bytes(text)));
    let mut won = Vec::new();
    let [a, b, c, d] = ends.clone().map(|end| store.update(made.id.as_str(), TaskChange::end(end)));
    for (end, updated) in ends.iter().zip([a.await, b.await, c.await, d.await]) {
        if matches!(updated, Ok(Updated::Applied(_))) {
            won.push(end.clone());
        }
    }
    assert_eq!(won.len(), 1);
    assert_eq!(find(&store, &made.id).await.and_then(|found| found.end), won.pop());
}
