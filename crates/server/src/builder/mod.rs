//! Building a server: what it is told, what is checked, and what runs.

pub(crate) mod assembly;
pub(crate) mod build_error;
pub(crate) mod built;
pub(crate) mod core;
pub(crate) mod lifespan;
pub(crate) mod mount;
pub(crate) mod package;
pub(crate) mod running;
pub(crate) mod server;
pub(crate) mod settings;
pub(crate) mod state;
