//! Tools: calls, failures, validation, structured output.

use bytes::Bytes;
use jackfield_protocol::{CallToolResult, RawJson, Revision, Schema, TaskSupport, Tool};
use jackfield_server::{Cx, NextTool, RunningServer, Server, ToolEntry, Validation, Work};
use serde_json::json;

use crate::demo::{add, demo, echo, plain, sync_tool};
use crate::talk::{Talk, check, check_each, started};

/// SRV-007, SRV-008, SRV-009, SRV-012: the list has all tools in the order of registration, the same for everyone.
#[test]
fn tools_are_listed_in_order() {
    check_each(
        Revision::ALL,
        demo,
        r#"
        @ REVISION
        > 1 tools/list
        < 1 {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}, {"name": "add"}], "nextCursor": "!"}
        > 2 tools/call {"name": "echo", "arguments": {"message": "x"}}
        < 2 {}
        > 3 tools/list
        < 3 {"tools": [{"name": "echo"}, {"name": "add"}]}
        "#,
    );
}

/// SRV-028, SRV-015: an unknown tool is an error of the protocol; names are told apart by case.
#[test]
fn an_unknown_tool_is_a_protocol_error() {
    check_each(
        Revision::ALL,
        demo,
        r#"
        @ REVISION
        > 1 tools/call {"name": "nope"}
        < 1 error -32602 nope
        > 2 tools/call {"name": "Echo", "arguments": {"message": "x"}}
        < 2 error -32602 Echo
        > 3 tools/call {}
        < 3 error -32602 name
        > 4 tools/call {"name": "echo", "arguments": "x"}
        < 4 error -32602 arguments
        "#,
    );
}

/// SRV-025, SRV-027, SRV-029: bad arguments are failures that the model reads, naming field and rule, one line each.
#[cfg(feature = "validation")]
#[test]
fn bad_arguments_are_failures_with_field_and_rule() {
    check_each(
        Revision::ALL,
        demo,
        r#"
        @ REVISION
        > 1 tools/call {"name": "echo", "arguments": {}}
        < 1 {"isError": true, "content": [{"type": "text", "text": "invalid arguments for echo:\n`message` is missing, but required"}]}
        > 2 tools/call {"name": "echo"}
        < 2 {"isError": true}
        > 3 tools/call {"name": "echo", "arguments": null}
        < 3 {"isError": true}
        > 4 tools/call {"name": "add", "arguments": {"a": "x", "b": 101, "c": 1}}
        < 4 {"isError": true, "content": [{"text": "$text"}]}
        > 5 tools/call {"name": "add", "arguments": {"a": 1, "b": 2}}
        < 5 {"isError": "!"}
        "#,
    );
}

/// SRV-027: one line for each problem, with the field and the rule.
#[cfg(feature = "validation")]
#[test]
fn each_problem_of_arguments_has_a_line() {
    crate::talk::runtime().block_on(async {
        let mut talk = Talk::new(demo());
        talk.play("@ 2026-07-28\n > 1 tools/call {\"name\": \"add\", \"arguments\": {\"a\": \"x\", \"b\": 101, \"c\": 1}}\n < 1 {\"content\": [{\"text\": \"$text\"}]}").await;
        let text = talk.known("$text").as_str().unwrap().to_owned();
        let lines: Vec<_> = text.lines().skip(1).collect();
        assert_eq!(lines.len(), 3, "{text}");
        for (field, rule) in [("`a`", "integer"), ("`b`", "100"), ("`c`", "unexpected")] {
            assert!(lines.iter().any(|line| line.contains(field) && line.contains(rule)), "{field} {rule}: {text}");
        }
    });
}

/// SRV-022: structured content, also as text.
#[test]
fn structured_content_is_also_text() {
    check_each(
        [Revision::V2025_06_18, Revision::V2025_11_25, Revision::V2026_07_28],
        demo,
        r#"
        @ REVISION
        > 1 tools/call {"name": "add", "arguments": {"a": 1, "b": 2}}
        < 1 {"structuredContent": {"sum": 3}, "content": [{"type": "text", "text": "{\"sum\":3}"}]}
        "#,
    );
    check(
        demo(),
        r#"
        @ 2025-03-26
        > 1 tools/call {"name": "add", "arguments": {"a": 1, "b": 2}}
        < 1 {"structuredContent": "!", "content": [{"type": "text", "text": "{\"sum\":3}"}]}
        "#,
    );
}

/// SRV-023, T-103: a result that breaks the output schema is not sent.
#[cfg(feature = "validation")]
#[test]
fn results_fit_their_output_schema() {
    let broken = |result: fn() -> CallToolResult| {
        let output = Schema::new(&json!({"type": "object", "required": ["sum"]})).unwrap();
        let mut entry = sync_tool("broken", json!({"type": "object"}), move |_, _| result());
        entry.definition = entry.definition.with_output_schema(output);
        Server::new("x").tool(entry)
    };
    let wrong = || CallToolResult::new(vec![]).with_structured(RawJson::from(json!({"other": 1})));
    for revision in Revision::ALL {
        let call = format!("@ {revision}\n > 1 tools/call {{\"name\": \"broken\"}}");
        check(broken(wrong).check_output(true), &format!("{call}\n < 1 error -32603 sum"));
        // A schema that was written by hand is checked unless it is said otherwise.
        check(broken(wrong), &format!("{call}\n < 1 error -32603 sum"));
        check(
            broken(|| CallToolResult::text("x")).check_output(true),
            &format!("{call}\n < 1 error -32603 structured"),
        );
        // A failure has no structured content to check.
        check(
            broken(|| CallToolResult::failure("x")).check_output(true),
            &format!("{call}\n < 1 {{\"isError\": true}}"),
        );
        check(broken(wrong).check_output(false), &format!("{call}\n < 1 {{}}"));
    }
}

/// T-102: a check that would keep other calls waiting is made only where it is wished.
#[cfg(feature = "validation")]
#[test]
fn long_results_are_checked_on_request() {
    let numbers: Vec<_> = (0..2_000).map(|number| json!({"const": number})).collect();
    let output = json!({"type": "object", "properties": {"n": {"type": "array", "items": {"anyOf": numbers}}}});
    let server = |length: usize| {
        let wrong = move || CallToolResult::new(vec![]).with_structured(RawJson::from(json!({"n": vec![-1; length]})));
        let mut entry = sync_tool("broken", json!({"type": "object"}), move |_, _| wrong());
        entry.definition = entry.definition.with_output_schema(Schema::new(&output).unwrap());
        Server::new("x").tool(entry)
    };
    let call = "@ 2026-07-28\n > 1 tools/call {\"name\": \"broken\"}";
    check(server(10), &format!("{call}\n < 1 error -32603 schema"));
    check(server(1_000), &format!("{call}\n < 1 {{}}"));
    check(server(1_000).check_output(true), &format!("{call}\n < 1 error -32603 schema"));
}

/// BASE-039, BASE-041, BASE-042: 2020-12 by default, and the dialect that a schema declares.
#[cfg(feature = "validation")]
#[test]
fn schemas_are_read_by_their_dialect() {
    // In 2020-12 `items` after `prefixItems` is about the rest; in draft 7 an array of `items` is about the first ones.
    let tuple = |dialect: Option<&str>, schema: serde_json::Value| {
        let mut whole = json!({"type": "object", "properties": {"t": schema}});
        if let Some(dialect) = dialect {
            whole["$schema"] = json!(dialect);
        }
        Server::new("x").tool(sync_tool("t", whole, |_, _| CallToolResult::text("ok")))
    };
    let new = tuple(None, json!({"prefixItems": [{"type": "string"}], "items": false}));
    let old = tuple(
        Some("http://json-schema.org/draft-07/schema#"),
        json!({"items": [{"type": "string"}], "additionalItems": false}),
    );
    for server in [new, old] {
        check(
            server,
            r#"
            @ 2026-07-28
            > 1 tools/call {"name": "t", "arguments": {"t": ["a"]}}
            < 1 {"isError": "!"}
            > 2 tools/call {"name": "t", "arguments": {"t": [1]}}
            < 2 {"isError": true}
            > 3 tools/call {"name": "t", "arguments": {"t": ["a", "b"]}}
            < 3 {"isError": true}
            "#,
        );
    }
}

/// T-101: a pattern that is slow for other engines, which would not come back.
#[cfg(feature = "validation")]
#[test]
fn patterns_take_linear_time() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}});
    let server = Server::new("x").tool(sync_tool("t", schema, |_, _| CallToolResult::text("ok")));
    let many = "a".repeat(50_000);
    check(
        server,
        &format!(
            "@ 2026-07-28\n > 1 tools/call {{\"name\": \"t\", \"arguments\": {{\"a\": \"{many}!\"}}}}\n < 1 {{\"isError\": true}}"
        ),
    );
}

/// T-102: a definition that refers to itself in alternatives cannot be made to take for ever: 3^60 steps would not end.
#[cfg(feature = "validation")]
#[test]
fn recursive_alternatives_are_bounded() {
    let branch = json!({"properties": {"x": {"$ref": "#/$defs/n"}}, "required": ["y"]});
    let schema = json!({"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"anyOf": [branch, branch, branch]}}});
    let server = started(Server::new("x").tool(sync_tool("t", schema, |_, _| CallToolResult::text("ok"))));
    let deep = |levels| (0..levels).fold("{}".to_owned(), |inner, _| format!("{{\"x\":{inner}}}"));
    for levels in [5, 9, 60] {
        let call = format!("> 1 tools/call {{\"name\": \"t\", \"arguments\": {{\"n\": {}}}}}", deep(levels));
        check(&server, &format!("@ 2026-07-28\n{call}\n < 1 {{\"isError\": true}}"));
    }
}

/// Work that blocks, and one that panics there.
#[test]
fn blocking_work_runs_beside() {
    let blocking = |name: &str, run: fn() -> String| {
        ToolEntry::new(Tool::new(name, Schema::object()), move |_: Bytes, _| {
            Work::blocking(move || Ok(CallToolResult::text(run()).into()))
        })
    };
    let server = Server::new("x").tool(blocking("slow", || "done".to_owned())).tool(blocking("boom", || panic!("no")));
    check(
        server,
        "@ 2025-11-25\n > 1 tools/call {\"name\": \"slow\"}\n < 1 {\"content\": [{\"text\": \"done\"}]}\n > 2 tools/call {\"name\": \"boom\"}\n < 2 error -32603 panicked",
    );
}

#[test]
fn middleware_of_a_tool_sees_its_calls_only() {
    let shout = echo().with_middleware(|arguments, cx, next: NextTool| async move {
        let done = next.run(arguments, cx).await?;
        Ok(done.map(|result| CallToolResult::text(result.content[0].as_text().unwrap().to_uppercase())))
    });
    check(
        Server::new("x").tool(shout).tool(add()),
        r#"
        @ 2025-11-25
        > 1 tools/call {"name": "echo", "arguments": {"message": "hey"}}
        < 1 {"content": [{"text": "HEY"}]}
        > 2 tools/call {"name": "add", "arguments": {"a": 1, "b": 1}}
        < 2 {"structuredContent": {"sum": 2}}
        "#,
    );
}

/// PAT-003, PAT-005, PAT-008: a cancelled call is dropped and never answered; late and wrong cancellations mean nothing.
#[test]
fn a_cancelled_call_is_dropped() {
    let (sender, dropped) = std::sync::mpsc::sync_channel(1);
    struct Guard(std::sync::mpsc::SyncSender<()>);
    impl Drop for Guard {
        fn drop(&mut self) {
            let _ = self.0.try_send(());
        }
    }
    let server = demo().tool(plain("forever", move |_| {
        let guard = Guard(sender.clone());
        async move {
            let _guard = guard;
            std::future::pending::<String>().await
        }
    }));
    check(
        server,
        r#"
        @ 2026-07-28
        > 1 tools/call {"name": "forever"}
        > notifications/cancelled {"requestId": 1, "reason": "no"}
        > notifications/cancelled {"requestId": 1}
        > notifications/cancelled {}
        < nothing
        > 2 tools/list
        < 2 {}
        "#,
    );
    assert!(dropped.try_recv().is_ok());
}

/// T-102: arguments that take many steps to check are checked beside the loop, and those that would take too many are refused.
#[test]
fn costly_arguments_are_checked_aside() {
    let alternatives: Vec<_> = (0..5_000).map(|n| json!({"const": n})).collect();
    let items = json!({"type": "array", "items": {"anyOf": alternatives}});
    let schema = json!({"type": "object", "properties": {"v": items}});
    let sum = sync_tool("sum", schema, |arguments, _| {
        CallToolResult::text(arguments["v"].as_array().unwrap().len().to_string())
    });
    let server = started(Server::new("x").tool(sum.task(TaskSupport::Optional)));
    let list = |value: &str, count: usize| format!(r#"{{"v": [{}]}}"#, vec![value; count].join(","));
    check(
        &server,
        &r#"
        @ 2026-07-28
        > 1 tools/call {"name": "sum", "arguments": GOOD}
        < 1 {"content": [{"text": "200"}], "isError": "!"}
        > 2 tools/call {"name": "sum", "arguments": BAD}
        < 2 {"isError": true}
        > 3 tools/call {"name": "sum", "arguments": LONG}
        < 3 {"isError": true}
        "#
        .replace("GOOD", &list("4999", 200))
        .replace("BAD", &list("5000", 200))
        .replace("LONG", &list("4999", 60_000)),
    );
    // Others are answered meanwhile, also if the call is to be a task.
    check(
        &server,
        &r#"
        @ 2025-11-25
        > 1 tools/call {"name": "sum", "arguments": GOOD}
        > 2 ping
        < 2 {}
        < 1 {"content": [{"text": "200"}]}
        > 3 tools/call {"name": "sum", "arguments": GOOD, "task": {}}
        > 4 ping
        < 4 {}
        < 3 {"task": {"status": "working"}}
        "#
        .replace("GOOD", &list("4999", 200)),
    );
}

/// SRV-021: a server whose tools embed resources declares that it has resources, at the latest when the first one is embedded.
#[tokio::test]
async fn embedded_resources_bring_the_capability() {
    let embeds = || {
        sync_tool("embed", json!({"type": "object"}), |_, _| {
            let resource = jackfield_protocol::ResourceContents::text("note://1", "text");
            CallToolResult::new([jackfield_protocol::ContentBlock::resource(resource)])
        })
    };
    for revision in Revision::ALL {
        let has_resources = async |server: &RunningServer| {
            let (method, params) = match revision.has_handshake() {
                true => (
                    "initialize",
                    json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}),
                ),
                false => ("server/discover", json!({})),
            };
            let mut talk = Talk::new(server);
            if !revision.has_handshake() {
                talk.play(&format!("@ {revision}")).await;
            }
            talk.play(&format!("> 1 {method} {params}\n < 1 {{\"capabilities\": \"$capabilities\"}}")).await;
            talk.known("$capabilities")["resources"].is_object()
        };
        let server = started(Server::new("x").tool(embeds()));
        assert!(!has_resources(&server).await, "{revision}");
        let mut talk = Talk::new(&server);
        talk.play(&format!("@ {revision}\n > 1 tools/call {{\"name\": \"embed\"}}\n < 1 {{}}")).await;
        assert!(has_resources(&server).await, "{revision}");
        talk.play("> 2 resources/list\n < 2 {\"resources\": []}").await;

        let server = Server::new("x").tool(embeds());
        drop(server.registry().resources());
        assert!(has_resources(&started(server)).await, "{revision}: whoever says so has it from the start");
    }
}

/// Long arguments that do not fit are not taken apart: the handler tells the first problem by itself, and others do not wait.
#[cfg(feature = "validation")]
#[test]
fn problems_of_long_arguments_are_not_gathered() {
    let schema = json!({"type": "object", "properties": {"names": {"type": "array", "items": {"type": "string"}}}});
    let mut entry = ToolEntry::new(Tool::new("names", Schema::new(&schema).unwrap()), |arguments: Bytes, cx: Cx| {
        let told = cx.argument_problems(&arguments).map(|problems| problems.lines().count());
        Work::Ready(Ok(CallToolResult::text(format!("{told:?}")).into()))
    });
    entry.validation = Validation::Off;
    let call = |id: u64, count: usize| {
        format!(
            "> {id} tools/call {{\"name\": \"names\", \"arguments\": {{\"names\": [{}]}}}}",
            vec!["1"; count].join(",")
        )
    };
    let conversation = [
        "@ 2025-11-25".to_owned(),
        call(1, 20),
        r#"< 1 {"content": [{"text": "Some(10)"}]}"#.to_owned(),
        call(2, 1_000_000),
        "> 3 ping".to_owned(),
        r#"< 2 {"content": [{"text": "None"}]}"#.to_owned(),
        "< 3 {}".to_owned(),
    ];
    check(Server::new("x").tool(entry), &conversation.join("\n"));
}

/// A tool that is as strict as its types is checked all the same where its schema is stricter than those.
#[cfg(feature = "validation")]
#[test]
fn rules_beside_the_name_of_a_type_count() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer", "format": "int32", "minimum": 0, "maximum": 10}}});
    let mut entry = sync_tool("n", schema, |_, _| CallToolResult::text("ok"));
    entry.validation = Validation::Typed;
    check(
        Server::new("x").tool(entry),
        r#"
        @ 2026-07-28
        > 1 tools/call {"name": "n", "arguments": {"n": 1000}}
        < 1 {"isError": true}
        > 2 tools/call {"name": "n", "arguments": {"n": 10}}
        < 2 {"isError": "!"}
        "#,
    );
}
