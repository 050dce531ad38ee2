//! The waker of a connection, which does not hear everything.

use std::cell::Cell;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};

thread_local! {
    static DEAF: Cell<bool> = const { Cell::new(false) };
}

/// Does something without being woken by it: bells that ring on this thread meanwhile are not heard.
///
/// hyper wakes its own task when a piece of a body is taken from it, even the last one. The whole connection would be polled
/// again after each request, for nothing.
pub(crate) fn unheard<T>(act: impl FnOnce() -> T) -> T {
    struct Hearing(bool);
    impl Drop for Hearing {
        fn drop(&mut self) {
            DEAF.set(self.0);
        }
    }
    let _again = Hearing(DEAF.replace(true));
    act()
}

/// Wakes the task of a connection, unless that is [`unheard`]. A bell that rings on another thread is always heard.
struct Bell(Waker);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !DEAF.get() {
            self.0.wake_by_ref();
        }
    }
}

/// The bell of a task. It is kept, because a task is woken by one waker for as long as it lives.
#[derive(Default)]
pub(super) struct Door(Option<(Waker, Waker)>);

impl Door {
    /// Returns a context that rings the bell of a task.
    pub(super) fn context(&mut self, cx: &Context<'_>) -> Context<'_> {
        if !self.0.as_ref().is_some_and(|(task, _)| task.will_wake(cx.waker())) {
            self.0 = None;
        }
        let (_, bell) = self.0.get_or_insert_with(|| (cx.waker().clone(), Arc::new(Bell(cx.waker().clone())).into()));
        Context::from_waker(bell)
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
    fn only_what_rings_here_is_not_heard() {
        let count = Arc::new(Count::default());
        let heard = || count.0.load(Ordering::Relaxed);
        let task = Waker::from(count.clone());
        let mut door = Door::default();
        let bell = door.context(&Context::from_waker(&task)).waker().clone();
        bell.wake_by_ref();
        assert_eq!(heard(), 1);
        unheard(|| bell.wake_by_ref());
        assert_eq!(heard(), 1);
        let elsewhere = bell.clone();
        unheard(|| std::thread::spawn(move || elsewhere.wake()).join()).unwrap();
        assert_eq!(heard(), 2, "another thread has its own reasons");
        bell.wake_by_ref();
        assert_eq!(heard(), 3);
        assert!(std::panic::catch_unwind(|| unheard(|| std::panic::resume_unwind(Box::new(())))).is_err());
        bell.wake_by_ref();
        assert_eq!(heard(), 4, "a panic does not make it deaf for ever");
    }

    #[test]
    fn another_task_gets_another_bell() {
        let counts = [Arc::new(Count::default()), Arc::new(Count::default())];
        let mut door = Door::default();
        for count in &counts {
            let task = Waker::from(count.clone());
            door.context(&Context::from_waker(&task)).waker().wake_by_ref();
        }
        assert_eq!(counts.map(|count| count.0.load(Ordering::Relaxed)), [1, 1]);
    }
}
