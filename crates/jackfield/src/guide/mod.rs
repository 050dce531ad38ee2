//! The user guide. Every snippet in it is compiled and run as a test.

pub mod quickstart;

pub mod tools;

pub mod resources;

pub mod prompts;

#[cfg(feature = "skills")]
pub mod skills;

pub mod context;

pub mod tasks;

pub mod extensions;

pub mod testing;

pub mod transports;

pub mod nodes;

pub mod client;
