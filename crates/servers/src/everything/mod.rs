//! The demo server, for those who build clients: all features.

mod environment;
mod gzip;
mod media;
mod ordered;
mod plain;
mod prompts;
mod questions;
mod resources;
mod roots;
mod simulated;
mod tasks;
mod tools;
mod url_question;

use std::time::Duration;

use jackfield::server::{CacheHint, Item};
use jackfield::{Cached, Caller, Server};

use crate::typescript;

pub use environment::ShowEnvironment;
pub use gzip::GzipLimits;

/// How the demo server behaves.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Which environment variables `get-env` shows.
    pub environment: ShowEnvironment,
    /// What `gzip-file-as-resource` may fetch.
    pub gzip: GzipLimits,
}

const INSTRUCTIONS: &str = "Every feature of the protocol, for testing clients: tools that return each kind of content, tools that \
ask the client, a tool that runs as a task, resources with templates and subscriptions, prompts with completion, logging and progress. Read \
demo://resource/static/document/features.md for the list.";

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);

/// Makes the demo server.
pub fn server(options: Options) -> Server {
    let server = Server::new("mcp-servers/everything")
        .title("Everything Reference Server")
        .version("2.0.0")
        .instructions(INSTRUCTIONS)
        .cache(Cached::Tools, CacheHint::public(MINUTE))
        .cache(Cached::Prompts, CacheHint::public(MINUTE))
        .cache(Cached::Resources, CacheHint::public(MINUTE))
        .cache(Cached::Templates, CacheHint::public(MINUTE))
        .visible_to(is_visible)
        .middleware(typescript::unknown_tools)
        .middleware(typescript::answer);
    let server = environment::add(server, options.environment);
    let server = gzip::add(server, options.gzip);
    let server = simulated::add(server);
    let server = roots::add(server);
    let server = url_question::add(server);
    let server = tasks::add(server);
    let server = tools::add(server);
    let server = prompts::add(server);
    resources::add(server, CacheHint::public(HOUR))
}

/// In the legacy era a tool that asks the client is listed only to clients that can be asked. In the modern era the list is the same
/// for everyone, and a missing capability is an error of the call.
fn is_visible(caller: &Caller, item: Item<'_>) -> bool {
    let Item::Tool(name) = item else { return true };
    let modern = !caller.revision.has_handshake();
    let client = &caller.capabilities;
    match name {
        "get-structured-content-list" => modern,
        "get-roots-list" => modern || client.roots.is_some(),
        "trigger-sampling-request" => modern || client.sampling.is_some(),
        "trigger-elicitation-request" => modern || (caller.revision.has_elicitation() && client.elicitation.is_some()),
        "trigger-url-elicitation" => modern || client.elicitation.as_ref().is_some_and(|asks| asks.url.is_some()),
        "trigger-sampling-request-async" => tasks::are_taken(caller, tasks::Kind::Sampling),
        "trigger-elicitation-request-async" => tasks::are_taken(caller, tasks::Kind::Elicitation),
        _ => true,
    }
}
