//! Servers that do what `bench_server` does, on the packages of others.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use super::super::counter::Counter;
use super::super::scenario::{SCENARIOS, Scenario};
use super::super::{Program, per_request, rate};
use super::talk::{self, Pipes};
use crate::child::Listening;
use crate::workspace::Workspace;
use crate::{install, node, parallel};

/// The packages of others.
const TYPESCRIPT: (&str, &str) = ("@modelcontextprotocol/server", "2.4.0");
const PYTHON: &str = "mcp==2.3.0";
/// The head of each table.
const HEAD: &str =
    "| request | server | instructions | requests per second | ours ÷ |\n| --- | --- | ---: | ---: | ---: |";
/// Turns of each server, and how long a turn is.
const TURNS: usize = 9;
const TURN: Duration = Duration::from_millis(200);

/// A server, and how it is started.
struct Peer {
    name: &'static str,
    program: PathBuf,
    /// The words before `--http`, and those for standard input and output.
    script: Option<PathBuf>,
    on_pipes: Option<&'static str>,
    /// Whether its instructions can be counted: those of a compiler that works while the program runs can not.
    is_native: bool,
}

/// How a server is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Pipes,
    Http,
}

impl Way {
    const ALL: [Self; 2] = [Self::Pipes, Self::Http];

    fn name(self) -> &'static str {
        match self {
            Self::Pipes => "standard input and output, 64 requests under way",
            Self::Http => "HTTP, 16 connections",
        }
    }
}

/// What was found out about a server in a scenario.
struct Cell {
    instructions: Option<f64>,
    rate: Result<f64>,
}

/// Measures all servers in all scenarios; prints tables that can be put into a document.
pub(super) fn run(workspace: &Workspace, ours: &Program, only: Option<&str>) -> Result<()> {
    let folder = workspace.target.join("peers/servers");
    fs::create_dir_all(&folder)?;
    let peers = peers(workspace, ours, only)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    for way in Way::ALL {
        println!(
            "
## {}

{HEAD}",
            way.name()
        );
        for scenario in SCENARIOS {
            let instructions = instructions(&peers, way, scenario, &folder);
            rate::pin(std::process::id(), rate::SENDER)?;
            let rates = match way {
                Way::Pipes => runtime.block_on(over_pipes(&peers, scenario, &folder)),
                Way::Http => runtime.block_on(over_http(&peers, scenario, &folder)),
            };
            rate::pin(std::process::id(), &format!("{},{}", rate::SERVERS, rate::SENDER))?;
            let cells = instructions.into_iter().zip(rates).map(|(instructions, rate)| Cell { instructions, rate });
            print!("{}", rows(scenario.name, &peers, &cells.collect::<Vec<_>>()));
        }
    }
    Ok(())
}

/// Returns our server, the hand-written one, and those of others; what can not be installed is told.
fn peers(workspace: &Workspace, ours: &Program, only: Option<&str>) -> Result<Vec<Peer>> {
    let native = |name, program: PathBuf, on_pipes| Peer { name, program, script: None, on_pipes, is_native: true };
    let limit =
        workspace.build_executable(&["--release", "--package", "jackfield-examples", "--example", "bench_limit"]);
    let mut peers = vec![native("jackfield", ours.path.clone(), None), native("by hand", limit?, Some("ideal"))];
    let rust = |program| move |workspace: &Workspace| Ok((rust(workspace)?.join("release").join(program), None));
    let others: [(&str, bool, &dyn Fn(&Workspace) -> Installed); 4] = [
        ("rmcp 3.8.0", true, &rust("peer-rmcp")),
        ("tower-mcp 0.25.0", true, &rust("peer-tower-mcp")),
        ("TypeScript SDK 2.4.0", false, &typescript),
        ("Python SDK 2.3.0", false, &python),
    ];
    let begins = |name: &str, start: &str| name.to_lowercase().starts_with(&start.to_lowercase());
    for (name, is_native, install) in others {
        if only.is_some_and(|only| !begins(name, only)) {
            continue;
        }
        match install(workspace) {
            Ok((program, script)) => peers.push(Peer { name, program, script, on_pipes: None, is_native }),
            Err(reason) => println!("{name} is not installed ({reason}); skipped: its figures"),
        }
    }
    Ok(peers)
}

/// A program, and the script that it runs.
type Installed = Result<(PathBuf, Option<PathBuf>), String>;

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
    let (package, version) = TYPESCRIPT;
    let folder = workspace.target.join("peers/typescript");
    let pinned = format!("{package}@{version}");
    install::once(&folder, &pinned, || install::npm(&folder, std::iter::once(pinned.clone())))?;
    // Node finds packages only from where they are.
    let script = folder.join("server.mjs");
    fs::copy(scripts(workspace).join("server.mjs"), &script).map_err(|error| error.to_string())?;
    Ok((node::at_least(20, workspace)?, Some(script)))
}

fn python(workspace: &Workspace) -> Installed {
    let venv = workspace.target.join("peers/python");
    install::once(&venv, PYTHON, || install::python(&venv, std::iter::once(PYTHON.to_owned())))?;
    Ok((venv.join("bin/python"), Some(scripts(workspace).join("server.py"))))
}

impl Peer {
    /// Returns the command, on the processor of servers.
    fn command(&self, address: Option<SocketAddr>) -> Vec<String> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let mut words = vec!["taskset".to_owned(), "--cpu-list".to_owned(), rate::SERVERS.to_owned()];
        words.push(text(&self.program));
        words.extend(self.script.as_deref().map(text));
        match address {
            Some(address) => words.extend(["--http".to_owned(), address.to_string()]),
            None => words.extend(self.on_pipes.map(str::to_owned)),
        }
        words
    }

    fn log(&self, folder: &Path) -> PathBuf {
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
        Some(per_request(count(short).ok()?, count(long).ok()?, long - short))
    })
}

/// Lets all servers answer in turns, and returns the median of each.
async fn over_pipes(peers: &[Peer], scenario: &'static Scenario, folder: &Path) -> Vec<Result<f64>> {
    let mut open = Vec::new();
    for peer in peers {
        open.push(Pipes::open(&peer.command(None), scenario, &peer.log(folder)).await);
    }
    let mut rates: Vec<Result<Vec<f64>>> = peers.iter().map(|_| Ok(Vec::new())).collect();
    for number in 0..TURNS * peers.len() {
        let at = number % peers.len();
        let turn = match &mut open[at] {
            Ok(pipes) => pipes.turn(scenario, TURN).await,
            Err(error) => Err(anyhow::anyhow!("{error:#}")),
        };
        note(&mut rates[at], turn);
    }
    rates.into_iter().map(|rates| rates.map(|rates| rate::median(rates.into_iter()))).collect()
}

/// The same over HTTP.
async fn over_http(peers: &[Peer], scenario: &'static Scenario, folder: &Path) -> Vec<Result<f64>> {
    let start = |peer: &Peer| {
        let command = |address| {
            let words = peer.command(Some(address));
            let mut command = Command::new(&words[0]);
            command.args(&words[1..]);
            command
        };
        let server = Listening::start(command, &peer.log(folder))?;
        let sessions = talk::sessions(server.address, scenario)?;
        anyhow::Ok((server, sessions))
    };
    let open: Vec<Result<_>> = peers.iter().map(start).collect();
    let mut rates: Vec<Result<Vec<f64>>> = peers.iter().map(|_| Ok(Vec::new())).collect();
    for number in 0..TURNS * peers.len() {
        let at = number % peers.len();
        let turn = match &open[at] {
            Ok((server, sessions)) => talk::turn(server.address, scenario, sessions, TURN).await,
            Err(error) => Err(anyhow::anyhow!("{error:#}")),
        };
        note(&mut rates[at], turn);
    }
    rates.into_iter().map(|rates| rates.map(|rates| rate::median(rates.into_iter()))).collect()
}

/// Keeps what a turn showed, or the first thing that went wrong.
fn note(rates: &mut Result<Vec<f64>>, turn: Result<f64>) {
    match (&mut *rates, turn) {
        (Ok(rates), Ok(rate)) => rates.push(rate),
        (Ok(_), Err(error)) => *rates = Err(error),
        (Err(_), _) => {}
    }
}

/// Returns one line for each server.
fn rows(scenario: &str, peers: &[Peer], cells: &[Cell]) -> String {
    let ours = cells.first().and_then(|cell| cell.rate.as_ref().ok().copied());
    let mut text = String::new();
    for (peer, cell) in peers.iter().zip(cells) {
        let instructions = cell.instructions.map_or("–".to_owned(), |count| format!("{count:.0}"));
        let (rate, ratio) = match &cell.rate {
            Ok(rate) => (format!("{rate:.0}"), ours.map_or(String::new(), |ours| format!("{:.1}", ours / rate))),
            Err(error) => {
                let first = error.to_string().chars().take(60).collect::<String>().replace(['|', '\n', '\r'], " ");
                (first, String::new())
            }
        };
        text += &format!("| {scenario} | {} | {instructions} | {rate} | {ratio} |\n", peer.name);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_compares_with_the_first() {
        let peer = |name| Peer { name, program: PathBuf::new(), script: None, on_pipes: None, is_native: true };
        let cells = [
            Cell { instructions: Some(9_000.4), rate: Ok(1_000.0) },
            Cell { instructions: None, rate: Ok(250.0) },
            Cell { instructions: None, rate: Err(anyhow::anyhow!("it | broke")) },
        ];
        let text = rows("echo", &[peer("a"), peer("b"), peer("c")], &cells);
        assert_eq!(
            text,
            "| echo | a | 9000 | 1000 | 1.0 |\n| echo | b | – | 250 | 4.0 |\n| echo | c | – | it   broke |  |\n"
        );
    }

    #[test]
    fn the_versions_are_those_of_the_manifest() {
        let workspace = Workspace::find().unwrap();
        let manifest = fs::read_to_string(scripts(&workspace).join("rust/Cargo.toml")).unwrap();
        for pinned in ["rmcp = { version = \"=3.8.0\"", "tower-mcp = { version = \"=0.25.0\""] {
            assert!(manifest.contains(pinned), "{pinned}");
        }
    }
}
