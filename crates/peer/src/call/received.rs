//! Messages that were read, or could not be.

use jackfield_protocol::envelope::{Message, Rejected};

/// Takes what was read. A message that cannot be served, but was meant to be an answer, becomes the answer that says so: whoever asked
/// need not wait any longer.
///
/// # Errors
/// It was no answer; says which request to refuse, if that can be seen.
#[inline]
pub fn received(read: Result<Message, Rejected>) -> Result<Message, Rejected> {
    read.or_else(|rejected| rejected.into_answer().map(Message::Answer))
}
