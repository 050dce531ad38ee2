//! The SQLite server: queries and changes of one database, and a memo of insights.

mod answers;
mod database;
mod guard;
mod memo;
mod prompt;
mod python_text;
mod rows;
mod server;
mod statement;

pub use database::Limits;
pub use server::{OpenError, Options, server};
