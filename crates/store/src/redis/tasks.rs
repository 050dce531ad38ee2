//! Tasks in Redis.
//!
//! A task is a hash with its record, its version and its lease. A change is made here, by the rule that all backends share, and kept if
//! nobody else made one meanwhile. The tasks of an owner are two sorted sets, on another node of a cluster perhaps.

use std::time::Duration;

use bytes::Bytes;

use super::Redis;
use super::listener::{Channel, Shared};
use super::script::{
    Call, Number, TASK_CHANGE, TASK_CREATE, TASK_GET, TASK_LIST, TASK_RELEASE, TASK_RENEW, TASK_RESERVE,
};
use crate::task::codec::{decode, encode};
use crate::task::watchers;
use crate::together::together;
use crate::{
    Boxed, NewTask, StoreError, TaskChange, TaskEnd, TaskPage, TaskRecord, TaskStore, TaskWatch, Timestamp, Updated,
};

/// How often a change is tried when others change the same task.
const ATTEMPTS: usize = 32;

/// The time, the record and the lease, as the server tells them; nothing at all if a change was kept.
type Told = Vec<Vec<u8>>;

fn number(bytes: &[u8]) -> Result<u64, StoreError> {
    let text = std::str::from_utf8(bytes).map_err(StoreError::unavailable)?;
    text.parse().map_err(StoreError::unavailable)
}

/// Reads what the server tells of a task, and what time it is there.
fn record(told: Told) -> Result<(TaskRecord, Timestamp), StoreError> {
    let [now, record, lease] =
        <[Vec<u8>; 3]>::try_from(told).map_err(|_| StoreError::unavailable("a task that is kept cannot be read"))?;
    let (now, lease) = (Timestamp::from_millis(number(&now)?), number(&lease)?);
    let lease = (lease != 0).then(|| Timestamp::from_millis(lease));
    Ok((decode(record, lease)?.seen_at(now), now))
}

impl Shared {
    fn task_key(&self, id: &str) -> String {
        format!("{}task:{{{id}}}", self.link.address.prefix)
    }

    async fn told_task(&self, id: &str) -> Result<Option<Told>, StoreError> {
        self.link.call(Call::new(&TASK_GET).key(self.task_key(id)).repeatable()).await
    }

    /// Finds a task.
    pub(super) async fn task(&self, id: &str) -> Result<Option<TaskRecord>, StoreError> {
        let told = self.told_task(id).await?;
        Ok(told.map(record).transpose()?.map(|(record, _)| record))
    }

    /// Changes a task if it has not ended.
    async fn change_task(
        &self,
        id: &str,
        apply: impl Fn(&mut TaskRecord, Timestamp) -> bool,
    ) -> Result<Updated, StoreError> {
        let mut told = self.told_task(id).await?;
        for _ in 0..ATTEMPTS {
            let Some(found) = told else { return Ok(Updated::Gone) };
            let (mut next, now) = record(found)?;
            if next.end.is_some() {
                return Ok(Updated::Ended(next));
            }
            let version = next.version;
            if !apply(&mut next, now) {
                return Ok(Updated::Applied(next));
            }
            let call = Call::new(&TASK_CHANGE).key(self.task_key(id)).number(version).arg(encode(&next));
            let call = call.number(next.version).arg(if next.end.is_some() { "1" } else { "0" });
            let call = call.arg(self.channel(Channel::Task, id)).arg(watchers::notice(&next));
            told = self.link.call::<Option<Told>>(call).await?;
            if told.as_ref().is_some_and(Vec::is_empty) {
                return Ok(Updated::Applied(next.seen_at(now)));
            }
        }
        Err(StoreError::unavailable("the task is changed by too many at once"))
    }
}

impl Redis {
    fn owner_call(&self, script: &'static std::sync::LazyLock<super::script::Source>, owner: &str) -> Call {
        let key = self.key("tasks", owner);
        Call::new(script).key(&key).key(format!("{key}:till"))
    }

    async fn create_task(&self, task: NewTask) -> Result<TaskRecord, StoreError> {
        let ttl = task.ttl.map(|ttl| Number::from(ttl).to_string()).unwrap_or_default();
        let (limit, owner) = (task.owner_limit, task.owner.clone());
        let reserve = self.owner_call(&TASK_RESERVE, &owner).arg(task.id.as_str()).arg(ttl).number(limit);
        let (reserved, now) = self.shared().link.call::<(u8, u64)>(reserve).await?;
        match reserved {
            0 => return Err(StoreError::TooMany { what: "tasks", limit }),
            1 => {}
            _ => return Err(StoreError::Exists),
        }
        let record = TaskRecord::new(task, Timestamp::from_millis(now));
        let moment = |moment: Option<Timestamp>| moment.map_or(0, Timestamp::as_millis);
        let call = Call::new(&TASK_CREATE).key(self.shared().task_key(record.id.as_str())).arg(encode(&record));
        let call = call.number(moment(record.leased_until)).number(moment(record.expires()));
        if self.shared().link.call::<bool>(call).await? {
            return Ok(record);
        }
        let release = self.owner_call(&TASK_RELEASE, &owner).arg(record.id.as_str()).repeatable();
        self.shared().link.call::<()>(release).await?;
        Err(StoreError::Exists)
    }

    async fn page(&self, owner: &str, after: u64, limit: usize) -> Result<TaskPage, StoreError> {
        let limit = limit.max(1);
        let call = self.owner_call(&TASK_LIST, owner).number(after).number(limit.saturating_add(1)).repeatable();
        let mut found = self.shared().link.call::<Vec<(String, f64)>>(call).await?;
        let has_more = found.len() > limit;
        found.truncate(limit);
        // Places are whole numbers that fit.
        let last = found.last().map(|(_, place)| format!("{place:.0}"));
        let records = together(found.iter().map(|(id, _)| self.shared().task(id)).collect()).await;
        // One that has been forgotten since is left out.
        let tasks = records.into_iter().filter_map(Result::transpose).collect::<Result<_, _>>()?;
        Ok(TaskPage::new(tasks, last.filter(|_| has_more)))
    }
}

impl TaskStore for Redis {
    fn create(&self, task: NewTask) -> Boxed<'_, Result<TaskRecord, StoreError>> {
        Box::pin(self.create_task(task))
    }

    fn create_watched(&self, task: NewTask) -> Boxed<'_, Result<(TaskRecord, TaskWatch), StoreError>> {
        Box::pin(async move {
            // Whoever listens before there is anything to hear need not look afterwards.
            let _expected = self.shared().tasks.expect(task.id.as_str());
            let (listening, created) = tokio::join!(self.subscribed(), self.create_task(task));
            let record = created?;
            if let Err(error) = listening {
                // Nobody learns of the task, so nobody should find it at work. If that fails too, its lease ends it.
                let _ = self.update(record.id.as_str(), TaskChange::end(TaskEnd::Cancelled)).await;
                return Err(error);
            }
            let watch = self.shared().tasks.watch(&record);
            Ok((record, watch))
        })
    }

    fn get<'a>(&'a self, id: &'a str) -> Boxed<'a, Result<Option<TaskRecord>, StoreError>> {
        Box::pin(async move {
            let found = self.shared().task(id).await?;
            if found.is_none() {
                self.shared().tasks.gone(id);
            }
            Ok(found)
        })
    }

    fn update<'a>(&'a self, id: &'a str, change: TaskChange) -> Boxed<'a, Result<Updated, StoreError>> {
        Box::pin(async move { self.shared().change_task(id, |record, now| record.apply(change.clone(), now)).await })
    }

    fn answer<'a>(&'a self, id: &'a str, answers: Vec<(String, Bytes)>) -> Boxed<'a, Result<Updated, StoreError>> {
        Box::pin(
            async move { self.shared().change_task(id, |record, now| record.answer(answers.clone(), now) > 0).await },
        )
    }

    fn list<'a>(
        &'a self,
        owner: &'a str,
        after: Option<&'a str>,
        limit: usize,
    ) -> Boxed<'a, Result<TaskPage, StoreError>> {
        Box::pin(async move {
            let after = after.map_or(Ok(0), |cursor| cursor.parse::<u64>().map_err(|_| StoreError::BadCursor))?;
            self.page(owner, after, limit).await
        })
    }

    fn renew<'a>(&'a self, ids: &'a [String], lease: Duration) -> Boxed<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let renew = |id: &String| {
                let call = Call::new(&TASK_RENEW).key(self.shared().task_key(id)).number(lease).repeatable();
                self.shared().link.call::<()>(call)
            };
            together(ids.iter().map(renew).collect()).await.into_iter().collect()
        })
    }

    fn watch<'a>(&'a self, id: &'a str) -> Boxed<'a, Result<Option<TaskWatch>, StoreError>> {
        Box::pin(async move {
            let _expected = self.shared().tasks.expect(id);
            self.subscribed().await?;
            let found = self.get(id).await?;
            Ok(found.map(|record| self.shared().tasks.watch(&record)))
        })
    }
}
