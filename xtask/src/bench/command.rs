//! What `jackfield call` costs beside the server it starts.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::Program;
use super::counter::counted_instructions;
use super::figure::Figure;
use crate::workspace::Workspace;

/// Most instructions of the whole command: it may add 30 ms to the start of a server, and one instruction per nanosecond is slow.
const LIMIT: f64 = 30_000_000.0;

/// Counts the instructions of one `jackfield call`, without those of the server.
pub(super) fn figure(workspace: &Workspace, server: &Program, folder: &Path) -> Result<Figure> {
    let command = workspace.build_executable(&["--release", "--package", "jackfield-cli", "--bin", "jackfield"])?;
    let value = count(&command, server, folder)?;
    // How often the command looks for an answer depends on how fast the server is, so it is not compared with the past.
    let name = "instructions, jackfield call".to_owned();
    Ok(Figure { name, value, limit: Some(LIMIT), must_not_grow: false, fixed: None, ideal: None })
}

fn count(command: &Path, server: &Program, folder: &Path) -> Result<f64> {
    let profile = folder.join("jackfield-call.callgrind");
    let mut valgrind = Command::new("valgrind");
    valgrind.arg("--tool=callgrind").arg("--quiet").arg(format!("--callgrind-out-file={}", profile.display()));
    valgrind.arg(command).args(["call", "add", "a=20", "b=22", "--"]).arg(&server.path).args(&server.arguments);
    let output = valgrind.stdin(Stdio::null()).output().context("valgrind can not be started")?;
    let said = String::from_utf8_lossy(&output.stdout);
    if !said.contains("42") {
        bail!("jackfield call did not work: {said}{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(counted_instructions(&profile)? as f64)
}
