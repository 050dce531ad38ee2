//! The extension `io.modelcontextprotocol/tasks`.

use jackfield_server::{Server, Tasks};

use super::{modern, pass, server, server_with};
use crate::demo::plain;
use crate::talk::{Talk, check, runtime};

/// XTSK-006, XTSK-014, XTSK-015, TASK-022: a call is answered with a task, which is found at once, and has the result in the end.
#[test]
fn a_call_becomes_a_task_and_has_a_result() {
    runtime().block_on(async {
        let mut talk = Talk::new(server());
        talk.play(&modern()).await;
        talk.play(r#"
            > 1 tools/call {"name": "slow", "arguments": {"say": "hi"}}
            < 1 {"resultType": "task", "taskId": "$id", "status": "working", "createdAt": "$at", "lastUpdatedAt": "*", "ttlMs": 3600000, "pollIntervalMs": 1000, "task": "!", "result": "!", "error": "!", "inputRequests": "!", "requestState": "!"}
            > 2 tasks/get {"taskId": "$id"}
            < 2 {"resultType": "complete", "taskId": "*", "status": "working", "createdAt": "*", "lastUpdatedAt": "*", "ttlMs": 3600000, "pollIntervalMs": 1000, "result": "!"}
        "#).await;
        let at = talk.known("$at").as_str().unwrap().to_owned();
        assert!(at.len() == 24 && at.ends_with('Z') && &at[10..11] == "T", "{at}");
        pass(11).await;
        talk.play(r#"
            > 3 tasks/get {"taskId": "$id"}
            < 3 {"resultType": "complete", "taskId": "*", "status": "completed", "result": {"resultType": "complete", "content": [{"text": "hi"}], "_meta": "!"}, "error": "!", "inputRequests": "!"}
        "#).await;
    });
}

/// XTSK-001, XTSK-039: without the extension in this request a call is answered as usual; the older wish for a task is ignored.
#[test]
fn without_the_extension_calls_are_answered_as_usual() {
    check(
        server(),
        r#"
        @ 2026-07-28 {}
        > 1 tools/call {"name": "slow", "arguments": {"say": "hi"}, "task": {"ttl": 5}}
        < 1 {"resultType": "complete", "content": [{"text": "hi"}], "taskId": "!"}
        > 2 tools/call {"name": "plain"}
        < 2 {"resultType": "complete", "content": [{"text": "plain"}]}
        "#,
    );
    // XTSK-036: the older capability does not count.
    check(
        server(),
        r#"
        @ 2026-07-28 {"tasks": {"list": {}, "cancel": {}}}
        > 1 tools/call {"name": "slow", "arguments": {"say": "hi"}}
        < 1 {"resultType": "complete"}
        "#,
    );
    check(
        server(),
        &format!(
            r#"{}
        > 1 tools/call {{"name": "plain", "task": {{"ttl": 5}}}}
        < 1 {{"resultType": "complete", "content": [{{"text": "plain"}}], "taskId": "!"}}
        "#,
            modern()
        ),
    );
}

/// XTSK-004, XTSK-031, XEXT-005: what needs the extension says so; one request may have it and the next one not.
#[test]
fn what_needs_the_extension_says_so() {
    runtime().block_on(async {
        let mut talk = Talk::new(server());
        talk.play("@ 2026-07-28 {}").await;
        let capable =
            r#"{"io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}}}"#;
        talk.play(&format!(
            r#"
            > 1 tools/call {{"name": "failing"}}
            < 1 error -32021 io.modelcontextprotocol/tasks
            > 2 tools/call {{"name": "failing", "_meta": {capable}}}
            < 2 {{"resultType": "task", "taskId": "$id"}}
            > 3 tasks/get {{"taskId": "$id"}}
            < 3 error -32021 io.modelcontextprotocol/tasks
            > 4 tasks/update {{"taskId": "$id", "inputResponses": {{}}}}
            < 4 error -32021
            > 5 tasks/cancel {{"taskId": "$id"}}
            < 5 error -32021
            > 6 tasks/get {{"taskId": "$id", "_meta": {capable}}}
            < 6 {{"status": "working"}}
            "#
        ))
        .await;
        talk.play(r#"> 7 tools/call {"name": "failing"}"#).await;
        let refused = talk.receive().await.unwrap();
        let required = &refused["error"]["data"]["requiredCapabilities"]["extensions"];
        assert_eq!(*required, serde_json::json!({"io.modelcontextprotocol/tasks": {}}), "{refused}");
    });
}

/// XEXT-009: what the extension adds is checked like everything else.
#[test]
fn fields_of_the_extension_are_checked() {
    check(
        server(),
        &format!(
            r#"{}
        > 1 tools/call {{"name": "endless"}}
        < 1 {{"taskId": "$id"}}
        > 2 tasks/get {{}}
        < 2 error -32602
        > 3 tasks/get {{"taskId": 5}}
        < 3 error -32602
        > 4 tasks/get {{"taskId": {{"$ne": ""}}}}
        < 4 error -32602
        > 5 tasks/update {{"taskId": "$id", "inputResponses": []}}
        < 5 error -32602
        > 6 tasks/update {{"taskId": "$id"}}
        < 6 error -32602
        > 7 tasks/cancel {{"taskId": ["$id"]}}
        < 7 error -32602
        > 8 tools/call {{"name": "endless", "_meta": {{"io.modelcontextprotocol/clientCapabilities": {{"extensions": {{"io.modelcontextprotocol/tasks": "yes"}}}}}}}}
        < 8 error -32602
        > 9 tools/call {{"name": "endless", "_meta": {{"io.modelcontextprotocol/clientCapabilities": {{"extensions": ["io.modelcontextprotocol/tasks"]}}}}}}
        < 9 error -32602
        > 10 tasks/get {{"taskId": "$id"}}
        < 10 {{"status": "working"}}
        "#,
            modern()
        ),
    );
}

/// XTSK-038: what the extension does not have, its revision has not either.
#[test]
fn older_methods_are_gone() {
    check(
        server(),
        &format!(
            r#"{}
        > 1 tools/call {{"name": "endless"}}
        < 1 {{"taskId": "$id"}}
        > 2 tasks/result {{"taskId": "$id"}}
        < 2 error -32601
        > 3 tasks/list
        < 3 error -32601
        "#,
            modern()
        ),
    );
}

/// XTSK-021, XTSK-025, XTSK-030: a task that is not there is an error.
#[test]
fn unknown_tasks_are_errors() {
    check(
        server(),
        &format!(
            r#"{}
        > 1 tasks/get {{"taskId": "none"}}
        < 1 error -32602 task not found
        > 2 tasks/update {{"taskId": "none", "inputResponses": {{}}}}
        < 2 error -32602 task not found
        > 3 tasks/cancel {{"taskId": "none"}}
        < 3 error -32602 task not found
        > 4 tasks/get {{}}
        < 4 error -32602 taskId
        > 5 tasks/get {{"taskId": 5}}
        < 5 error -32602 taskId
        "#,
            modern()
        ),
    );
}

/// XTSK-009, XTSK-033, XTSK-034: a tool that fails has a result; only an error of the protocol is a task that failed.
#[test]
fn failures_are_results_and_errors_are_failures() {
    runtime().block_on(async {
        let mut talk = Talk::new(server());
        talk.play(&modern()).await;
        talk.play(r#"
            > 1 tools/call {"name": "failing"}
            < 1 {"taskId": "$failing"}
            > 2 tools/call {"name": "broken"}
            < 2 {"taskId": "$broken"}
            > 3 tools/call {"name": "panicking"}
            < 3 {"taskId": "$panicking"}
        "#).await;
        pass(2).await;
        talk.play(r#"
            > 4 tasks/get {"taskId": "$failing"}
            < 4 {"status": "completed", "result": {"isError": true, "content": [{"text": "the client did not answer in time"}]}, "error": "!"}
            > 5 tasks/get {"taskId": "$broken"}
            < 5 {"status": "failed", "statusMessage": "it broke", "error": {"code": 7, "message": "it broke"}, "result": "!"}
            > 6 tasks/get {"taskId": "$panicking"}
            < 6 {"status": "failed", "error": {"code": -32603, "message": "internal error: the handler panicked"}}
        "#).await;
    });
}

/// XTSK-019, XTSK-020, XTSK-022, TASK-017: a question waits in the task; its answer comes by an update, and odd answers do no harm.
#[test]
fn questions_wait_in_the_task() {
    runtime().block_on(async {
        let mut talk = Talk::new(server());
        talk.play(&modern()).await;
        talk.play(r#"
            > 1 tools/call {"name": "greet"}
            < 1 {"resultType": "task", "status": "working", "taskId": "$id"}
        "#).await;
        pass(1).await;
        talk.play(r#"
            > 2 tasks/get {"taskId": "$id"}
            < 2 {"status": "input_required", "inputRequests": {"name": {"method": "elicitation/create", "params": {"mode": "form", "message": "Who are you?", "task": "!", "_meta": "!"}}}}
            > 3 tasks/update {"taskId": "$id", "inputResponses": {"other": {"action": "accept"}}}
            < 3 {"resultType": "complete", "taskId": "!", "status": "!", "result": "!", "inputRequests": "!"}
            > 4 tasks/get {"taskId": "$id"}
            < 4 {"status": "input_required", "inputRequests": {"name": "*"}}
            > 5 tasks/update {"taskId": "$id", "inputResponses": {"name": {"action": "accept", "content": {"name": "Ada"}}}}
            < 5 {"resultType": "complete"}
            > 6 tasks/update {"taskId": "$id", "inputResponses": {"name": {"action": "decline"}}}
            < 6 {"resultType": "complete"}
        "#).await;
        pass(1).await;
        talk.play(r#"
            > 7 tasks/get {"taskId": "$id"}
            < 7 {"status": "completed", "inputRequests": "!", "result": {"content": [{"text": "hello, Ada"}]}}
            > 8 tasks/update {"taskId": "$id", "inputResponses": {"name": {"action": "decline"}}}
            < 8 {"resultType": "complete"}
            > 9 tasks/update {"taskId": "$id"}
            < 9 error -32602 inputResponses
        "#).await;
    });
}

/// XTSK-014: several questions wait at once, and each is answered by itself.
#[test]
fn questions_are_answered_one_by_one() {
    runtime().block_on(async {
        let mut talk = Talk::new(server());
        talk.play(&modern()).await;
        talk.play(
            r#"
            > 1 tools/call {"name": "both"}
            < 1 {"taskId": "$id"}
        "#,
        )
        .await;
        pass(1).await;
        talk.play(
            r#"
            > 2 tasks/get {"taskId": "$id"}
            < 2 {"status": "input_required", "inputRequests": {"one": "*", "two": "*"}}
            > 3 tasks/update {"taskId": "$id", "inputResponses": {"two": {"action": "accept", "content": {}}}}
            < 3 {}
            > 4 tasks/get {"taskId": "$id"}
            < 4 {"status": "input_required", "inputRequests": {"one": "*", "two": "!"}}
            > 5 tasks/update {"taskId": "$id", "inputResponses": {"one": {"action": "decline"}}}
            < 5 {}
        "#,
        )
        .await;
        pass(1).await;
        talk.play(
            r#"
            > 6 tasks/get {"taskId": "$id"}
            < 6 {"status": "completed", "result": {"content": [{"text": "false true"}]}}
        "#,
        )
        .await;
    });
}

/// CLI-075: an answer that does not fit its question is the handler's problem, and a client that cannot be asked is the task's.
#[test]
fn bad_answers_and_missing_capabilities_end_the_task() {
    runtime().block_on(async {
        let mut talk = Talk::new(server());
        talk.play(&modern()).await;
        talk.play(r#"
            > 1 tools/call {"name": "greet"}
            < 1 {"taskId": "$id"}
        "#).await;
        pass(1).await;
        talk.play(r#"
            > 2 tasks/update {"taskId": "$id", "inputResponses": {"name": {"action": "accept", "content": {"name": 5}}}}
            < 2 {}
        "#).await;
        pass(1).await;
        talk.play(r#"
            > 3 tasks/get {"taskId": "$id"}
            < 3 {"status": "completed", "result": {"isError": true}}
        "#).await;
        let mut mute = Talk::new(server());
        mute.play(r#"
            @ 2026-07-28 {"extensions": {"io.modelcontextprotocol/tasks": {}}}
            > 1 tools/call {"name": "greet"}
            < 1 {"taskId": "$id"}
        "#).await;
        pass(1).await;
        mute.play(r#"
            > 2 tasks/get {"taskId": "$id"}
            < 2 {"status": "failed", "error": {"code": -32021, "data": {"requiredCapabilities": {"elicitation": {"form": {}}}}}}
        "#).await;
    });
}

/// XTSK-024: to cancel is acknowledged, ends the work, and may be repeated.
#[test]
fn cancelling_ends_the_work() {
    runtime().block_on(async {
        let (server, running) = server_with(Tasks::new());
        let mut talk = Talk::new(server);
        talk.play(&modern()).await;
        talk.play(
            r#"
            > 1 tools/call {"name": "endless"}
            < 1 {"taskId": "$id"}
        "#,
        )
        .await;
        pass(1).await;
        assert_eq!(running.load(std::sync::atomic::Ordering::SeqCst), 1);
        talk.play(
            r#"
            > 2 tasks/cancel {"taskId": "$id"}
            < 2 {"resultType": "complete", "taskId": "!", "status": "!"}
            > 3 tasks/get {"taskId": "$id"}
            < 3 {"status": "cancelled", "result": "!", "error": "!"}
            > 4 tasks/cancel {"taskId": "$id"}
            < 4 {"resultType": "complete"}
        "#,
        )
        .await;
        pass(1).await;
        assert_eq!(running.load(std::sync::atomic::Ordering::SeqCst), 0, "the work was dropped");
    });
}

/// XTSK-040: the extension is declared where it exists, and the older capability is not; a server without tasks has neither.
#[test]
fn the_extension_is_declared() {
    check(
        server(),
        r#"
        @ 2026-07-28 {}
        > 1 server/discover
        < 1 {"capabilities": {"tasks": "!", "extensions": {"io.modelcontextprotocol/tasks": {}}}}
        > 2 tools/list
        < 2 {"tools": "$tools"}
        "#,
    );
    let without = Server::new("x").tool(plain("t", |_| async { String::new() }));
    check(
        without,
        &format!(
            r#"{}
        > 1 server/discover
        < 1 {{"capabilities": {{"tasks": "!", "extensions": "!"}}}}
        > 2 tasks/get {{"taskId": "x"}}
        < 2 error -32601
        "#,
            modern()
        ),
    );
}

/// SRV-025: arguments that do not fit are told at once, without a task.
#[test]
fn bad_arguments_need_no_task() {
    check(
        server(),
        &format!(
            r#"{}
        > 1 tools/call {{"name": "slow", "arguments": {{}}}}
        < 1 {{"resultType": "complete", "isError": true}}
        "#,
            modern()
        ),
    );
}
