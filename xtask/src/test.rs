//! `cargo xtask test`: what must hold for a change.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::Value;

use crate::compile_errors;
use crate::files::{self, File};
use crate::passed::{self, Passed};
use crate::steps::{Outcome, Steps, succeed};
use crate::workspace::{EVERYTHING, Workspace, program};
use crate::{install, requirements, tidy};

/// The requirements that tests have covered once stay covered.
const COVERED_REQUIREMENTS: usize = 749;

/// How much to run.
#[derive(Debug, Default, Args)]
pub(crate) struct Options {
    /// Run all tests, also those that have passed since anything they depend on was changed.
    #[arg(long)]
    pub(crate) all: bool,
}

/// Runs the steps up to the first failure, then prints how each ended.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    // Programs that tests start are installed while the compiler works.
    let installing = thread::spawn(|| install::debian(install::FOR_TESTS));
    let mut passed = Passed::read(workspace, options.all);
    let mut notes = Vec::new();
    let mut steps = Steps::default();
    steps.run("format", || succeed(workspace.cargo().args(["fmt", "--all", "--check"])));
    steps.run("tidy", || tidy::run(workspace));
    steps.run("requirements", || covered_requirements(workspace));
    steps.run("clippy", || {
        succeed(workspace.cargo().arg("clippy").args(EVERYTHING).args(["--all-targets", "--", "-D", "warnings"]))
    });
    notes.extend(installing.join().unwrap_or_else(|_| vec!["installing programs for tests panicked".to_owned()]));
    steps.run("tests", || tests(workspace, &mut passed));
    steps.run("compile errors", || compile_errors::check(workspace, &mut passed));
    steps.run("doc tests", || doc_tests(workspace, &mut passed));
    if std::env::var_os("MCP_SCHEMA_DIR").is_none() {
        notes.push("MCP_SCHEMA_DIR is not set; skipped: tests against the official schemas and examples".to_owned());
    }
    steps.finish(&notes)
}

fn covered_requirements(workspace: &Workspace) -> Result<()> {
    let options = requirements::Options { at_least: COVERED_REQUIREMENTS, ..requirements::Options::default() };
    requirements::run(workspace, &options)
}

/// Runs the tests of all binaries that have not passed as they are now.
fn tests(workspace: &Workspace, passed: &mut Passed) -> Result<Outcome> {
    if program("cargo-nextest").is_none() {
        succeed(workspace.cargo().arg("test").args(EVERYTHING).args(["--lib", "--bins", "--tests", "--examples"]))?;
        return Ok(Outcome::Measured("with `cargo test`; cargo-nextest is not installed".to_owned()));
    }
    succeed(workspace.cargo().args(["nextest", "run", "--no-run"]).args(EVERYTHING))?;
    let binaries = TestBinaries::list(workspace)?;
    let states = binaries.states(&files::of(&workspace.root)?);
    let changed: Vec<&str> =
        states.iter().filter(|(id, state)| !passed.holds(id, **state)).map(|(id, _)| id.as_str()).collect();
    let unchanged = states.len() - changed.len();
    if !changed.is_empty() {
        let mut command = workspace.cargo();
        command.args(["nextest", "run"]).args(EVERYTHING);
        if unchanged > 0 {
            let filter: Vec<String> = changed.iter().map(|id| format!("binary_id(={id})")).collect();
            command.args(["-E", &filter.join(" + ")]);
        }
        succeed(&mut command)?;
    }
    let figure = format!("{} test binaries, {unchanged} unchanged since they passed", states.len());
    passed.remember(states)?;
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
        let output = command.output().context("cannot run cargo nextest")?;
        let listed: Value = serde_json::from_slice(&output.stdout).context("cannot read the list of test binaries")?;
        let binaries = listed["rust-binaries"].as_object().context("the list has no test binaries")?;
        let with_programs = &listed["rust-build-meta"]["non-test-binaries"];
        let read = |id: &str, binary: &Value| {
            let package = binary["package-id"].as_str()?;
            let starts_programs = with_programs.get(package).is_some() || id.starts_with(EXAMPLES);
            Some(TestBinary { path: binary["binary-path"].as_str()?.into(), starts_programs })
        };
        let tests = binaries.iter().filter_map(|(id, binary)| Some((id.clone(), read(id, binary)?))).collect();
        let mut programs = Vec::new();
        for folder in ["debug", "debug/examples"] {
            programs.extend(executables(&workspace.target.join(folder))?);
        }
        programs.sort();
        Ok(Self { tests, programs })
    }

    fn states(&self, files: &[File]) -> BTreeMap<String, u64> {
        let surroundings = passed::of_surroundings(files);
        let state = |id: &str, binary: &TestBinary| {
            let programs = if binary.starts_programs { self.programs.as_slice() } else { &[] };
            let built = programs.iter().chain([&binary.path]).map(PathBuf::as_path);
            // The tests of this program read the whole project.
            let sources = if id == "xtask" || id.starts_with("xtask::") { passed::of_everything(files) } else { 0 };
            passed::combined([surroundings, passed::of_built(built), sources])
        };
        self.tests.iter().map(|(id, binary)| (id.clone(), state(id, binary))).collect()
    }
}

/// Returns the programs in a folder: files without an extension, or with that of programs.
fn executables(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let Ok(entries) = folder.read_dir() else { return Ok(found) };
    for entry in entries {
        let path = entry?.path();
        let extension = path.extension().map_or("", |extension| extension.to_str().unwrap_or("?"));
        // Cargo links each program a second time under a name with its hash.
        let has_hash = path.file_stem().is_some_and(|name| name.to_string_lossy().contains('-'));
        if path.is_file() && extension == std::env::consts::EXE_EXTENSION && !has_hash {
            found.push(path);
        }
    }
    Ok(found)
}

fn doc_tests(workspace: &Workspace, passed: &mut Passed) -> Result<Outcome> {
    const NAME: &str = "doc tests";
    let state = passed::of_documentation(&files::of(&workspace.root)?);
    if passed.holds(NAME, state) {
        return Ok(Outcome::Measured("unchanged since they passed".to_owned()));
    }
    succeed(workspace.cargo().args(["test", "--doc"]).args(EVERYTHING))?;
    passed.remember([(NAME.to_owned(), state)])?;
    Ok(Outcome::Passed)
}
