//! A future beside a busy one, polled only when it has something to say.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use crate::sync::{AtomicBool, Mutex, Ordering};

/// Polls its future only after that has asked for it, however often the task around it is woken. A connection is woken for
/// every request, its timers and the shutdown hardly ever.
pub(crate) struct Aside<T> {
    future: Pin<Box<dyn Future<Output = T> + Send>>,
    call: Arc<Call>,
    waker: Waker,
}

/// Remembers that the future was woken.
struct Call {
    woken: AtomicBool,
    task: Mutex<Option<Waker>>,
}

impl<T> Aside<T> {
    pub(crate) fn new(future: impl Future<Output = T> + Send + 'static) -> Self {
        let call = Arc::new(Call { woken: AtomicBool::new(true), task: Mutex::new(None) });
        Self { future: Box::pin(future), waker: call.clone().into(), call }
    }
}

impl<T> Future for Aside<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        // A task keeps its waker for as long as it lives, so that it is noted with the first poll only.
        // Looking is cheaper than taking.
        if !self.call.woken.load(Ordering::Relaxed) || !self.call.woken.swap(false, Ordering::AcqRel) {
            return Poll::Pending;
        }
        *self.call.task.lock() = Some(cx.waker().clone());
        let waker = self.waker.clone();
        self.future.as_mut().poll(&mut Context::from_waker(&waker))
    }
}

impl Wake for Call {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // An exchange, as the one in `poll`: then the two have one order, and none gets lost.
        self.woken.swap(true, Ordering::AcqRel);
        if let Some(task) = &*self.task.lock() {
            task.wake_by_ref();
        }
    }
}
