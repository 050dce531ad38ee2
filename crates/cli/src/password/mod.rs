//! Reading a password.

#[cfg(unix)]
#[path = "unix.rs"]
mod platform;
#[cfg(not(unix))]
#[path = "windows.rs"]
mod platform;

use std::io::{self, IsTerminal as _};

use crate::failure::{Class, Failure};
use crate::interrupt::interrupted;
use crate::typed_line::typed_line;

/// Asks for a password on the terminal, where it does not appear, or reads a line of standard input.
pub(crate) async fn read(prompt: String) -> Result<String, Failure> {
    if !io::stdin().is_terminal() {
        return typed_line(String::new()).await;
    }
    tokio::select! {
        // A signal must not end the process while the terminal is silent, so this comes first.
        biased;
        class = interrupted() => Err(Failure::new(class, "")),
        line = typed_silently(prompt) => line,
    }
}

/// The terminal is as before when this is dropped, also if nothing was typed.
async fn typed_silently(prompt: String) -> Result<String, Failure> {
    // What is typed early must not appear either.
    let _silence = platform::Silence::begin()
        .map_err(|error| Failure::new(Class::Failed, "the terminal cannot be silenced").why(error.to_string()))?;
    let line = typed_line(prompt).await;
    eprintln!();
    line
}
