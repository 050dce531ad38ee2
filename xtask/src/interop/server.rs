//! The server under test, one process for each connection on stdio, one for all connections over HTTP.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Error, Result};

use super::client::{self, Era, Transport};
use crate::child::Listening;
use crate::node;
use crate::pinned::{PYTHON_2, SERVER_EVERYTHING};
use crate::workspace::Workspace;

/// Which server the clients talk to.
#[derive(Debug)]
pub(super) enum Server {
    /// A command that serves stdio, and HTTP when `--http ADDRESS` is appended.
    Ours(Vec<String>),
    /// The reference server for the older era, and for the modern one our stand-in on the Python SDK.
    Reference { node: PathBuf, everything: PathBuf, python: PathBuf, stand_in: PathBuf },
}

impl Server {
    /// Installs the reference server.
    pub(super) fn reference(workspace: &Workspace) -> Result<Self> {
        let install = || -> Result<Self, String> {
            let folder = client::npm(workspace, &SERVER_EVERYTHING)?;
            Ok(Self::Reference {
                node: node::at_least(20, workspace)?,
                everything: folder.join("node_modules").join(SERVER_EVERYTHING.name).join("dist/index.js"),
                python: client::python(workspace, &PYTHON_2, &[])?,
                stand_in: client::scripts(workspace).join("python/everything_2.py"),
            })
        };
        install().map_err(Error::msg).context("cannot install the reference server")
    }

    /// Returns the words that start the server on stdio.
    pub(super) fn stdio(&self, era: Era) -> Vec<String> {
        let words = match self {
            Self::Ours(words) => return words.clone(),
            Self::Reference { node, everything, .. } if era == Era::Legacy => [node, everything],
            Self::Reference { python, stand_in, .. } => [python, stand_in],
        };
        words.iter().map(|word| word.to_string_lossy().into_owned()).collect()
    }

    /// Returns the command that serves HTTP.
    fn http(&self, transport: Transport, era: Era, address: SocketAddr) -> Command {
        match self {
            Self::Ours(words) => {
                let mut command = Command::new(&words[0]);
                command.args(&words[1..]).args(["--http", &address.to_string()]);
                command
            }
            Self::Reference { node, everything, .. } if era == Era::Legacy => {
                let kind = if transport == Transport::Sse { "sse" } else { "streamableHttp" };
                let mut command = Command::new(node);
                command.arg(everything).arg(kind).env("PORT", address.port().to_string());
                command
            }
            Self::Reference { python, stand_in, .. } => {
                let mut command = Command::new(python);
                command.arg(stand_in).arg(address.port().to_string());
                command
            }
        }
    }

    /// Says whether one process can serve both.
    fn is_one_for(&self, a: (Transport, Era), b: (Transport, Era)) -> bool {
        matches!(self, Self::Ours(_)) || a == b
    }
}

/// The servers that listen.
#[derive(Debug, Default)]
pub(super) struct Listeners(Vec<((Transport, Era), Listening)>);

impl Listeners {
    /// Starts what these connections need.
    pub(super) fn start(server: &Server, wanted: impl Iterator<Item = (Transport, Era)>, logs: &Path) -> Result<Self> {
        let mut listeners = Self::default();
        for (transport, era) in wanted.filter(|(transport, _)| *transport != Transport::Stdio) {
            if listeners.find(server, transport, era).is_none() {
                let errors = logs.join(format!("server-{}-{era:?}.log", transport.name()).to_lowercase());
                let listening = Listening::start(|address| server.http(transport, era, address), &errors)?;
                listeners.0.push(((transport, era), listening));
            }
        }
        Ok(listeners)
    }

    /// Returns what a client must know to connect: a URL or the words of a command.
    pub(super) fn target(&self, server: &Server, transport: Transport, era: Era) -> Result<Vec<String>> {
        let path = match transport {
            Transport::Stdio => return Ok(server.stdio(era)),
            Transport::Http => "mcp",
            Transport::Sse => "sse",
        };
        let address = self.find(server, transport, era).context("no server was started for this transport")?;
        Ok(vec![format!("http://{address}/{path}")])
    }

    fn find(&self, server: &Server, transport: Transport, era: Era) -> Option<SocketAddr> {
        let found = self.0.iter().find(|(serves, _)| server.is_one_for(*serves, (transport, era)));
        found.map(|(_, listening)| listening.address)
    }

    /// Asks all servers to end; returns what is wrong with those that do not, or that ended before.
    pub(super) fn stop(self) -> Vec<String> {
        self.0.into_iter().filter_map(|(_, listening)| listening.stop().err()).map(|error| error.to_string()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ours_serves_every_transport_in_one_process() {
        let ours = Server::Ours(vec!["jackfield".into(), "serve".into(), "everything".into()]);
        let address: SocketAddr = "127.0.0.1:4000".parse().unwrap();
        let command = ours.http(Transport::Sse, Era::Legacy, address);
        let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
        assert_eq!(words, ["serve", "everything", "--http", "127.0.0.1:4000"]);
        assert!(ours.is_one_for((Transport::Sse, Era::Legacy), (Transport::Http, Era::Modern)));
        assert_eq!(ours.stdio(Era::Modern).len(), 3);
    }
}
