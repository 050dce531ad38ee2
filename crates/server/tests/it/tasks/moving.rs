//! Calls that become tasks while they run.

use jackfield_protocol::{CallToolResult, TaskSupport};
use jackfield_server::{Cx, Elicited, QuestionError, Server, Tasks};
use serde_json::json;

use super::{Name, core_tasks, modern, pass};
use crate::demo::{plain, tool};
use crate::talk::{Talk, check, check_each, runtime};

/// A tool that is quick or becomes a task, by its argument.
fn turning() -> Server {
    let schema = json!({"type": "object", "properties": {"long": {"type": "boolean"}}});
    let run = |arguments: serde_json::Value, cx: Cx| async move {
        if arguments["long"] != true {
            return "quick".to_owned();
        }
        let became = cx.become_task().await;
        assert_eq!(became, cx.is_task());
        assert_eq!(became, cx.task_id().is_some());
        assert_eq!(became, cx.become_task().await, "once is enough");
        jackfield_testkit::pass(std::time::Duration::from_secs(5)).await;
        format!("slow, {}", if became { "as a task" } else { "as a call" })
    };
    Server::new("x").tool(tool("turn", schema, run).becomes_task())
}

/// XTSK-001: a call becomes a task when its handler says so, if the client can take it; otherwise the client waits.
#[test]
fn a_handler_turns_its_call_into_a_task() {
    runtime().block_on(async {
        let mut talk = Talk::new(turning());
        talk.play(&modern()).await;
        talk.play(
            r#"
            > 1 tools/call {"name": "turn"}
            < 1 {"resultType": "complete", "content": [{"text": "quick"}]}
            > 2 tools/call {"name": "turn", "arguments": {"long": true}}
            < 2 {"resultType": "task", "taskId": "$id", "status": "working"}
            > 3 tasks/get {"taskId": "$id"}
            < 3 {"status": "working"}
        "#,
        )
        .await;
        pass(6).await;
        talk.play(
            r#"
            > 4 tasks/get {"taskId": "$id"}
            < 4 {"status": "completed", "result": {"content": [{"text": "slow, as a task"}]}}
        "#,
        )
        .await;
    });
    check_each(
        jackfield_protocol::Revision::ALL,
        turning,
        r#"
        @ REVISION {}
        > 1 tools/call {"name": "turn", "arguments": {"long": true}}
        < 1 {"content": [{"text": "slow, as a call"}]}
        "#,
    );
}

/// TASK-024: a client of 2025-11-25 says itself whether the call is a task; then it is one from its beginning.
#[test]
fn older_clients_decide_themselves() {
    runtime().block_on(async {
        let mut talk = Talk::new(turning());
        talk.play(&core_tasks()).await;
        talk.play(
            r#"
            > 1 tools/call {"name": "turn", "arguments": {"long": true}, "task": {}}
            < 1 {"task": {"taskId": "$id"}}
            > 2 tasks/result {"taskId": "$id"}
            < notifications/tasks/status {"status": "completed"}
            < 2 {"content": [{"text": "slow, as a task"}]}
        "#,
        )
        .await;
    });
}

/// Asks before and after it becomes a task, and counts how often it runs.
fn asking() -> Server {
    let entry = plain("ask", |cx: Cx| async move {
        let Elicited::Accepted(first) = cx.elicit::<Name>("first", "Who?").await? else { return Ok("no".to_owned()) };
        let once = cx.step("count", async { 1 }).await;
        cx.become_task().await;
        let Elicited::Accepted(second) = cx.elicit::<Name>("second", "And who?").await? else {
            return Ok("not".to_owned());
        };
        let again = cx.elicit::<Name>("first", "Who?").await?.accepted().map(|name| name.name);
        Ok::<_, QuestionError>(format!("{} {} {once} {:?}", first.name, second.name, again))
    });
    let mut entry = entry.becomes_task().task(TaskSupport::Required);
    entry.definition.title = Some("Asks".to_owned());
    Server::new("x").tool(entry)
}

/// XTSK-011: questions before the task are asked in the call, those after it in the task.
#[test]
fn questions_before_the_task_are_asked_in_the_call() {
    runtime().block_on(async {
        let mut talk = Talk::new(asking());
        talk.play(&modern()).await;
        talk.play(r#"
            > 1 tools/call {"name": "ask"}
            < 1 {"resultType": "input_required", "inputRequests": {"first": "*"}, "requestState": "$state", "taskId": "!"}
            > 2 tools/call {"name": "ask", "inputResponses": {"first": {"action": "accept", "content": {"name": "Ada"}}}, "requestState": "$state"}
            < 2 {"resultType": "task", "taskId": "$id", "requestState": "!"}
        "#).await;
        pass(1).await;
        talk.play(r#"
            > 3 tasks/get {"taskId": "$id"}
            < 3 {"status": "input_required", "inputRequests": {"second": "*", "first": "!"}, "requestState": "!"}
            > 4 tasks/update {"taskId": "$id", "inputResponses": {"second": {"action": "accept", "content": {"name": "Bob"}}}}
            < 4 {}
        "#).await;
        pass(1).await;
        talk.play(r#"
            > 5 tasks/get {"taskId": "$id"}
            < 5 {"status": "completed", "result": {"content": [{"text": "Ada Bob 1 Some(\"Ada\")"}]}}
        "#).await;
    });
    check(
        asking(),
        r#"
        @ 2026-07-28 {"elicitation": {}}
        > 1 tools/call {"name": "ask"}
        < 1 error -32021 io.modelcontextprotocol/tasks
        "#,
    );
}

/// A tool that says nothing about tasks becomes one only where the server has set them up.
#[test]
fn only_servers_with_tasks_turn_calls_into_them() {
    let server = || {
        Server::new("x").tool(plain("t", |cx: Cx| async move { format!("{}", cx.become_task().await) })).tool(
            crate::demo::sync_tool("s", json!({"type": "object"}), |_, cx| {
                CallToolResult::text(cx.is_task().to_string())
            }),
        )
    };
    check(
        server(),
        &format!("{}\n > 1 tools/call {{\"name\": \"t\"}}\n < 1 {{\"content\": [{{\"text\": \"false\"}}]}}", modern()),
    );
    check(
        server().tasks(Tasks::new()),
        &format!(
            r#"{}
        > 1 tools/call {{"name": "t"}}
        < 1 {{"resultType": "task"}}
        > 2 tools/call {{"name": "s"}}
        < 2 {{"resultType": "complete", "content": [{{"text": "false"}}]}}
        "#,
            modern()
        ),
    );
    // Without room the call goes on as it was.
    check(
        server().tasks(Tasks::new().running(0)),
        &format!("{}\n > 1 tools/call {{\"name\": \"t\"}}\n < 1 {{\"content\": [{{\"text\": \"false\"}}]}}", modern()),
    );
}

/// Whoever waits for the task is woken, in a task of its own too.
#[test]
fn another_part_of_a_handler_may_ask_for_the_task() {
    runtime().block_on(async {
        let entry = plain("t", |cx: Cx| async move {
            let mut parts = tokio::task::JoinSet::new();
            for _ in 0..2 {
                let cx = cx.clone();
                parts.spawn(async move { cx.become_task().await });
            }
            format!("{:?}", parts.join_all().await)
        });
        for (tasks, expected) in [(Tasks::new(), "[true, true]"), (Tasks::new().running(0), "[false, false]")] {
            let mut talk = Talk::new(Server::new("x").tool(entry.clone().becomes_task()).tasks(tasks));
            talk.play(&modern()).await;
            talk.play("> 1 tools/call {\"name\": \"t\"}").await;
            let mut answer = talk.receive().await.unwrap();
            if let Some(id) = answer["result"]["taskId"].as_str() {
                pass(1).await;
                talk.play(&format!("> 2 tasks/get {{\"taskId\": \"{id}\"}}")).await;
                answer = talk.receive().await.unwrap();
                answer["result"] = answer["result"]["result"].take();
            }
            assert_eq!(answer["result"]["content"][0]["text"], expected, "{answer}");
        }
    });
}

/// Two parts of a handler may turn it into a task at the same time.
#[test]
fn both_halves_of_a_handler_may_ask_for_the_task() {
    runtime().block_on(async {
        let entry = plain("t", |cx: Cx| async move {
            let (one, other) = tokio::join!(cx.become_task(), cx.become_task());
            format!("{one} {other}")
        });
        let mut talk = Talk::new(Server::new("x").tool(entry.becomes_task()));
        talk.play(&modern()).await;
        talk.play("> 1 tools/call {\"name\": \"t\"}\n < 1 {\"taskId\": \"$id\"}").await;
        pass(1).await;
        talk.play(
            r#"
            > 2 tasks/get {"taskId": "$id"}
            < 2 {"status": "completed", "result": {"content": [{"text": "true true"}]}}
        "#,
        )
        .await;
    });
}

/// Work that outlives its handler may ask for the task of a call that has been answered, has asked, or was cancelled. There is none any more,
/// and none takes a place.
#[test]
fn a_call_that_has_ended_becomes_no_task() {
    runtime().block_on(async {
        let (tell, mut told) = tokio::sync::mpsc::channel(1);
        let begin = std::sync::Arc::new(tokio::sync::Notify::new());
        let schema = json!({"type": "object", "properties": {"then": {"type": "string"}}});
        let outside = std::sync::Arc::new(std::sync::Mutex::new(tokio::task::JoinSet::new()));
        let start = begin.clone();
        let run = move |arguments: serde_json::Value, cx: Cx| {
            let (tell, start, outside) = (tell.clone(), start.clone(), outside.clone());
            async move {
                let later = cx.clone();
                outside.lock().unwrap().spawn(async move {
                    start.notified().await;
                    tell.send(later.become_task().await).await.unwrap();
                });
                match arguments["then"].as_str() {
                    Some("ask") => drop(cx.elicit::<Name>("name", "Who?").await),
                    Some("wait") => std::future::pending().await,
                    _ => {}
                }
                "done".to_owned()
            }
        };
        let turn = plain("turn", |cx: Cx| async move { cx.become_task().await.to_string() });
        let tasks = Tasks::new().running(1);
        let server = Server::new("x").tool(tool("outlive", schema, run)).tool(turn).tasks(tasks);
        let mut talk = Talk::new(server);
        talk.play(&modern()).await;
        for conversation in [
            "> 1 tools/call {\"name\": \"outlive\"}\n < 1 {\"content\": [{\"text\": \"done\"}]}",
            "> 2 tools/call {\"name\": \"outlive\", \"arguments\": {\"then\": \"ask\"}}\n < 2 {\"resultType\": \"input_required\"}",
            "> 3 tools/call {\"name\": \"outlive\", \"arguments\": {\"then\": \"wait\"}}\n < nothing\n > notifications/cancelled {\"requestId\": 3}\n < nothing",
        ] {
            talk.play(conversation).await;
            begin.notify_one();
            let became = tokio::time::timeout(std::time::Duration::from_secs(60), told.recv()).await;
            assert_eq!(became.expect("it does not wait"), Some(false), "{conversation}");
        }
        talk.play("> 4 tools/call {\"name\": \"turn\"}\n < 4 {\"resultType\": \"task\"}").await;
    });
}
