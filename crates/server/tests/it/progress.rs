//! Progress and log messages.

use std::time::Duration;

use jackfield_protocol::{CallToolResult, Revision};
use jackfield_server::{Cx, Server};
use serde_json::json;

use crate::demo::{plain, sync_tool};
use crate::talk::{Talk, check, check_each, legacy, runtime};

fn working() -> Server {
    Server::new("x")
        .tool(plain("work", |cx: Cx| async move {
            for step in [1, 2, 2, 1, 3] {
                cx.progress(step, 3.0, "busy");
                jackfield_testkit::pass(Duration::from_millis(20)).await;
            }
            cx.progress(f64::NAN, None, None);
            "done".to_owned()
        }))
        .tool(plain("burst", |cx: Cx| async move {
            for step in 0..1000 {
                cx.progress(f64::from(step), None, None);
            }
            jackfield_testkit::pass(Duration::from_secs(1)).await;
            cx.progress(5000, None, None);
            "done".to_owned()
        }))
        .tool(sync_tool("quick", json!({"type": "object"}), |_, cx| {
            cx.progress(1, 2.0, None);
            cx.progress(2, 2.0, None);
            cx.info("hi");
            CallToolResult::text("done")
        }))
}

/// PAT-017, PAT-019, PAT-021, PAT-022: only with a token, rising, in order.
#[test]
fn progress_rises_under_its_token() {
    check_each(
        Revision::ALL,
        working,
        r#"
        @ REVISION
        > 1 tools/call {"name": "work", "_meta": {"progressToken": "t"}}
        < notifications/progress {"progressToken": "t", "progress": 1, "total": 3}
        < notifications/progress {"progressToken": "t", "progress": 2, "total": 3}
        < notifications/progress {"progressToken": "t", "progress": 3, "total": 3}
        < 1 {}
        > 2 tools/call {"name": "work"}
        < 2 {}
        > 3 tools/call {"name": "work", "_meta": {"progressToken": 1.5}}
        < 3 {}
        < nothing
        "#,
    );
}

/// PAT-023: a burst is thinned out; the newest is kept and sent before the answer, also when nothing more happens.
#[test]
fn a_burst_of_progress_is_thinned_out() {
    let first: String = (0..20).map(|step| format!("< notifications/progress {{\"progress\": {step}}}\n")).collect();
    let conversation = format!(
        r#"
        @ REVISION
        > 1 tools/call {{"name": "burst", "_meta": {{"progressToken": 9}}}}
        {first}
        < notifications/progress {{"progress": 999}}
        < notifications/progress {{"progress": 5000}}
        < 1 {{}}
        > 2 tools/call {{"name": "quick", "_meta": {{"progressToken": 9}}}}
        < notifications/progress {{"progress": 1}}
        // Messages keep their order.
        "#
    );
    check_each(Revision::ALL, working, &conversation);
}

/// PAT-024: progress ends with the call.
#[test]
fn progress_ends_with_the_call() {
    let (sender, receiver) = std::sync::mpsc::sync_channel::<Cx>(1);
    let server = Server::new("x").tool(plain("leak", move |cx: Cx| {
        let _ = sender.try_send(cx);
        async { "done".to_owned() }
    }));
    runtime().block_on(async {
        let mut talk = Talk::new(server);
        talk.play("@ 2025-11-25\n > 1 tools/call {\"name\": \"leak\", \"_meta\": {\"progressToken\": 1}}\n < 1 {}")
            .await;
        let cx = receiver.recv().unwrap();
        assert!(cx.is_cancelled());
        cx.progress(1, None, None);
        cx.error("too late");
        talk.play("< nothing").await;
    });
}

fn logging() -> Server {
    Server::new("x").tool(plain("log", |cx: Cx| async move {
        cx.debug("d");
        cx.info(json!({"n": 1}));
        cx.log(jackfield_protocol::LoggingLevel::Warning, Some("db"), "w");
        cx.emergency("e");
        "done".to_owned()
    }))
}

/// SRV-094, SRV-095: the level of the session; `info` before it is set.
#[test]
fn legacy_sessions_have_a_level() {
    check_each(
        legacy(),
        logging,
        r#"
        @ REVISION
        > 1 tools/call {"name": "log"}
        < notifications/message {"level": "info", "data": {"n": 1}, "logger": "!"}
        < notifications/message {"level": "warning", "logger": "db", "data": "w"}
        < notifications/message {"level": "emergency", "data": "e"}
        < 1 {}
        > 2 logging/setLevel {"level": "critical"}
        < 2 {}
        > 3 tools/call {"name": "log"}
        < notifications/message {"level": "emergency"}
        < 3 {}
        > 4 logging/setLevel {"level": "loud"}
        < 4 error -32602
        > 5 logging/setLevel {"level": "debug"}
        < 5 {}
        > 6 tools/call {"name": "log"}
        < notifications/message {"level": "debug"}
        < notifications/message {"level": "info"}
        < notifications/message {"level": "warning"}
        < notifications/message {"level": "emergency"}
        < 6 {}
        "#,
    );
}

/// SRV-096: each modern request names its level, or gets nothing.
#[test]
fn modern_requests_name_their_level() {
    check(
        logging(),
        r#"
        @ 2026-07-28
        > 1 tools/call {"name": "log"}
        < 1 {}
        > 2 tools/call {"name": "log", "_meta": {"io.modelcontextprotocol/logLevel": "warning"}}
        < notifications/message {"level": "warning"}
        < notifications/message {"level": "emergency"}
        < 2 {}
        > 3 tools/call {"name": "log"}
        < 3 {}
        < nothing
        "#,
    );
}

/// SRV-093: without the capability nothing is logged.
#[test]
fn logging_can_be_switched_off() {
    check(logging().logging(false), "@ 2025-11-25\n > 1 tools/call {\"name\": \"log\"}\n < 1 {}\n < nothing");
}

/// `tracing` events of a handler go to its client, those of others do not.
#[cfg(feature = "tracing-layer")]
#[test]
fn tracing_events_go_to_the_client_of_the_call() {
    use tracing_subscriber::layer::SubscriberExt;
    let subscriber = tracing_subscriber::registry().with(jackfield_server::ClientLog::new());
    let _default = tracing::subscriber::set_default(subscriber);
    let server = Server::new("x").tool(plain("trace", |_: Cx| async move {
        tracing::info!(target: "app", "hello");
        jackfield_testkit::pass(Duration::from_secs(1)).await;
        tracing::warn!(target: "app", n = 1, ok = true, "careful");
        tracing::debug!(target: "app", "not wanted");
        "done".to_owned()
    }));
    tracing::error!(target: "app", "nobody hears this");
    check(
        server,
        r#"
        @ 2025-11-25
        > 1 tools/call {"name": "trace"}
        < notifications/message {"level": "info", "logger": "app", "data": "hello"}
        < notifications/message {"level": "warning", "data": {"message": "careful", "n": 1, "ok": true}}
        < 1 {}
        "#,
    );
}
