//! Which server is run.

use std::ffi::OsString;

use clap::{Args, Subcommand};

use super::in_process::Environment;
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
    /// Whether the server is only reached over the standard streams, and nothing is recorded or kept elsewhere.
    pub(super) fn is_plain(&self) -> bool {
        match &self.server {
            #[cfg(feature = "everything")]
            Server::Everything(options) => options.is_plain(),
            #[cfg(feature = "filesystem")]
            Server::Filesystem(options) => options.served.is_plain(),
            #[cfg(feature = "memory")]
            Server::Memory(options) => options.served.is_plain(),
            #[cfg(feature = "fetch")]
            Server::Fetch(options) => options.served.is_plain(),
            #[cfg(feature = "sequentialthinking")]
            Server::Sequentialthinking(options) => options.served.is_plain(),
            #[cfg(feature = "sqlite")]
            Server::Sqlite(options) => options.served.is_plain(),
            #[cfg(feature = "git")]
            Server::Git(options) => options.served.is_plain(),
            #[cfg(feature = "time")]
            Server::Time(options) => options.served.is_plain(),
            Server::Other(_) => false,
        }
    }

    /// Returns the variables that the server's own options read.
    pub(super) fn variables(&self) -> &'static [&'static str] {
        match &self.server {
            #[cfg(feature = "memory")]
            Server::Memory(_) => &[super::memory::FILE],
            #[cfg(feature = "sequentialthinking")]
            Server::Sequentialthinking(_) => &[super::sequentialthinking::QUIET],
            _ => &[],
        }
    }

    /// Makes the server and does not run it. Nothing is done to the process.
    pub(super) fn server(
        &self,
        #[cfg_attr(
            not(any(feature = "memory", feature = "sequentialthinking")),
            expect(unused_variables, reason = "the other servers read none")
        )]
        environment: Environment<'_>,
    ) -> Result<jackfield::Server, String> {
        let words = |failure: Failure| failure.message();
        match &self.server {
            #[cfg(feature = "everything")]
            Server::Everything(options) => options.server().map_err(|error| format!("{error:#}")),
            #[cfg(feature = "filesystem")]
            Server::Filesystem(options) => {
                options.server().map(|(server, _)| server).map_err(|error| error.to_string())
            }
            #[cfg(feature = "memory")]
            Server::Memory(options) => options.server(environment).map_err(words),
            #[cfg(feature = "fetch")]
            Server::Fetch(options) => Ok(options.server()),
            #[cfg(feature = "sequentialthinking")]
            Server::Sequentialthinking(options) => Ok(options.server(environment)),
            #[cfg(feature = "sqlite")]
            Server::Sqlite(options) => options.server().map_err(words),
            #[cfg(feature = "git")]
            Server::Git(options) => options.server().map_err(|error| error.to_string()),
            #[cfg(feature = "time")]
            Server::Time(options) => options.server(),
            Server::Other(names) => Err(words(missing::failure(names))),
        }
    }

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
