//! Servers of others, each in one pinned version, and our client against them.
//!
//! The client is the program `interop-client` of the testkit; it uses whatever the server says it offers. What a server does not
//! offer is written down here.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, bail};

use super::client::{self, Transport};
use super::report::{self, Verdict};
use crate::child::{self, Listening};
use crate::pinned::{
    FASTMCP, PYTHON_1, PYTHON_2, Pinned, RMCP, SERVER_EVERYTHING, SERVER_FILESYSTEM, SERVER_MEMORY, TYPESCRIPT_2_SERVER,
};
use crate::workspace::Workspace;
use crate::{install, node, parallel};

/// What our client checks, in this order.
const CHECKS: &[&str] = &[
    "connect",
    "ping",
    "tools",
    "calls",
    "parallel",
    "error",
    "resources",
    "templates",
    "prompts",
    "complete",
    "logging",
    "subscribe",
    "shutdown",
];

/// How long our client may take with one server.
const LIMIT: Duration = Duration::from_secs(90);

const PROGRAM: &str = "interop-client";

/// A server and what is known about it.
#[derive(Debug)]
struct Other {
    name: &'static str,
    kit: Kit,
    /// What our client must agree on with it.
    revision: &'static str,
    transports: &'static [Transport],
    /// Tools, arguments and a part of the answer, as JSON.
    calls: &'static str,
    /// What it does not offer.
    lacks: &'static [&'static str],
}

/// Where a server comes from.
#[derive(Debug)]
enum Kit {
    /// A reference server, a program of its own; further words on its command line.
    Npm { package: &'static Pinned, words: &'static [&'static str] },
    /// A script of ours with a package from npm.
    Node { package: &'static Pinned },
    /// A script of ours with packages from PyPI.
    Python { package: &'static Pinned, script: &'static str },
    /// Our server on the crate `rmcp`.
    Rmcp,
}

const NO_SSE: &[Transport] = &[Transport::Stdio, Transport::Http];
const STDIO: &[Transport] = &[Transport::Stdio];

/// The calls to servers of ours on the frameworks of others.
const OURS: &str = r#"[["echo",{"message":"hi"},"Echo: hi"],["add",{"a":2,"b":3},"5"]]"#;

const OTHERS: &[Other] = &[
    Other {
        name: "server-everything",
        kit: Kit::Npm { package: &SERVER_EVERYTHING, words: &[] },
        revision: "2025-11-25",
        transports: Transport::ALL,
        calls: r#"[["echo",{"message":"hi"},"Echo: hi"],["get-sum",{"a":2,"b":3},"5"],
            ["get-structured-content",{"location":"Chicago"},"temperature"],["get-tiny-image",{},"image/png"],
            ["trigger-long-running-operation",{"duration":1,"steps":3},"completed"],
            ["get-resource-links",{"count":2},"resource_link"],["trigger-sampling-request",{"prompt":"x"},"a sampled text"],
            ["get-roots-list",{},"interop-root"]]"#,
        lacks: &[],
    },
    Other {
        name: "server-filesystem",
        kit: Kit::Npm { package: &SERVER_FILESYSTEM, words: &["/tmp"] },
        revision: "2025-11-25",
        transports: STDIO,
        calls: r#"[["list_allowed_directories",{},"/tmp"],["list_directory",{"path":"/tmp"},"DIR"]]"#,
        lacks: &["resources", "templates", "prompts", "complete", "logging"],
    },
    Other {
        name: "server-memory",
        kit: Kit::Npm { package: &SERVER_MEMORY, words: &[] },
        revision: "2025-11-25",
        transports: STDIO,
        calls: r#"[["search_nodes",{"query":"nothing at all"},"entities"],["read_graph",{},"entities"]]"#,
        lacks: &["prompts", "complete", "logging"],
    },
    Other {
        name: PYTHON_1.label,
        kit: Kit::Python { package: &PYTHON_1, script: "python_1.py" },
        revision: "2025-11-25",
        transports: Transport::ALL,
        calls: r#"[["echo",{"message":"hi"},"Echo: hi"],["add",{"a":2,"b":3},"5"],["count",{},"counted"],
            ["ask",{},"action: accept"]]"#,
        lacks: &["complete", "logging", "subscribe"],
    },
    Other {
        name: PYTHON_2.label,
        kit: Kit::Python { package: &PYTHON_2, script: "../python/everything_2.py" },
        revision: "2026-07-28",
        transports: NO_SSE,
        calls: r#"[["echo",{"message":"hi"},"Echo: hi"],["get-sum",{"a":2,"b":3},"5"],
            ["get-structured-content",{"location":"x"},"temperature"],["trigger-sampling-request",{"prompt":"x"},"a sampled text"],
            ["get-roots-list",{},"interop-root"]]"#,
        lacks: &["logging"],
    },
    Other {
        name: FASTMCP.label,
        kit: Kit::Python { package: &FASTMCP, script: "fastmcp_server.py" },
        revision: "2026-07-28",
        transports: NO_SSE,
        calls: OURS,
        lacks: &["complete", "subscribe"],
    },
    Other {
        name: TYPESCRIPT_2_SERVER.label,
        kit: Kit::Node { package: &TYPESCRIPT_2_SERVER },
        revision: "2026-07-28",
        transports: NO_SSE,
        calls: OURS,
        lacks: &["complete", "logging"],
    },
    Other {
        name: RMCP.label,
        kit: Kit::Rmcp,
        revision: "2026-07-28",
        transports: NO_SSE,
        calls: OURS,
        lacks: &["resources", "templates", "prompts", "complete", "logging", "subscribe"],
    },
];

/// Runs our client against all servers whose name begins like `only`; fails when a check fails. Returns a line for each server
/// that could not be installed.
pub(super) fn run(workspace: &Workspace, only: Option<&str>, transport: Option<Transport>) -> Result<Vec<String>> {
    let wanted: Vec<&Other> =
        OTHERS.iter().filter(|other| only.is_none_or(|only| other.name.starts_with(only))).collect();
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let program = workspace.tested_program(PROGRAM)?;
    let logs = client::folder(workspace).join("log");
    std::fs::create_dir_all(&logs)?;
    let installed: Vec<_> = wanted.iter().map(|other| (*other, other.install(workspace))).collect();
    let missing = installed.iter().filter_map(|(other, words)| {
        Some(format!("{} is not installed ({}); skipped: our client against it", other.name, words.as_ref().err()?))
    });
    let missing: Vec<String> = missing.collect();
    let jobs: Vec<(&Other, &Vec<String>, Transport)> = installed
        .iter()
        .filter_map(|(other, words)| Some((*other, words.as_ref().ok()?)))
        .flat_map(|(other, words)| other.transports.iter().map(move |&transport| (other, words, transport)))
        .filter(|job| transport.is_none_or(|only| only == job.2))
        .collect();
    let outcomes = parallel::map(&jobs, |(other, words, transport)| other.run(words, *transport, &program, &logs));
    let mut failures = Vec::new();
    println!("our client against servers of others: {}", CHECKS.join(", "));
    for ((other, _, transport), outcome) in jobs.iter().zip(outcomes) {
        let verdicts = outcome?;
        println!("{:<20} {:<6} {}  {}", other.name, transport.name(), other.revision, signs(&verdicts));
        for (check, verdict) in CHECKS.iter().zip(&verdicts) {
            if let Verdict::Failed(reason) = verdict {
                failures.push(format!("{}, {}, {check}: {reason}", other.name, transport.name()));
            }
        }
    }
    for failure in &failures {
        println!("failed: {failure}");
    }
    if !failures.is_empty() {
        bail!("{} checks with real servers failed", failures.len());
    }
    Ok(missing)
}

/// One sign for each check.
pub(super) fn signs(verdicts: &[Verdict]) -> String {
    let sign = |verdict: &Verdict| match verdict {
        Verdict::Ok => '+',
        Verdict::Absent => '-',
        Verdict::Failed(_) => 'F',
    };
    verdicts.iter().map(sign).collect()
}

impl Other {
    /// Installs the server; returns the words that start it.
    fn install(&self, workspace: &Workspace) -> Result<Vec<String>, String> {
        let folder = client::scripts(workspace).join("servers");
        let words = |paths: Vec<PathBuf>| paths.into_iter().map(|path| path.to_string_lossy().into_owned()).collect();
        match self.kit {
            Kit::Npm { package, words: further } => {
                let node = node::at_least(20, workspace)?;
                let place = client::npm(workspace, package)?;
                let mut words: Vec<String> =
                    words(vec![node, place.join("node_modules").join(package.name).join("dist/index.js")]);
                words.extend(further.iter().map(|&word| word.to_owned()));
                Ok(words)
            }
            Kit::Node { package } => {
                let node = node::at_least(20, workspace)?;
                let place = client::npm(workspace, package)?;
                // Node finds packages only from where they are.
                let script = place.join("typescript_2.mjs");
                std::fs::copy(folder.join("typescript_2.mjs"), &script).map_err(|error| error.to_string())?;
                Ok(words(vec![node, script]))
            }
            Kit::Python { package, script } => {
                let venv = client::folder(workspace).join(format!("server-{}-{}", package.name, package.version));
                install::python_once(&venv, &[package])?;
                Ok(words(vec![venv.join("bin/python"), folder.join(script)]))
            }
            Kit::Rmcp => {
                let target = client::folder(workspace).join("rmcp");
                let mut cargo = workspace.cargo();
                cargo
                    .args(["build", "--quiet", "--locked", "--manifest-path"])
                    .arg(folder.join("rmcp-server/Cargo.toml"));
                install::quietly(cargo.arg("--target-dir").arg(&target))?;
                Ok(words(vec![target.join("debug/interop-rmcp-server")]))
            }
        }
    }

    /// Returns the command of the server for a transport. Reference servers take the port from the environment.
    fn command(&self, words: &[String], transport: Transport, address: Option<SocketAddr>) -> Vec<String> {
        let port = address.map(|address| address.port().to_string());
        let kind = match (&self.kit, transport) {
            (Kit::Npm { .. }, Transport::Stdio) => None,
            (Kit::Npm { .. }, Transport::Http) => Some("streamableHttp"),
            (Kit::Python { script: "../python/everything_2.py", .. }, _) => None,
            (_, transport) => Some(transport.name()),
        };
        let port = port.filter(|_| !matches!(self.kit, Kit::Npm { .. }));
        words.iter().cloned().chain(kind.map(str::to_owned)).chain(port).collect()
    }

    fn run(&self, words: &[String], transport: Transport, program: &Path, logs: &Path) -> Result<Vec<Verdict>> {
        let name = format!("ours-{}-{}", self.name.replace(' ', "-"), transport.name());
        let mut client = Command::new(program);
        client.arg(self.calls);
        let _server = match transport {
            Transport::Stdio => {
                client.args(self.command(words, transport, None));
                None
            }
            Transport::Http | Transport::Sse => {
                let start = |address: SocketAddr| {
                    let words = self.command(words, transport, Some(address));
                    let mut command = Command::new(&words[0]);
                    command
                        .args(&words[1..])
                        .env("PORT", address.port().to_string())
                        .env("PYTHONDONTWRITEBYTECODE", "1");
                    command
                };
                let server = Listening::start(start, &logs.join(format!("{name}-server.log")))?;
                let path = if transport == Transport::Sse { "sse" } else { "mcp" };
                client.arg(format!("http://{}/{path}", server.address));
                Some(server)
            }
        };
        let finished = child::run(&mut client, LIMIT, &logs.join(format!("{name}.log")))?;
        let reports = report::parse(&finished.output);
        Ok(report::judge_by(CHECKS, &reports, self.revision, self.lacks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_lacks_is_a_check_and_calls_are_json() {
        for other in OTHERS {
            assert!(other.lacks.iter().all(|lack| CHECKS.contains(lack)), "{}", other.name);
            assert!(serde_json::from_str::<serde_json::Value>(other.calls).is_ok(), "{}", other.name);
        }
    }

    #[test]
    fn servers_are_started_for_their_transport() {
        let address: SocketAddr = "127.0.0.1:4000".parse().unwrap();
        let find = |name: &str| OTHERS.iter().find(|other| other.name == name).unwrap();
        let words = ["x".to_owned()];
        assert_eq!(find("server-everything").command(&words, Transport::Http, Some(address)), ["x", "streamableHttp"]);
        assert_eq!(find("server-memory").command(&words, Transport::Stdio, None), ["x"]);
        assert_eq!(find(PYTHON_1.label).command(&words, Transport::Sse, Some(address)), ["x", "sse", "4000"]);
        assert_eq!(find(PYTHON_2.label).command(&words, Transport::Http, Some(address)), ["x", "4000"]);
    }
}
