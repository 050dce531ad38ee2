//! Log events of handlers, forwarded to the client of the call.

use std::fmt;

use jackfield_protocol::{JsonObject, LoggingLevel};
use serde_json::Value;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

use crate::routing::scope;

/// A `tracing` layer that forwards what handlers log to the client of the call, as `notifications/message`.
///
/// It forwards events that happen while a handler is being run, in the same task. The logger is the event's target; the data is
/// its message, or an object of its fields. Events of Jackfield itself are not forwarded, and secrets should not be logged at all.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct ClientLog;

impl ClientLog {
    /// Makes the layer.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

impl<S: Subscriber> Layer<S> for ClientLog {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let metadata = event.metadata();
        // Sending may itself log, which must not be sent again.
        if metadata.target().starts_with("jackfield_") {
            return;
        }
        let Some(cx) = scope::current() else { return };
        let level = level(*metadata.level());
        if !cx.wants_log(level) {
            return;
        }
        let mut fields = Fields::default();
        event.record(&mut fields);
        cx.log(level, Some(metadata.target()), fields.into_data());
    }
}

fn level(level: Level) -> LoggingLevel {
    match level {
        Level::ERROR => LoggingLevel::Error,
        Level::WARN => LoggingLevel::Warning,
        Level::INFO => LoggingLevel::Info,
        _ => LoggingLevel::Debug,
    }
}

/// The fields of an event.
#[derive(Default)]
struct Fields(JsonObject);

impl Fields {
    /// A message alone is a text; otherwise the fields are an object.
    fn into_data(mut self) -> Value {
        if self.0.len() == 1
            && let Some(message) = self.0.remove("message")
        {
            return message;
        }
        Value::Object(self.0)
    }

    fn put(&mut self, field: &Field, value: impl Into<Value>) {
        self.0.insert(field.name().to_owned(), value.into());
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field, format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value);
    }
}
