//! What `_meta` looked like before.

use std::sync::Arc;

use super::members::MetaMembers;

/// The `_meta` of an earlier message.
///
/// A client says the same about itself with each request, mostly to the letter. What was found in it once need not be looked for
/// again: a text that begins with a whole object begins with nothing but that object.
#[derive(Debug, Default)]
pub(super) struct MetaMemo {
    text: Vec<u8>,
    /// Where the members stand, counted from the start of the object.
    members: MetaMembers,
    /// The `_meta` of an earlier result: who the server is, mostly. It is shared with those who keep it.
    of_result: Option<Arc<str>>,
}

impl MetaMemo {
    /// Returns the members and the length of the remembered object, if `text` begins with it at `start`.
    pub(super) fn recall(&self, text: &[u8], start: usize) -> Option<(MetaMembers, usize)> {
        let is_same = !self.text.is_empty() && text.get(start..)?.starts_with(&self.text);
        is_same.then(|| (self.members.shifted(u32::try_from(start).unwrap_or(u32::MAX)), self.text.len()))
    }

    /// Remembers an object. One with a member that stands twice must not come here.
    pub(super) fn remember(&mut self, object: &[u8], start: usize, members: &MetaMembers) {
        self.text.clear();
        if object.len() > MAX_BYTES || members.len() > MAX_MEMBERS {
            return;
        }
        self.text.extend_from_slice(object);
        self.members = members.shifted(u32::try_from(start).unwrap_or(u32::MAX).wrapping_neg());
    }
}

/// The same for results, of which nothing but the text is needed.
impl MetaMemo {
    /// Returns the remembered object, if `text` begins with it at `start`.
    pub(super) fn recall_result(&self, text: &[u8], start: usize) -> Option<Arc<str>> {
        self.of_result
            .clone()
            .filter(|object| text.get(start..).is_some_and(|rest| rest.starts_with(object.as_bytes())))
    }

    /// Remembers an object that has been checked, unless it is large or spread over lines.
    pub(super) fn remember_result(&mut self, object: &[u8]) -> Option<Arc<str>> {
        let is_short = object.len() <= MAX_BYTES && memchr::memchr2(b'\n', b'\r', object).is_none();
        self.of_result = std::str::from_utf8(object).ok().filter(|_| is_short).map(Arc::from);
        self.of_result.clone()
    }
}

/// More is not remembered.
const MAX_BYTES: usize = 4096;
const MAX_MEMBERS: usize = 8;
