//! Noticing changes of a stream.

use std::time::Duration;

use crate::Subscription;

/// After how long a reader looks again although nothing was heard. Notices are reliable enough that it hardly ever finds anything.
const FALLBACK: Duration = Duration::from_secs(5);

/// Notices changes of a stream.
#[derive(Debug)]
pub struct EventWatch {
    changes: Subscription,
    fallback: Duration,
}

impl EventWatch {
    /// Watches by a subscription to the notices of a stream, as a backend makes it.
    #[must_use]
    pub fn new(changes: Subscription) -> Self {
        Self { changes, fallback: FALLBACK }
    }

    /// Waits until there may be something new since the last time: events, the end of the stream, or its removal. It also returns
    /// when a few seconds have passed, so that nothing is missed for long whatever happens to notices.
    ///
    /// # Cancellation
    /// Nothing is lost.
    pub async fn changed(&mut self) {
        let heard = async {
            if self.changes.next().await.is_none() {
                std::future::pending::<()>().await;
            }
        };
        // The time running out is as good a reason to look as any.
        let _ = tokio::time::timeout(self.fallback, heard).await;
        self.changes.drain();
    }
}
