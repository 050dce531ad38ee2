//! A server that has been checked, and can be started.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use jackfield_peer::{CallLimits, Handler, Shutdown};
use jackfield_protocol::{Implementation, Revision, adapt};
use jackfield_store::{MemoryTasks, Stores};

use crate::builder::assembly::Assembly;
use crate::builder::core::Core;
use crate::builder::lifespan::{Open, StartError};
use crate::builder::running::Setup;
use crate::builder::settings::Settings;
use crate::callers::rates::Limiter;
use crate::entries::lists::Lists;
use crate::routing::router::Router;
use crate::tasks::{TaskRuntime, Workers};
use crate::{BuildError, Package, Registry, RunningServer, Server};

/// A server that has been checked. It serves when it is [started](Self::start).
#[must_use = "it serves nothing until it is started"]
pub struct BuiltServer {
    assembly: Assembly,
    setup: Setup,
}

impl BuiltServer {
    pub(crate) fn new(server: Server) -> Result<Self, BuildError> {
        let mut assembly = Assembly::default();
        let (core, mut settings) = assembly.add(server);
        let problems = std::mem::take(&mut assembly.problems);
        if !problems.is_empty() {
            return Err(BuildError::new(problems));
        }
        let wraps = std::mem::take(&mut settings.wraps);
        let (limits, stream_limits) = (settings.limits.clone(), settings.stream_limits.clone());
        let (stores, tape) = (settings.stores.clone(), settings.tape.take());
        let router = Arc::new(router(core, settings, &limits, stores.as_ref()));
        let inner: Arc<dyn Handler> = router.clone();
        let entrance = (!wraps.is_empty()).then(|| wraps.into_iter().rev().fold(inner, |handler, wrap| wrap(handler)));
        Ok(Self { assembly, setup: Setup { router, entrance, limits, stream_limits, stores, tape } })
    }

    /// Opens what lifespans open, in the order in which they were added; those of mounted servers first. If one fails, those
    /// that are open are closed again. A server whose [stores](crate::Server::store) others share begins to hear of them.
    ///
    /// # Errors
    /// One of them could not be opened, or the stores are not available.
    ///
    /// # Cancellation
    /// What has been opened is dropped without being closed.
    pub async fn start(self) -> Result<RunningServer, StartError> {
        let started = self.start_unless(std::future::pending()).await?;
        started.ok_or_else(|| StartError::new("it was cancelled".to_owned()))
    }

    /// Starts, unless it is cancelled meanwhile: then what has been opened is closed again.
    pub(crate) async fn start_unless(
        self,
        cancelled: impl Future<Output = ()>,
    ) -> Result<Option<RunningServer>, StartError> {
        let Self { assembly, setup } = self;
        let open = Open::default();
        let opening = async {
            if let Some(stores) = setup.stores.as_ref().filter(|stores| stores.is_shared()) {
                crate::shared::start(&setup.router.core, &setup.router.info.name, stores).await?;
            }
            assembly.open(&open).await
        };
        let opened = tokio::select! {
            opened = opening => opened.map(|()| true),
            () = cancelled => Ok(false),
        };
        match opened {
            Ok(true) => Ok(Some(RunningServer::new(setup, open))),
            Ok(false) => {
                open.close().await;
                Ok(None)
            }
            Err(error) => {
                open.close().await;
                Err(error)
            }
        }
    }

    /// Returns what adds and removes tools, resources and prompts at any time.
    #[must_use]
    pub fn registry(&self) -> Registry {
        Registry::new(&self.setup.router.core)
    }

    /// Returns what the server says about itself.
    #[must_use]
    pub fn info(&self) -> &Implementation {
        &self.setup.router.info
    }
}

fn router(core: Arc<Core>, settings: Settings, limits: &CallLimits, stores: Option<&Stores>) -> Router {
    let info = info(&settings);
    let identity = Revision::ALL.map(|revision| {
        let mut info = info.clone();
        adapt(&mut info, revision);
        serde_json::to_vec(&info).ok().filter(|_| settings.include_server_info)
    });
    let workers = Arc::new(Workers::default());
    let (stop, stopping) = Shutdown::new();
    let declares_tasks = settings.tasks.is_some();
    let tasks = settings.tasks.unwrap_or_default();
    let shared = stores.map(|stores| stores.tasks().clone());
    let store = tasks.store.clone().or(shared).unwrap_or_else(|| Arc::new(MemoryTasks::default()));
    let mut cache = settings.cache;
    cache.fill(settings.visible_to.is_some());
    Router {
        core,
        info,
        identity,
        instructions: settings.instructions,
        revisions: settings.revisions,
        page_size: settings.page_size,
        cache,
        logging: settings.logging,
        check_output: settings.check_output,
        listen_streams: limits.listen_streams,
        stop,
        stopping,
        extensions: settings.extensions,
        experimental: settings.experimental,
        methods: settings.methods.into_iter().collect::<HashMap<_, _>>(),
        hooks: settings.hooks,
        tool_calls: Limiter::new(limits.tool_calls),
        completions: Limiter::new(limits.completions),
        visible_to: settings.visible_to,
        lists: Lists::default(),
        tasks: Arc::new(TaskRuntime::new(tasks, store, &workers)),
        declares_tasks,
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
