//! The two channels of 2024-11-05: one stream for all that the server says, and an address to post to, which the stream names
//! first.

use std::sync::Arc;

use http::{StatusCode, Uri};
use jackfield_http::client::{Answer, Events, resolve, same_origin};

use super::exchange::{failure, message_of, report};
use super::message::Message;
use super::shared::Shared;
use crate::{EndReason, Failure};

/// Opens the stream, then sends `initialize` to the address it names. `refusal` is what the server answered before, which counts
/// if there is no such stream.
pub(super) async fn open(shared: &Arc<Shared>, initialize: Message, refusal: Option<Answer>) {
    let Some(id) = initialize.id() else { return };
    match endpoint(shared).await {
        Ok((endpoint, events)) => {
            shared.use_http_sse(endpoint);
            let owner = shared.clone();
            if shared.spawn(None, async move { read(&owner, events).await }).is_ok() {
                request(shared, initialize).await;
            }
        }
        Err(why) => match refusal {
            Some(refusal) => report(shared, id, refusal, false).await,
            None => {
                // It was so before; the server is asked anew.
                shared.server.eras.forget(&shared.server.url);
                shared.inbox.fail(id, Failure::Refused(why.to_owned()));
            }
        },
    }
}

/// Opens the stream and waits for the address.
async fn endpoint(shared: &Shared) -> Result<(Uri, Events), &'static str> {
    let opening = async {
        let answer = shared.get(None).await.map_err(|_| "the event stream could not be opened")?;
        let is_stream = answer.media_type().as_deref() == Some("text/event-stream");
        if answer.status != StatusCode::OK || !is_stream {
            return Err("the server has no event stream");
        }
        let mut events = answer.events(shared.server.limits.message_bytes);
        match events.next().await {
            Some(Ok(event)) if event.event == "endpoint" => {
                let endpoint = resolve(&shared.server.uri, event.data.trim());
                let endpoint = endpoint.filter(|endpoint| same_origin(&shared.server.uri, endpoint));
                Ok((endpoint.ok_or("the server names an address of another origin")?, events))
            }
            _ => Err("the event stream does not name an address"),
        }
    };
    let limit = shared.server.timeouts.connect;
    tokio::time::timeout(limit, opening).await.unwrap_or(Err("the event stream names no address in time"))
}

/// Reads what the server says. The connection ends with the stream.
async fn read(shared: &Shared, mut events: Events) {
    let why = loop {
        match events.next().await {
            Some(Ok(event)) => {
                if let Some(text) = message_of(event) {
                    shared.inbox.receive(text.into());
                }
            }
            Some(Err(error)) => break EndReason::new("the event stream broke").with_cause(error.into_io()),
            None => break EndReason::new("the server closed the event stream"),
        }
    };
    shared.end(why);
}

/// Posts a request; its answer comes on the stream.
pub(super) async fn request(shared: &Arc<Shared>, message: Message) {
    let Some(id) = message.id() else { return };
    match shared.post(&message).await {
        Ok(answer) if answer.status.is_success() => {}
        Ok(answer) => report(shared, id, answer, false).await,
        Err(error) => shared.inbox.fail(id, failure(error)),
    }
}
