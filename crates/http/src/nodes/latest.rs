//! A number of which only the newest counts, on its way somewhere.

use crate::sync::{Mutex, MutexGuard};

/// A number of which only the newest counts. One at a time takes it where it belongs, so that none comes too late and undoes a newer
/// one; nobody waits for that.
#[derive(Debug)]
pub(crate) struct Latest(Mutex<State>);

#[derive(Debug)]
struct State {
    number: u64,
    /// Someone takes it there.
    busy: bool,
}

impl Latest {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(State { number: 0, busy: false }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock()
    }

    /// Sets the number. Whoever gets `true` takes it where it belongs, until [`Latest::is_done`].
    pub(crate) fn set(&self, number: u64) -> bool {
        let mut state = self.state();
        state.number = number;
        !std::mem::replace(&mut state.busy, true)
    }

    pub(crate) fn get(&self) -> u64 {
        self.state().number
    }

    /// Says whether there is nothing more to do after a number has come to its place.
    pub(crate) fn is_done(&self, number: u64) -> bool {
        let mut state = self.state();
        state.busy = state.number != number;
        !state.busy
    }
}
