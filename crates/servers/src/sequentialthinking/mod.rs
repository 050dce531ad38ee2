//! The server for sequential thinking: a model notes one thought after the other, revises some, and branches off.

mod arguments;
mod history;
mod number;
mod picture;
mod server;

pub use server::{Options, server};
