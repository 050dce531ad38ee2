//! The tasks of 2025-11-25.

use std::sync::atomic::Ordering;
use std::time::Duration;

use jackfield_protocol::Revision;
use jackfield_server::{Server, Tasks};

use super::{EXTENSION, core_tasks, pass, server, server_with};
use crate::demo::plain;
use crate::talk::{Talk, check, check_each, runtime, started};

async fn begin() -> Talk {
    let mut talk = Talk::new(server());
    talk.play(&core_tasks()).await;
    talk
}

/// TASK-014, TASK-022, TASK-023, TASK-024, TASK-025, TASK-026, TASK-027, TASK-030, TASK-031: a call with `task` is answered with a task; `tasks/get`
/// tells its state, `tasks/result` waits for its result.
#[test]
fn a_call_runs_as_a_task() {
    runtime().block_on(async {
        let mut talk = begin().await;
        talk.play(r#"
            > 1 tools/call {"name": "slow", "arguments": {"say": "hi"}, "task": {"ttl": 60000}, "_meta": {"progressToken": "p"}}
            < 1 {"task": {"taskId": "$id", "status": "working", "createdAt": "*", "lastUpdatedAt": "*", "ttl": 60000, "pollInterval": 1000}, "resultType": "!", "taskId": "!"}
            < notifications/progress {"progressToken": "p", "progress": 1, "_meta": {"io.modelcontextprotocol/related-task": {"taskId": "*"}}}
            < notifications/message {"data": "working", "_meta": {"io.modelcontextprotocol/related-task": {"taskId": "*"}}}
            > 2 tasks/get {"taskId": "$id"}
            < 2 {"taskId": "*", "status": "working", "createdAt": "*", "lastUpdatedAt": "*", "ttl": 60000, "pollInterval": 1000, "_meta": "!", "result": "!"}
            > 3 tasks/result {"taskId": "$id"}
            < notifications/progress {"progressToken": "p", "progress": 2}
            < notifications/tasks/status {"taskId": "*", "status": "completed", "createdAt": "*", "lastUpdatedAt": "*", "ttl": 60000, "_meta": "!"}
            < 3 {"content": [{"text": "hi"}], "_meta": {"io.modelcontextprotocol/related-task": {"taskId": "$same"}}}
            > 4 tasks/get {"taskId": "$id"}
            < 4 {"status": "completed"}
            > 5 tasks/result {"taskId": "$id"}
            < 5 {"content": [{"text": "hi"}]}
            < nothing
        "#).await;
        assert_eq!(talk.known("$id"), talk.known("$same"));
    });
}

/// TASK-006, TASK-008: a tool says whether it is called as a task, and is not called otherwise.
#[test]
fn tools_say_whether_they_run_as_tasks() {
    check(
        server(),
        &format!(
            r#"{}
        > 1 tools/call {{"name": "plain", "task": {{}}}}
        < 1 error -32601 cannot be called as a task
        > 2 tools/call {{"name": "failing"}}
        < 2 error -32601 must be called as a task
        > 3 tools/call {{"name": "slow", "arguments": {{"say": "x"}}}}
        < notifications/message
        < 3 {{"content": [{{"text": "x"}}], "task": "!"}}
        > 4 tools/call {{"name": "slow", "arguments": {{"say": "x"}}, "task": 5}}
        < 4 error -32602 task
        > 5 tools/call {{"name": "none", "task": {{}}}}
        < 5 error -32602 unknown tool
        "#,
            core_tasks()
        ),
    );
}

/// TASK-012: a server without tasks does not notice the wish for one.
#[test]
fn servers_without_tasks_ignore_the_wish() {
    let without = || Server::new("x").tool(plain("t", |_| async { "done".to_owned() }));
    check(
        without(),
        r#"
        @ 2025-11-25 {}
        > 1 tools/call {"name": "t", "task": {"ttl": 5}}
        < 1 {"content": [{"text": "done"}], "task": "!"}
        > 2 tasks/list
        < 2 error -32601
        > 3 tasks/get {"taskId": "x"}
        < 3 error -32601
        "#,
    );
    // Before there were tasks, nobody could wish for one, and a tool that must be one cannot be called.
    let older = Revision::ALL.into_iter().filter(|revision| revision.has_handshake() && !revision.has_core_tasks());
    check_each(
        older,
        server,
        r#"
        @ REVISION {}
        > 1 tools/call {"name": "plain", "task": {"ttl": 5}}
        < 1 {"content": [{"text": "plain"}]}
        > 2 tools/call {"name": "failing"}
        < 2 error -32601 must be called as a task
        > 3 tasks/get {"taskId": "x"}
        < 3 error -32601
        > 4 initialize {}
        < 4 error -32600
        "#,
    );
}

/// TASK-001: the capability is declared where it exists, without the extension; tools say what they support.
#[test]
fn the_capability_is_declared_by_kind_of_request() {
    let introduction = |revision: Revision| {
        runtime().block_on(async move {
            let mut talk = Talk::new(server());
            let params = format!(
                r#"{{"protocolVersion": "{revision}", "capabilities": {{"extensions": {{"io.modelcontextprotocol/tasks": {{}}}}}}, "clientInfo": {{"name": "t", "version": "1"}}}}"#
            );
            talk.play(&format!("> 0 initialize {params}\n < 0 {{\"capabilities\": \"$c\"}}\n > notifications/initialized"))
                .await;
            talk.play("> 1 tools/list\n < 1 {\"tools\": \"$tools\"}").await;
            (talk.known("$c").clone(), talk.known("$tools").clone())
        })
    };
    for revision in Revision::ALL.into_iter().filter(|revision| revision.has_handshake()) {
        let (capabilities, tools) = introduction(revision);
        assert!(capabilities.get("extensions").is_none(), "{revision}");
        let expected = serde_json::json!({"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}});
        assert_eq!(capabilities.get("tasks").cloned(), revision.has_core_tasks().then_some(expected), "{revision}");
        let support: Vec<_> = tools.as_array().unwrap().iter().map(|tool| &tool["execution"]["taskSupport"]).collect();
        if revision.has_core_tasks() {
            assert_eq!(
                support[..3],
                [&serde_json::json!("optional"), &serde_json::Value::Null, &serde_json::json!("required")]
            );
        } else {
            assert!(support.iter().all(|support| support.is_null()), "{revision}");
        }
    }
}

/// XTSK-035: who declares the extension under 2025-11-25 gets nothing of it: no call becomes a task by itself, and there is no other method.
#[test]
fn the_extension_enables_nothing_in_the_older_revision() {
    check(
        server(),
        &format!(
            r#"
        @ 2025-11-25 {EXTENSION}
        > 1 tools/call {{"name": "slow", "arguments": {{"say": "hi"}}, "_meta": {{"progressToken": 1}}}}
        < notifications/progress
        < notifications/message
        < notifications/progress
        < 1 {{"content": [{{"text": "hi"}}], "taskId": "!", "task": "!", "resultType": "!"}}
        > 2 tasks/update {{"taskId": "x", "inputResponses": {{}}}}
        < 2 error -32601
        "#
        ),
    );
}

/// TASK-026, TASK-040, TASK-041: a tool that fails is a task that failed; its result, or its error, is what the call would have been
/// answered with.
#[test]
fn failures_are_told_and_repeated() {
    runtime().block_on(async {
        let mut talk = begin().await;
        talk.play(r#"
            > 1 tools/call {"name": "failing", "task": {}}
            < 1 {"task": {"taskId": "$failing", "ttl": 3600000}}
            < notifications/tasks/status {"status": "failed", "statusMessage": "the client did not answer in time"}
            > 2 tasks/get {"taskId": "$failing"}
            < 2 {"status": "failed", "statusMessage": "the client did not answer in time"}
            > 3 tasks/result {"taskId": "$failing"}
            < 3 {"isError": true, "content": [{"text": "the client did not answer in time"}], "_meta": {"io.modelcontextprotocol/related-task": "*"}}
            > 4 tools/call {"name": "broken", "task": {}}
            < 4 {"task": {"taskId": "$broken"}}
            < notifications/tasks/status {"status": "failed", "statusMessage": "it broke"}
            > 5 tasks/result {"taskId": "$broken"}
            < 5 error 7 it broke
            > 6 tasks/result {"taskId": "$broken"}
            < 6 error 7 it broke
            > 7 tools/call {"name": "slow", "arguments": {}, "task": {}}
            < 7 {"task": {"taskId": "$bad"}}
            < notifications/tasks/status {"status": "failed", "statusMessage": "invalid arguments for slow:\n`say` is missing, but required"}
            > 8 tasks/result {"taskId": "$bad"}
            < 8 {"isError": true}
            > 9 tasks/get {"taskId": "$bad"}
            < 9 {"status": "failed", "statusMessage": "invalid arguments for slow:\n`say` is missing, but required"}
            > 10 tasks/result {"taskId": "never"}
            < 10 error -32602 task not found: it has expired, or never was
        "#).await;
    });
}

/// TASK-017, TASK-018, TASK-019, TASK-028, CLI-049: questions of a task come to the client while it waits for the result, and name the task.
#[test]
fn questions_come_while_the_result_is_waited_for() {
    runtime().block_on(async {
        let mut talk = begin().await;
        talk.play(r#"
            > 1 tools/call {"name": "greet", "task": {"ttl": 20000000}}
            < 1 {"task": {"taskId": "$id"}}
            < notifications/tasks/status {"status": "input_required"}
            > 2 tasks/get {"taskId": "$id"}
            < 2 {"status": "input_required"}
            < nothing
            > 3 tasks/result {"taskId": "$id"}
            < ? elicitation/create {"message": "Who are you?", "_meta": {"io.modelcontextprotocol/related-task": {"taskId": "$same"}}}
            > 4 tasks/get {"taskId": "$id"}
            < 4 {"status": "input_required"}
            > ? {"action": "accept", "content": {"name": "Ada"}}
            < notifications/tasks/status {"status": "working"}
            < notifications/tasks/status {"status": "working", "statusMessage": "thinking"}
            < notifications/tasks/status {"status": "completed", "statusMessage": "!"}
            < 3 {"content": [{"text": "hello, Ada"}]}
        "#).await;
        assert_eq!(talk.known("$id"), talk.known("$same"));
    });
}

/// TASK-019: a client that stops waiting is asked again when it waits again; two that wait are not both asked.
#[test]
fn a_question_is_asked_once_but_not_lost() {
    runtime().block_on(async {
        let mut talk = begin().await;
        talk.play(
            r#"
            > 1 tools/call {"name": "greet", "task": {}}
            < 1 {"task": {"taskId": "$id"}}
            < notifications/tasks/status {"status": "input_required"}
            > 2 tasks/result {"taskId": "$id"}
            < ? elicitation/create {"message": "Who are you?"}
            > 3 tasks/result {"taskId": "$id"}
            > 4 ping
            < 4 {}
            > notifications/cancelled {"requestId": 2}
            < notifications/cancelled {"requestId": "*"}
            < ? elicitation/create {"message": "Who are you?"}
            > ? error -1 "no"
            < notifications/tasks/status {"status": "working"}
            < notifications/tasks/status {"status": "failed"}
            < 3 {"isError": true, "content": [{"text": "the client answered with an error: \"no\""}]}
            < nothing
        "#,
        )
        .await;
    });
}

/// TASK-029: the id in the parameters counts, whatever `_meta` says.
#[test]
fn the_id_in_the_parameters_counts() {
    runtime().block_on(async {
        let mut talk = begin().await;
        talk.play(
            r#"
            > 1 tools/call {"name": "endless", "task": {}}
            < 1 {"task": {"taskId": "$id"}}
            > 2 tasks/get {"taskId": "$id", "_meta": {"io.modelcontextprotocol/related-task": {"taskId": "other"}}}
            < 2 {"taskId": "$same"}
            > 3 tasks/get {"taskId": "other", "_meta": {"io.modelcontextprotocol/related-task": {"taskId": "$id"}}}
            < 3 error -32602 task not found
            > 4 tasks/result {"taskId": "other", "_meta": {"io.modelcontextprotocol/related-task": {"taskId": "$id"}}}
            < 4 error -32602 task not found
            > 5 tasks/cancel {"taskId": "other", "_meta": {"io.modelcontextprotocol/related-task": {"taskId": "$id"}}}
            < 5 error -32602 task not found
            > 6 tasks/get {"taskId": "$id"}
            < 6 {"status": "working"}
            > 7 tasks/cancel {"taskId": "$id", "_meta": {"io.modelcontextprotocol/related-task": {"taskId": "other"}}}
            < 7 {"taskId": "$cancelled", "status": "cancelled"}
            > 8 tasks/result {"taskId": "$id", "_meta": {"io.modelcontextprotocol/related-task": {"taskId": "other"}}}
            < 8 error -32603 cancelled
        "#,
        )
        .await;
        assert_eq!(talk.known("$id"), talk.known("$same"));
        assert_eq!(talk.known("$id"), talk.known("$cancelled"));
    });
}

/// TASK-035, TASK-036, TASK-037, PAT-010: cancelling ends the work and is told; a task that is over cannot be cancelled; cancelling the request
/// that began it does nothing.
#[test]
fn tasks_are_cancelled() {
    runtime().block_on(async {
        let (server, running) = server_with(Tasks::new());
        let mut talk = Talk::new(server);
        talk.play(&core_tasks()).await;
        talk.play(r#"
            > 1 tools/call {"name": "endless", "task": {}}
            < 1 {"task": {"taskId": "$id"}}
            > notifications/cancelled {"requestId": 1}
            > 2 tasks/get {"taskId": "$id"}
            < 2 {"status": "working"}
            > 3 tasks/result {"taskId": "$id"}
            > 4 tasks/cancel {"taskId": "$id"}
            < 4 {"taskId": "*", "status": "cancelled", "statusMessage": "*", "createdAt": "*", "lastUpdatedAt": "*", "ttl": 3600000, "_meta": "!"}
            < 3 error -32603 cancelled
            > 5 tasks/cancel {"taskId": "$id"}
            < 5 error -32602 cancelled
            > 6 tasks/get {"taskId": "$id"}
            < 6 {"status": "cancelled"}
            > 7 tools/call {"name": "broken", "task": {}}
            < 7 {"task": {"taskId": "$over"}}
            < notifications/tasks/status {"status": "failed"}
            > 8 tasks/cancel {"taskId": "$over"}
            < 8 error -32602 failed
            > 9 tasks/cancel {"taskId": "none"}
            < 9 error -32602 task not found
        "#).await;
        pass(1).await;
        assert_eq!(running.load(Ordering::SeqCst), 0);
    });
}

/// TASK-032, TASK-033, TASK-034, TASK-039: lists show all tasks in pages; cursors are opaque, and those that are not ours are errors.
#[test]
fn tasks_are_listed_in_pages() {
    runtime().block_on(async {
        let mut talk = Talk::new(server().page_size(2));
        talk.play(&core_tasks()).await;
        for n in 1..=3 {
            talk.play(&format!("> {n} tools/call {{\"name\": \"endless\", \"task\": {{}}}}\n < {n} {{\"task\": {{\"taskId\": \"$id{n}\"}}}}")).await;
        }
        talk.play(r#"
            > 4 tasks/list
            < 4 {"tasks": [{"taskId": "$a", "status": "working", "createdAt": "*", "ttl": 3600000}, {"taskId": "$b"}], "nextCursor": "$next", "_meta": "!"}
            > 5 tasks/list {"cursor": "$next"}
            < 5 {"tasks": [{"taskId": "$c"}], "nextCursor": "!"}
            > 6 tasks/list {"cursor": "1"}
            < 6 error -32602 cursor
            > 7 tasks/list {"cursor": ""}
            < 7 error -32602 cursor
        "#).await;
        for (listed, id) in [("$a", "$id1"), ("$b", "$id2"), ("$c", "$id3")] {
            assert_eq!(talk.known(listed), talk.known(id));
        }
    });
}

/// PAT-025: progress of a task carries the token of the request that began it, long after that was answered, whatever later requests say.
#[test]
fn progress_keeps_the_token_of_the_first_request() {
    runtime().block_on(async {
        let entry = plain("pacing", |cx: jackfield_server::Cx| async move {
            for step in 1..=2 {
                jackfield_testkit::pass(Duration::from_secs(10)).await;
                cx.progress(step, None, None);
            }
            "done".to_owned()
        });
        let server = Server::new("x").tool(entry.task(jackfield_protocol::TaskSupport::Required));
        let mut talk = Talk::new(server);
        talk.play(&core_tasks()).await;
        talk.play(
            r#"
            > 1 tools/call {"name": "pacing", "task": {}, "_meta": {"progressToken": "first"}}
            < 1 {"task": {"taskId": "$id"}}
            < notifications/progress {"progressToken": "first", "progress": 1}
            > 2 tasks/get {"taskId": "$id", "_meta": {"progressToken": "second"}}
            < 2 {"status": "working"}
            < notifications/progress {"progressToken": "first", "progress": 2}
            < notifications/tasks/status {"status": "completed"}
        "#,
        )
        .await;
    });
}

/// PAT-026: progress stops with the task.
#[test]
fn progress_stops_with_the_task() {
    runtime().block_on(async {
        let kept = std::sync::Arc::new(std::sync::Mutex::new(None));
        let slot = kept.clone();
        let entry = plain("leaky", move |cx| {
            *slot.lock().unwrap() = Some(cx);
            async { "done".to_owned() }
        });
        let server = Server::new("x").tool(entry.task(jackfield_protocol::TaskSupport::Required));
        let mut talk = Talk::new(server);
        talk.play(&core_tasks()).await;
        talk.play(
            r#"
            > 1 tools/call {"name": "leaky", "task": {}, "_meta": {"progressToken": 9}}
            < 1 {"task": "*"}
            < notifications/tasks/status {"status": "completed"}
        "#,
        )
        .await;
        let cx = kept.lock().unwrap().take().unwrap();
        cx.progress(1, None, "too late");
        cx.task_message("too late").await;
        assert!(cx.is_cancelled());
        talk.play("< nothing").await;
    });
}

/// TASK-048: what the client asks for has limits.
#[test]
fn the_time_to_live_is_limited() {
    let tasks = Tasks::new().longest_ttl(Duration::from_secs(60)).ttl(Duration::from_secs(5));
    check(
        server_with(tasks).0,
        &format!(
            r#"{}
        > 1 tools/call {{"name": "endless", "task": {{"ttl": 99999999999}}}}
        < 1 {{"task": {{"ttl": 60000}}}}
        > 2 tools/call {{"name": "endless", "task": {{}}}}
        < 2 {{"task": {{"ttl": 5000}}}}
        "#,
            core_tasks()
        ),
    );
}

/// XTSK-037: a server that speaks both forms lets clients of the older one see and cancel the tasks that they have begun, while others
/// use the newer one.
#[test]
fn both_forms_live_side_by_side() {
    runtime().block_on(async {
        let (server, running) = server_with(Tasks::new());
        let server = started(server);
        let (mut older, mut newer) = (Talk::of_user(&server, "ann"), Talk::of_user(&server, "ann"));
        older.play(&core_tasks()).await;
        newer.play(&super::modern()).await;
        newer
            .play("> 1 tools/call {\"name\": \"endless\"}\n < 1 {\"resultType\": \"task\", \"taskId\": \"$new\"}")
            .await;
        older
            .play(
                r#"
                > 1 tools/call {"name": "endless", "task": {}}
                < 1 {"task": {"taskId": "$id"}}
                > 2 tasks/get {"taskId": "$id"}
                < 2 {"status": "working", "resultType": "!"}
                > 3 tasks/cancel {"taskId": "$id"}
                < 3 {"status": "cancelled"}
                > 4 tasks/get {"taskId": "$id"}
                < 4 {"status": "cancelled"}
                "#,
            )
            .await;
        pass(1).await;
        assert_eq!(running.load(Ordering::SeqCst), 1, "the other task goes on");
        newer.play("> 2 tasks/get {\"taskId\": \"$new\"}\n < 2 {\"status\": \"working\"}").await;
    });
}
