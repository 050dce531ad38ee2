//! All stores in one SQLite file: for one machine, and for what has to survive a restart.

mod bus;
mod database;
mod events;
mod kv;
mod schema;
mod sessions;
mod store;
mod tasks;

pub use store::Sqlite;
