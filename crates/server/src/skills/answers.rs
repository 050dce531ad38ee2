//! `skills/list`, `skills/get` and `resources/directory/read`.

use std::collections::BTreeMap;
use std::ops::Bound;

use jackfield_peer::{Incoming, Reply};
use jackfield_protocol::{
    AnyResult, DIRECTORY_MIME_TYPE, ErrorObject, GET_SKILL, GetSkillResult, LIST_SKILLS, ListResourcesResult,
    ListSkillsResult, Outcome, READ_DIRECTORY, RawJson, Resource,
};
use serde::Serialize;

use super::shelf::{gather, is_offered};
use crate::builder::settings::{CacheHint, Item};
use crate::entries::lists;
use crate::routing::router::Router;

/// Answers a method of the extension; none if it is not one, or not offered to this caller.
pub(crate) fn route(router: &Router, method: &str, incoming: &Incoming) -> Option<Reply> {
    if !incoming.caller.revision.has_extensions() || !is_offered(&router.core) {
        return None;
    }
    match method {
        LIST_SKILLS => Some(list(router, incoming)),
        GET_SKILL => Some(get(router, incoming)),
        READ_DIRECTORY => Some(read_directory(router, incoming)),
        _ => None,
    }
}

fn list(router: &Router, incoming: &Incoming) -> Reply {
    let after = lists::open_text(router, incoming, LIST_SKILLS)?;
    let shelf = gather(&router.core);
    let begin = after.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
    let rest = shelf.skills.range::<str, _>((begin, Bound::Unbounded));
    let mut rest = rest.filter(|(uri, _)| shows(router, incoming, uri)).peekable();
    let page: Vec<_> = rest.by_ref().take(router.page_size).map(|(_, entry)| entry.clone()).collect();
    let next = rest.peek().and_then(|_| page.last()).map(|last| lists::seal_text(router, LIST_SKILLS, &last.uri));
    let mut result = ListSkillsResult::new(page);
    result.next_cursor = next;
    result.ttl_ms = router.cache.skills.map(CacheHint::ttl_ms);
    result.cache_scope = router.cache.skills.map(|hint| hint.scope);
    reply(&result)
}

fn get(router: &Router, incoming: &Incoming) -> Reply {
    let uri = incoming.params.string("uri")?;
    let shelf = gather(&router.core);
    let entry = shelf.skills.get(&*uri).filter(|_| shows(router, incoming, &uri));
    let not_found = || ErrorObject::resource_not_found(incoming.caller.revision, &uri);
    let mut result = GetSkillResult::new(entry.cloned().ok_or_else(not_found)?);
    result.ttl_ms = router.cache.skills.map(CacheHint::ttl_ms);
    result.cache_scope = router.cache.skills.map(|hint| hint.scope);
    reply(&result)
}

fn read_directory(router: &Router, incoming: &Incoming) -> Reply {
    let uri = incoming.params.string("uri")?;
    // A cursor belongs to the directory that it was given for.
    let list = format!("{READ_DIRECTORY} {uri}");
    let after = lists::open_text(router, incoming, &list)?;
    let shelf = gather(&router.core);
    let files = shelf.files.values().filter(|file| shows(router, incoming, &file.uri));
    let children = children(&uri, files);
    if children.is_empty() {
        return Err(ErrorObject::resource_not_found(incoming.caller.revision, &uri));
    }
    let begin = after.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
    let mut rest = children.range::<str, _>((begin, Bound::Unbounded)).peekable();
    let page: Vec<_> = rest.by_ref().take(router.page_size).map(|(_, child)| child.clone()).collect();
    let next = rest.peek().and_then(|_| page.last()).map(|last| lists::seal_text(router, &list, &last.uri));
    let mut result = ListResourcesResult::new(page);
    result.next_cursor = next;
    result.ttl_ms = router.cache.resources.map(CacheHint::ttl_ms);
    result.cache_scope = router.cache.resources.map(|hint| hint.scope);
    Ok(Outcome::Complete(result.into()))
}

/// Returns the direct children of a directory: files, and the directories that files further down are in.
fn children<'a>(directory: &str, files: impl Iterator<Item = &'a Resource>) -> BTreeMap<String, Resource> {
    let mut children = BTreeMap::new();
    // What is before the first segment is no directory.
    if directory.split_once("://").is_none_or(|(_, path)| path.is_empty()) {
        return children;
    }
    for file in files {
        let below = file.uri.strip_prefix(directory).and_then(|rest| rest.strip_prefix('/'));
        let Some(below) = below else { continue };
        match below.split_once('/') {
            None => drop(children.insert(file.uri.clone(), file.clone())),
            Some((name, _)) => {
                let uri = format!("{directory}/{name}");
                children.entry(uri.clone()).or_insert_with(|| directory_resource(uri, name));
            }
        }
    }
    children
}

fn directory_resource(uri: String, name: &str) -> Resource {
    Resource::new(uri, name).with_mime_type(DIRECTORY_MIME_TYPE)
}

fn shows(router: &Router, incoming: &Incoming, uri: &str) -> bool {
    router.shows(&incoming.caller, Item::Resource(uri))
}

fn reply(result: &impl Serialize) -> Reply {
    let json = RawJson::new(result).map_err(|error| ErrorObject::internal(error.to_string()))?;
    Ok(Outcome::Complete(AnyResult::Other(json)))
}
