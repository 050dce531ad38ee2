//! Answers of the family that belong to no tool.

use jackfield::Server;
use jackfield::middleware::MethodName;
use jackfield::middleware::{Incoming, Next, Reply};
use jackfield::protocol::code;
use jackfield::protocol::{ErrorObject, Method};

use crate::handshake;

/// Makes a server of the family. It declares prompts and resources even if it has none: their lists are empty.
pub(crate) fn server(name: &str) -> Server {
    let server = handshake::uncached(Server::new(name).logging(false)).middleware(answer);
    let (_, _) = (server.registry().prompts(), server.registry().resources());
    server
}

/// Gives errors of the protocol the family's texts, and declares that lists never change.
async fn answer(incoming: Incoming, next: Next) -> Reply {
    let method = incoming.method.clone();
    if let MethodName::Known(Method::Subscribe | Method::Unsubscribe) = method {
        return Err(unknown(method.as_str()));
    }
    let mut reply = next.run(incoming).await;
    if let Some(capabilities) = handshake::capabilities(&mut reply) {
        let no = Some(false);
        capabilities.tools.get_or_insert_default().list_changed = no;
        capabilities.prompts.get_or_insert_default().list_changed = no;
        let resources = capabilities.resources.get_or_insert_default();
        (resources.list_changed, resources.subscribe) = (no, no);
    }
    reply.map_err(|error| match error.code {
        _ if handshake::is_unknown_method(&error) => unknown(method.as_str()),
        code::INVALID_PARAMS => capitalised(error),
        code::RESOURCE_NOT_FOUND => ErrorObject { code: code::INVALID_PARAMS, ..error },
        _ => error,
    })
}

fn unknown(method: &str) -> ErrorObject {
    let shown: String = method.chars().take(100).collect();
    ErrorObject::new(code::METHOD_NOT_FOUND, "Method not found").with_data(shown.into())
}

/// Writes `Unknown tool` and `Unknown prompt` as the family does.
fn capitalised(error: ErrorObject) -> ErrorObject {
    match error.message.strip_prefix("unknown ") {
        Some(rest) => ErrorObject { message: format!("Unknown {rest}").into(), ..error },
        None => error,
    }
}
