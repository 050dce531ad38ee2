//! The stream for what the server says by itself, in sessions.

use std::sync::Arc;
use std::time::Duration;

use http::{HeaderValue, StatusCode};
use jackfield_http::client::{Answer, Error};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::backoff::StreamBackoff;
use super::exchange::message_of;
use super::message;
use super::shared::Shared;
use crate::EndReason;

/// A stream that lasted so long was no failure, even if nothing came on it.
const LONG_ENOUGH: Duration = Duration::from_secs(5);

/// Keeps the stream open for as long as the session lasts. A server need not offer one. `heard` learns that it has answered.
pub(super) async fn listen(shared: &Arc<Shared>, heard: oneshot::Sender<()>) {
    let mut heard = Some(heard);
    let mut backoff = StreamBackoff::new(&shared.server.restarts, shared.server.timeouts.maximum);
    let mut outage = StreamBackoff::new(&shared.server.restarts, shared.server.timeouts.maximum);
    let mut last_event_id: Option<HeaderValue> = None;
    let mut was_open = false;
    loop {
        let opened = opened(shared.get(last_event_id.clone()).await);
        // Who waited for it may have gone on.
        drop(heard.take());
        match opened {
            Opened::Stream(answer) => {
                if was_open && last_event_id.is_none() {
                    shared.inbox.may_have_missed();
                }
                was_open = true;
                outage.reset();
                let (id, is_too_long) = read(shared, answer, &mut backoff).await;
                last_event_id = id.or(last_event_id);
                if is_too_long {
                    // It would be sent again and again.
                    last_event_id = None;
                }
            }
            // A server that had the stream and no longer knows what it is asked for has forgotten the session. One that never had it may
            // just know no better answer.
            Opened::NotFound if was_open && shared.session().is_some() => {
                return shared.end(EndReason::new("the server ended the session"));
            }
            Opened::NotFound | Opened::NotOffered => break,
            // It was there, so it may come back; until then nobody else would notice that the session is over.
            Opened::NotNow if was_open => {
                outage.wait_without_limit().await;
                continue;
            }
            Opened::Odd if was_open => {
                // Perhaps it no longer knows the event that it was asked to go on from, and would refuse that for ever.
                last_event_id = None;
                outage.wait_without_limit().await;
                continue;
            }
            Opened::Odd => break,
            Opened::NotNow => {}
        }
        if !backoff.wait().await {
            tracing::warn!("the stream of the server's own messages ends too often; it is given up");
            break;
        }
    }
    if was_open {
        // Nothing is told any more, so nobody may rely on what was told.
        shared.inbox.may_have_missed();
    }
    tracing::debug!("the server has nothing to say by itself");
}

enum Opened {
    Stream(Answer),
    NotOffered,
    NotFound,
    NotNow,
    /// It says nothing about whether there is such a stream.
    Odd,
}

fn opened(answer: Result<Answer, Error>) -> Opened {
    match answer {
        Ok(answer) if answer.status == StatusCode::OK => match answer.media_type().as_deref() {
            Some("text/event-stream") => Opened::Stream(answer),
            _ => Opened::Odd,
        },
        Ok(answer) if answer.status.is_server_error() || answer.status == StatusCode::TOO_MANY_REQUESTS => {
            Opened::NotNow
        }
        Ok(answer) if answer.status == StatusCode::NOT_FOUND => Opened::NotFound,
        Ok(answer) if answer.status == StatusCode::METHOD_NOT_ALLOWED => Opened::NotOffered,
        Ok(_) => Opened::Odd,
        Err(_) => Opened::NotNow,
    }
}

/// Reads the stream to its end; returns the last event's id, and whether an event was too long.
async fn read(shared: &Shared, answer: Answer, backoff: &mut StreamBackoff) -> (Option<HeaderValue>, bool) {
    let began = Instant::now();
    let mut events = answer.events(shared.server.limits.message_bytes);
    let mut is_too_long = false;
    while let Some(event) = events.next().await {
        match event {
            Ok(event) => {
                backoff.reset();
                if let Some(text) = message_of(event) {
                    shared.inbox.receive(text.into());
                }
            }
            Err(error) => {
                is_too_long = error.is_too_long();
                break;
            }
        }
    }
    if began.elapsed() >= LONG_ENOUGH {
        backoff.reset();
    }
    backoff.set_retry(events.retry());
    (message::event_id(events.last_event_id()), is_too_long)
}
