//! A node that learns late what another did.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use jackfield_store::{Boxed, NewSession, SessionRecord, SessionStore, StoreError};
use serde_json::json;
use tokio::sync::watch;

use super::{Nodes, ask};
use crate::demo::plain;

/// Sessions that cannot be loaded while the door is shut.
#[derive(Debug)]
struct Door {
    sessions: Arc<dyn SessionStore>,
    open: watch::Receiver<bool>,
}

impl SessionStore for Door {
    fn create(&self, session: NewSession) -> Boxed<'_, Result<(), StoreError>> {
        self.sessions.create(session)
    }

    fn load<'a>(&'a self, id: &'a str) -> Boxed<'a, Result<Option<SessionRecord>, StoreError>> {
        Box::pin(async move {
            self.open.clone().wait_for(|open| *open).await.unwrap();
            self.sessions.load(id).await
        })
    }

    fn touch<'a>(&'a self, id: &'a str, idle: Duration) -> Boxed<'a, Result<Option<u64>, StoreError>> {
        self.sessions.touch(id, idle)
    }

    fn change<'a>(
        &'a self,
        id: &'a str,
        fields: Vec<(String, Option<Bytes>)>,
    ) -> Boxed<'a, Result<Option<u64>, StoreError>> {
        self.sessions.change(id, fields)
    }

    fn remove<'a>(&'a self, id: &'a str) -> Boxed<'a, Result<bool, StoreError>> {
        self.sessions.remove(id)
    }

    fn count<'a>(&'a self, owner: &'a str) -> Boxed<'a, Result<usize, StoreError>> {
        self.sessions.count(owner)
    }
}

/// SRV-043: a session subscribes at one node, which answers and dies. Before another, which serves the session too, has learned of it,
/// the resource changes there: the client is told all the same.
#[tokio::test]
async fn a_change_between_a_subscription_and_the_news_of_it_is_told() {
    let (door, open) = watch::channel(true);
    let mut nodes = Nodes::with_sessions(|node, sessions| match node {
        1 => Arc::new(Door { sessions: sessions.clone(), open: open.clone() }),
        _ => sessions.clone(),
    })
    .await;
    let session = nodes.session().await;
    let second = nodes.at(&session, 1);
    let mut stream = second.stream(&second.get()).await;
    door.send_replace(false);
    let subscribe = session.post(ask(1, "resources/subscribe", json!({ "uri": "note:watched" })));
    assert_eq!(session.ask(&subscribe).await.json()["result"], json!({}));
    drop((nodes.listening.remove(0), nodes.servers.remove(0)));
    nodes.servers[0].registry().resources().updated("note:watched");
    door.send_replace(true);
    assert_eq!(stream.message().await.unwrap()["method"], "notifications/resources/updated");
    let handle = nodes.servers[0].registry().tools().add(plain("late", |_| async { String::new() })).unwrap();
    assert_eq!(stream.message().await.unwrap()["method"], "notifications/tools/list_changed");
    drop(handle);
}
