//! Calls that run as tasks: looked at again until they have a result. Both kinds, that of 2025-11-25 and the extension.

use std::collections::BTreeSet;
use std::time::Duration;

use jackfield_protocol::error::code;
use jackfield_protocol::{
    CallToolResult, ClientRequest, CreateTaskResult, DetailedTask, EmptyResult, InputRequests, Method, Task,
    TaskHandle, TaskParams, TaskState, TaskStatus, UpdateTaskParams,
};
use tokio::time::Instant;

use crate::asking::{Asking, Patience, complete};
use crate::core::Core;
use crate::kept::Kept;
use crate::sending::Wanted;
use crate::session::Session;
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
        patience: Patience,
        kept: Option<Kept>,
    ) -> Result<CallToolResult, Error> {
        if let Some(kept) = &kept {
            kept.put(&handle.task_id, handle.ttl_ms).await;
        }
        let guard = TaskGuard::new(self, session, &handle.task_id, kept.as_ref());
        let result = self.look_until_done(session, guard, handle.poll_interval_ms, patience).await;
        over(kept.as_ref(), &result).await;
        result
    }

    /// Follows a task that was begun before, perhaps by another process.
    pub(crate) async fn resume_task(
        &self,
        session: &Session,
        id: String,
        patience: Patience,
        kept: Option<Kept>,
    ) -> Result<CallToolResult, Error> {
        let guard = TaskGuard::new(self, session, &id, kept.as_ref());
        let result = if session.revision.has_core_tasks() {
            let request = ClientRequest::GetTask(TaskParams::new(id));
            match self.ask_plainly(session, request, &mut Asking::with(patience)).await {
                Ok(task) => self.follow_core_task(session, task, patience).await,
                Err(error) => Err(error),
            }
        } else {
            self.look_until_done(session, guard, None, patience).await
        };
        over(kept.as_ref(), &result).await;
        result
    }

    async fn look_until_done(
        &self,
        session: &Session,
        guard: TaskGuard<'_>,
        mut interval: Option<u64>,
        patience: Patience,
    ) -> Result<CallToolResult, Error> {
        let mut answered = BTreeSet::new();
        let mut rounds = 0;
        let mut looks = Looks { patience, is_last: false };
        loop {
            looks.wait(interval, self.options.timeouts.task_poll).await?;
            let request = ClientRequest::GetTask(TaskParams::new(guard.id.as_str()));
            let task: DetailedTask = self.ask_plainly(session, request, &mut Asking::with(patience)).await?;
            interval = task.poll_interval_ms;
            match task.state {
                TaskState::Working => {}
                TaskState::InputRequired(questions) => {
                    self.answer_task(session, &guard.id, questions, &mut answered, &mut rounds, patience).await?;
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
                    return Err(Error::TaskCancelled);
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
        patience: Patience,
    ) -> Result<(), Error> {
        questions.retain(|key, _| !answered.contains(key));
        if questions.is_empty() {
            return Ok(());
        }
        *rounds += 1;
        let limit = self.options.limits.rounds;
        if *rounds > limit {
            return Err(Error::Limit { what: "the number of rounds of questions", limit });
        }
        answered.extend(questions.keys().cloned());
        let answers = self.answer_all(questions).await?;
        let request = ClientRequest::UpdateTask(UpdateTaskParams::new(id, answers));
        let _: EmptyResult = self.ask_plainly(session, request, &mut Asking::with(patience)).await?;
        Ok(())
    }

    /// Calls a tool as a task of 2025-11-25 and follows it. Questions of the task come as requests of the server.
    pub(crate) async fn call_as_task(
        &self,
        session: &Session,
        request: ClientRequest,
        asking: &mut Asking,
    ) -> Result<CallToolResult, Error> {
        let method = request.method_name().to_owned();
        let ticket = self.send(session, Wanted::Any(request), asking)?;
        let created: CreateTaskResult = complete(&method, &ticket.answer(asking).await?, session)?;
        if let Some(kept) = &asking.kept {
            kept.put(&created.task.task_id, created.task.ttl).await;
        }
        let guard = TaskGuard::new(self, session, &created.task.task_id, asking.kept.as_ref());
        let kept = asking.kept.clone();
        let mut hear = asking.on_progress.take();
        // The progress token of the first request stays valid as long as the task lives.
        tokio::select! {
            result = self.follow_core_task(session, created.task, asking.patience) => {
                if is_over(&result) {
                    guard.done();
                }
                over(kept.as_ref(), &result).await;
                result
            }
            () = ticket.progress_forever(&mut hear) => Err(Error::TaskCancelled),
        }
    }

    async fn follow_core_task(
        &self,
        session: &Session,
        mut task: Task,
        patience: Patience,
    ) -> Result<CallToolResult, Error> {
        let mut looks = Looks { patience, is_last: false };
        while task.status == TaskStatus::Working {
            looks.wait(task.poll_interval, self.options.timeouts.task_poll).await?;
            let request = ClientRequest::GetTask(TaskParams::new(task.task_id.as_str()));
            task = self.ask_plainly(session, request, &mut Asking::with(patience)).await?;
        }
        if task.status == TaskStatus::Cancelled {
            return Err(Error::TaskCancelled);
        }
        // It blocks until the task is over; the questions of the task come meanwhile.
        let request = ClientRequest::TaskResult(TaskParams::new(task.task_id.as_str()));
        let timeout = patience.latest.saturating_duration_since(Instant::now());
        let mut patient = Asking::with(Patience { timeout, ..patience });
        self.ask_plainly(session, request, &mut patient).await
    }
}

/// When a task is looked at.
struct Looks {
    patience: Patience,
    /// There is no time for another look.
    is_last: bool,
}

impl Looks {
    /// Waits for the next look. The last one comes earlier than the server wishes, while there is still time for its answer: the task may be
    /// done by then.
    async fn wait(&mut self, interval: Option<u64>, usual: Duration) -> Result<(), Error> {
        let wait = interval.map_or(usual, Duration::from_millis).clamp(SHORTEST, LONGEST);
        let rest = self.patience.latest.saturating_duration_since(Instant::now());
        if wait < rest {
            tokio::time::sleep(wait).await;
            return Ok(());
        }
        if self.is_last || rest.is_zero() {
            return Err(Error::TimedOut { method: "tools/call".to_owned(), after: self.patience.maximum });
        }
        self.is_last = true;
        tokio::time::sleep(rest.saturating_sub(LAST_LOOK.min(rest / 2))).await;
        Ok(())
    }
}

/// Forgets a task that is over.
async fn over(kept: Option<&Kept>, result: &Result<CallToolResult, Error>) {
    if let Some(kept) = kept.filter(|_| is_over(result)) {
        kept.forget().await;
    }
}

/// Whether a task has an outcome, or the server does not know it. Any other error of the server is about one look at the task, which may
/// succeed the next time.
fn is_over(result: &Result<CallToolResult, Error>) -> bool {
    match result {
        Ok(_) | Err(Error::TaskCancelled) => true,
        Err(error @ Error::Server { method, error: said }) => {
            let is_of_call = [Method::CallTool, Method::TaskResult].iter().any(|of_call| method == of_call.name());
            is_of_call || said.code == code::INVALID_PARAMS || error.is_not_found()
        }
        Err(_) => false,
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
    fn new(core: &'a Core, session: &'a Session, id: &str, kept: Option<&Kept>) -> Self {
        // A task that is kept is meant to go on when nobody waits for it.
        Self { core, session, id: id.to_owned(), cancels: kept.is_none() }
    }

    fn done(mut self) {
        self.cancels = false;
    }
}

impl Drop for TaskGuard<'_> {
    fn drop(&mut self) {
        if self.cancels {
            let request = ClientRequest::CancelTask(TaskParams::new(self.id.as_str()));
            self.core.send_unheard(self.session, request);
        }
    }
}
