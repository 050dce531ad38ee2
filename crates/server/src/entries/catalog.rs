//! The registries: entries in the order of their registration, looked up in a frozen map.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use jackfield_protocol::{ContentBlock, ResourceContents};

use crate::builder::core::Core;
use crate::builder::mount::Prefix;
use crate::builder::state::{self, StateType};
use crate::entries::frozen::Frozen;
use crate::entries::hashing::Hashing;
use crate::{BuildError, Requirements};

pub(crate) use crate::entries::kinds::{Prompts, Resources, Tools};

/// The entries of one kind: a list that changes, and a frozen view of it for requests.
pub(crate) struct Catalog<K: Kind> {
    own: Mutex<Own<K>>,
    view: Frozen<K>,
    announced: AtomicBool,
}

struct Own<K: Kind> {
    entries: Vec<(EntryId, Arc<K::Prepared>)>,
    names: HashSet<String>,
    next_id: EntryId,
    /// Where each name stands in the list. A place is never used again, so that cursors stay valid while the list changes.
    places: HashMap<String, u64>,
    next_place: u64,
}

/// Names an entry within its catalog; never used again.
pub(crate) type EntryId = u64;

/// One kind of entries; the type itself is the frozen view.
pub(crate) trait Kind: Default {
    type Prepared: Send + Sync + 'static;
    type Definition: Clone + fmt::Debug + Send + Sync;

    /// What messages call several of it, and one.
    const WHAT: &'static str;
    const ONE: &'static str;

    fn of(core: &Core) -> &Catalog<Self>;
    fn name(prepared: &Self::Prepared) -> String;
    fn definition(prepared: &Self::Prepared) -> Self::Definition;
    fn requirements(prepared: &Self::Prepared) -> &Requirements;
    /// What the name and the definition become under a prefix.
    fn under(prefix: &Prefix, name: &str, definition: &Self::Definition) -> (String, Self::Definition);
    fn collect(items: Vec<Arc<Item<Self>>>) -> Self;
    fn items(&self) -> Vec<Arc<Item<Self>>>;
}

/// One entry as callers see it.
pub(crate) struct Item<K: Kind> {
    pub(crate) name: String,
    pub(crate) place: u64,
    pub(crate) definition: K::Definition,
    pub(crate) prepared: Arc<K::Prepared>,
    /// The server that it belongs to, if that is a mounted one.
    pub(crate) home: Option<Weak<Core>>,
    /// The prefixes it stands under, innermost first.
    pub(crate) prefixes: Vec<Prefix>,
}

impl<K: Kind> Catalog<K> {
    /// Adds an entry.
    pub(crate) fn insert(&self, core: &Core, prepared: K::Prepared) -> Result<EntryId, BuildError> {
        let name = K::name(&prepared);
        // What is there before the server is built is checked then.
        if let Some(fixed) = core.fixed_if_built() {
            let missing = state::missing(&Self::entry(&name), K::requirements(&prepared), &fixed.provided);
            if !missing.is_empty() {
                return Err(BuildError::new(missing));
            }
        }
        // Without mounted servers the view is not needed, so adding many entries does not make it anew for each.
        let mounted = !core.mounts().is_empty() && self.view(core).items().iter().any(|item| item.name == name);
        let mut own = self.own();
        if mounted || !own.names.insert(name.clone()) {
            return Err(BuildError::new(vec![format!("there are two {} `{name}`", K::WHAT)]));
        }
        let id = own.next_id;
        own.next_id = id.wrapping_add(1);
        own.entries.push((id, Arc::new(prepared)));
        drop(own);
        self.announce();
        self.invalidate();
        Ok(id)
    }

    /// Says which entries require state that nobody provides.
    pub(crate) fn missing_state(&self, provided: &[StateType]) -> Vec<String> {
        let missing =
            |entry: &Arc<K::Prepared>| state::missing(&Self::entry(&K::name(entry)), K::requirements(entry), provided);
        self.prepared().iter().flat_map(missing).collect()
    }

    /// Names an entry, for messages.
    fn entry(name: &str) -> String {
        format!("{} `{name}`", K::ONE)
    }

    /// Removes an entry; says whether it was there.
    pub(crate) fn remove(&self, id: EntryId) -> bool {
        let mut own = self.own();
        let found = own.entries.iter().position(|(known, _)| *known == id);
        let removed = found.map(|at| own.entries.remove(at).1);
        if let Some(entry) = &removed {
            own.names.remove(&K::name(entry));
        }
        drop(own);
        self.invalidate();
        removed.is_some()
    }

    /// Returns the frozen view.
    pub(crate) fn view(&self, core: &Core) -> Arc<K> {
        self.view.get(|| K::collect(self.gather(core).0))
    }

    /// Looks something up in the frozen view, which is not changed meanwhile.
    pub(crate) fn look<R>(&self, core: &Core, look: impl FnOnce(&K) -> R) -> R {
        self.view.look(|| K::collect(self.gather(core).0), |view| look(view))
    }

    pub(crate) fn invalidate(&self) {
        self.view.thaw();
    }

    /// Notes that entries may come at run time, so that the capability is declared even while there are none.
    pub(crate) fn announce(&self) {
        self.announced.store(true, Ordering::Relaxed);
    }

    /// Declares the capability from now on; says whether it was not declared before.
    pub(crate) fn announce_late(&self, core: &Core) -> bool {
        !self.is_announced(core) && !self.announced.swap(true, Ordering::Relaxed)
    }

    pub(crate) fn is_announced(&self, core: &Core) -> bool {
        self.announced.load(Ordering::Relaxed)
            || core.mounts().iter().any(|mount| K::of(&mount.core).is_announced(&mount.core))
    }

    pub(crate) fn prepared(&self) -> Vec<Arc<K::Prepared>> {
        self.own().entries.iter().map(|(_, entry)| entry.clone()).collect()
    }

    /// Returns the items in the order of the list, and the names that stand for two of them.
    pub(crate) fn gather(&self, core: &Core) -> (Vec<Arc<Item<K>>>, Vec<String>) {
        let mut found: Vec<Item<K>> = self.prepared().into_iter().map(|prepared| Item::own(prepared)).collect();
        for mount in core.mounts() {
            let inner = K::of(&mount.core).view(&mount.core).items();
            found.extend(inner.iter().map(|item| item.under(&mount.prefix, &mount.core)));
        }
        let mut own = self.own();
        let (mut items, mut twice) = (HashMap::new(), Vec::new());
        for mut item in found {
            if items.contains_key(&item.name) {
                twice.push(item.name);
                continue;
            }
            item.place = own.place(&item.name);
            items.insert(item.name.clone(), Arc::new(item));
        }
        own.places.retain(|name, _| items.contains_key(name));
        let mut items: Vec<_> = items.into_values().collect();
        items.sort_by_key(|item| item.place);
        (items, twice)
    }

    fn own(&self) -> MutexGuard<'_, Own<K>> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Kind> Own<K> {
    fn place(&mut self, name: &str) -> u64 {
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        let place = self.next_place;
        self.next_place = place.saturating_add(1);
        self.places.insert(name.to_owned(), place);
        place
    }
}

impl<K: Kind> Item<K> {
    fn own(prepared: Arc<K::Prepared>) -> Self {
        let (name, definition) = (K::name(&prepared), K::definition(&prepared));
        Self { name, place: 0, definition, prepared, home: None, prefixes: Vec::new() }
    }

    fn under(&self, prefix: &Prefix, core: &Arc<Core>) -> Self {
        let (name, definition) = K::under(prefix, &self.name, &self.definition);
        let home = self.home.clone().unwrap_or_else(|| Arc::downgrade(core));
        let prefixes = self.prefixes.iter().chain([prefix]).cloned().collect();
        Self { name, place: 0, definition, prepared: self.prepared.clone(), home: Some(home), prefixes }
    }

    /// Returns the server whose state and notices the handler sees.
    pub(crate) fn home(&self, outer: &Arc<Core>) -> Arc<Core> {
        self.mounted().unwrap_or_else(|| outer.clone())
    }

    /// Returns the mounted server that it belongs to, if it does.
    pub(crate) fn mounted(&self) -> Option<Arc<Core>> {
        self.home.as_ref().and_then(Weak::upgrade)
    }

    /// Returns the URI as the mounted server knows it.
    pub(crate) fn inner_uri(&self, uri: &str) -> String {
        let outermost_first = self.prefixes.iter().rev();
        outermost_first.fold(uri.to_owned(), |uri, prefix| prefix.strip_uri(&uri).unwrap_or(uri))
    }

    /// Returns the URI of a resource of the mounted server as callers know it.
    pub(crate) fn outer_uri(&self, uri: &str) -> String {
        match self.home.as_ref().and_then(Weak::upgrade) {
            Some(home) => home.outer_uri(&self.prefixes, uri),
            None => uri.to_owned(),
        }
    }

    /// Resources that a mounted server names in its results have other names out here.
    pub(crate) fn rename_resource(&self, block: &mut ContentBlock) {
        if self.prefixes.is_empty() {
            return;
        }
        match block {
            ContentBlock::ResourceLink(link) => link.uri = self.outer_uri(&link.uri),
            ContentBlock::Resource(embedded) => match &mut embedded.resource {
                ResourceContents::Text(text) => text.uri = self.outer_uri(&text.uri),
                ResourceContents::Blob(blob) => blob.uri = self.outer_uri(&blob.uri),
                _ => {}
            },
            _ => {}
        }
    }
}

impl<K: Kind> Default for Catalog<K> {
    fn default() -> Self {
        let own = Own { entries: Vec::new(), names: HashSet::new(), next_id: 0, places: HashMap::new(), next_place: 1 };
        Self { own: Mutex::new(own), view: Frozen::new(K::default()), announced: AtomicBool::new(false) }
    }
}

/// Items by name, in the order of the list.
pub(crate) struct Shelf<K: Kind> {
    pub(crate) items: Vec<Arc<Item<K>>>,
    index: HashMap<String, usize, Hashing>,
}

impl<K: Kind> Shelf<K> {
    pub(crate) fn new(items: Vec<Arc<Item<K>>>) -> Self {
        let index = items.iter().enumerate().map(|(at, item)| (item.name.clone(), at)).collect();
        Self { items, index }
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Arc<Item<K>>> {
        self.items.get(*self.index.get(name)?)
    }
}

impl<K: Kind> Default for Shelf<K> {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}
