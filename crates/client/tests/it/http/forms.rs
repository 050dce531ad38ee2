//! The three forms of HTTP, and how the client finds out which one a server has.

use std::future::IntoFuture;
use std::time::Duration;

use jackfield_client::{Client, EraCache, Event, Limits};
use jackfield_peer::tape::{Entry, Reader, Tape};
use jackfield_protocol::{ElicitAction, ElicitResult, Revision};
use jackfield_testkit::Paper;
use serde_json::json;
use tokio::time::Instant;

use super::site::{Site, check};
use crate::script::{name, paused};

const DONE: &str = r#"200 json {"result":{"resultType":"complete","content":[]}}"#;

/// HTTP-011, HTTP-012, HTTP-015, HTTP-017, HTTP-021, HTTP-062, HTTP-072: a modern request is a POST by itself, described by headers; it is answered by JSON or by events; nothing else is sent.
#[test]
fn modern_requests_stand_by_themselves() {
    check(
        r#"
        modern
        @ call = ok
        @ call = ok
        @ read = ok
        @ prompt = ok
        @ close = ok
        > tools/call
        < 200 json {"result":{"resultType":"complete","content":[]}}
        < 200 [mcp-session-id: ignored] sse data: {"jsonrpc":"2.0","id":$id,"result":{"resultType":"complete","content":[]}}||
        > resources/read
        < 200 json {"result":{"resultType":"complete","contents":[]}}
        > prompts/get
        < 200 json {"result":{"resultType":"complete","messages":[]}}
        = server/discover mcp-protocol-version: 2026-07-28
        = server/discover mcp-method: server/discover
        = server/discover ! mcp-name
        = tools/call accept: application/json, text/event-stream
        = tools/call content-type: application/json
        = tools/call mcp-protocol-version: 2026-07-28
        = tools/call mcp-method: tools/call
        = tools/call mcp-name: t
        = tools/call x-key: secret
        = resources/read mcp-name: r://1
        = resources/read ! mcp-session-id
        = prompts/get mcp-name: p
        = GET 0
        = DELETE 0
        = initialize 0
    "#,
    );
}

/// HTTP-063, HTTP-073: the header with the version says the same as the body, on every POST; names that are not plain are encoded.
#[test]
fn headers_say_what_the_body_says() {
    paused(async {
        let site = Site::default();
        site.modern();
        site.reply("tools/call", DONE);
        site.reply("resources/read", r#"200 json {"result":{"resultType":"complete","contents":[]}}"#);
        let client = Client::connect(site.http()).await.unwrap();
        client.call("grüße", ()).await.unwrap();
        client.call("plain", ()).await.unwrap();
        client.read("r://1").await.unwrap();
        client.tools().all().await.unwrap();
        let names: Vec<_> =
            site.seen("tools/call").iter().map(|seen| seen.header("mcp-name").map(str::to_owned)).collect();
        assert_eq!(names, [Some("=?base64?Z3LDvMOfZQ==?=".to_owned()), Some("plain".to_owned())]);
        let all = site.all();
        assert!(all.len() >= 5, "{all:?}");
        for seen in all {
            let version = &seen.body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"];
            assert_eq!(version, "2026-07-28", "{seen:?}");
            assert_eq!(seen.header("mcp-protocol-version"), version.as_str(), "{seen:?}");
        }
    });
}

/// HTTP-013: where batches are allowed, each body is still one message.
#[test]
fn bodies_are_single_messages() {
    paused(async {
        let site = Site::default();
        site.legacy("2025-03-26");
        site.reply("tools/call", r#"200 json {"result":{"content":[]}}"#);
        let client = Client::connect(site.http()).await.unwrap();
        let mut calls = tokio::task::JoinSet::new();
        for _ in 0..20 {
            calls.spawn(client.call("t", ()).into_future());
        }
        while let Some(call) = calls.join_next().await {
            call.unwrap().unwrap();
        }
        client.close().await;
        let posts: Vec<_> = site.all().into_iter().filter(|seen| seen.verb == "POST").collect();
        assert!(posts.len() >= 22, "{}", posts.len());
        for post in posts {
            assert!(post.body.is_object() && post.body["method"].is_string(), "{post:?}");
        }
    });
}

/// HTTP-052: the id of a session is a secret: neither what is logged nor what is printed shows it.
#[test]
fn the_id_of_a_session_is_not_shown() {
    let log = crate::careful::Log::default();
    let _default = tracing::subscriber::set_default(log.clone());
    let printed = paused(async {
        let site = Site::default();
        let greeting = json!({"result": crate::script::greeting("2025-11-25")});
        site.reply("initialize", format!("200 [mcp-session-id: s3cret-session] json {greeting}"));
        site.legacy("2025-11-25");
        site.forget("GET");
        site.reply("GET", "200 sse : hello||");
        site.reply("GET", "503");
        site.reply("tools/call", "close");
        let client = Client::connect(site.http()).await.unwrap();
        let lost = client.call("t", ()).await.unwrap_err();
        assert_eq!(site.seen("tools/call")[0].header("mcp-session-id"), Some("s3cret-session"));
        let printed = format!("{client:?} {lost:?} {lost}");
        client.close().await;
        printed
    });
    let lines = log.0.lock().unwrap().join("\n");
    assert!(!lines.is_empty() && !lines.contains("s3cret") && !printed.contains("s3cret"), "{lines}\n{printed}");
}

/// HTTP-053, HTTP-057, HTTP-058, HTTP-059, HTTP-110, HTTP-111, HTTP-014, HTTP-038, LIFE-015: a server that does not know the probe is opened by
/// `initialize`; the session's id and the agreed version are on all that follows, and the session is ended.
#[test]
fn older_servers_have_sessions() {
    check(
        r#"
        legacy 2025-06-18
        @ revision = 2025-06-18
        @ call = ok
        @ wait = ok
        @ close = ok
        > tools/call
        < 200 json {"result":{"content":[]}}
        = initialize ! mcp-session-id
        = notifications/initialized mcp-session-id: s1
        = notifications/initialized mcp-protocol-version: 2025-06-18
        = tools/call mcp-session-id: s1
        = tools/call mcp-protocol-version: 2025-06-18
        = tools/call ! mcp-method
        = GET accept: text/event-stream
        = GET mcp-session-id: s1
        = GET mcp-protocol-version: 2025-06-18
        = DELETE mcp-session-id: s1
        = DELETE mcp-protocol-version: 2025-06-18
        = DELETE 1
    "#,
    );
}

/// HTTP-033, HTTP-047: the rest of a stream that was cut off is fetched, from where it was cut.
#[test]
fn cut_streams_are_resumed() {
    check(
        r#"
        legacy 2025-11-25
        @ call = ok
        > tools/call
        < 200 sse id: s-1|data:||id: s-2|data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}||id: s-3|data: {"cut
        > GET
        < 405
        < 503
        < close
        < 200 sse id: s-4|data:||
        < 200 sse data: {"jsonrpc":"2.0","id":$id,"result":{"content":[]}}||
        = GET last-event-id: s-2
        = GET last-event-id: s-4
        = GET 5
        = tools/call 1
    "#,
    );
}

/// HTTP-035: the client waits as long as the server wishes before it comes back.
#[test]
fn the_wish_to_wait_is_heeded() {
    paused(async {
        let site = Site::default();
        site.legacy("2025-11-25");
        site.reply("tools/call", "200 sse id: 1|retry: 30000|data:||");
        site.reply("GET", r#"200 sse data: {"jsonrpc":"2.0","id":$id,"result":{"content":[]}}||"#);
        let client = Client::connect(site.http()).await.unwrap();
        let began = Instant::now();
        assert_eq!(name(&client.call("t", ()).await), "ok");
        assert!(began.elapsed() >= Duration::from_secs(30), "{:?}", began.elapsed());
    });
}

/// HTTP-056: a session that is gone is followed by a new one; the call that noticed was not taken, so it is made there.
#[test]
fn a_session_that_is_gone_is_followed_by_another() {
    check(
        r#"
        legacy 2025-11-25
        @ call = ok
        @ call = ok
        > tools/call
        < 404
        < 200 json {"result":{"content":[]}}
        = initialize 2
        = initialize ! mcp-session-id
        = tools/call 3
    "#,
    );
}

/// On the tape is what was sent: the call twice, and each time in the session that it was sent in.
#[test]
fn a_call_that_is_made_again_is_recorded_again() {
    let paper = Paper::default();
    let tape = Tape::to(paper.clone()).unwrap();
    let recorded = tape.clone();
    paused(async move {
        let site = Site::default();
        site.legacy("2025-11-25");
        let client = Client::builder().tape(recorded).connect(site.http()).await.unwrap();
        site.reply("tools/call", "404");
        site.reply("tools/call", r#"200 json {"result":{"content":[]}}"#);
        client.call("t", ()).await.unwrap();
    });
    tape.close().unwrap();
    let text = paper.text();
    let calls = Reader::new(text.as_bytes()).filter_map(|entry| match entry.unwrap() {
        Entry::Record(record) if format!("{:?}", record.content).contains("tools/call") => Some(record),
        _ => None,
    });
    let sent: Vec<_> = calls.map(|record| (record.over, record.session.unwrap())).collect();
    assert_eq!(sent, [("http".to_owned(), "1".to_owned()), ("http".to_owned(), "2".to_owned())], "{text}");
}

/// HTTP-003, HTTP-117: where a POST is refused, the server may have the two channels of 2024-11-05; all is posted to the address it
/// names.
#[test]
fn everything_is_posted_to_the_address_that_the_stream_names() {
    for status in ["400", "404", "405"] {
        paused(async move {
            let site = Site::default();
            site.reply("server/discover", status);
            site.reply("initialize", status);
            site.reply("initialize", "202");
            site.reply(
                "GET",
                r#"200 sse event: endpoint|data: /messages?session=1||data: {"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}||…"#,
            );
            site.reply("tools/call", "202");
            let client = Client::connect(site.http()).await.unwrap();
            let unanswered = client.call("t", ()).timeout(Duration::from_secs(1)).await;
            assert_eq!(name(&unanswered), "timeout", "{status}");
            jackfield_testkit::pass(Duration::from_secs(1)).await;
            let targets = |what: &str| -> Vec<String> { site.seen(what).into_iter().map(|seen| seen.target).collect() };
            assert_eq!(targets("GET"), ["/mcp"], "{status}");
            assert_eq!(targets("initialize"), ["/mcp", "/messages?session=1"], "{status}");
            for later in ["notifications/initialized", "tools/call", "notifications/cancelled"] {
                assert_eq!(targets(later), ["/messages?session=1"], "{status} {later}");
            }
        });
    }
}

/// The two channels of 2024-11-05 are used once they are found, without sessions.
#[test]
fn the_oldest_form_is_found() {
    check(
        r#"
        > server/discover
        < 405
        > initialize
        < 405
        < 202
        > GET
        < 200 sse event: endpoint|data: /messages?session=1||event: message|data: {"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}||event: message|data: {"jsonrpc":"2.0","id":3,"result":{"content":[]}}||…
        > tools/call
        < 202
        @ revision = 2024-11-05
        = initialize 2
        = GET 1
        = notifications/initialized ! mcp-session-id
    "#,
    );
}

/// LIFE-033, T-053: what a server speaks is remembered by its URL, and asked again when it turns out to be wrong.
#[test]
fn what_a_server_speaks_is_remembered() {
    paused(async {
        let eras = EraCache::default();
        let site = Site::default();
        site.legacy("2025-11-25");
        for _ in 0..3 {
            Client::connect(site.http().eras(eras.clone())).await.unwrap().close().await;
        }
        assert_eq!(site.seen("server/discover").len(), 1);
        assert_eq!(site.seen("initialize").len(), 3);

        let site = Site::default();
        site.modern();
        let client = Client::connect(site.http().eras(eras.clone())).await.unwrap();
        assert_eq!(client.revision(), Some(Revision::LATEST));
        assert_eq!(site.seen("initialize").len(), 1);
        let again = Client::connect(site.http().eras(eras)).await.unwrap();
        assert_eq!((again.revision(), site.seen("initialize").len()), (Some(Revision::LATEST), 1));
    });
}

/// HTTP-074, HTTP-075, HTTP-088, HTTP-089, HTTP-094, HTTP-095, HTTP-100: marked arguments are headers too; when the server misses
/// some, the tools are looked at again and the call is repeated once.
#[test]
fn stale_headers_are_made_anew() {
    paused(async {
        let site = Site::default();
        site.modern();
        let tools = json!({"result": {"resultType": "complete", "ttlMs": 600_000, "tools": [
            {"name": "t", "inputSchema": {"type": "object", "properties": {
                "city": {"type": "string", "x-mcp-header": "City"}, "none": {"type": "string", "x-mcp-header": "None"}}}}]}});
        site.reply("tools/list", format!("200 json {tools}"));
        site.reply("tools/call", r#"400 json {"error":{"code":-32020,"message":"missing"}}"#);
        site.reply("tools/call", DONE);
        let client = Client::connect(site.http()).await.unwrap();
        assert_eq!(name(&client.call("t", json!({"city": "Köln", "none": null})).await), "ok");
        let calls = site.seen("tools/call");
        assert_eq!(calls.len(), 2);
        assert_eq!(calls[0].header("mcp-param-city"), None);
        assert_eq!(calls[1].header("mcp-param-city"), Some("=?base64?S8O2bG4=?="));
        assert_eq!(calls[1].header("mcp-param-none"), None);
        assert_eq!(site.seen("tools/list").len(), 2);
    });
}

/// HTTP-037: giving up a call closes its stream in the modern era, and is said in a message before.
#[test]
fn calls_are_cancelled_in_the_way_of_the_era() {
    for is_modern in [true, false] {
        paused(async move {
            let site = Site::default();
            if is_modern {
                site.modern();
            } else {
                site.legacy("2025-11-25");
            }
            site.reply("tools/call", "200 sse : wait||…");
            let client = Client::connect(site.http()).await.unwrap();
            let call = client.call("t", ()).timeout(Duration::from_secs(5));
            assert_eq!(name(&call.await), "timeout");
            jackfield_testkit::pass(Duration::from_secs(1)).await;
            assert_eq!(site.seen("notifications/cancelled").len(), usize::from(!is_modern));
        });
    }
}

/// Questions of a server in a session come on the stream of the call, and are answered by a POST.
#[test]
fn questions_on_a_stream_are_answered() {
    paused(async {
        let site = Site::default();
        site.legacy("2025-11-25");
        let question = json!({"jsonrpc": "2.0", "id": "q", "method": "elicitation/create",
            "params": {"message": "?", "requestedSchema": {"type": "object", "properties": {}}}});
        site.reply("tools/call", format!("200 sse id: 1|data: {question}||"));
        site.reply("GET", "405");
        site.reply("GET", r#"200 sse data: {"jsonrpc":"2.0","id":2,"result":{"content":[]}}||"#);
        let builder = Client::builder().on_form(|_| async { Ok(ElicitResult::new(ElicitAction::Decline)) });
        let client = builder.connect(site.http()).await.unwrap();
        let call = client.call("t", ()).timeout(Duration::from_secs(5));
        let _ = call.await;
        let answers = site.seen("answer");
        assert_eq!(answers.len(), 1);
        assert_eq!(answers[0].body["result"], json!({"action": "decline"}));
        assert_eq!(answers[0].header("mcp-session-id"), Some("s1"));
        assert_eq!(answers[0].target, "/mcp");
    });
}

/// HTTP-071: a broken stream of notices is opened again under a new id, and the reader is told that something may be missing.
#[test]
fn subscriptions_are_opened_again() {
    paused(async {
        let site = Site::default();
        site.modern();
        let acknowledged = |more: &str| {
            let meta = r#""_meta":{"io.modelcontextprotocol/subscriptionId":$id}"#;
            let notice = r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},META}}"#;
            format!("200 sse data: {}||{}", notice.replace("META", meta), more.replace("META", meta))
        };
        site.reply("subscriptions/listen", acknowledged(""));
        let changed = r#"data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{META}}||…"#;
        site.reply("subscriptions/listen", acknowledged(changed));
        let client = Client::connect(site.http()).await.unwrap();
        site.reply("prompts/list", r#"200 json {"result":{"resultType":"complete","prompts":[],"ttlMs":600000}}"#);
        for _ in 0..2 {
            client.prompts().all().await.unwrap();
            assert_eq!(site.seen("prompts/list").len(), 1);
        }
        let mut changes = client.subscribe().tools().await.unwrap();
        assert_eq!(changes.next().await.unwrap().unwrap(), Event::Reconnected);
        assert_eq!(changes.next().await.unwrap().unwrap(), Event::ToolsChanged);
        // What was kept is from before the gap.
        client.prompts().all().await.unwrap();
        assert_eq!(site.seen("prompts/list").len(), 2);
        let listens = site.seen("subscriptions/listen");
        assert_eq!(listens.len(), 2);
        assert_ne!(listens[0].body["id"], listens[1].body["id"]);
    });
}

/// T-003, T-116: bodies and events at the limit pass, longer ones do not; the next call works.
#[test]
fn answers_have_a_limit() {
    let text = |length: usize| {
        let frame = r#"{"jsonrpc":"2.0","id":3,"result":{"content":[],"x":""}}"#;
        frame.replace("\"\"", &format!("\"{}\"", "a".repeat(length - frame.len())))
    };
    for (length, wanted) in [(999, "ok"), (1000, "ok"), (1001, "bad answer"), (300_000, "bad answer")] {
        paused(async move {
            let site = Site::default();
            site.modern();
            site.reply("tools/call", format!("200 application/json {}", text(length)));
            site.reply("tools/call", DONE);
            let mut limits = Limits::default();
            limits.message_bytes = 1000;
            let client = Client::builder().limits(limits).connect(site.http()).await.unwrap();
            assert_eq!(name(&client.call("t", ()).await), wanted, "{length} bytes");
            assert_eq!(name(&client.call("t", ()).await), "ok");
        });
    }
}

/// Connections are used again: a hundred calls one after the other need one.
#[test]
fn connections_are_used_again() {
    paused(async {
        let site = Site::default();
        site.modern();
        site.reply("tools/call", DONE);
        let stream = r#"200 sse data: {"jsonrpc":"2.0","id":$id,"result":{"resultType":"complete","content":[]}}||"#;
        site.reply("tools/call", stream);
        let client = Client::connect(site.http()).await.unwrap();
        for _ in 0..100 {
            assert_eq!(name(&client.call("t", ()).await), "ok");
            // The end of a stream comes a moment after its answer.
            jackfield_testkit::pass(Duration::from_millis(10)).await;
        }
        assert_eq!(site.connections(), 1);
    });
}

/// XTSK-029: requests about a task name it in a header, so that others can route by it.
#[test]
fn requests_about_a_task_name_it_in_a_header() {
    paused(async {
        let site = Site::default();
        site.modern();
        let task = |status: &str, more: serde_json::Value| {
            let mut task = json!({"taskId": "k 1", "status": status, "createdAt": "x", "lastUpdatedAt": "x",
                "ttlMs": null, "pollIntervalMs": 100});
            task.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            format!("200 json {}", json!({ "result": task }))
        };
        site.reply("tools/call", task("working", json!({"resultType": "task"})));
        let asks = json!({"inputRequests": {"a": {"method": "roots/list"}}});
        site.reply("tasks/get", task("input_required", asks));
        site.reply("tasks/update", r#"200 json {"result":{"resultType":"complete"}}"#);
        // The second question is one that the client never said it would answer.
        let sampling = json!({"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 1}});
        site.reply("tasks/get", task("input_required", json!({"inputRequests": {"b": sampling}})));
        site.reply("tasks/cancel", r#"200 json {"result":{"resultType":"complete"}}"#);
        let client = Client::builder().tasks().roots(vec![]).connect(site.http()).await.unwrap();
        assert!(client.call("t", ()).await.is_err());
        client.close().await;
        for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
            let seen = site.seen(method);
            assert!(!seen.is_empty(), "{method}");
            for request in seen {
                assert_eq!(request.header("mcp-name"), Some("k 1"), "{method}");
                assert_eq!(request.header("mcp-method"), Some(method));
            }
        }
    });
}

/// HTTP-056: a server that has forgotten the session is noticed on the stream of its own messages too, also after an outage, so that those
/// who only listen do not wait for ever. One that never had such a stream may answer the same without meaning that.
#[test]
fn the_end_of_a_session_is_noticed_by_who_listens() {
    let outage = "< 503\n".repeat(15);
    for (answers, sessions) in [
        ("< 200 sse : hello||\n< 404\n< 405".to_owned(), 2),
        (format!("< 200 sse : hello||\n{outage}< 404\n< 405"), 2),
        ("< 404".to_owned(), 1),
        ("< 200 sse : hello||\n< 405".to_owned(), 1),
    ] {
        check(&format!(
            "legacy 2025-11-25\n@ connect = ok\n@ wait = ok\n> GET\n{answers}\n= initialize {sessions}\n= initialize ! mcp-session-id"
        ));
    }
}

/// A call may be given more time than others get; then its exchange lasts as long.
#[test]
fn a_call_has_the_time_it_was_given() {
    paused(async {
        let site = Site::default();
        site.modern();
        site.reply("tools/call", format!("after 3000 {DONE}"));
        let client = Client::connect(site.http()).await.unwrap();
        let hour = Duration::from_secs(3600);
        client.call("t", ()).timeout(hour).maximum(hour).await.unwrap();
        // Those that nobody waits for any more end.
        let begun = Instant::now();
        assert!(client.call("t", ()).await.unwrap_err().is_timeout());
        assert_eq!(begun.elapsed(), Duration::from_secs(60));
    });
}
