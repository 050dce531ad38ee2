//! Work that outlives whoever began it, and ends with its owner.

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::{AbortHandle, JoinSet};

/// The tasks of an owner. Dropping it ends them.
#[derive(Debug, Default)]
pub struct Background(Mutex<JoinSet<()>>);

impl Background {
    /// Begins to do something. Without a runtime nothing is done, and there is nothing to end.
    pub fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) -> Option<AbortHandle> {
        let work = Given::new(work);
        let runtime = Handle::try_current().ok()?;
        self.tasks().spawn_on(work.task(), &runtime).into()
    }

    /// Begins to do something unless something is being done; says whether it was not. What has ended, perhaps with the runtime that it was
    /// done in, does not count.
    pub fn spawn_if_idle<F>(&self, works: impl IntoIterator<Item = F>) -> bool
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let works: Vec<_> = works.into_iter().map(Given::new).collect();
        let mut tasks = self.tasks();
        let is_idle = tasks.is_empty();
        if let (true, Ok(runtime)) = (is_idle, Handle::try_current()) {
            for work in &works {
                tasks.spawn_on(work.task(), &runtime);
            }
        }
        drop(tasks);
        is_idle
    }

    /// Ends everything. When it returns, nothing is being done any more.
    pub async fn stop(&self) {
        self.take().shutdown().await;
    }

    /// Waits until everything is done; says whether it is. What is not after `limit` is dropped.
    pub async fn drain(&self, limit: Duration) -> bool {
        let mut tasks = self.take();
        let all = async { while tasks.join_next().await.is_some() {} };
        tokio::time::timeout(limit, all).await.is_ok()
    }

    fn take(&self) -> JoinSet<()> {
        std::mem::take(&mut *lock(&self.0))
    }

    /// Returns what is being done.
    fn tasks(&self) -> MutexGuard<'_, JoinSet<()>> {
        let mut tasks = lock(&self.0);
        while tasks.try_join_next().is_some() {}
        tasks
    }
}

/// Work that is given to a runtime. One that has ended drops its task at once, under the lock of the list that the task goes to; what the
/// work holds may want to do something there too when it is dropped, so that is left to whoever gave it.
struct Given<F>(Arc<Mutex<Option<F>>>);

impl<F: Future<Output = ()> + Send + 'static> Given<F> {
    fn new(work: F) -> Self {
        Self(Arc::new(Mutex::new(Some(work))))
    }

    fn task(&self) -> impl Future<Output = ()> + Send + 'static {
        let given = self.0.clone();
        async move {
            let work = lock(&given).take();
            if let Some(work) = work {
                work.await;
            }
        }
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
