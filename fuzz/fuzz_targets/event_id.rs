//! Any text as the event after which a client wants to go on: it is refused or nothing is sent that is not its own.
#![no_main]

use std::sync::{Arc, LazyLock};

use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::Full;
use jackfield_http::{Body, HttpConfig, StreamableService};
use jackfield_server::Server;
use libfuzzer_sys::fuzz_target;
use tokio::runtime::{Builder, Runtime};

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_current_thread().enable_time().build().expect("a runtime"));
static SERVICE: LazyLock<StreamableService> = LazyLock::new(|| {
    // It is started on a thread of its own, because the first use is inside a runtime.
    let starting = std::thread::spawn(|| {
        Builder::new_current_thread().build().expect("a runtime").block_on(Server::new("fuzz").start())
    });
    let running = starting.join().expect("it starts").expect("a server");
    StreamableService::new(Arc::new(running), HttpConfig::default())
});

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"fuzz","version":"1"}}}"#;

static SESSION: LazyLock<HeaderValue> = LazyLock::new(|| {
    let response = RUNTIME.block_on(send(Request::post("/mcp"), INITIALIZE));
    response.headers().get("mcp-session-id").expect("a session").clone()
});

async fn send(request: http::request::Builder, body: &'static str) -> Response<Body> {
    let request = request
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .body(Full::new(Bytes::from_static(body.as_bytes())))
        .expect("a request");
    SERVICE.serve(request).await
}

fuzz_target!(|data: &[u8]| {
    let Ok(last) = HeaderValue::from_bytes(data) else { return };
    let request = Request::get("/mcp")
        .header("mcp-session-id", SESSION.clone())
        .header("mcp-protocol-version", "2025-11-25")
        .header("last-event-id", last);
    let response = RUNTIME.block_on(send(request, ""));
    let status = response.status();
    assert!(status == StatusCode::OK || status.is_client_error(), "{status}");
});
