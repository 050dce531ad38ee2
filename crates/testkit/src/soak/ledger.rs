//! What went well, what went wrong, and which fault explains it.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How long after its end a fault still explains errors: longer than a client waits for an answer.
const ECHO: Duration = Duration::from_secs(20);
/// How many unexplained errors are told in full.
const TOLD: usize = 40;

/// Where a worker's server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// Children of the client, each with a server of its own.
    Children,
    /// The server that is never killed.
    Steady,
    /// The server that is.
    Restless,
}

/// A fault, and from when to when it lasted.
#[derive(Clone, Debug)]
pub(super) struct Window {
    pub(super) name: &'static str,
    pub(super) places: &'static [Place],
    pub(super) begin: Duration,
    pub(super) end: Option<Duration>,
}

/// How calls of one way ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Count {
    pub(super) good: u64,
    pub(super) errors: BTreeMap<String, Split>,
}

/// Errors of one class.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Split {
    pub(super) explained: u64,
    pub(super) unexplained: u64,
}

/// Everything that was seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    pub(super) ways: BTreeMap<String, Count>,
    /// Answers that are not what was asked for, and calls that never ended. Nothing explains them.
    pub(super) wrong: Vec<String>,
    pub(super) hung: Vec<String>,
    /// The first of those that nothing explains.
    pub(super) told: Vec<String>,
}

#[derive(Debug)]
pub(super) struct Ledger {
    begin: Instant,
    seen: Mutex<Seen>,
    windows: Mutex<Vec<Window>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Ledger {
    pub(super) fn new() -> Self {
        Self { begin: Instant::now(), seen: Mutex::default(), windows: Mutex::default() }
    }

    /// Notes that a fault begins. It explains errors at these places until some time after its end.
    pub(super) fn fault(&self, name: &'static str, places: &'static [Place]) {
        lock(&self.windows).push(Window { name, places, begin: self.begin.elapsed(), end: None });
    }

    /// Notes that the last fault is over.
    pub(super) fn over(&self) {
        if let Some(last) = lock(&self.windows).last_mut() {
            last.end = Some(self.begin.elapsed());
        }
    }

    /// Notes that somebody will go this way: one that nobody ever came through shall not be missing.
    pub(super) fn begin(&self, way: &str) {
        lock(&self.seen).ways.entry(way.to_owned()).or_default();
    }

    pub(super) fn good(&self, way: &str) {
        lock(&self.seen).ways.entry(way.to_owned()).or_default().good += 1;
    }

    pub(super) fn failed(&self, way: &str, place: Place, class: String, detail: &str) {
        let now = self.begin.elapsed();
        let explained = lock(&self.windows).iter().any(|window| window.explains(place, now));
        let mut seen = lock(&self.seen);
        let split = seen.ways.entry(way.to_owned()).or_default().errors.entry(class).or_default();
        if explained {
            split.explained += 1;
            return;
        }
        split.unexplained += 1;
        if seen.told.len() < TOLD {
            seen.told.push(format!("{:.1} s, {way}: {detail}", now.as_secs_f64()));
        }
    }

    pub(super) fn wrong(&self, what: &str) {
        lock(&self.seen).wrong.push(format!("{:.1} s, {what}", self.begin.elapsed().as_secs_f64()));
    }

    pub(super) fn hung(&self, what: &str) {
        lock(&self.seen).hung.push(format!("{:.1} s, {what}", self.begin.elapsed().as_secs_f64()));
    }

    pub(super) fn seen(&self) -> Seen {
        lock(&self.seen).clone()
    }

    pub(super) fn faults(&self) -> Vec<Window> {
        lock(&self.windows).clone()
    }
}

impl Window {
    fn explains(&self, place: Place, at: Duration) -> bool {
        self.places.contains(&place) && at >= self.begin && self.end.is_none_or(|end| at <= end + ECHO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only errors at the place of a fault, while it lasts and shortly after, are explained.
    #[tokio::test(start_paused = true)]
    async fn faults_explain_what_they_can_cause() {
        let ledger = Ledger::new();
        let fail = |place| ledger.failed("way", place, "lost".to_owned(), "a call");
        let counts = || {
            let split = ledger.seen().ways["way"].errors["lost"];
            (split.explained, split.unexplained)
        };
        fail(Place::Steady);
        assert_eq!(counts(), (0, 1));
        ledger.fault("kill", &[Place::Steady]);
        fail(Place::Steady);
        assert_eq!(counts(), (1, 1));
        fail(Place::Children);
        assert_eq!(counts(), (1, 2));
        tokio::time::advance(Duration::from_secs(100)).await;
        fail(Place::Steady);
        ledger.over();
        tokio::time::advance(ECHO).await;
        fail(Place::Steady);
        assert_eq!(counts(), (3, 2));
        tokio::time::advance(Duration::from_millis(10)).await;
        fail(Place::Steady);
        assert_eq!(counts(), (3, 3));
    }
}
