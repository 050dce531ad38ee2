//! Ending work whose caller has gone.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use super::failure::{Failure, Result};

/// A flag that long loops look at.
#[derive(Debug, Clone, Default)]
pub struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    /// Asks the work to end.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Fails once the work is to end.
    pub fn check(&self) -> Result<()> {
        if self.0.load(Ordering::Relaxed) { Err(Failure::cancelled()) } else { Ok(()) }
    }

    /// Cancels when the returned value is dropped: the caller holds it while it waits.
    pub fn on_drop(&self) -> CancelOnDrop {
        CancelOnDrop(self.clone())
    }
}

/// Cancels when it is dropped.
#[derive(Debug)]
pub struct CancelOnDrop(Cancellation);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_that_goes_away_ends_the_work() {
        let cancellation = Cancellation::default();
        let waiting = cancellation.on_drop();
        assert!(cancellation.check().is_ok());
        drop(waiting);
        assert!(cancellation.check().is_err());
    }
}
