//! Statements of one message after the other, as this crate writes them.

use std::io::{self, BufRead};

use crate::Error;

/// Calls `take` with the statements of each message and the number of their first line.
///
/// The blank nodes of the n-th message are named `m<n>n…`, so a new message begins where n grows. Where a statement does not
/// follow that rule, it and all that remain are taken together.
pub(crate) fn groups(
    mut lines: impl BufRead,
    mut take: impl FnMut(u64, &[u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    let (mut group, mut text) = (Vec::new(), Vec::new());
    let (mut current, mut number, mut begin) = (0, 0, 1);
    loop {
        text.clear();
        if read(&mut lines, &mut text)? == 0 {
            break;
        }
        number += 1;
        match message_of(&text) {
            Some(message) if message == current => {}
            Some(message) if message > current => {
                if !group.is_empty() {
                    take(begin, &group)?;
                    group.clear();
                }
                (current, begin) = (message, number);
            }
            _ if text.trim_ascii().is_empty() => continue,
            _ => {
                group.extend_from_slice(&text);
                lines.read_to_end(&mut group)?;
                break;
            }
        }
        group.extend_from_slice(&text);
    }
    if group.is_empty() { Ok(()) } else { take(begin, &group) }
}

fn read(lines: &mut impl BufRead, text: &mut Vec<u8>) -> io::Result<usize> {
    lines.read_until(b'\n', text)
}

/// Returns the number of the message that a statement of ours belongs to.
fn message_of(line: &[u8]) -> Option<u64> {
    let name = line.strip_prefix(b"_:m")?;
    let end = name.iter().position(|byte| !byte.is_ascii_digit())?;
    if name.get(end) != Some(&b'n') {
        return None;
    }
    std::str::from_utf8(&name[..end]).ok()?.parse().ok()
}
