//! Subscriptions of a session that several nodes serve: what the others are told, and when.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use jackfield_peer::{
    Answering, AskError, Caller, Closed, Handler as _, Incoming, Outlet, RequestKey, Session, SessionChange, Shutdown,
};
use jackfield_protocol::envelope::{MethodName, Params, RawId};
use jackfield_protocol::{ClientCapabilities, ErrorObject, Method, RequestId, Revision};
use jackfield_server::{RunningServer, Server};
use serde_json::json;
use tokio::sync::Semaphore;

use crate::demo::demo;
use crate::talk::{runtime, started};

/// What happened, in order.
#[derive(Clone, Debug, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn add(&self, what: &str, uri: &str) {
        self.0.lock().unwrap().push(format!("{what} {uri}"));
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// Keeps changes for other nodes, each when there is a permit, and fails when there will be none.
#[derive(Debug)]
struct Others {
    kept: Log,
    permits: Arc<Semaphore>,
}

impl Outlet for Others {
    fn notify(
        &self,
        _: Option<RequestKey>,
        _: Vec<u8>,
    ) -> Pin<Box<dyn Future<Output = Result<(), Closed>> + Send + '_>> {
        Box::pin(std::future::ready(Err(Closed)))
    }

    fn try_notify(&self, _: Option<RequestKey>, _: Vec<u8>) -> bool {
        true
    }

    fn keep(&self, change: SessionChange<'_>) -> Option<Pin<Box<dyn Future<Output = Result<(), Closed>> + Send>>> {
        let (what, uri) = match change {
            SessionChange::Subscribed { uri, .. } => ("+", uri.to_owned()),
            SessionChange::Unsubscribed(uri) => ("-", uri.to_owned()),
            _ => return None,
        };
        let (kept, permits) = (self.kept.clone(), self.permits.clone());
        Some(Box::pin(async move {
            permits.acquire().await.map_err(|_| Closed)?.forget();
            kept.add(what, &uri);
            Ok(())
        }))
    }

    fn ask<'a>(
        &'a self,
        _: &'static str,
        _: Vec<u8>,
    ) -> Pin<Box<dyn Future<Output = Result<bytes::Bytes, AskError>> + Send + 'a>> {
        Box::pin(std::future::ready(Err(AskError::Closed)))
    }

    fn shutdown(&self) -> Shutdown {
        Shutdown::new().1
    }
}

/// One node, and a session that it serves.
struct Node {
    built: RunningServer,
    session: Arc<Session>,
    kept: Log,
    permits: Arc<Semaphore>,
}

impl Node {
    fn new(server: Server, permits: usize) -> Self {
        let (kept, permits) = (Log::default(), Arc::new(Semaphore::new(permits)));
        let outlet: Arc<dyn Outlet> = Arc::new(Others { kept: kept.clone(), permits: permits.clone() });
        let caller = Arc::new(Caller::new(Revision::LATEST_WITH_HANDSHAKE, ClientCapabilities::default()));
        let session = Arc::new(Session::new(caller, outlet));
        Self { built: started(server), session, kept, permits }
    }

    fn ask(&self, method: Method, uri: &str) -> Answering {
        let params = Params::from_value(&json!({ "uri": uri })).unwrap();
        let (id, session) = (RawId::from(&RequestId::Integer(1)), self.session.clone());
        let (caller, outlet) = (session.caller().clone(), session.outlet().clone());
        let method = MethodName::Known(method);
        self.built.handle(Incoming::new(Some(id), Some(RequestKey(1)), method, params, caller, outlet, Some(session)))
    }

    async fn subscribe(&self, uri: &str) -> Result<(), ErrorObject> {
        self.ask(Method::Subscribe, uri).reply().await.map(drop)
    }
}

/// A server whose hooks say what they hear. Of `note://wait` they think until there is a permit; they refuse `note://no`.
fn telling(told: &Log, thinking: &Arc<Semaphore>) -> Server {
    let (up, down, thinking) = (told.clone(), told.clone(), thinking.clone());
    demo()
        .on_subscribe(move |uri, _| {
            let (up, thinking) = (up.clone(), thinking.clone());
            async move {
                if uri == "note://wait" {
                    thinking.acquire().await.unwrap().forget();
                }
                if uri == "note://no" {
                    return Err(ErrorObject::invalid_params("no"));
                }
                up.add("+", &uri);
                Ok(())
            }
        })
        .on_unsubscribe(move |uri, _| {
            down.add("-", &uri);
            async { Ok(()) }
        })
}

/// Lets everything run that can.
async fn settle() {
    jackfield_testkit::pass(std::time::Duration::from_secs(1)).await;
}

/// Whoever is told that a subscription is refused may try again at once: nothing of the first try is left to be undone.
#[test]
fn a_refused_subscription_is_withdrawn_before_it_is_answered() {
    runtime().block_on(async {
        let node = Node::new(telling(&Log::default(), &Arc::new(Semaphore::new(0))), 2);
        node.subscribe("note://no").await.unwrap_err();
        assert_eq!(node.kept.take(), ["+ note://no", "- note://no"]);
        assert!(!node.session.is_subscribed("note://no"));
        // One that is cancelled while other nodes are told is withdrawn all the same.
        node.permits.add_permits(1);
        let mut asked = Box::pin(node.subscribe("note://no"));
        assert!(done_by_now(&mut asked).await.is_none());
        assert_eq!(node.kept.take(), ["+ note://no"]);
        drop(asked);
        node.permits.add_permits(1);
        settle().await;
        assert_eq!(node.kept.take(), ["- note://no"]);
    });
}

/// Returns what a future is done with, if it can be done now.
async fn done_by_now<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    tokio::select! {
        biased;
        output = future => Some(output),
        () = settle() => None,
    }
}

/// A client may end a subscription at another node. Hooks are told when the session next subscribes here, so that nothing piles up.
#[test]
fn ends_that_another_node_heard_of_are_told() {
    runtime().block_on(async {
        let told = Log::default();
        let node = Node::new(telling(&told, &Arc::new(Semaphore::new(0))), 100);
        node.subscribe("note://1").await.unwrap();
        node.subscribe("note://2").await.unwrap();
        node.session.unsubscribe("note://1");
        node.subscribe("note://3").await.unwrap();
        settle().await;
        assert_eq!(told.take(), ["+ note://1", "+ note://2", "+ note://3", "- note://1"]);
        // The end comes before a new beginning.
        node.session.unsubscribe("note://2");
        node.subscribe("note://2").await.unwrap();
        settle().await;
        assert_eq!(told.take(), ["- note://2", "+ note://2"]);
    });
}

/// A subscription that ends while hooks still think about it has ended.
#[test]
fn an_end_that_overtakes_the_beginning_is_told() {
    runtime().block_on(async {
        let (told, thinking) = (Log::default(), Arc::new(Semaphore::new(0)));
        let node = Node::new(telling(&told, &thinking), 100);
        let mut asked = Box::pin(node.subscribe("note://wait"));
        assert!(done_by_now(&mut asked).await.is_none());
        node.ask(Method::Unsubscribe, "note://wait").reply().await.unwrap();
        thinking.add_permits(1);
        asked.await.unwrap();
        settle().await;
        assert_eq!(told.take(), ["+ note://wait", "- note://wait"]);
        assert!(!node.session.is_subscribed("note://wait"));
    });
}

/// Of several that subscribe to the same at once, one that succeeds is enough, whatever becomes of the others.
#[test]
fn a_failed_subscription_takes_nothing_from_others() {
    runtime().block_on(async {
        let (told, thinking) = (Log::default(), Arc::new(Semaphore::new(0)));
        for server in [telling(&told, &thinking), demo()] {
            let node = Node::new(server, 0);
            let mut first = Box::pin(node.subscribe("note://wait"));
            assert!(done_by_now(&mut first).await.is_none());
            let mut second = Box::pin(node.subscribe("note://wait"));
            assert!(done_by_now(&mut second).await.is_none());
            // The first is cancelled while the second has still to be done.
            drop(first);
            node.permits.add_permits(1);
            thinking.add_permits(1);
            second.await.unwrap();
            assert!(node.session.is_subscribed("note://wait"));
            // One that fails later leaves it as it was too.
            node.permits.close();
            node.subscribe("note://wait").await.unwrap_err();
            settle().await;
            assert!(node.session.is_subscribed("note://wait"));
            assert_eq!(node.kept.take(), ["+ note://wait"]);
        }
        // The session of the first server has gone.
        assert_eq!(told.take(), ["+ note://wait", "- note://wait"]);
    });
}
