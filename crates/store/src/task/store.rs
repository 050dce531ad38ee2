//! What a store of tasks can do.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;

use super::{NewTask, TaskChange, TaskRecord, TaskWatch, Updated};
use crate::{Boxed, StoreError};

/// Keeps tasks.
///
/// Each method is one step that happens whole or not at all, whoever else uses the store at the same time, and can be made of one
/// round trip to a database. A task is found until its time to live ends, by all who share the store. The store is the only
/// clock: it stamps the records and decides what has expired.
///
/// # Cancellation
/// What was asked for may or may not have happened when a future is dropped.
pub trait TaskStore: fmt::Debug + Send + Sync + 'static {
    /// Creates a task. When it returns, everyone finds it.
    ///
    /// # Errors
    /// There is no room, for this owner or at all, or the id is in use.
    fn create(&self, task: NewTask) -> Boxed<'_, Result<TaskRecord, StoreError>>;

    /// Creates a task and begins to watch it, which a backend may do faster than one after the other.
    ///
    /// # Errors
    /// There is no room, for this owner or at all, or the id is in use.
    fn create_watched(&self, task: NewTask) -> Boxed<'_, Result<(TaskRecord, TaskWatch), StoreError>> {
        Box::pin(async move {
            let record = self.create(task).await?;
            let watch = self.watch(record.id.as_str()).await?;
            let watch = watch.ok_or_else(|| StoreError::unavailable("the task is gone already"))?;
            Ok((record, watch))
        })
    }

    /// Finds a task.
    ///
    /// # Errors
    /// The store is not available.
    fn get<'a>(&'a self, id: &'a str) -> Boxed<'a, Result<Option<TaskRecord>, StoreError>>;

    /// Changes a task, if it has not ended: of several ends the first one stays.
    ///
    /// # Errors
    /// There is no room for what the change adds, or the store is not available.
    fn update<'a>(&'a self, id: &'a str, change: TaskChange) -> Boxed<'a, Result<Updated, StoreError>>;

    /// Answers questions of a task. Answers to questions that were not asked, or have an answer, are ignored.
    ///
    /// # Errors
    /// There is no room for the answers, or the store is not available.
    fn answer<'a>(&'a self, id: &'a str, answers: Vec<(String, Bytes)>) -> Boxed<'a, Result<Updated, StoreError>>;

    /// Lists the tasks of an owner, oldest first: at most `limit` after the place of a cursor.
    ///
    /// # Errors
    /// [`StoreError::BadCursor`], or the store is not available.
    fn list<'a>(
        &'a self,
        owner: &'a str,
        after: Option<&'a str>,
        limit: usize,
    ) -> Boxed<'a, Result<TaskPage, StoreError>>;

    /// Says that tasks are still being worked on, and for how long that holds without being said again. Those that have ended or
    /// are not found are ignored.
    ///
    /// # Errors
    /// The store is not available.
    fn renew<'a>(&'a self, ids: &'a [String], lease: Duration) -> Boxed<'a, Result<(), StoreError>>;

    /// Begins to watch a task; `None` if there is no such task. Every change after this returns is noticed, whoever made it.
    ///
    /// # Errors
    /// The store is not available.
    fn watch<'a>(&'a self, id: &'a str) -> Boxed<'a, Result<Option<TaskWatch>, StoreError>>;
}

/// A page of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskPage {
    /// The tasks.
    pub tasks: Vec<TaskRecord>,
    /// Where the next page begins, in the store's own words; none on the last page.
    pub next: Option<String>,
}

impl TaskPage {
    /// Makes a page.
    #[must_use]
    pub fn new(tasks: Vec<TaskRecord>, next: Option<String>) -> Self {
        Self { tasks, next }
    }
}
