//! What `jackfield rdf` does. The functions write to what they are given; the arguments derive `clap::Args` with the feature
//! `cli`.

use std::fs::File;
use std::io::{Read, Write};
use std::path::PathBuf;

use jackfield_protocol::Revision;

use crate::{Catalogue, Context, Converter, Error, Event, Options, Profile, Report, Syntax};

/// What `jackfield rdf` can do by itself; for a catalogue it needs a client too.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "cli", derive(clap::Subcommand))]
#[non_exhaustive]
pub enum Command {
    /// Convert messages between JSON, JSON-LD, Turtle, N-Triples and N-Quads.
    Convert(ConvertArgs),
    /// Write the JSON Schema of a revision, annotated with JSON-LD.
    Schema(SchemaArgs),
    /// Write the JSON-LD context.
    Context,
    /// Write the ontology in Turtle.
    Ontology,
}

/// The arguments of `jackfield rdf convert`.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct ConvertArgs {
    /// The files to read; without one, or for `-`, standard input.
    pub files: Vec<PathBuf>,
    /// What is read.
    #[cfg_attr(feature = "cli", arg(long, value_enum, default_value_t = Syntax::Json))]
    pub from: Syntax,
    /// What is written.
    #[cfg_attr(feature = "cli", arg(long, value_enum, default_value_t = Syntax::Turtle))]
    pub to: Syntax,
    /// How much of a message is kept.
    #[cfg_attr(feature = "cli", arg(long, value_enum, default_value_t = Profile::Lossless))]
    pub profile: Profile,
    /// Put the context into each JSON-LD document instead of its address.
    #[cfg_attr(feature = "cli", arg(long))]
    pub inline_context: bool,
    /// The address of the context in JSON-LD.
    #[cfg_attr(feature = "cli", arg(long, value_name = "URL", conflicts_with = "inline_context"))]
    pub context: Option<String>,
    /// N-Quads: put each message into a graph of its own, with this IRI and the message's number.
    #[cfg_attr(feature = "cli", arg(long, value_name = "IRI"))]
    pub graphs: Option<String>,
    /// Stop at the first line that can not be converted.
    #[cfg_attr(feature = "cli", arg(long))]
    pub strict: bool,
}

/// The arguments of `jackfield rdf schema`.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct SchemaArgs {
    /// The revision of the protocol, such as the newest one.
    #[cfg_attr(feature = "cli", arg(long, default_value_t = Revision::LATEST))]
    pub revision: Revision,
    /// What the annotations keep of a message.
    #[cfg_attr(feature = "cli", arg(long, value_enum, default_value_t = Profile::Lossless))]
    pub profile: Profile,
}

/// How a catalogue is written.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct CatalogueArgs {
    /// What is written.
    #[cfg_attr(feature = "cli", arg(long, value_enum, default_value_t = Syntax::Turtle))]
    pub to: Syntax,
    /// The IRI of the server in the graph; without it the server's URL, or one made of its command.
    #[cfg_attr(feature = "cli", arg(long))]
    pub iri: Option<String>,
}

/// Which server a catalogue describes.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'a> {
    /// One with a URL.
    Url(&'a str),
    /// One that a command starts; these are its words.
    Command(&'a [String]),
}

impl CatalogueArgs {
    /// Begins the catalogue of a server. One that is started by a command and has no IRI is named after the command.
    ///
    /// # Errors
    ///
    /// Fails if the IRI is not an absolute one.
    pub fn begin(&self, subject: Subject<'_>) -> Result<Catalogue, Error> {
        match (&self.iri, subject) {
            (Some(iri), _) => Catalogue::new(iri),
            (None, Subject::Url(url)) => Catalogue::new(url),
            (None, Subject::Command(words)) => Catalogue::of_command(words),
        }
    }
}

/// Converts files or standard input; `progress` is whether to tell how far it is, usually on a terminal.
///
/// Bad lines are reported on `log` and counted in the report; the command should end with a failure if there are any.
///
/// # Errors
///
/// Fails if a file can not be read, if writing fails, and at the first bad line if strict.
pub fn convert(
    args: &ConvertArgs,
    standard_input: &mut dyn Read,
    out: &mut dyn Write,
    log: &mut dyn Write,
    progress: bool,
) -> Result<Report, Error> {
    let context = match (&args.context, args.inline_context) {
        (Some(url), _) => Context::Reference(url.clone()),
        (None, true) => Context::Inline,
        (None, false) => Context::default(),
    };
    let mut converter = Converter::new(args.from, args.to);
    converter.options = Options { profile: args.profile, context, graphs: args.graphs.clone() };
    converter.strict = args.strict;

    let mut inputs = Vec::new();
    for path in &args.files {
        inputs.push((path.display().to_string(), (path.as_os_str() != "-").then(|| File::open(path)).transpose()?));
    }
    if inputs.is_empty() {
        inputs.push(("-".to_owned(), None));
    }
    let mut total = Report::default();
    for (name, file) in inputs {
        converter.numbered_after = total.messages;
        let tell = |event: Event<'_>| report(log, &name, &event, progress);
        let done = match file {
            Some(file) => converter.run(file, &mut *out, tell)?,
            None => converter.run(&mut *standard_input, &mut *out, tell)?,
        };
        total.messages += done.messages;
        total.bad += done.bad;
        total.bytes += done.bytes;
    }
    if progress {
        writeln!(log)?;
    }
    Ok(total)
}

// What can not be told on the log is not worth ending the conversion for.
fn report(log: &mut dyn Write, name: &str, event: &Event<'_>, progress: bool) {
    let _ = match event {
        Event::Bad { line, error } => {
            let cause = std::error::Error::source(error).map(|cause| format!(": {cause}")).unwrap_or_default();
            writeln!(log, "{}{name}:{line}: {error}{cause}", if progress { "\r" } else { "" })
        }
        Event::Progress(report) if progress => {
            write!(log, "\r{} messages, {} bad, {} bytes", report.messages, report.bad, report.bytes)
        }
        Event::Progress(_) => Ok(()),
    };
}

/// Writes the JSON Schema of a revision.
///
/// # Errors
///
/// Fails if writing fails.
pub fn schema(args: &SchemaArgs, out: &mut dyn Write) -> Result<(), Error> {
    Ok(writeln!(out, "{:#}", crate::schema(args.revision, args.profile))?)
}

/// Writes the JSON-LD context.
///
/// # Errors
///
/// Fails if writing fails.
pub fn context(out: &mut dyn Write) -> Result<(), Error> {
    Ok(writeln!(out, "{:#}", crate::context())?)
}

/// Writes the ontology in Turtle.
///
/// # Errors
///
/// Fails if writing fails.
pub fn ontology(out: &mut dyn Write) -> Result<(), Error> {
    Ok(out.write_all(crate::ontology().as_bytes())?)
}

/// Writes the catalogue of a server.
///
/// # Errors
///
/// Fails if the syntax has no graphs, or if writing fails.
pub fn catalogue(args: &CatalogueArgs, catalogue: &Catalogue, out: &mut dyn Write) -> Result<(), Error> {
    Ok(out.write_all(catalogue.write(args.to)?.as_bytes())?)
}
