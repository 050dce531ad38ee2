//! A server that has been checked and can serve.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};

use jackfield_peer::tape::Tape;
use jackfield_peer::{Answering, Handler, Incoming, Limits, Reply, Session, Shutdown};
use jackfield_protocol::{AnyResult, ErrorObject, Implementation, Outcome, ParamHeader, Revision, adapt};
use jackfield_store::Stores;
use tower_service::Service;

use crate::catalog::Kind;
use crate::core::Core;
use crate::hooks::Boxed;
use crate::lifespan::{Lifespan, Open, StartError};
use crate::lists::Lists;
use crate::middleware::boxed;
use crate::rates::Limiter;
use crate::router::Router;
use crate::settings::Settings;
use crate::tasks::{TaskRuntime, Workers};
use crate::{BuildError, Package};

/// A server that has been checked and can serve: a [`Handler`] and a `tower` service. Clones are handles of the same one.
#[derive(Clone)]
pub struct BuiltServer {
    shared: Arc<Shared>,
}

struct Shared {
    router: Arc<Router>,
    /// The router, or the middleware around it.
    entrance: Option<Arc<dyn Handler>>,
    lifespans: Vec<(Arc<Core>, Lifespan)>,
    open: Open,
    limits: Limits,
    stores: Option<Stores>,
    tape: Option<Tape>,
}

impl BuiltServer {
    pub(crate) fn new(core: &Arc<Core>) -> Result<Self, BuildError> {
        let problems = problems(core, None);
        if !problems.is_empty() {
            return Err(BuildError::new(problems));
        }
        let settings = core.settings();
        core.logging.store(settings.logging, Ordering::Relaxed);
        core.set_log_rate(settings.limits.log_messages);
        let router = Arc::new(router(core, &settings));
        let (wraps, limits) = (settings.wraps.clone(), settings.limits.clone());
        let (stores, tape) = (settings.stores.clone(), settings.tape.clone());
        // Layers are the user's code, which may use the server.
        drop(settings);
        let inner: Arc<dyn Handler> = router.clone();
        let entrance = (!wraps.is_empty()).then(|| wraps.iter().rev().fold(inner, |handler, wrap| wrap(handler)));
        let lifespans = lifespans(core);
        let open = Open::default();
        Ok(Self { shared: Arc::new(Shared { router, entrance, lifespans, open, limits, stores, tape }) })
    }

    /// Opens what lifespans open, in the order in which they were added; those of mounted servers first. If one fails, those
    /// that are open are closed again. A server whose [stores](crate::Server::store) others share begins to hear of them.
    ///
    /// # Errors
    /// One of them could not be opened, or the stores are not available.
    pub async fn start(&self) -> Result<(), StartError> {
        if let Some(stores) = self.shared.stores.as_ref().filter(|stores| stores.is_shared()) {
            let router = &self.shared.router;
            crate::shared::start(&router.core, &router.info.name, stores).await?;
        }
        for (core, lifespan) in &self.shared.lifespans {
            if let Err(error) = lifespan.start(&core.state, &self.shared.open).await {
                self.shared.open.close().await;
                return Err(error);
            }
        }
        Ok(())
    }

    /// Ends listen streams and tasks, and closes what lifespans opened, the newest first. Connections have to be ended before. A task that
    /// still runs fails, which can be seen where its store outlives the server.
    pub async fn stop(&self) {
        self.end_streams();
        self.shared.router.tasks.stop().await;
        self.shared.open.close().await;
    }

    /// Ends all listen streams, each with its result. Connections do that by themselves when they are told to end.
    pub fn end_streams(&self) {
        self.shared.router.stop.trigger();
    }

    /// Returns the limits for connections.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.shared.limits
    }

    /// Returns the stores, if there are any of its own.
    #[must_use]
    pub fn stores(&self) -> Option<&Stores> {
        self.shared.stores.as_ref()
    }

    /// Returns the tape that messages are recorded on, if there is one.
    #[must_use]
    pub fn tape(&self) -> Option<&Tape> {
        self.shared.tape.as_ref()
    }

    /// Returns what the server says about itself.
    #[must_use]
    pub fn info(&self) -> &Implementation {
        &self.shared.router.info
    }
}

impl Handler for BuiltServer {
    fn handle(&self, incoming: Incoming) -> Answering {
        match &self.shared.entrance {
            None => self.shared.router.handle(incoming),
            Some(entrance) => entrance.handle(incoming),
        }
    }

    fn revisions(&self) -> &[Revision] {
        self.shared.router.revisions()
    }

    fn identity(&self, revision: Revision) -> Option<&[u8]> {
        self.shared.router.identity(revision)
    }

    fn resumed(&self, session: &Arc<Session>, after: Option<u64>) {
        self.shared.router.core.hub.resume(session, after);
    }

    fn param_headers(&self, tool: &str) -> Option<Arc<[ParamHeader]>> {
        crate::tools::headers(&self.shared.router, tool)
    }
}

impl Service<Incoming> for BuiltServer {
    type Response = Outcome<AnyResult>;
    type Error = ErrorObject;
    type Future = Boxed<Reply>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), ErrorObject>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, incoming: Incoming) -> Self::Future {
        boxed(self.handle(incoming))
    }
}

/// Collects all that is wrong with a server and those mounted in it.
fn problems(core: &Core, mounted_as: Option<&str>) -> Vec<String> {
    let settings = core.settings();
    let mut problems = settings.problems.clone();
    if settings.revisions.is_empty() {
        problems.push("the server serves no revision of the protocol".to_owned());
    }
    if settings.name.is_empty() {
        problems.push("the server has no name".to_owned());
    }
    if let Some(prefix) = mounted_as
        && !settings.wraps.is_empty()
    {
        problems.push(format!("mount `{prefix}`: its middleware would not run; add it to the outer server"));
    }
    drop(settings);
    let mut twice = |what: &str, names: Vec<String>| {
        problems.extend(names.iter().map(|name| format!("there are two {what} `{name}`")));
    };
    twice("tools", core.tools.gather(core).1);
    twice("prompts", core.prompts.gather(core).1);
    twice("resources", core.resources.gather(core).1);
    for item in core.tools.view(core).items() {
        if let Err(bad) = jackfield_protocol::check_tool_name(&item.name) {
            problems.push(format!("tool `{}`: {bad}", item.name));
        }
    }
    for mount in core.mounts() {
        let inner = self::problems(&mount.core, Some(mount.prefix.as_str()));
        problems.extend(inner.into_iter().map(|problem| format!("in `{}`: {problem}", mount.prefix.as_str())));
    }
    problems
}

fn lifespans(core: &Arc<Core>) -> Vec<(Arc<Core>, Lifespan)> {
    let mut all: Vec<_> = core.mounts().iter().flat_map(|mount| lifespans(&mount.core)).collect();
    all.extend(core.settings().lifespans.iter().map(|lifespan| (core.clone(), lifespan.clone())));
    all
}

fn router(core: &Arc<Core>, settings: &Settings) -> Router {
    let info = info(settings);
    let identity = Revision::ALL.map(|revision| {
        let mut info = info.clone();
        adapt(&mut info, revision);
        serde_json::to_vec(&info).ok().filter(|_| settings.names_itself)
    });
    let workers = Arc::new(Workers::default());
    let (stop, stopping) = Shutdown::new();
    let tasks = settings.tasks.clone().unwrap_or_default();
    let shared = settings.stores.as_ref().map(|stores| stores.tasks().clone());
    let store = tasks.store.clone().or(shared).unwrap_or_else(|| core.default_tasks.get());
    let mut cache = settings.cache.clone();
    cache.fill(settings.visible.is_some());
    Router {
        core: core.clone(),
        info,
        identity,
        instructions: settings.instructions.clone(),
        revisions: settings.revisions.clone(),
        page_size: settings.page_size,
        cache,
        logging: settings.logging,
        check_output: settings.check_output,
        listen_streams: settings.listen_streams,
        stop,
        stopping,
        extensions: settings.extensions.clone(),
        experimental: settings.experimental.clone(),
        methods: settings
            .methods
            .iter()
            .map(|(name, method)| (name.clone(), method.clone()))
            .collect::<HashMap<_, _>>(),
        hooks: settings.hooks.clone(),
        tool_calls: Limiter::new(settings.limits.tool_calls),
        completions: Limiter::new(settings.limits.completions),
        visible: settings.visible.clone(),
        lists: Lists::default(),
        tasks: Arc::new(TaskRuntime::new(tasks, store, &workers)),
        declares_tasks: settings.tasks.is_some(),
        _workers: workers,
    }
}

fn info(settings: &Settings) -> Implementation {
    let package = settings.package.unwrap_or(Package::new("", "", "", ""));
    let from_package = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let version =
        settings.version.clone().or_else(|| from_package(package.version)).unwrap_or_else(|| "0.0.0".to_owned());
    let mut info = Implementation::new(settings.name.clone(), version);
    info.title.clone_from(&settings.title);
    info.description = settings.description.clone().or_else(|| from_package(package.description));
    info.website_url = settings.website.clone().or_else(|| from_package(package.homepage));
    info.icons.clone_from(&settings.icons);
    info
}

impl fmt::Debug for BuiltServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BuiltServer").field("info", self.info()).finish_non_exhaustive()
    }
}
