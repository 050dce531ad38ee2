//! Pages that a person has to be at before a call can go on.

use jackfield_protocol::TaskSupport;
use jackfield_server::{Cx, ProtocolError, Server};

use crate::demo::plain;
use crate::talk::{Talk, check, runtime, started};

fn server() -> Server {
    Server::new("x")
        .tool(plain("files", |cx: Cx| async move {
            Err::<String, ProtocolError>(cx.require_url("e1", "Please connect.", "https://example.com/connect").await)
        }))
        .tool(plain("unsafe", |cx: Cx| async move {
            Err::<String, ProtocolError>(cx.require_url("e1", "Please connect.", "http://example.com/").await)
        }))
        .tool(plain("done", |cx: Cx| async move { cx.page_notice("e1").send().to_string() }))
}

/// CLI-059, CLI-060, CLI-061: 2025-11-25 has an error for it that names the page and its id, and a notice when the person is done.
#[test]
fn a_required_page_is_an_error_where_there_is_one_for_it() {
    check(
        server(),
        r#"
        @ 2025-11-25 {"elicitation": {"url": {}}}
        > 1 tools/call {"name": "files"}
        < 1 error -32042 Please connect. data {"elicitations": [{"mode": "url", "elicitationId": "e1", "message": "Please connect.", "url": "https://example.com/connect"}]}
        > 2 tools/call {"name": "done"}
        < notifications/elicitation/complete {"elicitationId": "e1"}
        < 2 {"content": [{"text": "true"}]}
        > 3 tools/call {"name": "unsafe"}
        < 3 error -32603 must use https
        "#,
    );
}

/// CLI-059: a client that cannot be sent to pages does not get the error, which would be of no use to it.
#[test]
fn a_client_without_pages_is_told_so() {
    for client in ["2025-11-25 {}", r#"2025-11-25 {"elicitation": {"form": {}}}"#, r#"2025-06-18 {"elicitation": {}}"#]
    {
        let conversation = r#"
            @ CLIENT
            > 1 tools/call {"name": "files"}
            < 1 error -32603 does not support elicitation by URL
        "#;
        check(server(), &conversation.replace("CLIENT", client));
    }
    check(
        server(),
        r#"
        @ 2026-07-28 {}
        > 1 tools/call {"name": "files"}
        < 1 error -32021 elicitation by URL
        "#,
    );
}

/// CLI-063, CLI-064: since 2026-07-28 the person is asked in the usual way, and there are no notices.
#[test]
fn a_required_page_is_a_question_in_the_modern_era() {
    check(
        server(),
        r#"
        @ 2026-07-28 {"elicitation": {"url": {}}}
        > 1 tools/call {"name": "files"}
        < 1 {"resultType": "input_required", "requestState": "$s", "inputRequests": {"e1": {"method": "elicitation/create", "params": {"mode": "url", "url": "https://example.com/connect"}}}}
        > 2 tools/call {"name": "files", "requestState": "$s", "inputResponses": {"e1": {"action": "accept"}}}
        < 2 error 503 not done yet
        > 3 tools/call {"name": "files", "requestState": "$s", "inputResponses": {"e1": {"action": "decline"}}}
        < 3 error 403 did not agree
        > 4 tools/call {"name": "done"}
        < 4 {"content": [{"text": "false"}]}
        "#,
    );
}

/// CLI-053, CLI-056: a task that needs a page names it by the handler's own id; the notice that the person is done has the same id, and goes
/// to the session that was asked and to no other.
#[test]
fn a_task_names_the_page_that_it_needs() {
    let files = plain("connect", |cx: Cx| async move {
        Err::<String, ProtocolError>(cx.require_url("e1", "Please connect.", "https://example.com/connect").await)
    });
    let server = started(server().tool(files.task(TaskSupport::Optional)));
    runtime().block_on(async {
        let (mut asked, mut other) = (Talk::new(&server), Talk::new(&server));
        for talk in [&mut asked, &mut other] {
            talk.play("@ 2025-11-25 {\"elicitation\": {\"url\": {}}}").await;
        }
        asked
            .play(
                r#"
                > 1 tools/call {"name": "connect", "task": {}}
                < 1 {"task": {"taskId": "$id"}}
                < notifications/tasks/status {"status": "input_required"}
                > 2 tasks/result {"taskId": "$id"}
                < ? elicitation/create {"mode": "url", "elicitationId": "e1", "message": "Please connect.", "url": "https://example.com/connect"}
                > ? {"action": "accept"}
                "#,
            )
            .await;
        let mut answers = asked.rest().await;
        answers.retain(|message| message["method"] != "notifications/tasks/status");
        assert_eq!((answers.len(), &answers[0]["error"]["code"]), (1, &serde_json::json!(503)), "{answers:?}");
        asked
            .play(
                r#"
                > 3 tools/call {"name": "done"}
                < notifications/elicitation/complete {"elicitationId": "e1"}
                < 3 {"content": [{"text": "true"}]}
                "#,
            )
            .await;
        other.play("< nothing").await;
    });
}
