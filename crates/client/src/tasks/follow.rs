//! Calls that run as tasks: looked at again until they have a result. Both kinds, that of 2025-11-25 and the extension.

use std::collections::BTreeSet;
use std::time::Duration;

use jackfield_protocol::error::code;
use jackfield_protocol::{
    CallToolResult, ClientRequest, CreateTaskResult, DetailedTask, EmptyResult, InputRequests, Method, Task,
    TaskHandle, TaskParams, TaskState, TaskStatus, UpdateTaskParams,
};
use tokio::time::Instant;

use crate::connection::Core;
use crate::connection::Session;
use crate::error::Cause;
use crate::request::Outbound;
use crate::request::{Deadline, RequestOptions, complete};
use crate::tasks::StoredTaskId;
use crate::{BadAnswer, Error};

/// The shortest and longest wait between two looks, whatever the server says.
const SHORTEST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(60);
/// How long the answer to the last look may take.
const LAST_LOOK: Duration = Duration::from_secs(1);

impl Core {
    /// Follows a task of the extension until it has a result. Dropping the future cancels the task.
    pub(crate) async fn follow_task(
        &self,
        session: &Session,
        handle: TaskHandle,
        deadline: Deadline,
        stored_id: Option<StoredTaskId>,
    ) -> Result<CallToolResult, Error> {
        if let Some(stored_id) = &stored_id {
            stored_id.put(&handle.task_id, handle.ttl_ms).await;
        }
        let guard = TaskGuard::new(self, session, &handle.task_id, stored_id.as_ref());
        let result = self.look_until_done(session, guard, handle.poll_interval_ms, deadline).await;
        over(stored_id.as_ref(), &result).await;
        result
    }

    /// Follows a task that was begun before, perhaps by another process.
    pub(crate) async fn resume_task(
        &self,
        session: &Session,
        id: String,
        deadline: Deadline,
        stored_id: Option<StoredTaskId>,
    ) -> Result<CallToolResult, Error> {
        let guard = TaskGuard::new(self, session, &id, stored_id.as_ref());
        let result = if session.revision.has_core_tasks() {
            let request = ClientRequest::GetTask(TaskParams::new(id));
            match self.request(session, request, &mut RequestOptions::with(deadline)).await {
                Ok(task) => self.follow_core_task(session, task, deadline).await,
                Err(error) => Err(error),
            }
        } else {
            self.look_until_done(session, guard, None, deadline).await
        };
        over(stored_id.as_ref(), &result).await;
        result
    }

    async fn look_until_done(
        &self,
        session: &Session,
        guard: TaskGuard<'_>,
        mut interval: Option<u64>,
        deadline: Deadline,
    ) -> Result<CallToolResult, Error> {
        let mut answered = BTreeSet::new();
        let mut rounds = 0;
        let mut looks = PollTimer { deadline, is_last: false };
        loop {
            looks.wait(interval, self.options.timeouts.task_poll).await?;
            let request = ClientRequest::GetTask(TaskParams::new(guard.id.as_str()));
            let task: DetailedTask = self.request(session, request, &mut RequestOptions::with(deadline)).await?;
            interval = task.poll_interval_ms;
            match task.state {
                TaskState::Working => {}
                TaskState::InputRequired(questions) => {
                    self.answer_task(session, &guard.id, questions, &mut answered, &mut rounds, deadline).await?;
                }
                TaskState::Completed(result) => {
                    guard.done();
                    return complete("tasks/get", result.get().as_bytes(), session);
                }
                TaskState::Failed(error) => {
                    guard.done();
                    return Err(Error::server("tools/call", error));
                }
                TaskState::Cancelled => {
                    guard.done();
                    return Err(Cause::TaskCancelled.into());
                }
                _ => return Err(Error::bad_answer("tasks/get", BadAnswer::Kind)),
            }
        }
    }

    /// Answers those questions of a task that have not been answered yet: the server may show them again for a while.
    async fn answer_task(
        &self,
        session: &Session,
        id: &str,
        mut questions: InputRequests,
        answered: &mut BTreeSet<String>,
        rounds: &mut usize,
        deadline: Deadline,
    ) -> Result<(), Error> {
        questions.retain(|key, _| !answered.contains(key));
        if questions.is_empty() {
            return Ok(());
        }
        *rounds += 1;
        let limit = self.options.limits.rounds;
        if *rounds > limit {
            return Err(Error::limit("the number of rounds of questions", limit));
        }
        answered.extend(questions.keys().cloned());
        let answers = self.answer_all(questions).await?;
        let request = ClientRequest::UpdateTask(UpdateTaskParams::new(id, answers));
        let _: EmptyResult = self.request(session, request, &mut RequestOptions::with(deadline)).await?;
        Ok(())
    }

    /// Calls a tool as a task of 2025-11-25 and follows it. Questions of the task come as requests of the server.
    pub(crate) async fn call_as_task(
        &self,
        session: &Session,
        request: ClientRequest,
        options: &mut RequestOptions,
    ) -> Result<CallToolResult, Error> {
        let method = request.method_name().to_owned();
        let sent = self.send(session, Outbound::Any(request), options)?;
        let created: CreateTaskResult = complete(&method, &sent.answer(options).await?, session)?;
        if let Some(stored_id) = &options.stored_id {
            stored_id.put(&created.task.task_id, created.task.ttl).await;
        }
        let guard = TaskGuard::new(self, session, &created.task.task_id, options.stored_id.as_ref());
        let stored_id = options.stored_id.clone();
        let mut hear = options.on_progress.take();
        // The progress token of the first request stays valid as long as the task lives.
        tokio::select! {
            result = self.follow_core_task(session, created.task, options.deadline) => {
                if is_over(&result) {
                    guard.done();
                }
                over(stored_id.as_ref(), &result).await;
                result
            }
            () = sent.progress_forever(&mut hear) => Err(Cause::TaskCancelled.into()),
        }
    }

    async fn follow_core_task(
        &self,
        session: &Session,
        mut task: Task,
        deadline: Deadline,
    ) -> Result<CallToolResult, Error> {
        let mut looks = PollTimer { deadline, is_last: false };
        while task.status == TaskStatus::Working {
            looks.wait(task.poll_interval, self.options.timeouts.task_poll).await?;
            let request = ClientRequest::GetTask(TaskParams::new(task.task_id.as_str()));
            task = self.request(session, request, &mut RequestOptions::with(deadline)).await?;
        }
        if task.status == TaskStatus::Cancelled {
            return Err(Cause::TaskCancelled.into());
        }
        // It blocks until the task is over; the questions of the task come meanwhile.
        let request = ClientRequest::TaskResult(TaskParams::new(task.task_id.as_str()));
        let timeout = deadline.latest.saturating_duration_since(Instant::now());
        let mut patient = RequestOptions::with(Deadline { timeout, ..deadline });
        self.request(session, request, &mut patient).await
    }
}

/// When a task is looked at.
struct PollTimer {
    deadline: Deadline,
    /// There is no time for another look.
    is_last: bool,
}

impl PollTimer {
    /// Waits for the next look. The last one comes earlier than the server wishes, while there is still time for its answer: the task may be
    /// done by then.
    async fn wait(&mut self, interval: Option<u64>, usual: Duration) -> Result<(), Error> {
        let wait = interval.map_or(usual, Duration::from_millis).clamp(SHORTEST, LONGEST);
        let rest = self.deadline.latest.saturating_duration_since(Instant::now());
        if wait < rest {
            tokio::time::sleep(wait).await;
            return Ok(());
        }
        if self.is_last || rest.is_zero() {
            return Err(Error::timed_out("tools/call", self.deadline.maximum));
        }
        self.is_last = true;
        tokio::time::sleep(rest.saturating_sub(LAST_LOOK.min(rest / 2))).await;
        Ok(())
    }
}

/// Forgets a task that is over.
async fn over(stored_id: Option<&StoredTaskId>, result: &Result<CallToolResult, Error>) {
    if let Some(stored_id) = stored_id.filter(|_| is_over(result)) {
        stored_id.forget().await;
    }
}

/// Whether a task has an outcome, or the server does not know it. Any other error of the server is about one look at the task, which may
/// succeed the next time.
fn is_over(result: &Result<CallToolResult, Error>) -> bool {
    match result {
        Ok(_) => true,
        Err(error) => match error.cause() {
            Cause::TaskCancelled => true,
            Cause::Server { method, error: said } => {
                let is_of_call = [Method::CallTool, Method::TaskResult].iter().any(|of_call| method == of_call.name());
                is_of_call || said.code == code::INVALID_PARAMS || error.is_not_found()
            }
            _ => false,
        },
    }
}

/// Cancels a task that is no longer followed.
struct TaskGuard<'a> {
    core: &'a Core,
    session: &'a Session,
    id: String,
    cancels: bool,
}

impl<'a> TaskGuard<'a> {
    fn new(core: &'a Core, session: &'a Session, id: &str, stored_id: Option<&StoredTaskId>) -> Self {
        // A task that is stored_id is meant to go on when nobody waits for it.
        Self { core, session, id: id.to_owned(), cancels: stored_id.is_none() }
    }

    fn done(mut self) {
        self.cancels = false;
    }
}

impl Drop for TaskGuard<'_> {
    fn drop(&mut self) {
        if self.cancels {
            let request = ClientRequest::CancelTask(TaskParams::new(self.id.as_str()));
            self.core.send_and_forget(self.session, request);
        }
    }
}
