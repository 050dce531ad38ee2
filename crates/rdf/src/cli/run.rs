//! Any of the commands.

use std::io::{Read, Write};

use super::{Command, block, context, convert, ontology, schema, shapes, validate};
use crate::Error;

/// Does what a command says; `progress` is whether to say on `log` how far a conversion is, usually on a terminal.
///
/// Returns what is wrong with the input, if something is: then all that could be done was done, and the command should end with a failure.
///
/// # Errors
///
/// Fails if something cannot be read or written, and if the input as a whole is not what it should be.
pub fn run(
    command: &Command,
    standard_input: &mut dyn Read,
    out: &mut dyn Write,
    log: &mut dyn Write,
    progress: bool,
) -> Result<Option<String>, Error> {
    match command {
        Command::Convert(args) => {
            let report = convert(args, standard_input, out, log, progress)?;
            let all = report.bad + report.messages;
            Ok((report.bad > 0).then(|| format!("{} of {all} messages could not be converted", report.bad)))
        }
        Command::Validate(args) => {
            let found = validate(args, standard_input, out)?;
            let count = found.violations.len();
            Ok((count > 0).then(|| format!("{count} violations in {} messages", found.messages)))
        }
        #[cfg(feature = "tape")]
        Command::Tape(args) => {
            let report = super::tape(args, standard_input, out, log)?;
            Ok((report.bad > 0).then(|| format!("{} lines of the tape hold no message", report.bad)))
        }
        Command::Schema(args) => schema(args, out).map(|()| None),
        Command::Context => context(out).map(|()| None),
        Command::Ontology(args) => ontology(args, out).map(|()| None),
        Command::Shapes(args) => shapes(args, out).map(|()| None),
        Command::Block(args) => block(args, out).map(|()| None),
    }
}
