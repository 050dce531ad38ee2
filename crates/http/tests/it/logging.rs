//! What is logged, heard by a test that may share its process with others.

use std::sync::Once;

use tracing::Subscriber;
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::Registry;

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
