//! What other nodes send to this one, because only it can do something with it.

use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Request};
use jackfield_protocol::envelope::Message;
use jackfield_store::{EventLimits, NewEvent, NewEvents, StoreError, StreamName};
use serde::{Deserialize, Serialize};

use super::{Cluster, Node};
use crate::SessionId;
use crate::legacy::take_http_sse;
use crate::session::Transport;

/// How long is waited before the store is tried again.
const PAUSE: Duration = Duration::from_millis(250);
/// How many letters are read at a time.
const SHEAF: usize = 64;
/// How long an inbox is kept that nobody looks into.
const KEEP: Duration = Duration::from_secs(10 * 60);

/// What a node sends to another one.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Letter {
    /// The session that it is about.
    pub(crate) session: String,
    /// What the client sent, as JSON text.
    pub(crate) message: String,
    /// The headers of the request that brought it.
    #[serde(default)]
    pub(crate) headers: Vec<(String, String)>,
}

/// The inbox of a node is a stream like any other: in order, each letter once, and there until it is read.
fn address(node: &str) -> String {
    format!("node {node}")
}

impl Node {
    /// Sends a letter. When it returns, the other node will get it, if it lives; for one that does not, nothing is kept: clients can
    /// name whom they like.
    pub(crate) async fn send(&self, to: &str, letter: &Letter) -> Result<(), StoreError> {
        if !self.lives(to).await? {
            return Ok(());
        }
        let Ok(text) = serde_json::to_vec(letter) else { return Ok(()) };
        let limits = EventLimits::new(10_000, 64 * 1024 * 1024, KEEP);
        let letters = NewEvents::new(vec![NewEvent::once(self.unique(), text)], limits);
        let address = address(to);
        self.ask(self.stores.events().append(StreamName::new(&address, 0), letters)).await.map(drop)
    }
}

/// Reads what other nodes send.
pub(super) async fn read(cluster: Weak<Cluster>) {
    let Some(node) = cluster.upgrade().map(|cluster| cluster.node.clone()) else { return };
    let (address, stores) = (address(&node.name), node.stores.clone());
    drop(node);
    let name = StreamName::new(&address, 0);
    let mut place: u64 = 0;
    loop {
        let Ok(mut watch) = stores.events().watch(name).await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        loop {
            // The last letter that was read is looked for again: if it is not there, the store has lost its data, and counts anew.
            let Ok(letters) = stores.events().read(name, place.saturating_sub(1), SHEAF).await else {
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            let letters = letters.unwrap_or_default().events;
            if letters.is_empty() && place > 0 {
                place = 0;
                continue;
            }
            let Some(cluster) = cluster.upgrade() else { return };
            let mut any = false;
            for letter in letters.iter().filter(|letter| letter.sequence > place) {
                any = true;
                cluster.open_letter(&letter.data);
            }
            place = letters.last().map_or(place, |letter| letter.sequence);
            drop(cluster);
            if !any {
                // If it fails, the next one may not.
                let _ = stores.events().open(name, KEEP).await;
                watch.changed().await;
            }
        }
    }
}

impl Cluster {
    fn open_letter(&self, text: &Bytes) {
        let Ok(letter) = serde_json::from_slice::<Letter>(text) else { return };
        let id = SessionId::parse(letter.session.as_bytes());
        let Some(live) = id.and_then(|id| self.host.sessions.get(id)) else { return };
        let message = Bytes::from(letter.message);
        if live.transport == Transport::HttpSse {
            let mut parts = Request::new(()).into_parts().0;
            for (name, value) in letter.headers {
                if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
                    parts.headers.append(name, value);
                }
            }
            if let Some(principal) = &live.principal {
                parts.extensions.insert(principal.clone());
            }
            take_http_sse(&self.host, &live, &Arc::new(parts), &message);
        } else if let Ok(Message::Answer(answer)) = Message::read(&message, 0) {
            live.questions.answer(answer);
        }
    }
}
