//! All stores in Redis or Valkey: for several nodes that serve the same clients.

mod address;
mod bus;
mod events;
mod kv;
mod link;
mod listener;
mod script;
mod sessions;
mod store;
mod tasks;

pub use store::Redis;
