//! Streams of a session as a client reads them.

use std::sync::Arc;

use http::Response;

use crate::Body;
use crate::events::{Elsewhere, EventBody, Format, Reader, Stream, StreamKey};
use crate::nodes::{Node, Remote};
use crate::response::respond;
use crate::session::LocalSession;
use crate::telemetry::OpenStream;

/// Reads a stream from a place, or from where the connection before it ended.
pub(super) fn read_stream(live: &Arc<LocalSession>, stream: Arc<Stream>, place: Option<u64>) -> Response<Body> {
    let (number, sent) = stream.attach();
    read_events(live, stream.key, Some(stream), number, place.unwrap_or(sent))
}

/// Reads a stream that another node writes, or wrote.
pub(super) fn read_elsewhere(live: &Arc<LocalSession>, key: StreamKey, place: u64) -> Response<Body> {
    read_events(live, key, None, 0, place)
}

fn read_events(
    live: &Arc<LocalSession>,
    key: StreamKey,
    stream: Option<Arc<Stream>>,
    number: u64,
    place: u64,
) -> Response<Body> {
    let standalone = live.opened_standalone().is_some_and(|standalone| standalone.key == key);
    let (node, shared, revision) = (live.shared.node.clone(), live.shared.clone(), live.revision());
    let remote = move |node: Arc<Node>| Remote::new(node, key, &shared, revision, standalone);
    let (remote, elsewhere): (Option<Remote>, Option<Elsewhere>) = match node.filter(|_| live.is_replicated()) {
        None => (None, None),
        Some(node) => match &stream {
            Some(stream) if !standalone && !stream.is_shared() => (None, None),
            Some(_) if !standalone => (None, Some(Box::new(move || remote(node)))),
            _ => {
                // A connection elsewhere may have read it before, and the writer has to know whom it writes for.
                let remote = remote(node);
                remote.announce();
                (Some(remote), None)
            }
        },
    };
    let mut reader = Reader {
        key,
        log: live.shared.log.clone(),
        remote,
        elsewhere,
        stream,
        number,
        place,
        unsaid: None,
        format: Format::Resumable,
        head: Vec::new(),
        keep_alive: live.shared.limits.sse_keep_alive,
        shutdown: standalone.then(|| live.shared.shutdown.clone()),
        _held: Some(Box::new((live.active(), OpenStream::begin()))),
        ended: false,
    };
    reader.greet(live.revision().has_polling(), live.shared.retry);
    respond::events(Body::events(EventBody::new(reader)))
}
