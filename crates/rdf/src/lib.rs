//! The Model Context Protocol as linked data: every message as JSON-LD, Turtle, N-Triples and N-Quads, and back.
//!
//! ```
//! use jackfield_rdf::{Encoder, Options, Syntax};
//!
//! let message = br#"{"jsonrpc":"2.0","id":"2","method":"tools/list","params":{}}"#;
//! let turtle = Encoder::new(Syntax::Turtle, Options::default()).document(message)?;
//! assert!(turtle.contains("mcp:method \"tools/list\""));
//!
//! let back = jackfield_rdf::decode(turtle.as_bytes(), Syntax::Turtle)?;
//! assert_eq!(back, [serde_json::from_slice::<serde_json::Value>(message)?]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The vocabulary
//!
//! An OGC building block annotates the messages of revision 2025-06-18 with JSON-LD. Its context is one line: every member
//! is a term of the vocabulary `http://modelcontextprotocol.io/ontology#`, written `mcp:` here. This crate keeps that
//! vocabulary and that context for all revisions. The building block therefore knows exactly the members of 2025-06-18;
//! every other term is ours:
//!
//! - members that other revisions have and 2025-06-18 has not, such as `mcp:icons`, `mcp:task`, `mcp:resultType`,
//!   `mcp:ttlMs`, `mcp:inputRequests`. [`own_terms`] lists them; the ontology says of each since which revision and until
//!   which one it exists;
//! - the classes of the ontology, one per type of the protocol, such as `mcp:Tool` or `mcp:CallToolRequest`;
//! - `mcp:otherMembers`, which holds as one JSON literal the members of an object that no IRI can name (see below);
//! - `mcp:since` and `mcp:until` in the ontology;
//! - in catalogues the classes `mcp:Server` and `mcp:Parameter`, the links `mcp:offersTool`, `mcp:offersResource`,
//!   `mcp:offersResourceTemplate` and `mcp:offersPrompt` from a server to what it offers, and `mcp:parameter` and
//!   `mcp:schema`.
//!
//! # What is kept
//!
//! RDF has no order, no null, and no names that are not IRIs. [`Profile`] says what becomes of them: as in the building
//! block they are lost ([`Profile::Plain`]); by default arrays are lists and the rest is kept in JSON literals
//! ([`Profile::Lossless`]); or all that is free-form, such as `arguments` and `_meta`, is one JSON literal each
//! ([`Profile::Json`]). The last two give back every message exactly as it was; only the order of an object's members and
//! the way a number was written (`1e2` or `100.0`) are not part of a message.
//!
//! Nothing is ever fetched: the context is embedded, and a document with another one is refused.

mod convert;
mod error;
mod input;
mod profile;
mod syntax;
mod vocabulary;

mod encoder;
mod literal;
mod view;
mod write;

mod read;

mod definitions;

mod block;
mod catalogue;
mod example;
mod ontology;
mod ontology_page;
mod schema;
mod shacl;
#[cfg(feature = "tape")]
mod tape;
mod terms;

pub mod cli;

pub use block::{File, files, write_files};
pub use catalogue::Catalogue;
pub use convert::{Converter, Event, Report};
pub use definitions::own_terms;
pub use encoder::{Context, Encoder, Options};
pub use error::Error;
pub use ontology::ontology;
pub use ontology_page::ontology_page;
pub use profile::Profile;
pub use read::{Decoder, decode};
pub use schema::{complete_schema, published_schema, schema, yaml};
pub use shacl::{Validation, Validator, Violation, shapes};
pub use syntax::{Syntax, UnknownSyntax};
#[cfg(feature = "tape")]
pub use tape::{TapeConverter, TapeReport};
pub use vocabulary::{CONTEXT_URL, VOCABULARY, context};
