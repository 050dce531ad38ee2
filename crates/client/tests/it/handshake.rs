//! Finding out what a server speaks.

use std::time::Duration;

use jackfield_client::Client;
use jackfield_protocol::{Implementation, Revision, TASKS_EXTENSION};
use serde_json::{Value, json};

use crate::script::{Pair, check, check_with, discovery, greeting, paused};

const CALL: &str = r#"
    @ call = ok
    > tools/call {"name":"t","arguments":{"a":1}}
    < {"result":{"content":[]}}
"#;

/// STDIO-016, LIFE-035, BASE-055: a modern server is found by the probe, and every request says which revision it is of.
#[test]
fn a_modern_server_is_found_by_the_probe() {
    check(
        r#"
        modern
        @ call = ok
        > tools/call {"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}
        < {"result":{"resultType":"complete","content":[]}}
        "#,
    );
}

/// BASE-058: every request to a modern server says who asks, and what the client can do.
#[test]
fn every_modern_request_says_who_asks() {
    let me = Implementation::new("me", "1.2").with_title("Myself");
    for (builder, info) in [
        (Client::builder(), json!({"name": "jackfield", "version": env!("CARGO_PKG_VERSION")})),
        (Client::builder().info(me), json!({"name": "me", "version": "1.2", "title": "Myself"})),
    ] {
        paused(async move {
            let (ours, mut server) = Pair::streams();
            let serve = async {
                for (method, answer) in [
                    ("server/discover", discovery()),
                    ("tools/call", json!({"content": []})),
                    ("tools/call", json!({"content": []})),
                    ("tools/list", json!({"tools": []})),
                    ("resources/read", json!({"contents": []})),
                    ("prompts/get", json!({"messages": []})),
                ] {
                    let meta = server.expect(method).await["params"]["_meta"].clone();
                    assert_eq!(meta["io.modelcontextprotocol/clientInfo"], info, "{method}");
                    assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28", "{method}");
                    let able = json!({"roots": {}});
                    assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"], able, "{method}");
                    server.answer(answer).await;
                }
            };
            let ask = async {
                let client = builder.roots(vec![]).over(ours).await.unwrap();
                client.call("t", ()).await.unwrap();
                client.call("t", ()).meta("com.example/x", 1).await.unwrap();
                client.tools().all().await.unwrap();
                client.read("r://1").await.unwrap();
                client.prompt("p", [("a", "b")]).await.unwrap();
            };
            tokio::join!(ask, serve);
        });
    }
}

/// LIFE-002, LIFE-005, LIFE-006: `initialize` is a message by itself and says who asks, in which revision, and what the client can do; until
/// it is answered nothing else is sent.
#[test]
fn initialize_says_who_asks_and_stands_alone() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        paused(async move {
            let (ours, mut server) = Pair::streams();
            let me = Implementation::new("me", "1.2");
            let builder = Client::builder().info(me).roots(vec![]).revision(version.parse().unwrap());
            let serve = async {
                let asked = server.receive().await.unwrap();
                assert!(asked.is_object(), "{asked}");
                assert_eq!(asked["method"], "initialize");
                let params = json!({"protocolVersion": version, "capabilities": {"roots": {"listChanged": true}},
                    "clientInfo": {"name": "me", "version": "1.2"}});
                assert_eq!(asked["params"], params);
                let early = tokio::time::timeout(Duration::from_secs(50), server.receive()).await;
                assert!(early.is_err(), "{early:?} came before the handshake was over");
                server.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": greeting(version)})).await;
                server.expect("notifications/initialized").await;
            };
            let (client, ()) = tokio::join!(builder.over(ours), serve);
            client.unwrap();
        });
    }
}

/// STDIO-017, STDIO-018, LIFE-004, LIFE-008, LIFE-009: any other error leads to the handshake, whatever its code.
#[test]
fn every_unknown_error_leads_to_the_handshake() {
    for code in [-32601, -32602, -32600, -32000, -32603, 0, 1, 404, -32700] {
        check(&format!(
            r#"
            > server/discover
            < {{"error":{{"code":{code},"message":"?"}}}}
            > initialize {{"protocolVersion":"2025-11-25"}}
            < {{"result":{{"protocolVersion":"2025-06-18","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"s","version":"1"}}}}}}
            > notifications/initialized
            {CALL}
            "#
        ));
    }
}

/// LIFE-018: the revision that the server chose is used, whichever it is.
#[test]
fn every_legacy_revision_is_spoken() {
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let list = if revision == "2025-11-25" { "> tools/list\n< {\"result\":{\"tools\":[]}}" } else { "" };
        check(&format!("legacy {revision}\n{list}\n{CALL}"));
    }
}

/// XEXT-003: a client has no extension unless it is told so.
#[test]
fn extensions_are_declared_only_if_they_are_wanted() {
    let tasks = json!({TASKS_EXTENSION: {}});
    for (builder, wanted) in [(Client::builder(), Value::Null), (Client::builder().tasks(), tasks)] {
        paused(async move {
            let (ours, mut server) = Pair::streams();
            let serve = async {
                let probe = server.expect("server/discover").await;
                let capabilities = &probe["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
                assert_eq!(capabilities["extensions"], wanted, "{probe}");
                server.close().await;
            };
            let _ = tokio::join!(builder.over(ours), serve);
        });
    }
}

/// STDIO-017: a result that is no discovery does not make a server modern.
#[test]
fn an_empty_result_is_no_discovery() {
    check(
        r#"
        > server/discover
        < {"result":{}}
        > initialize
        < {"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}
        > notifications/initialized
        @ connect = ok
        "#,
    );
}

/// STDIO-017: a silent server is asked the old way beside the open probe, and nothing is cancelled.
#[test]
fn a_silent_legacy_server_is_asked_the_old_way() {
    check(
        r#"
        > server/discover
        > initialize
        < {"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}
        > notifications/initialized
        @ call = ok
        > tools/call
        < {"result":{"content":[]}}
        "#,
    );
}

/// STDIO-017: a server of both eras takes the old handshake as a choice, so a slow one that answers both is used the old way.
#[test]
fn a_slow_server_of_both_eras_is_used_as_it_understood() {
    check(
        r#"
        > server/discover
        > initialize
        < {"id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}
        < {"id":2,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}
        > notifications/initialized
        @ call = ok
        > tools/call
        < {"result":{"content":[]}}
        "#,
    );
}

/// STDIO-017: a modern server that starts slowly is still taken for what it is, although the old handshake has begun.
#[test]
fn a_slow_modern_server_stays_modern() {
    check(
        r#"
        > server/discover
        > initialize
        < {"id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}
        < {"id":2,"error":{"code":-32601,"message":"no"}}
        @ call = ok
        > tools/call {"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}
        < {"result":{"resultType":"complete","content":[]}}
        "#,
    );
}

/// STDIO-017: the refusal of the handshake may overtake the answer to the probe.
#[test]
fn a_refused_handshake_waits_for_the_probe() {
    check(
        r#"
        > server/discover
        > initialize
        < {"id":2,"error":{"code":-32601,"message":"no"}}
        < {"id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}
        @ call = ok
        > tools/call
        < {"result":{"resultType":"complete","content":[]}}
        "#,
    );
}

/// STDIO-017, LIFE-028, T-053: an error that only modern servers know never leads to the handshake.
#[test]
fn a_modern_error_never_leads_to_the_handshake() {
    for error in [
        r#"{"code":-32022,"message":"no","data":{"supported":["2027-01-01","2025-11-25"],"requested":"2026-07-28"}}"#,
        r#"{"code":-32022,"message":"no","data":{"supported":["2025-11-25"],"requested":"2026-07-28"}}"#,
        r#"{"code":-32022,"message":"no"}"#,
    ] {
        check(&format!("> server/discover\n< {{\"error\":{error}}}\n@ connect = no common revision"));
    }
    check("> server/discover\n< {\"error\":{\"code\":-32021,\"message\":\"no\"}}\n@ connect = server -32021");
}

/// LIFE-013, LIFE-014, T-053: a version that nobody asked for ends the connection.
#[test]
fn an_unknown_version_ends_the_connection() {
    for version in ["1999-01-01", "2026-07-28", ""] {
        check(&format!(
            r#"
            > server/discover
            < {{"error":{{"code":-32601,"message":"?"}}}}
            > initialize
            < {{"result":{{"protocolVersion":"{version}","capabilities":{{}},"serverInfo":{{"name":"s","version":"1"}}}}}}
            @ connect = no common revision
            "#
        ));
    }
    check(
        r#"
        > server/discover
        < {"result":{"resultType":"complete","supportedVersions":["2027-01-01"],"capabilities":{}}}
        @ connect = no common revision
        "#,
    );
}

/// T-053: what is forbidden is not used, and what is pinned is used at once.
#[test]
fn revisions_can_be_pinned_and_forbidden() {
    check_with(
        Client::builder().modern_only(),
        "> server/discover\n< {\"error\":{\"code\":-32601,\"message\":\"?\"}}\n@ connect = server -32601",
    );
    check_with(
        Client::builder().revision(Revision::V2025_03_26),
        r#"
        > initialize {"protocolVersion":"2025-03-26"}
        < {"result":{"protocolVersion":"2025-03-26","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}
        > notifications/initialized
        @ call = ok
        > tools/call
        < {"result":{"content":[]}}
        "#,
    );
    check_with(
        Client::builder().without_revision(Revision::V2025_11_25).without_revision(Revision::V2026_07_28),
        r#"
        > initialize {"protocolVersion":"2025-06-18"}
        < {"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}
        @ connect = no common revision
        "#,
    );
}

/// LIFE-022, PAT-002: a server that never answers ends with a timeout, and `initialize` is not cancelled: nothing comes after it.
#[test]
fn a_server_that_never_answers_times_out() {
    let legacy = || Client::builder().without_revision(Revision::LATEST);
    for (builder, methods) in [
        (Client::builder(), &["server/discover", "initialize"][..]),
        (Client::builder().modern_only(), &["server/discover"]),
        (legacy(), &["initialize"]),
    ] {
        paused(async move {
            let (ours, mut server) = Pair::streams();
            let serve = async {
                for method in methods {
                    server.expect(method).await;
                }
                assert_eq!(server.receive().await, None);
            };
            let (client, ()) = tokio::join!(builder.over(ours), serve);
            assert!(client.unwrap_err().is_timeout());
        });
    }
    // Nor is it when the one who connects gives up.
    paused(async {
        let (ours, mut server) = Pair::streams();
        let given_up = tokio::time::timeout(Duration::from_secs(1), legacy().over(ours));
        assert!(given_up.await.is_err());
        server.expect("initialize").await;
        assert_eq!(server.receive().await, None);
    });
}

/// LIFE-026: a handshake that the server refuses or breaks is an error.
#[test]
fn a_refused_handshake_is_an_error() {
    let probe = "> server/discover\n< {\"error\":{\"code\":-32601,\"message\":\"?\"}}\n> initialize\n";
    check(&format!("{probe}< {{\"error\":{{\"code\":-32602,\"message\":\"no\"}}}}\n@ connect = server -32602"));
    check(&format!("{probe}< {{\"result\":{{}}}}\n@ connect = bad answer"));
    check(&format!("{probe}close\n@ connect = lost"));
    check("> server/discover\nclose\n@ connect = lost");
    check("close\n@ connect = lost");
}
