//! The three kinds of entries, each with its frozen view.

use std::sync::Arc;

use jackfield_protocol::{Prompt, TaskSupport, Tool};

use crate::builder::core::Core;
use crate::builder::mount::Prefix;
use crate::entries::catalog::{Catalog, Item, Kind, Shelf};
use crate::entries::prepared::{PreparedPrompt, PreparedResource, PreparedTool};
use crate::{Address, Requirements, UriTemplate};

/// The tools, frozen.
#[derive(Default)]
pub(crate) struct Tools {
    pub(crate) shelf: Shelf<Self>,
    /// Whether any has arguments that clients also send as HTTP headers.
    pub(crate) any_has_headers: bool,
    /// Whether any may run as a task.
    pub(crate) any_is_task: bool,
}

impl Kind for Tools {
    type Prepared = PreparedTool;
    type Definition = Tool;
    const WHAT: &'static str = "tools";
    const ONE: &'static str = "tool";

    fn of(core: &Core) -> &Catalog<Self> {
        &core.tools
    }

    fn requirements(prepared: &PreparedTool) -> &Requirements {
        &prepared.entry.requirements
    }

    fn name(prepared: &PreparedTool) -> String {
        prepared.entry.definition.name.clone()
    }

    fn definition(prepared: &PreparedTool) -> Tool {
        prepared.entry.definition.clone()
    }

    fn under(prefix: &Prefix, name: &str, definition: &Tool) -> (String, Tool) {
        renamed(prefix, name, definition, |definition| &mut definition.name)
    }

    fn collect(items: Vec<Arc<Item<Self>>>) -> Self {
        let any_has_headers = items.iter().any(|item| item.prepared.headers.is_some());
        let any_is_task = items.iter().any(|item| item.prepared.task != TaskSupport::Forbidden);
        Self { shelf: Shelf::new(items), any_has_headers, any_is_task }
    }

    fn items(&self) -> Vec<Arc<Item<Self>>> {
        self.shelf.items.clone()
    }
}

/// The prompts, frozen.
#[derive(Default)]
pub(crate) struct Prompts {
    pub(crate) shelf: Shelf<Self>,
}

impl Kind for Prompts {
    type Prepared = PreparedPrompt;
    type Definition = Prompt;
    const WHAT: &'static str = "prompts";
    const ONE: &'static str = "prompt";

    fn of(core: &Core) -> &Catalog<Self> {
        &core.prompts
    }

    fn requirements(prepared: &PreparedPrompt) -> &Requirements {
        &prepared.entry.requirements
    }

    fn name(prepared: &PreparedPrompt) -> String {
        prepared.entry.definition.name.clone()
    }

    fn definition(prepared: &PreparedPrompt) -> Prompt {
        prepared.entry.definition.clone()
    }

    fn under(prefix: &Prefix, name: &str, definition: &Prompt) -> (String, Prompt) {
        renamed(prefix, name, definition, |definition| &mut definition.name)
    }

    fn collect(items: Vec<Arc<Item<Self>>>) -> Self {
        Self { shelf: Shelf::new(items) }
    }

    fn items(&self) -> Vec<Arc<Item<Self>>> {
        self.shelf.items.clone()
    }
}

/// What a definition becomes under a prefix if its name is all that tells where it stands.
fn renamed<D: Clone>(
    prefix: &Prefix,
    name: &str,
    definition: &D,
    place: impl FnOnce(&mut D) -> &mut String,
) -> (String, D) {
    let (name, mut definition) = (prefix.name(name), definition.clone());
    place(&mut definition).clone_from(&name);
    (name, definition)
}

/// The resources and templates, frozen.
#[derive(Default)]
pub(crate) struct Resources {
    pub(crate) fixed: Shelf<Self>,
    pub(crate) templates: Shelf<Self>,
    /// Those of each that stand in the lists.
    pub(crate) listed: Vec<Arc<Item<Self>>>,
    pub(crate) listed_templates: Vec<Arc<Item<Self>>>,
    /// The templates, the most specific first.
    ranked: Vec<Arc<Item<Self>>>,
}

impl Resources {
    /// Finds what reads a URI: a resource of its own before templates, a specific template before a general one.
    pub(crate) fn resolve(&self, uri: &str) -> Option<(&Arc<Item<Self>>, crate::Variables)> {
        if let Some(item) = self.fixed.find(uri) {
            return Some((item, crate::Variables::default()));
        }
        self.ranked.iter().find_map(|item| match &item.definition {
            Address::Template(_, template) => template.matches(uri).map(|variables| (item, variables)),
            Address::Static(_) => None,
        })
    }
}

impl Kind for Resources {
    type Prepared = PreparedResource;
    type Definition = Address;
    const WHAT: &'static str = "resources";
    const ONE: &'static str = "resource";

    fn of(core: &Core) -> &Catalog<Self> {
        &core.resources
    }

    fn requirements(prepared: &PreparedResource) -> &Requirements {
        &prepared.entry.requirements
    }

    fn name(prepared: &PreparedResource) -> String {
        match &prepared.entry.address {
            Address::Static(resource) => resource.uri.clone(),
            Address::Template(template, _) => template.uri_template.clone(),
        }
    }

    fn definition(prepared: &PreparedResource) -> Address {
        prepared.entry.address.clone()
    }

    fn under(prefix: &Prefix, name: &str, definition: &Address) -> (String, Address) {
        let uri = prefix.uri(name);
        let address = match definition.clone() {
            Address::Static(mut resource) => {
                resource.uri.clone_from(&uri);
                Address::Static(resource)
            }
            Address::Template(mut listed, template) => {
                listed.uri_template.clone_from(&uri);
                // A prefix cannot spoil a template; if it did, the inner one would simply match nothing out here.
                Address::Template(listed, UriTemplate::new(&uri).map_or(template, Arc::new))
            }
        };
        (uri, address)
    }

    fn collect(items: Vec<Arc<Item<Self>>>) -> Self {
        let (fixed, templates): (Vec<_>, Vec<_>) =
            items.into_iter().partition(|item| matches!(item.definition, Address::Static(_)));
        let mut ranked = templates.clone();
        ranked.sort_by_key(|item| match &item.definition {
            Address::Template(_, template) => std::cmp::Reverse(template.specificity()),
            Address::Static(_) => std::cmp::Reverse(Default::default()),
        });
        let listed =
            |items: &[Arc<Item<Self>>]| items.iter().filter(|item| item.prepared.entry.listed).cloned().collect();
        Self {
            listed: listed(&fixed),
            listed_templates: listed(&templates),
            fixed: Shelf::new(fixed),
            templates: Shelf::new(templates),
            ranked,
        }
    }

    fn items(&self) -> Vec<Arc<Item<Self>>> {
        let mut items: Vec<_> = self.fixed.items.iter().chain(&self.templates.items).cloned().collect();
        items.sort_by_key(|item| item.place);
        items
    }
}
