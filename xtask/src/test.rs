//! `cargo xtask test`: what must hold for a change.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::Value;

use crate::compile_errors;
use crate::files::{self, File};
use crate::steps::{Outcome, Steps, succeed};
use crate::test_cache::{self, TestCache};
use crate::workspace::{EVERYTHING, Workspace, program};
use crate::{install, requirements, tidy};

/// The requirements that tests have covered once stay covered.
const COVERED_REQUIREMENTS: usize = 749;

/// How much to run.
#[derive(Debug, Default, Args)]
pub(crate) struct Options {
    /// Run all tests, also those whose inputs have not changed since they last passed.
    #[arg(long)]
    pub(crate) all: bool,
}

/// Runs the steps up to the first failure, then prints how each ended.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    // Programs that tests start are installed while the compiler works.
    let installing = thread::spawn(|| install::debian(install::FOR_TESTS));
    let mut cache = TestCache::read(workspace, options.all);
    let mut notes = Vec::new();
    let mut steps = Steps::default();
    steps.run("format", || succeed(workspace.cargo().args(["fmt", "--all", "--check"])));
    steps.run("tidy", || tidy::run(workspace));
    steps.run("requirements", || covered_requirements(workspace));
    steps.run("clippy", || {
        succeed(workspace.cargo().arg("clippy").args(EVERYTHING).args(["--all-targets", "--", "-D", "warnings"]))
    });
    notes.extend(installing.join().unwrap_or_else(|_| vec!["installing programs for tests panicked".to_owned()]));
    steps.run("tests", || tests(workspace, &mut cache));
    steps.run("compile errors", || compile_errors::check(workspace, &mut cache));
    steps.run("doc tests", || doc_tests(workspace, &mut cache));
    if std::env::var_os("MCP_SCHEMA_DIR").is_none() {
        notes.push("MCP_SCHEMA_DIR is not set; skipped: tests against the official schemas and examples".to_owned());
    }
    steps.finish(&notes)
}

fn covered_requirements(workspace: &Workspace) -> Result<()> {
    let options = requirements::Options { at_least: COVERED_REQUIREMENTS, ..requirements::Options::default() };
    requirements::run(workspace, &options)
}

/// Runs the test binaries whose inputs have changed since they last passed.
fn tests(workspace: &Workspace, cache: &mut TestCache) -> Result<Outcome> {
    if program("cargo-nextest").is_none() {
        // Builds the examples as programs, which their tests start.
        succeed(workspace.cargo().args(["test", "--no-run"]).args(EVERYTHING))?;
        succeed(workspace.cargo().arg("test").args(EVERYTHING).args(["--lib", "--bins", "--tests"]))?;
        return Ok(Outcome::Measured("with `cargo test`; cargo-nextest is not installed".to_owned()));
    }
    succeed(workspace.cargo().args(["nextest", "run", "--no-run"]).args(EVERYTHING))?;
    let binaries = TestBinaries::list(workspace)?;
    let fingerprints = binaries.fingerprints(&files::of(&workspace.root)?);
    let changed: Vec<&str> =
        fingerprints.iter().filter(|(id, now)| !cache.is_current(id, **now)).map(|(id, _)| id.as_str()).collect();
    let unchanged = fingerprints.len() - changed.len();
    cache.forget(changed.iter().copied())?;
    if !changed.is_empty() {
        let mut command = workspace.cargo();
        command.args(["nextest", "run"]).args(EVERYTHING);
        if unchanged > 0 {
            let filter: Vec<String> = changed.iter().map(|id| format!("binary_id(={id})")).collect();
            command.args(["-E", &filter.join(" + ")]);
        }
        succeed(&mut command)?;
    }
    let figure = format!("{} test binaries, {unchanged} unchanged since the last pass", fingerprints.len());
    cache.remember(fingerprints)?;
    Ok(Outcome::Measured(figure))
}

/// The package whose tests start its examples.
const EXAMPLES: &str = "jackfield-examples";

/// The test binaries of the workspace, and the programs that they may start.
struct TestBinaries {
    /// By nextest's name for it.
    tests: BTreeMap<String, TestBinary>,
    programs: Vec<PathBuf>,
}

struct TestBinary {
    path: PathBuf,
    /// Whether its package has programs. Tests start those of their own package only: cargo names them no others.
    starts_programs: bool,
}

impl TestBinaries {
    fn list(workspace: &Workspace) -> Result<Self> {
        let mut command = workspace.cargo();
        command.args(["nextest", "list", "--list-type", "binaries-only", "--message-format", "json"]).args(EVERYTHING);
        let output = command.stderr(Stdio::inherit()).output().context("cannot run cargo nextest")?;
        ensure!(output.status.success(), "cargo nextest cannot list the test binaries");
        let listed: Value = serde_json::from_slice(&output.stdout).context("cannot read the list of test binaries")?;
        let binaries = listed["rust-binaries"].as_object().context("the list has no test binaries")?;
        let with_programs = &listed["rust-build-meta"]["non-test-binaries"];
        let read = |id: &str, binary: &Value| {
            let package = binary["package-id"].as_str().context("a test binary has no package")?;
            let path = binary["binary-path"].as_str().context("a test binary has no path")?;
            let starts_programs = with_programs.get(package).is_some() || id.starts_with(EXAMPLES);
            Ok((id.to_owned(), TestBinary { path: path.into(), starts_programs }))
        };
        let tests = binaries.iter().map(|(id, binary)| read(id, binary)).collect::<Result<_>>()?;
        let mut programs = Vec::new();
        for folder in ["debug", "debug/examples"] {
            programs.extend(executables(&workspace.target.join(folder))?);
        }
        programs.sort();
        Ok(Self { tests, programs })
    }

    fn fingerprints(&self, files: &[File]) -> BTreeMap<String, u64> {
        let environment = test_cache::environment_fingerprint(files);
        let project = test_cache::project_fingerprint(files);
        let fingerprint = |id: &str, binary: &TestBinary| {
            let programs = if binary.starts_programs { self.programs.as_slice() } else { &[] };
            let built = programs.iter().chain([&binary.path]).map(PathBuf::as_path);
            // The tests of this program read the whole project.
            let sources = if id == "xtask" || id.starts_with("xtask::") { project } else { 0 };
            test_cache::combined([environment, test_cache::artifact_fingerprint(built), sources])
        };
        self.tests.iter().map(|(id, binary)| (id.clone(), fingerprint(id, binary))).collect()
    }
}

/// Returns the programs in a folder: files without an extension, or with that of programs.
fn executables(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let Ok(entries) = folder.read_dir() else { return Ok(found) };
    for entry in entries {
        let path = entry?.path();
        let extension = path.extension().map_or("", |extension| extension.to_str().unwrap_or("?"));
        if path.is_file() && extension == std::env::consts::EXE_EXTENSION && !has_hash(&path) {
            found.push(path);
        }
    }
    Ok(found)
}

/// Cargo links each example a second time under a name with its hash.
fn has_hash(path: &Path) -> bool {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let end = name.rsplit_once('-').map_or("", |(_, end)| end);
    end.len() == 16 && end.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn doc_tests(workspace: &Workspace, cache: &mut TestCache) -> Result<Outcome> {
    const NAME: &str = "doc tests";
    let fingerprint = test_cache::documentation_fingerprint(&files::of(&workspace.root)?);
    if cache.is_current(NAME, fingerprint) {
        return Ok(Outcome::Measured("unchanged since the last pass".to_owned()));
    }
    cache.forget([NAME])?;
    succeed(workspace.cargo().args(["test", "--doc"]).args(EVERYTHING))?;
    cache.remember([(NAME.to_owned(), fingerprint)])?;
    Ok(Outcome::Passed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_told_from_their_hashed_copies() {
        assert!(has_hash(Path::new("t/echo-c38f779103383ee2")));
        assert!(!has_hash(Path::new("t/testkit-node")) && !has_hash(Path::new("t/echo")));
    }
}
