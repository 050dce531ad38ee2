//! Who is at the other end of a connection, and what it said before.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use jackfield_peer::Caller;
use jackfield_protocol::envelope::{Memo, Message, Rejected};

/// Who is at the other end of a connection.
///
/// A client says the same about itself with each request. What was understood once is not worked out again, as long as it is
/// the same to the letter.
#[derive(Debug)]
pub(crate) struct Sender {
    pub(crate) address: IpAddr,
    said: Mutex<Said>,
}

#[derive(Debug, Default)]
struct Said {
    meta: Memo,
    /// The caller that a `_meta` stands for, by its number.
    caller: Option<(u64, Arc<Caller>)>,
}

impl Sender {
    pub(crate) fn new(address: IpAddr) -> Self {
        Self { address, said: Mutex::default() }
    }

    fn said(&self) -> MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads a message. Returns the number of its `_meta` as well, if it has one that can be remembered.
    pub(crate) fn read(&self, text: &Bytes, batch_entries: usize) -> Result<(Message, Option<u64>), Rejected> {
        let mut said = self.said();
        let message = Message::read_with(text, batch_entries, &mut said.meta)?;
        let has_meta = matches!(&message, Message::Request(request) if request.params.has_meta());
        let number = said.meta.number().filter(|_| has_meta);
        Ok((message, number))
    }

    /// Returns the caller that a `_meta` stands for, if it is known.
    pub(crate) fn caller(&self, meta: u64) -> Option<Arc<Caller>> {
        self.said().caller.as_ref().filter(|(number, _)| *number == meta).map(|(_, caller)| caller.clone())
    }

    /// Remembers which caller a `_meta` stands for. It must be one that nobody authenticated: who sends the next request is not
    /// known from this one.
    pub(crate) fn remember(&self, meta: u64, caller: &Arc<Caller>) {
        self.said().caller = Some((meta, caller.clone()));
    }
}
