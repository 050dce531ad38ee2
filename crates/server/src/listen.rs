//! `subscriptions/listen`: a stream of the notices that a client asks for; since 2026-07-28.

use std::sync::Arc;

use jackfield_peer::{Answering, Incoming, Reply, RequestKey, Shutdown};
use jackfield_protocol::error::code;
use jackfield_protocol::{
    CancelledParams, ErrorObject, ListenParams, ListenResult, Notification, Outcome, RequestId, SubscriptionFilter,
    SubscriptionsAcknowledgedParams,
};

use crate::Cx;
use crate::changes::{Inbox, OpenStream, encode, subscription_meta};
use crate::hooks::Hooks;
use crate::resources::can_subscribe;
use crate::router::Router;

/// The most resources that one stream is about.
const MAX_URIS: usize = 1024;

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
    let honoured = honoured(router, &incoming, asked.notifications);
    let most = router.listen_streams;
    let open = router.core.hub.open_stream(&incoming.caller, &incoming.outlet, most);
    let open = open.ok_or_else(|| {
        ErrorObject::new(code::TOO_MANY_REQUESTS, format!("more than {most} listen streams are open"))
    })?;
    let inbox = Arc::new(Inbox::of(&honoured));
    router.core.hub.listen(&inbox);
    let (key, hooks, stopping) = (incoming.key, router.hooks.clone(), router.core.hub.stopping());
    Ok(Stream { id, key, cx: router.cx(incoming), honoured, inbox, hooks, stopping, _open: open })
}

/// Leaves out what this server has no notices for, and resources that the caller can not read.
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
    inbox: Arc<Inbox>,
    hooks: Hooks,
    stopping: Shutdown,
    _open: OpenStream,
}

impl Stream {
    async fn run(self) -> Reply {
        let outlet = self.cx.call().incoming.outlet.clone();
        let ending = outlet.shutdown();
        // The acknowledgement is the first message of the stream, whatever happens meanwhile.
        let mut acknowledged = SubscriptionsAcknowledgedParams::new(self.honoured.clone());
        acknowledged.meta = Some(subscription_meta(&self.id));
        if !self.send(encode(acknowledged.into(), self.cx.revision())).await {
            return self.result();
        }
        let watched = Watched::new(&self).await;
        loop {
            tokio::select! {
                biased;
                () = ending.triggered() => break,
                () = self.stopping.triggered() => break,
                () = self.inbox.arrived() => {
                    // While the client does not read, changes are gathered; many of a kind become one.
                    for change in self.inbox.take() {
                        if !self.send(change.encode(self.cx.revision(), Some(&self.id))).await {
                            return self.result();
                        }
                    }
                }
            }
        }
        watched.end().await;
        let mut cancelled = CancelledParams::new(self.id.clone()).with_reason("the server ends the stream");
        cancelled.meta = Some(subscription_meta(&self.id));
        self.send(encode(Notification::Cancelled(cancelled), self.cx.revision())).await;
        self.result()
    }

    async fn send(&self, message: Vec<u8>) -> bool {
        self.cx.call().incoming.outlet.notify(self.key, message).await.is_ok()
    }

    fn result(&self) -> Reply {
        Ok(Outcome::Complete(ListenResult::new(&self.id).into()))
    }
}

/// The resources whose hooks have been told that someone watches; they are told when nobody does any more.
struct Watched<'a> {
    stream: &'a Stream,
    uris: Vec<String>,
}

impl<'a> Watched<'a> {
    async fn new(stream: &'a Stream) -> Self {
        let mut uris = Vec::new();
        if !stream.hooks.subscribe.is_empty() || !stream.hooks.unsubscribe.is_empty() {
            for uri in stream.honoured.resource_subscriptions.iter().flatten() {
                for hook in &stream.hooks.subscribe {
                    if let Err(error) = hook(uri.clone(), stream.cx.clone()).await {
                        tracing::debug!(uri, %error, "a subscription was refused");
                        stream.inbox.unsubscribe(uri);
                    }
                }
                uris.push(uri.clone());
            }
        }
        Self { stream, uris }
    }

    async fn end(self) {
        for uri in self.uris {
            for hook in &self.stream.hooks.unsubscribe {
                if let Err(error) = hook(uri.clone(), self.stream.cx.clone()).await {
                    tracing::debug!(uri, %error, "the end of a subscription was refused");
                }
            }
        }
    }
}
