//! Which call the current thread is working on, for log events that do not know it.

#[cfg(feature = "tracing-layer")]
mod current {
    use std::cell::RefCell;

    use crate::Cx;

    thread_local! {
        static CURRENT: RefCell<Option<Cx>> = const { RefCell::new(None) };
    }

    /// Works on a call: what happens inside belongs to it.
    pub(crate) fn enter<T>(cx: &Cx, work: impl FnOnce() -> T) -> T {
        let _restore = Restore(CURRENT.replace(Some(cx.clone())));
        work()
    }

    /// Returns the call that the current thread is working on.
    pub(crate) fn current() -> Option<Cx> {
        CURRENT.with(|current| current.try_borrow().ok().and_then(|current| current.clone()))
    }

    struct Restore(Option<Cx>);

    impl Drop for Restore {
        fn drop(&mut self) {
            CURRENT.replace(self.0.take());
        }
    }
}

#[cfg(feature = "tracing-layer")]
pub(crate) use current::{current, enter};

/// Without the layer nobody asks which call it is.
#[cfg(not(feature = "tracing-layer"))]
pub(crate) fn enter<T>(_cx: &crate::Cx, work: impl FnOnce() -> T) -> T {
    work()
}
