//! Answers of the family that belong to no tool.

#[cfg(any(feature = "filesystem", feature = "memory", feature = "sequentialthinking"))]
use jackfield::Server;
use jackfield::middleware::MethodName;
use jackfield::middleware::{Incoming, Next, Reply};
use jackfield::protocol::AnyResult;
use jackfield::protocol::code;
use jackfield::protocol::{CallToolResult, ErrorObject, Method, Outcome};

use crate::handshake;

/// A revision before the first one that was released. The family's library echoes it, and serves it like the next one.
const DRAFT: &str = "2024-10-07";

/// Makes a server of the family that logs nothing to its client.
#[cfg(any(feature = "filesystem", feature = "memory", feature = "sequentialthinking"))]
pub(crate) fn server(name: &str) -> Server {
    handshake::uncached(Server::new(name).logging(false)).middleware(unknown_tools).middleware(answer)
}

/// Answers a call of an unknown tool with a failure, as the family does in the legacy era. The newest revision wants an error.
pub(crate) async fn unknown_tools(incoming: Incoming, next: Next) -> Reply {
    let is_call =
        matches!(incoming.method, MethodName::Known(Method::CallTool)) && incoming.caller.revision.has_handshake();
    let name = if is_call { incoming.params.string("name").ok().map(|name| shortened(&name)) } else { None };
    match (next.run(incoming).await, name) {
        (Err(error), Some(name)) if error.code == code::INVALID_PARAMS && error.message.starts_with("unknown tool") => {
            Ok(Outcome::Complete(failure(&format!("Tool {name} not found")).into()))
        }
        (reply, _) => reply,
    }
}

/// Gives errors of the protocol the family's codes and texts.
pub(crate) async fn answer(incoming: Incoming, next: Next) -> Reply {
    match echo_draft(incoming, next).await {
        Err(error) if handshake::is_unknown_method(&error) => {
            Err(ErrorObject::new(code::METHOD_NOT_FOUND, "Method not found"))
        }
        Err(error) => Err(unknown_resource(error)),
        Ok(Outcome::Complete(result)) => Ok(Outcome::Complete(in_full(result))),
        reply => reply,
    }
}

/// Answers a request; `initialize` is answered with the version that was asked for, as the originals do.
async fn echo_draft(incoming: Incoming, next: Next) -> Reply {
    let wants_draft = matches!(incoming.method, MethodName::Known(Method::Initialize))
        && incoming.params.string("protocolVersion").is_ok_and(|version| version == DRAFT);
    let mut reply = next.run(incoming).await;
    if wants_draft && let Ok(Outcome::Complete(AnyResult::Initialize(result))) = &mut reply {
        result.protocol_version = DRAFT.to_owned();
    }
    reply
}

/// Says of a resource that there is none, with the family's code in all revisions.
fn unknown_resource(error: ErrorObject) -> ErrorObject {
    match error.message.strip_prefix("resource not found: ") {
        Some(uri) => ErrorObject::invalid_params(format!("MCP error -32602: Resource {uri} not found")),
        None if error.code == code::RESOURCE_NOT_FOUND => ErrorObject { code: code::INVALID_PARAMS, ..error },
        None => error,
    }
}

/// Gives results the members that the family's library writes: completions are always counted, and a prompt is described in the list
/// only.
fn in_full(mut result: AnyResult) -> AnyResult {
    match &mut result {
        AnyResult::Complete(result) => {
            let completion = &mut result.completion;
            completion.total.get_or_insert(completion.values.len() as u64);
            completion.has_more.get_or_insert(false);
        }
        AnyResult::GetPrompt(result) => result.description = None,
        _ => {}
    }
    result
}

/// A failure in the words of the family's library.
pub(super) fn failure(text: &str) -> CallToolResult {
    CallToolResult::failure(format!("MCP error -32602: {text}"))
}

fn shortened(name: &str) -> String {
    name.chars().take(128).collect()
}
