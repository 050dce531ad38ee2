//! What carries messages, as far as the models need it.

/// Takes messages to the server.
pub(crate) trait Link {
    fn send(&self, message: Outgoing<'_>) -> Result<(), NotSent>;
    fn close(&self);
}

/// Why a message was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotSent {
    Ended,
    Full,
}

/// A message to the server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outgoing<'a> {
    pub(crate) text: &'a [u8],
}
