//! From a method to what answers it.

use std::collections::HashMap;
use std::sync::Arc;

use jackfield_peer::{Answering, Caller, Handler, Incoming, Reply, SessionChange, Shutdown, ShutdownTrigger};
use jackfield_protocol::envelope::MethodName;
use jackfield_protocol::{
    AnyResult, EmptyResult, ErrorObject, Implementation, Method, Outcome, Revision, SetLevelParams, Settings,
};

use crate::builder::core::Core;
use crate::builder::settings::{CacheHints, Item as Shown, Visibility};
use crate::callers::rates::Limiter;
use crate::entries::catalog::Kind;
use crate::entries::lists::Lists;
use crate::routing::hooks::Hooks;
use crate::routing::raw_method::RawMethod;
use crate::tasks::{self, TaskRuntime, Workers};
use crate::{
    Cx, entries::lists, routing::completion, routing::lifecycle, routing::prompts, routing::resources, routing::tools,
    subscriptions::listen,
};

/// Everything that requests need, frozen when the server was built; only the registries in `core` change.
pub(crate) struct Router {
    pub(crate) core: Arc<Core>,
    pub(crate) info: Implementation,
    pub(crate) identity: [Option<Vec<u8>>; 5],
    pub(crate) instructions: Option<String>,
    pub(crate) revisions: Vec<Revision>,
    pub(crate) page_size: usize,
    pub(crate) cache: CacheHints,
    pub(crate) logging: bool,
    pub(crate) check_output: Option<bool>,
    pub(crate) listen_streams: usize,
    /// Ends the listen streams.
    pub(crate) stop: ShutdownTrigger,
    pub(crate) stopping: Shutdown,
    pub(crate) extensions: Settings,
    pub(crate) experimental: Settings,
    pub(crate) methods: HashMap<String, Arc<dyn RawMethod>>,
    pub(crate) hooks: Hooks,
    pub(crate) tool_calls: Limiter,
    pub(crate) completions: Limiter,
    pub(crate) visible_to: Option<Arc<Visibility>>,
    pub(crate) lists: Lists,
    pub(crate) tasks: Arc<TaskRuntime>,
    /// Whether tasks were set up explicitly.
    pub(crate) declares_tasks: bool,
    /// Owns the work on tasks, which ends with the server.
    pub(crate) _workers: Arc<Workers>,
}

impl Handler for Router {
    fn handle(&self, incoming: Incoming) -> Answering {
        if !self.methods.is_empty()
            && let Some(method) = self.methods.get(incoming.method.as_str())
        {
            return Answering::Later(method.answer(incoming));
        }
        match incoming.method {
            MethodName::Known(method) => self.route(method, incoming),
            MethodName::Other(ref name) => Answering::ready(self.extension(name, &incoming)),
        }
    }

    fn revisions(&self) -> &[Revision] {
        &self.revisions
    }

    fn identity(&self, revision: Revision) -> Option<&[u8]> {
        self.identity.get(revision as usize)?.as_deref()
    }
}

impl Router {
    fn route(&self, method: Method, incoming: Incoming) -> Answering {
        match method {
            Method::CallTool if self.offers(&self.core.tools) => tools::call(self, incoming),
            Method::ReadResource if self.offers(&self.core.resources) => resources::read(self, incoming),
            Method::GetPrompt if self.offers(&self.core.prompts) => prompts::get(self, incoming),
            Method::ListTools if self.offers(&self.core.tools) => Answering::ready(lists::tools(self, &incoming)),
            Method::ListResources if self.offers(&self.core.resources) => lists::resources(self, incoming),
            Method::ListResourceTemplates if self.offers(&self.core.resources) => {
                Answering::ready(lists::templates(self, &incoming))
            }
            Method::ListPrompts if self.offers(&self.core.prompts) => Answering::ready(lists::prompts(self, &incoming)),
            Method::Complete if completion::is_offered(&self.core) => completion::complete(self, incoming),
            Method::Subscribe if self.offers(&self.core.resources) => resources::subscribe(self, incoming),
            Method::Unsubscribe if self.offers(&self.core.resources) => resources::unsubscribe(self, incoming),
            Method::GetTask if self.has_tasks() => tasks::get(self, incoming),
            Method::CancelTask if self.has_tasks() => tasks::cancel(self, incoming),
            Method::UpdateTask if self.has_tasks() => tasks::update(self, incoming),
            Method::TaskResult if self.has_tasks() => tasks::result(self, incoming),
            Method::ListTasks if self.has_tasks() => tasks::list(self, incoming),
            Method::Listen => listen::listen(self, incoming),
            Method::Initialize => Answering::ready(Ok(lifecycle::initialize(self, &incoming))),
            Method::Discover => Answering::ready(Ok(lifecycle::discover(self))),
            Method::Ping => Answering::ready(empty()),
            Method::SetLevel if self.logging => set_level(&incoming),
            Method::Initialized => self.initialized(incoming),
            Method::RootsListChanged => self.run_hooks(&self.hooks.roots_changed, incoming),
            // Answers to cancelled questions and progress of them mean nothing to a server.
            Method::Cancelled | Method::Progress => Answering::ready(empty()),
            other => Answering::ready(Err(ErrorObject::method_not_found(other.name()))),
        }
    }

    /// Answers a method outside the specification.
    #[cfg(feature = "skills")]
    fn extension(&self, name: &str, incoming: &Incoming) -> Reply {
        crate::skills::route(self, name, incoming).unwrap_or_else(|| Err(ErrorObject::method_not_found(name)))
    }

    /// Answers a method outside the specification.
    #[cfg(not(feature = "skills"))]
    fn extension(&self, name: &str, _: &Incoming) -> Reply {
        Err(ErrorObject::method_not_found(name))
    }

    fn offers<K: Kind>(&self, catalog: &crate::entries::catalog::Catalog<K>) -> bool {
        catalog.is_announced(&self.core)
    }

    /// Whether some calls run as tasks.
    pub(crate) fn has_tasks(&self) -> bool {
        self.declares_tasks || self.core.tools.view(&self.core).any_is_task
    }

    pub(crate) fn cx(&self, incoming: Incoming) -> Cx {
        Cx::new(incoming, self.core.clone(), self.core.clone())
    }

    /// Whether a caller may see and use something.
    pub(crate) fn shows(&self, caller: &Caller, item: Shown<'_>) -> bool {
        self.visible_to.as_ref().is_none_or(|sees| sees(caller, item))
    }

    fn initialized(&self, incoming: Incoming) -> Answering {
        if let Some(session) = &incoming.session {
            self.core.hub.session(session);
            self.core.hub.wake();
        }
        self.run_hooks(&self.hooks.initialized, incoming)
    }

    fn run_hooks<F>(&self, hooks: &[Arc<dyn Fn(Cx) -> F + Send + Sync>], incoming: Incoming) -> Answering
    where
        F: Future<Output = ()> + Send + 'static,
    {
        if hooks.is_empty() {
            return Answering::ready(empty());
        }
        let cx = self.cx(incoming);
        let started: Vec<F> = hooks.iter().map(|hook| hook(cx.clone())).collect();
        Answering::later(async move {
            for hook in started {
                hook.await;
            }
            empty()
        })
    }
}

/// A result that says only that the request succeeded.
pub(crate) fn empty() -> Reply {
    Ok(Outcome::Complete(AnyResult::Empty(EmptyResult::default())))
}

fn set_level(incoming: &Incoming) -> Answering {
    let asked: SetLevelParams = match incoming.params.decode() {
        Ok(asked) => asked,
        Err(error) => return Answering::ready(Err(error)),
    };
    let kept = incoming.session.as_ref().and_then(|session| {
        session.set_log_level(asked.level);
        session.outlet().keep(SessionChange::LogLevel(asked.level))
    });
    match kept {
        None => Answering::ready(empty()),
        kept => Answering::later(async move { resources::wait_for(kept).await.and_then(|()| empty()) }),
    }
}
