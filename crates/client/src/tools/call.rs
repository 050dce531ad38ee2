//! Calling a tool.

use std::future::IntoFuture;
use std::sync::Arc;
use std::time::Duration;

#[cfg(feature = "validation")]
use jackfield_protocol::RawJson;
use jackfield_protocol::error::code;
use jackfield_protocol::meta::check_own_key;
use jackfield_protocol::{CallToolResult, ClientRequest, Meta, Method, ProgressParams, Revision, TaskMetadata};
use jackfield_store::KvStore;
use serde::Serialize;
#[cfg(feature = "validation")]
use tokio::sync::Semaphore;

#[cfg(feature = "validation")]
use crate::BadOutput;
use crate::client::Client;
#[cfg(feature = "validation")]
use crate::connection::Core;
use crate::connection::Session;
use crate::error::Cause;
#[cfg(feature = "validation")]
use crate::request::Deadline;
use crate::request::{Finished, Repeatable, ToolCall};
use crate::request::{OnProgress, RequestOptions};
use crate::tasks::StoredTaskId;
use crate::tools::Audit;
#[cfg(feature = "validation")]
use crate::tools::KnownTool;
use crate::tools::Output;
use crate::{BadAnswer, BoxFuture, Error};

/// A call of a tool. Await it to get the [`Output`].
///
/// Questions of the server are answered by the client's handlers, and a call that runs as a task is followed to its end.
/// Dropping the future cancels the call at the server.
#[must_use = "a call begins when it is awaited"]
pub struct Call {
    client: Client,
    name: String,
    /// An object as JSON text without line breaks.
    arguments: Result<Option<String>, serde_json::Error>,
    meta: Option<Meta>,
    timeout: Option<Duration>,
    maximum: Option<Duration>,
    on_progress: Option<OnProgress>,
    stored_id: Option<StoredTaskId>,
}

impl Call {
    pub(crate) fn new(client: Client, name: String, arguments: &impl Serialize) -> Self {
        let arguments = serde_json::to_string(arguments).and_then(|mut text| match text.as_str() {
            "null" => Ok(None),
            object if object.starts_with('{') => {
                // What the user's types have encoded themselves may be spread over lines; in strings a line end is always escaped.
                if text.bytes().fold(false, |found, byte| found | (byte < b' ')) {
                    text = text.replace(['\n', '\r'], " ");
                }
                Ok(Some(text))
            }
            _ => Err(serde::de::Error::custom("arguments of a tool must be an object")),
        });
        Self { client, name, arguments, meta: None, timeout: None, maximum: None, on_progress: None, stored_id: None }
    }

    /// Sets how long to wait for the answer or a sign of progress.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets how long to wait whatever progress there is.
    pub fn maximum(mut self, maximum: Duration) -> Self {
        self.maximum = Some(maximum);
        self
    }

    /// Hears of the call's progress. When notices come faster than they are heard, the oldest are left out.
    pub fn on_progress(mut self, hear: impl FnMut(ProgressParams) + Send + 'static) -> Self {
        self.on_progress = Some(Box::new(hear));
        self
    }

    /// Adds a member to the call's `_meta`. Its key must be one by the rules of the protocol, and none that the protocol keeps for itself;
    /// otherwise the call fails with an error of the kind [`Input`](crate::ErrorKind::Input).
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<serde_json::Value>) -> Self {
        self.meta.get_or_insert_default().insert(key.into(), value.into());
        self
    }

    /// Keeps the id of the task, if the call becomes one, under a key of a store, so that another process can wait for its result: a call
    /// with the same key, there or here, goes on with that task and calls nothing again. The key stands for this one call, with its tool, its
    /// arguments and its server.
    ///
    /// The id is stored_id until the task is over, or the server no longer knows it. Dropping the future then no longer cancels the task.
    pub fn store_task_id_in(mut self, store: Arc<dyn KvStore>, key: impl Into<String>) -> Self {
        self.stored_id = Some(StoredTaskId { store, key: key.into() });
        self
    }

    async fn run(mut self) -> Result<Output, Error> {
        let core = self.client.core();
        let timeouts = &core.options.timeouts;
        let timeout = self.timeout.unwrap_or(timeouts.request);
        let mut options = RequestOptions::within(timeout, self.maximum.unwrap_or(timeouts.maximum.max(timeout)));
        options.wants_progress = true;
        options.on_progress = self.on_progress.take();

        let session = self.client.session_within(timeout).await?;
        session.needs_tools()?;
        let arguments = std::mem::replace(&mut self.arguments, Ok(None)).map_err(Cause::Arguments)?;
        let arguments = arguments.as_deref();
        check_meta(self.meta.as_ref(), session.revision)?;
        let call = ToolCall { name: &self.name, arguments, meta: self.meta.as_ref() };

        if session.has_core_task_calls() || session.link.wants_param_headers() {
            Box::pin(self.client.learn_tools(&session, options.deadline)).await?;
        }
        let known = core.tool_catalog().find(&self.name);
        if let Some(known) = &known {
            options.headers = known.headers(arguments);
            options.is_repeatable = known.is_repeatable;
        }
        self.client.add_headers(&mut options.headers);
        options.stored_id = self.stored_id.take();
        let before = match &options.stored_id {
            Some(stored_id) => Box::pin(stored_id.find()).await?,
            None => None,
        };
        let result = if let Some(id) = before {
            Box::pin(core.resume_task(&session, id, options.deadline, options.stored_id.take())).await?
        } else if known.as_ref().is_some_and(|known| known.needs_task) && session.has_core_task_calls() {
            let mut params = call.params()?;
            params.task = Some(TaskMetadata::default());
            Box::pin(core.call_as_task(&session, ClientRequest::CallTool(params), &mut options)).await?
        } else {
            self.client.call_in_rounds(&session, &Repeatable::CallTool(call), &mut options).await?
        };
        #[cfg(feature = "validation")]
        if wants_check(core, &session, known.as_deref(), &result) {
            Box::pin(check(&self.client, &session, &self.name, &result, options.deadline)).await?;
        }
        Ok(Output::new(result))
    }
}

/// Whether the keys of a user's `_meta` are allowed.
fn check_meta(meta: Option<&Meta>, revision: Revision) -> Result<(), Error> {
    for (key, _) in meta.into_iter().flat_map(|meta| meta.iter()) {
        let wrong = |why| serde::de::Error::custom(format!("the key {key:?} cannot stand in `_meta`: {why}"));
        check_own_key(key, revision).map_err(wrong).map_err(Cause::Arguments)?;
    }
    Ok(())
}

/// Whether the server misses headers that the tool's definition asks for by now.
fn has_stale_headers(error: &Error, session: &Session) -> bool {
    let is_mismatch = error.server_error().is_some_and(|error| error.code == code::HEADER_MISMATCH);
    is_mismatch && session.link.wants_param_headers()
}

impl Client {
    /// Calls a tool, and follows it to its end if it becomes a task.
    async fn call_in_rounds(
        &self,
        session: &Session,
        what: &Repeatable<'_>,
        options: &mut RequestOptions,
    ) -> Result<CallToolResult, Error> {
        let core = self.core();
        let mut finished = core.request_in_rounds::<CallToolResult>(session, what, options).await;
        if finished.as_ref().is_err_and(|error| has_stale_headers(error, session)) {
            finished = Box::pin(self.request_with_new_headers(session, what, options)).await;
        }
        match finished? {
            Finished::Result(result, _) => Ok(result),
            Finished::Task(task) if core.options.has_tasks_extension() => {
                Box::pin(core.follow_task(session, task, options.deadline, options.stored_id.take())).await
            }
            Finished::Task(_) => Err(Error::bad_answer("tools/call", BadAnswer::UndeclaredTask)),
        }
    }

    /// PollTimer at the tools again, and repeats a call once with the headers that they ask for now.
    async fn request_with_new_headers(
        &self,
        session: &Session,
        what: &Repeatable<'_>,
        options: &mut RequestOptions,
    ) -> Result<Finished<CallToolResult>, Error> {
        let core = self.core();
        core.forget_changed(Method::ToolListChanged, None);
        self.learn_tools(session, options.deadline).await?;
        if let Repeatable::CallTool(call) = what {
            let known = core.tool_catalog().find(call.name);
            options.headers = known.map(|known| known.headers(call.arguments)).unwrap_or_default();
            self.add_headers(&mut options.headers);
        }
        core.request_in_rounds(session, what, options).await
    }
}

/// Whether there is structured output to check, or should be some.
#[cfg(feature = "validation")]
fn wants_check(core: &Core, session: &Session, known: Option<&KnownTool>, result: &CallToolResult) -> bool {
    let may_have_output = core.options.checks_output && session.revision.has_structured_output();
    let has_schema = || known.is_some_and(|known| known.output.is_some());
    may_have_output && !result.is_failure() && (result.structured_content.is_some() || has_schema())
}

/// Checks structured output against the tool's output schema.
#[cfg(feature = "validation")]
async fn check(
    client: &Client,
    session: &Session,
    name: &str,
    result: &CallToolResult,
    deadline: Deadline,
) -> Result<(), Error> {
    if result.structured_content.is_some() {
        // A list that does not come in time costs the check, and not the result, which is there.
        if let Err(error) = client.learn_tools(session, deadline).await {
            tracing::warn!(%error, "output is not checked");
        }
    }
    let Some(known) = client.core().tool_catalog().find(name) else { return Ok(()) };
    let Some(check) = &known.output else { return Ok(()) };
    let output = result.structured_content.as_ref();
    match output.filter(|output| check.is_much(output.get().len())) {
        Some(output) => checked_aside(known.clone(), output.clone()).await,
        None => check.check(output),
    }
}

/// Checks output beside the runtime's other work. The work has an end, whether or not it is waited for.
#[cfg(feature = "validation")]
async fn checked_aside(known: Arc<KnownTool>, output: RawJson) -> Result<(), Error> {
    const LONGEST_CHECK: Duration = Duration::from_secs(5);
    static CHECKS: Semaphore = Semaphore::const_new(2);
    let checking = async move {
        let turn = CHECKS.acquire().await.ok()?;
        let check = move || {
            let _turn = turn;
            known.output.as_ref().map_or(Ok(()), |check| check.check(Some(&output)))
        };
        tokio::task::spawn_blocking(check).await.ok()
    };
    let too_long = || Error::from(Cause::Output(BadOutput::Schema("the output takes too long to check".to_owned())));
    tokio::time::timeout(LONGEST_CHECK, checking).await.ok().flatten().ok_or_else(too_long)?
}

impl IntoFuture for Call {
    type Output = Result<Output, Error>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let audit = Audit::begin(&self.name);
            let outcome = self.run().await;
            audit.end(&outcome);
            outcome
        })
    }
}

impl std::fmt::Debug for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call").field("name", &self.name).finish_non_exhaustive()
    }
}
