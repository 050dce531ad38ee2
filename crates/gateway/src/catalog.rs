//! What a server has, as the gateway offers it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jackfield_client::{Client, Listed, Listing};
use jackfield_protocol::error::code;
use jackfield_protocol::{Prompt, Reference, Resource, ResourceTemplate, Tool, check_tool_name};
use jackfield_server::{
    Address, BuildError, Completer, Handle, PromptEntry, Reading, Registry, ResourceEntry, ToolEntry, UriTemplate,
    Validation, Variables, Work,
};
use tokio::sync::Notify;

use crate::error::words;
use crate::forward;
use crate::forwarded_call::lock;
use crate::retry_timer::RetryTimer;
use crate::upstream::Upstream;

/// What one server has. Dropping it takes everything out of the lists.
pub(crate) struct Catalog {
    upstream: Arc<Upstream>,
    registry: Registry,
    tools: Mutex<Offered<Tool>>,
    resources: Mutex<Offered<Resource>>,
    templates: Mutex<Offered<ResourceTemplate>>,
    prompts: Mutex<Offered<Prompt>>,
    looks: Looks,
}

/// A list of a server. That of resources goes with their templates.
#[derive(Clone, Copy, Debug)]
pub(crate) enum List {
    Tools,
    Resources,
    Prompts,
}

/// Says which lists are to be looked at.
#[derive(Default)]
struct Looks {
    tools: Notify,
    resources: Notify,
    prompts: Notify,
}

impl Looks {
    fn at(&self, list: List) -> &Notify {
        match list {
            List::Tools => &self.tools,
            List::Resources => &self.resources,
            List::Prompts => &self.prompts,
        }
    }
}

/// The lists that could not be read, and are to be asked for again.
pub(crate) struct StaleLists {
    tools: bool,
    resources: bool,
    prompts: bool,
}

/// A list could not be read; what is known of it stays.
struct Unread {
    /// Whether it may be possible later.
    is_stale: bool,
}

/// How long a server may take for a list with all its pages.
const PATIENCE: Duration = Duration::from_secs(60);

/// The definitions that are offered, by what they are called.
type Offered<T> = BTreeMap<String, (T, Handle)>;

impl Catalog {
    /// Offers nothing yet. `registry` is that of the server that is mounted for the upstream.
    pub(crate) fn new(upstream: Arc<Upstream>, registry: Registry) -> Self {
        Self {
            upstream,
            registry,
            tools: Mutex::default(),
            resources: Mutex::default(),
            templates: Mutex::default(),
            prompts: Mutex::default(),
            looks: Looks::default(),
        }
    }

    /// Looks at everything, and says what is to be looked at again.
    pub(crate) async fn refresh(&self, client: &Client) -> StaleLists {
        StaleLists {
            tools: self.refresh_tools(client).await,
            resources: self.refresh_resources(client).await,
            prompts: self.refresh_prompts(client).await,
        }
    }

    /// Has a list looked at by whoever keeps it, soon or after the look that is under way.
    pub(crate) fn look_at(&self, list: List) {
        self.looks.at(list).notify_one();
    }

    pub(crate) fn look_at_all(&self) {
        [List::Tools, List::Resources, List::Prompts].into_iter().for_each(|list| self.look_at(list));
    }

    /// Keeps all lists, each for itself: one that hangs holds up no other.
    pub(crate) async fn keep(&self, client: &Client, stale: StaleLists) {
        tokio::join!(
            self.keep_one(List::Tools, client, stale.tools),
            self.keep_one(List::Resources, client, stale.resources),
            self.keep_one(List::Prompts, client, stale.prompts),
        );
    }

    /// Looks at a list when it is to be looked at, and again after a pause for as long as it cannot be read.
    async fn keep_one(&self, list: List, client: &Client, mut is_stale: bool) {
        let mut timer = RetryTimer::new();
        loop {
            if is_stale {
                timer.begin();
            } else {
                timer = RetryTimer::new();
            }
            tokio::select! {
                () = self.looks.at(list).notified() => {}
                () = timer.over() => {}
            }
            is_stale = match list {
                List::Tools => self.refresh_tools(client).await,
                List::Resources => self.refresh_resources(client).await,
                List::Prompts => self.refresh_prompts(client).await,
            };
            timer.tried();
        }
    }

    /// Looks at the tools; says whether they are to be looked at again.
    async fn refresh_tools(&self, client: &Client) -> bool {
        let listed = match self.listed(client.tools(), "tools").await {
            Ok(listed) => listed,
            Err(unread) => return unread.is_stale,
        };
        let (upstream, tools) = (self.upstream.clone(), self.registry.tools());
        let name = |tool: &Tool| tool.name.clone();
        update(&self.upstream.name, &mut lock(&self.tools), listed, name, |tool| {
            // With the prefix it may be too long.
            check_tool_name(&upstream.prefix.name(&tool.name)).map_err(|bad| bad.to_string())?;
            added(tools.add(tool_entry(&upstream, tool)))
        });
        false
    }

    /// Looks at the resources and their templates; says whether they are to be looked at again.
    async fn refresh_resources(&self, client: &Client) -> bool {
        let (upstream, resources, completes) = (self.upstream.clone(), self.registry.resources(), completes(client));
        let mut is_stale = false;
        match self.listed(client.resources(), "resources").await {
            Ok(listed) => {
                let uri = |resource: &Resource| resource.uri.clone();
                update(&self.upstream.name, &mut lock(&self.resources), listed, uri, |resource| {
                    added(resources.add(resource_entry(&upstream, Address::Static(resource))))
                });
            }
            Err(unread) => is_stale |= unread.is_stale,
        }
        match self.listed(client.resource_templates(), "resource templates").await {
            Ok(listed) => {
                let text = |template: &ResourceTemplate| template.uri_template.clone();
                update(&self.upstream.name, &mut lock(&self.templates), listed, text, |template| {
                    added(resources.add(template_entry(&upstream, template, completes)?))
                });
            }
            Err(unread) => is_stale |= unread.is_stale,
        }
        is_stale
    }

    /// Looks at the prompts; says whether they are to be looked at again.
    async fn refresh_prompts(&self, client: &Client) -> bool {
        let listed = match self.listed(client.prompts(), "prompts").await {
            Ok(listed) => listed,
            Err(unread) => return unread.is_stale,
        };
        let (upstream, prompts, completes) = (self.upstream.clone(), self.registry.prompts(), completes(client));
        let name = |prompt: &Prompt| prompt.name.clone();
        update(&self.upstream.name, &mut lock(&self.prompts), listed, name, |prompt| {
            added(prompts.add(prompt_entry(&upstream, prompt, completes)))
        });
        false
    }

    /// Reads a list with all its pages.
    async fn listed<T: Listed>(&self, list: Listing<T>, what: &str) -> Result<Vec<T>, Unread> {
        let (error, is_stale) = match tokio::time::timeout(PATIENCE, list.fresh().all()).await {
            Ok(Ok(items)) => return Ok(items),
            Ok(Err(error)) if error.is_not_offered() => return Ok(Vec::new()),
            // Some say that they have lists which they do not know.
            Ok(Err(error)) if error.code() == Some(code::METHOD_NOT_FOUND) => return Ok(Vec::new()),
            // A list that is too long does not become shorter by asking.
            Ok(Err(error)) => (words(&error), !error.is_limit()),
            Err(_) => ("it takes too long".to_owned(), true),
        };
        tracing::warn!(server = self.upstream.name, what, error, "a list of a server cannot be read");
        Err(Unread { is_stale })
    }
}

/// Whether the server proposes values for arguments.
fn completes(client: &Client) -> bool {
    client.server().is_some_and(|server| server.capabilities.completions.is_some())
        || client.revision().is_some_and(|revision| !revision.has_completions_capability())
}

/// Makes what is offered the same as what is listed. What is not valid is left out by itself.
fn update<T: Clone + PartialEq>(
    server: &str,
    offered: &mut Offered<T>,
    listed: Vec<T>,
    name: impl Fn(&T) -> String,
    add: impl Fn(T) -> Result<Handle, String>,
) {
    // Of two with the same name the first counts.
    let mut wanted: BTreeMap<String, T> = BTreeMap::new();
    for item in listed {
        wanted.entry(name(&item)).or_insert(item);
    }
    offered.retain(|name, (known, _)| wanted.get(name).is_some_and(|item| item == known));
    for (name, item) in wanted {
        if offered.contains_key(&name) {
            continue;
        }
        match add(item.clone()) {
            Ok(handle) => drop(offered.insert(name, (item, handle))),
            Err(error) => tracing::warn!(
                server,
                name = %name.escape_debug(),
                error = %error.escape_debug(),
                "something that a server has is left out"
            ),
        }
    }
}

fn added(outcome: Result<Handle, BuildError>) -> Result<Handle, String> {
    outcome.map_err(|error| error.to_string())
}

fn tool_entry(upstream: &Arc<Upstream>, tool: Tool) -> ToolEntry {
    let (upstream, inner) = (upstream.clone(), Arc::new(tool.clone()));
    let mut definition = tool;
    // A call that the server runs as a task is followed to its end here.
    definition.execution = None;
    let mut entry = ToolEntry::new(definition, move |arguments, cx| {
        Work::later(forward::call(upstream.clone(), inner.clone(), arguments, cx))
    });
    // The server checks arguments itself, and knows better what is wrong with them.
    entry.validation = Validation::Off;
    entry
}

fn resource_entry(upstream: &Arc<Upstream>, address: Address) -> ResourceEntry {
    let upstream = upstream.clone();
    ResourceEntry::new(address, move |Reading { uri, .. }: Reading, _: Variables, cx| {
        Work::later(forward::read(upstream.clone(), uri, cx))
    })
}

fn template_entry(
    upstream: &Arc<Upstream>,
    listed: ResourceTemplate,
    completes: bool,
) -> Result<ResourceEntry, String> {
    let what = Reference::resource(&listed.uri_template);
    let template = UriTemplate::new(&listed.uri_template).map_err(|problem| problem.to_string())?;
    let variables: Vec<String> = template.variables().map(str::to_owned).collect();
    let mut entry = resource_entry(upstream, Address::Template(listed, Arc::new(template)));
    if completes {
        entry.completers = variables.into_iter().map(|name| completer(upstream, what.clone(), name)).collect();
    }
    Ok(entry)
}

fn prompt_entry(upstream: &Arc<Upstream>, prompt: Prompt, completes: bool) -> PromptEntry {
    let what = Reference::prompt(&prompt.name);
    let arguments: Vec<String> = prompt.arguments.iter().flatten().map(|argument| argument.name.clone()).collect();
    let (own, name) = (upstream.clone(), prompt.name.clone());
    let mut entry = PromptEntry::new(prompt, move |arguments: BTreeMap<String, String>, cx| {
        Work::later(forward::prompt(own.clone(), name.clone(), arguments, cx))
    });
    if completes {
        entry.completers = arguments.into_iter().map(|name| completer(upstream, what.clone(), name)).collect();
    }
    entry
}

fn completer(upstream: &Arc<Upstream>, what: Reference, argument: String) -> (String, Arc<dyn Completer>) {
    let (upstream, name) = (upstream.clone(), argument.clone());
    let completer = move |typed: String, known: BTreeMap<String, String>, cx| {
        Work::later(forward::complete(upstream.clone(), what.clone(), argument.clone(), typed, known, cx))
    };
    (name, Arc::new(completer))
}
