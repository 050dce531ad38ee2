//! Standard output: what was asked for, and nothing else.

use std::io::{BufWriter, IsTerminal, Write};

use serde::Serialize;

use super::escape::escaped;
use super::json::{compact, pretty};
use super::layout::Style;
use crate::failure::Failure;

/// Standard output, which belongs to no protocol in these commands. Notes and errors go to standard error.
pub(crate) struct Screen {
    out: BufWriter<Box<dyn Write + Send>>,
    is_terminal: bool,
    style: Style,
}

impl Screen {
    /// Opens standard output.
    pub(crate) fn open() -> Self {
        #[expect(clippy::disallowed_methods, reason = "these commands serve no protocol on their standard output")]
        let out = std::io::stdout();
        let is_terminal = out.is_terminal();
        Self { out: BufWriter::new(Box::new(out)), is_terminal, style: style(is_terminal) }
    }

    /// Whether a person looks at it.
    pub(crate) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// How pages look here.
    pub(crate) fn style(&self) -> Style {
        self.style
    }

    /// For those who write by themselves.
    #[cfg(feature = "rdf")]
    pub(crate) fn writer(&mut self) -> &mut (dyn Write + Send) {
        &mut self.out
    }

    /// Writes a page that was laid out, or a line of our own.
    pub(crate) fn page(&mut self, text: &str) -> Result<(), Failure> {
        Ok(self.out.write_all(text.as_bytes())?)
    }

    /// Writes text of a server and ends its last line: as it is for programs, and harmless for a person's terminal.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Failure> {
        let shown = if self.is_terminal { escaped(text) } else { text.into() };
        self.page(&shown)?;
        if shown.ends_with('\n') { Ok(()) } else { self.page("\n") }
    }

    /// Writes bytes as they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        Ok(self.out.write_all(bytes)?)
    }

    /// Writes a value as indented JSON.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        self.page(&pretty(value))?;
        self.page("\n")
    }

    /// Writes a value as one line of JSON.
    pub(crate) fn json_line(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        self.page(&compact(value))?;
        self.page("\n")
    }

    /// Lets the reader see what was written so far.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        Ok(self.out.flush()?)
    }
}

/// Returns how pages look on standard output or standard error.
pub(crate) fn style(is_terminal: bool) -> Style {
    if !is_terminal {
        return Style::PLAIN;
    }
    let asked = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let width = asked.or_else(|| terminal_size::terminal_size().map(|(width, _)| usize::from(width.0)));
    let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let colour = !unwanted && std::env::var_os("TERM").is_some_and(|term| term != "dumb");
    Style { width: Some(width.unwrap_or(80).max(40)), colour }
}
