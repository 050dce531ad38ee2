//! Work that nobody waits for, and that ends with its owner.

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::task::JoinSet;

/// The tasks of an owner. Dropping it ends them.
#[derive(Debug, Default)]
pub(crate) struct Background(Mutex<JoinSet<()>>);

impl Background {
    /// Begins to do something. Without a runtime nothing is done.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        // A runtime that has ended drops the work at once, and what it holds may want to do something here too: the lock must not be held.
        let work = Arc::new(Mutex::new(Some(work)));
        let begun = work.clone();
        let mut tasks = self.tasks();
        while tasks.try_join_next().is_some() {}
        if tokio::runtime::Handle::try_current().is_ok() {
            tasks.spawn(async move {
                let work = lock(&begun).take();
                if let Some(work) = work {
                    work.await;
                }
            });
        }
        drop(tasks);
        drop(work);
    }

    /// Whether nothing is being done. What has ended, perhaps with the runtime that it was done in, is cleared away.
    pub(crate) fn is_idle(&self) -> bool {
        let mut tasks = self.tasks();
        while tasks.try_join_next().is_some() {}
        tasks.is_empty()
    }

    /// Gives away what is being done, to be waited for or ended.
    pub(crate) fn take(&self) -> JoinSet<()> {
        std::mem::take(&mut *self.tasks())
    }

    fn tasks(&self) -> MutexGuard<'_, JoinSet<()>> {
        lock(&self.0)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Does something more when it is dropped.
    struct Chain(Arc<Background>);

    impl Drop for Chain {
        fn drop(&mut self) {
            self.0.spawn(async {});
        }
    }

    /// Work that a runtime does not take any more may itself have work to give.
    #[test]
    fn work_for_a_runtime_that_has_ended_is_dropped_without_the_lock() {
        let background = Arc::new(Background::default());
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let handle = runtime.handle().clone();
        drop(runtime);
        let _inside = handle.enter();
        let chain = Chain(background.clone());
        background.spawn(async move {
            let _chain = chain;
            std::future::pending::<()>().await;
        });
        assert!(background.is_idle());
    }
}
