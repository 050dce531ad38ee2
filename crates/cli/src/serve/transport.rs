//! How any server is run: on standard streams or over HTTP, with a store, a login and a tape.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use jackfield::Server;

use crate::failure::Failure;
use crate::protected::{Permissions, Protected};
use crate::tape::Recording;

/// The options that all servers have.
#[derive(Debug, Args)]
#[command(next_help_heading = "Transport")]
pub(super) struct TransportOptions {
    /// Serve HTTP at this address, such as 127.0.0.1:8000: Streamable HTTP at /mcp, HTTP+SSE at /sse
    #[arg(long, value_name = "ADDRESS")]
    pub(super) http: Option<String>,
    /// Where is kept what outlives a request: memory:, sqlite:PATH, or redis://HOST to be one server with other processes that share it
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// Let in only users of this file, who log in with OAuth; `jackfield auth add-user` makes it. Logins are kept in --store, or end with the process
    #[arg(long, value_name = "FILE", requires = "http")]
    auth: Option<PathBuf>,
    /// Where clients reach the server if not at the address of --http, such as `https://mcp.example.com`: behind a proxy, or in front of several processes with one --store
    #[arg(long, value_name = "URL", requires = "auth")]
    public_url: Option<String>,
    /// How long their tokens are valid, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600, requires = "auth")]
    token_life: u64,
    /// Record every message in both directions on this tape, or go on with it; `jackfield tape` shows it
    #[arg(long, value_name = "FILE")]
    tape: Option<PathBuf>,
}

impl TransportOptions {
    /// Returns the paths that these options need while the server runs, and whether they are only read: for a process that is kept
    /// to some paths.
    #[cfg(all(feature = "filesystem", target_os = "linux"))]
    pub(super) fn paths(&self) -> anyhow::Result<Vec<(PathBuf, bool)>> {
        let database = self.store.as_deref().and_then(|url| url.strip_prefix("sqlite:")).map(PathBuf::from);
        let files = [(self.tape.clone(), false), (database, false), (self.auth.clone(), true)];
        let mut paths = Vec::new();
        for (file, read_only) in files {
            // Files are made anew, and have others beside them.
            let Some(file) = file.map(std::path::absolute).transpose()? else { continue };
            paths.push((file.parent().unwrap_or(&file).to_owned(), read_only));
        }
        // The protocol takes the place of the standard streams, which then lead nowhere.
        paths.push((PathBuf::from("/dev/null"), false));
        // Names of hosts are looked up, and certificates checked.
        if self.http.is_some() || self.store.is_some() {
            const SYSTEM: [&str; 5] =
                ["/etc/hosts", "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/ssl", "/usr/share/ca-certificates"];
            paths.extend(SYSTEM.map(|path| (PathBuf::from(path), true)));
        }
        Ok(paths)
    }

    /// Whether the server only uses the standard streams, and nothing of these options.
    pub(super) fn is_plain(&self) -> bool {
        self.http.is_none() && self.store.is_none() && self.auth.is_none() && self.tape.is_none()
    }

    /// Says on standard error that the server runs, if it does so on the standard streams: some look for the original's line.
    #[cfg(any(feature = "filesystem", feature = "memory", feature = "sequentialthinking"))]
    pub(super) fn announce(&self, line: &str) {
        if self.http.is_none() {
            eprintln!("{line}");
        }
    }

    /// Runs a server until its client goes away, or a signal comes.
    pub(super) async fn run(self, server: Server, permissions: Permissions) -> Result<(), Failure> {
        let recording = Recording::begin(self.tape.as_deref())?;
        let served = self.serve(server, permissions, recording.as_ref()).await;
        Recording::end(recording, served.map_err(Failure::from))
    }

    async fn serve(
        self,
        mut server: Server,
        permissions: Permissions,
        recording: Option<&Recording>,
    ) -> anyhow::Result<()> {
        if let Some(recording) = recording {
            server = server.tape(recording.tape.clone());
        }
        let stores = self.store.as_deref().map(jackfield::store::open).transpose();
        let stores = stores.context("use memory:, sqlite:PATH or redis://HOST for --store")?;
        if let Some(stores) = &stores {
            server = server.store(stores.clone());
        }
        let (public_url, token_life) = (self.public_url, self.token_life);
        let protected = self.auth.map(|users| Protected { users, public_url, token_life, stores, permissions });
        match (self.http, protected) {
            (None, _) => server.serve_stdio().await,
            (Some(address), None) => server.serve_http(address).await,
            (Some(address), Some(protected)) => return protected.serve(server, &address).await,
        }
        .map_err(|error| anyhow::anyhow!("{error:#}"))
    }
}
