//! What a server writes to standard error: shown as it comes, or kept for the case that something goes wrong.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use crate::show::one_line;

/// How many lines are shown when something went wrong.
const KEPT: usize = 8;

/// The longest line; the rest of a longer one is left out.
const LONGEST: usize = 2000;

/// The standard error of a server.
#[derive(Debug)]
pub(crate) struct ServerStderr {
    is_shown: bool,
    lines: Mutex<Lines>,
}

#[derive(Debug, Default)]
struct Lines {
    last: VecDeque<String>,
    open: Vec<u8>,
}

impl ServerStderr {
    pub(crate) fn new(is_shown: bool) -> Self {
        Self { is_shown, lines: Mutex::default() }
    }

    /// Takes a piece of it.
    pub(crate) fn hear(&self, piece: &[u8]) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        for byte in piece {
            match byte {
                b'\n' => lines.end(self.is_shown),
                byte if lines.open.len() < LONGEST => lines.open.push(*byte),
                _ => {}
            }
        }
    }

    /// Returns the last lines, unless they have been shown already.
    pub(crate) fn last(&self) -> Option<String> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.end(self.is_shown);
        if self.is_shown || lines.last.is_empty() {
            return None;
        }
        let last: Vec<&str> = lines.last.iter().map(String::as_str).collect();
        Some(last.join("\n"))
    }
}

impl Lines {
    fn end(&mut self, is_shown: bool) {
        let text = String::from_utf8_lossy(&std::mem::take(&mut self.open)).into_owned();
        let line = one_line(text.trim_end_matches('\r')).into_owned();
        if line.trim().is_empty() {
            return;
        }
        if is_shown {
            eprintln!("server: {line}");
        }
        self.last.push_back(line);
        if self.last.len() > KEPT {
            self.last.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T-113, T-171: the last lines are kept, short and harmless.
    #[test]
    fn the_last_lines_are_kept_and_harmless() {
        let stderr = ServerStderr::new(false);
        assert_eq!(stderr.last(), None);
        for number in 0..20 {
            stderr.hear(format!("line {number}\x1b[2J\r\n\n").as_bytes());
        }
        stderr.hear(&[b'x'; 5000]);
        let last = stderr.last().unwrap();
        let lines: Vec<&str> = last.lines().collect();
        assert_eq!(lines.len(), KEPT);
        assert_eq!(lines[0], "line 13\\u{1b}[2J");
        assert_eq!(lines[7].len(), LONGEST);
    }
}
