//! What all reference servers say about themselves, whatever family they belong to.

use jackfield::Outcome;
use jackfield::middleware::MethodName;
use jackfield::middleware::{Incoming, Next, Reply};
use jackfield::protocol::AnyResult;
#[cfg(any(feature = "_python", feature = "sqlite"))]
use jackfield::protocol::ServerCapabilities;
use jackfield::protocol::code;
use jackfield::protocol::{ErrorObject, Method};

/// A revision before the first one that was released. The originals echo it, and serve it like the next one.
const DRAFT: &str = "2024-10-07";

/// Says that nothing may be cached, as the originals do.
#[cfg(any(
    feature = "_python",
    feature = "filesystem",
    feature = "memory",
    feature = "sequentialthinking",
    feature = "sqlite"
))]
pub(crate) fn uncached(server: jackfield::Server) -> jackfield::Server {
    use jackfield::Cached;
    use jackfield::server::CacheHint;
    let hint = || CacheHint::private(std::time::Duration::ZERO);
    [Cached::Discover, Cached::Tools, Cached::Resources, Cached::Templates, Cached::Prompts, Cached::Contents]
        .into_iter()
        .fold(server, |server, what| server.cache(what, hint()))
}

/// Answers a request; `initialize` is answered with the version that was asked for, as the originals do.
pub(crate) async fn echo_draft(incoming: Incoming, next: Next) -> Reply {
    let wants_draft = matches!(incoming.method, MethodName::Known(Method::Initialize))
        && incoming.params.string("protocolVersion").is_ok_and(|version| version == DRAFT);
    let mut reply = next.run(incoming).await;
    if wants_draft && let Ok(Outcome::Complete(AnyResult::Initialize(result))) = &mut reply {
        result.protocol_version = DRAFT.to_owned();
    }
    reply
}

/// Whether an error says that there is no such method; calls that must be tasks are refused with the same code.
pub(crate) fn is_unknown_method(error: &ErrorObject) -> bool {
    error.code == code::METHOD_NOT_FOUND && error.message.starts_with("method not found")
}

/// Returns the capabilities in an answer to `initialize` or `server/discover`.
#[cfg(any(feature = "_python", feature = "sqlite"))]
pub(crate) fn capabilities(reply: &mut Reply) -> Option<&mut ServerCapabilities> {
    match reply {
        Ok(Outcome::Complete(AnyResult::Initialize(result))) => Some(&mut result.capabilities),
        Ok(Outcome::Complete(AnyResult::Discover(result))) => Some(&mut result.capabilities),
        _ => None,
    }
}
