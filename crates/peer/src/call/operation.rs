//! Spans and metrics of requests, named by the OpenTelemetry conventions for the protocol.

use std::fmt;

use jackfield_protocol::envelope::{MethodName, Params, Request};
use jackfield_protocol::{AnyResult, Meta, Method, Outcome, Revision, TraceContext, meta::key};
#[cfg(feature = "metrics")]
use tokio::time::Instant;
use tracing::Span;
use tracing::field::{Empty, display};

use crate::Reply;

/// Which way a request came, for its span. Nothing is asked while nobody records spans.
pub trait Origin {
    /// Returns what bytes travel on: `pipe` or `tcp`, say.
    fn transport(&self) -> &'static str;

    /// Returns the protocol below JSON-RPC, if there is one.
    fn protocol(&self) -> Option<&'static str> {
        None
    }

    /// Returns what stands for the session in logs.
    fn session(&self) -> Option<String> {
        None
    }

    /// Returns what the transport says beside the message, such as a header of HTTP.
    fn header(&self, name: &str) -> Option<String> {
        let _ = name;
        None
    }
}

/// One request as monitoring sees it: a span, and the time it takes.
#[derive(Debug)]
pub(super) struct Operation {
    span: Span,
    #[cfg(feature = "metrics")]
    method: Option<Method>,
    #[cfg(feature = "metrics")]
    began: Instant,
}

impl Operation {
    /// Begins an operation. Without a subscriber this costs next to nothing.
    pub(super) fn begin(request: &Request, revision: Revision, origin: &dyn Origin) -> Self {
        let span = tracing::info_span!(
            "mcp.server",
            otel.name = Empty,
            otel.kind = "server",
            otel.status_code = Empty,
            "mcp.method.name" = Empty,
            "mcp.protocol.version" = Empty,
            "mcp.session.id" = Empty,
            "mcp.resource.uri" = Empty,
            "gen_ai.operation.name" = Empty,
            "gen_ai.tool.name" = Empty,
            "gen_ai.prompt.name" = Empty,
            "jsonrpc.request.id" = Empty,
            "rpc.response.status_code" = Empty,
            "error.type" = Empty,
            "network.transport" = Empty,
            "network.protocol.name" = Empty,
            traceparent = Empty,
        );
        if !span.is_disabled() {
            describe(&span, request, revision, origin);
        }
        Self {
            span,
            #[cfg(feature = "metrics")]
            method: match &request.method {
                MethodName::Known(method) => Some(*method),
                MethodName::Other(_) => None,
            },
            #[cfg(feature = "metrics")]
            began: Instant::now(),
        }
    }

    pub(super) fn span(&self) -> &Span {
        &self.span
    }

    /// Notes how the operation ended.
    pub(super) fn end(&self, reply: &Reply) {
        let failure = Failure::of(reply);
        if let Some(failure) = &failure {
            self.span.record("otel.status_code", "ERROR").record("error.type", display(failure));
            if let Failure::Protocol(code) = failure {
                self.span.record("rpc.response.status_code", code);
            }
        }
        #[cfg(feature = "metrics")]
        self.measure(failure);
    }

    #[cfg(feature = "metrics")]
    fn measure(&self, failure: Option<Failure>) {
        let method = self.method.map_or("other", Method::name);
        let mut labels = vec![metrics::Label::from_static_parts("mcp.method.name", method)];
        labels.extend(failure.map(|failure| metrics::Label::new("error.type", failure.to_string())));
        metrics::counter!("mcp.server.requests", labels.iter()).increment(1);
        metrics::histogram!("mcp.server.operation.duration", labels.iter()).record(self.began.elapsed().as_secs_f64());
    }
}

/// How an operation failed.
#[derive(Clone, Copy, Debug)]
enum Failure {
    /// With an error of the protocol.
    Protocol(i64),
    /// With a result of a tool that says so.
    Tool,
}

impl Failure {
    fn of(reply: &Reply) -> Option<Self> {
        match reply {
            Err(error) => Some(Self::Protocol(error.code)),
            Ok(Outcome::Complete(AnyResult::CallTool(result))) if result.is_failure() => Some(Self::Tool),
            Ok(_) => None,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Protocol(code) => write!(f, "{code}"),
            Self::Tool => f.write_str("tool_error"),
        }
    }
}

fn describe(span: &Span, request: &Request, revision: Revision, origin: &dyn Origin) {
    let Request { id, method, params } = request;
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
    span.record("network.transport", origin.transport());
    span.record("network.protocol.name", origin.protocol());
    span.record("mcp.session.id", origin.session());
    if field == "gen_ai.tool.name" {
        span.record("gen_ai.operation.name", "execute_tool");
    }
    let trace = trace(params, origin);
    if let Some(parent) = &trace.parent {
        span.record("traceparent", display(parent));
        #[cfg(feature = "opentelemetry")]
        super::remote_parent::set(span, parent, trace.state.as_deref());
    }
}

/// Where the request stands in a trace. The body's own word goes before the headers', which a proxy may have written.
fn trace(params: &Params, origin: &dyn Origin) -> TraceContext {
    let from_meta = |key: &str| params.meta(key).and_then(|text| serde_json::from_slice::<String>(text).ok());
    let from_header = |key: &str| origin.header(key);
    let read = |find: &dyn Fn(&str) -> Option<String>| {
        let found = [key::TRACEPARENT, key::TRACESTATE].map(|key| Some((key.to_owned(), find(key)?.into())));
        TraceContext::read(&found.into_iter().flatten().collect::<Meta>())
    };
    let own = read(&from_meta);
    if own.parent.is_some() { own } else { read(&from_header) }
}

#[cfg(test)]
mod tests {
    use jackfield_protocol::{CallToolResult, ErrorObject};

    use super::*;

    #[test]
    fn failures_have_a_type() {
        let name = |reply: Reply| Failure::of(&reply).map(|failure| failure.to_string());
        let done = |result: CallToolResult| Ok(Outcome::Complete(result.into()));
        assert_eq!(name(done(CallToolResult::text("well"))), None);
        assert_eq!(name(done(CallToolResult::failure("badly"))).as_deref(), Some("tool_error"));
        assert_eq!(name(Err(ErrorObject::internal("not at all"))).as_deref(), Some("-32603"));
    }
}
