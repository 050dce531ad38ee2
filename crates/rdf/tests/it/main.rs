//! Messages as linked data and back.

#![expect(clippy::unwrap_used, reason = "a test fails where it cannot go on")]

mod block;
mod catalogue;
mod command;
mod convert;
mod equal;
mod generate;
mod graph;
mod identity;
mod instances;
mod ontology;
mod schema;
mod seed;
mod shacl;
#[cfg(feature = "tape")]
mod tape;
mod vocabulary;
