//! A subscription: the server's notices of change as one stream, in every revision.

use std::future::{IntoFuture, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_core::Stream;
use jackfield_peer::Backoff;
use jackfield_protocol::{ClientRequest, EmptyResult, Method, SubscribeParams, SubscriptionFilter, UnsubscribeParams};

use tokio::time::Sleep;

use crate::client::Client;
use crate::connection::Session;
use crate::connection::{Core, State};
use crate::error::Cause;
use crate::request::RequestOptions;
use crate::request::cancel;
use crate::request::{Fault, PendingEvent};
use crate::subscriptions::{IsLast, Mailbox};
use crate::{BadAnswer, BoxFuture, Error};

/// Something changed at the server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// The list of tools.
    ToolsChanged,
    /// The list of prompts.
    PromptsChanged,
    /// The list of resources.
    ResourcesChanged,
    /// The resource with this URI.
    ResourceUpdated(String),
    /// Notices may have been lost, because the server was started again or sent too many: look at everything anew.
    Reconnected,
}

/// What to subscribe to. Await it to get the [`Subscription`].
#[derive(Debug)]
#[must_use = "a subscription begins when it is awaited"]
pub struct Subscribe {
    client: Client,
    wanted: SubscriptionFilter,
}

impl Subscribe {
    pub(crate) fn new(client: Client) -> Self {
        Self { client, wanted: SubscriptionFilter::default() }
    }

    /// Wants to know when the list of tools changes.
    pub fn tools(mut self) -> Self {
        self.wanted.tools_list_changed = Some(true);
        self
    }

    /// Wants to know when the list of prompts changes.
    pub fn prompts(mut self) -> Self {
        self.wanted.prompts_list_changed = Some(true);
        self
    }

    /// Wants to know when the list of resources changes.
    pub fn resources(mut self) -> Self {
        self.wanted.resources_list_changed = Some(true);
        self
    }

    /// Wants to know when a resource changes.
    pub fn resource(mut self, uri: impl Into<String>) -> Self {
        self.wanted.resource_subscriptions.get_or_insert_default().push(uri.into());
        self
    }

    async fn open(self) -> Result<Subscription, Error> {
        let Self { client, wanted } = self;
        let core = client.core().clone();
        let session = core.session(core.options.timeouts.request).await?;
        let mailbox = core.subscriptions.add(wanted, core.options.limits.events);
        // From here on, dropping it takes everything back.
        let mut subscription = Subscription {
            client,
            mailbox,
            ended: false,
            was_open: false,
            reopening: Reopening { backoff: core.options.restarts.backoff(), wait: None },
            room: None,
        };
        if session.revision.has_listen_streams() {
            core.open_subscription(&session, &subscription.mailbox)?;
            subscription.acknowledgement().await?;
        } else {
            let capabilities = session.about.capabilities.resources.clone().unwrap_or_default();
            let uris: Vec<_> = subscription.mailbox.uris().map(str::to_owned).collect();
            if !uris.is_empty() && capabilities.subscribe != Some(true) {
                return Err(Cause::NotOffered("subscriptions to resources").into());
            }
            for uri in uris {
                let request = ClientRequest::Subscribe(SubscribeParams::new(uri));
                let _: EmptyResult = core.request(&session, request, &mut RequestOptions::new(&core)).await?;
            }
            let honoured = legacy_filter(&subscription.mailbox.wanted, &session.about.capabilities);
            subscription.mailbox.mail().acknowledged = Some(honoured);
        }
        subscription.was_open = true;
        Ok(subscription)
    }
}

/// What a server of the legacy era will send, by its capabilities.
fn legacy_filter(
    wanted: &SubscriptionFilter,
    capabilities: &jackfield_protocol::ServerCapabilities,
) -> SubscriptionFilter {
    let mut filter = wanted.clone();
    let keep = |wanted: Option<bool>, offered: Option<bool>| wanted.filter(|_| offered == Some(true));
    let tools = capabilities.tools.as_ref().and_then(|tools| tools.list_changed);
    let prompts = capabilities.prompts.as_ref().and_then(|prompts| prompts.list_changed);
    let resources = capabilities.resources.as_ref().and_then(|resources| resources.list_changed);
    filter.tools_list_changed = keep(filter.tools_list_changed, tools);
    filter.prompts_list_changed = keep(filter.prompts_list_changed, prompts);
    filter.resources_list_changed = keep(filter.resources_list_changed, resources);
    filter
}

impl IntoFuture for Subscribe {
    type Output = Result<Subscription, Error>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.open())
    }
}

/// The server's notices of change, as a stream. Notices that were not looked at yet are merged, so the stream never grows.
///
/// It goes on when the server is started again, and ends when the server ends it or the client is closed. Dropping it
/// tells the server that notices are no longer wanted.
#[derive(Debug)]
pub struct Subscription {
    client: Client,
    mailbox: Arc<Mailbox>,
    ended: bool,
    /// The server has taken it once, so it is opened again while that may succeed.
    was_open: bool,
    reopening: Reopening,
    /// Ends when there may be room for another request.
    room: Option<Pin<Box<Sleep>>>,
}

/// How long to wait for room while too many requests wait for an answer.
const ROOM_AFTER: Duration = Duration::from_secs(1);

/// The stream of a subscription broke while the connection goes on, so it is opened again after a while.
#[derive(Debug)]
struct Reopening {
    backoff: Backoff,
    wait: Option<Pin<Box<Sleep>>>,
}

impl Subscription {
    /// Waits for the next notice; `None` when there will be no more.
    ///
    /// # Errors
    /// The server refused the subscription, possibly after it was started again, or it could not be asked for it again although the
    /// connection goes on. The stream ends then.
    ///
    /// # Cancellation
    /// Nothing is lost.
    pub async fn next(&mut self) -> Option<Result<Event, Error>> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    /// Returns what the server said it will send; it may be less than what was asked for.
    #[must_use]
    pub fn acknowledged(&self) -> SubscriptionFilter {
        self.mailbox.mail().acknowledged.clone().unwrap_or_default()
    }

    /// Waits until the server has said what it will send.
    async fn acknowledgement(&mut self) -> Result<(), Error> {
        let limit = self.client.core().options.timeouts.request;
        let acknowledged = poll_fn(|cx| {
            loop {
                if self.mailbox.mail().acknowledged.is_some() {
                    return Poll::Ready(Ok(()));
                }
                match self.poll_end(cx) {
                    Poll::Ready(Some(error)) => return Poll::Ready(Err(error)),
                    Poll::Ready(None) => {
                        return Poll::Ready(Err(Error::bad_answer(Method::Listen.name(), BadAnswer::Kind)));
                    }
                    // That the stream was opened again is no news before it has begun, and no acknowledgement either.
                    Poll::Pending => drop(ready!(self.mailbox.poll(cx))),
                }
            }
        });
        tokio::time::timeout(limit, acknowledged)
            .await
            .unwrap_or_else(|_| Err(Error::timed_out(Method::Listen.name(), limit)))
    }

    /// PollTimer whether the listen request has been answered, which ends the stream.
    fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<Option<Error>> {
        let core = self.client.core().clone();
        if matches!(*core.state.borrow(), State::Closed(_)) {
            return Poll::Ready(None);
        }
        if self.reopening.wait.is_some() {
            return self.poll_reopening(cx);
        }
        if let Some(error) = self.mailbox.mail().failure.take() {
            return Poll::Ready(Some(error));
        }
        let Some(id) = self.mailbox.mail().listen else { return self.poll_subscribing(cx) };
        let method = Method::Listen.name();
        match core.pending.poll(id, cx) {
            Poll::Ready(PendingEvent::Answer(Ok(_))) => Poll::Ready(None),
            Poll::Ready(PendingEvent::Answer(Err(Fault::Server(error)))) => {
                Poll::Ready(Some(Error::server(method, error)))
            }
            Poll::Ready(PendingEvent::Answer(Err(Fault::Bad(cause)))) => {
                let may_pass = matches!(cause, BadAnswer::Status(429 | 500..=599));
                let error = Error::bad_answer(method, cause);
                if self.was_open && may_pass { self.lost(error, cx) } else { Poll::Ready(Some(error)) }
            }
            Poll::Ready(PendingEvent::Answer(Err(Fault::Lost(cause)))) => {
                let error = Error::lost(method, cause);
                self.lost(error, cx)
            }
            Poll::Ready(PendingEvent::Answer(Err(Fault::Unreachable(cause)))) => {
                self.lost(Cause::Connect(cause).into(), cx)
            }
            Poll::Ready(_) | Poll::Pending => Poll::Pending,
        }
    }

    /// Asks a new connection for the resources, one after the other, and looks whether one is refused.
    fn poll_subscribing(&mut self, cx: &mut Context<'_>) -> Poll<Option<Error>> {
        let core = self.client.core().clone();
        let session = core.session_now();
        loop {
            if let Some(refusal) = self.refusal(session.as_ref(), cx) {
                return Poll::Ready(Some(refusal));
            }
            let Some(session) = &session else { return Poll::Pending };
            match core.subscribe_next(session, &self.mailbox) {
                Ok(None) => return Poll::Pending,
                // Whoever polls comes back for the notice that waited for this.
                Ok(Some(IsLast(true))) => cx.waker().wake_by_ref(),
                Ok(Some(IsLast(false))) => {}
                // Others wait for the server; it has refused nothing.
                Err(error) if error.is_limit() => return self.poll_room(cx),
                // The next connection is asked for everything again.
                Err(error) if error.is_closed() => return Poll::Pending,
                Err(error) => return Poll::Ready(Some(error)),
            }
        }
    }

    /// PollTimer at the answers to what a connection was asked for.
    fn refusal(&self, session: Option<&Arc<Session>>, cx: &mut Context<'_>) -> Option<Error> {
        let core = self.client.core();
        let method = Method::Subscribe.name();
        let mut refusal = None;
        self.mailbox.mail().subscribing.retain(|id| {
            let Poll::Ready(found) = core.pending.poll(*id, cx) else { return true };
            core.pending.release(*id);
            let error = match found {
                PendingEvent::Answer(Err(fault)) => Some(fault.into_error(method)),
                PendingEvent::Overdue => Some(Error::timed_out(method, core.options.timeouts.request)),
                PendingEvent::Answer(Ok(_)) | PendingEvent::Progress(_) => None,
            };
            // What was lost with its connection is sent again on the next one.
            refusal = refusal.take().or(error.filter(|error| !error.is_closed() || goes_on(core, session)));
            false
        });
        refusal
    }

    /// Comes back after a while, or when one of the requests is answered.
    fn poll_room(&mut self, cx: &mut Context<'_>) -> Poll<Option<Error>> {
        let wait = self.room.insert(Box::pin(tokio::time::sleep(ROOM_AFTER)));
        if wait.as_mut().poll(cx).is_ready() {
            cx.waker().wake_by_ref();
        }
        Poll::Pending
    }

    /// The stream broke. With a connection that is over too, the subscription is opened again by the next one; otherwise here,
    /// as often as a server is started again.
    fn lost(&mut self, error: Error, cx: &mut Context<'_>) -> Poll<Option<Error>> {
        let core = self.client.core().clone();
        if core.session_now().is_none() {
            return Poll::Pending;
        }
        if self.mailbox.mail().acknowledged.is_some() {
            self.reopening.backoff.reset();
        }
        if self.reopening.backoff.attempts() >= core.options.restarts.limit {
            return Poll::Ready(Some(error));
        }
        self.reopening.wait = Some(Box::pin(tokio::time::sleep(self.reopening.backoff.next_wait())));
        self.poll_reopening(cx)
    }

    fn poll_reopening(&mut self, cx: &mut Context<'_>) -> Poll<Option<Error>> {
        if let Some(wait) = &mut self.reopening.wait {
            ready!(wait.as_mut().poll(cx));
        }
        self.reopening.wait = None;
        let core = self.client.core().clone();
        let Some(session) = core.session_now() else { return Poll::Pending };
        if let Some(old) = self.mailbox.mail().listen.take() {
            core.pending.release(old);
        }
        match core.open_subscription(&session, &self.mailbox) {
            Ok(()) => {
                core.forget_everything();
                self.mailbox.note_gap();
                // Whoever polls comes back for the notice, and then waits for the new stream.
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            Err(error) => Poll::Ready(Some(error)),
        }
    }
}

/// Whether the connection is still the same.
fn goes_on(core: &Core, session: Option<&Arc<Session>>) -> bool {
    core.session_now().zip(session).is_some_and(|(now, before)| Arc::ptr_eq(&now, before))
}

impl Stream for Subscription {
    type Item = Result<Event, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.ended {
            return Poll::Ready(None);
        }
        if let Poll::Ready(event) = self.mailbox.poll(cx) {
            return Poll::Ready(Some(Ok(event)));
        }
        self.poll_end(cx).map(|error| {
            self.ended = true;
            error.map(Err)
        })
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let core = self.client.core();
        core.subscriptions.remove(&self.mailbox);
        let unanswered: Vec<u64> = self.mailbox.take_requests().filter(|id| core.pending.release(*id)).collect();
        let Some(session) = core.session_now() else { return };
        for id in unanswered {
            cancel(&session, id, "the subscription is no longer needed");
        }
        if !session.revision.has_listen_streams() {
            for uri in self.mailbox.uris().filter(|uri| !core.subscriptions.wants_resource(uri)) {
                core.send_and_forget(&session, ClientRequest::Unsubscribe(UnsubscribeParams::new(uri)));
            }
        }
    }
}
