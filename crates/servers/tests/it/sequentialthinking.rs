//! The server for sequential thinking.

use jackfield::Revision;
use jackfield::testing::TestClient;
use jackfield_servers::sequentialthinking::{Options, server};
use serde_json::{Value, json};

fn thought(number: Value, more: Value) -> Value {
    let mut arguments =
        json!({"thought": "t", "thoughtNumber": number, "totalThoughts": "3", "nextThoughtNeeded": "TRUE"});
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    arguments
}

async fn structured(client: &TestClient, arguments: Value) -> Value {
    let result = client.call_tool("sequentialthinking", arguments).await.unwrap();
    let structured: Value = serde_json::from_str(result.content[0].as_text().unwrap()).unwrap();
    if client.revision().has_structured_output() {
        let data: Value = serde_json::from_str(result.structured_content.unwrap().get()).unwrap();
        assert_eq!(data, structured);
    }
    structured
}

#[tokio::test]
async fn thoughts_are_counted_and_branches_named() {
    for revision in Revision::ALL {
        let client = TestClient::with_revision(server(Options::default()), revision);
        let first = structured(&client, thought(json!("0x5"), json!({}))).await;
        let expected = json!({"thoughtNumber": 5, "totalThoughts": 5, "nextThoughtNeeded": true, "branches": [], "thoughtHistoryLength": 1});
        assert_eq!(first, expected, "{revision}");
        for name in ["x", "__proto__", "7", "constructor"] {
            structured(&client, thought(json!(1), json!({"branchFromThought": 1, "branchId": name}))).await;
        }
        let last = structured(&client, thought(json!(1), json!({"branchId": "ignored"}))).await;
        assert_eq!(last["branches"], json!(["7", "x", "__proto__", "constructor"]));
        assert_eq!(last["thoughtHistoryLength"], 6);
    }
}

#[tokio::test]
async fn bad_arguments_are_named_and_not_counted() {
    let client = TestClient::with_revision(server(Options::default()), Revision::LATEST_WITH_HANDSHAKE);
    let result =
        client.call_tool("sequentialthinking", thought(json!(0), json!({"isRevision": "maybe"}))).await.unwrap();
    assert!(result.is_failure());
    assert_eq!(
        result.content[0].as_text().unwrap(),
        "MCP error -32602: Input validation error: Invalid arguments for tool sequentialthinking: Too small: expected number to be >=1 \
         at thoughtNumber\nExpected boolean or \"true\"/\"false\" string, received \"maybe\" at isRevision"
    );
    assert_eq!(structured(&client, thought(json!(1), json!({}))).await["thoughtHistoryLength"], 1);
    let unknown = client.request("prompts/list", json!({})).await.unwrap_err();
    assert_eq!((unknown.code, unknown.message.as_ref()), (-32601, "Method not found"));
}

#[tokio::test]
async fn each_session_has_a_history_of_its_own() {
    let server = server(Options::default()).start().await.unwrap();
    for _ in 0..2 {
        let client = TestClient::with_revision(&server, Revision::LATEST_WITH_HANDSHAKE);
        assert_eq!(structured(&client, thought(json!(1), json!({}))).await["thoughtHistoryLength"], 1);
    }
}
