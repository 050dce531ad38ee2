//! What a call costs in a client, beside the server that it starts.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::counter::counted_instructions;
use super::figure::Figure;
use super::{Program, per_request};
use crate::parallel;
use crate::workspace::{MEASURED, Workspace};

/// The lengths of the short and the long run, in calls.
const LENGTHS: (u64, u64) = (500, 2_500);

/// Most instructions of the client for one call.
const LIMIT: f64 = 15_000.0;

pub(super) const ERAS: [&str; 2] = ["legacy", "modern"];

/// Builds our client.
pub(super) fn build(workspace: &Workspace) -> Result<PathBuf> {
    workspace.build_executable(&[MEASURED[0], MEASURED[1], "--package", "jackfield-bench-client"])
}

/// Counts the instructions of our client for one call in each era.
pub(super) fn figures(workspace: &Workspace, server: &Program, folder: &Path) -> Result<Vec<Figure>> {
    let client = build(workspace)?;
    let counts = parallel::map(&ERAS, |era| per_call(&client, era, server, folder));
    let figure = |(era, count): (&&str, Result<f64>)| {
        let name = format!("client instructions, echo {era}");
        Ok(Figure { name, value: count?, limit: Some(LIMIT), must_not_grow: true, fixed: None, ideal: None })
    };
    ERAS.iter().zip(counts).map(figure).collect()
}

/// Counts the instructions of a client for one call, without those of the server.
pub(super) fn per_call(client: &Path, era: &str, server: &Program, folder: &Path) -> Result<f64> {
    let count = |calls: u64| {
        let stem = client.file_stem().unwrap_or_default().to_string_lossy();
        let profile = folder.join(format!("{stem}-{era}-{calls}.callgrind"));
        let mut valgrind = Command::new("valgrind");
        valgrind.arg("--tool=callgrind").arg("--quiet").arg(format!("--callgrind-out-file={}", profile.display()));
        valgrind.arg(client).args([&calls.to_string(), era]).arg(&server.path).args(&server.arguments);
        let output = valgrind.stdin(Stdio::null()).output().context("valgrind cannot be started")?;
        if !output.status.success() {
            bail!("{stem} did not work: {}", String::from_utf8_lossy(&output.stderr));
        }
        counted_instructions(&profile)
    };
    let (short, long) = LENGTHS;
    Ok(per_request(count(short)?, count(long)?, long - short))
}
