//! Statements of one message after the other, as this crate writes them.

use std::collections::BTreeMap;
use std::io::BufRead;

use crate::Error;

/// Calls `take` with the statements of each message and the number of their first line.
///
/// The blank nodes of the n-th message are named `m<n>n…`, so a new message begins where n changes. The messages may stand in
/// any order, the statements of each must stand together. Where a statement does not follow that rule of names, it and all
/// that remain are taken together.
pub(crate) fn groups(
    mut lines: impl BufRead,
    mut take: impl FnMut(u64, &[u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    let (mut group, mut text) = (Vec::new(), Vec::new());
    let (mut current, mut number, mut begin) = (None, 0, 1);
    let mut seen = Numbers::default();
    loop {
        text.clear();
        if lines.read_until(b'\n', &mut text)? == 0 {
            break;
        }
        number += 1;
        match message_of(&text) {
            Some(message) if current == Some(message) => {}
            Some(message) => {
                if !seen.insert(message) {
                    return Err(Error::Unordered { line: number });
                }
                if !group.is_empty() {
                    take(begin, &group)?;
                    group.clear();
                }
                (current, begin) = (Some(message), number);
            }
            None if text.trim_ascii().is_empty() => continue,
            None => {
                group.extend_from_slice(&text);
                lines.read_to_end(&mut group)?;
                break;
            }
        }
        group.extend_from_slice(&text);
    }
    if group.is_empty() { Ok(()) } else { take(begin, &group) }
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

/// A set of numbers as ranges, from the first to the last: numbers in order, or sorted as text, make few of them.
#[derive(Default)]
struct Numbers(BTreeMap<u64, u64>);

impl Numbers {
    /// Adds a number; `false` if it was there already.
    fn insert(&mut self, n: u64) -> bool {
        let before = self.0.range(..=n).next_back().map(|(first, last)| (*first, *last));
        if before.is_some_and(|(_, last)| n <= last) {
            return false;
        }
        let first = match before {
            Some((first, last)) if last + 1 == n => first,
            _ => n,
        };
        let last = n.checked_add(1).and_then(|next| self.0.remove(&next)).unwrap_or(n);
        self.0.insert(first, last);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_any_order_are_remembered_as_ranges() {
        let mut numbers = Numbers::default();
        let mut words: Vec<String> = (1..=1000).map(|n: u64| n.to_string()).collect();
        words.sort();
        let mut most = 0;
        for word in &words {
            assert!(numbers.insert(word.parse().unwrap()));
            most = most.max(numbers.0.len());
        }
        assert_eq!(numbers.0, BTreeMap::from([(1, 1000)]));
        assert!(most < 5, "{most}");
        assert!((1..=1000).all(|n| !numbers.insert(n)));
        assert!(numbers.insert(u64::MAX) && !numbers.insert(u64::MAX) && numbers.insert(0));
    }
}
