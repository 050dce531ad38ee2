//! `cargo xtask bench --peers`: the same work done by us and by others, in one run.
//!
//! Servers that do what `bench_server` does, calls through clients, and messages turned into N-Quads. Each program of the last kind
//! prints, as its last line, a JSON object from name to messages per second of processor time; clients are counted by valgrind.

mod open;
mod servers;
mod table;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, anyhow, bail};

use super::figure::number;
use super::{Program, client};
use crate::pinned::RMCP;
use crate::workspace::{MEASURED, Workspace};
use crate::{install, parallel};

/// The name of our own figure that is compared.
const OURS: &str = "json to nquads";

pub(super) fn run(workspace: &Workspace, server: &Program, only: Option<&str>) -> Result<()> {
    let folder = workspace.target.join("bench");
    std::fs::create_dir_all(&folder)?;
    let mut document = Document { path: folder.join("peers.md"), text: String::new() };
    servers::run(workspace, server, only, &mut document)?;
    if only.is_none() {
        clients(workspace, server, &mut document)?;
        linked_data(workspace, &mut document)?;
    }
    println!("all tables are in {}", document.path.display());
    Ok(())
}

/// What was measured, as docs/benchmarks.md has it.
struct Document {
    path: PathBuf,
    text: String,
}

impl Document {
    /// Prints a table, and writes it down with those before it.
    fn add(&mut self, title: &str, table: &str) -> Result<()> {
        let section = format!("### {title}\n\n{table}");
        println!("\n{section}");
        let space = if self.text.is_empty() { "" } else { "\n" };
        self.text += &format!("{space}{section}");
        std::fs::write(&self.path, &self.text).with_context(|| format!("cannot write {}", self.path.display()))
    }
}

/// Counts what a call costs in our client and in that of `rmcp`, against the same server.
fn clients(workspace: &Workspace, server: &Program, document: &mut Document) -> Result<()> {
    let folder = workspace.target.join("peers/clients");
    std::fs::create_dir_all(&folder)?;
    let target = workspace.target.join("peers/rmcp");
    let manifest = workspace.root.join("benches/rmcp_client/Cargo.toml");
    let mut cargo = workspace.cargo();
    cargo.args(["build", "--quiet", "--release", "--locked", "--manifest-path"]).arg(manifest);
    install::quietly(cargo.arg("--target-dir").arg(&target))
        .map_err(|reason| anyhow!("the client on rmcp cannot be built: {reason}"))?;
    let programs = [("jackfield", client::build(workspace)?), (RMCP.label, target.join("release/bench-rmcp-client"))];
    let mut rows = Vec::new();
    for (name, program) in programs {
        let counts = parallel::map(&client::ERAS, |era| client::per_call(&program, era, server, &folder));
        let counts = counts.into_iter().collect::<Result<Vec<f64>>>()?;
        rows.push(std::iter::once(name.to_owned()).chain(counts.into_iter().map(number)).collect());
    }
    let head: Vec<&str> = std::iter::once("client").chain(client::ERAS).collect();
    document.add("A call through a client, instructions of the client", &table::plain(&head, rows))
}

fn linked_data(workspace: &Workspace, document: &mut Document) -> Result<()> {
    let folder = workspace.root.join("crates/rdf/bench");
    let requirements = std::fs::read_to_string(folder.join("requirements.txt"))?;
    let venv = workspace.target.join("peers/rdf");
    std::fs::create_dir_all(&venv)?;
    let pinned = requirements.lines().map(str::to_owned).filter(|line| !line.trim().is_empty());
    install::once(&venv, &requirements, || install::python(&venv, pinned))
        .map_err(|reason| anyhow!("the Python packages cannot be installed: {reason}"))?;

    let mut ours = workspace.cargo();
    ours.args(["run", "--quiet", "--package", "jackfield-rdf", "--example", "throughput"]).args(MEASURED);
    let mut theirs = Command::new(venv.join("bin/python"));
    theirs.arg("peers.py").current_dir(&folder);
    let mut figures = last_line(&mut ours)?;
    figures.extend(last_line(&mut theirs)?);
    document.add("Linked data: messages per second of processor time", &compared(&figures)?)
}

/// Runs a program and reads the figures of its last line.
fn last_line(command: &mut Command) -> Result<BTreeMap<String, f64>> {
    let output = command.stderr(std::process::Stdio::inherit()).output().context("cannot be started")?;
    if !output.status.success() {
        bail!("{} failed", command.get_program().to_string_lossy());
    }
    let text = String::from_utf8(output.stdout)?;
    let last = text.lines().last().context("a program printed nothing")?;
    serde_json::from_str(last).with_context(|| format!("not figures: {last}"))
}

/// One row for each program; the last column says how many times as many messages ours turns into N-Quads.
fn compared(figures: &BTreeMap<String, f64>) -> Result<String> {
    let ours = figures.get(OURS).with_context(|| format!("there is no figure for `{OURS}`"))?;
    let row = |(name, count): (&String, &f64)| vec![name.clone(), number(*count), format!("{:.1}", ours / count)];
    Ok(table::plain(&["program", "messages", "ours ÷"], figures.iter().map(row)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_are_compared_with_our_figure() {
        let figures = BTreeMap::from([(OURS.to_owned(), 400.0), ("slow".to_owned(), 2.0)]);
        let table = compared(&figures).unwrap();
        assert!(table.contains("| slow | 2.00 | 200.0 |"), "{table}");
        assert!(compared(&BTreeMap::new()).is_err());
    }

    #[test]
    fn tables_are_written_one_below_the_other() {
        let path = std::env::temp_dir().join(format!("xtask-peers-{}.md", std::process::id()));
        let mut document = Document { path: path.clone(), text: String::new() };
        document.add("One", "| a |\n").unwrap();
        document.add("Two", "| b |\n").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "### One\n\n| a |\n\n### Two\n\n| b |\n");
        std::fs::remove_file(path).unwrap();
    }
}
