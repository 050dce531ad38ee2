//! What a handler can say about its task.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use jackfield_store::TaskChange;

use super::{TaskCall, TaskRuntime, speaks_extension};
use crate::Cx;

impl Cx {
    /// Turns the call into a task, if it is not one yet: the client is answered with the task now, and looks for the result
    /// later. Returns whether the call is a task from here on; otherwise the client cannot take a task as an answer, or there
    /// is no room for one, and the client goes on waiting; or the call has ended, which only work notices that outlives its handler.
    ///
    /// It works in tools that say so, with `#[tool(becomes_task)]`, and in all tools of a server with
    /// [`Server::tasks`](crate::Server::tasks). A client of 2025-11-25 decides itself, with its call; for one of an older revision the call is never a
    /// task. Questions that were asked before were asked in the call; those that come later are asked in the task.
    ///
    /// ```
    /// # use jackfield_server::Cx;
    /// # async fn quick(text: &str) -> Option<String> { None }
    /// # async fn thorough(text: &str) -> String { String::new() }
    /// async fn translate(text: String, cx: Cx) -> String {
    ///     if let Some(known) = quick(&text).await {
    ///         return known;
    ///     }
    ///     cx.become_task().await;
    ///     thorough(&text).await
    /// }
    /// ```
    ///
    /// # Cancellation
    /// If the future is dropped before it is done, the call may become a task all the same.
    pub async fn become_task(&self) -> bool {
        let slot = &self.call().task;
        if let Some(runtime) = self.could_become_task()
            && slot.begin()
        {
            self.create_task(runtime).await;
        }
        poll_fn(|task| if slot.is_decided(task.waker()) { Poll::Ready(()) } else { Poll::Pending }).await;
        self.is_task()
    }

    async fn create_task(&self, runtime: &Arc<TaskRuntime>) {
        let slot = &self.call().task;
        let unless_created = GiveUp(self);
        match runtime.create(self, None).await {
            Ok(task) => {
                std::mem::forget(unless_created);
                slot.created(Arc::new(task));
                self.call().round.wake();
            }
            Err(error) => tracing::debug!(error = %error, "a call goes on without becoming a task"),
        }
    }

    fn could_become_task(&self) -> Option<&Arc<TaskRuntime>> {
        self.call().tasks.as_ref().filter(|_| speaks_extension(self.caller()) && self.call().incoming.id.is_some())
    }

    /// Whether the call is a task: the client does not wait for it, but comes back for the result.
    #[must_use]
    pub fn is_task(&self) -> bool {
        self.task().is_some()
    }

    /// Returns the id of the task, if the call is one.
    #[must_use]
    pub fn task_id(&self) -> Option<&str> {
        self.task().map(|task| task.id.as_str())
    }

    /// Tells those who look at the task what it is about now. An ordinary call is not looked at; there it does nothing.
    pub async fn task_message(&self, message: impl Into<String>) {
        let Some(task) = self.task().filter(|_| !self.call().progress.has_ended()) else { return };
        if let Err(error) = task.change(TaskChange::message(message)).await {
            tracing::warn!(%error, "the message of a task was not kept");
        }
    }

    pub(crate) fn task(&self) -> Option<&Arc<TaskCall>> {
        self.call().task.get()
    }
}

/// Notes that there will be no task after all.
struct GiveUp<'a>(&'a Cx);

impl Drop for GiveUp<'_> {
    fn drop(&mut self) {
        self.0.call().task.give_up();
        self.0.call().round.wake();
    }
}
