//! Finding out what a server speaks.

use jackfield_client::Client;
use jackfield_protocol::{Revision, TASKS_EXTENSION};
use serde_json::{Value, json};

use crate::script::{Pair, check, check_with, paused};

const CALL: &str = r#"
    @ call = ok
    > tools/call {"name":"t","arguments":{"a":1}}
    < {"result":{"content":[]}}
"#;

/// STDIO-016, LIFE-035, BASE-055, BASE-058: a modern server is found by the probe, and every request says who asks.
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

/// STDIO-017, STDIO-018, LIFE-002, LIFE-004, LIFE-008, LIFE-009: any other error leads to the handshake, whatever its code.
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

/// STDIO-017, PAT-002: a silent server is asked the old way beside the open probe, and nothing is cancelled.
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

/// LIFE-022, PAT-002: a server that never answers ends with a timeout, and `initialize` is not cancelled.
#[test]
fn a_server_that_never_answers_times_out() {
    check("> server/discover\n> initialize\n@ connect = timeout");
    check_with(Client::builder().modern_only(), "> server/discover\n@ connect = timeout");
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
