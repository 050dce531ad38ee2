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
    /// Runs the server until its client goes away, or a signal comes.
    pub(crate) async fn run(self) -> Result<(), Failure> {
        match self.server {
            #[cfg(feature = "everything")]
            Server::Everything(options) => options.run().await,
            #[cfg(feature = "git")]
            Server::Git(options) => options.run().await,
            #[cfg(feature = "time")]
            Server::Time(options) => options.run().await,
            Server::Other(words) => Err(missing::failure(&words)),
        }
    }
}
