//! JSON documents of a stream, one after the other: lines, or documents of several lines, without holding more than one.

use std::io::{self, BufRead};

/// Cuts a stream into JSON documents.
///
/// Usually each line is a message. A document of several lines is recognised by its first line, which opens more than it
/// closes. A line that was cut off must not swallow the lines after it, therefore a document also ends where JSON cannot
/// go on: a line that ends within a string, or one that begins with a bracket where no value can begin. Once a whole message
/// stood on a line, only a line that is nothing but an opening bracket begins a document of several lines.
#[derive(Debug)]
pub(crate) struct Documents<R> {
    reader: R,
    limit: usize,
    line: u64,
    /// A line that was read to see how the one before goes on.
    ahead: Option<Vec<u8>>,
    by_lines: bool,
    pub(crate) bytes: u64,
}

/// Where a document was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// The number of its first line, from 1.
    pub(crate) line: u64,
    /// It is longer than allowed, and was cut off.
    pub(crate) too_long: bool,
}

impl<R: BufRead> Documents<R> {
    pub(crate) fn new(reader: R, limit: usize) -> Self {
        Self { reader, limit, line: 0, ahead: None, by_lines: false, bytes: 0 }
    }

    /// Puts the next document into `text`, or returns `None` at the end.
    pub(crate) fn next(&mut self, text: &mut Vec<u8>) -> io::Result<Option<Found>> {
        let mut too_long = loop {
            text.clear();
            match self.read_line(text)? {
                None => return Ok(None),
                Some(too_long) if too_long || !text.trim_ascii().is_empty() => break too_long,
                Some(_) => {}
            }
        };
        let found = Found { line: self.line, too_long };
        let mut open = Brackets::default();
        open.scan(text);
        if open.is_closed() || too_long {
            self.by_lines |= !too_long;
            return Ok(Some(found));
        }
        if self.by_lines && !matches!(text.trim_ascii(), b"{" | b"[") {
            return Ok(Some(found));
        }
        let mut next = Vec::new();
        while !open.is_closed() && !open.in_string {
            next.clear();
            match self.read_line(&mut next)? {
                None => break,
                Some(cut) => too_long |= cut || text.len() + next.len() > self.limit,
            }
            let begins_value = matches!(next.trim_ascii_start().first(), Some(b'{' | b'['));
            if begins_value && !open.may_begin_value() {
                self.line -= 1;
                self.ahead = Some(next);
                break;
            }
            open.scan(&next);
            if !too_long {
                text.extend_from_slice(&next);
            }
        }
        Ok(Some(Found { too_long, ..found }))
    }

    /// Appends a line; `None` at the end of the stream, `true` if the line is longer than allowed.
    fn read_line(&mut self, text: &mut Vec<u8>) -> io::Result<Option<bool>> {
        if let Some(line) = self.ahead.take() {
            self.line += 1;
            text.extend_from_slice(&line);
            return Ok(Some(false));
        }
        let (mut any, mut too_long) = (false, false);
        loop {
            let chunk = self.reader.fill_buf()?;
            if chunk.is_empty() {
                break;
            }
            any = true;
            let end = chunk.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
            let part = &chunk[..end.unwrap_or(chunk.len())];
            if text.len() + part.len() > self.limit {
                too_long = true;
            } else {
                text.extend_from_slice(part);
            }
            let used = part.len();
            self.bytes += used as u64;
            self.reader.consume(used);
            if end.is_some() {
                break;
            }
        }
        self.line += u64::from(any);
        Ok(any.then_some(too_long))
    }
}

/// The brackets that are open at a place in a JSON text.
#[derive(Debug, Default)]
struct Brackets {
    /// The opening brackets.
    open: Vec<u8>,
    in_string: bool,
    /// The last byte that is not white space.
    last: u8,
}

impl Brackets {
    fn scan(&mut self, text: &[u8]) {
        let mut bytes = text.iter().copied();
        while let Some(byte) = bytes.next() {
            match byte {
                b'\\' if self.in_string => drop(bytes.next()),
                b'"' => self.in_string = !self.in_string,
                b'{' | b'[' if !self.in_string => self.open.push(byte),
                b'}' | b']' if !self.in_string => drop(self.open.pop()),
                _ => {}
            }
            if !byte.is_ascii_whitespace() {
                self.last = byte;
            }
        }
    }

    fn is_closed(&self) -> bool {
        self.open.is_empty() && !self.in_string
    }

    /// Whether an object or array may begin here.
    fn may_begin_value(&self) -> bool {
        match self.last {
            b'[' | b':' => true,
            b',' => self.open.last() == Some(&b'['),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(u64, &str)]) {
        for capacity in [1, 3, 1000] {
            let mut documents = Documents::new(io::BufReader::with_capacity(capacity, text.as_bytes()), 100);
            let mut found = Vec::new();
            let mut buffer = Vec::new();
            while let Some(at) = documents.next(&mut buffer).unwrap() {
                let words: Vec<&str> = std::str::from_utf8(&buffer).unwrap().split_whitespace().collect();
                found.push((at.line, if at.too_long { "too long".to_owned() } else { words.join(" ") }));
            }
            let expected: Vec<(u64, String)> =
                expected.iter().map(|(line, text)| (*line, (*text).to_owned())).collect();
            assert_eq!(found, expected);
            assert_eq!(documents.bytes, text.len() as u64);
        }
    }

    #[test]
    fn lines_and_documents_are_told_apart() {
        check("", &[]);
        check("\n \n", &[]);
        check("{\"a\":1}\n\n{\"b\":2}", &[(1, "{\"a\":1}"), (3, "{\"b\":2}")]);
        check("{\n \"a\": [\n  {}\n ]\n}\n", &[(1, "{ \"a\": [ {} ] }")]);
        check(
            "{ \"a\":\n{ \"b\": 1 },\n \"c\": [1,\n[2]] }\n{}",
            &[(1, "{ \"a\": { \"b\": 1 }, \"c\": [1, [2]] }"), (5, "{}")],
        );
        check("[\n{},\n{}\n]\n", &[(1, "[ {}, {} ]")]);
        check("{}\n{\n\"a\": 1\n}\n", &[(1, "{}"), (2, "{ \"a\": 1 }")]);
        check("{\"a\": \"}\\\"{\"}\n", &[(1, "{\"a\": \"}\\\"{\"}")]);
    }

    #[test]
    fn a_line_that_was_cut_off_does_not_swallow_the_next() {
        check("{\"a\":\n{\"b\":1}}\n", &[(1, "{\"a\": {\"b\":1}}")]);
        check("{\"a\":1\n{\"b\":1}\n", &[(1, "{\"a\":1"), (2, "{\"b\":1}")]);
        check("{\"a\":1,\n{\"b\":1}\n", &[(1, "{\"a\":1,"), (2, "{\"b\":1}")]);
        check("{\"a\":\"x\n{\"b\":1}\n", &[(1, "{\"a\":\"x"), (2, "{\"b\":1}")]);
        check("{}\n{\"a\":[\n{\"b\":1}\n", &[(1, "{}"), (2, "{\"a\":["), (3, "{\"b\":1}")]);
        check("nonsense\n{}\n", &[(1, "nonsense"), (2, "{}")]);
    }

    #[test]
    fn what_is_too_long_is_skipped() {
        let long = format!("{{\"a\":\"{}\"}}\n{{}}\n", "x".repeat(200));
        check(&long, &[(1, "too long"), (2, "{}")]);
        let long = format!("{{\n{}}}\n{{}}\n", "\"a\":\"xxxxxxxxxxxxxxxxxxxxxxxxx\",\n".repeat(10));
        check(&long, &[(1, "too long"), (13, "{}")]);
    }
}
