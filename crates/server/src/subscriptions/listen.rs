//! `subscriptions/listen`: a stream of the notices that a client asks for; since 2026-07-28.

use std::sync::Arc;

use jackfield_peer::{Answering, Incoming, Reply, RequestKey, Shutdown};
use jackfield_protocol::error::code;
use jackfield_protocol::{
    CancelledParams, ErrorObject, ListenParams, ListenResult, Notification, Outcome, RequestId, SubscriptionFilter,
    SubscriptionsAcknowledgedParams,
};

use crate::Cx;
use crate::routing::resources::can_subscribe;
use crate::routing::router::Router;
use crate::subscriptions::changes::{Change, Inbox, OpenStream, StreamOwner, encode, subscription_meta};
use crate::subscriptions::watched::Watched;
use crate::tasks::{Subscribed, TaskRuntime, Updates, missing_extension, speaks_extension};

/// The most resources that one stream is about.
const MAX_URIS: usize = 1024;
/// The most tasks that one stream is about.
const MAX_TASKS: usize = 256;

/// Opens a stream.
pub(crate) fn listen(router: &Router, incoming: Incoming) -> Answering {
    match begin(router, incoming) {
        Ok(stream) => Answering::later(stream.run()),
        Err(error) => Answering::ready(Err(error)),
    }
}

fn begin(router: &Router, incoming: Incoming) -> Result<Stream, ErrorObject> {
    let asked: ListenParams = incoming.params.decode()?;
    let id = incoming.id.as_ref().and_then(|id| id.decode());
    let id = id.ok_or_else(|| ErrorObject::invalid_request("a listen stream needs an id"))?;
    if asked.notifications.resource_subscriptions.as_ref().is_some_and(|uris| uris.len() > MAX_URIS) {
        return Err(ErrorObject::invalid_params(format!("a stream is about at most {MAX_URIS} resources")));
    }
    let mut asked = asked.notifications;
    let wanted_tasks = wanted_tasks(router, &incoming, asked.task_ids.take())?;
    let honoured = honoured(router, &incoming, asked);
    let most = router.listen_streams;
    let owner = StreamOwner::of(&incoming.caller, &incoming.outlet);
    let open = router.core.hub.open_stream(owner.clone(), most);
    let open = open.ok_or_else(|| {
        ErrorObject::new(code::TOO_MANY_REQUESTS, format!("more than {most} listen streams are open"))
    })?;
    // Changes are gathered from now on, so that none is lost while hooks run.
    let inbox = Arc::new(Inbox::of(&honoured, owner));
    router.core.hub.listen(&inbox);
    let (key, stopping) = (incoming.key, router.stopping.clone());
    let (tasks, runtime) = (Updates::default(), router.tasks.clone());
    let cx = router.cx(incoming);
    let watched = Watched::new(&router.hooks, &cx);
    Ok(Stream { id, key, cx, honoured, wanted_tasks, inbox, stopping, watched, tasks, runtime, _open: open })
}

/// Returns the tasks that a client wants to hear of; a server without tasks leaves them out.
fn wanted_tasks(
    router: &Router,
    incoming: &Incoming,
    asked: Option<Vec<String>>,
) -> Result<Option<Vec<String>>, ErrorObject> {
    let Some(ids) = asked.filter(|_| router.has_tasks()) else { return Ok(None) };
    if !speaks_extension(&incoming.caller) {
        return Err(missing_extension());
    }
    if ids.len() > MAX_TASKS {
        return Err(ErrorObject::invalid_params(format!("a stream is about at most {MAX_TASKS} tasks")));
    }
    Ok(Some(ids))
}

/// Leaves out what this server has no notices for, and resources that the caller cannot read.
fn honoured(router: &Router, incoming: &Incoming, asked: SubscriptionFilter) -> SubscriptionFilter {
    let core = &router.core;
    let has_resources = core.resources.is_announced(core);
    let mut honoured = SubscriptionFilter::default();
    honoured.tools_list_changed = asked.tools_list_changed.filter(|wanted| *wanted && core.tools.is_announced(core));
    honoured.prompts_list_changed =
        asked.prompts_list_changed.filter(|wanted| *wanted && core.prompts.is_announced(core));
    honoured.resources_list_changed = asked.resources_list_changed.filter(|wanted| *wanted && has_resources);
    honoured.resource_subscriptions = asked.resource_subscriptions.filter(|_| has_resources).map(|mut uris| {
        uris.retain(|uri| can_subscribe(router, incoming, uri));
        uris
    });
    honoured
}

/// A stream that is open.
struct Stream {
    id: RequestId,
    key: Option<RequestKey>,
    cx: Cx,
    honoured: SubscriptionFilter,
    wanted_tasks: Option<Vec<String>>,
    inbox: Arc<Inbox>,
    stopping: Shutdown,
    watched: Watched,
    tasks: Updates,
    runtime: Arc<TaskRuntime>,
    _open: OpenStream,
}

impl Stream {
    async fn run(mut self) -> Reply {
        let ending = self.cx.call().incoming.outlet.shutdown();
        self.watch().await;
        if let Some(wanted) = self.wanted_tasks.take() {
            let Subscribed { updates, ids } =
                Updates::subscribe(&self.runtime, &self.cx.call().incoming, wanted).await?;
            (self.tasks, self.honoured.task_ids) = (updates, Some(ids));
        }
        // The acknowledgement is the first message of the stream, whatever happens meanwhile.
        let mut acknowledged = SubscriptionsAcknowledgedParams::new(self.honoured.clone());
        acknowledged.meta = Some(subscription_meta(&self.id));
        if !self.send(encode(acknowledged.into(), self.cx.revision())).await {
            return self.result();
        }
        loop {
            tokio::select! {
                biased;
                () = ending.triggered() => break,
                () = self.stopping.triggered() => break,
                task = self.tasks.next() => {
                    let mut task = task;
                    task.meta.get_or_insert_default().extend(subscription_meta(&self.id));
                    if !self.send(encode(task.into(), self.cx.revision())).await {
                        return self.result();
                    }
                }
                () = self.inbox.arrived() => {
                    // While the client does not read, changes are gathered; many of a kind become one.
                    for change in self.inbox.take().into_keys() {
                        if !self.sends(&change) {
                            continue;
                        }
                        if !self.send(change.encode(self.cx.revision(), Some(&self.id))).await {
                            return self.result();
                        }
                    }
                }
            }
        }
        // What a hook says to the end of a stream changes nothing.
        self.watched.end().await.ok();
        let mut cancelled = CancelledParams::new(self.id.clone()).with_reason("the server ends the stream");
        cancelled.meta = Some(subscription_meta(&self.id));
        self.send(encode(Notification::Cancelled(cancelled), self.cx.revision())).await;
        self.result()
    }

    /// Tells the hooks which resources are watched; what they refuse is taken out.
    async fn watch(&mut self) {
        let Some(asked) = self.honoured.resource_subscriptions.take() else { return };
        let mut honoured = Vec::with_capacity(asked.len());
        for uri in asked {
            match self.watched.add(&uri).await {
                Ok(()) => honoured.push(uri),
                Err(error) => tracing::debug!(uri, %error, "a subscription was refused"),
            }
        }
        self.honoured.resource_subscriptions = Some(honoured);
    }

    /// A hook may have refused a resource after its changes began to be gathered.
    fn sends(&self, change: &Change) -> bool {
        match change {
            Change::Resource(uri) => self.honoured.resource_subscriptions.iter().flatten().any(|known| known == uri),
            _ => true,
        }
    }

    async fn send(&self, message: Vec<u8>) -> bool {
        self.cx.call().incoming.outlet.notify(self.key, message).await.is_ok()
    }

    fn result(&self) -> Reply {
        Ok(Outcome::Complete(ListenResult::new(&self.id).into()))
    }
}
