//! What handlers tell beside their answers: that something changed, and what happens.

use jackfield::protocol::LoggingLevel;
use jackfield::testing::TestClient;
use jackfield::{Cx, Revision, Server, prompt, prompts, resource, resources, tool, tools};
use serde_json::json;

/// Say that something changed that this server keeps elsewhere.
#[tool]
fn announce(what: String, cx: &Cx) {
    match what.as_str() {
        "tools" => cx.notify_tools_changed(),
        "prompts" => cx.notify_prompts_changed(),
        "resources" => cx.notify_resources_changed(),
        uri => cx.notify_resource_updated(uri),
    }
}

/// Log at every level.
#[tool]
fn speak(cx: &Cx) {
    cx.debug("1");
    cx.info("2");
    cx.notice("3");
    cx.warning("4");
    cx.error("5");
    cx.critical("6");
    cx.alert("7");
    cx.emergency("8");
}

#[prompt]
fn greet() -> &'static str {
    "Hello"
}

#[resource("memo://one")]
fn memo() -> &'static str {
    "one"
}

fn server() -> Server {
    Server::new("telling").tools(tools![announce, speak]).prompts(prompts![greet]).resources(resources![memo])
}

/// SRV-010, SRV-042, SRV-060: handlers that change something elsewhere tell all who listen, in both eras.
#[tokio::test]
async fn handlers_tell_of_changes() {
    for revision in [Revision::LATEST_WITH_HANDSHAKE, Revision::LATEST] {
        let client = TestClient::with_revision(server(), revision);
        if revision.has_listen_streams() {
            let filter = json!({ "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
                "resourceSubscriptions": ["memo://one"] });
            client.listen(filter).await.unwrap();
        } else {
            client.request("resources/subscribe", json!({ "uri": "memo://one" })).await.unwrap();
        }
        for (what, method) in [
            ("tools", "notifications/tools/list_changed"),
            ("prompts", "notifications/prompts/list_changed"),
            ("resources", "notifications/resources/list_changed"),
            ("memo://one", "notifications/resources/updated"),
        ] {
            assert!(client.notifications().iter().all(|notice| notice.method != method), "{revision}: {method}");
            client.call_tool("announce", json!({ "what": what })).await.unwrap();
            let notice = client.wait_for(method).await.unwrap();
            if what == "memo://one" {
                assert_eq!(notice.params["uri"], what, "{revision}");
            }
        }
    }
}

/// Each level has its name, and what is below the level that the client wants is not sent.
#[tokio::test]
async fn handlers_log_at_every_level() {
    const ALL: [LoggingLevel; 8] = [
        LoggingLevel::Debug,
        LoggingLevel::Info,
        LoggingLevel::Notice,
        LoggingLevel::Warning,
        LoggingLevel::Error,
        LoggingLevel::Critical,
        LoggingLevel::Alert,
        LoggingLevel::Emergency,
    ];
    for revision in [Revision::LATEST_WITH_HANDSHAKE, Revision::LATEST] {
        for (at, wanted) in ALL.into_iter().enumerate() {
            let client = TestClient::with_revision(server(), revision).with_log_level(wanted);
            client.call_tool("speak", json!({})).await.unwrap();
            let told: Vec<_> = client.logs().into_iter().map(|log| (log.level, log.data.get().to_owned())).collect();
            let expected: Vec<_> =
                (at..8).map(|level| (ALL[level], format!("\"{}\"", level.saturating_add(1)))).collect();
            assert_eq!(told, expected, "{revision} from {wanted:?}");
        }
    }
}
