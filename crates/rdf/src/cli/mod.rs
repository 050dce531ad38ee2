//! What `jackfield rdf` does. The functions write to what they are given; the arguments derive `clap::Args` with the feature
//! `cli`.

mod catalogue;
mod convert;
mod documents;
mod run;
#[cfg(feature = "tape")]
mod tape;
mod validate;

pub use catalogue::{CatalogueArgs, Subject, catalogue};
pub use convert::{ConvertArgs, convert};
pub use documents::{
    BlockArgs, Format, OntologyArgs, OntologyFormat, SchemaArgs, ShapesArgs, block, context, ontology, schema, shapes,
};
pub use run::run;
#[cfg(feature = "tape")]
pub use tape::{TapeArgs, tape};
pub use validate::{ValidateArgs, validate};

/// What `jackfield rdf` can do by itself; for a catalogue it needs a client too.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "cli", derive(clap::Subcommand))]
#[non_exhaustive]
pub enum Command {
    /// Convert messages between JSON, JSON-LD, Turtle, N-Triples and N-Quads.
    Convert(ConvertArgs),
    /// Write the definitions of a revision's official JSON Schema, annotated with JSON-LD.
    Schema(SchemaArgs),
    /// Write the JSON-LD context.
    Context,
    /// Write the ontology in Turtle, or as a page for people.
    Ontology(OntologyArgs),
    /// Write the SHACL shapes of a revision in Turtle.
    Shapes(ShapesArgs),
    /// Write the OGC building blocks of all revisions and of JSON-RPC.
    Block(BlockArgs),
    /// Check graphs of messages against the SHACL shapes of a revision.
    Validate(ValidateArgs),
    /// Convert a tape to N-Quads: a named graph for each message, with time, sender, session and request.
    #[cfg(feature = "tape")]
    Tape(TapeArgs),
}
