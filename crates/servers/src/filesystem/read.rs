//! Reading files: whole, from their beginning, from their end.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use super::beneath::{Kind, Stat};
use super::failure::Failure;
use super::limits::Limits;
use super::location::Location;

/// Which part of a file is wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Part {
    Whole,
    /// The first lines.
    Head(f64),
    /// The last lines.
    Tail(f64),
}

impl Part {
    /// Reads the arguments `head` and `tail`; zero counts as absent.
    pub(crate) fn new(head: Option<f64>, tail: Option<f64>) -> Result<Self, Failure> {
        match (head.filter(|lines| *lines != 0.0), tail.filter(|lines| *lines != 0.0)) {
            (Some(_), Some(_)) => Err(Failure::new("Cannot specify both head and tail parameters simultaneously")),
            (Some(lines), None) => Ok(Self::Head(lines)),
            (None, Some(lines)) => Ok(Self::Tail(lines)),
            (None, None) => Ok(Self::Whole),
        }
    }
}

/// How much is read at a time while looking for lines.
const CHUNK: usize = 64 * 1024;

/// Reads a file as text. Bytes that are not UTF-8 become U+FFFD.
pub(crate) fn read_text(location: &Location, part: Part, limits: &Limits) -> Result<String, Failure> {
    // The original asks for the size first when it reads from the end.
    let syscall = if matches!(part, Part::Tail(_)) { "stat" } else { "open" };
    let (mut file, stat) = opened(location, syscall)?;
    let bytes = match part {
        Part::Whole => whole(&mut file, &stat, location, limits)?,
        Part::Head(lines) => head(&mut file, line_count(lines.ceil()), location, limits)?,
        Part::Tail(lines) => tail(&mut file, &stat, line_count(lines.trunc()), location, limits)?,
    };
    Ok(text(bytes))
}

/// Reads a file as it is.
pub(crate) fn read_bytes(location: &Location, limits: &Limits) -> Result<Vec<u8>, Failure> {
    let (mut file, stat) = open_regular(location)?;
    whole(&mut file, &stat, location, limits)
}

/// Opens a regular file. Nothing else is opened: a FIFO would wait, a device may act.
pub(crate) fn open_regular(location: &Location) -> Result<(File, Stat), Failure> {
    opened(location, "open")
}

/// The same; `first` is what the first look at the file is called if it fails.
fn opened(location: &Location, first: &str) -> Result<(File, Stat), Failure> {
    let failed = |error: io::Error| location.failure(&error, "open");
    let stat = location.dir().stat(location.relative()).map_err(|error| location.failure(&error, first))?;
    check_regular(location, &stat)?;
    let file = location.dir().file(location.relative()).map_err(failed)?;
    // It may be another file by now.
    let stat = Stat::of(&file.metadata().map_err(failed)?);
    check_regular(location, &stat)?;
    Ok((file, stat))
}

pub(crate) fn check_regular(location: &Location, stat: &Stat) -> Result<(), Failure> {
    match stat.kind {
        Kind::File => Ok(()),
        Kind::Directory => Err(Failure::is_a_directory()),
        Kind::Link => Err(location.became_a_link()),
        Kind::Other => Err(Failure::not_a_regular_file(&location.path)),
    }
}

/// Turns bytes into text without a copy where they are valid.
pub(crate) fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

pub(crate) fn too_large(location: &Location, limits: &Limits) -> Failure {
    Failure::new(format!(
        "File too large: {} has more than {} bytes; read a part of it with head or tail",
        location.path.display(),
        limits.answer_bytes
    ))
}

fn read_failure(error: &io::Error) -> Failure {
    Failure::system_without_path(error, "read")
}

fn whole(file: &mut File, stat: &Stat, location: &Location, limits: &Limits) -> Result<Vec<u8>, Failure> {
    if stat.size > limits.answer_bytes {
        return Err(too_large(location, limits));
    }
    // One byte more than the file has shows its end without another allocation.
    let mut bytes = Vec::with_capacity(usize::try_from(stat.size).unwrap_or(0) + 1);
    file.take(limits.answer_bytes + 1).read_to_end(&mut bytes).map_err(|error| read_failure(&error))?;
    // It may have grown.
    if bytes.len() as u64 > limits.answer_bytes { Err(too_large(location, limits)) } else { Ok(bytes) }
}

/// A negative number of lines is none; one above all limits is all of them.
fn line_count(lines: f64) -> usize {
    lines as usize
}

/// Reads the first lines, without the newline that ends the last of them.
fn head(file: &mut File, lines: usize, location: &Location, limits: &Limits) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let mut found = 0;
    while found < lines {
        let start = bytes.len();
        bytes.resize(start + CHUNK, 0);
        let read = file.read(&mut bytes[start..]).map_err(|error| read_failure(&error))?;
        bytes.truncate(start + read);
        for newline in memchr::memchr_iter(b'\n', &bytes[start..]) {
            found += 1;
            if found == lines {
                bytes.truncate(start + newline);
                return Ok(bytes);
            }
        }
        if bytes.len() as u64 > limits.answer_bytes {
            return Err(too_large(location, limits));
        }
        if read == 0 {
            // The newline that ends the file ends its last line.
            if bytes.last() == Some(&b'\n') {
                bytes.pop();
            }
            break;
        }
    }
    Ok(bytes)
}

/// Reads the last pieces between newlines; CRLF counts as a newline and becomes one.
fn tail(file: &mut File, stat: &Stat, lines: usize, location: &Location, limits: &Limits) -> Result<Vec<u8>, Failure> {
    let mut chunks: Vec<Vec<u8>> = Vec::new();
    let (mut position, mut found, mut size) = (stat.size, 0, 0);
    while position > 0 && found < lines {
        let length = position.min(CHUNK as u64);
        position -= length;
        file.seek(SeekFrom::Start(position)).map_err(|error| read_failure(&error))?;
        let mut chunk = Vec::new();
        file.take(length).read_to_end(&mut chunk).map_err(|error| read_failure(&error))?;
        found += memchr::memchr_iter(b'\n', &chunk).count();
        size += length;
        if size > limits.answer_bytes {
            return Err(too_large(location, limits));
        }
        chunks.push(chunk);
    }
    chunks.reverse();
    let bytes = without_carriage_returns(chunks.concat());
    Ok(match memchr::memrchr_iter(b'\n', &bytes).nth(lines.saturating_sub(1)) {
        Some(newline) => bytes[newline + 1..].to_vec(),
        None => bytes,
    })
}

/// Turns each CRLF into LF.
pub(crate) fn without_carriage_returns(mut bytes: Vec<u8>) -> Vec<u8> {
    if memchr::memmem::find(&bytes, b"\r\n").is_none() {
        return bytes;
    }
    let mut kept = 0;
    for index in 0..bytes.len() {
        if bytes[index] == b'\r' && bytes.get(index + 1) == Some(&b'\n') {
            continue;
        }
        bytes[kept] = bytes[index];
        kept += 1;
    }
    bytes.truncate(kept);
    bytes
}
