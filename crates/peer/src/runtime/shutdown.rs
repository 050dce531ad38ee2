//! Telling connections to end.

use tokio::sync::watch;

/// Tells all that hold its [`Shutdown`] to end. Dropping it does the same.
#[derive(Debug)]
pub struct ShutdownTrigger(watch::Sender<bool>);

/// Learns when it is time to end.
#[derive(Clone, Debug)]
pub struct Shutdown(watch::Receiver<bool>);

impl Shutdown {
    /// Makes a pair of trigger and listener.
    #[must_use]
    pub fn new() -> (ShutdownTrigger, Self) {
        let (sender, receiver) = watch::channel(false);
        (ShutdownTrigger(sender), Self(receiver))
    }

    /// Whether it is time to end.
    #[must_use]
    pub fn is_triggered(&self) -> bool {
        *self.0.borrow() || self.0.has_changed().is_err()
    }

    /// Waits until it is time to end.
    ///
    /// # Cancellation
    /// Nothing is lost.
    pub async fn triggered(&self) {
        let mut receiver = self.0.clone();
        // An error means that the trigger is gone, which is a reason to end as well.
        let _ = receiver.wait_for(|ending| *ending).await;
    }
}

impl ShutdownTrigger {
    /// Tells all listeners to end.
    pub fn trigger(&self) {
        self.0.send_replace(true);
    }
}
