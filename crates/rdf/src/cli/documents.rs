//! The commands that write what is known of the protocol: schema, context, ontology, shapes, building blocks.

use std::io::Write;
use std::path::PathBuf;

use jackfield_protocol::Revision;

use crate::{Error, Profile};

/// The arguments of `jackfield rdf schema`.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct SchemaArgs {
    /// The revision of the protocol, such as the newest one.
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Revision::LATEST))]
    pub revision: Revision,
    /// What the annotations keep of a message; `plain` is as in the building block.
    #[cfg_attr(feature = "cli", arg(long, value_enum, default_value_t = Profile::Lossless))]
    pub profile: Profile,
    /// What is written.
    #[cfg_attr(feature = "cli", arg(long, value_enum, default_value_t = Format::Json))]
    pub format: Format,
    /// Also what the official schema leaves out: the envelope of each message, and tasks as an extension.
    #[cfg_attr(feature = "cli", arg(long))]
    pub complete: bool,
    /// As OGC's register publishes it: `ProgressToken` refers to the block of JSON-RPC, and in 2025-06-18 the bounds of number fields
    /// are integers, which the official schema has corrected since.
    #[cfg_attr(feature = "cli", arg(long, conflicts_with = "complete"))]
    pub published: bool,
}

/// How a schema is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum Format {
    /// JSON.
    Json,
    /// YAML.
    Yaml,
}

/// The arguments of `jackfield rdf ontology`.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct OntologyArgs {
    /// What is written.
    #[cfg_attr(feature = "cli", arg(long, value_enum, default_value_t = OntologyFormat::Turtle))]
    pub format: OntologyFormat,
}

/// How the ontology is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum OntologyFormat {
    /// Turtle.
    Turtle,
    /// A page for people.
    Markdown,
}

/// The arguments of `jackfield rdf shapes`.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct ShapesArgs {
    /// The revision of the protocol, such as the newest one.
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Revision::LATEST))]
    pub revision: Revision,
    /// The profile of the graphs that are checked.
    #[cfg_attr(feature = "cli", arg(long, value_enum, default_value_t = Profile::Lossless))]
    pub profile: Profile,
}

/// The arguments of `jackfield rdf block`.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct BlockArgs {
    /// The folder of the register; files of the same names are replaced.
    #[cfg_attr(feature = "cli", arg(long, value_name = "DIR"))]
    pub out: PathBuf,
}

/// Writes the JSON Schema of a revision.
///
/// # Errors
///
/// Fails if writing fails.
pub fn schema(args: &SchemaArgs, out: &mut dyn Write) -> Result<(), Error> {
    let schema = match (args.complete, args.published) {
        (true, _) => crate::complete_schema(args.revision, args.profile),
        (false, true) => crate::published_schema(args.revision, args.profile),
        (false, false) => crate::schema(args.revision, args.profile),
    };
    match args.format {
        Format::Json => writeln!(out, "{schema:#}")?,
        Format::Yaml => out.write_all(crate::yaml(&schema).as_bytes())?,
    }
    Ok(())
}

/// Writes the JSON-LD context.
///
/// # Errors
///
/// Fails if writing fails.
pub fn context(out: &mut dyn Write) -> Result<(), Error> {
    Ok(writeln!(out, "{:#}", crate::context())?)
}

/// Writes the ontology.
///
/// # Errors
///
/// Fails if writing fails.
pub fn ontology(args: &OntologyArgs, out: &mut dyn Write) -> Result<(), Error> {
    let text = match args.format {
        OntologyFormat::Turtle => crate::ontology(),
        OntologyFormat::Markdown => crate::ontology_page(),
    };
    Ok(out.write_all(text.as_bytes())?)
}

/// Writes the SHACL shapes of a revision in Turtle.
///
/// # Errors
///
/// Fails if writing fails.
pub fn shapes(args: &ShapesArgs, out: &mut dyn Write) -> Result<(), Error> {
    Ok(out.write_all(crate::shapes(args.revision, args.profile).as_bytes())?)
}

/// Writes the building blocks into a folder, and says how many files they are.
///
/// # Errors
///
/// Fails if a file cannot be written.
pub fn block(args: &BlockArgs, out: &mut dyn Write) -> Result<(), Error> {
    let count = crate::write_files(&args.out)?;
    Ok(writeln!(out, "{count} files in {}", args.out.display())?)
}
