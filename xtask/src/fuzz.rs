//! `cargo xtask fuzz`: throws bytes at everything that reads what others wrote, for a time.
//!
//! The targets lie in `fuzz/`, as cargo-fuzz wants them. They are built here without it: coverage is all the instrumentation that
//! code without `unsafe` needs, and the stable compiler has that.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use crate::parallel;
use crate::workspace::Workspace;

/// How much to try.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// How long to try each target.
    #[arg(long, default_value_t = 30)]
    pub(crate) seconds: u32,
    /// The targets; all if none is named.
    pub(crate) targets: Vec<String>,
}

/// What libFuzzer needs to see which way a run took, and checks that only tests have otherwise.
const FLAGS: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Cdebug-assertions",
    "--cfg=fuzzing",
];

/// Bounds of a single run: its input, its memory, its time.
const BOUNDS: &[&str] = &["-max_len=4096", "-rss_limit_mb=2048", "-timeout=20"];

/// Builds the targets, runs each for a time, and says how far it came. Fails with the input that broke one.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let fuzz = workspace.root.join("fuzz");
    let names = if options.targets.is_empty() { all(&fuzz)? } else { options.targets.clone() };
    let programs = build(workspace, &fuzz)?;
    let ends = parallel::map(&names, |name| {
        let ended = try_one(workspace, &fuzz, &programs.join(name), name, options.seconds);
        match &ended {
            Ok(runs) => println!("{name:<16} {runs:>12} runs"),
            Err(error) => println!("{name:<16} BROKEN: {error:#}"),
        }
        ended.is_ok()
    });
    ensure!(ends.iter().all(|held| *held), "a fuzz target is broken");
    Ok(())
}

fn all(fuzz: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(fuzz.join("fuzz_targets"))? {
        let path = entry?.path();
        names.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
    }
    names.sort();
    Ok(names)
}

/// Builds all targets and returns the folder they are in.
fn build(workspace: &Workspace, fuzz: &Path) -> Result<PathBuf> {
    let host = host()?;
    let target = workspace.target.join("fuzz");
    let status = workspace
        .cargo()
        // With a target named, build scripts and macros are left alone by the flags.
        .args(["build", "--release", "--locked", "--bins", "--target", &host, "--manifest-path"])
        .arg(fuzz.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&target)
        .env("RUSTFLAGS", FLAGS.join(" "))
        .status()?;
    ensure!(status.success(), "the fuzz targets do not build");
    Ok(target.join(host).join("release"))
}

fn host() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("cannot run rustc")?;
    let text = String::from_utf8(output.stdout)?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc does not name its host")?;
    Ok(host.to_owned())
}

/// Runs one target and returns how many inputs it took.
fn try_one(workspace: &Workspace, fuzz: &Path, program: &Path, name: &str, seconds: u32) -> Result<u64> {
    let found = workspace.target.join("fuzz/corpus").join(name);
    let broken = workspace.target.join("fuzz/broken");
    fs::create_dir_all(&found)?;
    fs::create_dir_all(&broken)?;
    let kept = fuzz.join("corpus").join(name);
    let mut command = Command::new(program);
    command
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-artifact_prefix={}/{name}-", broken.display()))
        .arg(format!("-dict={}", fuzz.join("words.dict").display()))
        .args(["-print_final_stats=1"])
        .args(BOUNDS)
        // What is new goes to the first folder.
        .arg(found)
        .args(kept.is_dir().then_some(kept));
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot run {}", program.display()))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let log = broken.join(format!("{name}.log"));
        fs::write(&log, said.as_bytes())?;
        let why = said.lines().find(|line| line.contains("panicked at") || line.contains("ERROR:"));
        bail!("{} (see {})", why.unwrap_or("it failed"), log.display());
    }
    executed(&said).context("libFuzzer does not say how many inputs it took")
}

fn executed(said: &str) -> Option<u64> {
    said.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_of_inputs_is_found() {
        assert_eq!(executed("Done 12\nstat::number_of_executed_units: 4711\n"), Some(4711));
        assert_eq!(executed("nothing"), None);
    }

    /// A target that is not declared would not be built.
    #[test]
    fn every_target_is_declared() {
        let workspace = Workspace::find().unwrap();
        let fuzz = workspace.root.join("fuzz");
        let manifest = fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
        for name in all(&fuzz).unwrap() {
            assert!(manifest.contains(&format!("name = \"{name}\"")), "{name} is missing in fuzz/Cargo.toml");
        }
    }
}
