//! One end of a Model Context Protocol connection: who is calling, what is running, what was cancelled, and the bytes.
//!
//! A transport turns bytes into messages; [`Admission`] stamps each request with its [`Caller`]; a [`Handler`] answers it.
//! [`Connection`] does all of that for any byte stream with one message per line, [`stdio`] opens the standard streams.

// What a peer sends cannot make this crate panic.
#![cfg_attr(
    not(test),
    warn(
        clippy::indexing_slicing,
        clippy::expect_used,
        clippy::panic,
        clippy::arithmetic_side_effects,
        clippy::unreachable
    )
)]

mod admission;
mod answering;
mod background;
mod batches;
mod bucket;
mod caller;
mod cancellation;
pub mod child;
mod connection;
pub mod deadline;
mod engine;
mod extensions;
mod handler;
mod incoming;
mod limits;
mod lines;
mod outlet;
mod output;
mod panics;
mod questions;
mod rate;
mod redact;
mod session;
mod shutdown;
pub mod stdio;
mod stream;
mod sync;
pub mod tape;
mod task;
mod wire;

pub use admission::{Admission, Admitted};
pub use answering::{Answering, Reply};
pub use background::Background;
pub use bucket::Bucket;
pub use caller::{Caller, Principal};
pub use cancellation::Cancellation;
pub use connection::{Connection, Error};
pub use extensions::Extensions;
pub use handler::{Handler, TowerHandler};
pub use incoming::Incoming;
pub use limits::Limits;
pub use lines::{Line, Lines};
pub use outlet::{AskError, Closed, Outlet, RequestKey};
pub use output::{in_one_line, write_error, write_reply};
pub use panics::{Guarded, handle};
pub use questions::Questions;
pub use rate::Rate;
pub use redact::redacted;
pub use session::{Session, SessionChange};
pub use shutdown::{Shutdown, ShutdownTrigger};
pub use stream::ByteStream;
pub use task::task_of;
