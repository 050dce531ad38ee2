//! `jackfield rdf validate`.

use std::io::{Read, Write};
use std::path::PathBuf;

use jackfield_protocol::Revision;

use crate::{Error, Profile, Syntax, Validation, Validator};

/// The arguments of `jackfield rdf validate`.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct ValidateArgs {
    /// The files to read; without one, or for `-`, standard input.
    pub files: Vec<PathBuf>,
    /// What is read.
    #[cfg_attr(feature = "cli", arg(long, value_enum, default_value_t = Syntax::Turtle))]
    pub from: Syntax,
    /// The revision of the protocol, such as the newest one.
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Revision::LATEST))]
    pub revision: Revision,
    /// The profile of the graphs; `plain` is that of the building block.
    #[cfg_attr(feature = "cli", arg(long, value_enum, default_value_t = Profile::Lossless))]
    pub profile: Profile,
    /// Other shapes, in Turtle.
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE"))]
    pub shapes: Option<PathBuf>,
    /// Write each violation as a line of JSON.
    #[cfg_attr(feature = "cli", arg(long))]
    pub json: bool,
}

/// Checks files or standard input, each as a graph of its own, and writes the violations.
///
/// # Errors
///
/// Fails if a file cannot be read or does not follow its syntax, and if writing fails.
pub fn validate(args: &ValidateArgs, standard_input: &mut dyn Read, out: &mut dyn Write) -> Result<Validation, Error> {
    let mut validator = Validator::new(args.revision, args.profile)?;
    if let Some(path) = &args.shapes {
        validator = validator.with_shapes(&std::fs::read_to_string(path)?)?;
    }
    let standard = [PathBuf::from("-")];
    let files = if args.files.is_empty() { &standard[..] } else { args.files.as_slice() };
    let mut total = Validation::default();
    for path in files {
        let mut text = Vec::new();
        match path.as_os_str() == "-" {
            true => drop(standard_input.read_to_end(&mut text)?),
            false => text = std::fs::read(path)?,
        }
        let found = validator.validate(&text, args.from)?;
        for violation in &found.violations {
            match args.json {
                true => writeln!(out, "{}", serde_json::to_string(violation).map_err(Error::NotJson)?)?,
                false => writeln!(out, "{}: {violation}", path.display())?,
            }
        }
        total.messages += found.messages;
        total.violations.extend(found.violations);
    }
    Ok(total)
}
