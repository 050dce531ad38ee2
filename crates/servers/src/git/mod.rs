//! A server for git repositories: a drop-in replacement of `mcp-server-git`.
//!
//! It works in process. No hook, filter, pager, fsmonitor, external diff or other program that a repository configures runs;
//! content filters run only where [`OpenOptions::allow_filters`] says so.

mod access;
mod git_dir;
mod ownership;
mod repository;
mod settings;

mod approximate_date;
mod date;
mod identity;
mod references;
mod revision;

mod changes;
mod content;
mod filters;
mod hunks;
mod patch;
mod renames;
mod similarity;
mod untracked;
mod worktree;
mod worktree_state;

mod add;
mod autostash;
mod branch;
mod checkout;
mod commit;
mod diff;
mod index_file;
mod log;
mod operation;
mod reset;
mod show;
mod status;
mod tracking;

mod server;

mod answer;
mod cancellation;
mod failure;
mod quote;

pub use access::{Access, RepositoryError};
pub use add::Staged;
pub use branch::BranchType;
pub use cancellation::{CancelOnDrop, Cancellation};
pub use failure::{Failure, Result};
pub use log::LogRange;
pub use repository::{OpenOptions, Repository};
pub use server::{Options, server};
