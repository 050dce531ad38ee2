//! `jackfield rdf tape`.

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::PathBuf;

use crate::{Error, Profile, TapeConverter, TapeReport};

/// The arguments of `jackfield rdf tape`.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct TapeArgs {
    /// The tape; `-` is standard input.
    pub file: PathBuf,
    /// The IRI of the tape in the dataset, without a fragment.
    #[cfg_attr(feature = "cli", arg(long, default_value = "urn:mcp:tape"))]
    pub iri: String,
    /// How much of a message is kept.
    #[cfg_attr(feature = "cli", arg(long, value_enum, default_value_t = Profile::Lossless))]
    pub profile: Profile,
}

/// Converts a tape; lines that cannot be converted are reported on `log`.
///
/// # Errors
///
/// Fails if the tape cannot be read or is none, if the IRI is none, and if writing fails.
pub fn tape(
    args: &TapeArgs,
    standard_input: &mut dyn Read,
    out: &mut dyn Write,
    log: &mut dyn Write,
) -> Result<TapeReport, Error> {
    let mut converter = TapeConverter::new(args.iri.as_str())?;
    converter.profile = args.profile;
    // What cannot be told on the log is not worth ending the conversion for.
    let mut bad = |problem: &str| drop(writeln!(log, "{}: {problem}", args.file.display()));
    match args.file.as_os_str() == "-" {
        true => converter.run(BufReader::new(standard_input), out, &mut bad),
        false => converter.run(BufReader::new(File::open(&args.file)?), out, &mut bad),
    }
}
