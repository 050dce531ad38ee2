//! What clients and servers say they can do.

use std::collections::BTreeMap;

use crate::JsonObject;

/// Settings by the name of an extension or experiment.
pub type Settings = BTreeMap<String, JsonObject>;

options! {
    /// What a client can do.
    ClientCapabilities {
        /// Features outside the specification.
        experimental: Settings,
        /// It has roots.
        roots: RootsCapability,
        /// It lets servers ask its model.
        sampling: SamplingCapability,
        /// It lets servers ask the person; since 2025-06-18.
        elicitation: ElicitationCapability,
        /// It runs requests as tasks; only 2025-11-25.
        tasks: ClientTasksCapability,
        /// Extensions by identifier; since 2026-07-28.
        extensions: Settings,
    }
}

setters!(ClientCapabilities {
    with_roots => roots: RootsCapability,
    with_sampling => sampling: SamplingCapability,
    with_elicitation => elicitation: ElicitationCapability,
});

options! {
    /// How a client has roots.
    RootsCapability {
        /// It tells when they change; until 2025-11-25.
        list_changed: bool,
    }
}

options! {
    /// How a client lets servers ask its model.
    SamplingCapability {
        /// It can add context of servers; since 2025-11-25.
        context: JsonObject,
        /// It lets the model use the server's tools; since 2025-11-25.
        tools: JsonObject,
    }
}

options! {
    /// How a client lets servers ask the person.
    ElicitationCapability {
        /// By forms; since 2025-11-25.
        form: JsonObject,
        /// By pages to visit; since 2025-11-25.
        url: JsonObject,
    }
}

impl ElicitationCapability {
    /// Whether forms are possible: said so, or nothing is said about the mode.
    #[must_use]
    pub fn has_forms(&self) -> bool {
        self.form.is_some() || self.url.is_none()
    }

    /// Whether pages to visit are possible.
    #[must_use]
    pub fn has_urls(&self) -> bool {
        self.url.is_some()
    }
}

options! {
    /// What a server can do.
    ServerCapabilities {
        /// Features outside the specification.
        experimental: Settings,
        /// It sends log messages.
        logging: JsonObject,
        /// It completes arguments; since 2025-03-26.
        completions: JsonObject,
        /// It has prompts.
        prompts: PromptsCapability,
        /// It has resources.
        resources: ResourcesCapability,
        /// It has tools.
        tools: ToolsCapability,
        /// It runs requests as tasks; only 2025-11-25.
        tasks: ServerTasksCapability,
        /// Extensions by identifier; since 2026-07-28.
        extensions: Settings,
    }
}

options! {
    /// How a server has prompts.
    PromptsCapability {
        /// It tells when the list changes.
        list_changed: bool,
    }
}

options! {
    /// How a server has resources.
    ResourcesCapability {
        /// It tells when a resource changes.
        subscribe: bool,
        /// It tells when the list changes.
        list_changed: bool,
    }
}

options! {
    /// How a server has tools.
    ToolsCapability {
        /// It tells when the list changes.
        list_changed: bool,
    }
}

options! {
    /// How a client runs requests as tasks; only 2025-11-25.
    ClientTasksCapability {
        /// It lists them.
        list: JsonObject,
        /// It ends them.
        cancel: JsonObject,
        /// Which requests.
        requests: ClientTaskRequests,
    }
}

options! {
    /// Which requests a client runs as tasks.
    ClientTaskRequests {
        /// Those of sampling.
        sampling: SamplingTaskRequests,
        /// Those of elicitation.
        elicitation: ElicitationTaskRequests,
    }
}

options! {
    /// Which sampling requests a client runs as tasks.
    SamplingTaskRequests {
        /// `sampling/createMessage`.
        create_message: JsonObject,
    }
}

options! {
    /// Which elicitation requests a client runs as tasks.
    ElicitationTaskRequests {
        /// `elicitation/create`.
        create: JsonObject,
    }
}

options! {
    /// How a server runs requests as tasks; only 2025-11-25.
    ServerTasksCapability {
        /// It lists them.
        list: JsonObject,
        /// It ends them.
        cancel: JsonObject,
        /// Which requests.
        requests: ServerTaskRequests,
    }
}

options! {
    /// Which requests a server runs as tasks.
    ServerTaskRequests {
        /// Those of tools.
        tools: ToolTaskRequests,
    }
}

options! {
    /// Which tool requests a server runs as tasks.
    ToolTaskRequests {
        /// `tools/call`.
        call: JsonObject,
    }
}
