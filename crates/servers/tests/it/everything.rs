//! The demo server.

use jackfield::Revision;
use jackfield::testing::TestClient;
use jackfield_servers::everything::{Options, server};
use serde_json::{Value, json};

async fn failure(client: &TestClient, tool: &str, arguments: Value) -> String {
    let result = client.call_tool(tool, arguments).await.unwrap();
    assert!(result.is_failure());
    result.content[0].as_text().unwrap().to_owned()
}

#[tokio::test]
async fn bad_arguments_are_named_in_the_words_of_the_family() {
    for revision in Revision::ALL {
        let client = TestClient::with_revision(server(Options::default()), revision);
        let begin =
            |tool: &str| format!("MCP error -32602: Input validation error: Invalid arguments for tool {tool}: ");
        for (tool, arguments, problems) in [
            ("echo", json!({}), "Invalid input: expected string, received undefined at message"),
            (
                "get-sum",
                json!({"b": "2"}),
                "Invalid input: expected number, received undefined at a\nInvalid input: expected number, received string at b",
            ),
            (
                "get-annotated-message",
                json!({"messageType": "loud"}),
                r#"Invalid option: expected one of "error"|"success"|"debug" at messageType"#,
            ),
            ("get-resource-links", json!({"count": 0}), "Too small: expected number to be >=1 at count"),
            ("get-resource-links", json!({"count": 11}), "Too big: expected number to be <=10 at count"),
        ] {
            assert_eq!(failure(&client, tool, arguments).await, begin(tool) + problems, "{revision}");
        }
        let result = client.call_tool("echo", json!({"message": "x", "extra": 1})).await.unwrap();
        assert_eq!(result.content[0].as_text(), Some("Echo: x"));
    }
}

/// An unknown tool is a failure that a model can read in the legacy era, and an error in the modern one.
#[tokio::test]
async fn unknown_tools_are_answered_in_the_way_of_the_era() {
    for revision in Revision::ALL {
        let client = TestClient::with_revision(server(Options::default()), revision);
        if revision.has_handshake() {
            assert_eq!(failure(&client, "nothing", json!({})).await, "MCP error -32602: Tool nothing not found");
        } else {
            assert_eq!(client.call_tool("nothing", json!({})).await.unwrap_err().code, -32602);
        }
    }
}

#[tokio::test]
async fn tools_name_their_dialect_and_that_they_are_no_tasks() {
    for revision in Revision::ALL {
        let client = TestClient::with_revision(server(Options::default()), revision);
        for tool in client.list_tools().await.unwrap() {
            assert_eq!(tool.execution.is_some(), revision.has_core_tasks(), "{} in {revision}", tool.name);
            for schema in std::iter::once(&tool.input_schema).chain(&tool.output_schema) {
                let dialect = &schema.to_value()["$schema"];
                assert_eq!(dialect, "http://json-schema.org/draft-07/schema#", "{}", tool.name);
            }
        }
    }
}

#[tokio::test]
async fn a_stream_has_no_session_id() {
    let client = TestClient::of(server(Options::default()));
    let result = client.call_tool("toggle-simulated-logging", json!({})).await.unwrap();
    assert!(result.content[0].as_text().unwrap().contains("for session undefined at a 5 second pace"));
}
