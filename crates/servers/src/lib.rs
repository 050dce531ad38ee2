//! Reference servers, each a module that makes a `Server` value.

pub mod everything;
mod typescript;
