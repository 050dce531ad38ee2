//! `--tape FILE`: recording what a command says and hears.

use std::path::{Path, PathBuf};

use jackfield::tape::Tape;

use crate::failure::{Class, Failure};

/// A tape that is written while a command does its work.
#[derive(Debug)]
pub(crate) struct Recording {
    pub(crate) tape: Tape,
    path: PathBuf,
}

impl Recording {
    /// Begins to record, if that is wanted.
    pub(crate) fn begin(path: Option<&Path>) -> Result<Option<Self>, Failure> {
        let Some(path) = path else { return Ok(None) };
        match Tape::append(path) {
            Ok(tape) => Ok(Some(Self { tape, path: path.to_owned() })),
            Err(error) => Err(Failure::usage(format!("cannot record on {}", path.display())).why(error.to_string())),
        }
    }

    /// Ends the recording of a command that came to `outcome`: one that is not complete is a failure too, though a lesser one.
    pub(crate) fn end<T>(recording: Option<Self>, outcome: Result<T, Failure>) -> Result<T, Failure> {
        let Some(Self { tape, path }) = recording else { return outcome };
        let Err(error) = tape.close() else { return outcome };
        let failure =
            Failure::new(Class::Failed, format!("the tape {} is not complete", path.display())).why(error.to_string());
        match outcome {
            Ok(_) => Err(failure),
            Err(worse) => {
                eprint!("{}", failure.message());
                Err(worse)
            }
        }
    }
}
