//! Waiting in tests, without waiting for real time.

use std::time::{Duration, Instant};

/// How long something may take that an idle machine does at once. It is only a bound against hanging: a busy machine is slow.
const LIMIT: Duration = Duration::from_secs(60);
/// The time between two looks.
const PAUSE: Duration = Duration::from_millis(2);

/// Lets virtual time pass, which takes no real time. Timers that are due meanwhile fire in their order.
///
/// # Panics
/// The clock of the runtime is not paused. A test that needs a real clock waits for an event instead.
#[cfg(feature = "paused-clock")]
pub async fn pass(time: Duration) {
    // Advancing a clock that is not paused panics.
    tokio::time::advance(Duration::ZERO).await;
    tokio::time::sleep(time).await;
}

/// Waits until something holds that no event announces: the state of another process, a file, a counter of somebody else's. What
/// can be waited for by itself (a message, a line, the end of a child) is waited for by itself. A paused clock stands still meanwhile.
///
/// # Panics
/// It does not hold within a minute; `what` says what is missing.
pub async fn eventually(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    while !holds().await {
        assert!(begun.elapsed() < LIMIT, "not within {LIMIT:?}: {what}");
        // In another thread, so that other tasks go on. While it runs, tokio does not advance a paused clock.
        tokio::task::spawn_blocking(pause).await.expect("a pause does not panic");
    }
}

/// The same as [`eventually`], in a test without a runtime.
///
/// # Panics
/// It does not hold within a minute; `what` says what is missing.
pub fn eventually_blocking(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < LIMIT, "not within {LIMIT:?}: {what}");
        pause();
    }
}

fn pause() {
    std::thread::sleep(PAUSE);
}
