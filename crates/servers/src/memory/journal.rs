//! The journal: changes that are not in the file of the graph yet, one line each. All processes that use the file share it.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::change::Change;

/// A line of the journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Line {
    Change(Change),
    /// The changes before this line are in a file with this content, if it is the file of the graph.
    Folded {
        folded: Digest,
    },
}

/// What tells the content of one file from that of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Digest {
    length: u64,
    hash: u64,
}

/// Changes that have been read from a journal.
#[derive(Debug, Default)]
pub(super) struct Entries {
    pub(super) changes: Vec<Change>,
    /// Where the last whole line ends.
    pub(super) end: u64,
    /// What the file of the graph contains if all of the changes are in it.
    pub(super) folded: Option<Digest>,
}

/// Reads a journal from a place on. What a process that died left of its last line is no change: nobody was told that it was made.
pub(super) fn read(path: &Path, start: u64) -> io::Result<Entries> {
    let mut entries = Entries { end: start, ..Entries::default() };
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(entries),
        Err(error) => return Err(error),
    };
    file.seek(SeekFrom::Start(start))?;
    let mut lines = BufReader::new(file);
    let mut line = Vec::new();
    loop {
        line.clear();
        let length = lines.read_until(b'\n', &mut line)?;
        if length == 0 || line.last() != Some(&b'\n') {
            return Ok(entries);
        }
        match serde_json::from_slice(&line) {
            Ok(Line::Change(change)) => {
                entries.changes.push(change);
                entries.folded = None;
            }
            Ok(Line::Folded { folded }) => entries.folded = Some(folded),
            Err(error) => tracing::warn!(%error, "a line of the journal {} cannot be read", path.display()),
        }
        entries.end += length as u64;
    }
}

/// Adds a change at `end`, and returns where it ends then. It is on the disk when this returns.
pub(super) fn append(path: &Path, end: u64, change: &Change) -> io::Result<u64> {
    append_line(path, end, &serde_json::to_vec(change)?)
}

/// Notes what the file of the graph is about to contain.
pub(super) fn mark_folded(path: &Path, end: u64, folded: Digest) -> io::Result<u64> {
    append_line(path, end, &serde_json::to_vec(&Line::Folded { folded })?)
}

fn append_line(path: &Path, end: u64, line: &[u8]) -> io::Result<u64> {
    let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    // What a process that died left of its last line is overwritten.
    file.set_len(end)?;
    file.seek(SeekFrom::Start(end))?;
    let mut whole = Vec::with_capacity(line.len() + 1);
    whole.extend_from_slice(line);
    whole.push(b'\n');
    let written = file.write_all(&whole).and_then(|()| file.sync_data());
    if written.is_err() {
        // Half a line must not stay; if it does, the next one overwrites it.
        let _ = file.set_len(end);
    }
    written.map(|()| end + whole.len() as u64)
}

impl Digest {
    /// Reads a file; one that is not there has no digest.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let mut file = File::open(path).ok()?;
        let mut digest = Digesting::default();
        let mut buffer = vec![0; 64 * 1024];
        loop {
            match file.read(&mut buffer).ok()? {
                0 => return Some(digest.finish()),
                count => digest.add(&buffer[..count]),
            }
        }
    }
}

/// A digest of what is written through it (FNV-1a).
#[derive(Debug)]
pub(super) struct Digesting(Digest);

impl Default for Digesting {
    fn default() -> Self {
        Self(Digest { length: 0, hash: 0xcbf2_9ce4_8422_2325 })
    }
}

impl Digesting {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.0.length += bytes.len() as u64;
        for byte in bytes {
            self.0.hash = (self.0.hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    pub(super) fn finish(self) -> Digest {
        self.0
    }
}
