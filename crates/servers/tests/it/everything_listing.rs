//! What the demo server lists, and the members of its answers, beside the original's.

use jackfield::Revision;
use jackfield::protocol::{Reference, Tool};
use jackfield::testing::TestClient;
use jackfield_servers::everything::{Options, server};
use serde_json::{Value, json};

const ALWAYS: [&str; 13] = [
    "echo",
    "get-annotated-message",
    "get-env",
    "get-resource-links",
    "get-resource-reference",
    "get-structured-content",
    "get-sum",
    "get-tiny-image",
    "gzip-file-as-resource",
    "toggle-simulated-logging",
    "toggle-subscriber-updates",
    "trigger-long-running-operation",
    "simulate-research-query",
];

fn clients() -> impl Iterator<Item = TestClient> {
    Revision::ALL.into_iter().map(|revision| TestClient::with_revision(server(Options::default()), revision))
}

fn names(tools: &[Tool]) -> Vec<&str> {
    tools.iter().map(|tool| tool.name.as_str()).collect()
}

#[tokio::test]
async fn tools_are_listed_in_the_order_of_the_original() {
    for client in clients().filter(|client| client.revision().has_handshake()) {
        let tools = client.list_tools().await.unwrap();
        let known: Vec<_> = ALWAYS.into_iter().filter(|name| names(&tools).contains(name)).collect();
        assert_eq!(names(&tools), known, "{}", client.revision());
        let other = TestClient::with_revision(server(Options::default()), client.revision()).with_roots([]);
        let with_roots = other.list_tools().await.unwrap();
        let place = names(&with_roots).iter().position(|name| *name == "get-roots-list");
        assert_eq!(place, Some(12), "{}", client.revision());
    }
}

/// What a schema demands, without its wording.
fn demands(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => {
            let members = members.iter().filter(|(name, value)| {
                *name != "$schema" && !(matches!(name.as_str(), "title" | "description") && value.is_string())
            });
            Value::Object(members.map(|(name, value)| (name.clone(), demands(value))).collect())
        }
        other => other.clone(),
    }
}

#[tokio::test]
async fn arguments_are_described_as_the_original_does() {
    let number = |default: i64| json!({"type": "number", "default": default});
    let readme = "https://raw.githubusercontent.com/modelcontextprotocol/servers/refs/heads/main/README.md";
    let wanted = [
        (
            "get-annotated-message",
            json!({
            "messageType": {"type": "string", "enum": ["error", "success", "debug"]},
            "includeImage": {"type": "boolean", "default": false}}),
        ),
        ("get-resource-links", json!({"count": {"type": "number", "default": 3, "minimum": 1, "maximum": 10}})),
        (
            "get-resource-reference",
            json!({
            "resourceType": {"type": "string", "enum": ["Text", "Blob"], "default": "Text"}, "resourceId": number(1)}),
        ),
        (
            "get-structured-content",
            json!({
            "location": {"type": "string", "enum": ["New York", "Chicago", "Los Angeles"]}}),
        ),
        (
            "gzip-file-as-resource",
            json!({
            "name": {"type": "string", "default": "README.md.gz"},
            "data": {"type": "string", "format": "uri", "default": readme},
            "outputType": {"type": "string", "enum": ["resourceLink", "resource"], "default": "resourceLink"}}),
        ),
        ("trigger-long-running-operation", json!({"duration": number(10), "steps": number(5)})),
    ];
    for client in clients() {
        let tools = client.list_tools().await.unwrap();
        for (name, properties) in &wanted {
            let tool = tools.iter().find(|tool| tool.name == *name).unwrap();
            let schema = demands(&tool.input_schema.to_value());
            assert_eq!(schema["properties"], *properties, "{name}");
            assert!(schema.get("$defs").is_none(), "{name}");
        }
    }
}

/// The original counts the values, and describes a prompt in the list only.
#[tokio::test]
async fn answers_have_the_members_of_the_original() {
    for client in clients() {
        let completion = client.complete(Reference::prompt("completable-prompt"), "department", "S").await.unwrap();
        assert_eq!((completion.total, completion.has_more), (Some(2), Some(false)));
        let prompt = client.get_prompt("simple-prompt", json!({})).await.unwrap();
        assert_eq!(prompt.description, None);
    }
}

#[tokio::test]
async fn a_long_operation_is_bounded() {
    for arguments in [json!({"duration": 3601}), json!({"duration": 1, "steps": 10_001})] {
        let client = TestClient::of(server(Options::default()));
        let result = client.call_tool("trigger-long-running-operation", arguments).await.unwrap();
        let text = result.content[0].as_text().unwrap();
        assert_eq!(text, "the operation may take 3600 seconds at most, in 10000 steps at most");
        assert!(result.is_failure());
    }
}
