//! What tools may return.

use std::borrow::Cow;
use std::fmt;

use jackfield::protocol::Resource;
use jackfield::server::{IntoToolResult, ProtocolError};
use jackfield::testing::TestClient;
use jackfield::{
    Audio, CallToolResult, ContentBlock, Context, Error, ErrorObject, Image, Json, JsonSchema, Outcome, ResourceLink,
    Server, Value, json, tool, tools,
};
use serde::Serialize;

#[track_caller]
fn check(result: impl IntoToolResult, expected: Value) {
    let Ok(Outcome::Complete(result)) = result.into_tool_result() else { panic!("not complete") };
    assert_eq!(serde_json::to_value(result).unwrap(), expected);
}

fn text(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

#[derive(Debug, Serialize, JsonSchema)]
struct Sum {
    /// The sum.
    sum: i64,
}

#[test]
fn plain_values_are_text() {
    check("one", text("one"));
    check(String::from("two"), text("two"));
    check(Cow::Borrowed("three"), text("three"));
    check(4_u8, text("4"));
    check(-5_i128, text("-5"));
    check(1.5_f64, text("1.5"));
    check(true, text("true"));
    check('x', text("x"));
    check((), json!({ "content": [] }));
    check(Some("six"), text("six"));
    check(None::<String>, json!({ "content": [] }));
}

/// SRV-022: structured content is also given as text.
#[test]
fn structured_values_are_both_data_and_text() {
    check(
        Json(Sum { sum: 3 }),
        json!({ "content": [{ "type": "text", "text": "{\"sum\":3}" }], "structuredContent": { "sum": 3 } }),
    );
    check(Json([1, 2]), json!({ "content": [{ "type": "text", "text": "[1,2]" }], "structuredContent": [1, 2] }));
}

/// SRV-061, SRV-062: images and sound are base64 with a MIME type.
#[test]
fn media_are_encoded() {
    check(
        Image::png([0, 1, 255]),
        json!({ "content": [{ "type": "image", "data": "AAH/", "mimeType": "image/png" }] }),
    );
    check(
        Audio::new(b"ab", "audio/x-demo"),
        json!({ "content": [{ "type": "audio", "data": "YWI=", "mimeType": "audio/x-demo" }] }),
    );
}

#[test]
fn content_is_taken_as_it_is() {
    let link: ResourceLink = Resource::new("notes://1", "one");
    check(link, json!({ "content": [{ "type": "resource_link", "uri": "notes://1", "name": "one" }] }));
    check(ContentBlock::text("a"), text("a"));
    check(vec![ContentBlock::text("a")], text("a"));
    check(CallToolResult::text("a"), text("a"));
    check(Outcome::Complete(CallToolResult::text("a")), text("a"));
}

#[derive(Debug)]
struct TooLarge;

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("too large")
    }
}

/// SRV-025: a tool that fails says so in its result; only a `ProtocolError` is an error of the protocol.
#[test]
fn errors_are_failures_for_the_model() {
    let failure = json!({ "content": [{ "type": "text", "text": "too large" }], "isError": true });
    check(Err::<i64, _>(TooLarge), failure.clone());
    check(Err::<i64, _>("too large"), failure.clone());
    check(Err::<Json<Sum>, _>(Error::new("too large")), failure);
    check(Ok::<_, Error>("fine"), text("fine"));
    let refused = Err::<i64, _>(ProtocolError(ErrorObject::invalid_params("no"))).into_tool_result();
    assert_eq!(refused.unwrap_err().code, -32602);
}

#[test]
fn only_structured_results_have_an_output_schema() {
    let schema = <Result<Json<Sum>, Error>>::output_schema().unwrap().to_value();
    assert_eq!(schema["properties"]["sum"], json!({ "type": "integer", "description": "The sum." }));
    assert_eq!(schema["required"], json!(["sum"]));
    assert_eq!(schema.get("$schema"), None);
    assert_eq!(String::output_schema(), None);
    assert_eq!(<Option<Json<Sum>>>::output_schema(), None);
}

#[tool(output = Sum)]
fn by_hand(a: i64) -> CallToolResult {
    CallToolResult::text(a.to_string()).with_structured(json!({ "sum": a }))
}

#[tool]
fn divide(a: i64, b: i64) -> jackfield::Result<Json<Sum>> {
    Ok(Json(Sum { sum: a.checked_div(b).context("cannot divide by zero")? }))
}

/// What is promised by the output schema is sent.
#[tokio::test]
async fn results_reach_the_client() {
    let client = TestClient::of(Server::new("results").tools(tools![by_hand, divide]));
    for tool in client.list_tools().await.unwrap() {
        assert_eq!(tool.output_schema.unwrap().to_value()["required"], json!(["sum"]), "{}", tool.name);
    }
    let result = client.call_tool("by_hand", json!({ "a": 7 })).await.unwrap();
    assert_eq!(result.structured_content.unwrap().to_value(), json!({ "sum": 7 }));
    let result = client.call_tool("divide", json!({ "a": 6, "b": 2 })).await.unwrap();
    assert_eq!(result.structured_content.unwrap().to_value(), json!({ "sum": 3 }));
    let result = client.call_tool("divide", json!({ "a": 6, "b": 0 })).await.unwrap();
    assert!(result.is_failure());
    assert_eq!(result.content[0].as_text(), Some("cannot divide by zero"));
}
