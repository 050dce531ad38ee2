//! Sessions that come to their end while something begins in them.

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use http::{Request, Response, StatusCode};
use jackfield_peer::{Answering, Handler, Incoming, RequestKey};
use jackfield_protocol::envelope::MethodName;
use jackfield_protocol::{AnyResult, Method, Outcome, Revision};
use serde_json::{Value, json};

use super::{Closing, LocalSession, SessionId, Transport};
use crate::endpoint::{Endpoint, apart};
use crate::legacy::Exchange;
use crate::nodes::Replica;
use crate::request::{Accepts, SESSION_ID};
use crate::response::HttpAnswer;
use crate::{Body, HttpConfig};

/// When a call or a notification ends its session, and says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    Nothing,
    Before,
    After,
}

/// Ends all sessions when it is polled for the first time, and is never ready.
struct Last {
    endpoint: OnceLock<Weak<Endpoint>>,
    /// Held by each of its futures.
    held: Arc<()>,
    says: Says,
}

impl Last {
    async fn end(endpoint: Option<Arc<Endpoint>>, incoming: Incoming, says: Says) {
        let message = br#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#;
        if says == Says::Before {
            incoming.outlet.notify(incoming.key, message.to_vec()).await.unwrap();
        }
        let endpoint = endpoint.unwrap();
        for live in endpoint.host.sessions.all() {
            assert!(endpoint.host.sessions.remove(live.id));
        }
        if says == Says::After && incoming.key.is_some() {
            incoming.outlet.notify(incoming.key, message.to_vec()).await.unwrap_err();
        }
    }
}

impl Handler for Last {
    fn handle(&self, incoming: Incoming) -> Answering {
        if incoming.method == MethodName::Known(Method::Initialize) {
            let result = json!({ "protocolVersion": Revision::LATEST_WITH_HANDSHAKE, "capabilities": {} });
            return Answering::ready(Ok(Outcome::Complete(AnyResult::from(result))));
        }
        let (held, says, endpoint) = (self.held.clone(), self.says, self.endpoint.get().and_then(Weak::upgrade));
        Answering::later(async move {
            let _held = held;
            Self::end(endpoint, incoming, says).await;
            std::future::pending().await
        })
    }
}

async fn post(endpoint: &Arc<Endpoint>, session: Option<&str>, accept: &str, message: Value) -> Response<Body> {
    let request = Request::post("/mcp").header("host", "localhost").header("content-type", "application/json");
    let request = request.header("accept", accept).header(SESSION_ID, session.unwrap_or_default());
    let mut request = request.body(Body::full(message.to_string())).unwrap();
    if session.is_none() {
        request.headers_mut().remove(SESSION_ID);
    }
    let (parts, body) = apart(request);
    let answer = endpoint.serve(parts, body, false, None);
    tokio::time::timeout(Duration::from_secs(600), answer).await.expect("an answer")
}

/// Opens a session and sends a message in it, whose handler ends the session. Returns the answer.
async fn last_message(says: Says, accept: &str, message: Value) -> (Response<Body>, Arc<Endpoint>, Arc<()>) {
    let held = Arc::new(());
    let last = Arc::new(Last { endpoint: OnceLock::new(), held: held.clone(), says });
    let endpoint = Endpoint::new(last.clone(), HttpConfig::default());
    last.endpoint.set(Arc::downgrade(&endpoint)).unwrap();
    let session = open(&endpoint).await;
    let answer = post(&endpoint, Some(&session), accept, message).await;
    (answer, endpoint, held)
}

/// Opens a session, and returns its id.
async fn open(endpoint: &Arc<Endpoint>) -> String {
    let params = json!({ "protocolVersion": Revision::LATEST_WITH_HANDSHAKE, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    let both = "application/json, text/event-stream";
    let initialize = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
    let opened = post(endpoint, None, both, initialize).await;
    opened.headers().get(SESSION_ID).unwrap().to_str().unwrap().to_owned()
}

/// Begins another request with the id 1 while the first is polled, and is never ready.
#[derive(Default)]
struct Rival(OnceLock<Weak<Endpoint>>);

impl Handler for Rival {
    fn handle(&self, incoming: Incoming) -> Answering {
        if incoming.method == MethodName::Known(Method::Initialize) {
            let result = json!({ "protocolVersion": Revision::LATEST_WITH_HANDSHAKE, "capabilities": {} });
            return Answering::ready(Ok(Outcome::Complete(AnyResult::from(result))));
        }
        let endpoint = self.0.get().and_then(Weak::upgrade).unwrap();
        Answering::later(async move {
            for live in endpoint.host.sessions.all() {
                live.calls().running.insert(RequestKey(u64::MAX), Some(1.into()), None, None).unwrap();
            }
            std::future::pending().await
        })
    }
}

/// Of two requests with one id that come at the same time, one is served; the other is answered, and takes nothing from it.
#[tokio::test(start_paused = true)]
async fn who_comes_second_with_an_id_is_answered() {
    let rival = Arc::new(Rival::default());
    let endpoint = Endpoint::new(rival.clone(), HttpConfig::default());
    rival.0.set(Arc::downgrade(&endpoint)).unwrap();
    let session = open(&endpoint).await;
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "x" } });
    let answer = post(&endpoint, Some(&session), "application/json, text/event-stream", call).await;
    assert_eq!(answer.status(), StatusCode::BAD_REQUEST);
    let live = endpoint.host.sessions.all().remove(0);
    let running = live.calls().running.take_all();
    assert_eq!(running.len(), 1);
    assert!(running[0].value.is_none(), "the other one runs on");
}

/// A call that begins while its session ends has no owner who would ever end it: it is dropped, its client learns that the session is
/// over, and nothing is kept of what it said.
#[tokio::test(start_paused = true)]
async fn a_call_does_not_outlive_the_session_it_began_in() {
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "x" } });
    for says in [Says::Nothing, Says::Before, Says::After] {
        for accept in ["application/json, text/event-stream", "text/event-stream"] {
            let (answer, endpoint, held) = last_message(says, accept, call.clone()).await;
            // What was said before the end has made the answer a stream.
            let expected = if says == Says::Before { StatusCode::OK } else { StatusCode::NOT_FOUND };
            assert_eq!(answer.status(), expected, "{says:?} {accept}");
            assert_eq!(Arc::strong_count(&held), 2, "the test and the handler, and no call");
            drop(answer);
            assert!(endpoint.shared.log.is_empty(), "{says:?} {accept}");
        }
    }
}

/// The same for a notification, which nobody waits for.
#[tokio::test(start_paused = true)]
async fn a_notification_does_not_outlive_the_session_it_came_in() {
    let notice = json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" });
    let (answer, endpoint, held) = last_message(Says::Nothing, "application/json, text/event-stream", notice).await;
    assert_eq!((answer.status(), Arc::strong_count(&held)), (StatusCode::ACCEPTED, 2));
    assert!(endpoint.shared.log.is_empty());
}

/// Somebody may still hold a session that is over, and ask for its stream. What the log has of that goes with the session.
#[tokio::test(start_paused = true)]
async fn a_stream_that_nobody_knows_leaves_nothing_in_the_log() {
    let last = Last { endpoint: OnceLock::new(), held: Arc::default(), says: Says::Nothing };
    let endpoint = Endpoint::new(Arc::new(last), HttpConfig::default());
    let id = SessionId::random().unwrap();
    let live = LocalSession::new(id, Transport::Streamable, None, &Revision::ALL, &endpoint.shared, None);
    let stream = live.open_stream(&[]).unwrap();
    live.end();
    assert!(live.open_stream(&[]).is_none(), "the session is over");
    live.standalone().append(b"late".to_vec());
    assert!(!endpoint.shared.log.is_empty());
    drop((live, stream));
    assert!(endpoint.shared.log.is_empty());
}

/// A session may end, or move to another node, between an answer and the stream that a client wants it on. It is told so, and gets no JSON.
#[test]
fn who_takes_only_streams_gets_no_json_when_the_session_is_over() {
    let last = Last { endpoint: OnceLock::new(), held: Arc::default(), says: Says::Nothing };
    let endpoint = Endpoint::new(Arc::new(last), HttpConfig::default());
    for (accepts, closing) in
        [(Accepts::Events, Some(Closing::Ended)), (Accepts::Events, Some(Closing::Left)), (Accepts::Both, None)]
    {
        let replica = Some(Replica::new(0));
        let id = SessionId::random().unwrap();
        let live = LocalSession::new(id, Transport::Streamable, None, &Revision::ALL, &endpoint.shared, replica);
        let exchange = Exchange::new(live.clone(), accepts, true);
        exchange.expect(RequestKey(1), None);
        exchange.answer(RequestKey(1), None, |out| out.extend_from_slice(b"{}"));
        exchange.filled();
        match closing {
            Some(Closing::Left) => live.leave(),
            _ => live.end(),
        }
        match exchange.answer_at_once().unwrap() {
            HttpAnswer::Json(status, text) => {
                assert_eq!((status, &*text, closing), (StatusCode::OK, &b"[{}]"[..], None));
            }
            HttpAnswer::Response(response) => {
                let expected = match closing {
                    Some(Closing::Ended) => StatusCode::NOT_FOUND,
                    Some(Closing::Left) => StatusCode::SERVICE_UNAVAILABLE,
                    None => panic!("nothing has ended"),
                };
                assert_eq!(response.status(), expected);
            }
            HttpAnswer::Pending(_) => panic!("it is clear"),
        }
        assert_eq!(live.held.load(Ordering::Relaxed), 0);
    }
}
