//! What is logged, heard by a test that may share its process with others.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, Once};

use tracing::field::{Field, Visit};
use tracing::subscriber::DefaultGuard;
use tracing::{Subscriber, span};
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::{Layer, Registry};

/// Lets a subscriber hear what this thread logs, until the guard is dropped.
pub(crate) fn listen(subscriber: impl Subscriber + Send + Sync + 'static) -> DefaultGuard {
    static EVERYWHERE: Once = Once::new();
    // For each place that logs, `tracing` remembers whether anybody listens. As long as there is one subscriber only, it asks the thread
    // that comes there first, which may belong to a test that has none, and then nobody ever hears of it. So all threads have one.
    EVERYWHERE.call_once(|| {
        tracing::subscriber::set_global_default(Registry::default()).expect("nobody else sets one");
    });
    tracing::subscriber::set_default(subscriber)
}

/// Writes down everything that is logged.
#[derive(Clone, Default)]
pub(crate) struct Scribe(Arc<Mutex<String>>);

impl Scribe {
    /// Writes down what this thread logs until the guard is dropped.
    pub(crate) fn listen() -> (Self, DefaultGuard) {
        let scribe = Self::default();
        let guard = listen(Registry::default().with(scribe.clone()));
        (scribe, guard)
    }

    pub(crate) fn text(&self) -> String {
        self.0.lock().unwrap().clone()
    }
}

impl Visit for Scribe {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        writeln!(self.0.lock().unwrap(), "{field}={value:?}").unwrap();
    }
}

impl<S: Subscriber> Layer<S> for Scribe {
    fn on_new_span(&self, attributes: &span::Attributes<'_>, _: &span::Id, _: Context<'_, S>) {
        attributes.record(&mut self.clone());
    }

    fn on_record(&self, _: &span::Id, values: &span::Record<'_>, _: Context<'_, S>) {
        values.record(&mut self.clone());
    }

    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        event.record(&mut self.clone());
    }
}
