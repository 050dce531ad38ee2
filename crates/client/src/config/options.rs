//! What a client was built with.

use std::collections::BTreeSet;

use jackfield_peer::tape::Tape;
use jackfield_protocol::{
    ClientCapabilities, ClientTaskRequests, ClientTasksCapability, ElicitationCapability, ElicitationTaskRequests,
    Implementation, JsonObject, Revision, RootsCapability, SamplingCapability, SamplingTaskRequests, Settings,
    TASKS_EXTENSION,
};

use crate::lists::{Cache, CacheOwner};
use crate::questions::Handlers;
use crate::transport::MessageObserver;
use crate::{Limits, Restarts, Timeouts};

/// What a client was built with.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) info: Option<Implementation>,
    pub(crate) handlers: Handlers,
    pub(crate) limits: Limits,
    pub(crate) timeouts: Timeouts,
    pub(crate) restarts: Restarts,
    /// The revisions that may be used, oldest first.
    pub(crate) revisions: Vec<Revision>,
    pub(crate) experimental: Option<Settings>,
    pub(crate) extensions: Settings,
    /// Extensions that are not declared, whoever brings them.
    pub(crate) undeclared: BTreeSet<String>,
    pub(crate) cache: Option<Cache>,
    pub(crate) cache_owner: CacheOwner,
    pub(crate) checks_output: bool,
    pub(crate) observer: Option<MessageObserver>,
    pub(crate) tape: Option<Tape>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            info: None,
            handlers: Handlers::default(),
            limits: Limits::default(),
            timeouts: Timeouts::default(),
            restarts: Restarts::default(),
            revisions: Revision::ALL.to_vec(),
            experimental: None,
            extensions: Settings::new(),
            undeclared: BTreeSet::new(),
            cache: None,
            cache_owner: CacheOwner::default(),
            checks_output: true,
            observer: None,
            tape: None,
        }
    }
}

impl Options {
    /// What the client says it can do: what there are handlers for.
    pub(crate) fn capabilities(&self) -> ClientCapabilities {
        let present = |is: bool| is.then(JsonObject::new);
        let handlers = &self.handlers;
        let mut capabilities = ClientCapabilities::default();
        capabilities.experimental.clone_from(&self.experimental);
        if handlers.roots.is_some() || handlers.find_roots.is_some() {
            let mut roots = RootsCapability::default();
            roots.list_changed = handlers.find_roots.is_none().then_some(true);
            capabilities.roots = Some(roots);
        }
        if handlers.sampling.is_some() {
            let mut sampling = SamplingCapability::default();
            sampling.tools = present(handlers.sampling_tools);
            capabilities.sampling = Some(sampling);
        }
        if handlers.form.is_some() || handlers.url.is_some() {
            let mut elicitation = ElicitationCapability::default();
            elicitation.form = present(handlers.form.is_some());
            elicitation.url = present(handlers.url.is_some());
            capabilities.elicitation = Some(elicitation);
        }
        capabilities.tasks = self.tasks_capability();
        if !self.extensions.is_empty() {
            capabilities.extensions = Some(self.extensions.clone());
        }
        capabilities
    }

    /// Questions that there are handlers for may be asked as tasks, where the revision has them.
    fn tasks_capability(&self) -> Option<ClientTasksCapability> {
        let handlers = &self.handlers;
        let mut requests = ClientTaskRequests::default();
        requests.sampling = handlers.sampling.is_some().then(|| {
            let mut sampling = SamplingTaskRequests::default();
            sampling.create_message = Some(JsonObject::new());
            sampling
        });
        requests.elicitation = (handlers.form.is_some() || handlers.url.is_some()).then(|| {
            let mut elicitation = ElicitationTaskRequests::default();
            elicitation.create = Some(JsonObject::new());
            elicitation
        });
        (requests != ClientTaskRequests::default()).then(|| {
            let mut tasks = ClientTasksCapability::default();
            (tasks.list, tasks.cancel) = (Some(JsonObject::new()), Some(JsonObject::new()));
            tasks.requests = Some(requests);
            tasks
        })
    }

    pub(crate) fn modern(&self) -> Vec<Revision> {
        self.revisions.iter().copied().filter(|revision| !revision.has_handshake()).collect()
    }

    pub(crate) fn legacy(&self) -> Vec<Revision> {
        self.revisions.iter().copied().filter(|revision| revision.has_handshake()).collect()
    }

    pub(crate) fn has_tasks_extension(&self) -> bool {
        self.extensions.contains_key(TASKS_EXTENSION)
    }
}
