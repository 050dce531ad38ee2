//! What is kept of a task.

use std::time::Duration;

use bytes::Bytes;

use super::{TaskChange, TaskEnd, TaskId};
use crate::Timestamp;

/// A task that is to be created.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NewTask {
    /// Its name.
    pub id: TaskId,
    /// Whose it is, in the words of the store's user.
    pub owner: String,
    /// How long it is kept from now on; for ever if absent.
    pub ttl: Option<Duration>,
    /// How often to look at it.
    pub poll_interval: Option<Duration>,
    /// How long the worker may be silent before it counts as gone; for ever if absent.
    pub lease: Option<Duration>,
    /// The most tasks that are kept for one owner.
    pub owner_limit: usize,
}

impl NewTask {
    /// Describes a task with a new name.
    pub fn new(owner: impl Into<String>) -> Self {
        Self {
            id: TaskId::random(),
            owner: owner.into(),
            ttl: None,
            poll_interval: None,
            lease: None,
            owner_limit: usize::MAX,
        }
    }
}

/// What is kept of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskRecord {
    /// Its name.
    pub id: TaskId,
    /// Whose it is.
    pub owner: String,
    /// What to tell about it.
    pub message: Option<String>,
    /// When it was created.
    pub created: Timestamp,
    /// When it last changed.
    pub updated: Timestamp,
    /// How long it is kept from its creation.
    pub ttl: Option<Duration>,
    /// How often to look at it.
    pub poll_interval: Option<Duration>,
    /// Its questions, in the order in which they were asked. Those that were answered stay.
    pub inputs: Vec<TaskInput>,
    /// How it ended, if it did.
    pub end: Option<TaskEnd>,
    /// Until when its worker counts as there, unless it says so again.
    pub leased_until: Option<Timestamp>,
    /// Whether its worker has been silent for too long, at the time when the record was read.
    pub abandoned: bool,
    /// Grows with each change.
    pub version: u64,
}

/// A question of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskInput {
    /// Names the question within its task, for ever.
    pub key: String,
    /// The question.
    pub request: Bytes,
    /// The answer, if there is one.
    pub response: Option<Bytes>,
}

/// What stage a task is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TaskStage {
    /// It is being worked on.
    Working,
    /// It waits for answers.
    InputRequired,
    /// It has ended, for ever.
    Ended,
}

impl TaskRecord {
    /// Makes the record of a task that is created now.
    #[must_use]
    pub fn new(task: NewTask, now: Timestamp) -> Self {
        Self {
            id: task.id,
            owner: task.owner,
            message: None,
            created: now,
            updated: now,
            ttl: task.ttl,
            poll_interval: task.poll_interval,
            inputs: Vec::new(),
            end: None,
            leased_until: task.lease.map(|lease| now.after(lease)),
            abandoned: false,
            version: 1,
        }
    }

    /// Returns what stage the task is at.
    #[must_use]
    pub fn stage(&self) -> TaskStage {
        match &self.end {
            Some(_) => TaskStage::Ended,
            None if self.outstanding().next().is_some() => TaskStage::InputRequired,
            None => TaskStage::Working,
        }
    }

    /// Returns the questions without an answer.
    pub fn outstanding(&self) -> impl Iterator<Item = &TaskInput> {
        self.inputs.iter().filter(|input| input.response.is_none())
    }

    /// Returns the question of a key.
    #[must_use]
    pub fn input(&self, key: &str) -> Option<&TaskInput> {
        self.inputs.iter().find(|input| input.key == key)
    }

    /// Returns when the task is forgotten.
    #[must_use]
    pub fn expires(&self) -> Option<Timestamp> {
        self.ttl.map(|ttl| self.created.after(ttl))
    }

    /// Notes whether the worker has been silent for too long; backends call it before they hand the record out.
    #[must_use]
    pub fn seen_at(mut self, now: Timestamp) -> Self {
        self.abandoned = self.end.is_none() && self.leased_until.is_some_and(|until| until <= now);
        self
    }

    /// Changes the record, unless the task has ended: the one rule that all backends share. Returns whether it was changed.
    ///
    /// A question whose key is known is not asked again: a key stands for one question for ever.
    pub fn apply(&mut self, change: TaskChange, now: Timestamp) -> bool {
        if self.end.is_some() {
            return false;
        }
        for (key, request) in change.ask {
            if self.input(&key).is_none() {
                self.inputs.push(TaskInput { key, request, response: None });
            }
        }
        if change.message.is_some() || change.end.is_some() {
            self.message = change.message;
        }
        self.end = change.end;
        self.touch(now);
        true
    }

    /// Adds answers to questions that have none; all others are ignored. Returns how many were added.
    pub fn answer(&mut self, answers: Vec<(String, Bytes)>, now: Timestamp) -> usize {
        if self.end.is_some() {
            return 0;
        }
        let mut added = 0;
        for (key, answer) in answers {
            let open = self.inputs.iter_mut().find(|input| input.key == key && input.response.is_none());
            if let Some(input) = open {
                input.response = Some(answer);
                added += 1;
            }
        }
        if added > 0 {
            self.touch(now);
        }
        added
    }

    /// How many bytes of its user's the record holds.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let inputs = self.inputs.iter().map(|input| {
            let response = input.response.as_ref().map_or(0, Bytes::len);
            input.key.len().saturating_add(input.request.len()).saturating_add(response)
        });
        let end = self.end.as_ref().and_then(TaskEnd::payload).map_or(0, Bytes::len);
        let message = self.message.as_ref().map_or(0, String::len);
        inputs.fold(end.saturating_add(message), usize::saturating_add)
    }

    fn touch(&mut self, now: Timestamp) {
        self.updated = self.updated.max(now);
        self.version = self.version.saturating_add(1);
    }
}
