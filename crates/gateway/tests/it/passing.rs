//! Requests and results on their way through.

use std::sync::Arc;

use jackfield::protocol::{ContentBlock, LoggingLevel, Reference, ResourceContents, Revision};
use jackfield::testing::TestClient;
use jackfield_client::Client;
use jackfield_gateway::Gateway;
use serde_json::json;
use tokio::task::JoinSet;

use crate::backend::{Place, Probe, behind, client_of, demo_with, gateway};

#[tokio::test]
async fn everything_passes_between_any_two_revisions() {
    for backend in Revision::ALL {
        for caller in Revision::ALL {
            let client = TestClient::with_revision(gateway(backend), caller);
            let said = client.call_tool("demo__echo", json!({"text": "hi"})).await.unwrap();
            assert_eq!(said.content[0].as_text(), Some("hi"), "{caller} to {backend}");
            let read = client.read_resource("note://demo/5").await.unwrap();
            let ResourceContents::Text(text) = &read.contents[0] else { panic!("{read:?}") };
            assert_eq!((text.uri.as_str(), &*text.text), ("note://demo/5", "note 5"));
            let prompt = client.get_prompt("demo__review", json!({"code": "x"})).await.unwrap();
            assert_eq!(prompt.messages[0].content.as_text(), Some("review x"));
            let proposals = client.complete(Reference::prompt("demo__review"), "code", "1").await.unwrap();
            assert_eq!(proposals.values, ["10", "11"]);
            let proposals = client.complete(Reference::resource("note://demo/{id}"), "id", "2").await.unwrap();
            assert_eq!(proposals.values, ["20"]);
        }
    }
}

#[tokio::test]
async fn what_is_wrong_is_told_as_the_server_tells_it() {
    for backend in [Revision::V2024_11_05, Revision::LATEST] {
        for caller in [Revision::V2025_11_25, Revision::LATEST] {
            let client = TestClient::with_revision(gateway(backend), caller);
            let failure = client.call_tool("demo__echo", json!({"text": 5})).await.unwrap();
            assert!(failure.is_failure() && failure.content[0].as_text().unwrap().contains("text"), "{failure:?}");
            let error = client.call_tool("demo__nothing", json!({})).await.unwrap_err();
            assert!(error.message.contains("unknown tool"), "{error:?}");
            // The code of a resource that is not there is that of the caller's revision, and the URI the one it asked for.
            let error = client.read_resource("other://demo/x").await.unwrap_err();
            assert_eq!(error.code, caller.resource_not_found_code(), "{caller} to {backend}: {error:?}");
            assert!(error.message.contains("other://demo/x"), "{error:?}");
            assert!(client.read_resource("note://nobody/x").await.is_err());
        }
    }
}

#[tokio::test]
async fn resources_in_results_can_be_read_through_the_gateway() {
    let client = TestClient::of(gateway(Revision::V2025_11_25));
    let linked = client.call_tool("demo__link", json!({})).await.unwrap();
    let ContentBlock::ResourceLink(link) = &linked.content[0] else { panic!("{linked:?}") };
    assert_eq!(link.uri, "note://demo/7");
    client.read_resource(&link.uri).await.unwrap();
    let ContentBlock::Resource(embedded) = &linked.content[1] else { panic!("{linked:?}") };
    assert_eq!(embedded.resource.uri(), "note://demo/8");
}

#[tokio::test]
async fn progress_and_log_messages_come_back() {
    for backend in Revision::ALL {
        for caller in [Revision::V2024_11_05, Revision::V2025_11_25, Revision::LATEST] {
            let client = TestClient::with_revision(gateway(backend), caller).with_log_level(LoggingLevel::Info);
            client.call_tool("demo__work", json!({})).await.unwrap();
            let progress = client.progress();
            assert_eq!(
                progress.iter().map(|notice| notice.progress).collect::<Vec<_>>(),
                [1.0],
                "{caller} to {backend}"
            );
            let logs = client.logs();
            let seen: Vec<_> = logs.iter().map(|log| (log.level, log.logger.as_deref())).collect();
            assert_eq!(seen, [(LoggingLevel::Warning, Some("demo/worker"))], "{caller} to {backend}");
        }
    }
}

/// A caller that goes away, or says that it no longer wants the answer, ends the work at the server.
#[tokio::test]
async fn cancelling_a_call_cancels_it_at_the_server() {
    for backend in [Revision::V2024_11_05, Revision::LATEST] {
        for caller in [Revision::V2025_11_25, Revision::LATEST] {
            let (probe, mut tasks) = (Arc::new(Probe::default()), JoinSet::new());
            let place = Place::new(demo_with(&probe), backend);
            let server = behind(Gateway::new("gateway"), "demo", &place).server().unwrap();
            let client = client_of(server, Client::builder().revision(caller), &mut tasks).await;
            tokio::select! {
                answer = client.call("demo__hang", ()) => panic!("{answer:?}"),
                () = probe.begun.notified() => {}
            }
            probe.ended.notified().await;
            let said = client.call("demo__echo", json!({"text": "still here"})).await.unwrap();
            assert_eq!(said.text(), "still here");
        }
    }
}

/// What the gateway's own revisions do not define goes on to callers of the server's revision; older ones read which kind it was.
#[tokio::test]
async fn what_a_newer_server_says_is_passed_on() {
    let original = json!({
        "content": [{"type": "smell", "strength": 3}, {"type": "text", "text": "x", "invented": [1]}],
        "invented": {"a": null},
    });
    for caller in Revision::ALL {
        let client = TestClient::with_revision(gateway(Revision::LATEST), caller);
        let said = client.call_tool("demo__odd", json!({})).await.unwrap();
        if caller == Revision::LATEST {
            let mut said = serde_json::to_value(&said).unwrap();
            said.as_object_mut().unwrap().remove("_meta");
            assert_eq!(said, original);
        } else {
            assert_eq!(said.content[0].as_text(), Some("[content of the kind \"smell\"]"), "{caller}");
            assert_eq!(said.content[1], ContentBlock::text("x"), "{caller}");
            assert!(said.other.is_empty(), "{caller}: {said:?}");
        }
    }
}
