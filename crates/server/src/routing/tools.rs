//! `tools/call`.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use jackfield_peer::{Answering, Incoming};
use jackfield_protocol::{AnyResult, CallToolResult, ContentBlock, ErrorObject, Outcome, ParamHeader, TaskSupport};

use tokio::sync::Semaphore;

use crate::builder::settings::Item as Shown;
use crate::entries::catalog::{Item, Tools};
use crate::routing::router::Router;
use crate::tasks::{self, How};
use crate::validation::{Effort, Validator};
use crate::{Cx, Validation, Work, routing::run};

/// Returns which arguments of a tool clients also send as HTTP headers.
pub(crate) fn headers(router: &Router, tool: &str) -> Option<Arc<[ParamHeader]>> {
    // Most servers have none, and need not look for the tool.
    let find = |tools: &Tools| tools.any_has_headers.then(|| tools.shelf.find(tool)?.prepared.headers.clone())?;
    router.core.tools.look(&router.core, find)
}

/// Calls a tool.
pub(crate) fn call(router: &Router, incoming: Incoming) -> Answering {
    match begin(router, incoming) {
        Ok(answering) => answering,
        Err(error) => Answering::ready(Err(error)),
    }
}

fn begin(router: &Router, incoming: Incoming) -> Result<Answering, ErrorObject> {
    router.tool_calls.admit(&incoming, "calls of tools")?;
    let name = incoming.params.string("name")?;
    let found = router.core.tools.look(&router.core, |tools| (tools.shelf.find(&name).cloned(), tools.any_is_task));
    let (found, any_is_task) = found;
    let Some(item) = found.filter(|_| router.shows(&incoming.caller, Shown::Tool(&name))) else {
        return Err(ErrorObject::invalid_params(format!("unknown tool: {}", shorten(&name))));
    };
    let arguments = match incoming.params.get_bytes("arguments") {
        Some(arguments) if arguments.starts_with(b"{") => arguments,
        None => Bytes::from_static(b"{}"),
        Some(arguments) if arguments.as_ref() == b"null" => Bytes::from_static(b"{}"),
        Some(_) => return Err(ErrorObject::invalid_params("parameter `arguments` must be an object")),
    };
    drop(name);
    let has_tasks = router.declares_tasks || any_is_task;
    if let How::Task(ttl) = tasks::how(has_tasks, &incoming, &item)? {
        return Ok(tasks::start(router, incoming, item, arguments, ttl));
    }
    let is_much = is_much_to_check(&item, &arguments);
    if !is_much && let Some(failure) = check_input(&item, &arguments) {
        return Ok(Answering::ready(Ok(Outcome::Complete(failure.into()))));
    }
    let may_become_task = router.declares_tasks || item.prepared.task != TaskSupport::Forbidden;
    let runtime = may_become_task.then(|| router.tasks.clone());
    let checks_output = router.check_output;
    if is_much {
        let cx = Cx::with_tool(incoming, router.core.clone(), item.clone(), runtime);
        return Ok(Answering::later(async move {
            match check(&item, &arguments).await {
                Some(failure) => Ok(Outcome::Complete(failure.into())),
                None => run(cx, arguments, checks_output).reply().await,
            }
        }));
    }
    Ok(run(Cx::with_tool(incoming, router.core.clone(), item, runtime), arguments, checks_output))
}

/// How long a check may take that is too much work to be done in place; others wait for their turn within it.
const CHECK_PATIENCE: Duration = Duration::from_secs(5);
/// How many such checks run at once.
static CHECKS: Semaphore = Semaphore::const_new(2);

/// Whether checking the arguments would keep other calls waiting.
fn is_much_to_check(item: &Item<Tools>, arguments: &[u8]) -> bool {
    checked_by(item).is_some_and(|validator| validator.effort(arguments.len()) == Effort::Much)
}

/// Returns what is wrong with the arguments, for the model to read; much work is done beside the loop.
pub(crate) async fn check(item: &Arc<Item<Tools>>, arguments: &Bytes) -> Option<CallToolResult> {
    match is_much_to_check(item, arguments) {
        true => check_aside(item.clone(), arguments.clone()).await,
        false => check_input(item, arguments),
    }
}

/// Checks arguments beside the loop. When it takes too long the call fails; the work goes on to its end, which is not far.
async fn check_aside(item: Arc<Item<Tools>>, arguments: Bytes) -> Option<CallToolResult> {
    let name = item.name.clone();
    let checking = async move {
        let turn = CHECKS.acquire().await.ok()?;
        let check = move || {
            let _turn = turn;
            check_input(&item, &arguments)
        };
        tokio::task::spawn_blocking(check).await.ok()
    };
    match tokio::time::timeout(CHECK_PATIENCE, checking).await {
        Ok(Some(found)) => found,
        _ => Some(CallToolResult::failure(format!("the arguments for {name} take too long to check"))),
    }
}

/// Runs the handler of the tool that is called.
pub(crate) fn run(cx: Cx, arguments: Bytes, checks_output: Option<bool>) -> Answering {
    let begin = |cx: &Cx| match tool_of(cx) {
        Ok(item) => item.prepared.entry.handler.call(arguments, cx.clone()),
        Err(error) => Work::Ready(Err(error)),
    };
    run::run(cx, begin, move |result, cx| finish(result, cx, checks_output))
}

fn tool_of(cx: &Cx) -> Result<&Arc<Item<Tools>>, ErrorObject> {
    cx.call().tool.as_ref().ok_or_else(|| ErrorObject::internal("a call of a tool has lost its tool"))
}

/// Returns what is wrong with the arguments, for the model to read.
fn check_input(item: &Item<Tools>, arguments: &[u8]) -> Option<CallToolResult> {
    let problems = input_problems(item, arguments)?;
    Some(CallToolResult::failure(format!("invalid arguments for {}:\n{problems}", item.name)))
}

/// Returns what is wrong with the arguments, one line for each problem.
fn input_problems(item: &Item<Tools>, arguments: &[u8]) -> Option<String> {
    checked_by(item)?.check(arguments).err()
}

/// Returns who checks the arguments, if anyone does.
fn checked_by(item: &Item<Tools>) -> Option<&Validator> {
    match item.prepared.entry.validation {
        Validation::Off => None,
        Validation::Always => item.prepared.input(),
        Validation::Typed => item.prepared.input().filter(|validator| validator.has_constraints()),
    }
}

fn finish(mut result: CallToolResult, cx: &Cx, checks_output: Option<bool>) -> Result<AnyResult, ErrorObject> {
    let (core, item) = (&cx.call().outer, tool_of(cx)?);
    if !result.is_failure() && item.prepared.entry.definition.output_schema.is_some() {
        check_output(&result, item, checks_output)?;
    }
    // Clients that do not know structured content read it as text.
    if result.content.is_empty()
        && let Some(structured) = &result.structured_content
    {
        result.content.push(ContentBlock::text(structured.get().to_owned()));
    }
    for block in &mut result.content {
        if matches!(block, ContentBlock::Resource(_)) && core.resources.announce_late(core) {
            tracing::warn!(
                tool = item.name,
                "a tool embeds a resource, but the server has none: call `Registry::resources` so that clients know it from the start"
            );
        }
        item.rename_resource(block);
    }
    Ok(result.into())
}

fn check_output(result: &CallToolResult, item: &Item<Tools>, wanted: Option<bool>) -> Result<(), ErrorObject> {
    if !is_checked(wanted, item.prepared.entry.typed_output, cfg!(debug_assertions)) {
        return Ok(());
    }
    let problem = match (&result.structured_content, item.prepared.output()) {
        (None, _) => "it has no structured content".to_owned(),
        (Some(structured), Some(validator))
            if wanted.is_none() && validator.effort(structured.get().len()) != Effort::Little =>
        {
            tracing::warn!(
                tool = item.name,
                "a result is too long to be checked by its output schema, and is sent as it is"
            );
            return Ok(());
        }
        (Some(structured), Some(validator)) => match validator.check(structured.get().as_bytes()) {
            Ok(()) => return Ok(()),
            Err(problem) => problem,
        },
        (Some(_), None) => return Ok(()),
    };
    tracing::error!(tool = item.name, problem, "the result of a tool does not fit its output schema");
    Err(ErrorObject::internal(format!("the result of {} does not fit its output schema: {problem}", item.name)))
}

/// Whether a result is checked against its output schema. One whose type made the schema fits it, unless it is written in another way than
/// the schema says; such mistakes are found while it is developed.
fn is_checked(wanted: Option<bool>, is_typed: bool, is_debug_build: bool) -> bool {
    wanted.unwrap_or(!is_typed || is_debug_build)
}

/// What a peer sent, short enough for a message.
pub(crate) fn shorten(text: &str) -> String {
    text.chars().take(100).collect()
}

#[cfg(test)]
mod tests {
    use super::is_checked;

    /// SRV-023: results are checked by default, in each build, where the schema does not come from their own type.
    #[test]
    fn results_of_another_type_than_the_schema_are_checked() {
        for is_debug_build in [true, false] {
            assert!(is_checked(None, false, is_debug_build));
            assert_eq!(is_checked(None, true, is_debug_build), is_debug_build);
            for is_typed in [true, false] {
                assert!(is_checked(Some(true), is_typed, is_debug_build));
                assert!(!is_checked(Some(false), is_typed, is_debug_build));
            }
        }
    }
}
