//! The server a user builds.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use jackfield_peer::tape::Tape;
use jackfield_peer::{CallLimits, Caller, Incoming, Reply, StreamLimits};
use jackfield_protocol::{
    AnyResult, ErrorObject, Icon, JsonObject, Outcome, ReadResourceResult, Revision, check_tool_name,
    meta::check_extension_id,
};
use jackfield_store::Stores;
use tower_layer::Layer;
use tower_service::Service;

use crate::builder::core::Core;
use crate::builder::lifespan::Lifespan;
use crate::builder::mount::Prefix;
use crate::builder::settings::{CacheHint, Cached, Item, ResourcePage, Settings};
use crate::builder::state::StateType;
use crate::entries::prepared::{PreparedPrompt, PreparedResource, PreparedTool};
use crate::routing::hooks::{by_uri, notice};
use crate::routing::middleware::{self, Next, Route};
use crate::{
    BuildError, BuiltServer, Cx, Done, HandlerFunction, IntoPrompt, IntoResource, IntoTool, Keys, Package, Parts,
    PromptGet, Registry, ResourceRead, Result, RunningServer, ServerParts, Tasks, ToolCall, prompt_fn, resource_fn,
    tool_fn,
};

/// A server that is being put together: tools, resources and prompts under one name.
///
/// It is a builder: its methods take and return it. [`build`](Self::build) checks it, [`start`](Self::start) makes it a server that serves,
/// and [`run`](Self::run) does all of that and serves the standard streams. Tools, resources and prompts come and go at any time through
/// its [`registry`](Self::registry); everything else is fixed when it is built.
#[must_use = "it serves nothing until it is run or started"]
pub struct Server {
    pub(crate) core: Arc<Core>,
    pub(crate) settings: Settings,
    pub(crate) mounts: Vec<(Prefix, Self)>,
}

impl Server {
    /// Makes a server without anything in it.
    pub fn new(name: impl Into<String>) -> Self {
        Self { core: Arc::default(), settings: Settings::new(name.into()), mounts: Vec::new() }
    }

    /// Makes a server of an impl block with `#[server]`.
    pub fn of(parts: impl ServerParts) -> Self {
        let parts = parts.into_parts();
        let package_name = parts.package.map(|package| package.name);
        Self::new(parts.name.or(package_name).unwrap_or("server")).add_parts(parts)
    }

    /// Adds a tool.
    pub fn tool(mut self, tool: impl IntoTool) -> Self {
        let entry = tool.into_tool();
        self.remember_package(entry.package);
        let added = PreparedTool::new(entry).and_then(|prepared| self.core.tools.insert(&self.core, prepared));
        self.note(added.err())
    }

    /// Adds a function or closure as a tool: [`tool_fn`].
    pub fn tool_fn<M>(self, name: impl Into<String>, handler: impl HandlerFunction<ToolCall, M>) -> Self {
        self.tool(tool_fn(name, handler))
    }

    /// Adds tools: functions named in `tools![…]`, or entries.
    pub fn tools(self, tools: impl IntoIterator<Item = impl IntoTool>) -> Self {
        tools.into_iter().fold(self, Self::tool)
    }

    /// Adds a resource or a template of resources.
    pub fn resource(mut self, resource: impl IntoResource) -> Self {
        let entry = resource.into_resource();
        self.remember_package(entry.package);
        let added = PreparedResource::new(entry).and_then(|prepared| self.core.resources.insert(&self.core, prepared));
        self.note(added.err())
    }

    /// Adds a function or closure as a resource or a template of resources: [`resource_fn`].
    pub fn resource_fn<M>(self, uri: impl Into<String>, handler: impl HandlerFunction<ResourceRead, M>) -> Self {
        self.resource(resource_fn(uri, handler))
    }

    /// Adds resources and templates: functions named in `resources![…]`, or entries.
    pub fn resources(self, resources: impl IntoIterator<Item = impl IntoResource>) -> Self {
        resources.into_iter().fold(self, Self::resource)
    }

    /// Adds a prompt.
    pub fn prompt(mut self, prompt: impl IntoPrompt) -> Self {
        let entry = prompt.into_prompt();
        self.remember_package(entry.package);
        let added = PreparedPrompt::new(entry).and_then(|prepared| self.core.prompts.insert(&self.core, prepared));
        self.note(added.err())
    }

    /// Adds a function or closure as a prompt: [`prompt_fn`].
    pub fn prompt_fn<M>(self, name: impl Into<String>, handler: impl HandlerFunction<PromptGet, M>) -> Self {
        self.prompt(prompt_fn(name, handler))
    }

    /// Adds prompts: functions named in `prompts![…]`, or entries.
    pub fn prompts(self, prompts: impl IntoIterator<Item = impl IntoPrompt>) -> Self {
        prompts.into_iter().fold(self, Self::prompt)
    }

    /// Adds all tools, resources and prompts of an impl block with `#[server]`.
    pub fn with(self, parts: impl ServerParts) -> Self {
        self.add_parts(parts.into_parts())
    }

    fn add_parts(mut self, parts: Parts) -> Self {
        self.remember_package(parts.package);
        if let Some(instructions) = parts.instructions {
            self.settings.instructions.get_or_insert_with(|| instructions.to_owned());
        }
        self.tools(parts.tools).resources(parts.resources).prompts(parts.prompts)
    }

    /// Adds all of another server under a prefix: its tool `add` becomes `prefix_add`, its prompts likewise, its resource
    /// `note://7` becomes `note://prefix/7` and `file:///a` becomes `file:///prefix/a`. What comes and goes in it comes and goes
    /// here; its handlers see its own state before that of this server. A [`Prefix`] may say what separates it from names.
    ///
    /// Of its settings, state, lifespans, [`visible_to`](Self::visible_to) and, for its own handlers, [`resource_read`](Self::resource_read)
    /// hold. What it says about itself is not shown. Any other setting would have no effect, and is an error when this server is built.
    pub fn mount(mut self, prefix: impl Into<Prefix>, server: Self) -> Self {
        let prefix = prefix.into();
        if let Err(bad) = check_tool_name(prefix.as_str()) {
            let problem = format!("mount `{}`: the prefix becomes part of tool names, and {bad}", prefix.as_str());
            self.settings.problems.push(problem);
        }
        self.mounts.push((prefix, server));
        self
    }

    /// Returns what adds and removes tools, resources and prompts at any time, also while the server runs.
    #[must_use]
    pub fn registry(&self) -> Registry {
        Registry::new(&self.core)
    }

    /// Checks everything. What comes of it serves when it is [started](BuiltServer::start).
    ///
    /// # Errors
    /// All that is wrong: names that stand twice or are not allowed, schemas and templates that are not valid, state that a handler takes and
    /// nobody provides, settings of a mounted server that have no effect there.
    pub fn build(self) -> Result<BuiltServer, BuildError> {
        BuiltServer::new(self)
    }

    /// Builds and starts the server, so that it can be served by any transport.
    ///
    /// # Errors
    /// The server cannot be built or started.
    ///
    /// # Cancellation
    /// What lifespans opened is dropped without being closed.
    pub async fn start(self) -> Result<RunningServer> {
        Ok(self.build()?.start().await?)
    }

    fn set(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.settings);
        self
    }

    pub(crate) fn note(self, error: Option<BuildError>) -> Self {
        self.set(|settings| settings.problems.extend(error.into_iter().flat_map(BuildError::into_problems)))
    }

    /// The version of a server is that of the crate it was written in: that of its first tool, resource or prompt.
    fn remember_package(&mut self, package: Option<Package>) {
        self.settings.package = self.settings.package.or(package);
    }
}

/// What the server says about itself.
impl Server {
    /// Sets the version; otherwise it is that of the crate that the first tool, resource or prompt was written in.
    pub fn version(self, version: impl Into<String>) -> Self {
        self.set(|settings| settings.version = Some(version.into()))
    }

    /// Sets the name for people.
    pub fn title(self, title: impl Into<String>) -> Self {
        self.set(|settings| settings.title = Some(title.into()))
    }

    /// Sets what the server is.
    pub fn description(self, description: impl Into<String>) -> Self {
        self.set(|settings| settings.description = Some(description.into()))
    }

    /// Sets the home page.
    pub fn website(self, url: impl Into<String>) -> Self {
        self.set(|settings| settings.website = Some(url.into()))
    }

    /// Sets images for user interfaces.
    pub fn icons(self, icons: impl Into<Vec<Icon>>) -> Self {
        self.set(|settings| settings.icons = Some(icons.into()))
    }

    /// Sets what a model should know about using the server.
    pub fn instructions(self, instructions: impl Into<String>) -> Self {
        self.set(|settings| settings.instructions = Some(instructions.into()))
    }

    /// Whether results say which server they come from, as they should since 2026-07-28; they do by default.
    pub fn include_server_info(self, yes: bool) -> Self {
        self.set(|settings| settings.include_server_info = yes)
    }

    /// Declares an extension, with its settings.
    pub fn extension(self, id: &str, details: JsonObject) -> Self {
        let problem = check_extension_id(id).err().map(|bad| format!("extension `{id}`: {bad}"));
        self.set(|settings| {
            settings.problems.extend(problem);
            settings.extensions.insert(id.to_owned(), details);
        })
    }

    /// Declares a feature outside the specification, with its settings.
    pub fn experimental(self, name: &str, details: JsonObject) -> Self {
        self.set(|settings| drop(settings.experimental.insert(name.to_owned(), details)))
    }

    /// Whether handlers may send log messages to clients; they may by default.
    pub fn logging(self, yes: bool) -> Self {
        self.set(|settings| settings.logging = yes)
    }

    /// Serves only some revisions of the protocol.
    pub fn revisions(self, revisions: impl IntoIterator<Item = Revision>) -> Self {
        let mut revisions: Vec<_> = revisions.into_iter().collect();
        revisions.sort_unstable();
        revisions.dedup();
        self.set(|settings| settings.revisions = revisions)
    }
}

/// How the server works.
impl Server {
    /// Adds state that handlers find by its type; one value for each type.
    pub fn state<T: Send + Sync + 'static>(self, state: T) -> Self {
        self.set(|settings| settings.state.push((StateType::of::<T>(), Arc::new(state))))
    }

    /// Opens something before the server serves, and closes it afterwards. Handlers find it as state.
    pub fn lifespan<T, Start, StartFuture, Stop, StopFuture>(self, start: Start, stop: Stop) -> Self
    where
        T: Send + Sync + 'static,
        Start: FnOnce() -> StartFuture + Send + 'static,
        StartFuture: Future<Output = T> + Send + 'static,
        Stop: FnOnce(Arc<T>) -> StopFuture + Send + 'static,
        StopFuture: Future<Output = ()> + Send + 'static,
    {
        self.try_lifespan(
            move || {
                let opening = start();
                async move { Ok::<T, std::convert::Infallible>(opening.await) }
            },
            stop,
        )
    }

    /// Opens something that may fail before the server serves, and closes it afterwards.
    pub fn try_lifespan<T, E, Start, StartFuture, Stop, StopFuture>(self, start: Start, stop: Stop) -> Self
    where
        T: Send + Sync + 'static,
        E: fmt::Display,
        Start: FnOnce() -> StartFuture + Send + 'static,
        StartFuture: Future<Output = Result<T, E>> + Send + 'static,
        Stop: FnOnce(Arc<T>) -> StopFuture + Send + 'static,
        StopFuture: Future<Output = ()> + Send + 'static,
    {
        self.set(|settings| settings.lifespans.push(Lifespan::new(start, stop)))
    }

    /// Adds middleware: a function that gets each request, and goes on with `next.run(incoming)`. What is added first comes
    /// first.
    ///
    /// ```
    /// # use jackfield_server::{Server, Next};
    /// # use jackfield_peer::{Incoming, Reply};
    /// async fn count(incoming: Incoming, next: Next) -> Reply {
    ///     tracing::info!(method = incoming.method.as_str());
    ///     next.run(incoming).await
    /// }
    /// let server = Server::new("counted").middleware(count);
    /// ```
    pub fn middleware<F, R>(self, middleware: F) -> Self
    where
        F: Fn(Incoming, Next) -> R + Send + Sync + 'static,
        R: Future<Output = Reply> + Send + 'static,
    {
        self.set(|settings| settings.wraps.push(middleware::function(middleware)))
    }

    /// Adds a `tower` layer. What is added first comes first.
    pub fn layer<L>(self, layer: L) -> Self
    where
        L: Layer<Route> + Send + 'static,
        L::Service: Service<Incoming, Response = Outcome<AnyResult>, Error = ErrorObject> + Clone + Send + 'static,
        <L::Service as Service<Incoming>>::Future: Send,
    {
        self.set(|settings| settings.wraps.push(middleware::tower(layer)))
    }

    /// Answers a method oneself: one outside the specification, or one of it instead of the framework.
    pub fn method<F, R>(self, name: &str, handler: F) -> Self
    where
        F: Fn(Incoming) -> R + Send + Sync + 'static,
        R: Future<Output = Reply> + Send + 'static,
    {
        self.set(|settings| drop(settings.methods.insert(name.to_owned(), Arc::new(handler))))
    }

    /// Sets who sees what: what a caller may not see is neither listed nor found. If this is called more than once, an item must pass
    /// every predicate.
    pub fn visible_to(self, predicate: impl Fn(&Caller, Item<'_>) -> bool + Send + Sync + 'static) -> Self {
        self.set(|settings| {
            settings.visible_to = Some(match settings.visible_to.take() {
                None => Arc::new(predicate),
                Some(before) => Arc::new(move |caller, item| before(caller, item) && predicate(caller, item)),
            });
        })
    }

    /// Sets the limits of calls. They hold over every transport: the standard streams, HTTP in both eras, and any other stream.
    pub fn limits(self, limits: CallLimits) -> Self {
        self.set(|settings| settings.limits = limits)
    }

    /// Sets the limits of the standard streams and of other streams of bytes. Those of HTTP connections stand in the configuration of HTTP.
    pub fn stream_limits(self, limits: StreamLimits) -> Self {
        self.set(|settings| settings.stream_limits = limits)
    }

    /// Sets how many items a page of a list has; 100 by default.
    pub fn page_size(self, items: usize) -> Self {
        self.set(|settings| settings.page_size = items.max(1))
    }

    /// Sets how long results stay fresh, and who may share them. By default nothing stays fresh; lists are public unless
    /// [`visible_to`](Self::visible_to) is set, contents are private.
    pub fn cache(self, what: Cached, hint: CacheHint) -> Self {
        self.set(|settings| settings.cache.set(what, hint))
    }

    /// Whether structured output is checked against the tool's schema before it is sent; one that breaks it is an error. By default it is
    /// where the schema was written by hand or for another type than the tool returns; where it was made from the returned type, in debug
    /// builds.
    ///
    /// Checks run in place. By default a result that may take more than a million steps, about one for each byte and each way through the
    /// schema, is sent unchecked, and the log says so. With `true` it is checked all the same, and one of more than a thousand million steps
    /// is an error.
    pub fn check_output(self, yes: bool) -> Self {
        self.set(|settings| settings.check_output = Some(yes))
    }

    /// Sets how tasks are kept and run, and lets every tool [become one](Cx::become_task). A server that has tools with `#[tool(task)]` need
    /// not call this.
    pub fn tasks(self, tasks: Tasks) -> Self {
        self.set(|settings| settings.tasks = Some(tasks))
    }

    /// Keeps what outlives a request in stores: tasks, and over HTTP the sessions of the legacy era with the events of their streams.
    ///
    /// Processes that share stores are one server: a request may come to any of them. Each serves the same tools, resources and prompts
    /// under the same name. Changes that one of them tells of, such as a tool that came, are told to the clients of all.
    pub fn store(self, stores: Stores) -> Self {
        self.set(|settings| settings.stores = Some(stores))
    }

    /// Records every message in both directions, over every transport. Secrets are redacted (best effort), and headers are never recorded.
    pub fn tape(self, tape: Tape) -> Self {
        self.set(|settings| settings.tape = Some(tape))
    }

    /// Shares the keys for questions and cursors with other nodes.
    pub fn keys(self, keys: Keys) -> Self {
        self.set(|settings| settings.keys = Some(keys))
    }

    /// Sets how long a client of the modern era may take to answer a question; ten minutes by default.
    pub fn question_life(self, life: Duration) -> Self {
        self.set(|settings| settings.question_life = life)
    }

    /// Makes the state of a question usable only once: `first_use` gets each state that comes back, and says whether it is new.
    pub fn single_use<F, R>(self, first_use: F) -> Self
    where
        F: Fn(String) -> R + Send + Sync + 'static,
        R: Future<Output = bool> + Send + 'static,
    {
        self.set(|settings| settings.hooks.single_use = Some(Arc::new(move |state| Box::pin(first_use(state)))))
    }
}

/// What the server does besides answering.
impl Server {
    /// Runs when a legacy client says that it is ready.
    pub fn on_initialized<F>(self, hook: impl Fn(Cx) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.set(|settings| settings.hooks.initialized.push(notice(hook)))
    }

    /// Runs when a legacy client says that its roots changed.
    pub fn on_roots_changed<F>(self, hook: impl Fn(Cx) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.set(|settings| settings.hooks.roots_changed.push(notice(hook)))
    }

    /// Runs when a client subscribes to a resource; an error refuses it. A session that subscribes again to the same
    /// resource is not asked about.
    pub fn on_subscribe<F>(self, hook: impl Fn(String, Cx) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<(), ErrorObject>> + Send + 'static,
    {
        self.set(|settings| settings.hooks.subscribe.push(by_uri(hook)))
    }

    /// Runs when a client no longer subscribes to a resource: because it says so, because its session, its stream or its connection ends, or
    /// because a later hook refused the subscription. For the last, the first hook of this kind belongs to the first of the other, and so
    /// on. The context of a session that has ended has a session of the same owner, by which nothing can be sent.
    ///
    /// Where several nodes serve a session, the hooks run at the node where it subscribed, once for each time that
    /// [those of the other kind](Self::on_subscribe) did: at once if that node is told of the end, and if another is, when the session next
    /// subscribes to anything there, or ends.
    pub fn on_unsubscribe<F>(self, hook: impl Fn(String, Cx) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<(), ErrorObject>> + Send + 'static,
    {
        self.set(|settings| settings.hooks.unsubscribe.push(by_uri(hook)))
    }

    /// Lists resources that are not registered, after those that are. The hook gets the `next` of its page before.
    pub fn resource_list<F>(self, hook: impl Fn(Cx, Option<String>) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<ResourcePage, ErrorObject>> + Send + 'static,
    {
        self.core.resources.announce();
        self.set(|settings| settings.hooks.list = Some(Arc::new(move |cx, cursor| Box::pin(hook(cx, cursor)))))
    }

    /// Reads resources that are not registered; `None` says that there is none of that URI.
    pub fn resource_read<F>(self, hook: impl Fn(String, Cx) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Option<Done<ReadResourceResult>>> + Send + 'static,
    {
        self.core.resources.announce();
        self.set(|settings| settings.hooks.read = Some(Arc::new(move |uri, cx| Box::pin(hook(uri, cx)))))
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("name", &self.settings.name).finish_non_exhaustive()
    }
}
