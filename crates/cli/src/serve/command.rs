//! Which server is run.

use std::ffi::OsString;

use clap::{Args, Subcommand};

use super::missing;
use crate::failure::Failure;

/// Which server to run.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    #[command(subcommand)]
    server: Server,
}

#[derive(Debug, Subcommand)]
enum Server {
    /// A demo server for those who build clients: all features
    #[cfg(feature = "everything")]
    Everything(super::everything::Everything),
    /// Files within given directories
    #[cfg(feature = "filesystem")]
    Filesystem(Box<super::filesystem::Filesystem>),
    /// A knowledge graph that outlives conversations
    #[cfg(feature = "memory")]
    Memory(super::memory::Memory),
    /// Web pages as Markdown
    #[cfg(feature = "fetch")]
    Fetch(super::fetch::Fetch),
    /// Thoughts, one after the other, with revisions and branches
    #[cfg(feature = "sequentialthinking")]
    Sequentialthinking(super::sequentialthinking::SequentialThinking),
    /// Queries and changes of a database of SQLite
    #[cfg(feature = "sqlite")]
    Sqlite(super::sqlite::Sqlite),
    /// Repositories of Git: history, diffs, commits, branches
    #[cfg(feature = "git")]
    Git(super::git::Git),
    /// What time it is, and what time it is elsewhere
    #[cfg(feature = "time")]
    Time(super::time::Time),
    #[command(external_subcommand)]
    Other(Vec<OsString>),
}

impl Serve {
    /// Does what has to be done while the process has one thread.
    pub(crate) fn prepare(&mut self) -> Result<(), Failure> {
        #[cfg(feature = "filesystem")]
        if let Server::Filesystem(options) = &mut self.server {
            return options.prepare();
        }
        Ok(())
    }

    /// Runs the server until its client goes away, or a signal comes.
    pub(crate) async fn run(self) -> Result<(), Failure> {
        match self.server {
            #[cfg(feature = "everything")]
            Server::Everything(options) => options.run().await,
            #[cfg(feature = "filesystem")]
            Server::Filesystem(options) => options.run().await,
            #[cfg(feature = "memory")]
            Server::Memory(options) => options.run().await,
            #[cfg(feature = "fetch")]
            Server::Fetch(options) => options.run().await,
            #[cfg(feature = "sequentialthinking")]
            Server::Sequentialthinking(options) => options.run().await,
            #[cfg(feature = "sqlite")]
            Server::Sqlite(options) => options.run().await,
            #[cfg(feature = "git")]
            Server::Git(options) => options.run().await,
            #[cfg(feature = "time")]
            Server::Time(options) => options.run().await,
            Server::Other(words) => Err(missing::failure(&words)),
        }
    }
}
