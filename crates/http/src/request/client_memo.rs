//! What the client of a connection said about itself before.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use jackfield_peer::Caller;
use jackfield_protocol::envelope::{Memo, Message, Rejected};

/// The client of a connection: its address, and what it said about itself in the request before.
///
/// A client repeats its `_meta` with each request. As long as it is the same byte for byte, it is not decoded again.
#[derive(Debug)]
pub(crate) struct ClientMemo {
    pub(crate) address: IpAddr,
    state: Mutex<MemoState>,
}

#[derive(Debug, Default)]
struct MemoState {
    meta: Memo,
    /// The caller that a `_meta` stands for, by its number.
    caller: Option<(u64, Arc<Caller>)>,
}

impl ClientMemo {
    pub(crate) fn new(address: IpAddr) -> Self {
        Self { address, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, MemoState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads a message. Returns the number of its `_meta` as well, if it has one that can be remembered.
    pub(crate) fn read(&self, text: &Bytes, batch_entries: usize) -> Result<(Message, Option<u64>), Rejected> {
        let mut state = self.state();
        let message = Message::read_with(text, batch_entries, &mut state.meta)?;
        let has_meta = matches!(&message, Message::Request(request) if request.params.has_meta());
        let number = state.meta.number().filter(|_| has_meta);
        Ok((message, number))
    }

    /// Returns the caller that a `_meta` stands for, if it is known.
    pub(crate) fn caller(&self, meta: u64) -> Option<Arc<Caller>> {
        self.state().caller.as_ref().filter(|(number, _)| *number == meta).map(|(_, caller)| caller.clone())
    }

    /// Remembers which caller a `_meta` stands for. It must be one that nobody authenticated: who sends the next request is not
    /// known from this one.
    pub(crate) fn remember(&self, meta: u64, caller: &Arc<Caller>) {
        self.state().caller = Some((meta, caller.clone()));
    }
}
