//! Notices about tasks on a listen stream.

use jackfield_server::Server;

use super::{EXTENSION, modern, pass, server};
use crate::demo::plain;
use crate::talk::{Talk, check, runtime};

/// XTSK-028, XTSK-027: who listens is told each state of a task as `tasks/get` would tell it, and nothing else about it.
#[test]
fn states_are_told_to_who_listens() {
    runtime().block_on(async {
        let mut talk = Talk::new(&server());
        talk.skips_working = true;
        talk.play(&modern()).await;
        talk.play(
            r#"
            > 1 tools/call {"name": "greet", "_meta": {"progressToken": 1, "io.modelcontextprotocol/logLevel": "debug"}}
            < 1 {"taskId": "$greet"}
            > 2 tools/call {"name": "slow", "arguments": {"say": "hi"}, "_meta": {"progressToken": 2, "io.modelcontextprotocol/logLevel": "debug"}}
            < 2 {"taskId": "$slow"}
            "#,
        )
        .await;
        pass(1).await;
        talk.play(
            r#"
            > 3 subscriptions/listen {"notifications": {"taskIds": ["$greet", "$slow", "none", "$slow"]}}
            < notifications/subscriptions/acknowledged {"notifications": {"taskIds": ["$a", "$b"]}, "_meta": {"io.modelcontextprotocol/subscriptionId": 3}}
            < notifications/tasks {"taskId": "*", "status": "input_required", "inputRequests": {"name": "*"}, "createdAt": "*", "ttlMs": 3600000, "pollIntervalMs": 1000, "_meta": {"io.modelcontextprotocol/subscriptionId": 3}}
            > 4 tasks/update {"taskId": "$greet", "inputResponses": {"name": {"action": "accept", "content": {"name": "Ada"}}}}
            < 4 {}
            < notifications/tasks {"status": "completed", "result": {"content": [{"text": "hello, Ada"}]}}
            < notifications/tasks {"taskId": "*", "status": "completed", "result": {"content": [{"text": "hi"}]}}
            < nothing
            "#,
        )
        .await;
        assert_eq!((talk.known("$a"), talk.known("$b")), (talk.known("$greet"), talk.known("$slow")));
    });
}

/// XTSK-028: a stream that begins after the end is told the end; cancelling is told as well.
#[test]
fn ends_are_told_to_who_comes_late() {
    runtime().block_on(async {
        let mut talk = Talk::new(&server());
        talk.play(&modern()).await;
        talk.play(
            r#"
            > 1 tools/call {"name": "broken"}
            < 1 {"taskId": "$broken"}
            > 2 tools/call {"name": "endless"}
            < 2 {"taskId": "$endless"}
            "#,
        )
        .await;
        pass(1).await;
        talk.play(
            r#"
            > 3 subscriptions/listen {"notifications": {"taskIds": ["$broken", "$endless"]}}
            < notifications/subscriptions/acknowledged
            < notifications/tasks {"status": "failed", "error": {"code": 7}}
            > 4 tasks/cancel {"taskId": "$endless"}
            < 4 {}
            < notifications/tasks {"status": "cancelled"}
            > notifications/cancelled {"requestId": 3}
            < nothing
            "#,
        )
        .await;
    });
}

/// XTSK-026: listening to tasks needs the extension; a server without tasks leaves them out, like everything it has no notices for.
#[test]
fn listening_needs_the_extension() {
    check(
        &server(),
        r#"
        @ 2026-07-28 {}
        > 1 subscriptions/listen {"notifications": {"taskIds": []}}
        < 1 error -32021 io.modelcontextprotocol/tasks
        "#,
    );
    let many: Vec<String> = (0..257).map(|n| format!("\"{n}\"")).collect();
    check(
        &server(),
        &format!(
            "@ 2026-07-28 {EXTENSION}\n > 1 subscriptions/listen {{\"notifications\": {{\"taskIds\": [{}]}}}}\n < 1 error -32602 256",
            many.join(",")
        ),
    );
    check(
        &Server::new("x").tool(plain("t", |_| async { String::new() })),
        &format!(
            r#"@ 2026-07-28 {EXTENSION}
        > 1 subscriptions/listen {{"notifications": {{"taskIds": ["x"], "toolsListChanged": true}}}}
        < notifications/subscriptions/acknowledged {{"notifications": {{"taskIds": "!", "toolsListChanged": true}}}}
        "#
        ),
    );
}
