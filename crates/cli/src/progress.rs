//! Progress of a call, on standard error if a person looks at it.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};

use jackfield::protocol::ProgressParams;

use crate::show::{one_line, style};

/// A line at the bottom of the terminal that says how far a call is.
#[derive(Debug)]
pub(crate) struct Progress {
    is_terminal: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// A line is on the screen.
    shown: bool,
    /// The person is being asked something, so nothing may be written.
    quiet: usize,
}

impl Progress {
    pub(crate) fn new() -> Self {
        Self { is_terminal: io::stderr().is_terminal(), state: Mutex::default() }
    }

    /// Shows how far the call is, instead of what was shown before.
    pub(crate) fn show(&self, notice: &ProgressParams) {
        let mut state = self.state();
        if self.is_terminal && state.quiet == 0 {
            let line = style(true).cut(&line(notice), 1);
            // A terminal that is gone needs no progress.
            let _ = write!(io::stderr(), "\r\x1b[K{line}");
            state.shown = true;
        }
    }

    /// Takes the line away.
    pub(crate) fn clear(&self) {
        clear(&mut self.state());
    }

    /// Takes the line away, and shows none until the guard is dropped.
    pub(crate) fn quiet(&self) -> Quiet<'_> {
        let mut state = self.state();
        clear(&mut state);
        state.quiet += 1;
        Quiet(self)
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn clear(state: &mut State) {
    if std::mem::take(&mut state.shown) {
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
}

/// While it lives, no progress is shown.
#[derive(Debug)]
pub(crate) struct Quiet<'a>(&'a Progress);

impl Drop for Quiet<'_> {
    fn drop(&mut self) {
        self.0.state().quiet -= 1;
    }
}

fn line(notice: &ProgressParams) -> String {
    let message = notice.message.as_deref().map(|message| format!(" {}", one_line(message))).unwrap_or_default();
    match notice.total.filter(|total| *total > 0.0) {
        Some(total) => {
            let percent = (notice.progress / total * 100.0).clamp(0.0, 100.0);
            format!("{percent:3.0} % ({}/{total}){message}", notice.progress)
        }
        None => format!("{}{message}", notice.progress),
    }
}

#[cfg(test)]
mod tests {
    use jackfield::protocol::RequestId;

    use super::*;

    #[test]
    fn progress_is_one_harmless_line() {
        let mut notice = ProgressParams::new(RequestId::Integer(1), 3.0);
        assert_eq!(line(&notice), "3");
        notice.total = Some(4.0);
        notice.message = Some("step\n\x1b[2J".to_owned());
        assert_eq!(line(&notice), " 75 % (3/4) step\\n\\u{1b}[2J");
        notice.total = Some(0.0);
        assert!(line(&notice).starts_with("3 step"));
    }
}
