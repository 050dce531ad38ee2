//! The building block: all files that OGC's register expects of one, for each revision of the protocol and for JSON-RPC.

mod diagram;
mod files;
mod page;

pub use files::{File, files, write_files};
