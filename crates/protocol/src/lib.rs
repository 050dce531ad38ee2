//! The Model Context Protocol as data: every message of every released revision, JSON-RPC, and the steps between
//! neighbouring revisions. This crate performs no I/O.

pub mod envelope;
pub mod error;
mod id;
pub mod json;
mod method;
mod revision;

pub use error::ErrorObject;
pub use id::{ProgressToken, RequestId};
pub use method::{Direction, Kind, Method, Row};
pub use revision::{Revision, UnknownRevision};
