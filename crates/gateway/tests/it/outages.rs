//! Servers that are not there.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jackfield::Server;
use jackfield::middleware::MethodName;
use jackfield::protocol::code;
use jackfield::protocol::{CallToolResult, ErrorObject, Method, Revision, Schema, Tool};
use jackfield::testing::TestClient;
use jackfield_client::{Client, Event, Http};
use jackfield_gateway::Gateway;
use jackfield_http::HttpServer;
use jackfield_peer::Shutdown;
use serde_json::json;
use tokio::task::JoinSet;

use crate::backend::{Place, behind, client_of, demo};

async fn names(client: &TestClient) -> Vec<String> {
    client.list_tools().await.unwrap().into_iter().map(|tool| tool.name).filter(|name| name.ends_with("echo")).collect()
}

/// T-133 in part: a server that is not there is missing, says so when it is called, and comes back by itself; the others are served as
/// if nothing had happened.
#[tokio::test(start_paused = true)]
async fn a_server_that_is_not_there_hurts_nobody_else() {
    let [left, right] = [0, 1].map(|_| Place::new(demo(), Revision::LATEST));
    right.switch_off();
    let gateway = behind(behind(Gateway::new("gateway"), "left", &left), "right", &right);
    let client = TestClient::of(gateway.server().unwrap());
    assert_eq!(names(&client).await, ["left__echo"]);
    client.listen(json!({"toolsListChanged": true})).await.unwrap();
    let text = json!({"text": "x"});
    assert!(!client.call_tool("left__echo", &text).await.unwrap().is_failure());
    let failure = client.call_tool("right__echo", &text).await.unwrap();
    let words = failure.content[0].as_text().unwrap();
    assert!(
        failure.is_failure() && words.contains("right is not available") && words.contains("switched off"),
        "{words}"
    );
    let error = client.get_prompt("right__review", json!({"code": "x"})).await.unwrap_err();
    assert!(error.message.contains("right is not available"), "{error:?}");
    assert!(client.read_resource("note://right/1").await.unwrap_err().message.contains("right is not available"));

    right.switch_on();
    client.wait_for("notifications/tools/list_changed").await.unwrap();
    jackfield_testkit::pass(Duration::from_secs(1)).await;
    assert_eq!(names(&client).await.len(), 2);
    assert!(!client.call_tool("right__echo", &text).await.unwrap().is_failure());

    // It goes away in the middle of everything.
    left.switch_off();
    jackfield_testkit::pass(Duration::from_secs(1)).await;
    assert_eq!(names(&client).await, ["right__echo"]);
    assert!(client.call_tool("left__echo", &text).await.unwrap().is_failure());
    // It is tried again, but not all the time.
    let before = left.visits.load(Ordering::SeqCst);
    jackfield_testkit::pass(Duration::from_secs(600)).await;
    let visits = left.visits.load(Ordering::SeqCst) - before;
    assert!((5..30).contains(&visits), "{visits}");
    left.switch_on();
    jackfield_testkit::pass(Duration::from_secs(61)).await;
    assert_eq!(names(&client).await.len(), 2);
}

/// A server that cannot answer for a moment is asked again: what it has is there later, and so is what changes.
#[tokio::test(start_paused = true)]
async fn what_could_not_be_asked_for_once_is_asked_for_again() {
    for refused in [Method::ListTools, Method::Listen] {
        let server = demo();
        let is_first = Arc::new(AtomicBool::new(true));
        let registry = server.registry();
        let moody = server.middleware(move |incoming, next| {
            let refuses = incoming.method == MethodName::Known(refused) && is_first.swap(false, Ordering::SeqCst);
            async move {
                if refuses {
                    return Err(ErrorObject::new(code::TOO_MANY_REQUESTS, "not now"));
                }
                next.run(incoming).await
            }
        });
        let place = Place::new(moody, Revision::LATEST);
        let client = TestClient::of(behind(Gateway::new("gateway"), "demo", &place).server().unwrap());
        assert_eq!(names(&client).await.is_empty(), refused == Method::ListTools);
        jackfield_testkit::pass(Duration::from_secs(1)).await;
        assert_eq!(names(&client).await, ["demo__echo"], "{refused:?}");
        let schema = Schema::new(&json!({"type": "object"})).unwrap();
        registry
            .tools()
            .insert(Tool::new("late_echo", schema), |_, _| async { CallToolResult::text("") })
            .unwrap()
            .keep();
        jackfield_testkit::pass(Duration::from_secs(1)).await;
        assert_eq!(names(&client).await.len(), 2, "{refused:?}");
        assert_eq!(place.visits.load(Ordering::SeqCst), 1, "it was there all the time");
    }
}

/// A start does not wait for a server that does not come.
#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_come_is_not_waited_for() {
    let place = Place::new(demo(), Revision::LATEST);
    let gateway = behind(Gateway::new("gateway"), "demo", &place)
        .reach("silent", |_| std::future::pending())
        .patience(Duration::from_secs(3));
    let client = TestClient::of(gateway.server().unwrap());
    let begun = tokio::time::Instant::now();
    assert_eq!(names(&client).await, ["demo__echo"]);
    assert_eq!(begun.elapsed().as_secs(), 3);
    let failure = client.call_tool("silent__x", json!({})).await.unwrap();
    assert!(failure.content[0].as_text().unwrap().contains("still being started"), "{failure:?}");
}

/// A server that comes back is subscribed to again, however many of its resources are watched; what may have changed is told. At a
/// server with listen streams few of them are enough for all resources.
#[tokio::test(start_paused = true)]
async fn many_resources_are_watched_across_an_outage() {
    const MANY: usize = 300;
    for backend in [Revision::V2025_11_25, Revision::LATEST] {
        let server = demo();
        let registry = server.registry();
        let place = Place::new(server, backend);
        let gateway = behind(Gateway::new("gateway"), "demo", &place).server().unwrap();
        let mut tasks = JoinSet::new();
        let client = client_of(gateway, Client::builder(), &mut tasks).await;
        let uris: BTreeSet<String> = (0..MANY).map(|n| format!("note://demo/{n}")).collect();
        let subscribe = uris.iter().fold(client.subscribe().tools(), |subscribe, uri| subscribe.resource(uri));
        let mut subscription = subscribe.await.unwrap();
        assert_eq!(subscription.acknowledged().resource_subscriptions.unwrap().len(), MANY, "{backend}");

        place.switch_off();
        assert_eq!(subscription.next().await.unwrap().unwrap(), Event::ToolsChanged);
        place.switch_on();
        let mut told = BTreeSet::new();
        while told.len() < MANY {
            if let Event::ResourceUpdated(uri) = subscription.next().await.unwrap().unwrap() {
                told.insert(uri);
            }
        }
        assert_eq!(told, uris, "{backend}");
        for uri in ["note://7", "note://299"] {
            registry.resources().updated(uri);
            let event = subscription.next().await.unwrap().unwrap();
            assert_eq!(event, Event::ResourceUpdated(uri.replace("://", "://demo/")), "{backend}");
        }
    }
}

/// Serves over HTTP until it is stopped; says where.
async fn serve(server: Server, at: SocketAddr) -> (SocketAddr, impl AsyncFnOnce()) {
    let built = server.start().await.unwrap();
    let bound = HttpServer::new(Arc::new(built.clone())).bind(at).await.unwrap();
    let address = bound.local_addr();
    let (trigger, shutdown) = Shutdown::new();
    let mut serving = JoinSet::new();
    serving.spawn(async move { bound.serve(shutdown).await.unwrap() });
    let stop = async move || {
        trigger.trigger();
        built.end_streams();
        while serving.join_next().await.is_some() {}
        built.stop().await;
    };
    (address, stop)
}

async fn wait_for(subscription: &mut jackfield_client::Subscription, wanted: Event) {
    while subscription.next().await.unwrap().unwrap() != wanted {}
}

/// T-133 in part: a server over HTTP has no connection that ends when it goes, only its listen streams do. It is missing all the same,
/// and what it has when it comes back is what is offered; those who watch a resource hear of it again.
#[tokio::test]
async fn a_server_over_http_that_was_started_again_is_looked_at_anew() {
    let (address, stop) = serve(demo(), SocketAddr::from(([127, 0, 0, 1], 0))).await;
    let url = format!("http://{address}/mcp");
    let gateway = Gateway::new("gateway").reach("up", move |builder| builder.connect(Http::new(&url)));
    let mut tasks = JoinSet::new();
    let client = client_of(gateway.server().unwrap(), Client::builder(), &mut tasks).await;
    let mut subscription = client.subscribe().tools().resource("note://up/first").await.unwrap();
    assert!(!client.call("up__echo", json!({"text": "x"})).await.unwrap().is_failure());

    stop().await;
    wait_for(&mut subscription, Event::ToolsChanged).await;
    assert!(client.tools().all().await.unwrap().is_empty());
    let failure = client.call("up__echo", json!({"text": "x"})).await.unwrap();
    assert!(failure.is_failure() && failure.text().contains("up is not available"), "{failure:?}");

    let again = demo();
    let registry = again.registry();
    let schema = Schema::new(&json!({"type": "object"})).unwrap();
    registry.tools().insert(Tool::new("late", schema), |_, _| async { CallToolResult::text("now") }).unwrap().keep();
    let (_, stop) = serve(again, address).await;
    wait_for(&mut subscription, Event::ToolsChanged).await;
    wait_for(&mut subscription, Event::ResourceUpdated("note://up/first".to_owned())).await;
    assert_eq!(client.call("up__late", ()).await.unwrap().text(), "now");
    registry.resources().updated("note://first");
    wait_for(&mut subscription, Event::ResourceUpdated("note://up/first".to_owned())).await;
    stop().await;
}
