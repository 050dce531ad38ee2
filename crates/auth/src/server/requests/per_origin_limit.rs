//! How many requests of one origin are handled at once.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Limits how many requests of one origin are handled at once; the others wait.
#[derive(Debug)]
pub(in crate::server) struct PerOriginLimit {
    most: usize,
    /// Only origins with a request that is handled or waits.
    origins: Mutex<HashMap<String, Arc<Semaphore>>>,
}

/// A request that waits, or is being handled. Dropping it makes room.
#[derive(Debug)]
pub(in crate::server) struct OriginPermit<'a> {
    limit: &'a PerOriginLimit,
    origin: &'a str,
    /// None once it is released.
    places: Option<Arc<Semaphore>>,
    permit: Option<OwnedSemaphorePermit>,
}

impl PerOriginLimit {
    pub(in crate::server) fn new(most: usize) -> Self {
        Self { most, origins: Mutex::default() }
    }

    /// Waits until a request of the origin may be handled.
    pub(in crate::server) async fn acquire<'a>(&'a self, origin: &'a str) -> OriginPermit<'a> {
        let places = {
            let mut origins = self.origins.lock();
            let places = origins.entry(origin.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(self.most)));
            places.clone()
        };
        let mut permit = OriginPermit { limit: self, origin, places: Some(places.clone()), permit: None };
        // The semaphore is never closed.
        permit.permit = places.acquire_owned().await.ok();
        permit
    }
}

impl Drop for OriginPermit<'_> {
    fn drop(&mut self) {
        let mut origins = self.limit.origins.lock();
        (self.permit, self.places) = (None, None);
        // Each request that is handled or waits holds a reference.
        if origins.get(self.origin).is_some_and(|places| Arc::strong_count(places) == 1) {
            origins.remove(self.origin);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_few_are_handled_and_no_origin_is_remembered() {
        let limit = PerOriginLimit::new(2);
        let (one, two) = (limit.acquire("a").await, limit.acquire("a").await);
        for _ in 0..3 {
            tokio::select! {
                biased;
                _ = limit.acquire("a") => panic!("there is no room"),
                _ = limit.acquire("b") => {}
            }
        }
        drop(one);
        let three = limit.acquire("a").await;
        drop((two, three));
        assert!(limit.origins.lock().is_empty());
    }
}
