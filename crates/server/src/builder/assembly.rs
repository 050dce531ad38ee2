//! Building a server: it and those mounted in it become fixed, and all that is wrong with them is collected.

use std::sync::{Arc, Weak};

use jackfield_protocol::check_tool_name;

use crate::Server;
use crate::builder::core::{Core, Fixed};
use crate::builder::lifespan::{Lifespan, Open, StartError};
use crate::builder::mount::{Mount, Prefix};
use crate::builder::settings::Settings;
use crate::builder::state::{self, StateMap, StateType};
use crate::callers::rates::Limiter;
use crate::entries::catalog::Kind;
use crate::questions::seal::Sealer;

/// A server and those mounted in it, the inner ones first.
#[derive(Default)]
pub(crate) struct Assembly {
    members: Vec<Member>,
    /// What is wrong, one sentence each.
    pub(crate) problems: Vec<String>,
}

/// One of the servers, before it is started.
struct Member {
    core: Arc<Core>,
    state: StateMap,
    lifespans: Vec<Lifespan>,
}

impl Assembly {
    /// Fixes a server and all that are mounted in it. Returns what the outermost of them is made of.
    pub(crate) fn add(&mut self, server: Server) -> (Arc<Core>, Settings) {
        self.add_under(server, None, &[])
    }

    fn add_under(
        &mut self,
        server: Server,
        parent: Option<(Weak<Core>, Prefix)>,
        around: &[StateType],
    ) -> (Arc<Core>, Settings) {
        let Server { core, mut settings, mounts } = server;
        let own = settings.provided();
        self.problems.extend(state::twice(&own));
        let provided = [own, around.to_vec()].concat();
        self.problems.append(&mut settings.problems);
        check_settings(&settings, parent.is_some(), &mut self.problems);
        let mounts = mounts.into_iter().map(|(prefix, inner)| {
            let mut assembly = Self::default();
            let (inner, _) = assembly.add_under(inner, Some((Arc::downgrade(&core), prefix.clone())), &provided);
            let problems = assembly.problems.into_iter();
            self.problems.extend(problems.map(|problem| format!("in `{}`: {problem}", prefix.as_str())));
            self.members.append(&mut assembly.members);
            Mount { prefix, core: inner }
        });
        let mounts = mounts.collect();
        let (state, lifespans) = (std::mem::take(&mut settings.state), std::mem::take(&mut settings.lifespans));
        core.fix(Fixed {
            mounts,
            parent,
            provided,
            read: settings.hooks.read.clone(),
            visible_to: settings.visible_to.clone(),
            single_use: settings.hooks.single_use.take(),
            sealer: Sealer::new(settings.keys.take().as_ref(), settings.question_life),
            logging: settings.logging,
            log_messages: Limiter::new(settings.limits.log_messages),
        });
        check_entries(&core, &mut self.problems);
        let mut values = StateMap::new();
        state.into_iter().for_each(|(kind, value)| values.insert(kind.id, value));
        self.members.push(Member { core: core.clone(), state: values, lifespans });
        (core, settings)
    }

    /// Opens all lifespans, those of mounted servers first, then publishes the state of all.
    pub(crate) async fn open(self, open: &Open) -> Result<(), StartError> {
        let mut opened = Vec::with_capacity(self.members.len());
        for Member { core, mut state, lifespans } in self.members {
            for lifespan in lifespans {
                let kind = lifespan.state;
                state.insert(kind.id, lifespan.open(open).await?);
            }
            opened.push((core, state));
        }
        // The outer ones first: the others inherit from them.
        opened.into_iter().rev().for_each(|(core, state)| core.publish(state));
        Ok(())
    }
}

fn check_settings(settings: &Settings, is_mounted: bool, problems: &mut Vec<String>) {
    if settings.revisions.is_empty() {
        problems.push("the server serves no revision of the protocol".to_owned());
    }
    if settings.name.is_empty() {
        problems.push("the server has no name".to_owned());
    }
    if is_mounted {
        problems.extend(without_effect(settings).map(|setting| {
            format!("`{setting}` has no effect on a mounted server: set it on the server that is not mounted")
        }));
    }
}

/// Returns the methods of the builder that were called, and have no effect if the server is mounted in another.
fn without_effect(settings: &Settings) -> impl Iterator<Item = &'static str> {
    let default = Settings::new(String::new());
    let hooks = &settings.hooks;
    let called = [
        ("revisions", settings.revisions != default.revisions && !settings.revisions.is_empty()),
        ("middleware", !settings.wraps.is_empty()),
        ("method", !settings.methods.is_empty()),
        ("extension", !settings.extensions.is_empty()),
        ("experimental", !settings.experimental.is_empty()),
        ("logging", settings.logging != default.logging),
        ("limits", settings.limits != default.limits),
        ("stream_limits", settings.stream_limits != default.stream_limits),
        ("page_size", settings.page_size != default.page_size),
        ("cache", settings.cache != default.cache),
        ("check_output", settings.check_output.is_some()),
        ("tasks", settings.tasks.is_some()),
        ("store", settings.stores.is_some()),
        ("tape", settings.tape.is_some()),
        ("keys", settings.keys.is_some()),
        ("question_life", settings.question_life != default.question_life),
        ("single_use", hooks.single_use.is_some()),
        ("on_initialized", !hooks.initialized.is_empty()),
        ("on_roots_changed", !hooks.roots_changed.is_empty()),
        ("on_subscribe", !hooks.subscribe.is_empty()),
        ("on_unsubscribe", !hooks.unsubscribe.is_empty()),
        ("resource_list", hooks.list.is_some()),
    ];
    called.into_iter().filter_map(|(setting, is_called)| is_called.then_some(setting))
}

fn check_entries(core: &Core, problems: &mut Vec<String>) {
    let mut twice = |what: &str, names: Vec<String>| {
        problems.extend(names.iter().map(|name| format!("there are two {what} `{name}`")));
    };
    twice("tools", core.tools.gather(core).1);
    twice("prompts", core.prompts.gather(core).1);
    twice("resources", core.resources.gather(core).1);
    let provided = &core.fixed().provided;
    problems.extend(core.tools.missing_state(provided));
    problems.extend(core.resources.missing_state(provided));
    problems.extend(core.prompts.missing_state(provided));
    for item in core.tools.view(core).items() {
        if let Err(bad) = check_tool_name(&item.name) {
            problems.push(format!("tool `{}`: {bad}", item.name));
        }
    }
}
