//! Times that begin now.

use std::time::Duration;

use tokio::time::Instant;

/// What is too long for the clock is that long: thirty years.
const FAR: Duration = Duration::from_secs(30 * 365 * 24 * 3600);

/// Returns when a time that begins now is over. It may be any, also [`Duration::MAX`], which means that there is no limit.
pub fn after(limit: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(limit).or_else(|| now.checked_add(FAR)).unwrap_or(now)
}
