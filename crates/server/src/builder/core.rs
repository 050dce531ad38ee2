//! What the builder, the running server and their registries share.

use std::sync::{Arc, OnceLock, Weak};

use jackfield_peer::{Caller, Session};

use crate::builder::mount::{Mount, Prefix};
use crate::builder::settings::Visibility;
use crate::builder::state::{StateMap, StateType};
use crate::callers::owner::Owner;
use crate::callers::rates::Limiter;
use crate::entries::catalog::{Catalog, Prompts, Resources, Tools};
use crate::questions::seal::Sealer;
use crate::routing::hooks::{ReadHook, SingleUse};
use crate::subscriptions::changes::{Change, Hub};

/// What the builder, the running server and their registries share: the entries, which come and go at any time, and what is fixed when the
/// server is built or started.
#[derive(Default)]
pub(crate) struct Core {
    pub(crate) tools: Catalog<Tools>,
    pub(crate) resources: Catalog<Resources>,
    pub(crate) prompts: Catalog<Prompts>,
    #[cfg(feature = "skills")]
    pub(crate) skills: parking_lot::RwLock<Arc<crate::skills::Shelf>>,
    pub(crate) hub: Hub,
    fixed: OnceLock<Fixed>,
    state: OnceLock<StateMap>,
}

/// What is fixed when a server is built.
pub(crate) struct Fixed {
    pub(crate) mounts: Vec<Mount>,
    /// The server that this one is mounted in, and under which prefix.
    pub(crate) parent: Option<(Weak<Core>, Prefix)>,
    /// The types of state that its handlers find: its own, and those of the servers around it.
    pub(crate) provided: Vec<StateType>,
    pub(crate) read: Option<ReadHook>,
    pub(crate) visible_to: Option<Arc<Visibility>>,
    pub(crate) single_use: Option<SingleUse>,
    pub(crate) sealer: Sealer,
    pub(crate) logging: bool,
    pub(crate) log_messages: Limiter,
}

impl Core {
    /// Fixes what does not change from here on.
    pub(crate) fn fix(&self, fixed: Fixed) {
        let is_first = self.fixed.set(fixed).is_ok();
        debug_assert!(is_first, "a server is built once, because that consumes the builder");
    }

    /// Returns what was fixed when the server was built. Only a server that is built has calls that ask for it.
    pub(crate) fn fixed(&self) -> &Fixed {
        self.fixed.get().expect("only a server that was built serves")
    }

    /// Returns what was fixed, if the server has been built already.
    pub(crate) fn fixed_if_built(&self) -> Option<&Fixed> {
        self.fixed.get()
    }

    /// Publishes the state that handlers find: the server's own, then that of the servers around it, which have theirs already.
    pub(crate) fn publish(&self, mut own: StateMap) {
        if let Some(outer) = self.parent().and_then(|(parent, _)| parent.upgrade()) {
            own.inherit(outer.state());
        }
        let is_first = self.state.set(own).is_ok();
        debug_assert!(is_first, "a server is started once, because that consumes it");
    }

    /// Returns the state that handlers find; none before the server was started.
    pub(crate) fn state(&self) -> &StateMap {
        static NONE: StateMap = StateMap::new();
        self.state.get().unwrap_or(&NONE)
    }

    /// Whether one more log message may be sent to a client.
    pub(crate) fn admits_log_of(&self, caller: &Caller, session: Option<&Arc<Session>>) -> bool {
        self.fixed().log_messages.admit_owner(|| Owner::new(caller, session), "log messages").is_ok()
    }

    /// Whether log messages are sent to clients.
    pub(crate) fn logs(&self) -> bool {
        self.fixed().logging
    }

    /// Tells all who listen, here and in the servers that this one is mounted in.
    pub(crate) fn changed(&self, change: &Change) {
        self.tell_parent(change);
        self.hub.publish(change);
    }

    fn parent(&self) -> Option<&(Weak<Self>, Prefix)> {
        self.fixed.get()?.parent.as_ref()
    }

    fn tell_parent(&self, change: &Change) {
        let Some((parent, prefix)) = self.parent() else { return };
        let Some(parent) = parent.upgrade() else { return };
        match change {
            Change::Tools => parent.tools.invalidate(),
            Change::Prompts => parent.prompts.invalidate(),
            Change::Resources => parent.resources.invalidate(),
            Change::Resource(uri) => {
                let outer = self.outer_uri(std::slice::from_ref(prefix), uri);
                return parent.changed(&Change::Resource(outer));
            }
        }
        parent.changed(change);
    }

    /// Returns the URI of a resource as it is out there under prefixes, the innermost first. One that a template answers to stands under
    /// them in the way that the template does.
    pub(crate) fn outer_uri(&self, prefixes: &[Prefix], uri: &str) -> String {
        let found = self.resources.view(self).resolve(uri).map(|(item, _)| item.name.clone());
        let pattern = found.unwrap_or_else(|| uri.to_owned());
        let (uri, _) = prefixes.iter().fold((uri.to_owned(), pattern), |(uri, pattern), prefix| {
            (prefix.uri_like(&uri, &pattern), prefix.uri(&pattern))
        });
        uri
    }

    /// Returns the prefixes that this server stands under in another that it is mounted in, the innermost first.
    pub(crate) fn prefixes_in(&self, outer: &Arc<Self>) -> Vec<Prefix> {
        let mut prefixes = Vec::new();
        let mut next = self.parent().cloned();
        while let Some((parent, prefix)) = next {
            prefixes.push(prefix);
            let Some(parent) = parent.upgrade().filter(|parent| !Arc::ptr_eq(parent, outer)) else { break };
            next = parent.parent().cloned();
        }
        prefixes
    }

    /// Returns the servers that are mounted in this one; none before it was built.
    pub(crate) fn mounts(&self) -> &[Mount] {
        self.fixed.get().map_or(&[], |fixed| &fixed.mounts)
    }
}
