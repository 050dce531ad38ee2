//! The JSON Schema of a revision, made from the table of types, annotated with JSON-LD; and how it is written.

mod build;
mod yaml;

pub(crate) use build::{block_schema, definitions_key, json_rpc_schema};
pub use build::{complete_schema, published_schema, schema};
pub use yaml::yaml;
