//! What monitoring sees of requests over a byte stream.

use serde_json::json;

use crate::logging::Scribe;
use crate::script::{Client, legacy};

/// Every request has a span, also over standard input and output: what was asked, by whom, and how it ended.
#[tokio::test]
async fn requests_over_a_byte_stream_have_spans() {
    let (scribe, _logging) = Scribe::listen();
    let mut client = Client::new();
    client.initialize("2025-06-18").await;
    for what in ["x", "later", "fail"] {
        client.send(legacy(7, what)).await;
        assert_eq!(client.receive().await["id"], json!(7));
    }
    let spans = scribe.text();
    for field in [
        "otel.name=\"initialize\"",
        "mcp.method.name=\"tools/call\"",
        "mcp.protocol.version=\"2025-06-18\"",
        "jsonrpc.request.id=\"7\"",
        "network.transport=\"pipe\"",
        "error.type=7",
        "rpc.response.status_code=7",
    ] {
        assert!(spans.contains(field), "{field} is not in\n{spans}");
    }
    assert!(!spans.contains("network.protocol.name"), "{spans}");
    assert_eq!(spans.matches("mcp.method.name=\"tools/call\"").count(), 3, "{spans}");
}
