//! Any headers before any body: each request is answered, and values of headers decode to what was encoded.
#![no_main]

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Request};
use http_body_util::Full;
use jackfield_http::{HttpConfig, StreamableService};
use jackfield_peer::{Answering, Handler, Incoming};
use jackfield_protocol::{AnyResult, Outcome, decode_header, encode_header};
use libfuzzer_sys::fuzz_target;

struct Echo;

impl Handler for Echo {
    fn handle(&self, incoming: Incoming) -> Answering {
        let params: serde_json::Value = incoming.params.decode().unwrap_or_default();
        Answering::ready(Ok(Outcome::Complete(AnyResult::from(serde_json::json!({ "echo": params })))))
    }
}

/// The names that mean something to a server.
const NAMES: [&str; 12] = [
    "host",
    "origin",
    "accept",
    "content-type",
    "mcp-protocol-version",
    "mcp-session-id",
    "mcp-method",
    "mcp-name",
    "mcp-param-region",
    "last-event-id",
    "traceparent",
    "authorization",
];

const BODY: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    assert_eq!(decode_header(&encode_header(&text)).as_deref(), Some(text.as_ref()));
    let _ = decode_header(&text);

    let verbs = [Method::POST, Method::GET, Method::DELETE, Method::OPTIONS];
    let verb = verbs[usize::from(data.first().copied().unwrap_or_default() % 4)].clone();
    let mut request = Request::builder().method(verb).uri("/mcp").body(Full::new(Bytes::from_static(BODY))).unwrap();
    for line in data.split(|byte| *byte == b'\n') {
        let Some((name, value)) = line.split_first() else { continue };
        let name = HeaderName::from_static(NAMES[usize::from(*name) % NAMES.len()]);
        if let Ok(value) = HeaderValue::from_bytes(value) {
            request.headers_mut().append(name, value);
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let service = StreamableService::new(Arc::new(Echo), HttpConfig::default());
        let response = service.serve(request).await;
        assert!(response.status().as_u16() < 500, "{}", response.status());
    });
});
