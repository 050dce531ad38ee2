//! Recording one stream of messages.

use super::{Note, Side, Tape};

/// Records the messages of one connection. Clones record as part of the same one.
#[derive(Clone, Debug)]
pub struct Recorder {
    tape: Tape,
    over: &'static str,
    session: String,
}

impl Recorder {
    /// Makes a recorder for a new connection over a transport: `stdio`, `http`, or `stream`.
    #[must_use]
    pub fn new(tape: &Tape, over: &'static str) -> Self {
        Self { tape: tape.clone(), over, session: tape.next_number().to_string() }
    }

    /// Records a message, or what should be one. Returns at once.
    pub fn record(&self, from: Side, text: &[u8]) {
        let mut note = Note::new(from, self.over);
        (note.session, note.text) = (Some(self.session.as_str()), Some(text));
        self.tape.note(note);
    }
}
