//! The sending side: each message becomes a task of its own.

use std::fmt;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use jackfield_protocol::{Method, Revision};

use tokio::sync::oneshot;

use super::credentials::credentials;
use super::message::{Kind, Message, Waiting};
use super::shared::{Form, Shared};
use super::{exchange, http_sse, listening};
use crate::transport::Direction;
use crate::{BoxFuture, Link, NotSent, Outgoing};

/// The sending side of a connection over HTTP.
pub(super) struct HttpLink(pub(super) Arc<Shared>);

impl Link for HttpLink {
    fn send(&self, outgoing: Outgoing<'_>) -> Result<(), NotSent> {
        let limit = self.0.server.limits.queued_bytes;
        let waiting = Waiting::count(&self.0.waiting, outgoing.text.len(), limit).ok_or(NotSent::Full)?;
        let mut message = Message::new(outgoing);
        message.waiting = Some(waiting);
        send(&self.0, message)
    }

    fn give_up(&self, id: u64, revision: Revision) -> bool {
        self.0.stop_exchange(id);
        // In sessions a stream that closes means nothing.
        revision.has_handshake()
    }

    fn agreed(&self, revision: Revision) {
        self.0.agree(revision);
    }

    fn credentials(&self) -> Option<BoxFuture<'_, Option<u64>>> {
        let server = &self.0.server;
        server.authorizer.as_deref().map(|authorizer| credentials(authorizer, &server.uri))
    }

    fn has_one_stream(&self) -> bool {
        false
    }

    fn wants_param_headers(&self) -> bool {
        self.0.agreed().is_some_and(|revision| !revision.has_handshake())
    }

    fn close(&self) {
        self.0.closing.send_replace(true);
    }
}

/// Begins to send a message.
pub(super) fn send(shared: &Arc<Shared>, message: Message) -> Result<(), NotSent> {
    let (id, owner) = (message.id(), shared.clone());
    if message.is(Method::Initialized) {
        // What is sent from now on waits until the server has heard this.
        shared.gate.send_replace(false);
        return shared.spawn(id, initialized(owner, message));
    }
    match message.kind {
        Kind::Request { .. } => shared.spawn(id, async move { request(&owner, message).await }),
        Kind::Notification(_) | Kind::Answer => shared.spawn(id, async move {
            owner.wait_for_gate().await;
            notify(&owner, &message).await;
        }),
    }
}

async fn request(shared: &Arc<Shared>, message: Message) {
    let (id, is_listening) = (message.id(), message.is(Method::Listen));
    let exchange = async {
        if !message.is(Method::Discover) && !message.is(Method::Initialize) {
            shared.wait_for_gate().await;
        }
        match shared.form() {
            Form::HttpSse(_) => http_sse::request(shared, message).await,
            Form::Streamable => exchange::request(shared, message).await,
        }
    };
    if is_listening {
        return exchange.await;
    }
    // Whoever waits has a limit of their own, which may be longer; this is for requests that nobody waits for.
    let mut exchange = pin!(exchange);
    while tokio::time::timeout(shared.server.timeouts.maximum, &mut exchange).await.is_err() {
        if !id.is_some_and(|id| shared.inbox.waits_for(id)) {
            return;
        }
    }
}

/// Ends the handshake of a session, then lets everything else go.
async fn initialized(shared: Arc<Shared>, message: Message) {
    notify(&shared, &message).await;
    if !matches!(shared.form(), Form::Streamable) {
        return open_gate(&shared);
    }
    // Some servers lose what they say by themselves while nobody listens, a question for example. So the stream comes first,
    // unless the server takes its time.
    let (heard, first) = oneshot::channel();
    let gate = async {
        let _ = tokio::time::timeout(STREAM_FIRST, first).await;
        open_gate(&shared);
    };
    tokio::join!(listening::listen(&shared, heard), gate);
}

/// How long requests wait for the answer to the request for the server's own messages.
const STREAM_FIRST: Duration = Duration::from_millis(500);

fn open_gate(shared: &Arc<Shared>) {
    shared.gate.send_replace(true);
    let untaken = std::mem::take(&mut *shared.server.untaken());
    for message in untaken {
        resend(shared, message);
    }
}

/// Sends a request that the server did not take because its session was over.
fn resend(shared: &Arc<Shared>, mut message: Message) {
    let Kind::Request { id, revision, .. } = message.kind else { return };
    if !shared.inbox.waits_for(id) {
        return;
    }
    message.is_repeated = true;
    // It does not pass the link again, where messages are heard.
    shared.inbox.observe(Direction::ToServer, &message.text);
    if shared.agreed() != Some(revision) || send(shared, message).is_err() {
        shared.lose(id, "the session ended, and the next one has another revision");
    }
}

/// Sends a message that has no answer of its own. A server that does not take it is not asked again.
async fn notify(shared: &Arc<Shared>, message: &Message) {
    let limit = shared.server.timeouts.request;
    match tokio::time::timeout(limit, shared.post(message)).await {
        Ok(Ok(answer)) if answer.status.is_success() => {}
        Ok(Ok(answer)) => tracing::debug!(status = answer.status.as_u16(), "the server did not take a message"),
        Ok(Err(error)) => tracing::debug!(%error, "a message could not be sent"),
        Err(_) => tracing::debug!("the server did not take a message in time"),
    }
}

impl fmt::Debug for HttpLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HttpLink")
    }
}
