//! The gateway between real clients and real servers: in memory, over HTTP, and with servers as child processes.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod backend;
mod bad_servers;
mod changes;
mod headers;
mod in_process;
mod limits;
mod lists;
mod names;
mod outages;
mod passing;
mod questions;
mod started;
mod watched;
