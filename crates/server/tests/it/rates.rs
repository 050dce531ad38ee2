//! How often callers may do what costs something.

use std::time::Duration;

use jackfield_peer::{CallLimits, Rate};
use jackfield_protocol::LoggingLevel;
use jackfield_server::{Cx, Server};

use crate::demo::{echo, plain, review};
use crate::talk::{Talk, runtime, started};

fn server(change: impl Fn(&mut CallLimits)) -> Server {
    let mut limits = CallLimits::default();
    change(&mut limits);
    Server::new("x")
        .limits(limits)
        .tool(echo())
        .tool(plain("chatter", |cx: Cx| async move {
            for n in 0..50 {
                cx.log(LoggingLevel::Info, Some("app"), n);
            }
            "done".to_owned()
        }))
        .prompt(review())
}

const CALL: &str = r#"> 1 tools/call {"name": "echo", "arguments": {"message": "x"}}"#;
const DONE: &str = r#"< 1 {"content": [{"text": "x"}]}"#;

/// SRV-031: calls above the rate are refused for the caller that makes them, in both eras, until some time has passed.
#[test]
fn tools_are_called_only_so_often() {
    for era in ["@ 2025-11-25 {}", "@ 2026-07-28 {}"] {
        runtime().block_on(async {
            let server = server(|limits| limits.tool_calls = Some(Rate::new(2, Duration::from_secs(10))));
            let built = started(server);
            let user = |name: &str| jackfield_peer::Principal::new("https://issuer.example", name);
            let [mut ann, mut bob, mut ann_again] =
                ["ann", "bob", "ann"].map(|name| Talk::with(built.clone(), Some(user(name))));
            for talk in [&mut ann, &mut bob, &mut ann_again] {
                talk.play(era).await;
            }
            let refused = r#"< 1 error 429 too many calls of tools data {"retryAfterMs": 5000}"#;
            ann.play(&format!("{CALL}\n{DONE}\n{CALL}\n{DONE}\n{CALL}\n{refused}")).await;
            // Another connection of the same user does not help; another user is not concerned.
            ann_again.play(&format!("{CALL}\n{refused}")).await;
            bob.play(&format!("{CALL}\n{DONE}\n{CALL}\n{DONE}\n{CALL}\n{refused}")).await;
            // Nothing else is limited.
            ann.play("> 2 tools/list\n< 2 {\"tools\": \"*\"}").await;
            tokio::time::advance(Duration::from_secs(5)).await;
            ann.play(&format!("{CALL}\n{DONE}\n{CALL}\n{refused}")).await;
        });
    }
}

/// SRV-031: without a user the session is the caller.
#[test]
fn without_a_user_sessions_are_counted() {
    runtime().block_on(async {
        let built = started(server(|limits| limits.tool_calls = Some(Rate::new(1, Duration::from_secs(10)))));
        let (mut one, mut other) = (Talk::with(built.clone(), None), Talk::with(built, None));
        one.play(&format!("@ 2025-11-25 {{}}\n{CALL}\n{DONE}\n{CALL}\n< 1 error 429")).await;
        other.play(&format!("@ 2025-11-25 {{}}\n{CALL}\n{DONE}")).await;
    });
}

/// SRV-031: a high rate is counted for all together at first, and still has an end for each.
#[test]
fn high_rates_have_an_end_too() {
    runtime().block_on(async {
        let server = server(|limits| limits.tool_calls = Some(Rate::new(10_000, Duration::from_secs(10))));
        let mut talk = Talk::new(server);
        talk.play("@ 2025-11-25 {}").await;
        let mut count = 0;
        loop {
            talk.play(CALL).await;
            if talk.receive().await.unwrap().get("error").is_some() {
                break;
            }
            count += 1;
            assert!(count <= 20_000, "twice the rate is the most");
        }
        assert!(count >= 10_000, "{count}");
        tokio::time::advance(Duration::from_secs(10)).await;
        talk.play(&format!("{CALL}\n{DONE}")).await;
    });
}

/// SRV-091, SRV-088: completions above the rate are refused.
#[test]
fn completions_are_asked_for_only_so_often() {
    let server = server(|limits| limits.completions = Some(Rate::new(1, Duration::from_secs(2))));
    let ask = r#"> 1 completion/complete {"ref": {"type": "ref/prompt", "name": "review"}, "argument": {"name": "language", "value": "r"}}"#;
    let found = r#"< 1 {"completion": {"values": ["rust", "ruby"]}}"#;
    runtime().block_on(async {
        let mut talk = Talk::new(server);
        talk.play(&format!("@ 2025-11-25 {{}}\n{ask}\n{found}\n{ask}\n< 1 error 429 too many completions")).await;
        tokio::time::advance(Duration::from_secs(2)).await;
        talk.play(&format!("{ask}\n{found}")).await;
    });
}

/// SRV-099: log messages above the rate are left out; the call goes on.
#[test]
fn log_messages_are_limited() {
    runtime().block_on(async {
        let mut talk = Talk::new(server(|limits| limits.log_messages = Some(Rate::new(3, Duration::from_secs(60)))));
        talk.play(
            r#"
            @ 2025-11-25
            > 1 tools/call {"name": "chatter"}
            < notifications/message {"logger": "app", "data": 0}
            < notifications/message {"logger": "app", "data": 1}
            < notifications/message {"logger": "app", "data": 2}
            < 1 {"content": [{"text": "done"}]}
            < nothing
            "#,
        )
        .await;
        talk.play("> 2 tools/call {\"name\": \"chatter\"}\n< notifications/message {}").await;
    });
}

/// SRV-099, SRV-100: what says that it is secret does not reach the client, by whichever way it was logged.
#[test]
fn secrets_are_not_logged() {
    let server = Server::new("x").tool(plain("log", |cx: Cx| async move {
        cx.info(serde_json::json!({"user": "ann", "password": "p1", "request": {"Authorization": "p2"}, "note": "Bearer p3"}));
        #[cfg(feature = "tracing-layer")]
        tracing::info!(target: "app", api_key = "p4", "logged in");
        "done".to_owned()
    }));
    #[cfg(feature = "tracing-layer")]
    let _default = {
        use tracing_subscriber::layer::SubscriberExt;
        tracing::subscriber::set_default(tracing_subscriber::registry().with(jackfield_server::ClientLog::new()))
    };
    runtime().block_on(async {
        let mut talk = Talk::new(server);
        talk.play("@ 2025-11-25\n> 1 tools/call {\"name\": \"log\"}").await;
        let mut logged = Vec::new();
        loop {
            let message = talk.receive().await.unwrap();
            if message["id"] == 1 {
                break;
            }
            assert_eq!(message["method"], "notifications/message");
            logged.push(message.to_string());
        }
        assert_eq!(logged.len(), if cfg!(feature = "tracing-layer") { 2 } else { 1 });
        assert!(logged[0].contains("ann"), "{logged:?}");
        for text in &logged {
            assert!(["p1", "p2", "p3", "p4"].iter().all(|secret| !text.contains(secret)), "{text}");
        }
    });
}
