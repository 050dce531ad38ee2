//! SHACL: shapes made from the table of types, and a check of graphs against them.
//!
//! The check knows the part of SHACL Core that the shapes use, and refuses shapes with anything else: targets `sh:targetSubjectsOf` and
//! `sh:targetClass`; paths that are a property, or `( property [ sh:zeroOrMorePath rdf:rest ] rdf:first )` for the items of a list; `sh:minCount`,
//! `sh:maxCount`, `sh:datatype`, `sh:nodeKind`, `sh:in`, `sh:hasValue`, `sh:minInclusive`, `sh:maxInclusive`, `sh:property`, `sh:node`, `sh:or`, `sh:not`.
//! The crates that know all of SHACL bring a SPARQL engine and an HTTP client with them; `cargo xtask linked-data` compares
//! the verdicts with those of pyshacl instead.

mod check;
mod data;
mod read;
mod shapes;
mod validate;

pub(crate) use shapes::json_rpc_shapes;
pub use shapes::shapes;
pub use validate::{Validation, Validator, Violation};
