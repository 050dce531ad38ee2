//! Spans and metrics, named by the OpenTelemetry conventions for the protocol.

use http::HeaderMap;
use jackfield_protocol::envelope::{MethodName, Params, RawId};
use jackfield_protocol::{Method, Revision, TraceParent, meta::key};
#[cfg(feature = "metrics")]
use tokio::time::Instant;
use tracing::Span;
use tracing::field::{Empty, display};

use crate::SessionId;

/// One request as monitoring sees it: a span, and the time it takes.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) span: Span,
    #[cfg(feature = "metrics")]
    method: Option<Method>,
    #[cfg(feature = "metrics")]
    began: Instant,
}

impl Operation {
    /// Begins an operation. Without a subscriber this costs next to nothing.
    pub(crate) fn begin(
        method: &MethodName,
        params: &Params,
        id: &RawId,
        revision: Revision,
        session: Option<SessionId>,
        headers: &HeaderMap,
    ) -> Self {
        let span = tracing::info_span!(
            "mcp.server",
            otel.name = Empty,
            otel.kind = "server",
            otel.status_code = Empty,
            "mcp.method.name" = Empty,
            "mcp.protocol.version" = Empty,
            "mcp.session.id" = Empty,
            "mcp.resource.uri" = Empty,
            "gen_ai.tool.name" = Empty,
            "gen_ai.prompt.name" = Empty,
            "jsonrpc.request.id" = Empty,
            "rpc.response.status_code" = Empty,
            "network.transport" = "tcp",
            "network.protocol.name" = "http",
            traceparent = Empty,
        );
        if !span.is_disabled() {
            describe(&span, method, params, id, revision, session, headers);
        }
        Self {
            span,
            #[cfg(feature = "metrics")]
            method: match method {
                MethodName::Known(method) => Some(*method),
                MethodName::Other(_) => None,
            },
            #[cfg(feature = "metrics")]
            began: Instant::now(),
        }
    }

    /// Notes how the operation ended.
    pub(crate) fn end(&self, error: Option<i64>) {
        if let Some(code) = error {
            self.span.record("otel.status_code", "ERROR").record("rpc.response.status_code", code);
        }
        #[cfg(feature = "metrics")]
        {
            let method = self.method.map_or("other", Method::name);
            let seconds = self.began.elapsed().as_secs_f64();
            let outcome = error.map_or_else(|| "ok".to_owned(), |code| code.to_string());
            metrics::histogram!("mcp.server.operation.duration", "mcp.method.name" => method, "error.type" => outcome)
                .record(seconds);
        }
    }
}

fn describe(
    span: &Span,
    method: &MethodName,
    params: &Params,
    id: &RawId,
    revision: Revision,
    session: Option<SessionId>,
    headers: &HeaderMap,
) {
    let bounded = |text: &str| text.chars().filter(|c| !c.is_control()).take(200).collect::<String>();
    let (member, field) = match method {
        MethodName::Known(Method::CallTool) => ("name", "gen_ai.tool.name"),
        MethodName::Known(Method::GetPrompt) => ("name", "gen_ai.prompt.name"),
        MethodName::Known(Method::ReadResource) => ("uri", "mcp.resource.uri"),
        _ => ("", ""),
    };
    let target = params.optional_string(member).ok().flatten().map(|target| bounded(&target));
    let name = bounded(method.as_str());
    match &target {
        Some(target) => {
            // A URI has too many values for a name.
            if member == "name" {
                span.record("otel.name", format!("{name} {target}"));
            } else {
                span.record("otel.name", name.as_str());
            }
            span.record(field, target.as_str());
        }
        None => {
            span.record("otel.name", name.as_str());
        }
    }
    span.record("mcp.method.name", name.as_str());
    span.record("mcp.protocol.version", revision.as_str());
    span.record("jsonrpc.request.id", bounded(&String::from_utf8_lossy(id.as_json())));
    if let Some(session) = session {
        span.record("mcp.session.id", display(session.mark()));
    }
    // The body's own word goes before the header's, which a proxy may have written.
    let from_meta = params.meta(key::TRACEPARENT).and_then(|text| serde_json::from_slice::<String>(text).ok());
    let from_header = || headers.get(key::TRACEPARENT).and_then(|value| value.to_str().ok()).map(str::to_owned);
    if let Some(parent) = from_meta.or_else(from_header).and_then(|text| TraceParent::parse(&text)) {
        span.record("traceparent", display(parent));
    }
}

/// Notes how many sessions there are.
pub(crate) fn sessions(count: usize) {
    #[cfg(feature = "metrics")]
    metrics::gauge!("mcp.server.sessions").set(u32::try_from(count).map_or(f64::MAX, f64::from));
    #[cfg(not(feature = "metrics"))]
    let _ = count;
}

/// Counts an open stream until it is dropped.
#[derive(Debug)]
pub(crate) struct OpenStream;

impl OpenStream {
    pub(crate) fn begin() -> Self {
        #[cfg(feature = "metrics")]
        metrics::gauge!("mcp.server.streams").increment(1.0);
        Self
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        #[cfg(feature = "metrics")]
        metrics::gauge!("mcp.server.streams").decrement(1.0);
    }
}
