//! Calls that run as tasks, of both kinds.

use std::future::IntoFuture;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jackfield_client::{Builder, Client};
use jackfield_protocol::{ElicitAction, ElicitResult, Root, TASKS_EXTENSION};
use jackfield_store::{KvStore, MemoryKv};
use serde_json::{Value, json};

use crate::script::{Pair, Server, check_with, name, paused};

/// A client that knows tasks of both kinds.
fn client() -> Builder {
    Client::builder().tasks()
}

#[track_caller]
fn check(conversation: &str) {
    check_with(client(), conversation);
}

fn task(status: &str, more: Value) -> Value {
    let mut task = json!({"taskId": "k", "status": status, "createdAt": "2026-01-01T00:00:00Z",
        "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttlMs": null, "pollIntervalMs": 100});
    task.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    task
}

fn core_task(status: &str) -> Value {
    json!({"taskId": "k", "status": status, "createdAt": "x", "lastUpdatedAt": "x", "ttl": null, "pollInterval": 100})
}

/// A client and a server with tasks of 2025-11-25, or of the extension.
async fn pair(core: bool) -> (Client, Server) {
    let builder = client().without_output_check();
    if core { Pair::legacy(builder, "2025-11-25").await } else { Pair::modern(builder).await }
}

/// A store that has the id of a task under `x`.
async fn store_with(id: &'static str) -> Arc<dyn KvStore> {
    let store: Arc<dyn KvStore> = Arc::new(MemoryKv::new());
    store.put("x", id.into(), None).await.unwrap();
    store
}

/// Answers a look at a task with an error; returns what was asked.
async fn refuse(server: &mut Server, code: i64, message: &str) -> Value {
    let look = server.expect("tasks/get").await;
    let error = json!({"code": code, "message": message});
    server.send(&json!({"jsonrpc": "2.0", "id": look["id"], "error": error})).await;
    look
}

/// LIFE-030, BASE-020, XTSK-007, XTSK-008, XTSK-012, XTSK-016, XTSK-018: a task of the extension is looked at until it has a
/// result; its questions are answered once each.
#[test]
fn a_task_of_the_extension_is_followed() {
    paused(async {
        let asked = Arc::new(Mutex::new(0));
        let counts = asked.clone();
        let builder = client().without_output_check().roots(vec![Root::new("file:///w")]).on_form(move |_| {
            *counts.lock().unwrap() += 1;
            async { Ok(ElicitResult::new(ElicitAction::Decline)) }
        });
        let (client, mut server) = Pair::modern(builder).await;
        let begun = tokio::time::Instant::now();
        let serve = async {
            let call = server.expect("tools/call").await;
            let extensions = &call["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]["extensions"];
            assert_eq!(extensions, &json!({TASKS_EXTENSION: {}}));
            server.answer(task("working", json!({"resultType": "task", "pollIntervalMs": 5000}))).await;
            server.expect("tasks/get").await;
            assert_eq!(begun.elapsed().as_secs(), 5);
            server.answer(task("working", json!({"resultType": "complete"}))).await;
            let form = json!({"method": "elicitation/create", "params":
                {"mode": "form", "message": "?", "requestedSchema": {"type": "object", "properties": {}}}});
            let asks = task("input_required", json!({"inputRequests": {"a": form, "b": {"method": "roots/list"}}}));
            server.expect("tasks/get").await;
            server.answer(asks.clone()).await;
            let update = server.expect("tasks/update").await;
            let answers = json!({"a": {"action": "decline"}, "b": {"roots": [{"uri": "file:///w"}]}});
            assert_eq!(update["params"]["inputResponses"], answers);
            server.answer(json!({"resultType": "complete"})).await;
            // The server may be slow to notice; nothing is asked twice.
            server.expect("tasks/get").await;
            server.answer(asks).await;
            server.expect("tasks/get").await;
            let result = json!({"content": [], "structuredContent": 7});
            server.answer(task("completed", json!({"result": result}))).await;
        };
        let (output, ()) = tokio::join!(client.call("t", ()).into_future(), serve);
        assert_eq!(output.unwrap().structured::<i64>().unwrap(), 7);
        assert_eq!(*asked.lock().unwrap(), 1);
        client.close().await;
        assert_eq!(server.receive().await, None, "a finished task is not cancelled");
    });
}

/// BASE-020: how tasks of the extension end.
#[test]
fn tasks_of_the_extension_end() {
    let begin = |poll: &Value| {
        format!(
            "modern\n> tools/call\n< {}\n> tasks/get\n< {}\n",
            json!({"result": task("working", json!({"resultType": "task"}))}),
            json!({"result": poll})
        )
    };
    let failed = task("failed", json!({"error": {"code": 5, "message": "x"}}));
    check(&format!("{}@ call = server 5", begin(&failed)));
    check(&format!("{}@ call = task cancelled", begin(&task("cancelled", json!({})))));
    // T-114, XTSK-017: undeclared questions end the call, and the task with it, as they would without a task.
    let asks = task("input_required", json!({"inputRequests": {"a": {"method": "roots/list"}}}));
    check(&format!(
        "{}> tasks/cancel\n@ call = undeclared\n@ ping = ok\n> server/discover\n< {{\"result\":{{}}}}",
        begin(&asks)
    ));
    // LIFE-031: a task for a client that did not declare the extension is no answer.
    check_with(
        Client::builder(),
        &format!(
            "modern\n> tools/call\n< {}\n@ call = bad answer",
            json!({"result": task("working", json!({"resultType": "task"}))})
        ),
    );
}

/// PAT-010, XTSK-023: giving up a call that runs as a task cancels the task, not the request.
#[test]
fn a_task_that_is_given_up_is_cancelled() {
    paused(async {
        let (client, mut server) = Pair::modern(client()).await;
        let serve = async {
            server.expect("tools/call").await;
            server.answer(task("working", json!({"resultType": "task", "pollIntervalMs": 60_000}))).await;
        };
        let call = tokio::time::timeout(Duration::from_secs(1), client.call("t", ()).into_future());
        let (outcome, ()) = tokio::join!(call, serve);
        assert!(outcome.is_err());
        let cancel = server.expect("tasks/cancel").await;
        assert_eq!(cancel["params"]["taskId"], "k");
    });
}

/// T-116: a task that asks new questions for ever is given up.
#[test]
fn a_task_that_asks_for_ever_is_given_up() {
    paused(async {
        let (client, mut server) = Pair::modern(client().roots(vec![])).await;
        let serve = async {
            server.expect("tools/call").await;
            server.answer(task("working", json!({"resultType": "task"}))).await;
            for n in 0..=10 {
                server.expect("tasks/get").await;
                let questions = json!({n.to_string(): {"method": "roots/list"}});
                server.answer(task("input_required", json!({"inputRequests": questions}))).await;
                if n < 10 {
                    server.expect("tasks/update").await;
                    server.answer(json!({})).await;
                }
            }
            server.expect("tasks/cancel").await;
        };
        let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), serve);
        assert_eq!(name(&outcome), "limit");
    });
}

/// A task that is done when the time is nearly over counts, also if the server wishes to be asked much later.
#[test]
fn a_task_is_looked_at_once_more_before_the_time_is_over() {
    for core in [false, true] {
        for (is_done, wanted) in [(true, "ok"), (false, "timeout")] {
            paused(async move {
                let (client, mut server) = pair(core).await;
                let begun = tokio::time::Instant::now();
                let call = client.call("slow", ()).maximum(Duration::from_secs(10));
                let serve = async {
                    if core {
                        list_slow(&mut server).await;
                        server.expect("tools/call").await;
                        let mut task = core_task("working");
                        task["pollInterval"] = 60_000.into();
                        server.answer(json!({"task": task.clone()})).await;
                        server.expect("tasks/get").await;
                        server.answer(if is_done { core_task("completed") } else { task }).await;
                        if is_done {
                            server.expect("tasks/result").await;
                            server.answer(json!({"content": []})).await;
                        }
                    } else {
                        server.expect("tools/call").await;
                        let late = json!({"resultType": "task", "pollIntervalMs": 60_000});
                        server.answer(task("working", late)).await;
                        server.expect("tasks/get").await;
                        let done = task("completed", json!({"result": {"content": []}}));
                        let late = task("working", json!({"pollIntervalMs": 60_000}));
                        server.answer(if is_done { done } else { late }).await;
                    }
                };
                let (outcome, ()) = tokio::join!(call.into_future(), serve);
                assert_eq!(name(&outcome), wanted, "{core}");
                let took = begun.elapsed();
                assert!((Duration::from_secs(5)..=Duration::from_secs(10)).contains(&took), "{took:?}");
            });
        }
    }
}

/// TASK-009, TASK-010: a task of 2025-11-25 is looked at as often as the server wishes, until it is done.
#[test]
fn a_core_task_is_looked_at_as_often_as_the_server_wishes() {
    paused(async {
        let (client, mut server) = pair(true).await;
        let serve = async {
            list_slow(&mut server).await;
            server.expect("tools/call").await;
            let mut task = core_task("working");
            task["pollInterval"] = 5000.into();
            server.answer(json!({"task": task.clone()})).await;
            let mut begun = tokio::time::Instant::now();
            for (status, wait) in [("working", 7000), ("working", 5000), ("completed", 5000)] {
                server.expect("tasks/get").await;
                assert_eq!(begun.elapsed().as_millis(), task["pollInterval"].as_u64().unwrap().into(), "{status}");
                begun = tokio::time::Instant::now();
                (task["status"], task["pollInterval"]) = (status.into(), wait.into());
                server.answer(task.clone()).await;
            }
            server.expect("tasks/result").await;
            server.answer(json!({"content": []})).await;
        };
        let (outcome, ()) = tokio::join!(client.call("slow", ()).into_future(), serve);
        outcome.unwrap();
    });
}

/// TASK-004, TASK-005: a tool is called as a task only if it must be, and only where the server has tasks for calls.
#[test]
fn tools_are_called_as_tasks_only_where_they_can_be() {
    let calls = json!({"requests": {"tools": {"call": {}}}});
    for (tasks, support, is_task) in [
        (json!({"list": {}}), json!({"taskSupport": "required"}), false),
        (json!({"list": {}, "requests": {}}), json!({"taskSupport": "required"}), false),
        (calls.clone(), json!({"taskSupport": "forbidden"}), false),
        (calls.clone(), json!({}), false),
        (calls.clone(), json!({"taskSupport": "required"}), true),
    ] {
        paused(async move {
            let (ours, mut server) = Pair::streams();
            let serve = async {
                server.expect("initialize").await;
                let mut greeting = crate::script::greeting("2025-11-25");
                greeting["capabilities"]["tasks"] = tasks.clone();
                server.answer(greeting).await;
                server.expect("notifications/initialized").await;
                server.expect("tools/list").await;
                let tool = json!({"name": "t", "inputSchema": {"type": "object"}, "execution": support});
                server.answer(json!({"tools": [tool]})).await;
                let call = server.expect("tools/call").await;
                assert_eq!(call["params"].get("task").is_some(), is_task, "{tasks} {support}");
                server.close().await;
            };
            let ask = async {
                let builder = client().revision(jackfield_protocol::Revision::V2025_11_25);
                let client = builder.over(ours).await.unwrap();
                client.tools().all().await.unwrap();
                let _ = client.call("t", ()).await;
            };
            tokio::join!(ask, serve);
        });
    }
}

/// TASK-007, TASK-011, TASK-019, PAT-025: a tool of 2025-11-25 that must run as a task does, and is followed; its
/// questions come as requests, its progress under the first token.
#[test]
fn a_core_task_is_followed() {
    paused(async {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let hears = heard.clone();
        let (client, mut server) = Pair::legacy(client().roots(vec![]), "2025-11-25").await;
        let serve = async {
            server.expect("tools/list").await;
            let schema = json!({"type": "object"});
            server
                .answer(json!({"tools": [
                    {"name": "t", "inputSchema": schema, "execution": {"taskSupport": "required"}},
                    {"name": "plain", "inputSchema": schema, "execution": {"taskSupport": "optional"}},
                ]}))
                .await;
            let call = server.expect("tools/call").await;
            assert_eq!(call["params"]["task"], json!({}));
            server.answer(json!({"task": core_task("working")})).await;
            server.expect("tasks/get").await;
            let progress = json!({"progressToken": call["params"]["_meta"]["progressToken"], "progress": 1});
            server.send(&json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": progress})).await;
            server.answer(core_task("input_required")).await;
            server.expect("tasks/result").await;
            let id = json!("q");
            server.send(&json!({"jsonrpc": "2.0", "id": id, "method": "roots/list"})).await;
            assert_eq!(server.receive().await.unwrap()["result"]["roots"], json!([]));
            server.answer(json!({"content": [], "structuredContent": {"n": 1}})).await;
            // The other tool is called as usual.
            let plain = server.expect("tools/call").await;
            assert!(plain["params"].get("task").is_none());
            server.answer(json!({"content": []})).await;
        };
        let calls = async {
            let call = client.call("t", ()).on_progress(move |notice| hears.lock().unwrap().push(notice.progress));
            let output = call.await.unwrap();
            client.call("plain", ()).await.unwrap();
            output
        };
        let (output, ()) = tokio::join!(calls, serve);
        assert_eq!(output.structured::<Value>().unwrap(), json!({"n": 1}));
        assert_eq!(*heard.lock().unwrap(), [1.0]);
    });
}

/// TASK-003: without the capability no task is asked for, and nothing is listed first.
#[test]
fn without_the_capability_there_are_no_tasks() {
    check(
        r#"
        > server/discover
        < {"error":{"code":-32601,"message":"?"}}
        > initialize
        < {"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}
        > notifications/initialized
        @ call = ok
        > tools/call
        < {"result":{"content":[]}}
        "#,
    );
}

/// TASK-026, TASK-041: the error of a task is the error of the call.
#[test]
fn a_core_task_that_fails_is_an_error() {
    let tools = json!({"result": {"tools": [{"name": "t", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "required"}}]}});
    let created = json!({"result": {"task": core_task("working")}});
    for (status, last, wanted) in [
        ("failed", "> tasks/result\n< {\"error\":{\"code\":9,\"message\":\"x\"}}", "server 9"),
        ("cancelled", "", "task cancelled"),
        ("completed", "> tasks/result\n< {\"result\":{\"content\":[]}}", "ok"),
    ] {
        check(&format!(
            "legacy 2025-11-25\n> tools/list\n< {tools}\n> tools/call\n< {created}\n> tasks/get\n< {}\n{last}\n@ call = {wanted}",
            json!({"result": core_task(status)})
        ));
    }
}

/// XTSK-002: a call of the same tool may be answered with its result or with a task, each time anew.
#[test]
fn the_server_decides_each_time_whether_a_call_is_a_task() {
    let task = json!({"result": task("working", json!({"resultType": "task"}))});
    let done = json!({"result": self::task("completed", json!({"result": {"content": []}}))});
    let plain = json!({"result": {"resultType": "complete", "content": []}});
    check(&format!(
        "modern\n@ call = ok\n@ call = ok\n@ call = ok\n> tools/call\n< {plain}\n> tools/call\n< {task}\n> tasks/get\n< {done}\n\
         > tools/call\n< {plain}"
    ));
}

/// XTSK-013: the id of a task outlives the process that began it; the next one goes on with the task, and calls nothing again.
#[test]
fn a_task_is_found_again_by_the_next_process() {
    for core in [false, true] {
        paused(async move {
            let store: Arc<dyn KvStore> = Arc::new(MemoryKv::new());
            let (client, mut server) = pair(core).await;
            let call = client.call("slow", json!({"a": 1})).store_task_id_in(store.clone(), "export 7");
            let begin = async {
                if core {
                    list_slow(&mut server).await;
                }
                server.expect("tools/call").await;
                let begun = task("working", json!({"resultType": "task", "ttlMs": 600_000}));
                server.answer(if core { json!({"task": core_task("working")}) } else { begun }).await;
                server.expect("tasks/get").await;
            };
            tokio::select! {
                answer = call.into_future() => panic!("{answer:?}"),
                () = begin => {}
            }
            // The first process is gone, and has not cancelled anything.
            drop((client, server));
            assert_eq!(store.get("export 7").await.unwrap().as_deref(), Some(&b"k"[..]));

            let (client, mut server) = pair(core).await;
            let call = client.call("slow", json!({"a": 1})).store_task_id_in(store.clone(), "export 7");
            let finish = async {
                if core {
                    list_slow(&mut server).await;
                    server.expect("tasks/get").await;
                    server.answer(core_task("completed")).await;
                    server.expect("tasks/result").await;
                    server.answer(json!({"content": [{"type": "text", "text": "done"}]})).await;
                } else {
                    server.expect("tasks/get").await;
                    let result = json!({"content": [{"type": "text", "text": "done"}]});
                    server.answer(task("completed", json!({"result": result, "resultType": "complete"}))).await;
                }
            };
            let (output, ()) = tokio::join!(call.into_future(), finish);
            assert_eq!(output.unwrap().text(), "done");
            assert_eq!(store.get("export 7").await.unwrap(), None, "what is over is forgotten");
        });
    }
}

async fn list_slow(server: &mut Server) {
    server.expect("tools/list").await;
    let slow = json!({"name": "slow", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "required"}});
    server.answer(json!({"tools": [slow]})).await;
}

/// A task that the server no longer knows is an error, and not a second call.
#[test]
fn a_task_that_is_gone_is_not_begun_again() {
    paused(async {
        let store = store_with("old").await;
        let (client, mut server) = pair(false).await;
        let call = client.call("slow", ()).store_task_id_in(store.clone(), "x");
        let (output, look) = tokio::join!(call.into_future(), refuse(&mut server, -32602, "task not found"));
        assert_eq!(look["params"]["taskId"], "old");
        assert_eq!(output.unwrap_err().server_error().unwrap().code, -32602);
        assert_eq!(store.get("x").await.unwrap(), None);
    });
}

/// A look at a task that fails says nothing about the task: its id stays, so that the next process does not call the tool again.
#[test]
fn a_look_that_fails_does_not_forget_the_task() {
    for (core, code) in [(false, -32603), (false, 429), (true, -32603)] {
        paused(async move {
            let store = store_with("k").await;
            let (client, mut server) = pair(core).await;
            let call = client.call("slow", ()).store_task_id_in(store.clone(), "x");
            let serve = async {
                if core {
                    list_slow(&mut server).await;
                }
                refuse(&mut server, code, "not now").await
            };
            let (output, _) = tokio::join!(call.into_future(), serve);
            assert_eq!(output.unwrap_err().server_error().unwrap().code, code);
            assert_eq!(store.get("x").await.unwrap().as_deref(), Some(&b"k"[..]), "{core} {code}");
        });
    }
}
