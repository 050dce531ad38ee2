//! `jackfield rdf catalogue`, as far as it needs no client.

use std::io::Write;

use crate::{Catalogue, Error, Syntax};

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

/// Writes the catalogue of a server.
///
/// # Errors
///
/// Fails if the syntax has no graphs, or if writing fails.
pub fn catalogue(args: &CatalogueArgs, catalogue: &Catalogue, out: &mut dyn Write) -> Result<(), Error> {
    Ok(out.write_all(catalogue.write(args.to)?.as_bytes())?)
}
