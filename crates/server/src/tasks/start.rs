//! How a call of a tool begins: as usual, or as a task.

use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use jackfield_peer::{Answering, Guarded, Incoming, Reply};
use jackfield_protocol::{CallToolResult, ErrorObject, Outcome, TaskMetadata, TaskSupport};

use super::{TaskCall, missing_extension, results, speaks_extension};
use crate::entries::catalog::{Item, Tools};
use crate::entries::entry::TaskStart;
use crate::routing::router::Router;
use crate::{Cx, routing::tools};

/// How a call begins.
pub(crate) enum How {
    /// As usual.
    Plain,
    /// As a task, which is kept for so many milliseconds if the client may choose.
    Task(Option<u64>),
}

/// Decides how a call of a tool begins, by what the tool says and what the client can do. `has_tasks`: the server has some.
pub(crate) fn how(has_tasks: bool, incoming: &Incoming, item: &Item<Tools>) -> Result<How, ErrorObject> {
    let (support, revision) = (item.prepared.task, incoming.caller.revision);
    // A server without tasks takes no notice of the wish for one.
    if support == TaskSupport::Forbidden && !has_tasks {
        return Ok(How::Plain);
    }
    if revision.has_core_tasks() {
        let asked: Option<TaskMetadata> = match incoming.params.get("task") {
            None | Some(b"null") => None,
            Some(_) => incoming.params.member("task")?,
        };
        return match (asked, support) {
            (Some(asked), TaskSupport::Optional | TaskSupport::Required) => Ok(How::Task(asked.ttl)),
            (Some(_), _) => Err(not_so(item, "cannot be called as a task")),
            (None, TaskSupport::Required) => Err(not_so(item, "must be called as a task")),
            _ => Ok(How::Plain),
        };
    }
    if support == TaskSupport::Forbidden {
        return Ok(How::Plain);
    }
    match (speaks_extension(&incoming.caller), support) {
        (true, _) if item.prepared.entry.task_start == TaskStart::AtOnce => Ok(How::Task(None)),
        (false, TaskSupport::Required) if revision.has_tasks_extension() => Err(missing_extension()),
        (false, TaskSupport::Required) => Err(not_so(item, "must be called as a task")),
        _ => Ok(How::Plain),
    }
}

/// The specification asks for -32601 here, although the method exists.
fn not_so(item: &Item<Tools>, what: &str) -> ErrorObject {
    ErrorObject::method_not_found("tools/call").with_message(format!("the tool {} {what}", item.name))
}

/// Begins a call as a task, and answers with the task.
pub(crate) fn start(
    router: &Router,
    mut incoming: Incoming,
    item: Arc<Item<Tools>>,
    arguments: Bytes,
    ttl: Option<u64>,
) -> Answering {
    let (request, always_answers_with_task) = (incoming.key, incoming.caller.revision.has_core_tasks());
    // What the task has to say belongs to the session: its request is answered at once.
    if let Some(session) = &incoming.session {
        (incoming.outlet, incoming.key) = (session.outlet().clone(), None);
    }
    let (runtime, checks_output) = (router.tasks.clone(), router.check_output);
    let cx = Cx::with_tool(incoming, router.core.clone(), item.clone(), Some(runtime.clone()));
    Answering::later(async move {
        let mut problem = tools::check(&item, &arguments).await;
        // Where the answer has to be a task, bad arguments are the task's problem.
        if !always_answers_with_task && let Some(problem) = problem.take() {
            return Ok(Outcome::Complete(problem.into()));
        }
        let task = Arc::new(runtime.create(&cx, ttl).await?.answering(request));
        cx.call().task.is(task.clone());
        let work = {
            let cx = cx.clone();
            async move { begin(problem, arguments, cx, checks_output).reply().await }
        };
        let handle = task.handle.clone();
        runtime.spawn(task.clone(), follow(task, Box::pin(work)))?;
        Ok(Outcome::Task(Box::new(handle)))
    })
}

fn begin(problem: Option<CallToolResult>, arguments: Bytes, cx: Cx, checks_output: Option<bool>) -> Answering {
    match problem {
        Some(problem) => Answering::ready(Ok(Outcome::Complete(problem.into()))),
        None => tools::run(cx, arguments, checks_output),
    }
}

/// Takes the work on a call out of its request, and answers with the task that it has become.
pub(crate) fn move_out(cx: &Cx, work: Pin<Box<dyn Future<Output = Reply> + Send>>) -> Reply {
    let task = cx.task().ok_or_else(|| ErrorObject::internal("a call became a task without one"))?.clone();
    cx.call().task.moved();
    let handle = task.handle.clone();
    task.runtime.clone().spawn(task.clone(), follow(task, work))?;
    Ok(Outcome::Task(Box::new(handle)))
}

/// Works on a task until it is done, or someone ended it, or its time is over.
async fn follow(task: Arc<TaskCall>, work: Pin<Box<dyn Future<Output = Reply> + Send>>) {
    let mut work = Guarded::new(work);
    let time = async {
        match task.expires {
            Some(expires) => tokio::time::sleep_until(expires).await,
            None => std::future::pending().await,
        }
    };
    let end = tokio::select! {
        biased;
        () = task.ended() => None,
        reply = &mut work => Some(results::of(reply)),
        () = task.runtime.stopping.triggered() => {
            Some(results::failed(&ErrorObject::internal("the server was shut down before the task was done")))
        }
        () = time => Some(results::failed(&ErrorObject::internal("the task took longer than its time to live"))),
    };
    // The work stops before its end is told.
    drop(work);
    match end {
        Some(end) => results::keep(&task, end).await,
        None => tracing::info!(task = ?task.id, user = task.user, "a task was ended from outside"),
    }
}
