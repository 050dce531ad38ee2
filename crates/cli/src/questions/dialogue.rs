//! A conversation with the person at the terminal, over any reader and writer.

use std::io::{self, BufRead, Write};

use crate::show::{Style, escaped};

/// A person who can be asked.
pub(crate) struct Dialogue<'a> {
    input: &'a mut dyn BufRead,
    output: &'a mut dyn Write,
    /// How it looks.
    pub(crate) style: Style,
}

/// What a person typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    /// A line, without its end.
    Line(String),
    /// The end of input, Ctrl-D.
    End,
}

impl<'a> Dialogue<'a> {
    pub(crate) fn new(input: &'a mut dyn BufRead, output: &'a mut dyn Write, style: Style) -> Self {
        Self { input, output, style }
    }

    /// Says something of our own.
    pub(crate) fn say(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.output, "{text}")
    }

    /// Shows a server's text, indented, so that it cannot be taken for ours.
    pub(crate) fn quote(&mut self, text: &str) -> io::Result<()> {
        let page = self.style.paragraph(&escaped(text), 0);
        for line in page.lines() {
            writeln!(self.output, "  | {line}")?;
        }
        Ok(())
    }

    /// Asks for a line.
    pub(crate) fn ask(&mut self, prompt: &str) -> io::Result<Typed> {
        write!(self.output, "{prompt}")?;
        self.output.flush()?;
        let mut line = String::new();
        if self.input.read_line(&mut line)? == 0 {
            writeln!(self.output)?;
            return Ok(Typed::End);
        }
        line.truncate(line.trim_end_matches(['\n', '\r']).len());
        Ok(Typed::Line(line))
    }
}
