//! Which server is meant: a URL, a command, or a name in an `mcp.json`.

mod config;
mod consent;
mod file;
mod header_value;
mod options;

use std::path::PathBuf;

use jackfield_host::Reach;

pub(crate) use config::all_servers;
pub(crate) use consent::{Consent, remember};
pub(crate) use file::{add_to_file, file_for_new_servers, remove_from_file, write_file};
pub(crate) use options::{ServerOptions, duration};

/// A server, and how it is reached.
#[derive(Debug)]
pub(crate) struct Target {
    /// What the person called it: its URL, its command, or its name. It is not the server's word.
    pub(crate) label: String,
    /// The file that names it, if one does.
    pub(crate) file: Option<PathBuf>,
    /// How it is reached.
    pub(crate) reach: Reach,
}
