//! What a server tells about itself: `initialize` and `server/discover`.

use jackfield_peer::Incoming;
use jackfield_protocol::{
    AnyResult, DiscoverResult, InitializeResult, JsonObject, Outcome, PromptsCapability, ResourcesCapability,
    ServerCapabilities, ServerTaskRequests, ServerTasksCapability, TASKS_EXTENSION, ToolTaskRequests, ToolsCapability,
};

use crate::routing::completion;
use crate::routing::router::Router;

/// Answers `initialize`. The session has been opened by the connection.
pub(crate) fn initialize(router: &Router, incoming: &Incoming) -> Outcome<AnyResult> {
    if let Some(session) = &incoming.session {
        router.core.hub.session(session);
    }
    let version = incoming.caller.revision.as_str();
    let mut result = InitializeResult::new(version, capabilities(router), router.info.clone());
    result.instructions.clone_from(&router.instructions);
    Outcome::Complete(result.into())
}

/// Answers `server/discover`.
pub(crate) fn discover(router: &Router) -> Outcome<AnyResult> {
    // A client that speaks an older revision as well finds that out by `initialize`; here it chooses one without handshake.
    let versions = router.revisions.iter().filter(|revision| !revision.has_handshake());
    let versions: Vec<String> = versions.map(ToString::to_string).collect();
    let mut result = DiscoverResult::new(versions, capabilities(router));
    result.instructions.clone_from(&router.instructions);
    let hint = router.cache.discover;
    result.ttl_ms = hint.map(crate::CacheHint::ttl_ms);
    result.cache_scope = hint.map(|hint| hint.scope);
    Outcome::Complete(result.into())
}

/// What the server can do, by what is registered; the answer is adapted to the revision when it is written.
fn capabilities(router: &Router) -> ServerCapabilities {
    let core = &router.core;
    let mut capabilities = ServerCapabilities::default();
    if core.tools.is_announced(core) {
        let tools = capabilities.tools.insert(ToolsCapability::default());
        tools.list_changed = Some(true);
    }
    if core.prompts.is_announced(core) {
        let prompts = capabilities.prompts.insert(PromptsCapability::default());
        prompts.list_changed = Some(true);
    }
    if core.resources.is_announced(core) {
        let resources = capabilities.resources.insert(ResourcesCapability::default());
        (resources.subscribe, resources.list_changed) = (Some(true), Some(true));
    }
    if completion::is_offered(core) {
        capabilities.completions = Some(JsonObject::new());
    }
    if router.logging {
        capabilities.logging = Some(JsonObject::new());
    }
    let mut extensions = router.extensions.clone();
    if router.has_tasks() {
        extensions.entry(TASKS_EXTENSION.to_owned()).or_default();
        capabilities.tasks = Some(tasks());
    }
    #[cfg(feature = "skills")]
    let extensions = crate::skills::declare(core, extensions);
    capabilities.extensions = Some(extensions).filter(|extensions| !extensions.is_empty());
    capabilities.experimental = Some(router.experimental.clone()).filter(|experimental| !experimental.is_empty());
    capabilities
}

/// What revisions with tasks in their core are told. Lists are safe, because every caller there has a user or a session.
fn tasks() -> ServerTasksCapability {
    let mut tools = ToolTaskRequests::default();
    tools.call = Some(JsonObject::new());
    let mut requests = ServerTaskRequests::default();
    requests.tools = Some(tools);
    let mut tasks = ServerTasksCapability::default();
    (tasks.list, tasks.cancel, tasks.requests) = (Some(JsonObject::new()), Some(JsonObject::new()), Some(requests));
    tasks
}
