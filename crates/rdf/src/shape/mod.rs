//! The types of the protocol as a table: which members each has, what they hold, and in which revisions.
//!
//! The JSON Schemas, the ontology and the restoring of arrays are made from this table. Two tests keep it true to the types
//! of `jackfield-protocol`: everything that those write for a revision is allowed by the table, member for member; and
//! everything that the table names is written by them for some message.

mod content;
mod elicitation;
mod envelope;
mod handshake;
mod kind;
mod lists;
mod methods;
mod restore;
mod sampling;
mod table;
mod tasks;

pub(crate) use kind::{Kind, Member, Shape};
pub(crate) use methods::body;
pub(crate) use restore::{restore_params, restore_result};
pub use table::own_terms;
pub(crate) use table::{BUILDING_BLOCK, shape, shapes};
