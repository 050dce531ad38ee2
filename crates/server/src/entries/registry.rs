//! Adding and removing tools, resources and prompts while the server runs.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::sync::{Arc, Weak};

use bytes::Bytes;
use jackfield_protocol::{Prompt, Resource, ResourceTemplate, Tool};
use serde::Deserialize;

use crate::builder::core::Core;
use crate::entries::catalog::{EntryId, Kind, Prompts, Resources, Tools};
use crate::entries::prepared::{PreparedPrompt, PreparedResource, PreparedTool};
use crate::subscriptions::changes::Change;
use crate::{
    Address, BuildError, Cx, IntoPrompt, IntoPromptResult, IntoResource, IntoResourceResult, IntoTool, IntoToolResult,
    PromptEntry, Reading, ResourceEntry, ToolEntry, UriTemplate, Validation, Variables, Work,
};

/// Adds and removes tools, resources and prompts of a server, at any time. Clones are handles of the same one.
///
/// ```
/// # use jackfield_server::{Call, Cx, Server};
/// # use jackfield_protocol::Tool;
/// # fn main() -> Result<(), jackfield_server::BuildError> {
/// let server = Server::new("demo");
/// let registry = server.registry();
/// let schema = serde_json::Map::from_iter([("type".to_owned(), "object".into())]);
/// let handle = registry.tools().insert(Tool::new("ping", schema), |_: Call, _: Cx| async { "pong" })?;
/// drop(handle); // removes it again
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Registry {
    pub(crate) core: Arc<Core>,
}

impl Registry {
    pub(crate) fn new(core: &Arc<Core>) -> Self {
        Self { core: core.clone() }
    }

    /// Returns the tools. Taking this declares the capability, so that clients know that tools may come.
    #[must_use]
    pub fn tools(&self) -> ToolRegistry {
        self.core.tools.announce();
        ToolRegistry::new(&self.core)
    }

    /// Returns the resources. Taking this declares the capability, so that clients know that resources may come.
    #[must_use]
    pub fn resources(&self) -> ResourceRegistry {
        self.core.resources.announce();
        ResourceRegistry::new(&self.core)
    }

    /// Returns the prompts. Taking this declares the capability, so that clients know that prompts may come.
    #[must_use]
    pub fn prompts(&self) -> PromptRegistry {
        self.core.prompts.announce();
        PromptRegistry::new(&self.core)
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Registry")
    }
}

/// A call of a tool that was added at run time.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Call {
    /// The JSON text of the arguments: an object that fits the tool's schema.
    pub arguments: Bytes,
}

impl Call {
    /// Reads the arguments as a type.
    ///
    /// # Errors
    /// They do not fit the type.
    pub fn arguments<'a, T: Deserialize<'a>>(&'a self) -> Result<T, serde_json::Error> {
        serde_json::from_slice(&self.arguments)
    }
}

macro_rules! registry {
    ($(#[$doc:meta])* $name:ident, $kind:ident, $change:ident, $prepared:ident, $into:ident :: $method:ident) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $name {
            core: Arc<Core>,
        }

        impl $name {
            pub(crate) fn new(core: &Arc<Core>) -> Self {
                Self { core: core.clone() }
            }

            /// Adds an entry and tells all clients. It stays until the handle is dropped.
            ///
            /// # Errors
            /// The entry is not valid, or there is one of that name.
            pub fn add(&self, entry: impl $into) -> Result<Handle, BuildError> {
                let prepared = $prepared::new(entry.$method())?;
                let id = self.core.$change.insert(&self.core, prepared)?;
                self.core.changed(&Change::$kind);
                Ok(Handle { core: Arc::downgrade(&self.core), entry: Some(Registered::$kind(id)) })
            }

            /// Returns the names, in the order of the list.
            #[must_use]
            pub fn names(&self) -> Vec<String> {
                <$kind>::items(&self.core.$change.view(&self.core)).iter().map(|item| item.name.clone()).collect()
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($name)).field(&self.names()).finish()
            }
        }
    };
}

registry! {
    /// The tools of a server.
    ToolRegistry, Tools, tools, PreparedTool, IntoTool::into_tool
}
registry! {
    /// The resources of a server.
    ResourceRegistry, Resources, resources, PreparedResource, IntoResource::into_resource
}
registry! {
    /// The prompts of a server.
    PromptRegistry, Prompts, prompts, PreparedPrompt, IntoPrompt::into_prompt
}

impl ToolRegistry {
    /// Adds a tool and tells all clients. It stays until the handle is dropped. Arguments are checked against the schema.
    ///
    /// # Errors
    /// The name or a schema is not valid, or there is a tool of that name.
    pub fn insert<F, R>(
        &self,
        tool: Tool,
        handler: impl Fn(Call, Cx) -> F + Send + Sync + 'static,
    ) -> Result<Handle, BuildError>
    where
        F: Future<Output = R> + Send + 'static,
        R: IntoToolResult + 'static,
    {
        let mut entry = ToolEntry::new(tool, move |arguments, cx| {
            let work = handler(Call { arguments }, cx);
            Work::later(async move { work.await.into_tool_result() })
        });
        entry.validation = Validation::Always;
        self.add(entry)
    }
}

impl ResourceRegistry {
    /// Tells all who subscribed that a resource changed. Handlers have [`Cx::notify_resource_updated`].
    pub fn updated(&self, uri: impl Into<String>) {
        self.core.changed(&Change::Resource(uri.into()));
    }

    /// Adds a resource and tells all clients. It stays until the handle is dropped.
    ///
    /// # Errors
    /// The URI is not valid, or there is a resource of that URI.
    pub fn insert<F, R>(
        &self,
        resource: Resource,
        handler: impl Fn(Cx) -> F + Send + Sync + 'static,
    ) -> Result<Handle, BuildError>
    where
        F: Future<Output = R> + Send + 'static,
        R: IntoResourceResult + 'static,
    {
        self.add(ResourceEntry::new(Address::Static(resource), move |reading: Reading, _: Variables, cx: Cx| {
            let work = handler(cx);
            Work::later(async move { work.await.into_resource_result(reading) })
        }))
    }

    /// Adds a template of resources and tells all clients. It stays until the handle is dropped.
    ///
    /// # Errors
    /// The template is not valid, or there is one of that text.
    pub fn insert_template<F, R>(
        &self,
        listed: ResourceTemplate,
        handler: impl Fn(Variables, Cx) -> F + Send + Sync + 'static,
    ) -> Result<Handle, BuildError>
    where
        F: Future<Output = R> + Send + 'static,
        R: IntoResourceResult + 'static,
    {
        let template = UriTemplate::new(&listed.uri_template)
            .map_err(|problem| BuildError::new(vec![format!("template `{}`: {problem}", listed.uri_template)]))?;
        let address = Address::Template(listed, Arc::new(template));
        self.add(ResourceEntry::new(address, move |reading: Reading, variables: Variables, cx: Cx| {
            let work = handler(variables, cx);
            Work::later(async move { work.await.into_resource_result(reading) })
        }))
    }
}

impl PromptRegistry {
    /// Adds a prompt and tells all clients. It stays until the handle is dropped.
    ///
    /// # Errors
    /// The definition is not valid, or there is a prompt of that name.
    pub fn insert<F, R>(
        &self,
        prompt: Prompt,
        handler: impl Fn(BTreeMap<String, String>, Cx) -> F + Send + Sync + 'static,
    ) -> Result<Handle, BuildError>
    where
        F: Future<Output = R> + Send + 'static,
        R: IntoPromptResult + 'static,
    {
        self.add(PromptEntry::new(prompt, move |arguments: BTreeMap<String, String>, cx: Cx| {
            let work = handler(arguments, cx);
            Work::later(async move { work.await.into_prompt_result() })
        }))
    }
}

/// Something that was added at run time. Dropping it removes it and tells all clients.
#[must_use = "dropping the handle removes the entry; call `keep` to leave it there"]
pub struct Handle {
    core: Weak<Core>,
    entry: Option<Registered>,
}

#[derive(Clone, Copy, Debug)]
enum Registered {
    Tools(EntryId),
    Resources(EntryId),
    Prompts(EntryId),
}

impl Handle {
    /// Removes the entry and tells all clients.
    pub fn remove(self) {}

    /// Leaves the entry where it is for as long as the server lives.
    pub fn keep(mut self) {
        self.entry = None;
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let (Some(core), Some(entry)) = (self.core.upgrade(), self.entry.take()) else { return };
        let (removed, change) = match entry {
            Registered::Tools(id) => (core.tools.remove(id), Change::Tools),
            Registered::Resources(id) => (core.resources.remove(id), Change::Resources),
            Registered::Prompts(id) => (core.prompts.remove(id), Change::Prompts),
        };
        if removed {
            core.changed(&change);
        }
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Handle").field(&self.entry).finish()
    }
}
