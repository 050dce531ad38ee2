//! Spans and metrics, as exporters see them.

use metrics_util::debugging::{DebugValue, DebuggingRecorder, Snapshotter};
use opentelemetry::trace::{SpanId, SpanKind, Status, TraceId, TracerProvider as _};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider, SpanData};
use serde_json::json;
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::Registry;
use tracing_subscriber::layer::SubscriberExt;

use crate::client::{Ask, Client, Session};
use crate::fixture::Fixture;
use crate::logging;

/// Collects spans of this thread through `tracing-opentelemetry`.
struct Spans {
    exporter: InMemorySpanExporter,
    provider: SdkTracerProvider,
    _guard: DefaultGuard,
}

impl Spans {
    fn collect() -> Self {
        let exporter = InMemorySpanExporter::default();
        let provider = SdkTracerProvider::builder().with_simple_exporter(exporter.clone()).build();
        let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("test"));
        let guard = logging::listen(Registry::default().with(layer));
        Self { exporter, provider, _guard: guard }
    }

    /// Returns the spans that have ended, by name.
    fn named(&self, name: &str) -> Vec<SpanData> {
        self.provider.force_flush().unwrap();
        let all = self.exporter.get_finished_spans().unwrap();
        all.into_iter().filter(|span| span.name == name).collect()
    }
}

fn attribute(span: &SpanData, key: &str) -> Option<String> {
    span.attributes.iter().find(|pair| pair.key.as_str() == key).map(|pair| pair.value.as_str().into_owned())
}

const TRACE: u128 = 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736;
const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// A modern call with members in its `_meta`.
fn traced(name: &str, meta: &[(&str, &str)]) -> Ask {
    let mut params = json!({ "name": name, "arguments": {}, "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} } });
    for (key, value) in meta {
        params["_meta"][key] = json!(value);
    }
    Ask::post(json!({ "jsonrpc": "2.0", "id": "abc", "method": "tools/call", "params": params }))
        .with("mcp-protocol-version", "2026-07-28")
        .with("mcp-method", "tools/call")
        .with("mcp-name", name)
}

/// Spans have the names and attributes of the semantic conventions.
#[tokio::test]
async fn spans_follow_the_conventions() {
    let spans = Spans::collect();
    let fixture = Fixture::start().await;
    assert_eq!(fixture.ask(&traced("echo", &[])).await.status, 200);
    let session = Session::open(fixture.address, "2025-06-18").await;
    session.ask(&session.tool(7, "unknown", json!({}))).await;

    let echo = &spans.named("tools/call echo")[0];
    assert_eq!((&echo.span_kind, &echo.status), (&SpanKind::Server, &Status::Unset));
    for (key, value) in [
        ("mcp.method.name", "tools/call"),
        ("mcp.protocol.version", "2026-07-28"),
        ("gen_ai.tool.name", "echo"),
        ("gen_ai.operation.name", "execute_tool"),
        ("jsonrpc.request.id", "\"abc\""),
        ("network.transport", "tcp"),
    ] {
        assert_eq!(attribute(echo, key).as_deref(), Some(value), "{key}");
    }
    assert_eq!(attribute(echo, "mcp.session.id"), None);
    assert_eq!(attribute(echo, "error.type"), None);

    let opened = &spans.named("initialize")[0];
    assert_eq!(attribute(opened, "mcp.protocol.version").as_deref(), Some("2025-06-18"));
    let failed = &spans.named("tools/call unknown")[0];
    assert!(matches!(failed.status, Status::Error { .. }));
    assert_eq!(attribute(failed, "error.type").as_deref(), Some("-32602"));
    assert_eq!(attribute(failed, "rpc.response.status_code").as_deref(), Some("-32602"));
    let mark = attribute(failed, "mcp.session.id").unwrap();
    assert_eq!(Some(&mark), attribute(opened, "mcp.session.id").as_ref());
    assert!(!session.id.contains(&mark), "the id itself is a secret");
}

/// Prompts are named in the span, resources only in an attribute: there are too many of them for a name.
#[tokio::test]
async fn spans_name_prompts_and_resources() {
    let spans = Spans::collect();
    let fixture = Fixture::start().await;
    fixture.ask(&Ask::modern("prompts/get", json!({ "name": "greet" }))).await;
    fixture.ask(&Ask::modern("resources/read", json!({ "uri": "file:///a" }))).await;
    assert_eq!(attribute(&spans.named("prompts/get greet")[0], "gen_ai.prompt.name").as_deref(), Some("greet"));
    assert_eq!(attribute(&spans.named("resources/read")[0], "mcp.resource.uri").as_deref(), Some("file:///a"));
}

/// BASE-066, XTRC-001, T-057: the parent comes from `_meta`, else from the header; what is malformed is dropped.
#[tokio::test]
async fn the_callers_span_is_the_parent() {
    let spans = Spans::collect();
    let fixture = Fixture::start().await;
    let other = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    for (ask, parent) in [
        (traced("echo", &[("traceparent", PARENT), ("tracestate", "vendor=x")]).with("traceparent", other), true),
        (traced("echo", &[]).with("traceparent", PARENT).with("tracestate", "vendor=x"), true),
        (traced("echo", &[("traceparent", "00-zz")]).with("traceparent", PARENT).with("tracestate", "vendor=x"), true),
        (traced("echo", &[("traceparent", "00-0-0-0")]), false),
        (traced("echo", &[]).with("traceparent", "hostile\\r\\nvalue"), false),
        (traced("echo", &[("tracestate", "vendor=x")]), false),
    ] {
        spans.exporter.reset();
        assert_eq!(fixture.ask(&ask).await.status, 200);
        let span = &spans.named("tools/call echo")[0];
        if parent {
            assert_eq!(span.span_context.trace_id(), TraceId::from(TRACE));
            assert_eq!(span.parent_span_id, SpanId::from(0x00f0_67aa_0ba9_02b7));
            assert!(span.parent_span_is_remote);
            assert_eq!(span.span_context.trace_state().header(), "vendor=x");
        } else {
            assert_ne!(span.span_context.trace_id(), TraceId::from(TRACE));
            assert_eq!(span.parent_span_id, SpanId::INVALID);
        }
    }
}

/// Returns the value of a metric with a label.
fn metric(snapshotter: &Snapshotter, name: &str, label: Option<(&str, &str)>) -> Option<DebugValue> {
    let found = snapshotter.snapshot().into_vec().into_iter().find(|(key, ..)| {
        let key = key.key();
        let has = |(name, value): (&str, &str)| key.labels().any(|l| l.key() == name && l.value() == value);
        key.name() == name && label.is_none_or(has)
    });
    found.map(|(.., value)| value)
}

/// Requests, how long they take, sessions and streams are counted.
#[tokio::test]
async fn metrics_are_counted() {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    let _recording = metrics::set_default_local_recorder(&recorder);
    let mut fixture = Fixture::start().await;
    for _ in 0..3 {
        fixture.ask(&Ask::tool("echo", json!({}))).await;
    }
    let requests = metric(&snapshotter, "mcp.server.requests", Some(("mcp.method.name", "tools/call")));
    assert_eq!(requests, Some(DebugValue::Counter(3)));
    fixture.ask(&Ask::tool("echo", json!({}))).await;
    let took = metric(&snapshotter, "mcp.server.operation.duration", Some(("mcp.method.name", "tools/call")));
    let Some(DebugValue::Histogram(values)) = took else { panic!("{took:?}") };
    assert!(values.len() == 1 && values[0].into_inner() < 60.0, "{values:?}");
    fixture.ask(&Ask::tool("unknown", json!({}))).await;
    let failed = metric(&snapshotter, "mcp.server.requests", Some(("error.type", "-32602")));
    assert_eq!(failed, Some(DebugValue::Counter(1)));

    let session = Session::open(fixture.address, "2025-11-25").await;
    // A look sets gauges back to zero: sessions are set anew each time, streams go up and down from there.
    let gauge = |name| match metric(&snapshotter, name, None) {
        Some(DebugValue::Gauge(value)) => value.into_inner(),
        other => panic!("{name}: {other:?}"),
    };
    assert_eq!(gauge("mcp.server.sessions"), 1.0);
    let mut stream = Client::connect(fixture.address).await;
    stream.open(&session.get()).await;
    assert_eq!(gauge("mcp.server.streams"), 1.0);
    let mut call = Client::connect(fixture.address).await;
    call.send(Ask::tool("wait_after_notice", json!({})).bytes()).await;
    fixture.see("waiting 1").await;
    call.head().await.unwrap();
    assert_eq!(gauge("mcp.server.streams"), 1.0);
    fixture.let_go(1);
    while call.event().await.is_some() {}
    assert_eq!(gauge("mcp.server.streams"), -1.0);
    session.ask(&session.get().verb("DELETE")).await;
    assert_eq!(gauge("mcp.server.sessions"), 0.0);
    while stream.event().await.is_some() {}
}
