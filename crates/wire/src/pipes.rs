//! Requests over the standard input and output of a server, for a while.

use std::io::{BufRead, BufReader, Error, ErrorKind, Result, Write};
use std::process::{ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use crate::Turn;

/// The pipes of a server that speaks lines.
///
/// Nothing in here ends by itself when a server does not answer: whoever uses it has to end the server then.
#[derive(Debug)]
pub struct Pipes {
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    line: Vec<u8>,
    sent: u64,
    answered: u64,
}

impl Pipes {
    /// Takes the pipes of a server.
    #[must_use]
    pub fn new(input: ChildStdin, output: ChildStdout) -> Self {
        Self { input, output: BufReader::with_capacity(1 << 16, output), line: Vec::new(), sent: 0, answered: 0 }
    }

    /// Writes lines at once, and waits until that many are answered with a result.
    ///
    /// # Errors
    /// The server ended, or answered something else.
    pub fn exchange(&mut self, lines: &[u8], answers: u64) -> Result<()> {
        self.send(lines, answers)?;
        self.wait_until_answered(self.sent)
    }

    /// Sends batches one after the other, again and again for so long, each of `size` requests; two of them are always under way.
    ///
    /// They have to fit into a pipe (64 KiB on Linux), because nothing is read while they are written. A batch comes again when all of the others
    /// have been sent: servers that answer out of order need several, so that an id is not used again before its answer.
    ///
    /// # Errors
    /// The server ended, or answered something else than a result.
    pub fn turn(&mut self, batches: &[Vec<u8>], size: u64, time: Duration) -> Result<Turn> {
        let (start, before) = (Instant::now(), self.answered);
        let mut batches = batches.iter().cycle();
        let mut next = || batches.next().ok_or_else(|| Error::other("there is nothing to send"));
        self.send(next()?, size)?;
        while start.elapsed() < time {
            self.send(next()?, size)?;
            self.wait_until_answered(self.sent - size)?;
        }
        self.wait_until_answered(self.sent)?;
        Ok(Turn { requests: self.answered - before, time: start.elapsed() })
    }

    fn send(&mut self, lines: &[u8], requests: u64) -> Result<()> {
        self.sent += requests;
        self.input.write_all(lines)
    }

    /// Reads until that many requests have been answered since the beginning.
    fn wait_until_answered(&mut self, requests: u64) -> Result<()> {
        while self.answered < requests {
            self.answered += u64::from(self.read_line()?);
        }
        Ok(())
    }

    /// Reads a line; returns whether it is the answer to a request.
    fn read_line(&mut self) -> Result<bool> {
        let there = self.output.fill_buf()?;
        if there.is_empty() {
            return Err(Error::new(ErrorKind::UnexpectedEof, "the server ended"));
        }
        let head = &there[..there.len().min(HEAD)];
        let end = head.iter().position(|byte| *byte == b'\n');
        // Long lines are neither copied nor searched from end to end: what is measured is the server.
        if end.is_some() || head.len() == HEAD {
            let is_result = is_result(&head[..end.unwrap_or(HEAD)])?;
            self.output.skip_until(b'\n')?;
            return Ok(is_result);
        }
        self.line.clear();
        self.output.read_until(b'\n', &mut self.line)?;
        is_result(&self.line[..self.line.len().min(HEAD)])
    }
}

/// So much of a line says what it is.
const HEAD: usize = 600;

/// Whether a line that begins like this is the answer to a request; a notification is none.
fn is_result(head: &[u8]) -> Result<bool> {
    let is_result = contains(head, b"\"result\"");
    let has_failed = if is_result { contains(head, b"\"isError\":true") } else { contains(head, b"\"error\"") };
    if has_failed { Err(Error::other(format!("it answered {}", excerpt(head)))) } else { Ok(is_result) }
}

/// Whether a word is in there. Its length is known to the compiler, which makes one comparison of it.
pub(crate) fn contains<const LENGTH: usize>(bytes: &[u8], word: &[u8; LENGTH]) -> bool {
    bytes.windows(LENGTH).any(|window| window == word)
}

pub(crate) fn excerpt(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(400)]).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};

    use super::*;

    fn start(script: &str) -> (Child, Pipes) {
        let mut command = Command::new("sh");
        let mut child = command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let pipes = Pipes::new(child.stdin.take().unwrap(), child.stdout.take().unwrap());
        (child, pipes)
    }

    fn end((mut child, pipes): (Child, Pipes)) {
        drop(pipes);
        child.wait().unwrap();
    }

    #[test]
    fn all_answers_of_a_turn_are_counted() {
        let mut cat = start("cat");
        cat.1.exchange(b"{\"method\":1}\n{\"result\":0}\n", 1).unwrap();
        let batches = [b"{\"result\":1}\n{\"result\":2}\n".to_vec(), b"{\"result\":3}\n{\"result\":4}\n".to_vec()];
        assert_eq!(cat.1.turn(&batches, 2, Duration::ZERO).unwrap().requests, 2);
        let time = Duration::from_millis(5);
        let turn = cat.1.turn(&batches, 2, time).unwrap();
        assert!(turn.requests >= 4 && turn.requests.is_multiple_of(2) && turn.time >= time, "{turn:?}");
        end(cat);
    }

    #[test]
    fn answers_may_be_longer_than_the_buffer() {
        let mut cat = start("cat");
        // More than a pipe holds, so that it cannot be written before something is read.
        let long = format!("{{\"result\":\"{}\"}}\n", "x".repeat(40_000));
        for _ in 0..3 {
            cat.1.exchange(long.as_bytes(), 1).unwrap();
        }
        end(cat);
        let mut sed = start("sed -u 's/x/xxxxxxxxxx/g'");
        sed.1.exchange(long.as_bytes(), 1).unwrap();
        end(sed);
    }

    #[test]
    fn other_answers_are_refused() {
        for (script, lines, why) in [
            ("cat", "{\"error\":1}\n", "it answered {\"error\":1}"),
            ("cat", "{\"result\":{\"isError\":true}}\n", "it answered {\"result\":{\"isError\":true}}"),
            ("read line", "{\"result\":1}\n", "the server ended"),
        ] {
            let mut server = start(script);
            let error = server.1.exchange(lines.as_bytes(), 1).unwrap_err();
            assert_eq!(error.to_string(), why, "{script}");
            end(server);
        }
    }
}
