//! `jackfield rdf convert`.

use std::fs::File;
use std::io::{Read, Write};
use std::path::PathBuf;

use crate::{Context, Converter, Error, Event, Options, Profile, Report, Syntax};

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
    /// Stop at the first line that cannot be converted.
    #[cfg_attr(feature = "cli", arg(long))]
    pub strict: bool,
}

/// Converts files or standard input; `progress` is whether to tell how far it is, usually on a terminal.
///
/// Bad lines are reported on `log` and counted in the report; the command should end with a failure if there are any.
///
/// # Errors
///
/// Fails if a file cannot be read, if writing fails, and at the first bad line if strict.
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

// What cannot be told on the log is not worth ending the conversion for.
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
