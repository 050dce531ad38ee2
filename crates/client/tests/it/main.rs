//! The client against scripted servers in memory, against hostile ones, and against child processes.

#![expect(clippy::unwrap_used, reason = "a test that fails should say so at once")]

mod caching;
mod calls;
mod careful;
mod child;
mod closing;
mod cut;
mod handshake;
mod hostile;
#[cfg(feature = "http")]
mod http;
#[cfg(feature = "icons")]
mod icons;
mod lists;
mod output;
mod pages;
mod questions;
mod received_tasks;
mod sampling;
mod script;
#[cfg(feature = "skills")]
mod skills;
mod subscriptions;
mod taped;
mod tasks;
mod transport;
mod typing;
