//! Several nodes on one store, each a server of its own in this process.

mod away;
mod death;
mod listening;
mod moving;
mod opening;
mod slow;
mod store;
mod together;

use jackfield_http::{HttpConfig, HttpLimits};
use serde_json::{Value, json};

use crate::client::{Client, Session};
use crate::fixture::{Fixture, Users};
use store::Store;

/// Three nodes, and the store that they share.
pub(super) struct Nodes {
    pub(super) store: Store,
    pub(super) all: Vec<Fixture>,
}

impl Nodes {
    pub(super) async fn start() -> Self {
        Self::with(|_| {}).await
    }

    pub(super) async fn with(change: fn(&mut HttpLimits)) -> Self {
        let store = Store::new();
        let mut all = Vec::new();
        for _ in 0..3 {
            let config = HttpConfig::default().with_limits(change);
            all.push(Fixture::with(config.with_authenticator(Users).with_stores(store.stores())).await);
        }
        Self { store, all }
    }

    /// Opens a session at the first node.
    pub(super) async fn session(&self) -> Session {
        Session::open(self.all[0].address, "2025-11-25").await
    }

    /// The same session, at another node.
    pub(super) fn at(&self, session: &Session, node: usize) -> Session {
        Session { address: self.all[node].address, ..session.clone() }
    }
}

/// Waits until something holds that another node has to hear of first. There is no event for its having heard.
pub(super) async fn eventually(holds: impl AsyncFnMut() -> bool) {
    jackfield_testkit::eventually("another node hears of it", holds).await;
}

/// Answers a question of a server.
pub(super) fn reply(question: &Value, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": question["id"], "result": result })
}

/// Reads messages until the end of a stream.
pub(super) async fn rest(client: &mut Client) -> Vec<Value> {
    let mut messages = Vec::new();
    while let Some(message) = client.message().await {
        messages.push(message);
    }
    messages
}
