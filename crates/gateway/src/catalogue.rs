//! What a server has, as the gateway offers it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jackfield_client::{Client, Error, Listed, Listing};
use jackfield_protocol::error::code;
use jackfield_protocol::{Prompt, Reference, Resource, ResourceTemplate, Tool, check_tool_name};
use jackfield_server::{
    Address, BuildError, Completer, Handle, PromptEntry, ResourceEntry, Server, ToolEntry, UriTemplate, Validation,
    Variables, Work,
};

use crate::forward;
use crate::line::Line;
use crate::trouble::words;

/// What one server has. Dropping it takes everything out of the lists.
pub(crate) struct Catalogue {
    line: Arc<Line>,
    server: Server,
    tools: Offered<Tool>,
    resources: Offered<Resource>,
    templates: Offered<ResourceTemplate>,
    prompts: Offered<Prompt>,
    owed: Owed,
}

/// The lists that could not be read when they were looked at last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Owed {
    tools: bool,
    resources: bool,
    prompts: bool,
}

/// How long a server may take for a list with all its pages.
const PATIENCE: Duration = Duration::from_secs(60);

/// The definitions that are offered, by what they are called.
type Offered<T> = BTreeMap<String, (T, Handle)>;

impl Catalogue {
    /// Offers nothing yet. `server` is the one that is mounted for the line.
    pub(crate) fn new(line: Arc<Line>, server: Server) -> Self {
        Self {
            line,
            server,
            tools: Offered::new(),
            resources: Offered::new(),
            templates: Offered::new(),
            prompts: Offered::new(),
            owed: Owed::default(),
        }
    }

    /// Looks at everything.
    pub(crate) async fn refresh(&mut self, client: &Client) {
        self.refresh_tools(client).await;
        self.refresh_resources(client).await;
        self.refresh_prompts(client).await;
    }

    /// Whether a list could not be read, so that what is offered may be wrong.
    pub(crate) fn is_owed(&self) -> bool {
        self.owed != Owed::default()
    }

    /// Looks again at the lists that could not be read.
    pub(crate) async fn refresh_owed(&mut self, client: &Client) {
        let Owed { tools, resources, prompts } = self.owed;
        if tools {
            self.refresh_tools(client).await;
        }
        if resources {
            self.refresh_resources(client).await;
        }
        if prompts {
            self.refresh_prompts(client).await;
        }
    }

    pub(crate) async fn refresh_tools(&mut self, client: &Client) {
        let listed = self.listed(client.tools(), "tools").await;
        self.owed.tools = listed.is_none();
        let Some(listed) = listed else { return };
        let (line, tools) = (self.line.clone(), self.server.tools());
        let name = |tool: &Tool| tool.name.clone();
        update(&self.line.name, &mut self.tools, listed, name, |tool| {
            // With the prefix it may be too long.
            check_tool_name(&line.prefix.name(&tool.name)).map_err(|bad| bad.to_string())?;
            added(tools.add(tool_entry(&line, tool)))
        });
    }

    pub(crate) async fn refresh_resources(&mut self, client: &Client) {
        let (line, resources) = (self.line.clone(), self.server.resources());
        let listed = self.listed(client.resources(), "resources").await;
        self.owed.resources = listed.is_none();
        if let Some(listed) = listed {
            let uri = |resource: &Resource| resource.uri.clone();
            update(&self.line.name, &mut self.resources, listed, uri, |resource| {
                added(resources.add(resource_entry(&line, Address::Static(resource))))
            });
        }
        let completes = completes(client);
        let listed = self.listed(client.resource_templates(), "resource templates").await;
        self.owed.resources |= listed.is_none();
        if let Some(listed) = listed {
            let text = |template: &ResourceTemplate| template.uri_template.clone();
            update(&self.line.name, &mut self.templates, listed, text, |template| {
                added(resources.add(template_entry(&line, template, completes)?))
            });
        }
    }

    pub(crate) async fn refresh_prompts(&mut self, client: &Client) {
        let listed = self.listed(client.prompts(), "prompts").await;
        self.owed.prompts = listed.is_none();
        let Some(listed) = listed else { return };
        let (line, prompts, completes) = (self.line.clone(), self.server.prompts(), completes(client));
        let name = |prompt: &Prompt| prompt.name.clone();
        update(&self.line.name, &mut self.prompts, listed, name, |prompt| {
            added(prompts.add(prompt_entry(&line, prompt, completes)))
        });
    }

    /// Tells callers that a resource changed.
    pub(crate) fn updated(&self, uri: String) {
        self.server.resources().updated(uri);
    }

    /// Reads a list; `None` if it can not be read now, so that what is known stays until it can be.
    async fn listed<T: Listed>(&self, list: Listing<T>, what: &str) -> Option<Vec<T>> {
        let error = match tokio::time::timeout(PATIENCE, list.fresh().all()).await {
            Ok(Ok(items)) => return Some(items),
            Ok(Err(Error::NotOffered(_))) => return Some(Vec::new()),
            // Some say that they have lists which they do not know.
            Ok(Err(Error::Server { error, .. })) if error.code == code::METHOD_NOT_FOUND => return Some(Vec::new()),
            Ok(Err(error)) => words(&error),
            Err(_) => "it takes too long".to_owned(),
        };
        tracing::warn!(server = self.line.name, what, error, "a list of a server can not be read");
        None
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

fn tool_entry(line: &Arc<Line>, tool: Tool) -> ToolEntry {
    let (line, inner) = (line.clone(), Arc::new(tool.clone()));
    let mut definition = tool;
    // A call that the server runs as a task is followed to its end here.
    definition.execution = None;
    let mut entry = ToolEntry::new(definition, move |arguments, cx| {
        Work::later(forward::call(line.clone(), inner.clone(), arguments, cx))
    });
    // The server checks arguments itself, and knows better what is wrong with them.
    entry.validation = Validation::Off;
    entry
}

fn resource_entry(line: &Arc<Line>, address: Address) -> ResourceEntry {
    let line = line.clone();
    ResourceEntry::new(address, move |uri: String, _: Variables, cx| Work::later(forward::read(line.clone(), uri, cx)))
}

fn template_entry(line: &Arc<Line>, listed: ResourceTemplate, completes: bool) -> Result<ResourceEntry, String> {
    let what = Reference::resource(&listed.uri_template);
    let template = UriTemplate::new(&listed.uri_template).map_err(|problem| problem.to_string())?;
    let variables: Vec<String> = template.variables().map(str::to_owned).collect();
    let mut entry = resource_entry(line, Address::Template(listed, Arc::new(template)));
    if completes {
        entry.completers = variables.into_iter().map(|name| completer(line, what.clone(), name)).collect();
    }
    Ok(entry)
}

fn prompt_entry(line: &Arc<Line>, prompt: Prompt, completes: bool) -> PromptEntry {
    let what = Reference::prompt(&prompt.name);
    let arguments: Vec<String> = prompt.arguments.iter().flatten().map(|argument| argument.name.clone()).collect();
    let (own, name) = (line.clone(), prompt.name.clone());
    let mut entry = PromptEntry::new(prompt, move |arguments: BTreeMap<String, String>, cx| {
        Work::later(forward::prompt(own.clone(), name.clone(), arguments, cx))
    });
    if completes {
        entry.completers = arguments.into_iter().map(|name| completer(line, what.clone(), name)).collect();
    }
    entry
}

fn completer(line: &Arc<Line>, what: Reference, argument: String) -> (String, Arc<dyn Completer>) {
    let (line, name) = (line.clone(), argument.clone());
    let completer = move |typed: String, known: BTreeMap<String, String>, cx| {
        Work::later(forward::complete(line.clone(), what.clone(), argument.clone(), typed, known, cx))
    };
    (name, Arc::new(completer))
}
