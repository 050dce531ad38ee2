//! `resources/read`, `resources/subscribe` and `resources/unsubscribe`.

use std::sync::Arc;

use jackfield_peer::{Answering, Closed, Incoming, SessionChange};
use jackfield_protocol::error::code;
use jackfield_protocol::{AnyResult, ErrorObject, Outcome, ReadResourceResult, ResourceContents, uri};

use crate::catalog::{Item, Resources};
use crate::core::Core;
use crate::router::{Router, empty};
use crate::run::run;
use crate::settings::{CacheHint, Item as Shown};
use crate::{Address, Cx, Done, Variables, Work};

/// The most resources that a session subscribes to.
const MAX_SUBSCRIPTIONS: usize = 1024;

/// Reads a resource.
pub(crate) fn read(router: &Router, incoming: Incoming) -> Answering {
    match begin(router, incoming) {
        Ok(answering) => answering,
        Err(error) => Answering::ready(Err(error)),
    }
}

fn begin(router: &Router, incoming: Incoming) -> Result<Answering, ErrorObject> {
    let uri = incoming.params.string("uri")?.into_owned();
    uri::check(&uri).map_err(|problem| ErrorObject::invalid_params(format!("parameter `uri`: {problem}")))?;
    let revision = incoming.caller.revision;
    let not_found = || ErrorObject::resource_not_found(revision, &uri);
    let view = router.core.resources.view(&router.core);
    let Some((item, variables)) = view.resolve(&uri).filter(|(item, _)| shows(router, &incoming, item, &uri)) else {
        let hook = router.hooks.read.clone().filter(|_| router.shows(&incoming.caller, Shown::Resource(&uri)));
        let hook = hook.ok_or_else(not_found)?;
        let (cx, error, hint) = (router.cx(incoming), not_found(), hint(router, &uri, None));
        let begin = move |cx| Work::later(async move { hook(uri, cx).await.unwrap_or(Err(error)) });
        return Ok(run(cx, begin, move |result| Ok(with_hint(result, hint))));
    };
    let (item, hint) = (item.clone(), hint(router, &uri, Some(item)));
    let cx = Cx::new(incoming, item.home(&router.core), router.core.clone());
    Ok(run(cx, |cx| work(&item, &uri, variables, cx), {
        let item = item.clone();
        move |result| Ok(with_hint(rename(result, &item), hint))
    }))
}

fn work(item: &Item<Resources>, uri: &str, variables: Variables, cx: Cx) -> Work<ReadResourceResult> {
    item.prepared.entry.handler.read(item.inner_uri(uri), variables, cx)
}

/// Reads a resource for a handler of the same server.
pub(crate) async fn read_inside(core: &Arc<Core>, incoming: Incoming, uri: &str) -> Done<ReadResourceResult> {
    let revision = incoming.caller.revision;
    let not_found = || ErrorObject::resource_not_found(revision, uri);
    let view = core.resources.view(core);
    let Some((item, variables)) = view.resolve(uri) else {
        let hook = core.settings().hooks.read.clone().ok_or_else(not_found)?;
        let cx = Cx::new(incoming, core.clone(), core.clone());
        return hook(uri.to_owned(), cx).await.unwrap_or_else(|| Err(not_found()));
    };
    let item = item.clone();
    let cx = Cx::new(incoming, item.home(core), core.clone());
    let answering = run(cx, |cx| work(&item, uri, variables, cx), {
        let item = item.clone();
        move |result| Ok(AnyResult::ReadResource(rename(result, &item)))
    });
    match answering.reply().await? {
        Outcome::Complete(AnyResult::ReadResource(result)) => Ok(Outcome::Complete(result)),
        Outcome::InputRequired(questions) => Ok(Outcome::InputRequired(questions)),
        _ => Err(ErrorObject::internal("the resource was read in a way that is not known here")),
    }
}

/// Resources of a mounted server have other names out here.
fn rename(mut result: ReadResourceResult, item: &Item<Resources>) -> ReadResourceResult {
    if !item.prefixes.is_empty() {
        for contents in &mut result.contents {
            match contents {
                ResourceContents::Text(text) => text.uri = item.outer_uri(&text.uri),
                ResourceContents::Blob(blob) => blob.uri = item.outer_uri(&blob.uri),
                _ => {}
            }
        }
    }
    result
}

/// Whether the caller may see the resource; a template hides all its resources.
fn shows(router: &Router, incoming: &Incoming, item: &Item<Resources>, uri: &str) -> bool {
    let template = match &item.definition {
        Address::Template(..) => router.shows(&incoming.caller, Shown::Template(&item.name)),
        Address::Static(_) => true,
    };
    template && router.shows(&incoming.caller, Shown::Resource(uri))
}

fn hint(router: &Router, uri: &str, item: Option<&Arc<Item<Resources>>>) -> Option<CacheHint> {
    let by_uri = &router.cache.by_uri;
    let own = by_uri.get(uri).or_else(|| by_uri.get(&item?.name)).copied();
    own.or(router.cache.contents)
}

fn with_hint(mut result: ReadResourceResult, hint: Option<CacheHint>) -> AnyResult {
    result.ttl_ms = result.ttl_ms.or(hint.map(CacheHint::ttl_ms));
    result.cache_scope = result.cache_scope.or(hint.map(|hint| hint.scope));
    result.into()
}

/// Whether there is a resource that a caller may hear of.
pub(crate) fn can_subscribe(router: &Router, incoming: &Incoming, uri: &str) -> bool {
    if uri::check(uri).is_err() {
        return false;
    }
    match router.core.resources.view(&router.core).resolve(uri) {
        Some((item, _)) => shows(router, incoming, item, uri),
        None => router.hooks.read.is_some() && router.shows(&incoming.caller, Shown::Resource(uri)),
    }
}

/// Subscribes a session to a resource.
pub(crate) fn subscribe(router: &Router, incoming: Incoming) -> Answering {
    let uri = match incoming.params.string("uri") {
        Ok(uri) => uri.into_owned(),
        Err(error) => return Answering::ready(Err(error)),
    };
    if !can_subscribe(router, &incoming, &uri) {
        return Answering::ready(Err(ErrorObject::resource_not_found(incoming.caller.revision, &uri)));
    }
    let Some(session) = incoming.session.clone() else {
        return Answering::ready(Err(ErrorObject::invalid_request("there is no session to subscribe")));
    };
    let (cx, hooks) = (router.cx(incoming), router.hooks.subscribe.clone());
    router.core.hub.session(&session);
    let was_subscribed = session.is_subscribed(&uri);
    if !session.subscribe(&uri, MAX_SUBSCRIPTIONS) {
        let message = format!("a session subscribes to at most {MAX_SUBSCRIPTIONS} resources");
        return Answering::ready(Err(ErrorObject::new(code::TOO_MANY_REQUESTS, message)));
    }
    let kept = session.outlet().keep(SessionChange::Subscribed { uri: &uri, after: router.core.hub.place() });
    if hooks.is_empty() && kept.is_none() {
        return Answering::ready(empty());
    }
    Answering::later(async move {
        // The session hears of changes from before the hook runs, so that none is lost in between.
        let begun = async {
            wait_for(kept).await?;
            for hook in hooks {
                hook(uri.clone(), cx.clone()).await?;
            }
            empty()
        };
        let begun = begun.await;
        // What was there before stays as it was.
        if begun.is_err() && !was_subscribed {
            session.unsubscribe(&uri);
            wait_for(session.outlet().keep(SessionChange::Unsubscribed(&uri))).await.ok();
        }
        begun
    })
}

/// Waits until other nodes know of a change of a session.
pub(crate) async fn wait_for<F>(kept: Option<F>) -> Result<(), ErrorObject>
where
    F: Future<Output = Result<(), Closed>>,
{
    let Some(kept) = kept else { return Ok(()) };
    kept.await.map_err(|Closed| {
        ErrorObject::new(code::UNAVAILABLE, "the session can not be changed at the moment; try again in a moment")
    })
}

/// Ends the subscription of a session.
pub(crate) fn unsubscribe(router: &Router, incoming: Incoming) -> Answering {
    let uri = match incoming.params.string("uri") {
        Ok(uri) => uri.into_owned(),
        Err(error) => return Answering::ready(Err(error)),
    };
    let mut kept = None;
    if let Some(session) = &incoming.session {
        session.unsubscribe(&uri);
        router.core.hub.session(session).drop_resource(&uri);
        kept = session.outlet().keep(SessionChange::Unsubscribed(&uri));
    }
    let hooks = router.hooks.unsubscribe.clone();
    if hooks.is_empty() && kept.is_none() {
        return Answering::ready(empty());
    }
    let cx = router.cx(incoming);
    Answering::later(async move {
        wait_for(kept).await?;
        for hook in hooks {
            hook(uri.clone(), cx.clone()).await?;
        }
        empty()
    })
}
