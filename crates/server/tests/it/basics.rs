//! Beginnings, errors of JSON-RPC, and what a server says about itself.

use jackfield_protocol::{Icon, Revision};
use jackfield_server::{Cx, Package, Server};
use serde_json::json;

use crate::demo::{add, demo, echo, plain, review, text_resource};
use crate::talk::{Talk, check, check_each, legacy, runtime, started};

/// LIFE-001, LIFE-003, LIFE-010, SRV-006, SRV-039, SRV-057, SRV-093, PAT-027: the handshake names version, capabilities and server.
#[test]
fn initialize_tells_what_the_server_is_and_can() {
    check_each(
        legacy(),
        demo,
        r#"
        > 1 initialize {"protocolVersion": "REVISION", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
        < 1 {"protocolVersion": "REVISION", "serverInfo": {"name": "demo", "version": "1.2.3"}, "capabilities": {"tools": {"listChanged": true}, "resources": {"listChanged": true, "subscribe": true}, "prompts": {"listChanged": true}, "logging": {}}, "resultType": "!"}
        > notifications/initialized
        < nothing
        > 2 ping
        < 2 {}
        "#,
    );
}

/// LIFE-011, LIFE-012: an unknown version is answered with the newest one that has a handshake.
#[test]
fn an_unknown_version_gets_the_newest_with_handshake() {
    check(
        demo(),
        r#"
        > 1 initialize {"protocolVersion": "1999-01-01", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
        < 1 {"protocolVersion": "2025-11-25"}
        "#,
    );
    check(
        demo().revisions([Revision::V2025_03_26, Revision::V2026_07_28]),
        r#"
        > 1 initialize {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
        < 1 {"protocolVersion": "2025-03-26"}
        "#,
    );
}

/// LIFE-027, LIFE-029, LIFE-036, SRV-001, SRV-002, SRV-069, BASE-019, BASE-062: discovery, with all that a modern result carries.
#[test]
fn discover_tells_what_the_server_is_and_can() {
    check(
        demo().instructions("Be nice."),
        r#"
        @ 2026-07-28
        > 1 server/discover
        < 1 {"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {"listChanged": true}, "completions": {}}, "instructions": "Be nice.", "ttlMs": 0, "cacheScope": "public", "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "demo", "version": "1.2.3"}}}
        > 2 server/discover {"_meta": {"io.modelcontextprotocol/protocolVersion": "2031-01-01"}}
        < 2 error -32022
        // No session is needed before, and one beside does not matter.
        > raw {"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
        < 3 {"protocolVersion": "2025-06-18", "resultType": "!"}
        > raw {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"echo","arguments":{"message":"old"}}}
        < 4 {"resultType": "!", "content": [{"text": "old"}]}
        > 5 tools/call {"name": "echo", "arguments": {"message": "new"}}
        < 5 {"resultType": "complete", "content": [{"text": "new"}]}
        "#,
    );
}

/// BASE-062: a server can be told not to name itself.
#[test]
fn a_server_may_keep_its_name() {
    check(
        demo().include_server_info(false),
        "@ 2026-07-28\n > 1 tools/list\n < 1 {\"_meta\": \"!\", \"resultType\": \"complete\"}",
    );
}

/// LIFE-034: a server of the modern era only names its versions to a legacy client.
#[test]
fn initialize_is_refused_with_the_versions_that_are_served() {
    check(
        demo().revisions([Revision::V2026_07_28]),
        r#"
        > 1 initialize {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
        < 1 error -32601 2026-07-28
        "#,
    );
}

/// BASE-056, BASE-032, BASE-067, SRV-098: every modern request says all about itself.
#[test]
fn a_modern_request_lacks_nothing() {
    check(
        demo(),
        r#"
        > raw {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}
        < 1 {"tools": "*"}
        > raw {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
        < 2 error -32602 clientCapabilities
        > raw {"jsonrpc":"2.0","id":3,"method":"tools/list"}
        < 3 error -32602 protocolVersion
        > raw {"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"loud"}}}
        < 4 error -32602 logLevel
        "#,
    );
}

/// BASE-003, BASE-004, BASE-005, BASE-008, BASE-011, BASE-012, BASE-013, T-010: what is wrong is told under the id, and the
/// connection lives on.
#[test]
fn wrong_messages_hurt_only_themselves() {
    check_each(
        legacy(),
        demo,
        r#"
        @ REVISION
        > raw {"jsonrpc":"1.0","id":1,"method":"ping"}
        < 1 error -32600
        > raw {"jsonrpc":"2.0","id":2,"method":"no/such"}
        < 2 error -32601 no/such
        > raw {"jsonrpc":"2.0","id":3,"method":"tools/call","params":[]}
        < 3 error -32602
        > raw {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":7}}
        < 4 error -32602 name
        > raw {"jsonrpc":"2.0","id":"a-b","method":"server/discover"}
        < "a-b" error -32601
        > 5 ping
        < 5 {}
        "#,
    );
}

/// BASE-015, BASE-016: notifications are never answered, known or not.
#[test]
fn notifications_are_not_answered() {
    check(
        demo(),
        r#"
        @ 2025-11-25
        > notifications/roots/list_changed
        > notifications/nobody/knows {"x": 1}
        > notifications/cancelled {"requestId": 77}
        > notifications/progress {"progressToken": 1, "progress": 1}
        < nothing
        > 1 ping
        < 1 {}
        "#,
    );
}

/// LIFE-016, LIFE-018, PAT-034: methods of other revisions do not exist.
#[test]
fn methods_outside_their_revision_do_not_exist() {
    check(
        demo(),
        "@ 2026-07-28\n > 1 ping\n < 1 error -32601\n > 2 logging/setLevel {\"level\": \"info\"}\n < 2 error -32601\n > 3 resources/subscribe {\"uri\": \"note:one\"}\n < 3 error -32601",
    );
    check_each(legacy(), demo, "@ REVISION\n > 1 subscriptions/listen {\"notifications\": {}}\n < 1 error -32601");
}

/// LIFE-017, LIFE-019, SRV-067, SRV-087: what was not declared is not there.
#[test]
fn methods_of_capabilities_that_are_not_declared_do_not_exist() {
    let server = || Server::new("empty").logging(false);
    check_each(
        legacy(),
        server,
        r#"
        > 0 initialize {"protocolVersion": "REVISION", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
        < 0 {"capabilities": {"tools": "!", "resources": "!", "prompts": "!", "completions": "!", "logging": "!"}}
        > 1 tools/list
        < 1 error -32601
        > 2 resources/read {"uri": "a:b"}
        < 2 error -32601
        > 3 prompts/get {"name": "x"}
        < 3 error -32601
        > 4 completion/complete {"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": ""}}
        < 4 error -32601
        > 5 logging/setLevel {"level": "debug"}
        < 5 error -32601
        "#,
    );
}

/// Version, description and home page come from the crate that the tools were written in.
#[test]
fn the_version_comes_from_the_users_crate() {
    let mut entry = echo();
    entry.package = Some(Package::new("their-crate", "4.5.6", "Does things.", "https://their.example"));
    let info = Server::new("x").tool(entry.clone()).build().unwrap().info().clone();
    assert_eq!(
        serde_json::to_value(info).unwrap(),
        json!({
            "name": "x", "version": "4.5.6", "description": "Does things.", "websiteUrl": "https://their.example",
        })
    );
    let info = Server::new("x")
        .version("9")
        .title("X!")
        .icons([Icon::new("data:image/png;base64,AA==")])
        .tool(entry)
        .build()
        .unwrap()
        .info()
        .clone();
    assert_eq!(
        (info.version.as_str(), info.title.as_deref(), info.icons.map(|icons| icons.len())),
        ("9", Some("X!"), Some(1))
    );
}

/// LIFE-030: declared extensions have a prefix; they are told where they exist.
#[test]
fn extensions_are_declared() {
    let server = || {
        demo()
            .extension("com.example/thing", serde_json::from_value(json!({"a": 1})).unwrap())
            .experimental("x", serde_json::Map::new())
    };
    check(
        server(),
        "@ 2026-07-28\n > 1 server/discover\n < 1 {\"capabilities\": {\"extensions\": {\"com.example/thing\": {\"a\": 1}}, \"experimental\": {\"x\": {}}}}",
    );
    let problem = demo().extension("thing", serde_json::Map::new()).build().unwrap_err().to_string();
    assert!(problem.contains("`thing`"), "{problem}");
}

/// T-009: a handler that panics hurts only its caller.
#[test]
fn a_panic_is_an_error_for_its_caller() {
    let server = started(demo().tool(plain("boom", |_| async { if true { panic!("secret") } else { String::new() } })));
    for revision in Revision::ALL {
        check(
            &server,
            &r#"
            @ REVISION
            > 1 tools/call {"name": "boom"}
            < 1 error -32603 panicked
            > 2 tools/call {"name": "echo", "arguments": {"message": "alive"}}
            < 2 {"content": [{"type": "text", "text": "alive"}]}
            "#
            .replace("REVISION", revision.as_str()),
        );
    }
}

/// T-009: ten thousand senseless requests, then a good one.
#[test]
fn senseless_requests_do_no_harm() {
    runtime().block_on(async {
        let mut talk = Talk::new(demo());
        talk.play("@ 2025-06-18").await;
        let (mut seed, methods) = (7_u64, ["tools/call", "prompts/get", "resources/read", "completion/complete", "tools/list", "x"]);
        for id in 1..2000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let pick = |n: usize| usize::try_from(seed >> 33).unwrap() % n;
            let values = [json!(null), json!(1), json!("echo"), json!({}), json!([1]), json!("note://1"), json!({"a": null}), json!("\u{0}")];
            let value = |shift: u32| values[pick(97).wrapping_add(shift as usize) % values.len()].clone();
            let params = json!({"name": value(0), "uri": value(1), "arguments": value(2), "ref": value(3), "argument": value(4), "cursor": value(5)});
            talk.send(json!({"jsonrpc": "2.0", "id": id, "method": methods[pick(methods.len())], "params": params})).await;
            assert_eq!(talk.receive().await.unwrap()["id"], id);
        }
        talk.play("> 9999 tools/call {\"name\": \"echo\", \"arguments\": {\"message\": \"ok\"}}\n < 9999 {\"content\": [{\"text\": \"ok\"}]}").await;
    });
}

/// BASE-017, BASE-018: batches where the revision has them.
#[test]
fn batches_are_answered_where_they_exist() {
    for revision in Revision::ALL.into_iter().filter(|r| r.has_handshake()) {
        let answer = if revision.has_batches() { "" } else { "< null error -32600" };
        runtime().block_on(async {
            let mut talk = Talk::new(demo());
            talk.play(&format!("@ {revision}")).await;
            talk.play(r#"> raw [{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"message":"m"}}}]"#).await;
            let reply = talk.receive().await.unwrap();
            if answer.is_empty() {
                assert_eq!(reply.as_array().map(Vec::len), Some(2), "{reply}");
            } else {
                assert_eq!(reply["error"]["code"], -32600);
            }
        });
    }
}

/// BASE-033: requests of several conversations mixed on one connection.
#[test]
fn mixed_eras_on_one_connection() {
    let server = Server::new("all").tool(echo()).tool(add()).prompt(review()).resource(text_resource("a:b", "c"));
    check(
        server,
        r#"
        @ 2025-06-18
        @ 2026-07-28
        > 1 tools/call {"name": "add", "arguments": {"a": 1, "b": 2}}
        < 1 {"resultType": "complete", "structuredContent": {"sum": 3}}
        > raw {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}
        < 2 {"resultType": "!", "structuredContent": {"sum": 3}}
        "#,
    );
}

/// BASE-050: what stands at reserved keys of `_meta` that are not known here is nobody's business: it is neither refused nor changed.
#[test]
fn unknown_reserved_keys_reach_the_handler() {
    let keys = json!({
        "io.modelcontextprotocol/future": [1, {"a": null}], "mcp/x": "text", "tools.mcp.example/y": false, "modelcontextprotocol.io/z": 1.5,
    });
    let sent = keys.clone();
    let server = move || {
        let expected = keys.clone();
        Server::new("x").tool(plain("meta", move |cx: Cx| {
            let meta = serde_json::to_value(cx.meta()).unwrap();
            let same = expected.as_object().unwrap().iter().all(|(key, value)| meta.get(key) == Some(value));
            async move { same.to_string() }
        }))
    };
    check_each(
        [Revision::V2025_06_18, Revision::V2025_11_25, Revision::V2026_07_28],
        server,
        &format!(
            "@ REVISION\n > 1 tools/call {{\"name\": \"meta\", \"_meta\": {sent}}}\n < 1 {{\"content\": [{{\"text\": \"true\"}}]}}"
        ),
    );
}
