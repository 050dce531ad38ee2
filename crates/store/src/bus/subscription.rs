//! What a subscriber holds.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use bytes::Bytes;
use tokio::sync::mpsc;

use super::Hub;

/// What a subscriber hears.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// Something was published.
    Heard {
        /// Under which topic.
        topic: Arc<str>,
        /// What.
        notice: Bytes,
    },
    /// Something may have been missed: the subscriber was too slow, or the connection to the bus was lost for a while. Whoever relies
    /// on notices looks at everything again.
    Missed,
}

/// Hears the notices of some topics. At most 1024 wait for their reader; what comes then is missed, and told as such.
#[derive(Debug)]
pub struct Subscription {
    pub(super) number: u64,
    pub(super) topics: Vec<Arc<str>>,
    pub(super) hub: Weak<Hub>,
    pub(super) notices: mpsc::Receiver<Notice>,
    pub(super) missed: Arc<AtomicBool>,
}

impl Subscription {
    /// Waits for the next notice. `None` when the bus is no more.
    ///
    /// # Cancellation
    /// Nothing is lost.
    pub async fn next(&mut self) -> Option<Notice> {
        if self.missed.swap(false, Ordering::Relaxed) {
            return Some(Notice::Missed);
        }
        self.notices.recv().await
    }

    /// Forgets what waits to be heard, and returns whether there was something. For those who look at everything whenever they hear
    /// anything.
    pub fn drain(&mut self) -> bool {
        let mut any = self.missed.swap(false, Ordering::Relaxed);
        while self.notices.try_recv().is_ok() {
            any = true;
        }
        any
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(hub) = self.hub.upgrade() {
            hub.leave(self.number, &self.topics);
        }
    }
}
