//! What nodes tell all others.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use jackfield_protocol::RequestId;
use jackfield_store::Notice as Heard;
use serde::{Deserialize, Serialize};

use super::{Cluster, Node};
use crate::SessionId;
use crate::session::LocalSession;

/// Where nodes tell what concerns sessions.
const TOPIC: &str = "sessions";
/// How long is waited before the bus is tried again.
const PAUSE: Duration = Duration::from_millis(250);

/// What a node tells all others about a session.
#[derive(Debug, Serialize, Deserialize)]
struct Notice {
    /// Who tells it.
    node: String,
    session: String,
    what: What,
}

/// What happened to a session.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum What {
    /// Its record in the store has changed.
    Changed,
    /// It is over.
    Ended,
    /// The client does not want the answer to a request any more; perhaps it runs elsewhere.
    Cancelled(RequestId),
    /// The client reads a stream at another node now, by a connection with this number.
    Read(u64, u64),
    /// It has been sent the events of a stream up to a place; told now and then, for a writer that may be far ahead.
    Sent(u64, u64),
    /// The connection with this number, by which the client read a stream, is closed.
    Left(u64, u64),
}

impl Node {
    /// Tells all other nodes, and waits for nothing. Who misses it looks at everything again.
    pub(crate) fn tell(self: &Arc<Self>, session: SessionId, what: What) {
        let node = self.clone();
        self.spawn(async move { node.tell_now(session, what).await });
    }

    /// Tells all other nodes. When it returns, the notice is on its way, whatever becomes of this node.
    pub(crate) async fn tell_now(&self, session: SessionId, what: What) {
        let notice = Notice { node: self.name.clone(), session: session.to_text(), what };
        let Ok(text) = serde_json::to_vec(&notice) else { return };
        if self.ask(self.stores.bus().publish(TOPIC, text.into())).await.is_err() {
            tracing::debug!("other nodes were not told of a change");
        }
    }
}

/// Hears what other nodes tell.
pub(super) async fn listen(cluster: Weak<Cluster>) {
    loop {
        let Some(node) = cluster.upgrade().map(|cluster| cluster.node.clone()) else { return };
        let subscribed = node.ask(node.stores.bus().subscribe(&[TOPIC])).await;
        drop(node);
        let Ok(mut notices) = subscribed else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        // What was told before is in the store now.
        check_all(&cluster).await;
        while let Some(heard) = notices.next().await {
            let Some(cluster) = cluster.upgrade() else { return };
            match heard {
                Heard::Heard { notice, .. } => cluster.heard(&notice).await,
                _ => check_all(&Arc::downgrade(&cluster)).await,
            }
        }
    }
}

/// Looks at all sessions again.
async fn check_all(cluster: &Weak<Cluster>) {
    let Some(cluster) = cluster.upgrade() else { return };
    cluster.node.note_heard();
    for live in cluster.host.sessions.all() {
        cluster.reload(&live).await;
    }
}

impl Cluster {
    async fn heard(&self, text: &Bytes) {
        let node = &self.node;
        let Ok(notice) = serde_json::from_slice::<Notice>(text) else { return };
        if notice.node == node.name {
            return;
        }
        node.note_heard();
        let session = SessionId::parse(notice.session.as_bytes());
        let Some(live) = session.and_then(|id| self.host.sessions.get(id)).filter(|live| live.replica.is_some()) else {
            return;
        };
        match notice.what {
            What::Changed => self.reload(&live).await,
            What::Ended => drop(self.host.sessions.remove(live.id)),
            What::Cancelled(id) => drop(live.cancel(&id)),
            What::Read(stream, reader) => read_elsewhere(&live, stream, reader),
            What::Sent(stream, place) => {
                if let Some(stream) = live.stream(stream) {
                    stream.sent_elsewhere(place);
                }
            }
            What::Left(stream, reader) => {
                if let Some(stream) = live.stream(stream) {
                    stream.left_elsewhere(Some(reader));
                }
            }
        }
    }
}

fn read_elsewhere(live: &LocalSession, number: u64, reader: u64) {
    if let Some(replica) = live.replica.as_ref().filter(|replica| replica.standalone == number) {
        // Whoever reads it listens, also if the node that wrote so into the record died before it told anybody.
        replica.listens.store(true, Ordering::Relaxed);
    }
    if let Some(stream) = live.stream(number) {
        stream.read_elsewhere(reader);
    }
}
