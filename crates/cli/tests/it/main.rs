//! The `jackfield` command as a user runs it: real processes, their output and their exit codes.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod added;
mod approved;
mod calls;
mod configured;
mod failures;
#[cfg(all(unix, feature = "filesystem"))]
mod files;
mod gateway;
#[cfg(all(target_os = "linux", feature = "keyring"))]
mod keyring;
mod logins;
mod logins_shared;
mod over_http;
mod pages;
mod questions;
#[cfg(feature = "rdf")]
mod rdf;
mod run;
mod scripted;
mod server_logs;
mod servers;
mod streams;
mod tapes;
#[cfg(unix)]
mod terminal;
