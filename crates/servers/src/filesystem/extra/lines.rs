//! A range of lines of a file.

use std::io::{BufRead, BufReader, Read};

use crate::filesystem::failure::Failure;
use crate::filesystem::limits::{Limits, Watcher};
use crate::filesystem::location::Location;
use crate::filesystem::read;

/// Returns lines from the number `first`, counted from one, up to `count` of them, each with its number in front.
pub(crate) fn read_lines(
    location: &Location,
    first: u64,
    count: u64,
    limits: &Limits,
    watcher: &dyn Watcher,
) -> Result<String, Failure> {
    let (file, _) = read::open_regular(location)?;
    let mut reader = BufReader::with_capacity(64 * 1024, file);
    let mut text = String::new();
    let (mut number, mut line) = (0_u64, Vec::new());
    let last = first.saturating_add(count).saturating_sub(1);
    while number < last && !watcher.is_cancelled() {
        line.clear();
        // A line can be as long as the whole file.
        let mut limited = (&mut reader).take(limits.answer_bytes + 1);
        let read = limited.read_until(b'\n', &mut line);
        if read.map_err(|error| Failure::system_without_path(&error, "read"))? == 0 {
            break;
        }
        number += 1;
        if number >= first {
            text.push_str(&format!("{number:>6}\t{}", String::from_utf8_lossy(&line)));
        }
        if text.len().max(line.len()) as u64 > limits.answer_bytes {
            return Err(read::too_large(location, limits));
        }
    }
    Ok(text)
}
