//! Reading a password.

#[cfg(unix)]
#[path = "unix.rs"]
mod platform;
#[cfg(not(unix))]
#[path = "windows.rs"]
mod platform;

use std::io::{self, IsTerminal as _};

/// Asks for a password on the terminal, where it does not appear, or reads a line of standard input.
pub(crate) fn read(prompt: &str) -> io::Result<String> {
    let is_terminal = io::stdin().is_terminal();
    let mut line = String::new();
    if is_terminal {
        // What is typed early must not appear either.
        let _silence = platform::Silence::begin()?;
        eprint!("{prompt}");
        io::stdin().read_line(&mut line)?;
        eprintln!();
    } else {
        io::stdin().read_line(&mut line)?;
    }
    line.truncate(line.trim_end_matches(['\n', '\r']).len());
    Ok(line)
}
