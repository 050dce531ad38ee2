//! Calls that go on after they have been answered.
//!
//! There are two forms of them: the tasks of 2025-11-25, which the client asks for, and the extension
//! `io.modelcontextprotocol/tasks`, where the server decides. Both are the same here: a record in a store, a future that belongs to the server
//! instead of a connection, and questions that wait in the record for whoever comes for them. Only what is said about a
//! task differs, and that is in `view.rs` and `methods.rs`.

mod call;
mod config;
mod cx;
mod delivery;
mod methods;
mod questions;
mod rate;
mod results;
mod retry;
mod runtime;
mod slot;
mod start;
mod updates;
mod view;
mod workers;

pub use config::Tasks;

pub(crate) use call::TaskCall;
pub(crate) use methods::{cancel, get, list, result, update};
pub(crate) use questions::ask;
pub(crate) use runtime::{TaskRuntime, missing_extension, speaks_extension};
pub(crate) use slot::Slot;
pub(crate) use start::{How, how, move_out, start};
pub(crate) use updates::{Subscribed, Updates};
pub(crate) use workers::Workers;
