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
        self.spawn_where(|_| true, [work]);
    }

    /// Begins to do something unless something is being done; says whether it was not. What has ended, perhaps with the runtime that it was
    /// done in, does not count.
    pub(crate) fn spawn_if_idle<F>(&self, works: impl IntoIterator<Item = F>) -> bool
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.spawn_where(JoinSet::is_empty, works)
    }

    fn spawn_where<F>(&self, may: impl FnOnce(&JoinSet<()>) -> bool, works: impl IntoIterator<Item = F>) -> bool
    where
        F: Future<Output = ()> + Send + 'static,
    {
        // A runtime that has ended drops the work at once, and what it holds may want to do something here too: the lock must not be held.
        let works: Vec<_> = works.into_iter().map(|work| Arc::new(Mutex::new(Some(work)))).collect();
        let mut tasks = self.tasks();
        while tasks.try_join_next().is_some() {}
        let may = may(&tasks);
        if may && tokio::runtime::Handle::try_current().is_ok() {
            for work in &works {
                let begun = work.clone();
                tasks.spawn(async move {
                    let work = lock(&begun).take();
                    if let Some(work) = work {
                        work.await;
                    }
                });
            }
        }
        drop(tasks);
        drop(works);
        may
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
        assert!(background.spawn_if_idle([async {}]), "nothing is being done");
    }

    /// Of those who begin the same at once, one does.
    #[tokio::test]
    async fn what_is_done_once_is_begun_once() {
        let background = Background::default();
        let (end, ended) = tokio::sync::oneshot::channel::<()>();
        let work = async move { drop(ended.await) };
        assert!(background.spawn_if_idle([work]));
        assert!(!background.spawn_if_idle([async { panic!("it is done already") }]));
        end.send(()).unwrap();
        let mut tasks = background.take();
        tasks.join_next().await.unwrap().unwrap();
        assert!(tasks.join_next().await.is_none(), "one was begun");
        assert!(background.spawn_if_idle([async {}]), "and can be begun again");
    }
}
