//! A line that somebody types, or that comes from a pipe.

use std::io::{self, BufRead as _, Write as _};

use crate::failure::{Class, Failure};
use crate::interrupt::interrupted;

/// Asks on standard error, and reads a line of standard input without its end. Who asks the process to stop is not kept waiting.
pub(crate) async fn typed_line(prompt: String) -> Result<String, Failure> {
    let line = tokio::select! {
        // Whoever sees the question can interrupt it, so this comes first.
        biased;
        class = interrupted() => return Err(Failure::new(class, "")),
        line = async { tokio::task::spawn_blocking(move || ask(&prompt)).await } => line,
    };
    let line = line.map_err(io::Error::other).flatten();
    line.map_err(|error| Failure::new(Class::Failed, "standard input cannot be read").why(error.to_string()))
}

fn ask(prompt: &str) -> io::Result<String> {
    let mut stderr = io::stderr();
    stderr.write_all(prompt.as_bytes())?;
    stderr.flush()?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    line.truncate(line.trim_end_matches(['\n', '\r']).len());
    Ok(line)
}
