//! What all handles of a server share: the registries, the state, and who hears of changes.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};

use jackfield_peer::{Extensions, Incoming, Rate};

use crate::catalog::{Catalog, Prompts, Resources, Tools};
use crate::changes::{Change, Hub};
use crate::mount::{Mount, Prefix};
use crate::rates::Limiter;
use crate::seal::Sealer;
use crate::settings::Settings;
use crate::tasks::DefaultStore;

/// What all handles of a server share.
pub(crate) struct Core {
    pub(crate) settings: Mutex<Settings>,
    pub(crate) tools: Catalog<Tools>,
    pub(crate) resources: Catalog<Resources>,
    pub(crate) prompts: Catalog<Prompts>,
    pub(crate) mounts: RwLock<Vec<Mount>>,
    pub(crate) parents: Mutex<Vec<(Weak<Core>, Prefix)>>,
    pub(crate) state: RwLock<Extensions>,
    #[cfg(feature = "skills")]
    pub(crate) skills: RwLock<Arc<crate::skills::Shelf>>,
    pub(crate) hub: Hub,
    pub(crate) sealer: Sealer,
    pub(crate) logging: AtomicBool,
    pub(crate) log_messages: RwLock<Limiter>,
    pub(crate) default_tasks: DefaultStore,
}

impl Core {
    pub(crate) fn new(name: String) -> Arc<Self> {
        Arc::new(Self {
            settings: Mutex::new(Settings::new(name)),
            tools: Catalog::default(),
            resources: Catalog::default(),
            prompts: Catalog::default(),
            mounts: RwLock::default(),
            parents: Mutex::default(),
            state: RwLock::default(),
            #[cfg(feature = "skills")]
            skills: RwLock::default(),
            hub: Hub::default(),
            sealer: Sealer::default(),
            logging: AtomicBool::new(true),
            log_messages: RwLock::new(Limiter::new(None)),
            default_tasks: DefaultStore::default(),
        })
    }

    pub(crate) fn settings(&self) -> MutexGuard<'_, Settings> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_log_rate(&self, rate: Option<Rate>) {
        *self.log_messages.write().unwrap_or_else(PoisonError::into_inner) = Limiter::new(rate);
    }

    /// Whether one more log message may be sent.
    pub(crate) fn admits_log(&self, incoming: &Incoming) -> bool {
        self.log_messages.read().unwrap_or_else(PoisonError::into_inner).admit(incoming, "log messages").is_ok()
    }

    /// Tells all who listen, here and in the servers that this one is mounted in.
    pub(crate) fn changed(&self, change: &Change) {
        self.tell_parents(change);
        self.hub.publish(change);
    }

    fn tell_parents(&self, change: &Change) {
        let parents = self.parents.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for (parent, prefix) in &parents {
            let Some(parent) = parent.upgrade() else { continue };
            match change {
                Change::Tools => parent.tools.invalidate(),
                Change::Prompts => parent.prompts.invalidate(),
                Change::Resources => parent.resources.invalidate(),
                Change::Resource(uri) => {
                    let outer = self.outer_uri(std::slice::from_ref(prefix), uri);
                    parent.changed(&Change::Resource(outer));
                    continue;
                }
            }
            parent.changed(change);
        }
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

    /// Returns the prefixes that a server which is mounted in this one stands under, the innermost first.
    pub(crate) fn prefixes_of(&self, inner: &Arc<Self>) -> Vec<Prefix> {
        for mount in self.mounts() {
            if Arc::ptr_eq(&mount.core, inner) {
                return vec![mount.prefix];
            }
            if mount.core.contains(inner) {
                let mut prefixes = mount.core.prefixes_of(inner);
                prefixes.push(mount.prefix);
                return prefixes;
            }
        }
        Vec::new()
    }

    /// Whether a server is mounted in this one, at any depth.
    pub(crate) fn contains(&self, other: &Arc<Self>) -> bool {
        self.mounts().iter().any(|mount| Arc::ptr_eq(&mount.core, other) || mount.core.contains(other))
    }

    /// Has all lists made anew.
    pub(crate) fn invalidate(&self) {
        self.tools.invalidate();
        self.resources.invalidate();
        self.prompts.invalidate();
    }

    pub(crate) fn mounts(&self) -> Vec<Mount> {
        self.mounts.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
