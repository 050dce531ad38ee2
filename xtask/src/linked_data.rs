//! Building blocks, shapes and ontology, checked with libraries of others.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;

use crate::install;
use crate::pinned::{JSONSCHEMA, OWLRL, PYLD, PYSHACL, PYYAML, RDFLIB};
use crate::workspace::Workspace;

/// The arguments of `cargo xtask linked-data`.
#[derive(Debug, Default, Args)]
pub(crate) struct Options {
    /// The example `rdf` of `jackfield-rdf`, if it is built already.
    #[arg(long, value_name = "FILE")]
    command: Option<PathBuf>,
}

/// Writes the building blocks and has PyLD, rdflib, jsonschema, pyshacl and owlrl look at them.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let folder = workspace.target.join("linked-data");
    let venv = folder.join("python");
    install::python_once(&venv, &[&PYSHACL, &RDFLIB, &PYLD, &OWLRL, &JSONSCHEMA, &PYYAML])
        .map_err(|reason| anyhow!("the Python packages cannot be installed: {reason}"))?;
    let command = match &options.command {
        Some(command) => command.clone(),
        None => {
            workspace.build_executable(&["--package", "jackfield-rdf", "--features", "cli,tape", "--example", "rdf"])?
        }
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

fn succeed(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.status().with_context(|| format!("cannot run {program}"))?;
    if !status.success() {
        bail!("{program} failed");
    }
    Ok(())
}
