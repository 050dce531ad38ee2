//! Lists, in pages that are encoded once and reused until the list changes.

use std::sync::{Arc, PoisonError, RwLock};

use bytes::Bytes;
use jackfield_peer::{Answering, Handler, Incoming, Reply};
use jackfield_protocol::{
    AnyResult, ErrorObject, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    Outcome, Revision, write_result,
};

use crate::builder::settings::{CacheHint, Item as Shown};
use crate::entries::catalog::{Item, Kind, Prompts, Resources, Tools};
use crate::routing::hooks::ListHook;
use crate::routing::router::Router;
use crate::{Address, Cx};

/// The encoded pages of all lists.
#[derive(Default)]
pub(crate) struct Lists {
    tools: Pages<Tools>,
    resources: Pages<Resources>,
    templates: Pages<Resources>,
    prompts: Pages<Prompts>,
}

/// The first pages of one list, by revision. Further pages are seldom asked for and encoded each time.
struct Pages<K: Kind>(RwLock<Option<Encoded<K>>>);

/// The view that pages were made from, and the pages by revision.
type Encoded<K> = (Arc<K>, [Option<Bytes>; 5]);

impl<K: Kind> Default for Pages<K> {
    fn default() -> Self {
        Self(RwLock::new(None))
    }
}

impl<K: Kind> Pages<K> {
    fn get(&self, view: &Arc<K>, revision: Revision) -> Option<Bytes> {
        let cached = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let (known, pages) = cached.as_ref()?;
        if Arc::ptr_eq(known, view) { pages.get(revision as usize)?.clone() } else { None }
    }

    fn put(&self, view: &Arc<K>, revision: Revision, page: &Bytes) {
        let mut cached = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if !cached.as_ref().is_some_and(|(known, _)| Arc::ptr_eq(known, view)) {
            *cached = Some((view.clone(), Default::default()));
        }
        if let Some(slot) = cached.as_mut().and_then(|(_, pages)| pages.get_mut(revision as usize)) {
            *slot = Some(page.clone());
        }
    }
}

/// Answers `tools/list`.
pub(crate) fn tools(router: &Router, incoming: &Incoming) -> Reply {
    let view = router.core.tools.view(&router.core);
    let list = List {
        name: "tools",
        pages: &router.lists.tools,
        items: &view.shelf.items,
        view: &view,
        hint: router.cache.tools,
    };
    list.answer(
        router,
        incoming,
        |item| Shown::Tool(&item.name),
        |items, next, hint| {
            let mut result = ListToolsResult::new(items.iter().map(|item| item.definition.clone()).collect::<Vec<_>>());
            result.next_cursor = next;
            (result.ttl_ms, result.cache_scope) = parts(hint);
            result.into()
        },
    )
}

/// Answers `prompts/list`.
pub(crate) fn prompts(router: &Router, incoming: &Incoming) -> Reply {
    let view = router.core.prompts.view(&router.core);
    let list = List {
        name: "prompts",
        pages: &router.lists.prompts,
        items: &view.shelf.items,
        view: &view,
        hint: router.cache.prompts,
    };
    list.answer(
        router,
        incoming,
        |item| Shown::Prompt(&item.name),
        |items, next, hint| {
            let mut result =
                ListPromptsResult::new(items.iter().map(|item| item.definition.clone()).collect::<Vec<_>>());
            result.next_cursor = next;
            (result.ttl_ms, result.cache_scope) = parts(hint);
            result.into()
        },
    )
}

/// Answers `resources/templates/list`.
pub(crate) fn templates(router: &Router, incoming: &Incoming) -> Reply {
    let view = router.core.resources.view(&router.core);
    let (pages, items) = (&router.lists.templates, &view.listed_templates);
    let list = List { name: "templates", pages, items, view: &view, hint: router.cache.templates };
    list.answer(
        router,
        incoming,
        |item| Shown::Template(&item.name),
        |items, next, hint| {
            let listed = items.iter().filter_map(|item| match &item.definition {
                Address::Template(listed, _) => Some(listed.clone()),
                Address::Static(_) => None,
            });
            let mut result = ListResourceTemplatesResult::new(listed.collect::<Vec<_>>());
            result.next_cursor = next;
            (result.ttl_ms, result.cache_scope) = parts(hint);
            result.into()
        },
    )
}

/// Answers `resources/list`: first what is registered, then what the hook lists.
pub(crate) fn resources(router: &Router, incoming: Incoming) -> Answering {
    let view = router.core.resources.view(&router.core);
    let (pages, items) = (&router.lists.resources, &view.listed);
    let list = List { name: "resources", pages, items, view: &view, hint: router.cache.resources };
    let Some(hook) = router.hooks.list.clone() else {
        let reply = list.answer(router, &incoming, |item| Shown::Resource(&item.name), encode_resources);
        return Answering::ready(reply);
    };
    let position = match list.position(router, &incoming) {
        Ok(position) => position,
        Err(error) => return Answering::ready(Err(error)),
    };
    let (found, next) = match &position {
        Position::Hook(_) => (Vec::new(), None),
        Position::After(place) => list.page(router, &incoming, *place, |item| Shown::Resource(&item.name)),
    };
    // The hook's first page follows the last one of the registered resources.
    let after = match (&position, next) {
        (_, Some(place)) => return Answering::ready(reply_page(router, &list, found, Some(Position::After(place)))),
        (Position::After(_), None) if !found.is_empty() => {
            return Answering::ready(reply_page(router, &list, found, Some(Position::Hook(None))));
        }
        (Position::After(_), None) => None,
        (Position::Hook(cursor), None) => cursor.clone(),
    };
    hooked(router, incoming, &hook, after)
}

fn reply_page(
    router: &Router,
    list: &List<'_, Resources>,
    found: Vec<Arc<Item<Resources>>>,
    next: Option<Position>,
) -> Reply {
    let cursor = next.map(|next| seal(router, list.name, &next));
    Ok(Outcome::Complete(encode_resources(&found, cursor, list.hint)))
}

fn hooked(router: &Router, incoming: Incoming, hook: &ListHook, cursor: Option<String>) -> Answering {
    let (caller, core, hint) = (incoming.caller.clone(), router.core.clone(), router.cache.resources);
    let visible = router.visible_to.clone();
    let cx = Cx::new(incoming, core.clone(), core.clone());
    let listing = hook(cx, cursor);
    Answering::later(async move {
        let mut page = listing.await?;
        if let Some(visible) = visible {
            page.resources.retain(|resource| visible(&caller, Shown::Resource(&resource.uri)));
        }
        let mut result = ListResourcesResult::new(page.resources);
        result.next_cursor = page.next.map(|next| Position::Hook(Some(next)).seal(&core, "resources"));
        (result.ttl_ms, result.cache_scope) = parts(hint);
        Ok(Outcome::Complete(result.into()))
    })
}

fn encode_resources(items: &[Arc<Item<Resources>>], next: Option<String>, hint: Option<CacheHint>) -> AnyResult {
    let listed = items.iter().filter_map(|item| match &item.definition {
        Address::Static(resource) => Some(resource.clone()),
        Address::Template(..) => None,
    });
    let mut result = ListResourcesResult::new(listed.collect::<Vec<_>>());
    result.next_cursor = next;
    (result.ttl_ms, result.cache_scope) = parts(hint);
    result.into()
}

fn parts(hint: Option<CacheHint>) -> (Option<u64>, Option<jackfield_protocol::CacheScope>) {
    (hint.map(CacheHint::ttl_ms), hint.map(|hint| hint.scope))
}

/// One list: its items, and where its pages are kept.
struct List<'a, K: Kind> {
    name: &'static str,
    pages: &'a Pages<K>,
    items: &'a [Arc<Item<K>>],
    view: &'a Arc<K>,
    hint: Option<CacheHint>,
}

impl<K: Kind> List<'_, K> {
    fn answer(
        &self,
        router: &Router,
        incoming: &Incoming,
        shown: impl Fn(&Item<K>) -> Shown<'_>,
        encode: impl Fn(&[Arc<Item<K>>], Option<String>, Option<CacheHint>) -> AnyResult,
    ) -> Reply {
        let revision = incoming.caller.revision;
        let is_first = incoming.params.get("cursor").is_none();
        // Pages that depend on who asks are not kept.
        let keeps = is_first && router.visible_to.is_none();
        if keeps && let Some(page) = self.pages.get(self.view, revision) {
            return Ok(Outcome::Complete(AnyResult::Encoded(page)));
        }
        let place = match self.position(router, incoming)? {
            Position::After(place) => place,
            Position::Hook(_) => return Err(bad_cursor()),
        };
        let (found, next) = self.page(router, incoming, place, shown);
        let next = next.map(|place| seal(router, self.name, &Position::After(place)));
        let result = encode(&found, next, self.hint);
        if !keeps {
            return Ok(Outcome::Complete(result));
        }
        let mut bytes = Vec::new();
        let written = write_result(&mut bytes, Outcome::Complete(result), revision, router.identity(revision));
        written.map_err(|error| ErrorObject::internal(error.to_string()))?;
        let page = Bytes::from(bytes);
        self.pages.put(self.view, revision, &page);
        Ok(Outcome::Complete(AnyResult::Encoded(page)))
    }

    fn position(&self, router: &Router, incoming: &Incoming) -> Result<Position, ErrorObject> {
        match incoming.params.optional_string("cursor")? {
            None => Ok(Position::After(0)),
            Some(cursor) => Position::open(router, self.name, &cursor),
        }
    }

    /// Returns the items after a place, and the place of the last one if there are more.
    fn page(
        &self,
        router: &Router,
        incoming: &Incoming,
        after: u64,
        shown: impl Fn(&Item<K>) -> Shown<'_>,
    ) -> (Vec<Arc<Item<K>>>, Option<u64>) {
        let rest = self.items.iter().filter(|item| item.place > after && router.shows(&incoming.caller, shown(item)));
        let mut rest = rest.peekable();
        let found: Vec<_> = rest.by_ref().take(router.page_size).cloned().collect();
        let next = rest.peek().and_then(|_| found.last().map(|item| item.place));
        (found, next)
    }
}

/// Where a page begins.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Position {
    /// After the item at this place; places are never used again, so that a cursor stays valid while the list changes.
    After(u64),
    /// In what the hook lists.
    Hook(Option<String>),
}

impl Position {
    fn seal(&self, core: &crate::builder::core::Core, list: &str) -> String {
        let plain = match self {
            Self::After(place) => format!("a{place}"),
            Self::Hook(None) => "h".to_owned(),
            Self::Hook(Some(cursor)) => format!("c{cursor}"),
        };
        core.fixed().sealer.seal_lasting(plain.as_bytes(), &context(list)).unwrap_or_default()
    }

    fn open(router: &Router, list: &str, cursor: &str) -> Result<Self, ErrorObject> {
        let plain = router.core.fixed().sealer.open_lasting(cursor, &context(list)).ok_or_else(bad_cursor)?;
        let plain = String::from_utf8(plain).map_err(|_| bad_cursor())?;
        let mut rest = plain.chars();
        match rest.next() {
            Some('a') => rest.as_str().parse().map(Self::After).map_err(|_| bad_cursor()),
            Some('h') => Ok(Self::Hook(None)),
            Some('c') => Ok(Self::Hook(Some(rest.as_str().to_owned()))),
            _ => Err(bad_cursor()),
        }
    }
}

/// Makes a cursor of a text, for lists that know by themselves where they go on.
#[cfg(feature = "skills")]
pub(crate) fn seal_text(router: &Router, list: &str, text: &str) -> String {
    seal(router, list, &Position::Hook(Some(text.to_owned())))
}

/// Returns the text of the request's cursor, if it has one.
#[cfg(feature = "skills")]
pub(crate) fn open_text(router: &Router, incoming: &Incoming, list: &str) -> Result<Option<String>, ErrorObject> {
    let Some(cursor) = incoming.params.optional_string("cursor")? else { return Ok(None) };
    match Position::open(router, list, &cursor)? {
        Position::Hook(Some(text)) => Ok(Some(text)),
        _ => Err(bad_cursor()),
    }
}

fn seal(router: &Router, list: &str, position: &Position) -> String {
    position.seal(&router.core, list)
}

/// A cursor belongs to one list.
fn context(list: &str) -> Vec<u8> {
    crate::questions::seal::context(&[b"cursor", list.as_bytes()])
}

fn bad_cursor() -> ErrorObject {
    ErrorObject::invalid_params("parameter `cursor` is not one of this list; begin again without it")
}
