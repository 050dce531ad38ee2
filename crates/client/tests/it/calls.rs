//! Calls and the other requests, in both eras.

use std::future::IntoFuture;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jackfield_client::{ByteStream, Client, Direction, Error, ErrorKind, Limits, Timeouts};
use jackfield_protocol::LoggingLevel;
use serde_json::json;

use crate::script::{Pair, Server, check, end_reason, name, paused};

/// BASE-021, BASE-022: a result is read by the method that was asked, with or without the tag.
#[test]
fn every_method_has_its_result() {
    check(
        r#"
        modern
        @ call = ok
        > tools/call {"name":"t","arguments":{"a":1}}
        < {"result":{"content":[]}}
        @ list = ok
        > tools/list
        < {"result":{"resultType":"complete","tools":[]}}
        @ resources = ok
        > resources/list
        < {"result":{"resultType":"complete","resources":[]}}
        @ templates = ok
        > resources/templates/list
        < {"result":{"resultType":"complete","resourceTemplates":[]}}
        @ prompts = ok
        > prompts/list
        < {"result":{"resultType":"complete","prompts":[]}}
        @ read = ok
        > resources/read {"uri":"r://1"}
        < {"result":{"resultType":"complete","contents":[{"uri":"r://1","text":"x"}]}}
        @ prompt = ok
        > prompts/get {"name":"p","arguments":{"a":"b"}}
        < {"result":{"resultType":"complete","messages":[]}}
        @ complete = ok
        > completion/complete {"argument":{"name":"a","value":"b"}}
        < {"result":{"resultType":"complete","completion":{"values":[]}}}
        @ ping = ok
        > server/discover
        < {"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}}
        @ level = ok
        @ custom com.example/x = ok
        > com.example/x {"_meta":{"io.modelcontextprotocol/logLevel":"warning"}}
        < {"result":{"anything":1}}
        "#,
    );
    check(
        r#"
        legacy 2025-06-18
        @ ping = ok
        > ping
        < {"result":{}}
        @ level = ok
        > logging/setLevel {"level":"warning"}
        < {"result":{}}
        @ complete = ok
        > completion/complete
        < {"result":{"completion":{"values":["x"]}}}
        "#,
    );
}

/// LIFE-019: what the server did not declare is not asked for.
#[test]
fn only_what_is_offered_is_asked_for() {
    let bare = r#"
        > server/discover
        < {"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}}
    "#;
    for action in ["call", "list", "resources", "templates", "prompts", "read", "prompt", "complete", "level"] {
        check(&format!("{bare}\n@ {action} = not offered"));
    }
}

/// BASE-031, LIFE-024, SRV-036, PAT-009, PAT-016: only what the server said is the server's error; a call that took too long is cancelled
/// by its own id.
#[test]
fn errors_of_the_server_are_told_apart() {
    paused(async {
        let (client, mut server) = Pair::modern(Client::builder()).await;
        let serve = async {
            server.expect("tools/call").await;
            server
                .write(b"{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":7,\"message\":\"m\",\"data\":[1]}}\n")
                .await;
            server.expect("tools/call").await;
            server.expect("notifications/cancelled").await
        };
        let calls = async {
            let refused = client.call("t", ()).await.unwrap_err();
            let late = client.call("t", ()).timeout(Duration::from_secs(3)).await.unwrap_err();
            (refused, late)
        };
        let ((refused, late), cancelled) = tokio::join!(calls, serve);
        let object = refused.server_error().unwrap();
        assert_eq!((object.code, object.message.as_ref(), &object.data), (7, "m", &Some(json!([1]))));
        assert!(late.is_timeout() && late.server_error().is_none() && !refused.is_timeout());
        assert_eq!(cancelled["params"]["requestId"], 3);
    });
}

/// PAT-011, PAT-015, STDIO-010, PAT-001: dropping a call cancels it once; dropping an answered one does not.
#[test]
fn a_dropped_call_is_cancelled() {
    paused(async {
        let (client, mut server) = Pair::modern(Client::builder()).await;
        let given_up = tokio::time::timeout(Duration::from_secs(1), client.call("t", ()).into_future()).await;
        assert!(given_up.is_err());
        server.expect("tools/call").await;
        let cancelled = server.expect("notifications/cancelled").await;
        assert_eq!(cancelled["params"]["requestId"], 2);
        // PAT-004, PAT-005: the answer that still arrives is ignored.
        server.write(b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[]}}\n").await;
        let (answered, ()) = tokio::join!(client.call("t", ()).into_future(), async {
            server.expect("tools/call").await;
            server.answer(json!({"content": []})).await;
        });
        answered.unwrap();
        assert_eq!(client.stray_answers(), 1);
        client.close().await;
        assert_eq!(server.receive().await, None);
    });
}

/// PAT-017, PAT-018, PAT-019, LIFE-025: progress is heard in order, resets the timeout, and has a hard end.
#[test]
fn progress_is_heard_and_keeps_a_call_alive() {
    paused(async {
        let (client, mut server) = Pair::modern(Client::builder()).await;
        let heard = Arc::new(Mutex::new(Vec::new()));
        let hears = heard.clone();
        let call = client
            .call("t", ())
            .timeout(Duration::from_secs(10))
            .maximum(Duration::from_secs(1000))
            .on_progress(move |notice| hears.lock().unwrap().push((notice.progress, notice.message)));
        let serve = async {
            let request = server.expect("tools/call").await;
            let token = request["params"]["_meta"]["progressToken"].clone();
            assert_eq!(token, request["id"]);
            for (step, progress) in [1.0, 2.0, 1.5, 3.0].into_iter().enumerate() {
                jackfield_testkit::pass(Duration::from_secs(6)).await;
                let message = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params":
                    {"progressToken": token, "progress": progress, "message": step.to_string()}});
                server.send(&message).await;
            }
            jackfield_testkit::pass(Duration::from_secs(6)).await;
            server.answer(json!({"content": []})).await;
        };
        // The third notice does not grow, so 12 seconds pass without a sign: too late.
        let (late, ()) = tokio::join!(call.into_future(), serve);
        assert_eq!(name(&late), "timeout");
        assert_eq!(*heard.lock().unwrap(), [(1.0, Some("0".into())), (2.0, Some("1".into()))]);
    });
}

/// LIFE-025: endless progress does not keep a call alive for ever.
#[test]
fn progress_for_ever_has_an_end() {
    paused(async {
        let (client, mut server) = Pair::modern(Client::builder()).await;
        let begun = tokio::time::Instant::now();
        let serve = async {
            server.expect("tools/call").await;
            for step in 0.. {
                jackfield_testkit::pass(Duration::from_secs(30)).await;
                let notice = json!({"jsonrpc": "2.0", "method": "notifications/progress",
                    "params": {"progressToken": 2, "progress": step}});
                server.send(&notice).await;
            }
        };
        let outcome = tokio::select! {
            outcome = client.call("t", ()).into_future() => outcome,
            () = serve => unreachable!(),
        };
        assert_eq!(outcome.unwrap_err().to_string(), "the server did not answer tools/call within 900s");
        assert_eq!(begun.elapsed().as_secs(), 900);
    });
}

/// BASE-006: in a session no id is used twice, from the handshake on, whatever becomes of the requests.
#[test]
fn no_id_is_used_twice_in_a_session() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        paused(async move {
            let (ours, mut server) = Pair::streams();
            let mut seen = std::collections::BTreeSet::new();
            let serve = async {
                while let Some(asked) = server.receive().await {
                    let Some(id) = asked.get("id") else { continue };
                    assert!(seen.insert(id.to_string()), "{id} was used before: {asked}");
                    let answer = match asked["method"].as_str().unwrap() {
                        "initialize" => json!({"result": crate::script::greeting(version)}),
                        "tools/list" => json!({"result": {"tools": []}}),
                        "tools/call" if asked["params"]["name"] == "silent" => continue,
                        "tools/call" => json!({"result": {"content": []}}),
                        _ => json!({"error": {"code": -32601, "message": "what?"}}),
                    };
                    let mut answer = answer;
                    (answer["jsonrpc"], answer["id"]) = ("2.0".into(), id.clone());
                    server.send(&answer).await;
                }
            };
            let ask = async {
                let client = Client::over(ours).await.unwrap();
                for _ in 0..50 {
                    client.call("fine", ()).await.unwrap();
                    assert!(client.call("silent", ()).timeout(Duration::from_secs(1)).await.is_err());
                    client.tools().all().await.unwrap();
                    assert!(client.ping().await.is_err());
                }
                client.close().await;
            };
            tokio::join!(ask, serve);
            assert!(seen.len() > 200, "{}", seen.len());
        });
    }
}

/// BASE-007, T-042: a thousand calls at once, each with its own id, answered in the wrong order.
#[test]
fn a_thousand_calls_at_once_end_once_each() {
    paused(async {
        let (client, mut server) = Pair::modern(Client::builder()).await;
        let mut calls = tokio::task::JoinSet::new();
        for n in 0..1000 {
            let call = client.call("t", json!({"n": n}));
            calls.spawn(async move { (n, call.await.unwrap().structured::<i64>().unwrap()) });
        }
        let serve = async {
            let mut requests = Vec::new();
            for _ in 0..1000 {
                requests.push(server.expect("tools/call").await);
            }
            let ids: std::collections::BTreeSet<_> = requests.iter().map(|r| r["id"].as_u64().unwrap()).collect();
            assert_eq!(ids.len(), 1000);
            for request in requests.iter().rev() {
                let result = json!({"content": [], "structuredContent": request["params"]["arguments"]["n"]});
                server.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result})).await;
            }
        };
        let check = async {
            let mut count = 0;
            while let Some(done) = calls.join_next().await {
                let (asked, answered) = done.unwrap();
                assert_eq!(asked, answered);
                count += 1;
            }
            count
        };
        let (count, ()) = tokio::join!(check, serve);
        assert_eq!(count, 1000);
    });
}

/// LIFE-016: arguments that are no object never leave the client.
#[test]
fn arguments_are_an_object() {
    paused(async {
        let (client, _server) = Pair::modern(Client::builder()).await;
        for arguments in [json!([1]), json!(1), json!("x")] {
            assert_eq!(client.call("t", arguments).await.unwrap_err().kind(), ErrorKind::Input);
        }
    });
}

/// BASE-055: log level and `_meta` of the user travel with the request, beside what the client adds.
#[test]
fn meta_of_the_user_travels_with_the_call() {
    paused(async {
        let (client, mut server) = Pair::modern(Client::builder()).await;
        client.set_log_level(LoggingLevel::Error).await.unwrap();
        let call = client.call("t", ()).meta("com.example/trace", 5);
        let (_, request) = tokio::join!(call.into_future(), async {
            let request = server.expect("tools/call").await;
            server.answer(json!({"content": []})).await;
            request
        });
        let meta = &request["params"]["_meta"];
        assert_eq!(meta["com.example/trace"], 5);
        assert_eq!(meta["io.modelcontextprotocol/logLevel"], "error");
        assert!(meta["io.modelcontextprotocol/clientCapabilities"].is_object());
    });
}

/// BASE-051, BASE-053, BASE-054: a key of `_meta` that breaks the rules, or belongs to the protocol, never leaves the client.
#[test]
fn keys_of_meta_are_checked() {
    for (version, bad) in [
        ("2025-06-18", ["k\n", "-k", "k-", "1a.b/k", "a..b/k", "a.b-/k", "mcp.example/k", "com.mcp.tools/k"]),
        ("2025-11-25", ["k\n", "-k", "k-", "1a.b/k", "a..b/k", "a.b-/k", "com.mcp/k", "io.modelcontextprotocol/k"]),
    ] {
        paused(async move {
            let (client, mut server) = Pair::legacy(Client::builder().without_output_check(), version).await;
            for key in bad {
                let refused = client.call("t", ()).meta("good", 1).meta(key, 1).await;
                assert_eq!(refused.unwrap_err().kind(), ErrorKind::Input, "{key}");
            }
            client.close().await;
            assert_eq!(server.receive().await, None, "nothing was sent");
        });
    }
}

/// The time of a call is the time of all that it needs: a list of tools that does not come counts, and nothing is sent when the time is over.
#[test]
fn the_time_of_a_call_covers_the_list_of_tools() {
    let schema = || json!({"type": "object"});
    paused(async {
        let (client, mut server) = Pair::legacy(Client::builder(), "2025-11-25").await;
        let begun = tokio::time::Instant::now();
        let call = client.call("t", ()).timeout(Duration::from_secs(5));
        let (outcome, ()) = tokio::join!(call.into_future(), async {
            server.expect("tools/list").await;
        });
        assert!(outcome.unwrap_err().is_timeout());
        assert_eq!(begun.elapsed(), Duration::from_secs(5));
        assert_eq!(server.expect("notifications/cancelled").await["params"]["requestId"], 3);
        client.close().await;
        assert_eq!(server.receive().await, None, "the tool was called after the time was over");
    });
    paused(async {
        let (client, mut server) = Pair::legacy(Client::builder(), "2025-11-25").await;
        let begun = tokio::time::Instant::now();
        let call = client.call("t", ()).timeout(Duration::from_secs(5)).maximum(Duration::from_secs(10));
        let serve = async {
            for n in 0.. {
                let asked = server.receive().await.unwrap();
                if asked["method"] != "tools/list" {
                    assert_eq!(asked["method"], "notifications/cancelled");
                    return;
                }
                jackfield_testkit::pass(Duration::from_secs(4)).await;
                let tools = json!([{"name": n.to_string(), "inputSchema": schema()}]);
                let answer = json!({"tools": tools, "nextCursor": n.to_string()});
                server.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer})).await;
            }
        };
        let timed = async { (call.await, begun.elapsed()) };
        let ((outcome, took), ()) = tokio::join!(timed, serve);
        assert!(outcome.unwrap_err().is_timeout());
        assert_eq!(took, Duration::from_secs(10));
    });
}

/// A time without an end is one: it does not mean at once.
#[test]
fn the_longest_time_is_no_limit() {
    paused(async {
        let mut timeouts = Timeouts::default();
        (timeouts.request, timeouts.maximum) = (Duration::MAX, Duration::MAX);
        let (client, mut server) = Pair::modern(Client::builder().timeouts(timeouts)).await;
        let call = client.call("t", ()).timeout(Duration::MAX).maximum(Duration::MAX);
        let serve = async {
            for method in ["tools/call", "prompts/get"] {
                server.expect(method).await;
                jackfield_testkit::pass(Duration::from_secs(2 * 24 * 3600)).await;
                server.answer(json!({"content": [], "messages": []})).await;
            }
        };
        let ask = async {
            call.await.unwrap();
            client.prompt("p", [("a", "b")]).await.unwrap();
        };
        tokio::join!(ask, serve);
    });
}

#[test]
fn a_listener_hears_every_message_in_both_directions() {
    paused(async {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let hears = heard.clone();
        let builder = Client::builder().on_message(move |direction, text| {
            let message: serde_json::Value = serde_json::from_slice(text).unwrap();
            hears.lock().unwrap().push((direction, message["method"].as_str().unwrap_or("answer").to_owned()));
        });
        let (client, mut server) = Pair::modern(builder).await;
        let (answered, ()) = tokio::join!(client.call("t", ()).into_future(), async {
            server.expect("tools/call").await;
            server.answer(json!({"content": []})).await;
        });
        answered.unwrap();
        let given_up = tokio::time::timeout(Duration::from_secs(1), client.call("t", ()).into_future());
        assert!(given_up.await.is_err());
        let expected = [
            (Direction::ToServer, "server/discover"),
            (Direction::FromServer, "answer"),
            (Direction::ToServer, "tools/call"),
            (Direction::FromServer, "answer"),
            (Direction::ToServer, "tools/call"),
            (Direction::ToServer, "notifications/cancelled"),
        ];
        assert_eq!(*heard.lock().unwrap(), expected.map(|(direction, what)| (direction, what.to_owned())));
    });
}

/// PAT-028, PAT-029, PAT-032: a server that answers pings is kept; one that no longer does is given up, and its requests end.
#[test]
fn pings_find_out_whether_the_server_is_there() {
    paused(async {
        let mut timeouts = Timeouts::default();
        timeouts.keep_alive = Some(Duration::from_secs(10));
        let (client, mut server) = Pair::legacy(Client::builder().timeouts(timeouts.clone()), "2025-06-18").await;
        let serve = async {
            server.expect("tools/call").await;
            server.expect("ping").await;
            server.answer(json!({})).await;
            // That the method is not known is an answer too.
            let asked = server.expect("ping").await;
            let refusal = json!({"code": -32601, "message": "what?"});
            server.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "error": refusal})).await;
            server.expect("ping").await;
        };
        let begun = tokio::time::Instant::now();
        let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), serve);
        assert_eq!(end_reason(outcome), "the server did not answer a ping");
        assert_eq!(begun.elapsed().as_secs(), 40);

        // There is no ping to send to a modern server.
        let (client, mut server) = Pair::modern(Client::builder().timeouts(timeouts)).await;
        let wait = async { tokio::time::timeout(Duration::from_secs(600), server.receive()).await };
        assert!(wait.await.is_err());
        drop(client);
    });
}

/// PAT-032: a server that has not read for a moment is kept; one that still does not when the next ping is due is given up.
#[test]
fn pings_wait_for_a_server_that_reads_slowly() {
    for (reads_after, wanted) in [(15, "ok"), (600, "lost")] {
        paused(async move {
            let mut timeouts = Timeouts::default();
            timeouts.keep_alive = Some(Duration::from_secs(10));
            let mut limits = Limits::default();
            limits.queued_bytes = 1000;
            let (ours, theirs) = ByteStream::pair(512);
            let mut server = Server::new(theirs);
            let builder = Client::builder().timeouts(timeouts).limits(limits).without_output_check();
            let (client, ()) = tokio::join!(builder.over(ours), server.legacy("2025-06-18"));
            let client = client.unwrap();
            // The one is being written, the other waits for that.
            let call =
                || client.call("t", json!({"x": "y".repeat(5000)})).timeout(Duration::from_secs(100)).into_future();
            let serve = async {
                jackfield_testkit::pass(Duration::from_secs(reads_after)).await;
                for _ in 0..2 {
                    server.expect("tools/call").await;
                    server.answer(json!({"content": []})).await;
                }
                server.ignore_the_rest().await;
            };
            let second = async {
                jackfield_testkit::pass(Duration::from_secs(1)).await;
                call().await
            };
            let outcomes = tokio::select! {
                outcomes = async { tokio::join!(call(), second) } => outcomes,
                () = serve => unreachable!("the client is gone"),
            };
            for outcome in [outcomes.0, outcomes.1] {
                assert_eq!(name(&outcome), wanted);
                if outcome.as_ref().is_err_and(Error::is_lost) {
                    assert_eq!(end_reason(outcome), "the server does not read what is sent to it");
                }
            }
        });
    }
}
