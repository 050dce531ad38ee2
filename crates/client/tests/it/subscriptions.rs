//! Notices of change as one stream of events, in both eras.

use std::future::IntoFuture;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jackfield_client::{Client, Event, Limits, Subscription};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::cut::{Asked, Cut, Done, reply};
use crate::script::{Pair, Server, name, paused};

async fn notice(server: &mut Server, method: &str, id: Option<&Value>, uri: Option<&str>) {
    let mut params = json!({});
    if let Some(id) = id {
        params["_meta"] = json!({"io.modelcontextprotocol/subscriptionId": id});
    }
    if let Some(uri) = uri {
        params["uri"] = uri.into();
    }
    server.send(&json!({"jsonrpc": "2.0", "method": format!("notifications/{method}"), "params": params})).await;
}

async fn acknowledge(server: &mut Server, request: &Value, filter: Value) {
    let meta = json!({"io.modelcontextprotocol/subscriptionId": request["id"]});
    let params = json!({"notifications": filter, "_meta": meta});
    server
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": params}))
        .await;
}

async fn next(events: &mut Subscription) -> Event {
    events.next().await.unwrap().unwrap()
}

/// PAT-064, PAT-066, STDIO-009: notices of a modern server reach the subscription they name, after its acknowledgement only.
#[test]
fn modern_notices_reach_their_subscription() {
    paused(async {
        let (client, mut server) = Pair::modern(Client::builder()).await;
        let (tools, one) = tokio::join!(client.subscribe().tools().prompts().into_future(), async {
            let request = server.expect("subscriptions/listen").await;
            let filter = json!({"toolsListChanged": true, "promptsListChanged": true});
            assert_eq!(request["params"]["notifications"], filter);
            notice(&mut server, "tools/list_changed", Some(&request["id"]), None).await;
            acknowledge(&mut server, &request, json!({"toolsListChanged": true})).await;
            request
        });
        let (resource, two) = tokio::join!(client.subscribe().resource("r://a").into_future(), async {
            let request = server.expect("subscriptions/listen").await;
            acknowledge(&mut server, &request, request["params"]["notifications"].clone()).await;
            request
        });
        let (mut tools, mut resource) = (tools.unwrap(), resource.unwrap());
        assert_eq!(tools.acknowledged().prompts_list_changed, None);
        // Another's notice, one of a kind that was not asked for, one of an unknown subscription, then the right ones.
        notice(&mut server, "tools/list_changed", Some(&two["id"]), None).await;
        notice(&mut server, "resources/list_changed", Some(&one["id"]), None).await;
        notice(&mut server, "tools/list_changed", Some(&json!(99)), None).await;
        notice(&mut server, "tools/list_changed", None, None).await;
        notice(&mut server, "resources/updated", Some(&two["id"]), Some("r://b")).await;
        notice(&mut server, "resources/updated", Some(&two["id"]), Some("r://a/child")).await;
        notice(&mut server, "resources/updated", Some(&two["id"]), Some("r://a")).await;
        assert_eq!(next(&mut resource).await, Event::ResourceUpdated("r://a".into()));
        assert_eq!(next(&mut resource).await, Event::ResourceUpdated("r://a/child".into()));
        notice(&mut server, "prompts/list_changed", Some(&one["id"]), None).await;
        assert_eq!(next(&mut tools).await, Event::PromptsChanged);
        // Dropping one cancels its request; the server ends the other.
        drop(tools);
        let cancelled = server.expect("notifications/cancelled").await;
        assert_eq!(cancelled["params"]["requestId"], one["id"]);
        server.send(&json!({"jsonrpc": "2.0", "id": two["id"], "result": {"resultType": "complete"}})).await;
        assert!(resource.next().await.is_none());
        assert!(resource.next().await.is_none());
    });
}

/// T-115: a storm of notices is one event.
#[test]
fn a_storm_becomes_one_event() {
    paused(async {
        let (client, mut server) = Pair::legacy(Client::builder(), "2025-06-18").await;
        let mut events = client.subscribe().tools().await.unwrap();
        for _ in 0..20_000 {
            notice(&mut server, "tools/list_changed", None, None).await;
        }
        let (pong, ()) = tokio::join!(client.ping(), async {
            server.expect("ping").await;
            server.answer(json!({})).await;
        });
        pong.unwrap();
        assert_eq!(next(&mut events).await, Event::ToolsChanged);
        notice(&mut server, "tools/list_changed", None, None).await;
        assert_eq!(next(&mut events).await, Event::ToolsChanged);
        client.close().await;
        assert!(events.next().await.is_none());
    });
}

/// PAT-064: a legacy server is asked for each resource, and told when nobody wants it any more.
#[test]
fn legacy_resources_are_subscribed_one_by_one() {
    paused(async {
        let (client, mut server) = Pair::legacy(Client::builder(), "2024-11-05").await;
        let subscribe = async |server: &mut Server, uri: &str| {
            let (events, ()) = tokio::join!(client.subscribe().resource(uri).into_future(), async {
                let request = server.expect("resources/subscribe").await;
                assert_eq!(request["params"]["uri"], uri);
                server.answer(json!({})).await;
            });
            events.unwrap()
        };
        let mut one = subscribe(&mut server, "r://1").await;
        let two = subscribe(&mut server, "r://1").await;
        notice(&mut server, "resources/updated", None, Some("r://2")).await;
        notice(&mut server, "resources/updated", None, Some("r://1")).await;
        assert_eq!(next(&mut one).await, Event::ResourceUpdated("r://1".into()));
        drop(two);
        drop(one);
        assert_eq!(server.expect("resources/unsubscribe").await["params"]["uri"], "r://1");
    });
}

/// T-115: a URI that is too long to be remembered is a reason to look at everything.
#[test]
fn long_uris_are_a_gap() {
    paused(async {
        let (client, mut server) = Pair::legacy(Client::builder(), "2025-06-18").await;
        let (events, ()) = tokio::join!(client.subscribe().resource("r://").into_future(), async {
            server.expect("resources/subscribe").await;
            server.answer(json!({})).await;
        });
        let uri = format!("r:///{}", "u".repeat(1 << 20));
        let (event, ()) = tokio::join!(async { next(&mut events.unwrap()).await }, async {
            notice(&mut server, "resources/updated", None, Some(&uri)).await;
        });
        assert_eq!(event, Event::Reconnected);
    });
}

/// T-115: changed resources are remembered up to a limit; then the reader is told to look at everything.
#[test]
fn changed_resources_have_a_limit() {
    for (count, wanted) in [(3, None), (4, Some(Event::Reconnected))] {
        paused(async move {
            let mut limits = Limits::default();
            limits.events = 3;
            let (client, mut server) = Pair::legacy(Client::builder().limits(limits), "2025-06-18").await;
            let (events, ()) = tokio::join!(client.subscribe().resource("r://").into_future(), async {
                server.expect("resources/subscribe").await;
                server.answer(json!({})).await;
            });
            for n in 0..count {
                notice(&mut server, "resources/updated", None, Some(&format!("r:///{n}"))).await;
            }
            let (pong, ()) = tokio::join!(client.ping(), async {
                server.expect("ping").await;
                server.answer(json!({})).await;
            });
            assert_eq!(name(&pong), "ok");
            let first = next(&mut events.unwrap()).await;
            assert_eq!(first, wanted.unwrap_or(Event::ResourceUpdated("r:///0".into())));
        });
    }
}

/// What a server was asked for that thinks for a while about each resource.
#[derive(Debug, Default)]
struct Thoughts {
    /// The number of the connection, and the resource.
    asked: Vec<(u32, String)>,
    under_way: usize,
    most_under_way: usize,
    answers: JoinSet<()>,
}

fn think(thoughts: &Arc<Mutex<Thoughts>>, asked: &Asked<'_>) -> Done {
    if asked.method != "resources/subscribe" {
        return Done::Unknown;
    }
    let mut all = thoughts.lock().unwrap();
    all.asked.push((asked.connection, asked.params["uri"].as_str().unwrap().to_owned()));
    all.under_way += 1;
    all.most_under_way = all.most_under_way.max(all.under_way);
    let (thoughts, inbox, id) = (thoughts.clone(), asked.inbox.clone(), asked.id);
    all.answers.spawn(async move {
        jackfield_testkit::pass(Duration::from_secs(5)).await;
        thoughts.lock().unwrap().under_way -= 1;
        reply(&inbox, id, json!({ "result": {} }));
    });
    Done::Later
}

/// A new connection is asked for all resources, a few at a time: there may be more of them than requests that may wait, and the server
/// has refused none. That notices may have been lost is said when all are asked for, so that nothing is missed after that.
#[test]
fn many_resources_survive_a_restart() {
    for (waiting, resources, most) in [(2, 3, 2), (1024, 40, 16)] {
        paused(async move {
            let mut limits = Limits::default();
            limits.requests_waiting = waiting;
            let thoughts = Arc::<Mutex<Thoughts>>::default();
            let thinking = thoughts.clone();
            let server = Cut::new(move |asked| think(&thinking, &asked));
            let builder = Client::builder().limits(limits).without_output_check();
            let client = builder.through(server).await.unwrap();
            let uris: Vec<_> = (0..resources).map(|n| format!("r://{n:02}")).collect();
            let mut events = uris.iter().fold(client.subscribe(), |wanted, uri| wanted.resource(uri)).await.unwrap();
            assert_eq!(name(&client.call("end", ()).await), "lost");
            assert_eq!(next(&mut events).await, Event::Reconnected);
            let asked = thoughts.lock().unwrap().asked.clone();
            let again: Vec<_> = asked.into_iter().filter(|(number, _)| *number > 0).map(|(_, uri)| uri).collect();
            assert_eq!(again, uris);
            assert_eq!(thoughts.lock().unwrap().most_under_way, most);
            let quiet = tokio::time::timeout(Duration::from_secs(600), events.next()).await;
            assert!(quiet.is_err(), "{quiet:?}");
        });
    }
}
