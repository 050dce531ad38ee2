//! A future beside a busy one, polled only when it has something to say.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use crate::sync::{AtomicBool, Mutex, Ordering};

/// Polls its future only after that has asked for it, however often the task around it is woken. A connection is woken for
/// every request, its timers and the shutdown hardly ever.
pub(crate) struct SideFuture<T> {
    future: Pin<Box<dyn Future<Output = T> + Send>>,
    signal: Arc<Signal>,
    waker: Waker,
}

/// Remembers that the future was woken.
struct Signal {
    woken: AtomicBool,
    task: Mutex<Option<Waker>>,
}

impl<T> SideFuture<T> {
    pub(crate) fn new(future: impl Future<Output = T> + Send + 'static) -> Self {
        let signal = Arc::new(Signal { woken: AtomicBool::new(true), task: Mutex::new(None) });
        Self { future: Box::pin(future), waker: signal.clone().into(), signal }
    }
}

impl<T> Future for SideFuture<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        // A task keeps its waker for as long as it lives, so that it is noted with the first poll only.
        // Looking is cheaper than taking.
        if !self.signal.woken.load(Ordering::Relaxed) || !self.signal.woken.swap(false, Ordering::AcqRel) {
            return Poll::Pending;
        }
        *self.signal.task.lock() = Some(cx.waker().clone());
        let waker = self.waker.clone();
        self.future.as_mut().poll(&mut Context::from_waker(&waker))
    }
}

impl Wake for Signal {
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
