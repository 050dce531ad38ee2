//! In an application of the user's own: tower and axum.

use bytes::Bytes;
use http::Request;
use http_body::Body as _;
use jackfield_http::{Body, ClientAddress, HttpConfig, StreamableService};
use serde_json::{Value, json};
use tower_service::Service;

use crate::fixture::Tools;

async fn body(response: http::Response<Body>) -> Value {
    let mut body = std::pin::pin!(response.into_body());
    let mut text = Vec::new();
    while let Some(frame) = std::future::poll_fn(|cx| body.as_mut().poll_frame(cx)).await {
        text.extend_from_slice(&frame.unwrap().into_data().unwrap());
    }
    serde_json::from_slice(&text).unwrap()
}

/// Bodies say how long they are, so that whoever sends them need not cut them up, and do not show what is in them.
#[test]
fn bodies_know_their_length() {
    let full = Body::from(Bytes::from_static(b"secret"));
    assert_eq!((full.size_hint().exact(), full.is_end_stream()), (Some(6), false));
    let empty = Body::default();
    assert_eq!((empty.size_hint().exact(), empty.is_end_stream()), (Some(0), true));
    assert_eq!(format!("{full:?} {empty:?}"), "Body(full) Body(empty)");
}

/// The service is a plain `tower` service, at the path of the configuration or at any.
#[tokio::test]
async fn a_tower_service() {
    let (tools, _seen) = Tools::new();
    let request = |path: &str| {
        Request::post(path)
            .header("host", "localhost")
            .header("content-type", "application/json")
            .header("mcp-protocol-version", "2026-07-28")
            .body(Body::full(Bytes::from_static(br#"{"jsonrpc":"2.0","id":1,"method":"unknown"}"#)))
            .unwrap()
    };
    let mut service = StreamableService::new(tools, HttpConfig::default());
    let response = service.call(request("/mcp")).await.unwrap();
    assert_eq!((response.status().as_u16(), body(response).await["error"]["code"].clone()), (404, json!(-32601)));
    assert_eq!(body(service.call(request("/other")).await.unwrap()).await["error"]["code"], -32600);
    assert_eq!(body(service.any_path().call(request("/other")).await.unwrap()).await["error"]["code"], -32601);
}

/// T-028: limits for each address hold in an application too, which says where a request comes from.
#[tokio::test]
async fn an_application_names_the_address() {
    let (tools, mut seen) = Tools::limited(|calls| calls.listen_streams = 1);
    let mut service = StreamableService::new(tools, HttpConfig::default());
    let params = json!({ "notifications": {}, "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} } });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params }).to_string();
    let mut open = Vec::new();
    for (last, status) in [(1, 200), (2, 200), (1, 429), (3, 200)] {
        let request = Request::post("/mcp")
            .header("host", "localhost")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", "subscriptions/listen")
            .extension(ClientAddress(std::net::Ipv4Addr::new(192, 0, 2, last).into()))
            .body(Body::full(call.clone()))
            .unwrap();
        let response = service.call(request).await.unwrap();
        assert_eq!(response.status(), status, "{last}");
        if status == 200 {
            assert_eq!(seen.recv().await.as_deref(), Some("listening"));
            open.push(response);
        }
    }
}

/// The router serves all paths of the configuration, with the application's middleware around.
#[cfg(feature = "axum")]
#[tokio::test]
async fn an_axum_router() {
    let (tools, _seen) = Tools::new();
    let mut router = jackfield_http::router(StreamableService::new(tools, HttpConfig::default()))
        .layer(axum::Extension(jackfield_peer::Principal::new("app", "ann")));
    let params = json!({ "name": "who", "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} } });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let request = Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", "who")
        .body(axum::body::Body::from(call.to_string()))
        .unwrap();
    let response = router.call(request).await.unwrap();
    let text = axum::body::to_bytes(response.into_body(), 1 << 20).await.unwrap();
    assert!(String::from_utf8_lossy(&text).contains("ann"));
    let health = Request::get("/healthz").header("host", "localhost").body(axum::body::Body::empty()).unwrap();
    assert_eq!(router.call(health).await.unwrap().status(), 200);
}
