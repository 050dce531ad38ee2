//! The types of the protocol as one table: every definition of the official schemas of all revisions, with its members, what
//! they hold, and in which revisions.
//!
//! The annotated JSON Schemas, the ontology, the SHACL shapes, the examples of the building block and the restoring of arrays
//! are made from this table. It is text (`table/*.txt`), in a notation close to that of the specification:
//!
//! ```text
//! type Annotations named 2025-03-26.. "hints for clients about content or a resource"
//!   audience?: Role[] "who it is for"
//!   lastModified?: string 2025-06-18.. "when it last changed, in ISO 8601"
//! ```
//!
//! - `type` is a definition of the official schemas, `part` an object that they write in place wherever it is used, `extension`
//!   a type of an extension of the protocol, which they do not have. A name may have several entries with disjoint lifetimes.
//! - `2025-06-18..` is a lifetime: from that revision on; `..2025-06-18` is until it, `2025-06-18` is that revision only.
//! - `named L`: only in these revisions it is a definition of its own; in others it is written in place.
//! - `listed L`: only in these revisions the official schema lists the member, although others have it too.
//! - `open L`: the official schema says explicitly that other members may stand beside those of the table.
//! - `...Name` includes the members of another entry; `*Name` writes a definition in place although it has a name.
//!
//! Values: `string`, `string:uri` (a format), `integer`, `integer(0..)`, `number`, `number(0..1)`, `boolean`, `any`, `object` and `map` (objects that are
//! not looked into, in the two forms that the official schemas have), `bare` (an object without further constraints), `map<T>`, `T[]`, `T[..100]` (at
//! most so many), `(A | B)`, `all(A, B)`, `'word'`, `=-32600`, `[string, integer]` (one of these basic types), and `enum(Role)`, whose words are
//! those of `jackfield-protocol`.
//!
//! Tests compare what is made from the table with the official schemas, and with what `jackfield-protocol` writes.

mod messages;
mod model;
mod parse;
mod restore;
mod table;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use messages::{Exchange, exchange, exchanges};
pub(crate) use model::{Body, Definition, Lifetime, Member, Standing, Topic, Value};
pub(crate) use restore::{restore_params, restore_result};
pub use table::own_terms;
pub(crate) use table::{BUILDING_BLOCK, defined, definition, definitions, is_group, used_by};
pub(crate) use words::words;
