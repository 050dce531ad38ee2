//! Notices of change: what is subscribed to, and where the notices go.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use jackfield_peer::deadline::after;
use jackfield_protocol::envelope::Params;
use jackfield_protocol::meta::key;
use jackfield_protocol::{
    ClientRequest, ListenParams, Method, RequestId, Revision, SubscribeParams, SubscriptionFilter,
    SubscriptionsAcknowledgedParams,
};

use crate::config::LONGEST_NAME;
use crate::connection::Core;
use crate::connection::Session;
use crate::request::send_request;
use crate::{Error, Event};

/// How many resources one subscription asks for at the same time: all of them at once could be more than may wait for an answer.
const SUBSCRIBING_AT_ONCE: usize = 16;

/// All subscriptions of a client.
#[derive(Debug, Default)]
pub(crate) struct Subscriptions {
    boxes: Mutex<Vec<Arc<Mailbox>>>,
}

/// Where the notices for one subscription wait. Notices say only that something changed, so many become one.
#[derive(Debug)]
pub(crate) struct Mailbox {
    pub(crate) wanted: SubscriptionFilter,
    limit: usize,
    mail: Mutex<Mail>,
}

#[derive(Debug, Default)]
pub(crate) struct Mail {
    /// The open `subscriptions/listen` request; none until 2025-11-25.
    pub(crate) listen: Option<u64>,
    /// The open `resources/subscribe` requests of a new connection; none since 2026-07-28.
    pub(crate) subscribing: Vec<u64>,
    /// The resources that a new connection has not been asked for yet.
    unasked: VecDeque<String>,
    /// Why it could not be opened again.
    pub(crate) failure: Option<Error>,
    /// What the server said it will send.
    pub(crate) acknowledged: Option<SubscriptionFilter>,
    tools: bool,
    prompts: bool,
    resources: bool,
    reconnected: bool,
    updated: BTreeSet<String>,
    waker: Option<Waker>,
}

impl Subscriptions {
    fn boxes(&self) -> MutexGuard<'_, Vec<Arc<Mailbox>>> {
        self.boxes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, wanted: SubscriptionFilter, limit: usize) -> Arc<Mailbox> {
        let mailbox = Arc::new(Mailbox { wanted, limit, mail: Mutex::default() });
        self.boxes().push(mailbox.clone());
        mailbox
    }

    pub(crate) fn remove(&self, mailbox: &Arc<Mailbox>) {
        self.boxes().retain(|other| !Arc::ptr_eq(other, mailbox));
    }

    pub(crate) fn wake_all(&self) {
        let boxes = self.boxes().clone();
        boxes.iter().for_each(|mailbox| mailbox.wake());
    }

    /// Whether another subscription wants notices about a resource.
    pub(crate) fn wants_resource(&self, uri: &str) -> bool {
        let wanted = |mailbox: &Arc<Mailbox>| mailbox.uris().any(|other| other == uri);
        self.boxes().iter().any(wanted)
    }
}

/// Whether all resources have been asked for.
pub(crate) struct IsLast(pub(crate) bool);

impl Mail {
    fn may_ask(&self) -> bool {
        !self.unasked.is_empty() && self.subscribing.len() < SUBSCRIBING_AT_ONCE
    }
}

impl Mailbox {
    pub(crate) fn mail(&self) -> MutexGuard<'_, Mail> {
        self.mail.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn uris(&self) -> impl Iterator<Item = &str> {
        self.wanted.resource_subscriptions.iter().flatten().map(String::as_str)
    }

    /// Takes the ids of all requests that were sent for it, and sends no more.
    pub(crate) fn take_requests(&self) -> impl Iterator<Item = u64> + use<> {
        let mut mail = self.mail();
        mail.unasked.clear();
        let listen = mail.listen.take();
        listen.into_iter().chain(std::mem::take(&mut mail.subscribing))
    }

    /// Notices may have been lost.
    pub(crate) fn note_gap(&self) {
        self.mail().reconnected = true;
        self.wake();
    }

    fn wake(&self) {
        let waker = self.mail().waker.take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Takes the next notice.
    pub(crate) fn poll(&self, cx: &mut Context<'_>) -> Poll<Event> {
        let mut mail = self.mail();
        // Who looks at everything before the server is asked for notices would miss what changes in between.
        if mail.unasked.is_empty() && std::mem::take(&mut mail.reconnected) {
            return Poll::Ready(Event::Reconnected);
        }
        if std::mem::take(&mut mail.tools) {
            return Poll::Ready(Event::ToolsChanged);
        }
        if std::mem::take(&mut mail.prompts) {
            return Poll::Ready(Event::PromptsChanged);
        }
        if std::mem::take(&mut mail.resources) {
            return Poll::Ready(Event::ResourcesChanged);
        }
        if let Some(uri) = mail.updated.pop_first() {
            return Poll::Ready(Event::ResourceUpdated(uri));
        }
        mail.waker = Some(cx.waker().clone());
        Poll::Pending
    }

    fn note(&self, method: Method, uri: Option<&str>) {
        let mut mail = self.mail();
        let wants = |wanted: Option<bool>| wanted == Some(true);
        match (method, uri) {
            (Method::ToolListChanged, _) if wants(self.wanted.tools_list_changed) => mail.tools = true,
            (Method::PromptListChanged, _) if wants(self.wanted.prompts_list_changed) => mail.prompts = true,
            (Method::ResourceListChanged, _) if wants(self.wanted.resources_list_changed) => mail.resources = true,
            (Method::ResourceUpdated, Some(uri)) if self.uris().any(|wanted| is_within(uri, wanted)) => {
                // When there are too many to remember, the reader looks at everything again.
                if mail.updated.len() >= self.limit || uri.len() > LONGEST_NAME {
                    mail.updated.clear();
                    mail.reconnected = true;
                } else {
                    mail.updated.insert(uri.to_owned());
                }
            }
            _ => return,
        }
        drop(mail);
        self.wake();
    }

    fn acknowledge(&self, filter: SubscriptionFilter) {
        self.mail().acknowledged = Some(filter);
        self.wake();
    }
}

/// A notice may name a resource within the one that was subscribed to.
fn is_within(uri: &str, wanted: &str) -> bool {
    uri.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || wanted.ends_with('/'))
}

impl Core {
    /// Takes a notice of change to the cache and to the subscriptions it belongs to.
    pub(crate) fn note_change(&self, method: Method, params: &Params, revision: Option<Revision>) {
        let uri = params.optional_string("uri").ok().flatten();
        self.forget_changed(method, uri.as_deref());
        let listens = revision.is_some_and(Revision::has_listen_streams);
        let boxes = self.subscriptions.boxes().clone();
        if !listens {
            return boxes.iter().for_each(|mailbox| mailbox.note(method, uri.as_deref()));
        }
        let Some(RequestId::Integer(id)) = params.meta(key::SUBSCRIPTION_ID).and_then(RequestId::from_json) else {
            return tracing::debug!("a notice of change belongs to no subscription");
        };
        let id = u64::try_from(id).ok();
        let Some(mailbox) = boxes.iter().find(|mailbox| id.is_some() && mailbox.mail().listen == id) else { return };
        if method == Method::SubscriptionsAcknowledged {
            if let Ok(acknowledged) = params.decode::<SubscriptionsAcknowledgedParams>() {
                mailbox.acknowledge(acknowledged.notifications);
            }
        } else if mailbox.mail().acknowledged.is_some() {
            mailbox.note(method, uri.as_deref());
        } else {
            tracing::debug!("a notice of change came before its subscription was acknowledged");
        }
    }

    /// Notices may have been lost, so nothing that is kept counts any more.
    pub(crate) fn note_gap(&self) {
        self.forget_everything();
        let boxes = self.subscriptions.boxes().clone();
        boxes.iter().for_each(|mailbox| mailbox.note_gap());
    }

    /// Opens all subscriptions again on a new connection, which knows nothing of them.
    pub(crate) fn reopen_subscriptions(&self, session: &Session) {
        let boxes = self.subscriptions.boxes().clone();
        for mailbox in boxes {
            for old in mailbox.take_requests() {
                self.pending.release(old);
            }
            match self.open_subscription(session, &mailbox) {
                // A connection that has ended again is followed by another one.
                Err(error) if !error.is_closed() => mailbox.mail().failure = Some(error),
                _ => {}
            }
            mailbox.note_gap();
        }
    }

    /// Asks a new connection for notices about the next resource, if there is one and not too many are being asked for; says whether it
    /// did, and whether that was the last.
    pub(crate) fn subscribe_next(&self, session: &Session, mailbox: &Mailbox) -> Result<Option<IsLast>, Error> {
        if !mailbox.mail().may_ask() {
            return Ok(None);
        }
        let id = self.pending.reserve(false)?;
        self.pending.set_deadline(id, after(self.options.timeouts.request));
        let (uri, is_last) = {
            // Where the next connection begins in this moment, it takes back the id together with the resource.
            let mut mail = mailbox.mail();
            let Some(uri) = mail.unasked.pop_front() else {
                self.pending.release(id);
                return Ok(None);
            };
            mail.subscribing.push(id);
            (uri, mail.unasked.is_empty())
        };
        let request = ClientRequest::Subscribe(SubscribeParams::new(uri.as_str()));
        if let Err(error) = send_request(session, id, request, &[]) {
            self.pending.release(id);
            let mut mail = mailbox.mail();
            mail.subscribing.retain(|other| *other != id);
            mail.unasked.push_front(uri);
            return Err(error);
        }
        Ok(Some(IsLast(is_last)))
    }

    /// Sends what opens a subscription. Until 2025-11-25 notices about lists need no request, and resources are asked for one by one by
    /// whoever reads the subscription.
    pub(crate) fn open_subscription(&self, session: &Session, mailbox: &Mailbox) -> Result<(), Error> {
        if !session.revision.has_listen_streams() {
            mailbox.mail().unasked = mailbox.uris().map(str::to_owned).collect();
            return Ok(());
        }
        let id = self.pending.reserve(false)?;
        {
            let mut mail = mailbox.mail();
            mail.listen = Some(id);
            mail.acknowledged = None;
        }
        let sent = send_request(session, id, ClientRequest::Listen(ListenParams::new(mailbox.wanted.clone())), &[]);
        if sent.is_err() {
            self.pending.release(id);
            mailbox.mail().listen = None;
        }
        sent
    }
}
