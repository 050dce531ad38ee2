//! What is logged, written down by a test that may share its process with others.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, Once};

use tracing::field::{Field, Visit};
use tracing::subscriber::{DefaultGuard, NoSubscriber};
use tracing::{Event, Metadata, Subscriber, span};

/// Writes down the fields of every event of its thread, and what spans learn.
#[derive(Clone, Default)]
pub(crate) struct Scribe(Arc<Mutex<String>>);

impl Scribe {
    /// Listens until the guard is dropped.
    pub(crate) fn listen() -> (Self, DefaultGuard) {
        static EVERYWHERE: Once = Once::new();
        // With one subscriber only, `tracing` asks the thread that comes to a place first whether anybody listens there at all. So all
        // threads have one.
        EVERYWHERE.call_once(|| {
            tracing::subscriber::set_global_default(NoSubscriber::new()).expect("nobody else sets one");
        });
        let scribe = Self::default();
        let guard = tracing::subscriber::set_default(scribe.clone());
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

impl Subscriber for Scribe {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, values: &span::Record<'_>) {
        values.record(&mut self.clone());
    }

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut self.clone());
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}
