//! Pages, cursors and cache hints.

use std::time::Duration;

use jackfield_protocol::{CallToolResult, Revision};
use jackfield_server::{CacheHint, Cached, Item, Server};
use serde_json::json;

use crate::demo::{demo, review, sync_tool, template, text_resource};
use crate::talk::{Talk, check, check_each, runtime, started};

fn many() -> Server {
    let server = Server::new("x").page_size(2).prompt(review());
    (1..=5).fold(server, |server, n| {
        server
            .tool(sync_tool(&format!("t{n}"), json!({"type": "object"}), |_, _| CallToolResult::text("x")))
            .resource(text_resource(&format!("r:{n}"), "x"))
            .resource(template(&format!("p{n}:{{x}}"), |_| None))
    })
}

/// SRV-103, SRV-009: pages in order, the last one without cursor.
#[test]
fn lists_come_in_pages() {
    check_each(
        Revision::ALL,
        many,
        r#"
        @ REVISION
        > 1 tools/list
        < 1 {"tools": [{"name": "t1"}, {"name": "t2"}], "nextCursor": "$a"}
        > 2 tools/list {"cursor": "$a"}
        < 2 {"tools": [{"name": "t3"}, {"name": "t4"}], "nextCursor": "$b"}
        > 3 tools/list {"cursor": "$b"}
        < 3 {"tools": [{"name": "t5"}], "nextCursor": "!"}
        > 4 resources/list
        < 4 {"resources": [{"uri": "r:1"}, {"uri": "r:2"}], "nextCursor": "$r"}
        > 5 resources/list {"cursor": "$r"}
        < 5 {"resources": [{"uri": "r:3"}, {"uri": "r:4"}], "nextCursor": "*"}
        > 6 resources/templates/list
        < 6 {"resourceTemplates": [{"uriTemplate": "p1:{x}"}, {"uriTemplate": "p2:{x}"}], "nextCursor": "$p"}
        > 7 prompts/list
        < 7 {"prompts": [{"name": "review"}], "nextCursor": "!"}
        "#,
    );
}

/// SRV-104, SRV-110: cursors that were changed, made up, or of another list.
#[test]
fn wrong_cursors_are_refused() {
    runtime().block_on(async {
        for revision in Revision::ALL {
            let mut talk = Talk::new(many());
            talk.play(&format!("@ {revision}\n > 1 tools/list\n < 1 {{\"nextCursor\": \"$c\"}}")).await;
            let mut touched = talk.known("$c").as_str().unwrap().to_owned().into_bytes();
            touched[35] = if touched[35] == b'A' { b'B' } else { b'A' };
            talk.remember("$touched", json!(String::from_utf8(touched).unwrap()));
            talk.play(
                r#"
                > 2 tools/list {"cursor": "$touched"}
                < 2 error -32602 cursor
                > 3 tools/list {"cursor": "2"}
                < 3 error -32602 cursor
                > 4 tools/list {"cursor": ""}
                < 4 error -32602 cursor
                > 5 tools/list {"cursor": 5}
                < 5 error -32602 cursor
                > 6 resources/list {"cursor": "$c"}
                < 6 error -32602 cursor
                > 7 tools/list {"cursor": "$c"}
                < 7 {"tools": [{"name": "t3"}, {"name": "t4"}]}
                "#,
            )
            .await;
        }
    });
}

/// SRV-103: a cursor stays where it is while the list changes.
#[test]
fn cursors_are_stable() {
    runtime().block_on(async {
        let server = started(Server::new("x").page_size(2));
        let add = |name: &str| {
            server.registry().tools().add(sync_tool(name, json!({"type": "object"}), |_, _| CallToolResult::text("x"))).unwrap()
        };
        let mut handles: Vec<_> = ["t1", "t2", "t3", "t4"].into_iter().map(add).collect();
        let mut talk = Talk::new(&server);
        talk.play("@ 2026-07-28\n > 1 tools/list\n < 1 {\"tools\": [{\"name\": \"t1\"}, {\"name\": \"t2\"}], \"nextCursor\": \"$c\"}").await;
        // The item that the cursor stands at goes, one before it goes, one comes at the end.
        handles.drain(0..2).for_each(jackfield_server::Handle::remove);
        let _new = add("t5");
        talk.play("> 2 tools/list {\"cursor\": \"$c\"}\n < 2 {\"tools\": [{\"name\": \"t3\"}, {\"name\": \"t4\"}], \"nextCursor\": \"$d\"}").await;
        talk.play("> 3 tools/list {\"cursor\": \"$d\"}\n < 3 {\"tools\": [{\"name\": \"t5\"}], \"nextCursor\": \"!\"}").await;
        talk.play("> 4 tools/list\n < 4 {\"tools\": [{\"name\": \"t3\"}, {\"name\": \"t4\"}]}").await;
    });
}

/// SRV-069, SRV-073, SRV-081: hints on all that can be cached, the same scope on all pages; none before 2026-07-28.
#[test]
fn results_carry_cache_hints() {
    let server = || {
        many()
            .cache(Cached::Tools, CacheHint::private(Duration::from_secs(5)))
            .cache(Cached::Resource("r:1".into()), CacheHint::public(Duration::from_millis(7)))
            .resource(template("q:{x}", |_| Some("x".into())))
            .cache(Cached::Resource("q:{x}".into()), CacheHint::public(Duration::from_millis(9)))
            .cache(Cached::Discover, CacheHint::public(Duration::from_secs(1)))
    };
    check(
        server(),
        r#"
        @ 2026-07-28
        > 1 tools/list
        < 1 {"ttlMs": 5000, "cacheScope": "private", "nextCursor": "$a"}
        > 2 tools/list {"cursor": "$a"}
        < 2 {"ttlMs": 5000, "cacheScope": "private"}
        > 3 resources/list
        < 3 {"ttlMs": 0, "cacheScope": "public"}
        > 4 resources/templates/list
        < 4 {"ttlMs": 0, "cacheScope": "public"}
        > 5 prompts/list
        < 5 {"ttlMs": 0, "cacheScope": "public"}
        > 6 resources/read {"uri": "r:1"}
        < 6 {"ttlMs": 7, "cacheScope": "public"}
        > 7 resources/read {"uri": "r:2"}
        < 7 {"ttlMs": 0, "cacheScope": "private"}
        > 8 resources/read {"uri": "q:1"}
        < 8 {"ttlMs": 9, "cacheScope": "public"}
        > 9 server/discover
        < 9 {"ttlMs": 1000, "cacheScope": "public"}
        "#,
    );
    check(
        server(),
        "@ 2025-11-25\n > 1 tools/list\n < 1 {\"ttlMs\": \"!\", \"cacheScope\": \"!\"}\n > 2 resources/read {\"uri\": \"r:1\"}\n < 2 {\"ttlMs\": \"!\"}",
    );
}

/// SRV-030, SRV-053, SRV-055, SRV-083, SRV-092: who may not see something finds nothing of it, by no method.
#[test]
fn what_is_hidden_is_not_there() {
    let server = || {
        demo().visible_to(|caller, item| {
            let admin = caller.principal.as_ref().is_some_and(|user| user.subject == "admin");
            admin
                || !matches!(
                    item,
                    Item::Tool("add") | Item::Resource("note:one") | Item::Prompt("review") | Item::Template(_)
                )
        })
    };
    let hidden = r#"
        @ 2026-07-28
        > 1 tools/list
        < 1 {"tools": [{"name": "echo"}], "cacheScope": "private"}
        > 2 tools/call {"name": "add", "arguments": {"a": 1, "b": 1}}
        < 2 error -32602 unknown tool
        > 3 resources/list
        < 3 {"resources": []}
        > 4 resources/read {"uri": "note:one"}
        < 4 error -32602 not found
        > 5 resources/read {"uri": "note://7"}
        < 5 error -32602 not found
        > 6 prompts/list
        < 6 {"prompts": []}
        > 7 prompts/get {"name": "review", "arguments": {"code": "x"}}
        < 7 error -32602 unknown prompt
        > 8 completion/complete {"ref": {"type": "ref/prompt", "name": "review"}, "argument": {"name": "language", "value": ""}}
        < 8 error -32602 unknown prompt
        > 9 resources/templates/list
        < 9 {"resourceTemplates": []}
        > 10 subscriptions/listen {"notifications": {"resourceSubscriptions": ["note:one"]}}
        < notifications/subscriptions/acknowledged {"notifications": {"resourceSubscriptions": []}}
        "#;
    runtime().block_on(async {
        Talk::of_user(server(), "guest").play(hidden).await;
        let shown = "@ 2026-07-28\n > 1 tools/list\n < 1 {\"tools\": [{\"name\": \"echo\"}, {\"name\": \"add\"}]}\n > 2 resources/read {\"uri\": \"note:one\"}\n < 2 {}";
        Talk::of_user(server(), "admin").play(shown).await;
    });
}

/// SRV-084: that a list may be shared says nothing about who sees and uses what: that is decided for each caller.
#[test]
fn a_public_list_lets_nobody_in() {
    runtime().block_on(async {
        let hint = CacheHint::public(Duration::from_secs(60));
        let server = started(demo().cache(Cached::Tools, hint).visible_to(|caller, item| {
            let is_ada = caller.principal.as_ref().is_some_and(|user| user.subject == "ada");
            !matches!(item, Item::Tool("add")) || is_ada
        }));
        let (mut ada, mut eve) = (Talk::of_user(&server, "ada"), Talk::of_user(&server, "eve"));
        ada.play(
            r#"
            @ 2026-07-28
            > 1 tools/list
            < 1 {"tools": [{"name": "echo"}, {"name": "add"}], "cacheScope": "public"}
            "#,
        )
        .await;
        eve.play(
            r#"
            @ 2026-07-28
            > 1 tools/list
            < 1 {"tools": [{"name": "echo"}], "cacheScope": "public"}
            > 2 tools/call {"name": "add", "arguments": {"a": 1, "b": 2}}
            < 2 error -32602 add
            "#,
        )
        .await;
    });
}
