//! Whose tasks are whose.

use std::time::Duration;

use jackfield_server::Tasks;

use super::{core_tasks, modern, pass, server, server_with};
use crate::talk::{Serve, Talk, runtime, started};

/// Begins a task of `who` and returns its id.
async fn make(who: &mut Talk) -> serde_json::Value {
    who.play("> 1 tools/call {\"name\": \"greet\", \"task\": {}}").await;
    let answer = who.receive().await.unwrap();
    let result = &answer["result"];
    let id = if result["task"].is_null() { &result["taskId"] } else { &result["task"]["taskId"] };
    assert!(id.is_string(), "{answer}");
    id.clone()
}

/// Every request about the task `$id` is refused as if it were not there.
async fn finds_nothing(who: &mut Talk, is_core: bool) {
    who.play(
        r#"
        > 10 tasks/get {"taskId": "$id"}
        < 10 error -32602 task not found
        > 11 tasks/cancel {"taskId": "$id"}
        < 11 error -32602 task not found
        "#,
    )
    .await;
    if is_core {
        who.play(
            r#"
            > 12 tasks/result {"taskId": "$id"}
            < 12 error -32602 task not found
            > 13 tasks/list
            < 13 {"tasks": [], "nextCursor": "!"}
            "#,
        )
        .await;
    } else {
        who.play(
            r#"
            > 12 tasks/update {"taskId": "$id", "inputResponses": {"name": {"action": "decline"}}}
            < 12 error -32602 task not found
            > 13 subscriptions/listen {"notifications": {"taskIds": ["$id"]}}
            < notifications/subscriptions/acknowledged {"notifications": {"taskIds": []}}
            "#,
        )
        .await;
    }
}

fn users(server: impl Serve) -> [Talk; 3] {
    let server = server.running();
    ["alice", "mallory", "alice"].map(|user| Talk::of_user(&server, user))
}

/// T-056, T-092, SEC-023, TASK-042, TASK-046, XTSK-042: tasks belong to the user; those of others are not there, by whatever method. The same user finds them from
/// another connection.
#[test]
fn tasks_belong_to_their_user() {
    runtime().block_on(async {
        for (begin, is_core) in [(core_tasks(), true), (modern(), false)] {
            let [mut alice, mut mallory, mut elsewhere] = users(started(server()));
            for talk in [&mut alice, &mut mallory, &mut elsewhere] {
                talk.play(&begin).await;
            }
            let id = make(&mut alice).await;
            mallory.remember("$id", id.clone());
            finds_nothing(&mut mallory, is_core).await;
            elsewhere.remember("$id", id);
            elsewhere.play("> 2 tasks/get {\"taskId\": \"$id\"}\n < 2 {\"taskId\": \"*\"}").await;
        }
    });
}

/// T-092: an issuer and a name are not mixed up with others that read the same when put together.
#[test]
fn users_are_not_mixed_up() {
    runtime().block_on(async {
        let server = started(server());
        let user = |issuer: &str, name: &str| Talk::with(&server, Some(jackfield_peer::Principal::new(issuer, name)));
        let (mut one, mut other) = (user("https://a", "bc"), user("https://ab", "c"));
        one.play(&modern()).await;
        other.play(&modern()).await;
        let id = make(&mut one).await;
        other.remember("$id", id);
        finds_nothing(&mut other, false).await;
    });
}

/// T-092, TASK-045: without a user a task of 2025-11-25 belongs to its session, so that lists show nothing of others.
#[test]
fn without_a_user_tasks_belong_to_the_session() {
    runtime().block_on(async {
        let server = started(server());
        let (mut one, mut other) = (Talk::new(&server), Talk::new(&server));
        one.play(&core_tasks()).await;
        other.play(&core_tasks()).await;
        let id = make(&mut one).await;
        other.remember("$id", id);
        finds_nothing(&mut other, true).await;
    });
}

/// XTSK-041: without a user a task of the extension belongs to whoever knows its id, over any connection.
#[test]
fn without_a_user_the_id_is_what_counts() {
    runtime().block_on(async {
        let server = started(server());
        let (mut one, mut other) = (Talk::new(&server), Talk::new(&server));
        one.play(&modern()).await;
        other.play(&modern()).await;
        let id = make(&mut one).await;
        assert_eq!(id.as_str().unwrap().len(), 32, "192 bits");
        other.remember("$id", id);
        other.play("> 2 tasks/get {\"taskId\": \"$id\"}\n < 2 {\"taskId\": \"*\"}").await;
        // A user does not find it: it is nobody's.
        let mut user = Talk::of_user(&server, "alice");
        user.play(&modern()).await;
        user.remember("$id", other.known("$id").clone());
        finds_nothing(&mut user, false).await;
    });
}

/// T-092: a cursor of one user's list means nothing in another's.
#[test]
fn cursors_belong_to_their_user() {
    runtime().block_on(async {
        let server = server().page_size(1);
        let [mut alice, mut mallory, _] = users(server);
        for talk in [&mut alice, &mut mallory] {
            talk.play(&core_tasks()).await;
            for _ in 0..2 {
                make(talk).await;
                talk.play("< notifications/tasks/status").await;
            }
        }
        alice.play("> 5 tasks/list\n < 5 {\"tasks\": [{}], \"nextCursor\": \"$next\"}").await;
        mallory.remember("$next", alice.known("$next").clone());
        mallory.play("> 6 tasks/list {\"cursor\": \"$next\"}\n < 6 error -32602 cursor").await;
    });
}

/// TASK-048: a user has so many tasks and no more, and so many run; others are not locked out, and a task that ends makes room.
#[test]
fn tasks_are_limited() {
    runtime().block_on(async {
        let tasks = Tasks::new().per_owner(2).running(3).ttl(Duration::from_secs(100));
        let built = started(server_with(tasks).0);
        let user = |name| Talk::with(built.clone(), Some(jackfield_peer::Principal::new("https://a", name)));
        let (mut alice, mut bob) = (user("alice"), user("bob"));
        alice.play(&modern()).await;
        bob.play(&modern()).await;
        alice
            .play(
                r#"
            > 1 tools/call {"name": "endless"}
            < 1 {"taskId": "$id"}
            > 2 tools/call {"name": "endless"}
            < 2 {"taskId": "*"}
            > 3 tools/call {"name": "endless"}
            < 3 error 429 more than 2 tasks
            "#,
            )
            .await;
        bob.play(
            r#"
            > 1 tools/call {"name": "endless"}
            < 1 {"taskId": "*"}
            > 2 tools/call {"name": "endless"}
            < 2 error 429 more than 3 tasks are running
            "#,
        )
        .await;
        alice.play("> 4 tasks/cancel {\"taskId\": \"$id\"}\n < 4 {}").await;
        pass(1).await;
        bob.play("> 3 tools/call {\"name\": \"endless\"}\n < 3 {\"taskId\": \"*\"}").await;
    });
}

/// TASK-047: whoever asks about tasks too often is refused for a moment, by whatever method; others are not.
#[test]
fn requests_about_tasks_have_a_rate() {
    runtime().block_on(async {
        let (server, _) = server_with(Tasks::new().per_second(5));
        let [mut alice, mut mallory, _] = users(server);
        for talk in [&mut alice, &mut mallory] {
            talk.play(&core_tasks()).await;
        }
        alice.play("> 1 tools/call {\"name\": \"greet\", \"task\": {}}\n < 1 {\"task\": {\"taskId\": \"$id\"}}").await;
        alice.play("< notifications/tasks/status {}").await;
        for _ in 0..4 {
            alice.play("> 2 tasks/get {\"taskId\": \"$id\"}\n < 2 {\"taskId\": \"*\"}").await;
        }
        alice
            .play(
                r#"
                > 3 tasks/get {"taskId": "$id"}
                < 3 error 429 more than 5 requests about tasks in a second
                > 4 tasks/list
                < 4 error 429 try again in a moment
                > 5 tools/call {"name": "greet", "task": {}}
                < 5 error 429 try again in a moment
                > 6 tasks/cancel {"taskId": "$id"}
                < 6 error 429 try again in a moment
                > 7 tools/call {"name": "plain"}
                < 7 {}
                "#,
            )
            .await;
        mallory.play("> 1 tasks/list\n < 1 {\"tasks\": []}").await;
        pass(1).await;
        alice.play("> 8 tasks/cancel {\"taskId\": \"$id\"}\n < 8 {\"status\": \"cancelled\"}").await;
    });
}
