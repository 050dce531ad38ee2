//! One end of a Model Context Protocol connection: who is calling, what is running, what was cancelled, and the bytes.
//!
//! A transport turns bytes into messages; [`CallerResolver`] stamps each request with its [`Caller`]; a [`Handler`] answers it.
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

mod call;
pub mod child;
mod handler;
mod identity;
mod limits;
mod redact;
mod runtime;
pub mod stdio;
mod stream;
mod sync;
pub mod tape;
mod task_view;

pub use call::{
    ActiveRequest, BatchText, Cancellation, Guarded, Origin, Running, RunningEntry, Work, check_batch_entry,
    in_one_line, received, write_error, write_reply,
};
pub use handler::{
    Answering, AskError, Closed, Extensions, Handler, Incoming, Outlet, Questions, Reply, RequestKey, TowerHandler,
};
pub use identity::{
    Caller, CallerMemo, CallerResolver, Principal, ResolvedCaller, Session, SessionChange, check_method,
};
pub use limits::{CallLimits, Rate, StreamLimits, TokenBucket};
pub use redact::redacted;
pub use runtime::{Background, Backoff, Shutdown, ShutdownTrigger, deadline};
pub use stream::{ByteStream, Connection, Error, Line, Lines};
pub use task_view::task_of;
