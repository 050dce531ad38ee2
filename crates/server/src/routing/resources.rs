//! `resources/read`, `resources/subscribe` and `resources/unsubscribe`.

use std::pin::Pin;
use std::sync::Arc;

use jackfield_peer::{Answering, Caller, Closed, Incoming, Reply, Session, SessionChange};
use jackfield_protocol::envelope::Params;
use jackfield_protocol::error::code;
use jackfield_protocol::{AnyResult, ErrorObject, Outcome, ReadResourceResult, ResourceContents, uri};

use crate::builder::core::Core;
use crate::builder::settings::{CacheHint, Item as Shown};
use crate::entries::catalog::{Item, Resources};
use crate::routing::hooks::ReadHook;
use crate::routing::router::{Router, empty};
use crate::routing::run::run;
use crate::subscriptions::changes::SessionInbox;
use crate::subscriptions::watched::{Watched, lasting_cx};
use crate::{Address, Cx, Done, Reading, Variables, Work};

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
    check_uri(&uri)?;
    let view = router.core.resources.view(&router.core);
    let sees = |shown: Shown<'_>| router.shows(&incoming.caller, shown);
    let Some((item, variables)) = view.resolve(&uri).filter(|(item, _)| shows(sees, item, &uri)) else {
        let hook = router.hooks.read.clone().filter(|_| sees(Shown::Resource(&uri)));
        let hook = hook.ok_or_else(|| ErrorObject::resource_not_found(incoming.caller.revision, &uri))?;
        let (cx, hint) = (router.cx(incoming), hint(router, &uri, None));
        return Ok(run(cx, |cx| hooked(hook, uri, cx.clone()), move |result, _| Ok(with_hint(result, hint))));
    };
    let (item, hint) = (item.clone(), hint(router, &uri, Some(item)));
    let cx = Cx::new(incoming, item.home(&router.core), router.core.clone());
    Ok(run(cx, |cx| work(&item, &uri, variables, cx.clone()), {
        let rename = Rename::new(&item, &uri);
        move |result, _| Ok(with_hint(rename.apply(result), hint))
    }))
}

fn check_uri(uri: &str) -> Result<(), ErrorObject> {
    uri::check(uri).map_err(|problem| ErrorObject::invalid_params(format!("parameter `uri`: {problem}")))
}

fn work(item: &Item<Resources>, uri: &str, variables: Variables, cx: Cx) -> Work<ReadResourceResult> {
    let reading = Reading::new(item.inner_uri(uri), item.definition.mime_type().map(Into::into), cx.revision());
    item.prepared.entry.handler.read(reading, variables, cx)
}

fn hooked(hook: ReadHook, uri: String, cx: Cx) -> Work<ReadResourceResult> {
    let not_found = ErrorObject::resource_not_found(cx.revision(), &uri);
    Work::later(async move { hook(uri, cx).await.unwrap_or(Err(not_found)) })
}

/// Reads a resource for a handler, by the name that it has in the handler's own server. What the caller may not see is not found.
pub(crate) async fn read_inside(cx: &Cx, uri: &str) -> Done<ReadResourceResult> {
    check_uri(uri)?;
    let (core, outer) = (cx.call().core().clone(), cx.call().outer.clone());
    let mut incoming = cx.call().incoming.clone();
    incoming.params = Params::from_value(&serde_json::json!({ "uri": uri }))?;
    let view = core.resources.view(&core);
    let sees = |shown: Shown<'_>| sees_inside(&core, &outer, &incoming.caller, shown);
    let found = view.resolve(uri).filter(|(item, _)| shows(sees, item, uri));
    let answering = match found {
        Some((item, variables)) => {
            let rename = Rename::new(item, uri);
            let cx = Cx::new(incoming, item.home(&core), outer);
            run(cx, |cx| work(item, uri, variables, cx.clone()), move |result, _| Ok(rename.apply(result).into()))
        }
        None => {
            let hook = core.fixed().read.clone();
            let hook = hook.filter(|_| sees(Shown::Resource(uri)));
            let hook = hook.ok_or_else(|| ErrorObject::resource_not_found(cx.revision(), uri))?;
            let cx = Cx::new(incoming, core.clone(), outer);
            run(cx, |cx| hooked(hook, uri.to_owned(), cx.clone()), |result, _| Ok(result.into()))
        }
    };
    match answering.reply().await? {
        Outcome::Complete(AnyResult::ReadResource(result)) => Ok(Outcome::Complete(result)),
        Outcome::InputRequired(questions) => Ok(Outcome::InputRequired(questions)),
        _ => Err(ErrorObject::internal("the resource was read in a way that is not known here")),
    }
}

/// Whether a caller may see something of a server that may be mounted in another: both have a say, each by its own names.
fn sees_inside(core: &Arc<Core>, outer: &Arc<Core>, caller: &Caller, shown: Shown<'_>) -> bool {
    if core.fixed().visible_to.as_ref().is_some_and(|visible| !visible(caller, shown)) {
        return false;
    }
    let visible = outer.fixed().visible_to.as_ref().filter(|_| !Arc::ptr_eq(core, outer));
    let Some(visible) = visible else { return true };
    let prefixes = core.prefixes_in(outer);
    let out_there = |uri: &str| prefixes.iter().fold(uri.to_owned(), |uri, prefix| prefix.uri(&uri));
    match shown {
        Shown::Resource(uri) => visible(caller, Shown::Resource(&core.outer_uri(&prefixes, uri))),
        Shown::Template(template) => visible(caller, Shown::Template(&out_there(template))),
        other => visible(caller, other),
    }
}

/// Resources of a mounted server have other names out here.
struct Rename {
    /// The item, what was asked for, and what the mounted server calls that.
    mounted: Option<(Arc<Item<Resources>>, String, String)>,
}

impl Rename {
    fn new(item: &Arc<Item<Resources>>, asked: &str) -> Self {
        let is_mounted = !item.prefixes.is_empty();
        Self { mounted: is_mounted.then(|| (item.clone(), asked.to_owned(), item.inner_uri(asked))) }
    }

    fn apply(&self, mut result: ReadResourceResult) -> ReadResourceResult {
        let Some((item, asked, inner)) = &self.mounted else { return result };
        let rename = |uri: &mut String| *uri = if uri == inner { asked.clone() } else { item.outer_uri(uri) };
        for contents in &mut result.contents {
            match contents {
                ResourceContents::Text(text) => rename(&mut text.uri),
                ResourceContents::Blob(blob) => rename(&mut blob.uri),
                _ => {}
            }
        }
        result
    }
}

/// Whether someone who sees so much sees the resource; a template hides all its resources.
fn shows(sees: impl Fn(Shown<'_>) -> bool, item: &Item<Resources>, uri: &str) -> bool {
    let template = match &item.definition {
        Address::Template(..) => sees(Shown::Template(&item.name)),
        Address::Static(_) => true,
    };
    template && sees(Shown::Resource(uri))
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
    let sees = |shown: Shown<'_>| router.shows(&incoming.caller, shown);
    match router.core.resources.view(&router.core).resolve(uri) {
        Some((item, _)) => shows(sees, item, uri),
        None => router.hooks.read.is_some() && sees(Shown::Resource(uri)),
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
    let inbox = router.core.hub.session(&session);
    let was_subscribed = session.is_subscribed(&uri);
    // Another node may have heard of the end of an earlier subscription, of which hooks here do not know yet.
    let ended = if was_subscribed { Watched::default() } else { inbox.unwatch(&uri) };
    if !inbox.attempts.begin(&session, &uri, MAX_SUBSCRIPTIONS) {
        let message = format!("a session subscribes to at most {MAX_SUBSCRIPTIONS} resources");
        return Answering::ready(Err(ErrorObject::new(code::TOO_MANY_REQUESTS, message)));
    }
    let kept = session.outlet().keep(SessionChange::Subscribed { uri: &uri, after: router.core.hub.place() });
    let is_watched = was_subscribed && inbox.watches(&uri);
    let cx = router.cx(incoming);
    // Hooks that know of it are not asked again.
    let watched = if is_watched { Watched::default() } else { Watched::new(&router.hooks, &cx) };
    let is_over = false;
    let mut subscribing = Subscribing { session, uri, inbox, core: router.core.clone(), is_over, withdrawal: None };
    if kept.is_none() && watched.tells_nobody() {
        subscribing.end(true);
        return Answering::ready(empty());
    }
    Answering::later(subscribing.run(kept, ended, watched, cx))
}

/// A change of a session on its way to other nodes.
type Keeping = Pin<Box<dyn Future<Output = Result<(), Closed>> + Send>>;

/// A request that subscribes a session, and is not done yet. Dropping it takes back what was done for it.
struct Subscribing {
    session: Arc<Session>,
    uri: String,
    inbox: Arc<SessionInbox>,
    core: Arc<Core>,
    is_over: bool,
    /// What tells other nodes that it came to nothing, until they know.
    withdrawal: Option<Keeping>,
}

impl Subscribing {
    async fn run(mut self, kept: Option<Keeping>, mut ended: Watched, mut watched: Watched, cx: Cx) -> Reply {
        let begun = async {
            // The session hears of changes from before the hooks run, so that none is lost in between.
            wait_for(kept).await?;
            ended.end().await.ok();
            watched.add(&self.uri).await
        };
        if let Err(error) = begun.await {
            self.end(false);
            // The client may try again as soon as it is answered, and that must not be undone.
            if let Some(withdrawal) = &mut self.withdrawal {
                withdrawal.await.ok();
                self.withdrawal = None;
            }
            return Err(error);
        }
        self.inbox.watch(watched.with(&lasting_cx(&cx, &self.session)));
        self.end(true);
        empty()
    }

    fn end(&mut self, succeeded: bool) {
        self.is_over = true;
        if self.inbox.attempts.end(&self.session, &self.uri, succeeded) {
            self.withdrawal = self.session.outlet().keep(SessionChange::Unsubscribed(&self.uri));
        }
    }
}

impl Drop for Subscribing {
    fn drop(&mut self) {
        if !self.is_over {
            self.end(false);
        }
        if let Some(withdrawal) = self.withdrawal.take() {
            self.core.hub.spawn(async move { withdrawal.await.unwrap_or_default() });
        }
    }
}

/// Waits until other nodes know of a change of a session.
pub(crate) async fn wait_for<F>(kept: Option<F>) -> Result<(), ErrorObject>
where
    F: Future<Output = Result<(), Closed>>,
{
    let Some(kept) = kept else { return Ok(()) };
    kept.await.map_err(|Closed| {
        ErrorObject::new(code::UNAVAILABLE, "the session cannot be changed at the moment; try again in a moment")
    })
}

/// Ends the subscription of a session.
pub(crate) fn unsubscribe(router: &Router, incoming: Incoming) -> Answering {
    let uri = match incoming.params.string("uri") {
        Ok(uri) => uri.into_owned(),
        Err(error) => return Answering::ready(Err(error)),
    };
    let (mut kept, mut watched) = (None, Watched::default());
    if let Some(session) = &incoming.session {
        session.unsubscribe(&uri);
        watched = router.core.hub.session(session).drop_resource(&uri);
        kept = session.outlet().keep(SessionChange::Unsubscribed(&uri));
    }
    if watched.is_empty() && kept.is_none() {
        return Answering::ready(empty());
    }
    let mut watched = watched.with(&router.cx(incoming));
    Answering::later(async move {
        wait_for(kept).await?;
        watched.end().await?;
        empty()
    })
}
