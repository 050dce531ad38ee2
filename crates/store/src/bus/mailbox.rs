//! What waits for one reader.

use std::collections::VecDeque;
use std::task::{Context, Poll, Waker};

use crate::sync::{Mutex, MutexGuard};

/// A bounded queue for one reader. Whoever puts something in never waits: what finds no room is lost, and the reader is told that
/// something was.
#[derive(Debug)]
pub(crate) struct Mailbox<T> {
    inside: Mutex<Inside<T>>,
    room: usize,
}

/// What a reader finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found<T> {
    One(T),
    /// Something was lost since the last look.
    Missed,
    /// Nothing more will come.
    Closed,
}

#[derive(Debug)]
struct Inside<T> {
    waiting: VecDeque<T>,
    missed: bool,
    closed: bool,
    /// The reader, if it waits.
    reader: Option<Waker>,
}

impl<T> Mailbox<T> {
    pub(crate) fn new(room: usize) -> Self {
        let inside = Inside { waiting: VecDeque::new(), missed: false, closed: false, reader: None };
        Self { inside: Mutex::new(inside), room }
    }

    fn inside(&self) -> MutexGuard<'_, Inside<T>> {
        self.inside.lock()
    }

    /// Puts something in, if there is room.
    pub(crate) fn put(&self, item: T) {
        let mut inside = self.inside();
        if inside.waiting.len() < self.room {
            inside.waiting.push_back(item);
        } else {
            inside.missed = true;
        }
        wake(inside);
    }

    /// Says that nothing more will come.
    pub(crate) fn close(&self) {
        let mut inside = self.inside();
        inside.closed = true;
        wake(inside);
    }

    /// Waits for the next thing. That something was lost is told first, as early as possible.
    pub(crate) fn poll_next(&self, cx: &Context<'_>) -> Poll<Found<T>> {
        let mut inside = self.inside();
        if std::mem::take(&mut inside.missed) {
            return Poll::Ready(Found::Missed);
        }
        if let Some(item) = inside.waiting.pop_front() {
            return Poll::Ready(Found::One(item));
        }
        if inside.closed {
            return Poll::Ready(Found::Closed);
        }
        match &mut inside.reader {
            Some(reader) => reader.clone_from(cx.waker()),
            none => *none = Some(cx.waker().clone()),
        }
        Poll::Pending
    }

    /// Throws away what is there; says whether there was anything.
    pub(crate) fn empty(&self) -> bool {
        let mut inside = self.inside();
        let any = std::mem::take(&mut inside.missed) || !inside.waiting.is_empty();
        inside.waiting.clear();
        any
    }
}

/// Wakes the reader after the lock is gone, so that it does not wait for it at once.
fn wake<T>(mut inside: MutexGuard<'_, Inside<T>>) {
    let reader = inside.reader.take();
    drop(inside);
    if let Some(reader) = reader {
        reader.wake();
    }
}
