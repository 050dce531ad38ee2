//! Building blocks, shapes and ontology, checked with libraries of others.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, anyhow};
use clap::Args;

use crate::install;
use crate::pinned::{JSONSCHEMA, OWLRL, PYLD, PYSHACL, PYYAML, RDFLIB};
use crate::steps::{Outcome, succeed};
use crate::workspace::Workspace;

/// The arguments of `cargo xtask linked-data`.
#[derive(Debug, Default, Args)]
pub(crate) struct Options {
    /// The example `rdf` of `jackfield-rdf`, if it is built already.
    #[arg(long, value_name = "FILE")]
    command: Option<PathBuf>,
}

/// The same as a slow check: skipped where there is no Python, or its packages cannot be had.
pub(crate) fn check(workspace: &Workspace) -> Result<Outcome> {
    if let Err(reason) = install(workspace) {
        return Ok(Outcome::Skipped(format!("the Python packages are not installed ({reason})")));
    }
    run(workspace, &Options::default()).map(Outcome::from)
}

fn install(workspace: &Workspace) -> Result<PathBuf, String> {
    let venv = workspace.target.join("linked-data/python");
    install::python_once(&venv, &[&PYSHACL, &RDFLIB, &PYLD, &OWLRL, &JSONSCHEMA, &PYYAML])?;
    Ok(venv)
}

/// Writes the building blocks and has PyLD, rdflib, jsonschema, pyshacl and owlrl look at them.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let folder = workspace.target.join("linked-data");
    let venv = install(workspace).map_err(|reason| anyhow!("the Python packages cannot be installed: {reason}"))?;
    let command = match &options.command {
        Some(command) => command.clone(),
        None => workspace.tested_program("rdf")?,
    };
    let blocks = folder.join("blocks");
    // What an earlier version wrote is not part of this one.
    if blocks.exists() {
        std::fs::remove_dir_all(&blocks)?;
    }
    succeed(Command::new(&command).args(["block", "--out"]).arg(&blocks))?;
    let script = workspace.root.join("crates/rdf/checks/linked_data.py");
    succeed(Command::new(venv.join("bin/python")).arg(script).arg(&blocks).arg(&command))
}
