//! Making a caller's span the parent of ours, for `tracing-opentelemetry`.

use jackfield_protocol::TraceParent;
use opentelemetry::Context;
use opentelemetry::trace::{SpanContext, SpanId, TraceContextExt, TraceFlags, TraceId, TraceState};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

/// Makes the caller's span the parent of `span`, which has not been entered yet.
pub(crate) fn set(span: &Span, parent: &TraceParent, state: Option<&str>) {
    let context = SpanContext::new(
        TraceId::from(parent.trace_id),
        SpanId::from(parent.parent_id),
        TraceFlags::new(parent.flags),
        true,
        state.and_then(|state| state.parse::<TraceState>().ok()).unwrap_or_default(),
    );
    if let Err(error) = span.set_parent(Context::new().with_remote_span_context(context)) {
        tracing::trace!(%error, "the span keeps its own parent");
    }
}
