//! Reading a tape.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use super::Entry;
use super::entry::Unreadable;

/// Reads the entries of a tape, one after the other, with bounded memory.
///
/// A line that is wrong is an error, and the next one is read all the same: a tape may have been cut off when a process was killed, and gone
/// on afterwards.
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    line: Vec<u8>,
    number: u64,
    limit: usize,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing has been read.
    Start,
    InTape,
    /// There is nothing more to be had.
    Over,
}

/// What cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file cannot be read.
    #[error("the tape cannot be read")]
    Io(#[source] io::Error),
    /// The first line does not begin a tape.
    #[error("this is not a tape: the first line does not begin one")]
    NotATape,
    /// The tape was written in a version that is not known. No more is read of it.
    #[error("line {line}: this tape has version {version}, and only version 1 is known")]
    Version {
        /// Where that is said.
        line: u64,
        /// The version.
        version: u64,
    },
    /// A line is no entry.
    #[error("line {line}: {what}")]
    Bad {
        /// Which one.
        line: u64,
        /// What is wrong with it.
        what: String,
    },
    /// A line is too long. It was skipped.
    #[error("line {line} is longer than {limit} bytes")]
    TooLong {
        /// Which one.
        line: u64,
        /// How long one may be.
        limit: usize,
    },
    /// The last line has no end: whoever wrote it was stopped.
    #[error("the tape ends in the middle of line {line}")]
    CutOff {
        /// Which one.
        line: u64,
    },
}

/// How long a line may be, if nothing else is said: longer than any message that is taken.
const LONGEST_LINE: usize = 256 << 20;

impl Reader<BufReader<File>> {
    /// Reads the tape in a file.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        File::open(path).map(|file| Self::new(BufReader::with_capacity(64 * 1024, file)))
    }
}

impl<R: BufRead> Reader<R> {
    /// Reads a tape.
    pub fn new(input: R) -> Self {
        Self { input, line: Vec::new(), number: 0, limit: LONGEST_LINE, state: State::Start }
    }

    /// Sets how long a line may be.
    #[must_use]
    pub fn with_limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// Reads lines until there is something on one.
    fn next_entry(&mut self) -> Result<Option<Entry>, ReadError> {
        loop {
            let Some(is_whole) = self.read_line()? else { return Ok(None) };
            let line = self.number;
            if self.line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            return match Entry::read(&self.line) {
                Ok(entry) => Ok(Some(entry)),
                Err(Unreadable::Version(version)) => Err(ReadError::Version { line, version }),
                Err(Unreadable::Bad(_)) if !is_whole && self.state != State::Start => Err(ReadError::CutOff { line }),
                Err(Unreadable::Bad(what)) => Err(ReadError::Bad { line, what }),
            };
        }
    }

    /// Reads one line, without its end; says whether it has one. Nothing is left after `None`.
    fn read_line(&mut self) -> Result<Option<bool>, ReadError> {
        self.line.clear();
        // One line that was long does not keep its memory.
        self.line.shrink_to(1 << 20);
        let most = u64::try_from(self.limit).unwrap_or(u64::MAX).saturating_add(1);
        let count = (&mut self.input).take(most).read_until(b'\n', &mut self.line).map_err(ReadError::Io)?;
        if count == 0 {
            return Ok(None);
        }
        self.number = self.number.saturating_add(1);
        if self.line.pop_if(|byte| *byte == b'\n').is_some() {
            return Ok(Some(true));
        }
        if self.line.len() > self.limit {
            self.input.skip_until(b'\n').map_err(ReadError::Io)?;
            return Err(ReadError::TooLong { line: self.number, limit: self.limit });
        }
        Ok(Some(false))
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Entry, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.state == State::Over {
            return None;
        }
        let read = self.next_entry();
        let (state, read) = match (self.state, read) {
            (_, Err(error @ (ReadError::Io(_) | ReadError::Version { .. }))) => (State::Over, Err(error)),
            (State::Start, Ok(Some(entry @ Entry::Begin { .. }))) => (State::InTape, Ok(Some(entry))),
            (State::Start, _) => (State::Over, Err(ReadError::NotATape)),
            (_, Ok(None)) => (State::Over, Ok(None)),
            (state, read) => (state, read),
        };
        self.state = state;
        read.transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tape::Content;

    const BEGIN: &str = r#"{"tape":1,"at":"2026-07-28T12:00:00.000Z"}"#;
    const PING: &str = r#"{"ms":1.5,"from":"client","over":"stdio","message":{"id":1,"method":"ping"}}"#;

    /// What is read, in short.
    fn read(text: &str) -> Vec<String> {
        let entries = Reader::new(text.as_bytes()).with_limit(100).map(|entry| match entry {
            Ok(Entry::Begin { .. }) => "begin".to_owned(),
            Ok(Entry::Record(record)) => match record.content {
                Content::Message { json, .. } => json.get().to_owned(),
                other => format!("{other:?}"),
            },
            Ok(Entry::Missed { count, .. }) => format!("missed {count}"),
            Err(error) => error.to_string(),
        });
        entries.collect()
    }

    #[test]
    fn entries_come_in_order_and_empty_lines_are_none() {
        let text = format!("{BEGIN}\n{PING}\n\n  \r\n{{\"ms\":2,\"missed\":3}}\n{BEGIN}\n{PING}");
        let ping = r#"{"id":1,"method":"ping"}"#;
        assert_eq!(read(&text), ["begin", ping, "missed 3", "begin", ping]);
    }

    #[test]
    fn what_is_no_tape_is_told_at_once() {
        let no_tape = ["this is not a tape: the first line does not begin one"];
        assert_eq!(read(""), no_tape);
        assert_eq!(read("# Readme\n\nmore\n"), no_tape);
        assert_eq!(read(&format!("{PING}\n{BEGIN}\n")), no_tape);
        assert_eq!(read(r#"{"tape":1,"at":"2026"#), no_tape);
        assert_eq!(read(&"x".repeat(1000)), no_tape);
    }

    #[test]
    fn a_newer_version_is_not_guessed_at() {
        let newer = "line 1: this tape has version 2, and only version 1 is known";
        assert_eq!(read("{\"tape\":2}\n{}\n"), [newer]);
        let later = "line 2: this tape has version 9, and only version 1 is known";
        assert_eq!(read(&format!("{BEGIN}\n{{\"tape\":9,\"from\":\"client\"}}\n{PING}\n")), ["begin", later]);
    }

    #[test]
    fn a_line_that_is_wrong_does_not_hide_the_others() {
        let long = "x".repeat(101);
        let text = format!("{BEGIN}\nnot JSON\n{long}\n{{\"ms\":1}}\n{PING}\n");
        let ping = r#"{"id":1,"method":"ping"}"#;
        let wrong =
            ["line 2: expected ident, at byte 2", "line 3 is longer than 100 bytes", "line 4: `from` is missing"];
        assert_eq!(read(&text), [&["begin"][..], &wrong, &[ping]].concat());
        // At the limit it is not too long.
        assert!(read(&format!("{BEGIN}\n{}\n", "x".repeat(100)))[1].starts_with("line 2: expected"));
    }

    #[test]
    fn a_tape_that_was_cut_off_says_so() {
        let text = format!("{BEGIN}\n{PING}\n{}", &PING[..30]);
        assert_eq!(read(&text)[2], "the tape ends in the middle of line 3");
        // Where it went on afterwards, the line is a bad one like any other.
        let text = format!("{BEGIN}\n{}\n{BEGIN}\n", &PING[..30]);
        assert!(read(&text)[1].starts_with("line 2: EOF while parsing"));
        assert_eq!(read(&text)[2], "begin");
    }
}
