//! Responses of HTTP/1.1, read from bytes that have come.

use std::io::{Error, Result};

/// The head of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// The status.
    pub status: u16,
    /// The header fields; names are in lower case.
    pub fields: Vec<(String, String)>,
    /// How many bytes it has, the empty line at its end included.
    pub length: usize,
}

/// A response that has come to its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// Its head.
    pub head: Head,
    /// Its body, without the sizes of its chunks.
    pub body: Vec<u8>,
    /// How many bytes it took in all.
    pub length: usize,
}

/// A part of a body that comes in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// What is in it; nothing in the last one.
    pub bytes: &'a [u8],
    /// How many bytes it took in all.
    pub length: usize,
}

/// How the end of a body is found.
enum Extent {
    Length(usize),
    Chunked,
}

impl Head {
    /// Reads the head at the beginning of `bytes`, if it is complete.
    ///
    /// # Errors
    /// It is no head.
    pub fn read(bytes: &[u8]) -> Result<Option<Self>> {
        let Some(end) = end_of_head(bytes) else { return Ok(None) };
        let text = text(&bytes[..end])?;
        let mut lines = text.split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok());
        let status = status.ok_or_else(|| Error::other("a response without a status"))?;
        let field = |line: &str| line.split_once(':').map(|(name, value)| (name.to_lowercase(), value.trim().into()));
        Ok(Some(Self { status, fields: lines.filter_map(field).collect(), length: end + 4 }))
    }

    /// Returns the value of a field, whose name is given in lower case.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns the values of a field that can be there more than once.
    pub fn fields_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.fields.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether the body is a stream of events.
    #[must_use]
    pub fn is_event_stream(&self) -> bool {
        self.field("content-type").is_some_and(|kind| kind.starts_with("text/event-stream"))
    }
}

impl Response {
    /// Reads the response at the beginning of `bytes`, if it is complete.
    ///
    /// # Errors
    /// It is no response, or says nothing of its length.
    pub fn read(bytes: &[u8]) -> Result<Option<Self>> {
        let (Some(length), Some(head)) = (Self::length(bytes)?, Head::read(bytes)?) else { return Ok(None) };
        let mut body = Vec::new();
        match extent(text(&bytes[..head.length])?)? {
            Extent::Length(_) => body.extend_from_slice(&bytes[head.length..length]),
            Extent::Chunked => {
                let mut rest = &bytes[head.length..length];
                while let Some(chunk) = Chunk::read(rest)?.filter(|chunk| !chunk.bytes.is_empty()) {
                    body.extend_from_slice(chunk.bytes);
                    rest = &rest[chunk.length..];
                }
            }
        }
        Ok(Some(Self { head, body, length }))
    }

    /// Returns how many bytes the response at the beginning of `bytes` has, if it is complete. It takes nothing apart and copies nothing.
    ///
    /// # Errors
    /// It is no response, or says nothing of its length.
    pub fn length(bytes: &[u8]) -> Result<Option<usize>> {
        let Some(end) = end_of_head(bytes) else { return Ok(None) };
        let mut at = end + 4;
        match extent(text(&bytes[..end])?)? {
            Extent::Length(length) => at += length,
            Extent::Chunked => loop {
                let Some(chunk) = Chunk::read(&bytes[at..])? else { return Ok(None) };
                at += chunk.length;
                if chunk.bytes.is_empty() {
                    break;
                }
            },
        }
        Ok((bytes.len() >= at).then_some(at))
    }
}

impl<'a> Chunk<'a> {
    /// Reads the chunk at the beginning of `bytes`, if it is complete.
    ///
    /// # Errors
    /// Its size cannot be read, or is not its size.
    pub fn read(bytes: &'a [u8]) -> Result<Option<Self>> {
        let Some(line) = bytes.windows(2).position(|end| end == b"\r\n") else { return Ok(None) };
        let size = usize::from_str_radix(text(&bytes[..line])?.trim(), 16);
        let size = size.map_err(|_| Error::other("the size of a chunk cannot be read"))?;
        let (begin, length) = (line + 2, size.saturating_add(line + 4));
        if bytes.len() < length {
            return Ok(None);
        }
        if &bytes[length - 2..length] != b"\r\n" {
            return Err(Error::other("a chunk has another size than it says"));
        }
        Ok(Some(Self { bytes: &bytes[begin..begin + size], length }))
    }
}

fn end_of_head(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|end| end == b"\r\n\r\n")
}

fn text(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(Error::other)
}

fn extent(head: &str) -> Result<Extent> {
    let mut chunked = false;
    for (name, value) in head.split("\r\n").filter_map(|line| line.split_once(':')) {
        if name.eq_ignore_ascii_case("content-length") {
            return value.trim().parse().map(Extent::Length).map_err(Error::other);
        }
        chunked |= name.eq_ignore_ascii_case("transfer-encoding") && value.trim() == "chunked";
    }
    if chunked { Ok(Extent::Chunked) } else { Err(Error::other("a response that says nothing of its length")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &[u8] =
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nMcp-Session-Id:  a\r\nset-cookie: b\r\nSet-Cookie: c\r\n\r\n{}";
    const CHUNKED: &[u8] =
        b"HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nA \r\n0123456789\r\n0\r\n\r\n";

    #[test]
    fn a_response_is_whole_with_its_last_byte() {
        for response in [PLAIN, CHUNKED] {
            for end in 0..response.len() {
                assert_eq!(Response::length(&response[..end]).unwrap(), None, "{end}");
                assert_eq!(Response::read(&response[..end]).unwrap(), None, "{end}");
            }
            let with_next = [response, b"HTTP"].concat();
            assert_eq!(Response::length(&with_next).unwrap(), Some(response.len()));
            assert_eq!(Response::read(&with_next).unwrap().unwrap().length, response.len());
        }
    }

    #[test]
    fn heads_and_bodies_are_read() {
        let plain = Response::read(PLAIN).unwrap().unwrap();
        assert_eq!((plain.head.status, plain.body.as_slice()), (200, b"{}".as_slice()));
        assert_eq!(plain.head.field("mcp-session-id"), Some("a"));
        assert_eq!(plain.head.fields_named("set-cookie").collect::<Vec<_>>(), ["b", "c"]);
        assert!(!plain.head.is_event_stream());
        let chunked = Response::read(CHUNKED).unwrap().unwrap();
        assert_eq!((chunked.head.status, chunked.body.as_slice()), (404, b"{}0123456789".as_slice()));
    }

    #[test]
    fn what_can_not_be_read_is_refused() {
        assert!(Response::length(b"HTTP/1.1 200 OK\r\n\r\n").is_err(), "a length is needed");
        assert!(Response::length(b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n").is_err());
        assert!(Response::length(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n").is_err());
        assert!(Head::read(b"nonsense\r\n\r\n").is_err(), "a status is needed");
        assert!(Chunk::read(b"2\r\nabc\r\n").is_err(), "a chunk that is longer than it says");
        assert_eq!(Chunk::read(b"ffffffffffffffff\r\nabc\r\n").unwrap(), None, "a chunk that can never come");
    }
}
