//! The waker of a connection, which leaves out what the connection does to itself.

use std::cell::Cell;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};

thread_local! {
    static IGNORED: Cell<bool> = const { Cell::new(false) };
}

/// Does something without being woken by it: what wakes a [`FilteredWaker`] on this thread meanwhile is ignored.
///
/// hyper wakes its own task when a piece of a body is taken from it, even the last one. The whole connection would be polled
/// again after each request, for nothing.
pub(crate) fn without_waking<T>(act: impl FnOnce() -> T) -> T {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            IGNORED.set(self.0);
        }
    }
    let _restore = Restore(IGNORED.replace(true));
    act()
}

/// Wakes the task of a connection, unless it is woken [`without_waking`]. What wakes it on another thread has its own reasons.
struct FilteredWaker(Waker);

impl Wake for FilteredWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !IGNORED.get() {
            self.0.wake_by_ref();
        }
    }
}

/// The filtered waker of a task. It is kept, because a task is woken by one waker for as long as it lives.
#[derive(Default)]
pub(super) struct WakerFilter(Option<(Waker, Waker)>);

impl WakerFilter {
    /// Returns a context with the filtered waker of the task of `cx`.
    pub(super) fn context(&mut self, cx: &Context<'_>) -> Context<'_> {
        if !self.0.as_ref().is_some_and(|(task, _)| task.will_wake(cx.waker())) {
            self.0 = None;
        }
        let (_, filtered) =
            self.0.get_or_insert_with(|| (cx.waker().clone(), Arc::new(FilteredWaker(cx.waker().clone())).into()));
        Context::from_waker(filtered)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn only_what_rings_here_is_not_woken() {
        let count = Arc::new(Count::default());
        let woken = || count.0.load(Ordering::Relaxed);
        let task = Waker::from(count.clone());
        let mut filter = WakerFilter::default();
        let waker = filter.context(&Context::from_waker(&task)).waker().clone();
        waker.wake_by_ref();
        assert_eq!(woken(), 1);
        without_waking(|| waker.wake_by_ref());
        assert_eq!(woken(), 1);
        let elsewhere = waker.clone();
        without_waking(|| std::thread::spawn(move || elsewhere.wake()).join()).unwrap();
        assert_eq!(woken(), 2, "another thread has its own reasons");
        waker.wake_by_ref();
        assert_eq!(woken(), 3);
        assert!(std::panic::catch_unwind(|| without_waking(|| std::panic::resume_unwind(Box::new(())))).is_err());
        waker.wake_by_ref();
        assert_eq!(woken(), 4, "a panic does not end it");
    }

    #[test]
    fn another_task_gets_another_waker() {
        let counts = [Arc::new(Count::default()), Arc::new(Count::default())];
        let mut filter = WakerFilter::default();
        for count in &counts {
            let task = Waker::from(count.clone());
            filter.context(&Context::from_waker(&task)).waker().wake_by_ref();
        }
        assert_eq!(counts.map(|count| count.0.load(Ordering::Relaxed)), [1, 1]);
    }
}
