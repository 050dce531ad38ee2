//! One request and what comes back for it: a JSON text, or a stream that ends with the answer.

use std::sync::Arc;
use std::time::Duration;

use http::{HeaderValue, StatusCode};
use jackfield_http::client::{Answer, Error, Events};
use jackfield_http::sse::SseEvent;
use jackfield_protocol::Method;

use super::backoff::StreamBackoff;
use super::http_sse;
use super::message::{self, Message, SESSION_ID};
use super::shared::Shared;
use crate::connection::handshake::may_be_of_older_server;
use crate::{EndReason, Failure};

/// How long a server may take to close a stream after the answer, so that the connection can be used again.
const LINGER: Duration = Duration::from_secs(1);

/// The most that is read of an error that is not an answer.
const REFUSAL_BYTES: usize = 64 * 1024;

/// Sends a request and hands over what comes back.
pub(super) async fn request(shared: &Arc<Shared>, mut message: Message) {
    let Some(id) = message.id() else { return };
    if message.is(Method::Initialize) && shared.server.known().is_some_and(|known| known.over_http_sse) {
        return http_sse::open(shared, message, None).await;
    }
    let session = shared.session();
    let answer = match shared.post(&message).await {
        Ok(answer) => answer,
        Err(error) => return shared.inbox.fail(id, failure(error)),
    };
    message.waiting = None;
    if !answer.status.is_success() {
        return refused(shared, message, answer, session.is_some()).await;
    }
    if message.is(Method::Initialize)
        && let Some(value) = answer.headers.get(SESSION_ID)
    {
        let Some(session) = message::session_id(value) else {
            return shared.inbox.fail(id, Failure::Refused("the server's session id is not valid".to_owned()));
        };
        shared.begin_session(session);
    }
    let limit = shared.server.limits.message_bytes;
    match answer.media_type().as_deref() {
        Some("application/json") => match answer.text(limit).await {
            Ok(text) => {
                shared.inbox.receive_for(id, text);
                give_up(shared, id, || Failure::Refused("the body of the response is no answer".to_owned()));
            }
            Err(error) => shared.inbox.fail(id, failure(error)),
        },
        Some("text/event-stream") => follow(shared, id, answer.events(limit), message.is_modern()).await,
        _ => give_up(shared, id, || Failure::Refused("the response is neither JSON nor an event stream".to_owned())),
    }
}

/// Ends a request that still waits.
fn give_up(shared: &Shared, id: u64, why: impl FnOnce() -> Failure) {
    if shared.inbox.waits_for(id) {
        shared.inbox.fail(id, why());
    }
}

/// Why a request that was sent, or should have been, has no answer.
pub(super) fn failure(error: Error) -> Failure {
    if error.is_too_long() {
        Failure::TooLong
    } else if error.is_connect() || error.not_authorized().is_some() {
        Failure::Unreachable(error.into_io())
    } else {
        Failure::Lost(EndReason::new("the connection broke").with_cause(error.into_io()))
    }
}

/// The server did not take the request.
async fn refused(shared: &Arc<Shared>, message: Message, answer: Answer, in_session: bool) {
    let Some(id) = message.id() else { return };
    let status = answer.status;
    if status == StatusCode::NOT_FOUND && in_session && !message.is_modern() {
        return session_is_over(shared, message);
    }
    if message.is(Method::Initialize) && may_be_of_older_server(status.as_u16()) && shared.server.allows_http_sse {
        return http_sse::open(shared, message, Some(answer)).await;
    }
    report(shared, id, answer, message.is(Method::Discover)).await;
}

/// Tells the one who waits what the server said, or at least the status. A probe learns nothing from a server that is out of
/// order but its status.
pub(super) async fn report(shared: &Shared, id: u64, answer: Answer, is_probe: bool) {
    let status = answer.status.as_u16();
    let says_something = !matches!(status, 401 | 403) && (!is_probe || may_be_of_older_server(status));
    if says_something
        && answer.media_type().as_deref() == Some("application/json")
        && let Ok(text) = answer.text(REFUSAL_BYTES).await
        && jackfield_protocol::envelope::Message::read(&text, 1).is_ok()
    {
        shared.inbox.receive_for(id, text);
    }
    give_up(shared, id, || Failure::Status(status));
}

/// The session does not exist any more. The request was not taken, so it is sent again in the next session, once.
fn session_is_over(shared: &Arc<Shared>, message: Message) {
    if let Some(id) = message.id() {
        if message.is_repeated {
            shared.lose(id, "the server ended the session");
        } else {
            shared.inbox.keep_for_next(id);
            shared.server.untaken().push(message);
        }
    }
    shared.end(EndReason::new("the server ended the session"));
}

/// Reads a stream until the answer has come. When it breaks before, a stream of the older era is asked for the rest.
async fn follow(shared: &Arc<Shared>, id: u64, mut events: Events, is_modern: bool) {
    let mut backoff = StreamBackoff::new(&shared.server.restarts, shared.server.timeouts.maximum);
    let mut last_event_id = None;
    loop {
        let broken = match read(shared, id, &mut events, &mut backoff).await {
            Read::Answered => return linger(events).await,
            Read::TooLong => return shared.inbox.fail(id, Failure::TooLong),
            Read::Broken(broken) => broken,
        };
        last_event_id = message::event_id(events.last_event_id()).or(last_event_id);
        drop(events);
        let Some(from) = last_event_id.clone().filter(|_| !is_modern) else {
            return give_up(shared, id, || Failure::Lost(broken));
        };
        match resume(shared, id, &from, &mut backoff).await {
            Some(rest) => events = rest,
            None => return,
        }
    }
}

/// How reading a stream ended.
enum Read {
    Answered,
    TooLong,
    Broken(EndReason),
}

async fn read(shared: &Shared, id: u64, events: &mut Events, backoff: &mut StreamBackoff) -> Read {
    let read = loop {
        match events.next().await {
            Some(Ok(event)) => {
                backoff.reset();
                if let Some(text) = message_of(event) {
                    shared.inbox.receive_for(id, text.into());
                }
                if !shared.inbox.waits_for(id) {
                    break Read::Answered;
                }
            }
            Some(Err(error)) if error.is_too_long() => break Read::TooLong,
            Some(Err(error)) => break Read::Broken(EndReason::new("the stream broke").with_cause(error.into_io())),
            None => break Read::Broken(EndReason::new("the stream ended without an answer")),
        }
    };
    backoff.set_retry(events.retry());
    read
}

/// Returns the message that an event carries; events of other types mean nothing here.
pub(super) fn message_of(event: SseEvent) -> Option<String> {
    let is_message = event.event.is_empty() || event.event == "message";
    (is_message && !event.data.is_empty()).then_some(event.data)
}

/// Comes back for the rest of a stream. `None` if there is no rest to be had; the one who waits knows.
async fn resume(shared: &Arc<Shared>, id: u64, from: &HeaderValue, backoff: &mut StreamBackoff) -> Option<Events> {
    while shared.inbox.waits_for(id) && backoff.wait().await {
        let answer = match shared.get(Some(from.clone())).await {
            Ok(answer) => answer,
            Err(error) => {
                tracing::debug!(%error, "the rest of a stream is not to be had yet");
                continue;
            }
        };
        let is_stream = answer.media_type().as_deref() == Some("text/event-stream");
        match answer.status {
            StatusCode::OK if is_stream => return Some(answer.events(shared.server.limits.message_bytes)),
            StatusCode::NOT_FOUND if shared.session().is_some() => {
                shared.lose(id, "the server ended the session");
                shared.end(EndReason::new("the server ended the session"));
                return None;
            }
            status if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {}
            _ => break,
        }
    }
    give_up(shared, id, || Failure::Lost(EndReason::new("the stream broke, and the rest of it is not to be had")));
    None
}

/// Waits a moment for the stream to end by itself; a stream that is cut costs its connection.
async fn linger(mut events: Events) {
    let _ = tokio::time::timeout(LINGER, async { while let Some(Ok(_)) = events.next().await {} }).await;
}
