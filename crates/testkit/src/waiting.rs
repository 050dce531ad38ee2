//! Waiting in tests, without waiting for real time.

use std::time::{Duration, Instant};

/// A bound against hanging, far above what any condition takes: a busy machine is slow.
const LIMIT: Duration = Duration::from_secs(60);
/// The time between two polls.
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

/// Polls until a condition holds that no event announces: the state of another process, a file, a counter inside the code under test.
/// Where there is an event (a message, a line of output, the exit of a child), wait for that instead. A paused clock is not advanced.
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

/// [`eventually`] for tests without a runtime.
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

#[expect(clippy::disallowed_methods, reason = "the one place where tests poll")]
fn pause() {
    std::thread::sleep(PAUSE);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Otherwise polling would fire the timers of the code under test.
    #[tokio::test(start_paused = true)]
    async fn polling_does_not_advance_a_paused_clock() {
        let (begun, mut polls) = (tokio::time::Instant::now(), 0);
        eventually("the tenth poll", async || {
            polls += 1;
            polls == 10
        })
        .await;
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }

    #[cfg(feature = "paused-clock")]
    #[tokio::test(start_paused = true)]
    async fn virtual_time_passes() {
        let begun = (tokio::time::Instant::now(), Instant::now());
        pass(Duration::from_secs(3600)).await;
        assert_eq!(begun.0.elapsed(), Duration::from_secs(3600));
        assert!(begun.1.elapsed() < LIMIT);
    }

    #[cfg(feature = "paused-clock")]
    #[tokio::test]
    #[should_panic(expected = "time is not frozen")]
    async fn real_time_does_not_pass() {
        pass(Duration::from_secs(3600)).await;
    }
}
