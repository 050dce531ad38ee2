//! How many requests of one origin are looked at at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Lets a few requests of an origin in at once; others wait until one of them is done.
#[derive(Debug)]
pub(super) struct Crowd {
    most: usize,
    /// Only origins of which a request is here, or waits.
    origins: Mutex<HashMap<String, Arc<Semaphore>>>,
}

/// A request that waits, or was let in. It leaves when it is dropped.
#[derive(Debug)]
pub(super) struct Entered<'a> {
    crowd: &'a Crowd,
    origin: &'a str,
    /// None once it has left.
    places: Option<Arc<Semaphore>>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Crowd {
    pub(super) fn new(most: usize) -> Self {
        Self { most, origins: Mutex::default() }
    }

    /// Waits until a request of the origin can be let in.
    pub(super) async fn enter<'a>(&'a self, origin: &'a str) -> Entered<'a> {
        let places = {
            let mut origins = self.origins.lock().unwrap_or_else(PoisonError::into_inner);
            let places = origins.entry(origin.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(self.most)));
            places.clone()
        };
        let mut entered = Entered { crowd: self, origin, places: Some(places.clone()), permit: None };
        // The semaphore is never closed.
        entered.permit = places.acquire_owned().await.ok();
        entered
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let mut origins = self.crowd.origins.lock().unwrap_or_else(PoisonError::into_inner);
        (self.permit, self.places) = (None, None);
        // Whoever is here or waits has a share of it.
        if origins.get(self.origin).is_some_and(|places| Arc::strong_count(places) == 1) {
            origins.remove(self.origin);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_few_enter_and_nobody_is_remembered() {
        let crowd = Crowd::new(2);
        let (one, two) = (crowd.enter("a").await, crowd.enter("a").await);
        for _ in 0..3 {
            tokio::select! {
                biased;
                _ = crowd.enter("a") => panic!("there is no room"),
                _ = crowd.enter("b") => {}
            }
        }
        drop(one);
        let three = crowd.enter("a").await;
        drop((two, three));
        assert!(crowd.origins.lock().unwrap().is_empty());
    }
}
