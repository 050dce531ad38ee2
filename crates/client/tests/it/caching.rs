//! What is kept of a server's answers, for how long, and what is asked again.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use jackfield_client::Client;
use serde_json::{Value, json};

use crate::cut::{Cut, Done};
use crate::script::{Pair, Server, check, paused};

/// Reads the tools, while the server answers these requests: the cursor that it must get, and its answer.
async fn tools(client: &Client, server: &mut Server, answers: &[(Option<&str>, Value)]) -> Vec<String> {
    let (tools, ()) = tokio::join!(client.tools().all(), serve(server, answers));
    tools.unwrap().into_iter().map(|tool| tool.name).collect()
}

async fn serve(server: &mut Server, answers: &[(Option<&str>, Value)]) {
    for (cursor, answer) in answers {
        let asked = server.expect("tools/list").await;
        assert_eq!(asked["params"].get("cursor").and_then(Value::as_str), *cursor, "{asked}");
        match answer.get("code") {
            Some(_) => server.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "error": answer})).await,
            None => server.answer(answer.clone()).await,
        }
    }
}

fn page(name: &str, next: Option<&str>, ttl: Value) -> Value {
    let mut page = json!({"resultType": "complete", "tools": [{"name": name, "inputSchema": {"type": "object"}}]});
    if let Some(next) = next {
        page["nextCursor"] = next.into();
    }
    if !ttl.is_null() {
        page["ttlMs"] = ttl;
    }
    page
}

fn unknown_cursor() -> Value {
    json!({"code": -32602, "message": "unknown cursor"})
}

/// SRV-070: what was kept answers only the very same request: not another URI, cursor or method.
#[test]
fn kept_answers_are_for_the_same_request_only() {
    check(
        r#"
        modern
        @ read = ok
        > resources/read {"uri":"r://1"}
        < {"result":{"resultType":"complete","contents":[],"ttlMs":60000}}
        @ read = ok
        @ resources = ok
        > resources/list
        < {"result":{"resultType":"complete","resources":[],"ttlMs":60000}}
        @ templates = ok
        > resources/templates/list
        < {"result":{"resultType":"complete","resourceTemplates":[],"ttlMs":60000}}
        @ prompts = ok
        > prompts/list
        < {"result":{"resultType":"complete","prompts":[],"ttlMs":60000}}
        @ resources = ok
        @ templates = ok
        @ prompts = ok
        @ call = ok
        > tools/call
        < {"result":{"resultType":"complete","content":[]}}
        @ call = ok
        > tools/call
        < {"result":{"resultType":"complete","content":[]}}
        "#,
    );
    paused(async {
        let (client, mut server) = Pair::modern(Client::builder()).await;
        for uri in ["r://1", "r://2", "r://1/", "R://1"] {
            let answer = json!({"contents": [{"uri": uri, "text": uri}], "ttlMs": 60_000});
            let (read, ()) = tokio::join!(client.read(uri), async {
                assert_eq!(server.expect("resources/read").await["params"]["uri"], uri);
                server.answer(answer).await;
            });
            assert_eq!(serde_json::to_value(&read.unwrap().contents[0]).unwrap()["text"], uri);
        }
        let kept = client.read("r://2").await.unwrap();
        assert_eq!(serde_json::to_value(&kept.contents[0]).unwrap()["text"], "r://2");
    });
}

/// SRV-072: zero, absent and negative times mean that nothing is kept; a positive one is kept for just that long.
#[test]
fn results_are_fresh_for_as_long_as_they_say() {
    paused(async {
        let (client, mut server) = Pair::modern(Client::builder()).await;
        for ttl in [json!(0), json!(null), json!(-1), json!(-60_000), json!(0.5)] {
            for name in ["a", "b"] {
                assert_eq!(
                    tools(&client, &mut server, &[(None, page(name, None, ttl.clone()))]).await,
                    [name],
                    "{ttl}"
                );
            }
        }
        assert_eq!(tools(&client, &mut server, &[(None, page("c", None, json!(1000)))]).await, ["c"]);
        tokio::time::advance(Duration::from_millis(999)).await;
        assert_eq!(tools(&client, &mut server, &[]).await, ["c"]);
        tokio::time::advance(Duration::from_millis(1)).await;
        assert_eq!(tools(&client, &mut server, &[(None, page("d", None, json!(1000)))]).await, ["d"]);
    });
}

/// SRV-075, SRV-076: nothing is fetched by itself when its time is over. There is no polling that would need jitter.
#[test]
fn nothing_is_fetched_before_it_is_needed() {
    paused(async {
        let (client, mut server) = Pair::modern(Client::builder()).await;
        tools(&client, &mut server, &[(None, page("a", None, json!(1000)))]).await;
        let quiet = tokio::time::timeout(Duration::from_secs(3 * 24 * 3600), server.receive()).await;
        assert!(quiet.is_err(), "nobody wanted {quiet:?}");
        assert_eq!(tools(&client, &mut server, &[(None, page("b", None, json!(1000)))]).await, ["b"]);
    });
}

/// SRV-079: a page whose time is over is fetched again by its cursor, beside the others; a list that must be consistent is fetched
/// from the start.
#[test]
fn pages_are_kept_one_by_one() {
    paused(async {
        let (client, mut server) = Pair::modern(Client::builder()).await;
        let pages = [(None, page("a", Some("1"), json!(10_000))), (Some("1"), page("b", None, json!(1000)))];
        assert_eq!(tools(&client, &mut server, &pages).await, ["a", "b"]);
        assert_eq!(tools(&client, &mut server, &[]).await, ["a", "b"]);
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(tools(&client, &mut server, &[(Some("1"), page("c", None, json!(1000)))]).await, ["a", "c"]);

        let pages = [(None, page("d", Some("2"), json!(10_000))), (Some("2"), page("e", None, json!(1000)))];
        let (fresh, ()) = tokio::join!(client.tools().fresh().all(), serve(&mut server, &pages));
        assert_eq!(fresh.unwrap().len(), 2);
        assert_eq!(tools(&client, &mut server, &[]).await, ["d", "e"]);
    });
}

/// SRV-080: a cursor that the server no longer knows drops all pages that were kept, and the list begins again, once.
#[test]
fn an_unknown_cursor_drops_all_pages() {
    paused(async {
        let (client, mut server) = Pair::modern(Client::builder()).await;
        let pages = [(None, page("a", Some("1"), json!(60_000))), (Some("1"), page("b", None, json!(1000)))];
        tools(&client, &mut server, &pages).await;
        tokio::time::advance(Duration::from_secs(1)).await;
        let anew = [
            (Some("1"), unknown_cursor()),
            (None, page("c", Some("2"), json!(60_000))),
            (Some("2"), page("d", None, json!(0))),
        ];
        assert_eq!(tools(&client, &mut server, &anew).await, ["c", "d"]);

        // Again, and the new cursor is not known either: that is an error, and nothing of the list is kept.
        let never =
            [(Some("2"), unknown_cursor()), (None, page("e", Some("3"), json!(60_000))), (Some("3"), unknown_cursor())];
        let (error, ()) = tokio::join!(client.tools().all(), serve(&mut server, &never));
        assert_eq!(error.unwrap_err().server_error().unwrap().code, -32602);
        assert_eq!(tools(&client, &mut server, &[(None, page("f", None, json!(0)))]).await, ["f"]);
    });
}

/// SRV-074: a notice that comes right after an answer is about that answer too, and one in the middle of a list about all of it.
#[test]
fn an_answer_is_not_kept_beyond_a_notice_that_follows_it() {
    let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    paused(async {
        let (client, mut server) = Pair::modern(Client::builder()).await;
        let (tools_read, ()) = tokio::join!(client.tools().all(), async {
            let asked = server.expect("tools/list").await;
            let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "result": page("a", None, json!(60_000))});
            // In one piece, so that both are there before the reader is.
            server.write(format!("{answer}\n{changed}\n").as_bytes()).await;
        });
        assert_eq!(tools_read.unwrap().len(), 1);
        assert_eq!(tools(&client, &mut server, &[(None, page("b", None, json!(60_000)))]).await, ["b"]);
        assert_eq!(tools(&client, &mut server, &[]).await, ["b"]);

        let (read, ()) = tokio::join!(client.read("r://1"), async {
            let asked = server.expect("resources/read").await;
            let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"contents": [], "ttlMs": 60_000}});
            let updated =
                json!({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": "r://1"}});
            server.write(format!("{answer}\n{updated}\n").as_bytes()).await;
        });
        read.unwrap();
        let (read, ()) = tokio::join!(client.read("r://1"), async {
            server.expect("resources/read").await;
            server.answer(json!({"contents": []})).await;
        });
        read.unwrap();
    });
    // The tools that are known from a list are forgotten in the same way: the next call looks at them again.
    paused(async {
        let (client, mut server) = Pair::legacy(Client::builder(), "2025-11-25").await;
        let (tools_read, ()) = tokio::join!(client.tools().all(), async {
            server.expect("tools/list").await;
            server.answer(page("a", Some("1"), Value::Null)).await;
            let asked = server.expect("tools/list").await;
            let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "result": page("b", None, Value::Null)});
            server.write(format!("{changed}\n{answer}\n").as_bytes()).await;
        });
        assert_eq!(tools_read.unwrap().len(), 2);
        let (called, ()) = tokio::join!(IntoFuture::into_future(client.call("a", ())), async {
            server.expect("tools/list").await;
            server.answer(page("a", None, Value::Null)).await;
            server.expect("tools/call").await;
            server.answer(json!({"content": []})).await;
        });
        called.unwrap();
    });
}

/// SRV-106, SRV-109: a list of one page has no cursor; an empty text is a cursor like any other.
#[test]
fn only_an_absent_cursor_is_the_end() {
    check(
        r#"
        modern
        @ list = ok
        > tools/list
        < {"result":{"tools":[]}}
        @ list = ok
        > tools/list
        < {"result":{"tools":[],"nextCursor":""}}
        > tools/list {"cursor":""}
        < {"result":{"tools":[],"nextCursor":" \" \\ {} 0 \u0000"}}
        > tools/list {"cursor":" \" \\ {} 0 \u0000"}
        < {"result":{"tools":[],"nextCursor":null}}
        @ list = repeated cursor
        > tools/list
        < {"result":{"tools":[],"nextCursor":""}}
        > tools/list {"cursor":""}
        < {"result":{"tools":[],"nextCursor":""}}
        "#,
    );
}

/// SRV-108: a cursor is not used in another session; a list that was under way begins again.
#[test]
fn cursors_end_with_their_session() {
    paused(async {
        // The number of a connection, and a cursor that was sent over it.
        let seen = Arc::new(Mutex::new(Vec::<(u32, Option<String>)>::new()));
        let notes = seen.clone();
        let cut = Cut::new(move |asked| {
            if asked.method != "tools/list" {
                return Done::Unknown;
            }
            let (number, cursor) = (asked.connection, asked.params["cursor"].as_str().map(str::to_owned));
            notes.lock().unwrap().push((number, cursor.clone()));
            let mut answer = page(&format!("{number}-{}", u8::from(cursor.is_some())), None, Value::Null);
            if cursor.is_none() {
                answer["nextCursor"] = format!("of {number}").into();
            }
            Done::Answered(answer)
        });
        let client = Client::builder().without_output_check().through(cut).await.unwrap();
        let mut tools = client.tools();
        assert_eq!(tools.next().await.unwrap().unwrap().name, "0-0");
        assert!(client.call("anything", ()).await.is_err());
        assert_eq!(tools.next().await.unwrap().unwrap().name, "1-0");
        assert_eq!(tools.next().await.unwrap().unwrap().name, "1-1");
        assert!(tools.next().await.is_none());
        let of = |number: u32, cursor: Option<&str>| (number, cursor.map(str::to_owned));
        assert_eq!(*seen.lock().unwrap(), [of(0, None), of(1, None), of(1, Some("of 1"))]);
        // Nor is a list of an older revision kept.
        assert_eq!(client.tools().all().await.unwrap().len(), 2);
        assert_eq!(seen.lock().unwrap().len(), 5);
    });
}

/// An answer that cannot be understood is not kept, whatever it says about that: the next request may bring a better one.
#[test]
fn what_is_not_understood_is_not_kept() {
    paused(async {
        let (client, mut server) = Pair::modern(Client::builder().without_output_check()).await;
        for bad in [
            json!({"resultType": "complete", "tools": "many", "ttlMs": 60_000}),
            json!({"resultType": "input_required", "inputRequests": {}, "tools": [], "ttlMs": 60_000}),
        ] {
            let answers = [(None, bad)];
            let (tools, ()) = tokio::join!(client.tools().all(), serve(&mut server, &answers));
            assert!(tools.is_err(), "{tools:?}");
        }
        let good = page("good", None, json!(60_000));
        assert_eq!(tools(&client, &mut server, &[(None, good)]).await, ["good"]);
        assert_eq!(tools(&client, &mut server, &[]).await, ["good"]);
    });
}
