//! Tasks in the file.

use std::time::Duration;

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::Sqlite;
use super::database::{Database, Kind, tell};
use super::kv::after;
use crate::task::codec::{decode, encode};
use crate::task::watchers;
use crate::{Boxed, NewTask, StoreError, TaskChange, TaskPage, TaskRecord, TaskStore, TaskWatch, Timestamp, Updated};

/// What a row holds: the record, and until when its worker counts as there.
type Kept = (Vec<u8>, Option<i64>);

fn kept(row: &Row<'_>) -> rusqlite::Result<Kept> {
    Ok((row.get(0)?, row.get(1)?))
}

fn record((bytes, leased_until): Kept, now: i64) -> Result<TaskRecord, StoreError> {
    Ok(decode(bytes, leased_until.map(timestamp))?.seen_at(timestamp(now)))
}

fn timestamp(millis: i64) -> Timestamp {
    Timestamp::from_millis(u64::try_from(millis).unwrap_or_default())
}

fn millis(timestamp: Timestamp) -> i64 {
    i64::try_from(timestamp.as_millis()).unwrap_or(i64::MAX)
}

fn find(file: &Connection, id: &str, now: i64) -> rusqlite::Result<Option<Kept>> {
    file.prepare_cached("SELECT record, leased_until FROM tasks WHERE id = ?1 AND (until IS NULL OR until > ?2)")?
        .query_row(params![id, now], kept)
        .optional()
}

fn create(change: &Connection, task: NewTask, now: i64) -> rusqlite::Result<Result<TaskRecord, StoreError>> {
    change.execute("DELETE FROM tasks WHERE id = ?1 AND until <= ?2", params![task.id.as_str(), now])?;
    if find(change, task.id.as_str(), now)?.is_some() {
        return Ok(Err(StoreError::Exists));
    }
    let own: usize = change
        .prepare_cached("SELECT count(*) FROM tasks WHERE owner = ?1 AND (until IS NULL OR until > ?2)")?
        .query_row(params![task.owner, now], |row| row.get(0))?;
    let limit = task.owner_limit;
    if own >= limit {
        return Ok(Err(StoreError::TooMany { what: "tasks", limit }));
    }
    let record = TaskRecord::new(task, timestamp(now));
    change
        .prepare_cached("INSERT INTO tasks (id, owner, record, leased_until, until) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![
            record.id.as_str(),
            record.owner,
            encode(&record),
            record.leased_until.map(millis),
            record.expires().map(millis)
        ])?;
    Ok(Ok(record))
}

impl Database {
    /// Finds a task.
    pub(super) fn task(&mut self, id: &str) -> Result<Option<TaskRecord>, StoreError> {
        let now = self.now();
        self.read(|file, _| find(file, id, now))?.map(|kept| record(kept, now)).transpose()
    }

    /// Changes a task if it has not ended.
    fn change_task(
        &mut self,
        id: &str,
        apply: impl FnOnce(&mut TaskRecord, Timestamp) -> bool,
    ) -> Result<Updated, StoreError> {
        self.write(|change, now| {
            let Some(kept) = find(change, id, now)? else { return Ok(Ok(Updated::Gone)) };
            let mut next = match record(kept, now) {
                Ok(record) => record,
                Err(error) => return Ok(Err(error)),
            };
            if next.end.is_some() {
                return Ok(Ok(Updated::Ended(next)));
            }
            if apply(&mut next, timestamp(now)) {
                change.prepare_cached("UPDATE tasks SET record = ?2, ended = ?3 WHERE id = ?1")?.execute(params![
                    id,
                    encode(&next),
                    next.end.is_some()
                ])?;
                tell(change, Kind::Task, id, &watchers::notice(&next), now)?;
            }
            Ok(Ok(Updated::Applied(next.seen_at(timestamp(now)))))
        })?
    }

    fn task_page(&mut self, owner: &str, begin: i64, limit: usize) -> Result<TaskPage, StoreError> {
        let limit = limit.max(1);
        let now = self.now();
        let rows = self.read(|file, _| {
            let mut select = file.prepare_cached(
                "SELECT record, leased_until, place FROM tasks
                 WHERE owner = ?1 AND place > ?2 AND (until IS NULL OR until > ?3) ORDER BY place LIMIT ?4",
            )?;
            let limit = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
            let rows = select.query_map(params![owner, begin, now, limit], |row| Ok((kept(row)?, row.get(2)?)))?;
            rows.collect::<rusqlite::Result<Vec<(Kept, i64)>>>()
        })?;
        let has_more = rows.len() > limit;
        let last = rows.get(limit.saturating_sub(1)).map(|(_, place)| place.to_string());
        let tasks = rows.into_iter().take(limit).map(|(kept, _)| record(kept, now)).collect::<Result<_, _>>()?;
        Ok(TaskPage::new(tasks, last.filter(|_| has_more)))
    }
}

impl TaskStore for Sqlite {
    fn create(&self, task: NewTask) -> Boxed<'_, Result<TaskRecord, StoreError>> {
        self.run(move |database| database.write(|change, now| create(change, task, now))?)
    }

    fn get<'a>(&'a self, id: &'a str) -> Boxed<'a, Result<Option<TaskRecord>, StoreError>> {
        let (id, ears) = (id.to_owned(), self.ears().clone());
        self.run(move |database| {
            let found = database.task(&id)?;
            if found.is_none() {
                ears.tasks.gone(&id);
            }
            Ok(found)
        })
    }

    fn update<'a>(&'a self, id: &'a str, change: TaskChange) -> Boxed<'a, Result<Updated, StoreError>> {
        let id = id.to_owned();
        self.run(move |database| database.change_task(&id, |record, now| record.apply(change, now)))
    }

    fn answer<'a>(&'a self, id: &'a str, answers: Vec<(String, Bytes)>) -> Boxed<'a, Result<Updated, StoreError>> {
        let id = id.to_owned();
        self.run(move |database| database.change_task(&id, |record, now| record.answer(answers, now) > 0))
    }

    fn list<'a>(
        &'a self,
        owner: &'a str,
        after: Option<&'a str>,
        limit: usize,
    ) -> Boxed<'a, Result<TaskPage, StoreError>> {
        let owner = owner.to_owned();
        let begin = match after {
            None => Some(0),
            Some(cursor) => cursor.parse::<i64>().ok().filter(|place| *place >= 0),
        };
        self.run(move |database| database.task_page(&owner, begin.ok_or(StoreError::BadCursor)?, limit))
    }

    fn renew<'a>(&'a self, ids: &'a [String], lease: Duration) -> Boxed<'a, Result<(), StoreError>> {
        let ids = ids.to_vec();
        self.run(move |database| {
            database.write(|change, now| {
                let mut update =
                    change.prepare_cached("UPDATE tasks SET leased_until = ?2 WHERE id = ?1 AND NOT ended")?;
                for id in &ids {
                    update.execute(params![id, after(now, lease)])?;
                }
                Ok(())
            })
        })
    }

    fn watch<'a>(&'a self, id: &'a str) -> Boxed<'a, Result<Option<TaskWatch>, StoreError>> {
        let (id, ears) = (id.to_owned(), self.ears().clone());
        self.run(move |database| {
            database.listen();
            Ok(database.task(&id)?.map(|record| ears.tasks.watch(&record)))
        })
    }
}
