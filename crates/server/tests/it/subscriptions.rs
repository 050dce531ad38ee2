//! Notices of change in both eras.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use jackfield_protocol::{CallToolResult, ErrorObject, Revision};
use jackfield_server::{Cx, Server};
use serde_json::json;

use crate::demo::{demo, plain, review, sync_tool, text_resource};
use crate::talk::{Talk, check, check_each, legacy, runtime, started};

fn extra(name: &str) -> jackfield_server::ToolEntry {
    sync_tool(name, json!({"type": "object"}), |_, _| CallToolResult::text("x"))
}

fn touching() -> Server {
    demo().resource(text_resource("note:two", "2")).tool(plain("touch", |cx: Cx| async move {
        cx.notify_resource_updated("note:one");
        cx.notify_resource_updated("note:one");
        cx.notify_resource_updated("note:two");
        "touched".to_owned()
    }))
}

/// SRV-010, SRV-042, SRV-060: every ready session hears of changed lists; many changes become one notice.
#[test]
fn sessions_hear_of_changed_lists() {
    runtime().block_on(async {
        for revision in legacy() {
            let server = started(demo());
            let mut one = Talk::new(&server);
            let mut other = Talk::new(&server);
            let mut early = Talk::new(&server);
            one.play(&format!("@ {revision}")).await;
            other.play(&format!("@ {revision}")).await;
            early.play(&format!("> 0 initialize {{\"protocolVersion\": \"{revision}\", \"capabilities\": {{}}, \"clientInfo\": {{\"name\": \"c\", \"version\": \"1\"}}}}\n < 0 {{}}")).await;
            let handles: Vec<_> = (0..500).map(|n| server.registry().tools().add(extra(&format!("x{n}"))).unwrap()).collect();
            for talk in [&mut one, &mut other] {
                talk.play("< notifications/tools/list_changed\n < nothing").await;
            }
            drop(handles);
            one.play("< notifications/tools/list_changed\n < nothing").await;
            server.registry().prompts().add({ let mut entry = review(); entry.definition.name = "other".into(); entry }).unwrap().keep();
            one.play("< notifications/prompts/list_changed\n < nothing").await;
            server.registry().resources().add(text_resource("new:one", "1")).unwrap().remove();
            one.play("< notifications/resources/list_changed\n < nothing").await;
            // Who was not ready yet hears it as soon as it is.
            early.play("> notifications/initialized\n < notifications/tools/list_changed\n < notifications/prompts/list_changed\n < notifications/resources/list_changed\n < nothing").await;
        }
    });
}

/// SRV-043: sessions subscribe to resources and hear of them until they unsubscribe.
#[test]
fn sessions_subscribe_to_resources() {
    check_each(
        legacy(),
        touching,
        r#"
        @ REVISION
        > 1 tools/call {"name": "touch"}
        < 1 {}
        < nothing
        > 2 resources/subscribe {"uri": "note:one"}
        < 2 {}
        > 3 tools/call {"name": "touch"}
        < 3 {}
        < notifications/resources/updated {"uri": "note:one"}
        < nothing
        > 4 resources/unsubscribe {"uri": "note:one"}
        < 4 {}
        > 5 tools/call {"name": "touch"}
        < 5 {}
        < nothing
        > 6 resources/subscribe {"uri": "nobody:x"}
        < 6 error -32002
        > 7 resources/subscribe {}
        < 7 error -32602 uri
        > 8 resources/unsubscribe {"uri": "nobody:x"}
        < 8 {}
        "#,
    );
}

/// A session cannot subscribe without end.
#[test]
fn subscriptions_are_bounded() {
    runtime().block_on(async {
        let mut talk = Talk::new(demo());
        talk.play("@ 2025-11-25").await;
        for n in 1..=1024 {
            talk.play(&format!("> {n} resources/subscribe {{\"uri\": \"note://{n}\"}}\n < {n} {{}}")).await;
        }
        talk.play("> 5000 resources/subscribe {\"uri\": \"note://5000\"}\n < 5000 error 429\n > 5001 resources/subscribe {\"uri\": \"note://1\"}\n < 5001 {}").await;
    });
}

/// PAT-060, PAT-061, PAT-062, PAT-063, PAT-065, BASE-065, T-055: acknowledged first, only what was asked for, under the id of the
/// request.
#[test]
fn listen_streams_begin_with_what_is_honoured() {
    let server = started(touching());
    runtime().block_on(async {
        let mut talk = Talk::new(&server);
        talk.play(
            r#"
            @ 2026-07-28
            > 1 subscriptions/listen {"notifications": {"toolsListChanged": true, "resourceSubscriptions": ["note:one", "nobody:x"]}}
            < notifications/subscriptions/acknowledged {"_meta": {"io.modelcontextprotocol/subscriptionId": 1}, "notifications": {"toolsListChanged": true, "resourceSubscriptions": ["note:one"], "promptsListChanged": "!", "resourcesListChanged": "!"}}
            > "s" subscriptions/listen {"notifications": {"promptsListChanged": true, "toolsListChanged": false}}
            < notifications/subscriptions/acknowledged {"_meta": {"io.modelcontextprotocol/subscriptionId": "s"}, "notifications": {"promptsListChanged": true, "toolsListChanged": "!"}}
            > 2 tools/call {"name": "touch"}
            < 2 {}
            < notifications/resources/updated {"uri": "note:one", "_meta": {"io.modelcontextprotocol/subscriptionId": 1}}
            < nothing
            "#,
        )
        .await;
        let _tool = server.registry().tools().add(extra("new")).unwrap();
        talk.play("< notifications/tools/list_changed {\"_meta\": {\"io.modelcontextprotocol/subscriptionId\": 1}}\n < nothing").await;
        let _resource = server.registry().resources().add(text_resource("new:x", "x")).unwrap();
        talk.play("< nothing").await;
        let _prompt = server.registry().prompts().add({ let mut entry = review(); entry.definition.name = "new".into(); entry }).unwrap();
        talk.play("< notifications/prompts/list_changed {\"_meta\": {\"io.modelcontextprotocol/subscriptionId\": \"s\"}}\n < nothing").await;
        // The client ends one of them: no answer, no more notices.
        talk.play("> notifications/cancelled {\"requestId\": \"s\"}").await;
        let _more = server.registry().prompts().add({ let mut entry = review(); entry.definition.name = "more".into(); entry }).unwrap();
        talk.play("< nothing").await;
    });
}

/// PAT-063: what the server does not have is left out.
#[test]
fn what_a_server_does_not_have_is_not_honoured() {
    check(
        Server::new("x").tool(extra("t")),
        r#"
        @ 2026-07-28
        > 1 subscriptions/listen {"notifications": {"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true, "resourceSubscriptions": ["a:b"]}}
        < notifications/subscriptions/acknowledged {"notifications": {"toolsListChanged": true, "promptsListChanged": "!", "resourcesListChanged": "!", "resourceSubscriptions": "!"}}
        > 2 subscriptions/listen {"notifications": 5}
        < 2 error -32602
        > 3 subscriptions/listen {}
        < 3 error -32602
        "#,
    );
}

/// PAT-012, PAT-067: a server that ends a stream says so by notification and by result.
#[test]
fn streams_end_with_the_server() {
    let ended = r#"
        < notifications/cancelled {"requestId": 1, "_meta": {"io.modelcontextprotocol/subscriptionId": 1}}
        < 1 {"resultType": "complete", "_meta": {"io.modelcontextprotocol/subscriptionId": 1}}
        "#;
    let open = "@ 2026-07-28\n > 1 subscriptions/listen {\"notifications\": {\"toolsListChanged\": true}}\n < notifications/subscriptions/acknowledged";
    runtime().block_on(async {
        let mut talk = Talk::new(demo());
        talk.play(open).await;
        talk.shutdown.trigger();
        talk.play(ended).await;
        assert!(talk.receive().await.is_none());

        let built = started(demo());
        let mut talk = Talk::with(built.clone(), None);
        talk.play(open).await;
        built.stop().await;
        talk.play(ended).await;
        talk.play("> 2 tools/list\n < 2 {}").await;

        let mut talk = Talk::new(demo());
        talk.play(open).await;
        talk.close().await;
        talk.play(ended).await;
    });
}

/// PAT-013: a server that stops says so of its streams, and cancels nothing else, whatever is under way.
#[test]
fn only_streams_are_cancelled_by_a_server() {
    runtime().block_on(async {
        let hanging = plain("hang", |_| async {
            std::future::pending::<()>().await;
            String::new()
        });
        let built = started(demo().tool(hanging));
        let mut talk = Talk::with(built.clone(), None);
        talk.play(
            r#"
            @ 2026-07-28
            > 1 subscriptions/listen {"notifications": {"toolsListChanged": true}}
            < notifications/subscriptions/acknowledged
            > 2 tools/call {"name": "hang"}
            > 3 tools/list
            < 3 {}
            "#,
        )
        .await;
        built.stop().await;
        talk.play("< notifications/cancelled {\"requestId\": 1}\n < 1 {}\n < nothing").await;
        talk.shutdown.trigger();
        while let Some(message) = talk.receive().await {
            assert_ne!(message["method"], "notifications/cancelled", "{message}");
        }
    });
}

/// T-028: at most so many streams, for a user over all connections, else for the connection.
#[test]
fn streams_are_bounded() {
    runtime().block_on(async {
        let mut limits = jackfield_peer::CallLimits::default();
        limits.listen_streams = 3;
        let server = started(demo().limits(limits));
        let open = |id: usize| {
            format!(
                "> {id} subscriptions/listen {{\"notifications\": {{}}}}\n < notifications/subscriptions/acknowledged"
            )
        };
        let refused = "> 9 subscriptions/listen {\"notifications\": {}}\n < 9 error 429";
        let mut talk = Talk::new(&server);
        talk.play("@ 2026-07-28").await;
        for id in 1..=3 {
            talk.play(&open(id)).await;
        }
        talk.play(refused).await;
        talk.play("> notifications/cancelled {\"requestId\": 2}\n < nothing").await;
        talk.play(&open(4)).await;
        talk.play(refused).await;
        let mut other = Talk::new(&server);
        other.play("@ 2026-07-28").await;
        other.play(&open(1)).await;

        let (mut one, mut two) = (Talk::of_user(&server, "ada"), Talk::of_user(&server, "ada"));
        one.play("@ 2026-07-28").await;
        two.play("@ 2026-07-28").await;
        one.play(&open(1)).await;
        one.play(&open(2)).await;
        two.play(&open(3)).await;
        two.play(refused).await;
    });
}

/// PAT-069: progress and log messages travel with their request, not on a stream.
#[test]
fn streams_carry_only_changes() {
    let server = Server::new("x").tool(plain("log", |cx: Cx| async move {
        cx.error("e");
        cx.progress(1, None, None);
        "x".to_owned()
    }));
    check(
        server,
        r#"
        @ 2026-07-28
        > 1 subscriptions/listen {"notifications": {"toolsListChanged": true}, "_meta": {"io.modelcontextprotocol/logLevel": "debug", "progressToken": 1}}
        < notifications/subscriptions/acknowledged
        > 2 tools/call {"name": "log", "_meta": {"io.modelcontextprotocol/logLevel": "debug", "progressToken": 2}}
        < notifications/message {"data": "e", "_meta": "!"}
        < notifications/progress {"progressToken": 2, "_meta": "!"}
        < 2 {}
        < nothing
        "#,
    );
}

/// T-055: fifty streams, each acknowledged before anything else on it.
#[test]
fn fifty_streams_are_in_order() {
    runtime().block_on(async {
        let server = started(touching());
        let mut talk = Talk::new(&server);
        talk.play("@ 2026-07-28").await;
        let mut handles = Vec::new();
        for id in 1..=50 {
            talk.play(&format!("> {id} subscriptions/listen {{\"notifications\": {{\"toolsListChanged\": true}}}}"))
                .await;
            handles.push(server.registry().tools().add(extra(&format!("n{id}"))).unwrap());
        }
        let mut acknowledged = std::collections::HashSet::new();
        while acknowledged.len() < 50 {
            let message = talk.receive().await.unwrap();
            let id = message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"].as_u64().unwrap();
            if message["method"] == "notifications/subscriptions/acknowledged" {
                assert!(acknowledged.insert(id));
            } else {
                assert!(acknowledged.contains(&id), "{message}");
            }
        }
    });
}

/// T-029: a client that does not read costs no more than one notice of each kind.
#[test]
fn slow_readers_get_fewer_notices() {
    runtime().block_on(async {
        let server = started(touching());
        let mut modern = Talk::new(&server);
        modern.play("@ 2026-07-28\n > 1 subscriptions/listen {\"notifications\": {\"toolsListChanged\": true, \"resourceSubscriptions\": [\"note:one\"]}}\n < notifications/subscriptions/acknowledged").await;
        let tools = server.registry().tools();
        for n in 0..10_000 {
            drop(tools.add(extra(&format!("n{n}"))).unwrap());
        }
        modern.play("< notifications/tools/list_changed\n < nothing").await;
    });
}

/// Hooks hear of subscriptions and their ends, also when a client goes away without a word; they may refuse.
#[test]
fn hooks_hear_of_subscriptions() {
    let watched = Arc::new(AtomicUsize::new(0));
    let server = started({
        let (up, down) = (watched.clone(), watched.clone());
        demo()
            .resource(text_resource("secret:x", "x"))
            .on_subscribe(move |uri, _| {
                let up = up.clone();
                async move {
                    if uri.starts_with("secret") {
                        return Err(ErrorObject::invalid_params("secret"));
                    }
                    up.fetch_add(1, Ordering::SeqCst);
                    Ok(())
                }
            })
            .on_unsubscribe(move |_, _| {
                let down = down.clone();
                async move {
                    down.fetch_sub(1, Ordering::SeqCst);
                    Ok(())
                }
            })
    });
    runtime().block_on(async {
        let mut old = Talk::new(&server);
        old.play("@ 2025-11-25\n > 1 resources/subscribe {\"uri\": \"note:one\"}\n < 1 {}\n > 2 resources/subscribe {\"uri\": \"secret:x\"}\n < 2 error -32602 secret").await;
        assert_eq!(watched.load(Ordering::SeqCst), 1);
        old.play("> 3 resources/unsubscribe {\"uri\": \"note:one\"}\n < 3 {}").await;
        assert_eq!(watched.load(Ordering::SeqCst), 0);
        let mut new = Talk::new(&server);
        new.play("@ 2026-07-28\n > 1 subscriptions/listen {\"notifications\": {\"resourceSubscriptions\": [\"note:one\", \"secret:x\"]}}\n < notifications/subscriptions/acknowledged {\"notifications\": {\"resourceSubscriptions\": [\"note:one\"]}}").await;
        assert_eq!(watched.load(Ordering::SeqCst), 1);
        new.play("> notifications/cancelled {\"requestId\": 1}\n < nothing").await;
        assert_eq!(watched.load(Ordering::SeqCst), 0);
    });
}

/// A server whose hooks count, in pairs: the second pair refuses what it is told to.
fn counting(counts: &[Arc<AtomicUsize>; 2]) -> Server {
    let mut server = demo().resource(text_resource("secret:x", "x"));
    for (number, count) in counts.iter().enumerate() {
        let (up, down) = (count.clone(), count.clone());
        server = server
            .on_subscribe(move |uri, _| {
                let up = up.clone();
                async move {
                    if number == 1 && uri == "note://wait" {
                        std::future::pending::<()>().await;
                    }
                    if number == 1 && uri.starts_with("secret") {
                        return Err(ErrorObject::invalid_params("secret"));
                    }
                    up.fetch_add(1, Ordering::SeqCst);
                    Ok(())
                }
            })
            .on_unsubscribe(move |_, cx: Cx| {
                let down = down.clone();
                async move {
                    assert_eq!(cx.session().is_some(), cx.is_legacy());
                    down.fetch_sub(1, Ordering::SeqCst);
                    Ok(())
                }
            });
    }
    server
}

/// Hooks are told of each end once: when a session unsubscribes or is gone, when a later hook refuses, when the request is cancelled, and
/// when a session subscribes again to what it is subscribed to.
#[test]
fn hooks_hear_of_every_end() {
    let counts: [Arc<AtomicUsize>; 2] = Default::default();
    let are = |expected: usize| {
        let found = counts.each_ref().map(|count| count.load(Ordering::SeqCst));
        assert_eq!(found, [expected; 2]);
    };
    let server = started(counting(&counts));
    runtime().block_on(async {
        for revision in legacy() {
            let mut talk = Talk::new(&server);
            talk.play(&format!("@ {revision}")).await;
            talk.play(
                r#"
                > 1 resources/subscribe {"uri": "note:one"}
                < 1 {}
                > 2 resources/subscribe {"uri": "note://2"}
                < 2 {}
                > 3 resources/subscribe {"uri": "note:one"}
                < 3 {}
                > 4 resources/unsubscribe {"uri": "note://never"}
                < 4 {}
                < nothing
                "#,
            )
            .await;
            are(2);
            talk.play("> 5 resources/subscribe {\"uri\": \"secret:x\"}\n < 5 error -32602 secret").await;
            are(2);
            talk.play("> 6 resources/unsubscribe {\"uri\": \"note://2\"}\n < 6 {}").await;
            are(1);
            talk.play("> 7 resources/subscribe {\"uri\": \"note://wait\"}\n < nothing\n > notifications/cancelled {\"requestId\": 7}\n < nothing").await;
            are(1);
            server.registry().resources().updated("note://wait");
            talk.play("< nothing").await;
            talk.close().await;
            assert!(talk.receive().await.is_none());
            drop(talk);
            jackfield_testkit::pass(std::time::Duration::from_secs(1)).await;
            are(0);
        }
        let mut talk = Talk::new(&server);
        talk.play("@ 2026-07-28\n > 1 subscriptions/listen {\"notifications\": {\"resourceSubscriptions\": [\"note:one\", \"secret:x\"]}}\n < notifications/subscriptions/acknowledged {\"notifications\": {\"resourceSubscriptions\": [\"note:one\"]}}").await;
        are(1);
        drop(talk);
        jackfield_testkit::pass(std::time::Duration::from_secs(1)).await;
        are(0);
    });
}

/// A server goes on telling of changes when the runtime that it was first served in is gone.
#[test]
fn a_second_runtime_hears_of_changes_too() {
    let server = started(demo());
    for n in 0..2 {
        runtime().block_on(async {
            let mut talk = Talk::new(&server);
            talk.play("@ 2025-11-25").await;
            let tool = server.registry().tools().add(extra(&format!("n{n}"))).unwrap();
            talk.play("< notifications/tools/list_changed").await;
            tool.keep();
        });
    }
}

/// Hooks that know of a subscription are not asked again, and so are not told that it has ended while it goes on.
#[test]
fn a_second_subscription_asks_nobody() {
    let (asked, ended) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (asking, ending) = (asked.clone(), ended.clone());
    let server = started(
        touching()
            .on_subscribe(move |_, _| {
                asking.fetch_add(1, Ordering::SeqCst);
                async { Ok(()) }
            })
            .on_unsubscribe(move |_, _| {
                ending.fetch_add(1, Ordering::SeqCst);
                async { Ok(()) }
            }),
    );
    let counts = || (asked.load(Ordering::SeqCst), ended.load(Ordering::SeqCst));
    runtime().block_on(async {
        let mut old = Talk::new(&server);
        old.play("@ 2025-11-25\n > 1 resources/subscribe {\"uri\": \"note:one\"}\n < 1 {}").await;
        old.play("> 2 resources/subscribe {\"uri\": \"note:one\"}\n < 2 {}\n < nothing").await;
        assert_eq!(counts(), (1, 0));
        server.registry().resources().updated("note:one");
        old.play("< notifications/resources/updated {\"uri\": \"note:one\"}").await;
        old.play("> 3 resources/unsubscribe {\"uri\": \"note:one\"}\n < 3 {}\n < nothing").await;
        assert_eq!(counts(), (1, 1));
        old.play("> 4 resources/subscribe {\"uri\": \"note:one\"}\n < 4 {}").await;
        assert_eq!(counts(), (2, 1));
    });
}

/// When one connection of a server ends, the listen streams of others go on.
#[test]
fn a_connection_that_ends_leaves_the_streams_of_others() {
    runtime().block_on(async {
        let server = started(demo());
        let (mut one, mut talk) = (Talk::new(&server), Talk::new(&server));
        one.play("@ 2026-07-28\n > 1 subscriptions/listen {\"notifications\": {\"toolsListChanged\": true}}\n < notifications/subscriptions/acknowledged").await;
        talk.play("@ 2026-07-28\n > 1 subscriptions/listen {\"notifications\": {\"toolsListChanged\": true}}\n < notifications/subscriptions/acknowledged").await;
        one.shutdown.trigger();
        one.play("< notifications/cancelled {\"requestId\": 1}").await;
        drop(one);
        let handle = server.registry().tools().add(extra("x")).unwrap();
        talk.play("< notifications/tools/list_changed").await;
        talk.play("> 2 subscriptions/listen {\"notifications\": {\"toolsListChanged\": true}}\n < notifications/subscriptions/acknowledged\n < nothing").await;
        drop(handle);
    });
}

/// Both eras hear of the same change.
#[test]
fn both_eras_hear_of_a_change() {
    runtime().block_on(async {
        let server = started(demo());
        let (mut old, mut new) = (Talk::new(&server), Talk::new(&server));
        old.play(&format!("@ {}", Revision::V2024_11_05)).await;
        new.play("@ 2026-07-28\n > 1 subscriptions/listen {\"notifications\": {\"toolsListChanged\": true}}\n < notifications/subscriptions/acknowledged").await;
        let handle = server.registry().tools().add(extra("x")).unwrap();
        old.play("< notifications/tools/list_changed").await;
        new.play("< notifications/tools/list_changed").await;
        handle.remove();
        old.play("< notifications/tools/list_changed").await;
        new.play("< notifications/tools/list_changed").await;
    });
}
