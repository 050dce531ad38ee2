//! JSON Schema: which schemas are safe to check values with, and how much work a check may be.
//!
//! [`inspect`] reads a schema without compiling it. It refuses what is too large, too deep or refers to something outside of itself, and
//! returns an [`Outline`] from which servers and clients bound the work of a check before it begins. Supported are 2020-12, which is
//! assumed if a schema names no dialect, and 2019-09, draft 7, draft 6 and draft 4. Nothing is ever fetched.
//!
//! Validators are not compiled here, so that this crate costs little where values are not checked.

mod constraints;
mod graph;
mod survey;

pub use constraints::has_constraints;
pub use survey::{MAX_BYTES, Outline, Role, inspect};
