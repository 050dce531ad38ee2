//! What a caller may come back to with a handle.

use std::sync::Arc;
use std::time::Duration;

use jackfield_protocol::CallToolResult;
use jackfield_server::{Cx, Handles, Server};
use serde_json::{Value, json};

use crate::demo::{sync_tool, text_schema};
use crate::talk::{Talk, runtime, started};

/// A server whose tools open a box, look into it, and close it.
fn server(boxes: Handles<String>) -> Server {
    let boxes = Arc::new(boxes);
    let answer = |answer: Result<String, String>| match answer {
        Ok(text) => CallToolResult::text(text),
        Err(text) => CallToolResult::failure(text),
    };
    let with = |run: fn(&Handles<String>, &Cx, &str) -> Result<String, String>| {
        let boxes = boxes.clone();
        move |arguments: Value, cx: Cx| answer(run(&boxes, &cx, arguments["it"].as_str().unwrap()))
    };
    Server::new("boxes")
        .tool(sync_tool(
            "open",
            text_schema("it"),
            with(|boxes, cx, it| boxes.insert(cx, it.to_owned()).map_err(|error| error.to_string())),
        ))
        .tool(sync_tool(
            "look",
            text_schema("it"),
            with(|boxes, cx, it| boxes.get(cx, it).map(|found| (*found).clone()).map_err(|error| error.to_string())),
        ))
        .tool(sync_tool(
            "close",
            text_schema("it"),
            with(|boxes, cx, it| boxes.remove(cx, it).map(|found| (*found).clone()).map_err(|error| error.to_string())),
        ))
}

/// Calls a tool, and returns its text and whether it failed.
async fn call(who: &mut Talk, tool: &str, it: &str) -> (String, bool) {
    who.play(&format!("> 1 tools/call {}", json!({"name": tool, "arguments": {"it": it}}))).await;
    let answer = who.receive().await.unwrap();
    let result = &answer["result"];
    (result["content"][0]["text"].as_str().unwrap().to_owned(), result["isError"] == true)
}

const UNKNOWN: &str = "the handle is not known or has expired; begin anew";

/// T-056, SEC-023, SEC-024, SRV-038, CLI-066: a handle is worth something to its user only; others, and those who guess, are told the same as
/// about one that never was.
#[test]
fn handles_belong_to_their_user() {
    for era in ["@ 2025-11-25 {}", "@ 2026-07-28 {}"] {
        runtime().block_on(async {
            let server = started(server(Handles::new()));
            let [mut alice, mut mallory, mut elsewhere] =
                ["alice", "mallory", "alice"].map(|user| Talk::of_user(&server, user));
            for talk in [&mut alice, &mut mallory, &mut elsewhere] {
                talk.play(era).await;
            }
            let (handle, _) = call(&mut alice, "open", "treasure").await;
            assert!(handle.len() >= 22, "128 bits and more: {handle}");
            assert_ne!(call(&mut alice, "open", "treasure").await.0, handle);
            for tool in ["look", "close"] {
                assert_eq!(call(&mut mallory, tool, &handle).await, (UNKNOWN.to_owned(), true));
            }
            for guess in ["", "x", &handle[1..], &handle.to_uppercase(), &format!("{handle} ")] {
                assert_eq!(call(&mut alice, "look", guess).await, (UNKNOWN.to_owned(), true), "{guess}");
            }
            assert_eq!(call(&mut elsewhere, "look", &handle).await, ("treasure".to_owned(), false));
            assert_eq!(call(&mut alice, "close", &handle).await, ("treasure".to_owned(), false));
            assert_eq!(call(&mut alice, "look", &handle).await, (UNKNOWN.to_owned(), true));
        });
    }
}

/// T-056: without a user a handle belongs to its session.
#[test]
fn without_a_user_handles_belong_to_the_session() {
    runtime().block_on(async {
        let server = started(server(Handles::new()));
        let (mut one, mut other) = (Talk::new(&server), Talk::new(&server));
        one.play("@ 2025-11-25 {}").await;
        other.play("@ 2025-11-25 {}").await;
        let (handle, _) = call(&mut one, "open", "x").await;
        assert_eq!(call(&mut other, "look", &handle).await, (UNKNOWN.to_owned(), true));
        assert_eq!(call(&mut one, "look", &handle).await, ("x".to_owned(), false));
    });
}

/// T-056, SEC-024, SRV-038: handles expire some time after their last use, and each user has a limited number of them.
#[test]
fn handles_expire_and_are_bounded() {
    runtime().block_on(async {
        let server = started(server(Handles::new().lasting(Duration::from_secs(10)).per_owner(2)));
        let mut alice = Talk::of_user(&server, "alice");
        let mut bob = Talk::of_user(&server, "bob");
        alice.play("@ 2026-07-28 {}").await;
        bob.play("@ 2026-07-28 {}").await;
        let (first, _) = call(&mut alice, "open", "a").await;
        let (second, _) = call(&mut alice, "open", "b").await;
        let (refused, failed) = call(&mut alice, "open", "c").await;
        assert!(failed && refused.starts_with("there are 2 handles already"), "{refused}");
        assert!(!call(&mut bob, "open", "d").await.1);
        tokio::time::advance(Duration::from_secs(9)).await;
        assert_eq!(call(&mut alice, "look", &first).await.0, "a");
        tokio::time::advance(Duration::from_secs(2)).await;
        assert_eq!(call(&mut alice, "look", &first).await.0, "a");
        assert_eq!(call(&mut alice, "look", &second).await, (UNKNOWN.to_owned(), true));
        assert!(!call(&mut alice, "open", "c").await.1);
    });
}

/// All owners together have a limited number too; what expires or is given up makes room.
#[test]
fn handles_are_bounded_over_all_owners() {
    runtime().block_on(async {
        let server = started(server(Handles::new().lasting(Duration::from_secs(10)).total(3)));
        let mut handles = Vec::new();
        for name in ["alice", "bob", "carol"] {
            let mut talk = Talk::of_user(&server, name);
            talk.play("@ 2026-07-28 {}").await;
            handles.push((call(&mut talk, "open", name).await.0, talk));
        }
        let mut dave = Talk::of_user(&server, "dave");
        dave.play("@ 2026-07-28 {}").await;
        let (refused, failed) = call(&mut dave, "open", "d").await;
        assert!(failed && refused.starts_with("there are 3 handles already"), "{refused}");
        let (handle, alice) = &mut handles[0];
        assert_eq!(call(alice, "close", handle).await.0, "alice");
        assert!(!call(&mut dave, "open", "d").await.1);
        assert!(call(&mut dave, "open", "e").await.1);
        tokio::time::advance(Duration::from_secs(11)).await;
        for _ in 0..3 {
            assert!(!call(&mut dave, "open", "f").await.1);
        }
        assert!(call(&mut dave, "open", "g").await.1);
    });
}

/// A handle is given up once, however many try at the same moment.
#[test]
fn a_handle_is_given_up_once() {
    let kept = Arc::new(std::sync::Mutex::new(None));
    let slot = kept.clone();
    let keep = sync_tool("keep", json!({"type": "object"}), move |_, cx| {
        *slot.lock().unwrap() = Some(cx);
        CallToolResult::text("kept")
    });
    crate::talk::check(Server::new("x").tool(keep), "@ 2026-07-28\n > 1 tools/call {\"name\": \"keep\"}\n < 1 {}");
    let cx = kept.lock().unwrap().take().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let _inside = runtime.enter();
    let handles = Handles::new();
    for _ in 0..500 {
        let handle = handles.insert(&cx, ()).unwrap();
        let start = std::sync::Barrier::new(2);
        let remove = || {
            start.wait();
            handles.remove(&cx, &handle).is_ok()
        };
        let removed = std::thread::scope(|scope| {
            let other = scope.spawn(remove);
            (remove(), other.join().unwrap())
        });
        assert!(removed.0 != removed.1, "{removed:?}");
    }
}
