//! Streams of HTTP that break, are refused, or end with their runtime.

use std::sync::mpsc;
use std::time::Duration;

use jackfield_client::{Client, Event, Limits, Restarts, Timeouts};
use serde_json::json;

use super::site::Site;
use crate::script::{name, paused};

const CHANGED: &str = r#"data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}||"#;

/// A runtime that is dropped while a subscription is open ends: what is sent then goes nowhere, and nothing waits for itself.
#[test]
fn a_runtime_can_be_dropped_at_any_time() {
    let (tell, told) = mpsc::sync_channel(1);
    let work = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let site = Site::default();
        site.legacy("2025-11-25");
        site.reply("resources/subscribe", r#"200 json {"result":{}}"#);
        let (open, opened) = tokio::sync::oneshot::channel();
        let http = site.http();
        let mut user = tokio::task::JoinSet::new();
        user.spawn_on(
            async move {
                let client = Client::connect(http).await.unwrap();
                let _events = client.subscribe().resource("r://x").await.unwrap();
                open.send(()).unwrap();
                std::future::pending::<()>().await;
            },
            runtime.handle(),
        );
        runtime.block_on(opened).unwrap();
        drop(runtime);
        tell.send(()).unwrap();
    };
    let thread = std::thread::spawn(work);
    told.recv_timeout(Duration::from_secs(60)).expect("the runtime did not end");
    thread.join().unwrap();
}

/// HTTP-071: a request that only reads is sent again, once and under a new id, when its stream breaks; a call is not, unless its tool says
/// that it does no harm.
#[test]
fn reading_is_repeated_when_its_stream_breaks() {
    paused(async {
        let site = Site::default();
        site.modern();
        let cut = "200 sse : nothing||";
        for (method, answer) in [
            ("resources/read", json!({"contents": []})),
            ("prompts/get", json!({"messages": []})),
            ("prompts/list", json!({"prompts": []})),
            ("completion/complete", json!({"completion": {"values": []}})),
        ] {
            site.reply(method, cut);
            site.reply(method, format!("200 json {}", json!({ "result": answer })));
        }
        let tools = json!({"result": {"tools": [
            {"name": "t", "inputSchema": {"type": "object"}},
            {"name": "reads", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}},
            {"name": "again", "inputSchema": {"type": "object"}, "annotations": {"idempotentHint": true}},
        ]}});
        site.forget("tools/list");
        site.reply("tools/list", format!("200 json {tools}"));
        let client = Client::connect(site.http()).await.unwrap();
        for (action, method) in [
            ("read", "resources/read"),
            ("prompt", "prompts/get"),
            ("prompts", "prompts/list"),
            ("complete", "completion/complete"),
        ] {
            assert_eq!(crate::script::act(&client, action).await, "ok");
            let seen = site.seen(method);
            assert_eq!(seen.len(), 2, "{method}");
            assert_ne!(seen[0].body["id"], seen[1].body["id"]);
            assert_eq!(seen[0].body["params"]["uri"], seen[1].body["params"]["uri"]);
        }
        for (tool, calls) in [("t", 1), ("reads", 2), ("again", 2)] {
            site.forget("tools/call");
            site.reply("tools/call", cut);
            let before = site.seen("tools/call").len();
            assert_eq!(name(&client.call(tool, ()).await), "lost", "{tool}");
            assert_eq!(site.seen("tools/call").len() - before, calls, "{tool}");
        }
    });
}

/// PAT-019, HTTP-071: whoever listens to a call that is sent again hears of progress that only grows, and of none twice.
#[test]
fn a_repeated_call_does_not_begin_to_tell_anew() {
    paused(async {
        let site = Site::default();
        site.modern();
        site.forget("tools/list");
        let tool = json!({"name": "t", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}});
        site.reply("tools/list", format!("200 json {}", json!({"result": {"tools": [tool]}})));
        let told = |progress: u32| {
            let notice =
                r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":$id,"progress":"#;
            format!("data: {notice}{progress}}}}}||")
        };
        let answer = r#"data: {"jsonrpc":"2.0","id":$id,"result":{"resultType":"complete","content":[]}}||"#;
        site.reply("tools/call", format!("200 sse {}{}", told(1), told(2)));
        site.reply("tools/call", format!("200 sse {}{}{}{answer}", told(1), told(2), told(3)));
        let client = Client::connect(site.http()).await.unwrap();
        let (tell, heard) = mpsc::sync_channel(8);
        let call = client.call("t", ()).on_progress(move |notice| tell.send(notice.progress).unwrap());
        assert!(!call.await.unwrap().is_failure());
        assert_eq!(site.seen("tools/call").len(), 2);
        assert_eq!(heard.into_iter().collect::<Vec<_>>(), [1.0, 2.0, 3.0]);
    });
}

/// The stream of a server's own messages comes back after an odd answer; only a server that says it has none is believed.
#[test]
fn the_stream_of_notices_survives_odd_answers() {
    for odd in ["409", "400", "200 text/html hello", "403"] {
        paused(async move {
            let site = Site::default();
            site.legacy("2025-06-18");
            site.forget("GET");
            site.reply("GET", "200 sse : hello||");
            site.reply("GET", odd);
            site.reply("GET", format!("200 sse {CHANGED}…"));
            let client = Client::connect(site.http()).await.unwrap();
            let mut events = client.subscribe().tools().await.unwrap();
            let mut heard = Vec::new();
            while heard.last() != Some(&Event::ToolsChanged) {
                heard.push(events.next().await.unwrap().unwrap());
            }
            assert_eq!(site.seen("GET").len(), 3, "{odd}");
        });
    }
    // One that no longer has it says nothing more, and the reader is told so.
    paused(async {
        let site = Site::default();
        site.legacy("2025-06-18");
        site.forget("GET");
        site.reply("GET", "after 1 200 sse : hello||");
        site.reply("GET", "405");
        let client = Client::connect(site.http()).await.unwrap();
        let mut events = client.subscribe().tools().await.unwrap();
        assert_eq!(events.next().await.unwrap().unwrap(), Event::Reconnected);
        assert_eq!(site.seen("GET").len(), 2);
    });
}

/// A server that refuses to go on from an event that it no longer knows is asked to begin anew, and the reader looks at everything.
#[test]
fn an_event_that_is_not_known_any_more_is_not_asked_for_again() {
    paused(async {
        let site = Site::default();
        site.legacy("2025-06-18");
        site.forget("GET");
        site.reply("GET", format!("200 sse id: 1|{CHANGED}"));
        site.reply("GET", "400");
        site.reply("GET", "200 sse : hello||…");
        let client = Client::connect(site.http()).await.unwrap();
        let mut events = client.subscribe().tools().await.unwrap();
        let mut heard = Vec::new();
        while heard.last() != Some(&Event::Reconnected) {
            heard.push(events.next().await.unwrap().unwrap());
        }
        let asked: Vec<_> =
            site.seen("GET").iter().map(|seen| seen.header("last-event-id").map(str::to_owned)).collect();
        assert_eq!(asked, [None, Some("1".to_owned()), None]);
    });
}

/// A resource that a new session was asked for in vain is an error for the reader if the session goes on; if that ends too, the next one
/// is asked.
#[test]
fn resources_are_not_lost_silently() {
    const DONE: &str = r#"200 json {"result":{}}"#;
    for (second, asked, wanted) in [("close", 2, Some("lost")), ("404", 3, None)] {
        paused(async move {
            let site = Site::default();
            site.legacy("2025-11-25");
            for reply in [DONE, second, DONE] {
                site.reply("resources/subscribe", reply);
            }
            site.reply("tools/call", "404");
            site.reply("tools/call", r#"200 json {"result":{"content":[]}}"#);
            let client = Client::connect(site.http()).await.unwrap();
            let mut events = client.subscribe().resource("r://1").await.unwrap();
            assert_eq!(name(&client.call("t", ()).await), "ok");
            let failure = tokio::time::timeout(Duration::from_secs(600), async {
                loop {
                    match events.next().await.expect("an event") {
                        Ok(event) => assert_eq!(event, Event::Reconnected),
                        error => return name(&error),
                    }
                }
            });
            assert_eq!(failure.await.ok().as_deref(), wanted, "{second}");
            assert_eq!(site.seen("resources/subscribe").len(), asked, "{second}");
            assert_eq!(name(&client.call("t", ()).await), "ok");
        });
    }
}

/// A server that is being started again refuses for a while; an open subscription is asked for again, as if nobody had answered.
#[test]
fn subscriptions_outlast_refusals() {
    paused(async {
        let site = Site::default();
        site.modern();
        let meta = r#""_meta":{"io.modelcontextprotocol/subscriptionId":$id}"#;
        let opened = format!(
            r#"200 sse data: {{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{{"notifications":{{"toolsListChanged":true}},{meta}}}}}||"#
        );
        let changed =
            format!(r#"data: {{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{{{meta}}}}}||…"#);
        site.reply("subscriptions/listen", opened.clone());
        for status in ["502", "503", "429"] {
            site.reply("subscriptions/listen", status);
        }
        site.reply("subscriptions/listen", format!("{opened}{changed}"));
        let client = Client::connect(site.http()).await.unwrap();
        let mut events = client.subscribe().tools().await.unwrap();
        let mut heard = Vec::new();
        while heard.last() != Some(&Event::ToolsChanged) {
            heard.push(events.next().await.unwrap().unwrap());
        }
        assert_eq!(site.seen("subscriptions/listen").len(), 5);
        // Who has not been served yet is told at once.
        site.forget("subscriptions/listen");
        site.reply("subscriptions/listen", "503");
        assert_eq!(name(&client.subscribe().prompts().await), "status 503");
    });
}

/// TASK-020: the question of a task may come on any stream, also on that of a look at the task, and is answered.
#[test]
fn questions_of_a_task_may_come_on_any_stream() {
    for stream in ["tasks/get", "tasks/result"] {
        paused(async move {
            let site = Site::default();
            site.legacy("2025-11-25");
            site.forget("tools/list");
            let task = |status: &str| json!({"taskId": "k", "status": status, "createdAt": "x", "lastUpdatedAt": "x", "ttl": null});
            let tool =
                json!({"name": "t", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "required"}});
            site.reply("tools/list", format!("200 json {}", json!({"result": {"tools": [tool]}})));
            site.reply("tools/call", format!("200 json {}", json!({"result": {"task": task("working")}})));
            let question = json!({"jsonrpc": "2.0", "id": "q", "method": "roots/list"});
            for (method, result) in [("tasks/get", task("completed")), ("tasks/result", json!({"content": []}))] {
                let answer = format!(r#"{{"jsonrpc":"2.0","id":$id,"result":{result}}}"#);
                let before = if method == stream { format!("data: {question}||") } else { String::new() };
                site.reply(method, format!("200 sse {before}data: {answer}||"));
            }
            let client = Client::builder().roots(vec![]).connect(site.http()).await.unwrap();
            client.call("t", ()).await.unwrap();
            client.close().await;
            let answers = site.seen("answer");
            assert_eq!(answers.len(), 1, "{stream}");
            assert_eq!((&answers[0].body["id"], &answers[0].body["result"]), (&json!("q"), &json!({"roots": []})));
        });
    }
}

/// A client that pings a server of sessions every ten seconds, and does not connect again.
async fn pinging(site: &Site, limits: Limits) -> Client {
    site.legacy("2025-11-25");
    let mut timeouts = Timeouts::default();
    timeouts.keep_alive = Some(Duration::from_secs(10));
    let mut restarts = Restarts::default();
    restarts.limit = 0;
    let builder = Client::builder().timeouts(timeouts).restarts(restarts).limits(limits);
    let client = builder.connect(site.http()).await.unwrap();
    // Since this has been answered, nothing else is under way when the first ping is sent.
    client.tools().all().await.unwrap();
    client
}

/// PAT-032: a server that cannot be reached is noticed by the second ping; one that comes back before that is kept.
#[test]
fn pings_notice_that_nobody_listens() {
    for comes_back in [false, true] {
        paused(async move {
            let site = Site::default();
            site.reply("ping", r#"200 json {"result":{}}"#);
            let client = pinging(&site, Limits::default()).await;
            site.shut();
            let ended = tokio::time::timeout(Duration::from_secs(15), client.closed()).await;
            assert!(ended.is_err(), "one ping was enough");
            if comes_back {
                site.open();
            }
            let ended = tokio::time::timeout(Duration::from_secs(60), client.closed()).await;
            assert_eq!(ended.is_ok(), !comes_back);
            assert_eq!(site.seen("ping").is_empty(), !comes_back);
        });
    }
}

/// PAT-032: a server that takes its time to answer a long request is not given up because pings find no room meanwhile.
#[test]
fn long_requests_do_not_look_like_a_deaf_server() {
    paused(async {
        let site = Site::default();
        site.reply("ping", r#"200 json {"result":{}}"#);
        site.reply("tools/call", r#"after 55 200 json {"result":{"content":[]}}"#);
        let mut limits = Limits::default();
        limits.queued_bytes = 10_000;
        let client = pinging(&site, limits).await;
        let call = client.call("t", json!({"x": "y".repeat(20_000)})).timeout(Duration::from_secs(100));
        assert_eq!(name(&call.await), "ok");
        assert!(site.seen("ping").is_empty(), "there was room for pings");
    });
}

/// A server of the oldest form that cannot be reached has not done what was asked, and the caller is told so.
#[test]
fn the_oldest_form_tells_what_was_never_sent() {
    paused(async {
        let site = Site::default();
        site.reply("server/discover", "405");
        site.reply("initialize", "405");
        site.reply("initialize", "202");
        site.reply(
            "GET",
            r#"200 sse event: endpoint|data: /messages||data: {"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}||…"#,
        );
        let client = Client::connect(site.http()).await.unwrap();
        // No connection is left by then but that of the stream.
        jackfield_testkit::pass(Duration::from_secs(600)).await;
        site.refuse();
        assert_eq!(name(&client.call("t", ()).await), "unreachable");
    });
}
