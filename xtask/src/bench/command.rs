//! What `jackfield call` costs beside the server it starts.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::Program;
use super::counter::counted_instructions;
use super::figure::Figure;
use super::scenario::{INITIALIZE, INITIALIZED};
use crate::workspace::Workspace;

/// Most instructions of the whole command: it may add 30 ms to the start of a server, and one instruction per nanosecond is slow.
const LIMIT: f64 = 30_000_000.0;

/// How many runs are timed.
const RUNS: usize = 11;

/// What the command asks for, said to the server itself.
const ADD: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":20,"b":22}}}"#,
    "\n"
);

/// Builds the command as a newcomer does.
fn build(workspace: &Workspace) -> Result<PathBuf> {
    workspace.build_executable(&["--release", "--package", "jackfield-cli", "--bin", "jackfield"])
}

/// Counts the instructions of one `jackfield call`, without those of the server.
pub(super) fn figure(workspace: &Workspace, server: &Program, folder: &Path) -> Result<Figure> {
    let command = build(workspace)?;
    let value = count(&command, server, folder)?;
    // How often the command looks for an answer depends on how fast the server is, so it is not compared with the past.
    let name = "instructions, jackfield call".to_owned();
    Ok(Figure { name, value, limit: Some(LIMIT), must_not_grow: false, fixed: None, ideal: None })
}

/// Says how much longer `jackfield call` takes than the server alone needs to start, answer and end. A clock is no judge on a busy
/// machine, so the figure is shown and not compared; the smallest of several runs is the least disturbed.
pub(super) fn wall_time(workspace: &Workspace, server: &Program) -> Result<String> {
    let command = build(workspace)?;
    let (mut with, mut without) = (Duration::MAX, Duration::MAX);
    for _ in 0..RUNS {
        let mut call = Command::new(&command);
        call.args(["call", "add", "a=20", "b=22", "--"]).arg(&server.path).args(&server.arguments);
        with = with.min(duration(&mut call, "")?);
        let mut alone = Command::new(&server.path);
        let lines = [INITIALIZE, INITIALIZED, ADD].concat();
        without = without.min(duration(alone.args(&server.arguments), &lines)?);
    }
    let millis = |time: Duration| time.as_secs_f64() * 1000.0;
    Ok(format!(
        "jackfield call takes {:.1} ms, its server alone {:.1} ms: {:.1} ms more (at most 30)",
        millis(with),
        millis(without),
        millis(with.saturating_sub(without))
    ))
}

/// Measures a command that is given its whole input at once, from its start to its end.
fn duration(command: &mut Command, input: &str) -> Result<Duration> {
    let begun = Instant::now();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().context("a program cannot be started")?;
    child.stdin.take().context("the input is piped")?.write_all(input.as_bytes())?;
    let output = child.wait_with_output()?;
    if !String::from_utf8_lossy(&output.stdout).contains("42") {
        bail!("{} did not answer", command.get_program().to_string_lossy());
    }
    Ok(begun.elapsed())
}

fn count(command: &Path, server: &Program, folder: &Path) -> Result<f64> {
    let profile = folder.join("jackfield-call.callgrind");
    let mut valgrind = Command::new("valgrind");
    valgrind.arg("--tool=callgrind").arg("--quiet").arg(format!("--callgrind-out-file={}", profile.display()));
    valgrind.arg(command).args(["call", "add", "a=20", "b=22", "--"]).arg(&server.path).args(&server.arguments);
    let output = valgrind.stdin(Stdio::null()).output().context("valgrind cannot be started")?;
    let said = String::from_utf8_lossy(&output.stdout);
    if !said.contains("42") {
        bail!("jackfield call did not work: {said}{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(counted_instructions(&profile)? as f64)
}
