//! What all reference servers say about themselves, whatever family they belong to.

#[cfg(any(feature = "_python", feature = "sqlite"))]
use jackfield::Outcome;
#[cfg(any(feature = "_python", feature = "sqlite"))]
use jackfield::middleware::Reply;
use jackfield::protocol::ErrorObject;
use jackfield::protocol::code;
#[cfg(any(feature = "_python", feature = "sqlite"))]
use jackfield::protocol::{AnyResult, ServerCapabilities};

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
