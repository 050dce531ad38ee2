//! The client's model with tools of the server.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use jackfield_protocol::{
    CallToolResult, CreateMessageParams, RawJson, Revision, Role, SamplingContentBlock, SamplingMessage, Schema, Tool,
    ToolResultContent, ToolUseContent,
};
use jackfield_server::{Cx, QuestionError, Server};
use serde_json::json;

use crate::demo::plain;
use crate::talk::{check, check_each, started};

fn weather_tool() -> Tool {
    let output = json!({"type": "object", "properties": {"degrees": {"type": "integer"}}, "required": ["degrees"]});
    Tool::new("weather", Schema::new(&json!({"type": "object"})).unwrap())
        .with_output_schema(Schema::new(&output).unwrap())
}

fn question() -> CreateMessageParams {
    CreateMessageParams::new([SamplingMessage::user("How is the weather?")], 100).with_tools(vec![weather_tool()])
}

/// A server whose tool lets the model look at the weather, so many times; counts how often it looked.
fn server(rounds: usize) -> (Server, Arc<AtomicUsize>) {
    let looks = Arc::new(AtomicUsize::new(0));
    let counted = looks.clone();
    let server = Server::new("x").tool(plain("ask", move |cx: Cx| {
        let looks = counted.clone();
        async move {
            let run = |used: ToolUseContent| {
                looks.fetch_add(1, Ordering::SeqCst);
                async move {
                    let degrees = used.input.to_value()["city"].as_str().map_or(json!("hot"), |city| json!(city.len()));
                    CallToolResult::new(vec![]).with_structured(RawJson::from(json!({ "degrees": degrees })))
                }
            };
            let said = cx.sample_with_tools("w", question(), rounds, run).await?;
            Ok::<_, QuestionError>(said.model)
        }
    }));
    (server, looks)
}

const USES: &str = r#"{"role": "assistant", "model": "m", "stopReason": "toolUse", "content": [
    {"type": "tool_use", "id": "1", "name": "weather", "input": {"city": "Paris"}, "_meta": {"cache": "a"}},
    {"type": "tool_use", "id": "2", "name": "weather", "input": {}}]}"#;
const SAYS: &str = r#"{"role": "assistant", "model": "m", "content": {"type": "text", "text": "Fine."}}"#;

/// CLI-036, CLI-023, CLI-025: every use is answered by its result, in a message of results only; a result that does not fit its schema is
/// told as a failure, and what the model said is sent back as it was.
#[cfg(feature = "validation")]
#[test]
fn every_tool_use_is_answered() {
    let uses = USES.replace('\n', "");
    let (server, looks) = server(3);
    check(
        server,
        &format!(
            r#"
            @ 2025-11-25 {{"sampling": {{"tools": {{}}}}}}
            > 1 tools/call {{"name": "ask"}}
            < ? sampling/createMessage {{"messages": [{{"role": "user"}}], "tools": [{{"name": "weather"}}], "toolChoice": "!"}}
            > ? {uses}
            < ? sampling/createMessage {{"messages": [{{"role": "user"}}, {{"role": "assistant", "content": [{{"type": "tool_use", "id": "1", "_meta": {{"cache": "a"}}}}, {{"type": "tool_use", "id": "2"}}]}}, {{"role": "user", "content": [{{"type": "tool_result", "toolUseId": "1", "structuredContent": {{"degrees": 5}}, "content": [{{"text": "{{\"degrees\":5}}"}}]}}, {{"type": "tool_result", "toolUseId": "2", "isError": true, "structuredContent": "!"}}]}}], "tools": [{{"name": "weather"}}]}}
            > ? {SAYS}
            < 1 {{"content": [{{"text": "m"}}]}}
            "#
        ),
    );
    assert_eq!(looks.load(Ordering::SeqCst), 2);
}

/// CLI-036: in the modern era the handler runs again from the top, but each tool is run once.
#[test]
fn tools_are_run_once_in_the_modern_era() {
    let uses = USES.replace('\n', "");
    let (server, looks) = server(3);
    check(
        server,
        &format!(
            r##"
            @ 2026-07-28 {{"sampling": {{"tools": {{}}}}}}
            > 1 tools/call {{"name": "ask"}}
            < 1 {{"resultType": "input_required", "requestState": "$s", "inputRequests": {{"w#0": {{"method": "sampling/createMessage"}}}}}}
            > 2 tools/call {{"name": "ask", "requestState": "$s", "inputResponses": {{"w#0": {uses}}}}}
            < 2 {{"resultType": "input_required", "requestState": "$s", "inputRequests": {{"w#1": {{"params": {{"messages": [{{"role": "user"}}, {{"role": "assistant"}}, {{"role": "user", "content": [{{"toolUseId": "1"}}, {{"toolUseId": "2"}}]}}]}}}}}}}}
            > 3 tools/call {{"name": "ask", "requestState": "$s", "inputResponses": {{"w#1": {SAYS}}}}}
            < 3 {{"content": [{{"text": "m"}}]}}
            "##
        ),
    );
    assert_eq!(looks.load(Ordering::SeqCst), 2);
}

/// CLI-037: after so many rounds the model must answer without tools, and if it does not, the call ends.
#[test]
fn tool_loops_have_an_end() {
    let uses = USES.replace('\n', "");
    let (server, looks) = server(1);
    let server = started(server);
    let conversation = format!(
        r#"
        @ 2025-11-25 {{"sampling": {{"tools": {{}}}}}}
        > 1 tools/call {{"name": "ask"}}
        < ? sampling/createMessage {{"toolChoice": "!"}}
        > ? {uses}
        < ? sampling/createMessage {{"toolChoice": {{"mode": "none"}}}}
        "#
    );
    check(&server, &format!("{conversation}\n> ? {SAYS}\n< 1 {{\"content\": [{{\"text\": \"m\"}}]}}"));
    check(&server, &format!("{conversation}\n> ? {uses}\n< 1 {{\"isError\": true}}\n< nothing"));
    assert_eq!(looks.load(Ordering::SeqCst), 4);
}

/// CLI-017: nobody is asked with tools who did not declare them, in any revision.
#[test]
fn only_clients_that_declare_tools_are_given_some() {
    let legacy = |capabilities: &str| {
        format!(
            r#"
            @ REVISION {capabilities}
            > 1 tools/call {{"name": "ask"}}
            < 1 {{"isError": true, "content": [{{"text": "this client cannot be asked: it does not support sampling with tools"}}]}}
            < nothing
            "#
        )
    };
    for capabilities in ["{}", r#"{"sampling": {}}"#, r#"{"sampling": {"context": {}}}"#] {
        check_each(crate::talk::legacy(), || server(1).0, &legacy(capabilities));
        check_each(
            Revision::ALL.into_iter().filter(|revision| !revision.has_handshake()),
            || server(1).0,
            &format!(
                "@ REVISION {capabilities}\n> 1 tools/call {{\"name\": \"ask\"}}\n< 1 error -32021 tools data {{\"requiredCapabilities\": {{\"sampling\": {{\"tools\": {{}}}}}}}}"
            ),
        );
    }
}

/// CLI-034: what a client says its model said is checked before the handler sees it.
#[test]
fn answers_of_the_model_are_checked() {
    let answer = |content: &str| format!(r#"{{"role": "assistant", "model": "m", "content": {content}}}"#);
    for content in [
        r#"{"type": "tool_use", "id": "1", "name": "unknown", "input": {}}"#,
        r#"{"type": "tool_use", "id": "1", "name": "weather", "input": "text"}"#,
        r#"[{"type": "tool_use", "id": "1", "name": "weather", "input": {}}, {"type": "tool_use", "id": "1", "name": "weather", "input": {}}]"#,
        r#"{"type": "image", "data": "not base64", "mimeType": "image/png"}"#,
        r#"{"type": "text"}"#,
    ] {
        let answer = answer(content);
        let (server, looks) = server(1);
        let server = started(server);
        check(
            &server,
            &format!(
                r#"
                @ 2025-11-25 {{"sampling": {{"tools": {{}}}}}}
                > 1 tools/call {{"name": "ask"}}
                < ? sampling/createMessage
                > ? {answer}
                < 1 {{"isError": true}}
                < nothing
                "#
            ),
        );
        check(
            &server,
            &format!(
                r##"
                @ 2026-07-28 {{"sampling": {{"tools": {{}}}}}}
                > 1 tools/call {{"name": "ask"}}
                < 1 {{"requestState": "$s"}}
                > 2 tools/call {{"name": "ask", "requestState": "$s", "inputResponses": {{"w#0": {answer}}}}}
                < 2 error -32602
                "##
            ),
        );
        assert_eq!(looks.load(Ordering::SeqCst), 0);
    }
}

/// Content of a kind that only a later revision knows is no mistake of the model: it is kept.
#[test]
fn answers_of_an_unknown_kind_are_accepted() {
    let answer = r#"{"role": "assistant", "model": "m", "content": {"type": "unknown", "member": 1}}"#;
    let conversation = format!(
        r#"
        @ 2025-11-25 {{"sampling": {{"tools": {{}}}}}}
        > 1 tools/call {{"name": "ask"}}
        < ? sampling/createMessage
        > ? {answer}
        < 1 {{"content": [{{"text": "m"}}]}}
        @ 2026-07-28 {{"sampling": {{"tools": {{}}}}}}
        > 2 tools/call {{"name": "ask"}}
        < 2 {{"requestState": "$s"}}
        > 3 tools/call {{"name": "ask", "requestState": "$s", "inputResponses": {{"w#0": {answer}}}}}
        < 3 {{"content": [{{"text": "m"}}]}}
        "#
    );
    for era in conversation.split("        @ ").skip(1) {
        let (server, looks) = server(1);
        check(server, &format!("@ {era}"));
        assert_eq!(looks.load(Ordering::SeqCst), 0);
    }
}

/// CLI-034, CLI-036: a handler that does the loop itself cannot leave out a result, or mix it with other content.
#[test]
fn unanswered_tool_uses_are_never_sent() {
    let using = SamplingContentBlock::from(ToolUseContent::new("1", "weather", RawJson::from(json!({}))));
    let result = SamplingContentBlock::from(ToolResultContent::new("1", vec![]));
    let text = SamplingContentBlock::text("and");
    for last in [vec![text.clone()], vec![result, text], vec![]] {
        let mut asked = question();
        asked.messages.push(SamplingMessage::new(Role::Assistant, vec![using.clone()]));
        if !last.is_empty() {
            asked.messages.push(SamplingMessage::new(Role::User, last));
        }
        let server = started(Server::new("x").tool(plain("ask", move |cx: Cx| {
            let asked = asked.clone();
            async move { cx.sample("s", asked).await.map(|said| said.model) }
        })));
        for era in ["2025-11-25", "2026-07-28"] {
            check(
                &server,
                &format!(
                    "@ {era} {{\"sampling\": {{\"tools\": {{}}}}}}\n> 1 tools/call {{\"name\": \"ask\"}}\n< 1 {{\"isError\": true}}\n< nothing"
                ),
            );
        }
    }
}
