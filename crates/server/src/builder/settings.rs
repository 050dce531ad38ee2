//! What a server is told about itself before it is built.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jackfield_peer::tape::Tape;
use jackfield_peer::{CallLimits, Caller, StreamLimits};
use jackfield_protocol::{CacheScope, Icon, Resource, Revision, Settings as NamedSettings};
use jackfield_store::Stores;

use crate::builder::lifespan::Lifespan;
use crate::builder::state::{AnyState, StateType};
use crate::questions::seal::QUESTION_LIFE;
use crate::routing::hooks::Hooks;
use crate::routing::middleware::Wrap;
use crate::routing::raw_method::RawMethod;
use crate::{Keys, Package, Tasks};

/// Everything that the builder collects. It is frozen when the server is built.
pub(crate) struct Settings {
    pub(crate) name: String,
    pub(crate) version: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) website: Option<String>,
    pub(crate) icons: Option<Vec<Icon>>,
    pub(crate) instructions: Option<String>,
    pub(crate) package: Option<Package>,
    pub(crate) limits: CallLimits,
    pub(crate) stream_limits: StreamLimits,
    pub(crate) revisions: Vec<Revision>,
    pub(crate) page_size: usize,
    pub(crate) cache: CacheHints,
    pub(crate) logging: bool,
    /// Whether output is checked; where nothing is said, it depends on where the schema comes from.
    pub(crate) check_output: Option<bool>,
    pub(crate) include_server_info: bool,
    pub(crate) extensions: NamedSettings,
    pub(crate) experimental: NamedSettings,
    pub(crate) methods: BTreeMap<String, Arc<dyn RawMethod>>,
    pub(crate) wraps: Vec<Wrap>,
    pub(crate) lifespans: Vec<Lifespan>,
    pub(crate) hooks: Hooks,
    /// How tasks are kept; that it is set says that there are some.
    pub(crate) tasks: Option<Tasks>,
    /// Where is kept what outlives a request, and other nodes share.
    pub(crate) stores: Option<Stores>,
    /// Where messages are recorded.
    pub(crate) tape: Option<Tape>,
    pub(crate) visible_to: Option<Arc<Visibility>>,
    pub(crate) state: Vec<(StateType, AnyState)>,
    /// What seals questions and cursors, if it was given.
    pub(crate) keys: Option<Keys>,
    pub(crate) question_life: Duration,
    pub(crate) problems: Vec<String>,
}

/// Decides who sees and uses what.
pub(crate) type Visibility = dyn Fn(&Caller, Item<'_>) -> bool + Send + Sync;

/// Something that a caller may or may not see; see [`Server::visible_to`](crate::Server::visible_to).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Item<'a> {
    /// A tool, by its name.
    Tool(&'a str),
    /// A prompt, by its name.
    Prompt(&'a str),
    /// A resource, by its URI.
    Resource(&'a str),
    /// A family of resources, by its template.
    Template(&'a str),
}

impl Settings {
    pub(crate) fn new(name: String) -> Self {
        Self {
            name,
            version: None,
            title: None,
            description: None,
            website: None,
            icons: None,
            instructions: None,
            package: None,
            limits: CallLimits::default(),
            stream_limits: StreamLimits::default(),
            revisions: Revision::ALL.to_vec(),
            page_size: 100,
            cache: CacheHints::default(),
            logging: true,
            check_output: None,
            include_server_info: true,
            extensions: NamedSettings::new(),
            experimental: NamedSettings::new(),
            methods: BTreeMap::new(),
            wraps: Vec::new(),
            lifespans: Vec::new(),
            hooks: Hooks::default(),
            tasks: None,
            stores: None,
            tape: None,
            visible_to: None,
            state: Vec::new(),
            keys: None,
            question_life: QUESTION_LIFE,
            problems: Vec::new(),
        }
    }

    /// Returns the types of state that handlers find.
    pub(crate) fn provided(&self) -> Vec<StateType> {
        let values = self.state.iter().map(|(kind, _)| *kind);
        values.chain(self.lifespans.iter().map(|lifespan| lifespan.state)).collect()
    }
}

/// How long results stay fresh and who may share them; sent since 2026-07-28.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CacheHints {
    pub(crate) tools: Option<CacheHint>,
    pub(crate) resources: Option<CacheHint>,
    pub(crate) templates: Option<CacheHint>,
    pub(crate) prompts: Option<CacheHint>,
    pub(crate) discover: Option<CacheHint>,
    pub(crate) skills: Option<CacheHint>,
    pub(crate) contents: Option<CacheHint>,
    pub(crate) by_uri: BTreeMap<String, CacheHint>,
}

/// How long a result stays fresh, and who may share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheHint {
    /// How long it stays fresh.
    pub ttl: Duration,
    /// Who may share it.
    pub scope: CacheScope,
}

impl CacheHint {
    /// Everyone may keep and share the result for `ttl`.
    #[must_use]
    pub fn public(ttl: Duration) -> Self {
        Self { ttl, scope: CacheScope::Public }
    }

    /// The caller may keep the result for `ttl`, for itself.
    #[must_use]
    pub fn private(ttl: Duration) -> Self {
        Self { ttl, scope: CacheScope::Private }
    }

    pub(crate) fn ttl_ms(self) -> u64 {
        u64::try_from(self.ttl.as_millis()).unwrap_or(u64::MAX)
    }
}

/// What a cache hint is for; see [`Server::cache`](crate::Server::cache).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cached {
    /// `tools/list`.
    Tools,
    /// `resources/list`.
    Resources,
    /// `resources/templates/list`.
    Templates,
    /// `prompts/list`.
    Prompts,
    /// `server/discover`.
    Discover,
    /// `skills/list` and `skills/get`.
    Skills,
    /// Every `resources/read`.
    Contents,
    /// `resources/read` of one URI, or of the resources of one template.
    Resource(String),
}

impl CacheHints {
    /// Fills in what is not set: nothing stays fresh; lists are the same for everyone unless someone sees less than others.
    pub(crate) fn fill(&mut self, filtered: bool) {
        let list = if filtered { CacheHint::private(Duration::ZERO) } else { CacheHint::public(Duration::ZERO) };
        let lists = [&mut self.tools, &mut self.resources, &mut self.templates, &mut self.prompts, &mut self.skills];
        for slot in lists.into_iter().chain([&mut self.discover]) {
            slot.get_or_insert(list);
        }
        self.contents.get_or_insert(CacheHint::private(Duration::ZERO));
    }

    pub(crate) fn set(&mut self, what: Cached, hint: CacheHint) {
        match what {
            Cached::Tools => self.tools = Some(hint),
            Cached::Resources => self.resources = Some(hint),
            Cached::Templates => self.templates = Some(hint),
            Cached::Prompts => self.prompts = Some(hint),
            Cached::Discover => self.discover = Some(hint),
            Cached::Skills => self.skills = Some(hint),
            Cached::Contents => self.contents = Some(hint),
            Cached::Resource(uri) => drop(self.by_uri.insert(uri, hint)),
        }
    }
}

/// One page of a dynamic list of resources; see [`Server::resource_list`](crate::Server::resource_list).
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ResourcePage {
    /// The resources of this page.
    pub resources: Vec<Resource>,
    /// Where the next page begins, in the hook's own words; none on the last page.
    pub next: Option<String>,
}

impl ResourcePage {
    /// Makes the last page.
    #[must_use]
    pub fn last(resources: Vec<Resource>) -> Self {
        Self { resources, next: None }
    }

    /// Says that a further page begins at `cursor`.
    #[must_use]
    pub fn with_next(mut self, cursor: impl Into<String>) -> Self {
        self.next = Some(cursor.into());
        self
    }
}
