//! What all reference servers say about themselves, whatever family they belong to.

use std::time::Duration;

#[cfg(any(feature = "_python", feature = "sqlite"))]
use jackfield::protocol::ServerCapabilities;
use jackfield::protocol::envelope::MethodName;
use jackfield::protocol::{AnyResult, Method};
use jackfield::{CacheHint, Cached, Incoming, Next, Outcome, Reply, Server};

/// A revision before the first one that was released. The originals echo it, and serve it like the next one.
const DRAFT: &str = "2024-10-07";

/// Says that nothing may be cached, as the originals do.
pub(crate) fn uncached(server: Server) -> Server {
    let hint = || CacheHint::private(Duration::ZERO);
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

/// Returns the capabilities in an answer to `initialize` or `server/discover`.
#[cfg(any(feature = "_python", feature = "sqlite"))]
pub(crate) fn capabilities(reply: &mut Reply) -> Option<&mut ServerCapabilities> {
    match reply {
        Ok(Outcome::Complete(AnyResult::Initialize(result))) => Some(&mut result.capabilities),
        Ok(Outcome::Complete(AnyResult::Discover(result))) => Some(&mut result.capabilities),
        _ => None,
    }
}
