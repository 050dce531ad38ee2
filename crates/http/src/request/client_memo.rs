//! What the client of a connection said before.

use std::net::IpAddr;

use bytes::Bytes;
use jackfield_peer::CallerMemo;
use jackfield_protocol::envelope::{Memo, Message, Rejected};

use crate::sync::Mutex;

/// The client of a connection: its address, and what is remembered of its requests so that it is neither scanned nor decoded again.
#[derive(Debug)]
pub(crate) struct ClientMemo {
    pub(crate) address: IpAddr,
    text: Mutex<Memo>,
    pub(crate) callers: Mutex<CallerMemo>,
}

impl ClientMemo {
    pub(crate) fn new(address: IpAddr) -> Self {
        Self { address, text: Mutex::new(Memo::default()), callers: Mutex::new(CallerMemo::default()) }
    }

    /// Reads a message.
    pub(crate) fn read(&self, text: &Bytes, batch_entries: usize) -> Result<Message, Rejected> {
        Message::read_with(text, batch_entries, &mut self.text.lock())
    }
}
