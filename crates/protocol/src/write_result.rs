//! Writing results for a revision.

use crate::encode::{Added, NotInRevision, object, value_into};
use crate::*;

/// Appends the result object of a server, adapted to `revision`.
///
/// Where the revision tags results, the tag and `server_info` are added; the latter is the JSON of an [`Implementation`]
/// adapted to that revision. An encoded result is appended as it is.
///
/// # Errors
///
/// Fails, and writes nothing, if the revision has no such result: questions exist since 2026-07-28, tasks since 2025-11-25.
pub fn write_result(
    out: &mut Vec<u8>,
    outcome: Outcome<AnyResult>,
    revision: Revision,
    server_info: Option<&[u8]>,
) -> Result<(), NotInRevision> {
    let added = |tag| match revision.tags_results() {
        true => Added::Result { tag, server_info },
        false => Added::Nothing,
    };
    match outcome {
        Outcome::Complete(AnyResult::Encoded(bytes)) => out.extend_from_slice(&bytes),
        Outcome::Complete(AnyResult::CreateTask(created)) if revision.tags_results() => {
            object_for(out, TaskHandle::from(created.task), revision, &added("task"));
        }
        Outcome::Complete(mut result) => {
            adapt(&mut result, revision);
            check_result(&result, revision)?;
            write_any(out, result, &added("complete"));
        }
        Outcome::InputRequired(questions) if revision.tags_results() => {
            object_for(out, questions, revision, &added("input_required"));
        }
        Outcome::InputRequired(_) => return Err(NotInRevision::new("questions as results", revision)),
        Outcome::Task(task) if revision.tags_results() => object_for(out, task, revision, &added("task")),
        Outcome::Task(task) if revision.has_core_tasks() => value_into(out, &CreateTaskResult::new(*task)),
        Outcome::Task(_) => return Err(NotInRevision::new("tasks", revision)),
    }
    Ok(())
}

/// The result of a request of a server to a client; until 2025-11-25.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ClientResult {
    /// Of `sampling/createMessage`.
    CreateMessage(Box<CreateMessageResult>),
    /// Of `roots/list`.
    ListRoots(ListRootsResult),
    /// Of `elicitation/create`.
    Elicit(ElicitResult),
    /// Of requests that are only acknowledged.
    Empty(EmptyResult),
    /// Of a request that runs as a task.
    CreateTask(CreateTaskResult),
    /// Of `tasks/get` and `tasks/cancel`.
    Task(Task),
    /// Of `tasks/list`.
    ListTasks(ListTasksResult),
    /// Of `tasks/result`, or of a method outside the specification.
    Other(RawJson),
}

macro_rules! client_results_from {
    ($( $type:ty => $variant:ident, )+) => { $(
        impl From<$type> for ClientResult {
            fn from(result: $type) -> Self {
                Self::$variant(result.into())
            }
        }
    )+ };
}

client_results_from! {
    CreateMessageResult => CreateMessage,
    ListRootsResult => ListRoots,
    ElicitResult => Elicit,
    EmptyResult => Empty,
    CreateTaskResult => CreateTask,
    Task => Task,
    ListTasksResult => ListTasks,
}

impl From<InputResponse> for ClientResult {
    fn from(response: InputResponse) -> Self {
        match response {
            InputResponse::CreateMessage(result) => Self::CreateMessage(result),
            InputResponse::ListRoots(result) => Self::ListRoots(result),
            InputResponse::Elicit(result) => Self::Elicit(result),
        }
    }
}

/// Appends the result object of a client, adapted to `revision`.
///
/// # Errors
///
/// Fails, and writes nothing, if the revision has no such result; since 2026-07-28 there is none.
pub fn write_client_result(out: &mut Vec<u8>, result: ClientResult, revision: Revision) -> Result<(), NotInRevision> {
    let missing = match &result {
        _ if !revision.has_server_requests() => Some("results of clients"),
        ClientResult::Elicit(_) if !revision.has_elicitation() => Some("elicitation"),
        ClientResult::CreateTask(_) | ClientResult::Task(_) | ClientResult::ListTasks(_)
            if !revision.has_core_tasks() =>
        {
            Some("tasks")
        }
        _ => None,
    };
    if let Some(what) = missing {
        return Err(NotInRevision::new(what, revision));
    }
    match result {
        ClientResult::CreateMessage(result) => object_for(out, *result, revision, &Added::Nothing),
        ClientResult::ListRoots(result) => object_for(out, result, revision, &Added::Nothing),
        ClientResult::Elicit(result) => object_for(out, result, revision, &Added::Nothing),
        ClientResult::Empty(result) => value_into(out, &result),
        ClientResult::CreateTask(result) => value_into(out, &result),
        ClientResult::Task(result) => value_into(out, &result),
        ClientResult::ListTasks(result) => value_into(out, &result),
        ClientResult::Other(result) => value_into(out, &result),
    }
    Ok(())
}

fn object_for<T: ResultBody + Adapt>(out: &mut Vec<u8>, mut body: T, revision: Revision, added: &Added<'_>) {
    adapt(&mut body, revision);
    object(out, &mut body, added, T::meta_mut, |out, body| body.write_json(out));
}

fn check_result(result: &AnyResult, revision: Revision) -> Result<(), NotInRevision> {
    let (defined, what) = match result {
        AnyResult::Initialize(_) => (revision.has_handshake(), "handshake"),
        AnyResult::Discover(_) => (!revision.has_handshake(), "discovery"),
        AnyResult::Listen(_) => (revision.has_listen_streams(), "listen streams"),
        AnyResult::CreateTask(_) | AnyResult::Task(_) | AnyResult::ListTasks(_) => {
            (revision.has_core_tasks(), "tasks in the core")
        }
        _ => return Ok(()),
    };
    if defined { Ok(()) } else { Err(NotInRevision::new(what, revision)) }
}

fn write_any(out: &mut Vec<u8>, result: AnyResult, added: &Added<'_>) {
    macro_rules! write {
        ($body:ident) => {{
            let mut body = $body;
            object(out, &mut body, added, ResultBody::meta_mut, |out, body| body.write_json(out))
        }};
    }
    match result {
        AnyResult::CallTool(body) => write!(body),
        AnyResult::GetPrompt(body) => write!(body),
        AnyResult::ReadResource(body) => write!(body),
        AnyResult::Complete(body) => write!(body),
        AnyResult::ListTools(body) => write!(body),
        AnyResult::ListResources(body) => write!(body),
        AnyResult::ListResourceTemplates(body) => write!(body),
        AnyResult::ListPrompts(body) => write!(body),
        AnyResult::Initialize(body) => write!(body),
        AnyResult::Discover(body) => write!(body),
        AnyResult::Listen(body) => write!(body),
        AnyResult::Empty(body) => write!(body),
        AnyResult::CreateTask(body) => write!(body),
        AnyResult::Task(body) => write!(body),
        AnyResult::ListTasks(body) => write!(body),
        AnyResult::DetailedTask(body) => write!(body),
        AnyResult::Encoded(bytes) => out.extend_from_slice(&bytes),
        AnyResult::Other(body) => write_other(out, body, added),
    }
}

/// A result outside the specification: its own `_meta` is merged with what is added.
fn write_other(out: &mut Vec<u8>, body: RawJson, added: &Added<'_>) {
    let Added::Result { .. } = added else { return value_into(out, &body) };
    let Ok(mut members) = body.read::<raw::Members<RawJson>>() else { return value_into(out, &body) };
    // A forwarded result has its own tag already.
    if members.0.iter().any(|(name, _)| name == "resultType") {
        return value_into(out, &body);
    }
    let own = members.0.iter().position(|(name, _)| name == "_meta").map(|at| members.0.remove(at).1);
    let meta = own.and_then(|raw| raw.read::<Meta>().ok());
    object(
        out,
        &mut (members, meta),
        added,
        |(_, meta)| meta,
        |out, (members, meta)| match meta {
            Some(meta) => {
                let rest = members.0.iter().map(|(name, value)| (name.clone(), value.clone()));
                let meta = ("_meta".to_owned(), RawJson::from(JsonObject::clone(meta)));
                value_into(out, &raw::Members(rest.chain([meta]).collect()));
            }
            None => value_into(out, members),
        },
    );
}
