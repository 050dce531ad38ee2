//! What a subscriber holds.

use std::future::poll_fn;
use std::sync::{Arc, Weak};

use bytes::Bytes;

use super::Hub;
use super::mailbox::{Found, Mailbox};

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
    pub(super) mailbox: Arc<Mailbox<Notice>>,
}

impl Subscription {
    /// Waits for the next notice. `None` when the bus is no more.
    ///
    /// # Cancellation
    /// Nothing is lost.
    pub async fn next(&mut self) -> Option<Notice> {
        match poll_fn(|cx| self.mailbox.poll_next(cx)).await {
            Found::One(notice) => Some(notice),
            Found::Missed => Some(Notice::Missed),
            Found::Closed => None,
        }
    }

    /// Forgets what waits to be heard, and returns whether there was something. For those who look at everything whenever they hear
    /// anything.
    pub fn drain(&mut self) -> bool {
        self.mailbox.empty()
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(hub) = self.hub.upgrade() {
            hub.leave(self.number, &self.topics);
        }
    }
}
