//! What each example promises.

use std::path::PathBuf;

use base64::Engine;
use jackfield::Revision;
use serde_json::{Value, json};

use crate::process::Example;

fn each(name: &str, arguments: &[&str], check: impl Fn(&mut Example, Revision)) {
    for revision in Revision::ALL {
        let mut example = Example::start(name, arguments, revision);
        check(&mut example, revision);
        example.finish();
    }
}

/// A folder of the test's own.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// SRV-006, SRV-007
#[test]
fn quickstart() {
    each("quickstart", &[], |server, revision| {
        let tools = server.request("tools/list", json!({}));
        assert_eq!(tools["tools"][0]["name"], "add");
        assert_eq!(tools["tools"][0]["description"], "Add two numbers.");
        assert_eq!(tools["tools"][0]["inputSchema"]["required"], json!(["a", "b"]));
        assert_eq!(tools.get("resultType").is_some(), !revision.has_handshake());
        assert_eq!(server.text("add", json!({"a": 2, "b": 3})), "5");
        assert_eq!(server.read("greeting://Ada"), "Hello, Ada!");
        let templates = server.request("resources/templates/list", json!({}));
        assert_eq!(templates["resourceTemplates"][0]["uriTemplate"], "greeting://{name}");
    });
}

#[test]
fn the_quickstart_has_at_most_fourteen_lines() {
    let text = include_str!("../../quickstart.rs");
    let compact: Vec<_> = include_str!("../../../README.md")
        .split("```rust")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .unwrap()
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    assert!(compact.len() <= 14, "{}", compact.len());
    for name in [
        "fn add(",
        "fn greeting(",
        "Server::new(\"demo\").tools(tools![add]).resources(resources![greeting]).run_cli().await",
    ] {
        assert!(text.contains(name) && compact.iter().any(|line| line.contains(name)), "{name}");
    }
}

#[test]
fn echo() {
    each("echo", &[], |server, _| {
        assert_eq!(server.text("echo_tool", json!({"message": "hi"})), "Tool echo: hi");
        assert_eq!(server.read("echo://hi%20there"), "Resource echo: hi there");
        let prompt = server.request("prompts/get", json!({"name": "echo_prompt", "arguments": {"message": "hi"}}));
        assert_eq!(prompt["messages"][0]["content"]["text"], "Please process this message: hi");
    });
}

#[test]
fn sqlite_explorer() {
    let path = folder("sqlite").join("test.db");
    let database = rusqlite::Connection::open(&path).unwrap();
    database
        .execute_batch("CREATE TABLE users (id INTEGER, name TEXT); INSERT INTO users VALUES (1, 'Ada'), (2, NULL);")
        .unwrap();
    each("sqlite_explorer", &[path.to_str().unwrap()], |server, _| {
        assert_eq!(server.read("schema://main"), "CREATE TABLE users (id INTEGER, name TEXT)");
        assert_eq!(server.text("query_data", json!({"sql": "SELECT * FROM users ORDER BY id"})), "1 | Ada\n2 | NULL");
        for sql in [
            "DELETE FROM users",
            "DROP TABLE users",
            "SELECT nonsense",
            "ATTACH 'x' AS y",
            "INSERT INTO users VALUES (3, 'x')",
        ] {
            let result = server.call("query_data", json!({"sql": sql}));
            assert_eq!(result["isError"], true, "{sql}: {result}");
        }
    });
    let rows: i64 = database.query_row("SELECT count(*) FROM users", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 2);
}

#[test]
fn bmi() {
    let file = folder("bmi").join("text.txt");
    std::fs::write(&file, "one two\nthree\n").unwrap();
    each("bmi", &[], |server, revision| {
        assert_eq!(server.text("calculate_bmi", json!({"weight_kg": 80, "height_m": 2.0})), "20");
        let refused = server.call("calculate_bmi", json!({"weight_kg": 80, "height_m": 9}));
        assert_eq!(refused["isError"], true);
        assert!(refused["content"][0]["text"].as_str().unwrap().contains("height_m"), "{refused}");
        let counted = server.call("count", json!({"path": file}));
        let expected = json!({"lines": 2, "words": 3, "bytes": 14});
        assert_eq!(serde_json::from_str::<Value>(counted["content"][0]["text"].as_str().unwrap()).unwrap(), expected);
        assert_eq!(counted.get("structuredContent"), revision.has_structured_output().then_some(&expected));
        assert_eq!(server.call("count", json!({"path": "/no/such/file"}))["isError"], true);
    });
}

#[test]
fn closures() {
    each("closures", &[], |server, revision| {
        let sum = server.call("add", json!({"a": 2, "b": 3}));
        assert_eq!(sum["content"][0]["text"], r#"{"sum":5}"#);
        assert_eq!(sum.get("structuredContent").is_some(), revision.has_structured_output());
        let refused = server.call("add", json!({"a": 2, "b": "three"}));
        assert_eq!(refused["isError"], true);
        assert!(refused["content"][0]["text"].as_str().unwrap().contains("`b`"), "{refused}");
        assert_eq!((server.text("count", json!({})), server.text("count", json!({}))), ("1".into(), "2".into()));
        assert_eq!(server.read("greeting://Ada"), "Hello, Ada!");
        let arguments = json!({"code": "x = 1", "strictness": "5"});
        let review = server.request("prompts/get", json!({"name": "review", "arguments": arguments}));
        assert_eq!(review["messages"][0]["content"]["text"], "Review this code with strictness 5: x = 1");
        assert!(server.exchange("prompts/get", json!({"name": "review"})).is_err());
    });
}

#[test]
fn prompts() {
    each("prompts", &[], |server, _| {
        let review = server.request("prompts/get", json!({"name": "review_code", "arguments": {"code": "x = 1"}}));
        assert!(review["messages"][0]["content"]["text"].as_str().unwrap().contains("x = 1"));
        let debug = server.request(
            "prompts/get",
            json!({"name": "debug_error", "arguments": {"error": "E0308", "language": "rust"}}),
        );
        let roles: Vec<_> =
            debug["messages"].as_array().unwrap().iter().map(|message| message["role"].clone()).collect();
        assert_eq!(roles, ["user", "user", "assistant"]);
        assert_eq!(debug["messages"][0]["content"]["text"], "I see this error in rust:");
        let completed = server.request(
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "debug_error"}, "argument": {"name": "language", "value": "py"}}),
        );
        assert_eq!(completed["completion"]["values"], json!(["python"]));
        let missing = server.exchange("prompts/get", json!({"name": "review_code"})).unwrap_err();
        assert_eq!(missing["code"], -32602);
    });
}

#[test]
fn thumbnail() {
    let path = folder("thumbnail").join("large.png");
    image::RgbImage::from_pixel(400, 200, image::Rgb([200, 30, 30])).save(&path).unwrap();
    each("thumbnail", &[], |server, _| {
        let result = server.call("create_thumbnail", json!({"image_path": path}));
        assert_eq!(result["content"][0]["mimeType"], "image/png");
        let png =
            base64::engine::general_purpose::STANDARD.decode(result["content"][0]["data"].as_str().unwrap()).unwrap();
        let image = image::load_from_memory(&png).unwrap();
        assert_eq!((image.width(), image.height()), (100, 50));
    });
}

/// PAT-019, PAT-021, PAT-024
#[test]
fn long_task() {
    each("long_task", &[], |server, revision| {
        let result = server.request(
            "tools/call",
            json!({"name": "long_task", "arguments": {"files": ["a", "b", "c"]}, "_meta": {"progressToken": "t"}}),
        );
        assert_eq!(result["content"][0]["text"], "processed 3 files, 39 bytes");
        let (progress, rest): (Vec<_>, Vec<_>) =
            server.notices.drain(..).partition(|notice| notice["method"] == "notifications/progress");
        let steps: Vec<_> = progress.iter().map(|notice| notice["params"]["progress"].as_f64().unwrap()).collect();
        assert_eq!(steps, [1.0, 2.0, 3.0]);
        for notice in &progress {
            assert_eq!(notice["params"]["progressToken"], "t");
            assert_eq!(notice["params"]["total"].as_f64(), Some(3.0));
            assert_eq!(notice["params"].get("message").is_some(), revision.has_progress_message());
        }
        let logged: Vec<_> = rest.iter().map(|notice| notice["params"]["data"].as_str().unwrap()).collect();
        assert_eq!(logged, ["processing a", "processing b", "processing c"]);
        // Without a token there is no progress.
        server.call("long_task", json!({"files": ["a"]}));
        assert!(server.notices.drain(..).all(|notice| notice["method"] != "notifications/progress"));
    });
}

#[test]
fn lifespan() {
    let path = folder("lifespan").join("notes.db");
    let path = path.to_str().unwrap();
    let mut server = Example::start("lifespan", &[path], Revision::LATEST);
    assert_eq!(server.text("save", json!({"text": "first"})), "1");
    assert_eq!(server.text("save", json!({"text": "second"})), "2");
    let errors = server.finish();
    assert!(errors.contains("closing the database after 2 changes"), "{errors}");
    let mut again = Example::start("lifespan", &[path], Revision::LATEST_WITH_HANDSHAKE);
    assert_eq!(again.text("load", json!({"number": 2})), "second");
    assert_eq!(again.call("load", json!({"number": 99}))["isError"], true);
    again.finish();
    let broken = Example::start_silent("lifespan", &["/no/such/folder/notes.db"], Revision::LATEST);
    let (status, rest, errors) = broken.wait();
    assert!(!status.success() && rest.is_empty() && errors.contains("could not be started"), "{errors}");
}

#[test]
fn low_level() {
    each("low_level", &[], |server, _| {
        assert_eq!(server.request("tools/list", json!({}))["tools"][0]["name"], "shout");
        assert_eq!(server.text("shout", json!({"text": "hello"})), "HELLO");
        assert_eq!(server.exchange("tools/call", json!({"name": "whisper"})).unwrap_err()["code"], -32602);
    });
}

/// TASK-024, TASK-026, XTSK-006, XTSK-014: the same functions run as tasks of both forms, or as plain calls where there are no tasks.
#[test]
fn report_task() {
    let answer = || json!({"action": "accept", "content": {"words": 7}});
    let expected = "# Report about tides\n\nIn 7 words.";
    each("report_task", &[], |server, revision| {
        let arguments = json!({"topic": "tides", "ask": revision.has_elicitation()});
        let plain = || json!({"name": "report", "arguments": arguments});
        assert_eq!(
            server.text("count", json!({"to": 11})),
            "counted to 11",
            "without the extension it is a plain call"
        );
        if revision.has_tasks_extension() {
            let able = json!({"io.modelcontextprotocol/clientCapabilities":
                {"elicitation": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}}});
            let with = |mut params: Value| {
                params["_meta"] = able.clone();
                params
            };
            let task = server.request("tools/call", with(plain()));
            assert_eq!(task["resultType"], "task");
            let id = task["taskId"].clone();
            let result = loop {
                let mut task = server.request("tasks/get", with(json!({"taskId": id})));
                match task["status"].as_str().unwrap() {
                    "input_required" => {
                        let answers = json!({"taskId": id, "inputResponses": {"style": answer()}});
                        server.request("tasks/update", with(answers));
                    }
                    "working" => {}
                    status => {
                        assert_eq!(status, "completed");
                        break task["result"].take();
                    }
                }
            };
            assert_eq!(result["content"][0]["text"], expected);
            let short = server.request("tools/call", with(json!({"name": "count", "arguments": {"to": 1}})));
            assert_eq!(short["resultType"], "complete");
            let long = server.request("tools/call", with(json!({"name": "count", "arguments": {"to": 11}})));
            assert_eq!(long["resultType"], "task");
        } else if revision.has_core_tasks() {
            let mut params = plain();
            (params["task"], params["_meta"]) = (json!({"ttl": 60_000}), json!({"progressToken": "t"}));
            let created = server.request("tools/call", params);
            assert_eq!(created["task"]["ttl"], 60_000);
            server.replies.push_back(answer());
            let result = server.request("tasks/result", json!({"taskId": created["task"]["taskId"]}));
            assert_eq!(result["content"][0]["text"], expected);
            let told = |method: &str| server.notices.iter().filter(|notice| notice["method"] == method).count();
            assert_eq!(told("notifications/progress"), 3);
            assert!(told("notifications/tasks/status") >= 2);
        } else {
            server.replies.extend(revision.has_elicitation().then(answer));
            let words = if revision.has_elicitation() { 7 } else { 500 };
            let text = server.text("report", arguments.clone());
            assert_eq!(text, expected.replace('7', &words.to_string()));
        }
    });
}

/// PAT-036: the same function asks by request, by result, or fails clearly where nobody can be asked.
#[test]
fn elicitation() {
    each("elicitation", &[], |server, revision| {
        let booking = json!({"date": "2024-12-25", "time": "19:00", "party_size": 4});
        if !revision.has_elicitation() {
            let refused = server.call("book_table", booking);
            assert_eq!(refused["isError"], true);
            return;
        }
        let accept = |content: Value| json!({"action": "accept", "content": content});
        server.replies.push_back(accept(json!({"check_alternative": true, "alternative_date": "2024-12-27"})));
        server.replies.push_back(accept(json!({"confirm": true})));
        assert_eq!(server.text("book_table", booking.clone()), "Booked for 2024-12-27 at 19:00, number 4711.");
        server.replies.push_back(json!({"action": "decline"}));
        assert_eq!(server.text("book_table", booking), "Booking cancelled.");
    });
}

/// The server that is measured.
#[test]
fn bench_server() {
    each("bench_server", &[], |server, revision| {
        let tools = server.request("tools/list", json!({}));
        let names: Vec<_> =
            tools["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(names.len(), 50);
        assert_eq!((names[0], names[1], names[2], names[49]), ("echo", "add", "tool_02", "tool_49"));
        assert_eq!(server.text("echo", json!({"message": "hi"})), "hi");
        let sum = server.call("add", json!({"a": 2, "b": 3}));
        assert_eq!(sum["content"][0]["text"], r#"{"sum":5}"#);
        assert_eq!(sum.get("structuredContent"), revision.has_structured_output().then_some(&json!({"sum": 5})));
        let text = server.read("bench://doc");
        assert_eq!(text.len(), 10_240);
        assert!(text.starts_with("The quick brown fox jumps over the lazy dog, line 0000 of it.\n"));
        assert!(!server.text("tool_07", json!({"query": "x", "tags": ["a"]})).is_empty());
    });
}

#[test]
fn skills() {
    let folder = folder("skills");
    let skill = folder.join("acme/refunds");
    std::fs::create_dir_all(&skill).unwrap();
    std::fs::write(skill.join("SKILL.md"), "---\nname: refunds\ndescription: Pay back\n---\nPay.\n").unwrap();
    each("skills", &[folder.to_str().unwrap()], |server, revision| {
        let resources = server.request("resources/list", json!({}));
        let uris = json!(["skill://release-notes/SKILL.md", "skill://acme/refunds/SKILL.md"]);
        assert_eq!(json!([resources["resources"][0]["uri"], resources["resources"][1]["uri"]]), uris);
        assert_eq!(server.read("skill://release-notes/references/GROUPS.md"), "Added, Changed, Fixed, Removed.\n");
        if !revision.has_handshake() {
            let listed = server.request("skills/list", json!({}));
            assert_eq!(listed["skills"][0]["frontmatter"], json!({ "name": "refunds", "description": "Pay back" }));
        }
    });
}
