//! Servers that do what `bench_server` does, on the packages of others.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::super::counter::Counter;
use super::super::processors::Processors;
use super::super::scenario::{SCENARIOS, Scenario};
use super::super::{Program, per_request};
use super::Document;
use super::open::rates;
use super::table::{self, Cell, Column};
use crate::pinned::{PYTHON_2, Pinned, RMCP, TOWER_MCP, TYPESCRIPT_2_SERVER};
use crate::workspace::Workspace;
use crate::{install, node, parallel};

/// Where a server comes from.
enum Kit {
    /// The program of benches/peers/rust.
    Rust(&'static str),
    TypeScript,
    Python,
}

const OTHERS: &[(&str, &Pinned, Kit)] = &[
    ("rmcp", &RMCP, Kit::Rust("peer-rmcp")),
    ("tower-mcp", &TOWER_MCP, Kit::Rust("peer-tower-mcp")),
    ("TypeScript SDK", &TYPESCRIPT_2_SERVER, Kit::TypeScript),
    ("Python SDK", &PYTHON_2, Kit::Python),
];

/// A server, and how it is started.
pub(super) struct Peer {
    name: String,
    program: PathBuf,
    /// The words before `--http`, and those for standard input and output.
    script: Option<PathBuf>,
    on_pipes: Option<&'static str>,
    /// Whether its instructions can be counted: those of a compiler that works while the program runs cannot.
    is_native: bool,
}

/// How a server is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Pipes,
    Http,
}

impl Way {
    const ALL: [Self; 2] = [Self::Pipes, Self::Http];

    fn name(self) -> &'static str {
        match self {
            Self::Pipes => "Standard input and output",
            Self::Http => "HTTP",
        }
    }

    fn load(self) -> &'static str {
        match self {
            Self::Pipes => "64 requests under way",
            Self::Http => "16 connections",
        }
    }
}

/// Measures all servers in all scenarios.
pub(super) fn run(workspace: &Workspace, ours: &Program, only: Option<&str>, document: &mut Document) -> Result<()> {
    let folder = workspace.target.join("peers/servers");
    fs::create_dir_all(&folder)?;
    let peers = peers(workspace, ours, only)?;
    let names: Vec<&str> = peers.iter().map(|peer| peer.name.as_str()).collect();
    let processors = Processors::find();
    for way in Way::ALL {
        let mut columns = Vec::new();
        for scenario in SCENARIOS {
            println!("{}: {}", way.name(), scenario.name);
            let counts = instructions(&peers, way, scenario, &folder);
            let rates = rates(&peers, way, scenario, &processors, &folder)?;
            let cells = counts.into_iter().zip(rates).map(|(instructions, rate)| Cell { instructions, rate });
            columns.push(Column { scenario: scenario.name, cells: cells.collect() });
        }
        let (name, load) = (way.name(), way.load());
        document.add(&format!("{name}: instructions for one request"), &table::instructions(&names, &columns))?;
        document.add(&format!("{name}, {load}: requests per second"), &table::rates(&names, &columns))?;
    }
    Ok(())
}

/// Returns our server, the hand-written one, and those of others; what cannot be installed is told.
fn peers(workspace: &Workspace, ours: &Program, only: Option<&str>) -> Result<Vec<Peer>> {
    let native = |name: &str, program: PathBuf, on_pipes| Peer {
        name: name.to_owned(),
        program,
        script: None,
        on_pipes,
        is_native: true,
    };
    let limit = workspace.build_example("bench_limit");
    let mut peers = vec![native("jackfield", ours.path.clone(), None), native("by hand", limit?, Some("ideal"))];
    let begins = |name: &str, start: &str| name.to_lowercase().starts_with(&start.to_lowercase());
    for (title, package, kit) in OTHERS.iter().filter(|(title, ..)| only.is_none_or(|only| begins(title, only))) {
        let name = format!("{title} {}", package.version);
        let is_native = matches!(kit, Kit::Rust(_));
        match kit.install(workspace) {
            Ok((program, script)) => peers.push(Peer { name, program, script, on_pipes: None, is_native }),
            Err(reason) => println!("{name} is not installed ({reason}); skipped: its figures"),
        }
    }
    Ok(peers)
}

/// A program, and the script that it runs.
type Installed = Result<(PathBuf, Option<PathBuf>), String>;

impl Kit {
    fn install(&self, workspace: &Workspace) -> Installed {
        match self {
            Self::Rust(program) => Ok((rust(workspace)?.join("release").join(program), None)),
            Self::TypeScript => typescript(workspace),
            Self::Python => python(workspace),
        }
    }
}

fn scripts(workspace: &Workspace) -> PathBuf {
    workspace.root.join("benches/peers")
}

fn rust(workspace: &Workspace) -> Result<PathBuf, String> {
    let target = workspace.target.join("peers/rust");
    let mut cargo = workspace.cargo();
    cargo.args(["build", "--quiet", "--release", "--locked", "--manifest-path"]);
    install::quietly(cargo.arg(scripts(workspace).join("rust/Cargo.toml")).arg("--target-dir").arg(&target))?;
    Ok(target)
}

fn typescript(workspace: &Workspace) -> Installed {
    let folder = workspace.target.join("peers/typescript");
    install::npm_once(&folder, &TYPESCRIPT_2_SERVER)?;
    // Node finds packages only from where they are.
    let script = folder.join("server.mjs");
    fs::copy(scripts(workspace).join("server.mjs"), &script).map_err(|error| error.to_string())?;
    Ok((node::at_least(20, workspace)?, Some(script)))
}

fn python(workspace: &Workspace) -> Installed {
    let venv = workspace.target.join("peers/python");
    install::python_once(&venv, &[&PYTHON_2])?;
    Ok((venv.join("bin/python"), Some(scripts(workspace).join("server.py"))))
}

impl Peer {
    /// Returns the command, on the processor of servers.
    pub(super) fn command(&self, processors: &Processors, address: Option<SocketAddr>) -> Command {
        let mut command = processors.server(&self.program);
        command.args(&self.script);
        match address {
            Some(address) => command.args(["--http", &address.to_string()]),
            None => command.args(self.on_pipes),
        };
        command
    }

    pub(super) fn log(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.log", self.name.replace(' ', "-")))
    }
}

/// Counts the instructions of all servers whose instructions can be counted.
fn instructions(peers: &[Peer], way: Way, scenario: &Scenario, folder: &Path) -> Vec<Option<f64>> {
    parallel::map(peers, |peer| {
        if !peer.is_native {
            return None;
        }
        let counter = if way == Way::Http { Counter::HttpInstructions } else { Counter::Instructions };
        let arguments = peer.on_pipes.filter(|_| way == Way::Pipes).map(str::to_owned).into_iter().collect();
        let program = Program { path: peer.program.clone(), arguments };
        // Most of them need far more than ours, so that fewer requests do.
        let (short, long) = (200, 1_200);
        let count = |requests| counter.count(&program, scenario, requests, folder);
        match count(short).and_then(|short| Ok((short, count(long)?))) {
            Ok((few, many)) => Some(per_request(few, many, long - short)),
            Err(error) => {
                println!("{}: the instructions could not be counted: {error:#}", peer.name);
                None
            }
        }
    })
}
