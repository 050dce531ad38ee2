//! Whether a call is a task.

use std::task::Waker;

use crate::sync::{AtomicU8, Mutex, OnceLock, Ordering};

/// Whether a call is a task, which it may become while it runs.
pub(crate) struct Slot<T: 'static> {
    task: OnceLock<T>,
    state: AtomicU8,
    /// Who waits until it is clear.
    waiting: Mutex<Vec<Waker>>,
}

/// It is an ordinary call.
const PLAIN: u8 = 0;
/// Its task is being created.
const CREATING: u8 = 1;
/// Its task has been created; the work on it has still to leave the request.
const MOVING: u8 = 2;
/// It is a task.
const MOVED: u8 = 3;
/// It has ended without having become one, and becomes none any more.
const OVER: u8 = 4;

impl<T: 'static> Slot<T> {
    pub(crate) fn new() -> Self {
        Self { task: OnceLock::new(), state: AtomicU8::new(PLAIN), waiting: Mutex::new(Vec::new()) }
    }

    /// Returns the task, if the call is one.
    pub(crate) fn get(&self) -> Option<&T> {
        if matches!(self.state.load(Ordering::Acquire), MOVING | MOVED) { self.task.get() } else { None }
    }

    /// Begins to create a task; only one may.
    pub(crate) fn begin(&self) -> bool {
        self.change(PLAIN, CREATING)
    }

    /// Notes that there will be no task.
    pub(crate) fn give_up(&self) {
        self.change(CREATING, PLAIN);
        self.wake();
    }

    /// Notes the task; the work has still to leave the request. If the call has ended meanwhile, nobody needs the task.
    pub(crate) fn created(&self, task: T) {
        if self.state.load(Ordering::Acquire) == CREATING && self.task.set(task).is_ok() {
            self.change(CREATING, MOVING);
        }
    }

    /// Notes the task of a call that is one from its beginning.
    pub(crate) fn is(&self, task: T) {
        if self.task.set(task).is_ok() {
            self.state.store(MOVED, Ordering::Release);
        }
    }

    /// Notes that the call has ended, or was cancelled. One that is a task stays one; else whoever waits for the task waits no longer.
    pub(crate) fn over(&self) {
        let unless_moved = |state| (state != MOVED).then_some(OVER);
        let before = self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, unless_moved);
        if matches!(before, Ok(CREATING | MOVING)) {
            self.wake();
        }
    }

    fn change(&self, from: u8, to: u8) -> bool {
        self.state.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Whether the work has to leave the request now.
    pub(crate) fn is_moving(&self) -> bool {
        self.state.load(Ordering::Acquire) == MOVING
    }

    /// Whether it is not yet clear if the call becomes a task.
    pub(crate) fn is_undecided(&self) -> bool {
        matches!(self.state.load(Ordering::Acquire), CREATING | MOVING)
    }

    /// Notes that the work has left the request.
    pub(crate) fn moved(&self) {
        self.state.store(MOVED, Ordering::Release);
        self.wake();
    }

    /// Whether it is clear if the call becomes a task; if not, `waker` is told when it is.
    pub(crate) fn is_decided(&self, waker: &Waker) -> bool {
        if self.is_undecided() {
            let mut waiting = self.waiting.lock();
            if !waiting.iter().any(|known| known.will_wake(waker)) {
                waiting.push(waker.clone());
            }
        }
        // It may have become clear before the waker was there.
        !self.is_undecided()
    }

    fn wake(&self) {
        let waiting = std::mem::take(&mut *self.waiting.lock());
        waiting.into_iter().for_each(Waker::wake);
    }
}
