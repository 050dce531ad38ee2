//! The memory server: a knowledge graph in a file that other programs may read and write too.

mod arena;
mod change;
mod entity;
mod extra;
mod files;
mod graph;
mod journal;
mod lines;
mod listings;
mod platform;
mod record;
mod search;
mod server;
mod store;

pub use server::{OpenError, Options, server};
