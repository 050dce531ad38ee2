//! `cargo xtask bench --peers`: the same work done by us and by others, in one run.
//!
//! Servers that do what `bench_server` does, calls through clients, and messages turned into N-Quads. Each program of the last kind
//! prints, as its last line, a JSON object from name to messages per second of processor time; clients are counted by valgrind.

mod servers;
mod talk;

use std::collections::BTreeMap;
use std::process::Command;

use anyhow::{Context, Result, anyhow, bail};

use super::{Program, client};
use crate::workspace::Workspace;
use crate::{install, parallel};

/// The name of our own figure that is compared.
const OURS: &str = "json to nquads";

pub(super) fn run(workspace: &Workspace, server: &Program, only: Option<&str>) -> Result<()> {
    servers::run(workspace, server, only)?;
    if only.is_some() {
        return Ok(());
    }
    clients(workspace, server)?;
    linked_data(workspace)
}

/// Counts what a call costs in our client and in that of `rmcp`, against the same server.
fn clients(workspace: &Workspace, server: &Program) -> Result<()> {
    let folder = workspace.target.join("peers/clients");
    std::fs::create_dir_all(&folder)?;
    let target = workspace.target.join("peers/rmcp");
    let manifest = workspace.root.join("benches/rmcp_client/Cargo.toml");
    let mut cargo = workspace.cargo();
    cargo.args(["build", "--quiet", "--release", "--locked", "--manifest-path"]).arg(manifest);
    install::quietly(cargo.arg("--target-dir").arg(&target))
        .map_err(|reason| anyhow!("the client on rmcp can not be built: {reason}"))?;
    let programs = [("ours", client::build(workspace)?), ("rmcp", target.join("release/bench-rmcp-client"))];
    println!("\n{:<28} {:>14} {:>14}", "client instructions per call", "legacy", "modern");
    for (name, program) in programs {
        let counts = parallel::map(&client::ERAS, |era| client::per_call(&program, era, server, &folder));
        let counts = counts.into_iter().collect::<Result<Vec<f64>>>()?;
        println!("{name:<28} {:>14.0} {:>14.0}", counts[0], counts[1]);
    }
    Ok(())
}

fn linked_data(workspace: &Workspace) -> Result<()> {
    let folder = workspace.root.join("crates/rdf/bench");
    let requirements = std::fs::read_to_string(folder.join("requirements.txt"))?;
    let venv = workspace.target.join("peers/rdf");
    std::fs::create_dir_all(&venv)?;
    let pinned = requirements.lines().map(str::to_owned).filter(|line| !line.trim().is_empty());
    install::once(&venv, &requirements, || install::python(&venv, pinned))
        .map_err(|reason| anyhow!("the Python packages can not be installed: {reason}"))?;

    let mut ours = workspace.cargo();
    ours.args(["run", "--quiet", "--release", "--package", "jackfield-rdf", "--example", "throughput"]);
    let mut theirs = Command::new(venv.join("bin/python"));
    theirs.arg("peers.py").current_dir(&folder);
    let mut figures = last_line(&mut ours)?;
    figures.extend(last_line(&mut theirs)?);
    print!("{}", table(&figures)?);
    Ok(())
}

/// Runs a program and reads the figures of its last line.
fn last_line(command: &mut Command) -> Result<BTreeMap<String, f64>> {
    let output = command.stderr(std::process::Stdio::inherit()).output().context("can not be started")?;
    if !output.status.success() {
        bail!("{} failed", command.get_program().to_string_lossy());
    }
    let text = String::from_utf8(output.stdout)?;
    let last = text.lines().last().context("a program printed nothing")?;
    serde_json::from_str(last).with_context(|| format!("not figures: {last}"))
}

fn table(figures: &BTreeMap<String, f64>) -> Result<String> {
    let ours = figures.get(OURS).with_context(|| format!("there is no figure for `{OURS}`"))?;
    let mut lines = format!("{:<28} {:>14} {:>8}\n", "messages per second", "count", "ours ÷");
    for (name, count) in figures {
        lines += &format!("{name:<28} {count:>14.0} {:>8.1}\n", ours / count);
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_are_compared_with_our_figure() {
        let figures = BTreeMap::from([(OURS.to_owned(), 400.0), ("slow".to_owned(), 2.0)]);
        let table = table(&figures).unwrap();
        assert!(table.contains("slow") && table.contains("200.0"), "{table}");
        assert!(super::table(&BTreeMap::new()).is_err());
    }
}
