//! Servers that lie, flood, stall and die: every request ends once, with a definite outcome, and the rest goes on.

use std::time::Duration;

use jackfield_client::{ByteStream, Client, Limits};
use serde_json::json;

use crate::script::{Pair, Server, check_with, name, paused};

/// Proves that the connection still works.
const THEN_WORKS: &str = r#"
    @ call = ok
    > tools/call
    < {"result":{"resultType":"complete","content":[]}}
"#;

/// T-001, T-005, T-006, T-007, T-053, T-114, T-115, T-116, BASE-008, BASE-009, BASE-010, BASE-012, BASE-020, BASE-021, BASE-031,
/// STDIO-003, STDIO-007, PAT-019, PAT-021, PAT-023, PAT-035, XTSK-003: at least eighty servers misbehave, each in its own way;
/// hostile.txt says how.
#[test]
fn every_hostile_server_is_survived() {
    let text = include_str!("hostile.txt").replace("$r", "\r").replace("$b", "\u{feff}");
    let scripts: Vec<_> = text.split("\n== ").skip(1).map(|section| section.split_once('\n').unwrap()).collect();
    assert!(scripts.len() >= 80, "only {} scripts", scripts.len());
    let mut failed = Vec::new();
    for (title, script) in scripts {
        let script: Vec<_> = script.lines().filter(|line| !line.starts_with('#')).collect();
        let script = script.join("\n").replace("then works", THEN_WORKS);
        if std::panic::catch_unwind(|| check_with(Client::builder().tasks(), &script)).is_err() {
            failed.push(title);
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

async fn answered(server: &mut Server, client: &Client) -> String {
    let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), async {
        server.expect("tools/call").await;
        server.answer(json!({"content": []})).await;
    });
    name(&outcome)
}

/// T-116: the connection is cut after every single byte of a conversation; the call ends as lost or as answered.
#[test]
fn the_stream_may_end_after_any_byte() {
    let answer =
        br#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"x"}]}}"#;
    for cut in 0..=answer.len() {
        paused(async move {
            let (client, mut server) = Pair::modern(Client::builder()).await;
            let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), async {
                server.expect("tools/call").await;
                server.write(&answer[..cut]).await;
                server.close().await;
            });
            let wanted = if cut == answer.len() { "ok" } else { "lost" };
            assert_eq!(name(&outcome), wanted, "cut after {cut} bytes: {outcome:?}");
        });
    }
}

/// T-004: a line without an end is skipped in bounded memory; the call it answers fails, and the next one works.
#[test]
fn an_endless_line_is_skipped() {
    paused(async {
        let (client, mut server) = Pair::modern(Client::builder()).await;
        let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), async {
            server.expect("tools/call").await;
            server.write(br#"{"jsonrpc":"2.0","id":2,"result":{"content":[],"x":""#).await;
            let chunk = vec![b'a'; 1 << 16];
            for _ in 0..(64 << 20) / chunk.len() {
                server.write(&chunk).await;
            }
            server.write(b"\"}}\n").await;
        });
        assert_eq!(name(&outcome), "bad answer");
        assert_eq!(answered(&mut server, &client).await, "ok");
    });
}

/// T-004: messages at the limit pass, longer ones do not.
#[test]
fn messages_have_a_limit() {
    let text = |length: usize| {
        let frame = r#"{"jsonrpc":"2.0","id":2,"result":{"content":[],"x":""}}"#;
        frame.replace("\"\"", &format!("\"{}\"", "a".repeat(length - frame.len())))
    };
    for (length, wanted) in [(999, "ok"), (1000, "ok"), (1001, "bad answer")] {
        paused(async move {
            let mut limits = Limits::default();
            limits.line_bytes = 1000;
            let (client, mut server) = Pair::modern(Client::builder().limits(limits)).await;
            let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), async {
                server.expect("tools/call").await;
                server.write(format!("{}\n", text(length)).as_bytes()).await;
            });
            assert_eq!(name(&outcome), wanted, "{length} bytes");
        });
    }
}

/// T-114, T-116: a state of ten megabytes is not carried around.
#[test]
fn a_huge_request_state_is_refused() {
    paused(async {
        let (client, mut server) = Pair::modern(Client::builder()).await;
        let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), async {
            server.expect("tools/call").await;
            server.answer(json!({"resultType": "input_required", "requestState": "x".repeat(10 << 20)})).await;
        });
        assert_eq!(name(&outcome), "limit");
        assert_eq!(answered(&mut server, &client).await, "ok");
    });
}

/// T-002: nesting beyond all measure is refused without harm, also inside results.
#[test]
fn nesting_bombs_are_refused() {
    paused(async {
        let (client, mut server) = Pair::modern(Client::builder()).await;
        let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), async {
            server.expect("tools/call").await;
            let bomb = "[".repeat(100_000);
            server.write(format!("{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{bomb}\n").as_bytes()).await;
        });
        assert_eq!(name(&outcome), "bad answer");
        assert_eq!(answered(&mut server, &client).await, "ok");
    });
}

/// T-116: only so many requests wait; a further one fails at once, and the first ones are not hurt.
#[test]
fn requests_that_wait_have_a_limit() {
    paused(async {
        let mut limits = Limits::default();
        limits.requests_waiting = 3;
        let (client, mut server) = Pair::modern(Client::builder().limits(limits)).await;
        let mut calls = tokio::task::JoinSet::new();
        for _ in 0..4 {
            calls.spawn(client.call("t", ()).into_future());
        }
        assert_eq!(name(&calls.join_next().await.unwrap().unwrap()), "limit");
        for _ in 0..3 {
            server.expect("tools/call").await;
            server.answer(json!({"content": []})).await;
        }
        while let Some(call) = calls.join_next().await {
            assert_eq!(name(&call.unwrap()), "ok");
        }
    });
}

/// T-116: a server that reads nothing does not make the client grow; further requests fail, waiting ones time out.
#[test]
fn a_server_that_never_reads_is_noticed() {
    paused(async {
        let mut limits = Limits::default();
        limits.queued_bytes = 1 << 20;
        let (ours, theirs) = ByteStream::pair(64);
        let mut server = Server::new(theirs);
        let (client, ()) = tokio::join!(Client::builder().limits(limits).over(ours), server.modern());
        let client = client.unwrap();
        let mut outcomes = Vec::new();
        for _ in 0..8 {
            let call = client.call("t", json!({"x": "y".repeat(400 << 10)})).timeout(Duration::from_secs(1));
            outcomes.push(name(&call.await));
        }
        assert_eq!(outcomes[0], "timeout");
        assert_eq!(outcomes[7], "limit");
    });
}

/// T-118, CLI-083, CLI-084: nothing a server names is fetched or opened; the handler alone decides.
#[test]
fn urls_of_the_server_are_only_shown() {
    use jackfield_protocol::{ElicitAction, ElicitResult};
    paused(async {
        let (seen, shown) = std::sync::mpsc::sync_channel(1);
        let builder = Client::builder().on_url(move |page| {
            let seen = seen.clone();
            async move {
                seen.send(page.url).unwrap();
                Ok(ElicitResult::new(ElicitAction::Decline))
            }
        });
        let (client, mut server) = Pair::modern(builder).await;
        // A page of this machine: whoever looked at it would be noticed.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let url = &format!("http://{}/?a=`id`&b=$(id)", listener.local_addr().unwrap());
        let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), async {
            server.expect("tools/call").await;
            let question =
                json!({"method": "elicitation/create", "params": {"mode": "url", "message": "go", "url": url}});
            server.answer(json!({"resultType": "input_required", "inputRequests": {"k": question}})).await;
            let retry = server.expect("tools/call").await;
            assert_eq!(retry["params"]["inputResponses"]["k"], json!({"action": "decline"}));
            server.answer(json!({"content": []})).await;
        });
        assert_eq!(name(&outcome), "ok");
        assert_eq!(shown.try_recv().unwrap(), *url);
        let visitor = listener.accept().map_err(|error| error.kind());
        assert!(matches!(visitor, Err(std::io::ErrorKind::WouldBlock)), "{visitor:?}");
    });
}
