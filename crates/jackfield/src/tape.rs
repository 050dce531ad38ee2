//! Recorded traffic: a line of JSON for each message, with secrets redacted.

pub use jackfield_peer::tape::{Content, Entry, Note, ReadError, Reader, Record, Recorder, Side, Tape, VERSION};
