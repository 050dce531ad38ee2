//! What nodes tell all others.

use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use jackfield_protocol::RequestId;
use jackfield_store::Notice as Heard;
use serde::{Deserialize, Serialize};

use super::Node;
use crate::SessionId;
use crate::endpoint::Endpoint;
use crate::session::Live;

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
    /// The client reads a stream at another node now.
    Read(u64),
}

impl Node {
    /// Tells all other nodes. Who misses it looks at everything again.
    pub(crate) fn tell(self: &Arc<Self>, session: SessionId, what: What) {
        let notice = Notice { node: self.name.clone(), session: session.to_text(), what };
        let Ok(text) = serde_json::to_vec(&notice) else { return };
        let node = self.clone();
        self.spawn(async move {
            if node.ask(node.stores.bus().publish(TOPIC, text.into())).await.is_err() {
                tracing::debug!("other nodes were not told of a change");
            }
        });
    }
}

/// Hears what other nodes tell.
pub(super) async fn listen(endpoint: Weak<Endpoint>) {
    loop {
        let Some(node) = endpoint.upgrade().and_then(|endpoint| endpoint.shared.node.clone()) else { return };
        let subscribed = node.ask(node.stores.bus().subscribe(&[TOPIC])).await;
        drop(node);
        let Ok(mut notices) = subscribed else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        // What was told before is in the store now.
        check_all(&endpoint).await;
        while let Some(heard) = notices.next().await {
            let Some(endpoint) = endpoint.upgrade() else { return };
            match heard {
                Heard::Heard { notice, .. } => endpoint.heard(&notice).await,
                _ => check_all(&Arc::downgrade(&endpoint)).await,
            }
        }
    }
}

/// Looks at all sessions again.
async fn check_all(endpoint: &Weak<Endpoint>) {
    let Some(endpoint) = endpoint.upgrade() else { return };
    for live in endpoint.sessions.all() {
        endpoint.reload(&live).await;
    }
}

impl Endpoint {
    async fn heard(&self, text: &Bytes) {
        let Some(node) = &self.shared.node else { return };
        let Ok(notice) = serde_json::from_slice::<Notice>(text) else { return };
        if notice.node == node.name {
            return;
        }
        let session = SessionId::parse(notice.session.as_bytes());
        let Some(live) = session.and_then(|id| self.sessions.get(id)).filter(|live| live.replica.is_some()) else {
            return;
        };
        match notice.what {
            What::Changed => self.reload(&live).await,
            What::Ended => drop(self.sessions.remove(live.id)),
            What::Cancelled(id) => drop(live.cancel(id)),
            What::Read(stream) => replaced(&live, stream),
        }
    }
}

fn replaced(live: &Live, stream: u64) {
    if let Some(stream) = live.stream(stream) {
        stream.replace();
    }
}
