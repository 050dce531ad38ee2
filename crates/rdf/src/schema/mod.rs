//! The JSON Schema of a revision, made from the table of types, annotated with JSON-LD; and how it is written.

mod build;
mod yaml;

pub use build::{complete_schema, schema};
pub(crate) use build::{definitions_key, json_rpc_schema, refer_to_json_rpc};
pub use yaml::yaml;
