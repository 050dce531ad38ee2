//! Where the project lies, and what `cargo metadata` says about it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// The checked-out project.
#[derive(Debug)]
pub(crate) struct Workspace {
    /// The folder with the workspace manifest.
    pub(crate) root: PathBuf,
    /// Where cargo puts what it builds, and where we put what is only of this machine.
    pub(crate) target: PathBuf,
    /// The members.
    pub(crate) packages: Vec<Package>,
}

/// What clippy and the tests are run on. One set of flags for both, so that no crate is built in two ways.
pub(crate) const EVERYTHING: [&str; 2] = ["--workspace", "--all-features"];

/// How programs are built that are measured.
pub(crate) const MEASURED: [&str; 2] = ["--profile", "dist"];

/// A member of the workspace.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) manifest_path: PathBuf,
    pub(crate) dependencies: Vec<Dependency>,
    #[serde(default)]
    pub(crate) features: BTreeMap<String, Vec<String>>,
    /// The registries it may be published to: `None` means any, an empty list means none.
    pub(crate) publish: Option<Vec<String>>,
}

/// An arrow from a member to a crate.
#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// `None` for a normal dependency, else `dev` or `build`.
    pub(crate) kind: Option<String>,
}

impl Workspace {
    /// Finds the workspace the current folder belongs to.
    pub(crate) fn find() -> Result<Self> {
        let here = std::env::current_dir()?;
        let root = here
            .ancestors()
            .find(|folder| folder.join("xtask/Cargo.toml").is_file())
            .context("cargo xtask runs inside a checkout of the project only")?;
        let output = cargo(root)
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .stderr(Stdio::inherit())
            .output()
            .context("cannot run cargo metadata")?;
        if !output.status.success() {
            bail!("cargo metadata failed");
        }
        let metadata: Metadata =
            serde_json::from_slice(&output.stdout).context("cannot read the answer of cargo metadata")?;
        Ok(Self { root: root.to_owned(), target: metadata.target_directory, packages: metadata.packages })
    }

    /// Returns a cargo command that runs in the workspace.
    pub(crate) fn cargo(&self) -> Command {
        cargo(&self.root)
    }

    /// Builds one executable and returns its path.
    pub(crate) fn build_executable(&self, arguments: &[&str]) -> Result<PathBuf> {
        let output = self
            .cargo()
            .args(["build", "--message-format", "json-render-diagnostics"])
            .args(arguments)
            .stderr(Stdio::inherit())
            .output()
            .context("cannot run cargo build")?;
        if !output.status.success() {
            bail!("cargo build {} failed", arguments.join(" "));
        }
        let artifacts = Artifact::read_all(&String::from_utf8_lossy(&output.stdout));
        let executable = artifacts.into_iter().filter_map(|artifact| artifact.executable).next_back();
        executable.with_context(|| format!("cargo build {} made no executable", arguments.join(" ")))
    }

    /// Builds an example as it is measured, and returns its path.
    pub(crate) fn build_example(&self, name: &str) -> Result<PathBuf> {
        self.build_executable(&[MEASURED[0], MEASURED[1], "--package", "jackfield-examples", "--example", name])
    }

    /// Builds all tests with the flags of `cargo xtask test` and returns what they are made of, libraries and programs.
    pub(crate) fn test_artifacts(&self) -> Result<Vec<Artifact>> {
        let mut command = self.cargo();
        command.args(["test", "--no-run", "--message-format", "json-render-diagnostics"]).args(EVERYTHING);
        let output = command.stderr(Stdio::inherit()).output().context("cannot run cargo test")?;
        if !output.status.success() {
            bail!("the tests do not build");
        }
        Ok(Artifact::read_all(&String::from_utf8_lossy(&output.stdout)))
    }

    /// Returns a program or example as the tests use it: not optimized, and with all features.
    pub(crate) fn tested_program(&self, name: &str) -> Result<PathBuf> {
        let artifacts = self.test_artifacts()?.into_iter();
        let mut programs = artifacts.filter(|artifact| !artifact.profile.test && artifact.target.name == name);
        let found = programs.find_map(|artifact| artifact.executable);
        found.with_context(|| format!("the tests use no program {name}"))
    }
}

/// Returns the place of a program that a user could start by its name.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(name))
        .find(|candidate| candidate.is_file())
}

fn cargo(folder: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.current_dir(folder);
    // `cargo run` tells this program about itself. Build scripts look at some of that, and would run again, with all that depends on
    // them, whenever a cargo that was typed follows one that was started here.
    for (name, _) in std::env::vars_os().filter(|(name, _)| is_about_this_package(&name.to_string_lossy())) {
        command.env_remove(name);
    }
    command
}

fn is_about_this_package(variable: &str) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_CRATE_", "CARGO_BIN_", "CARGO_PRIMARY_"]
        .iter()
        .any(|start| variable.starts_with(start))
}

/// Something that cargo has built, as it says itself.
#[derive(Debug, Deserialize)]
pub(crate) struct Artifact {
    pub(crate) target: Target,
    pub(crate) profile: Profile,
    pub(crate) filenames: Vec<PathBuf>,
    pub(crate) executable: Option<PathBuf>,
}

/// What it was built from.
#[derive(Debug, Deserialize)]
pub(crate) struct Target {
    pub(crate) name: String,
}

/// How it was built.
#[derive(Debug, Deserialize)]
pub(crate) struct Profile {
    /// Whether it is a test binary.
    pub(crate) test: bool,
}

impl Artifact {
    /// Reads those among the messages of cargo that speak of an artifact.
    fn read_all(messages: &str) -> Vec<Self> {
        messages.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}

#[derive(Deserialize)]
struct Metadata {
    target_directory: PathBuf,
    packages: Vec<Package>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn artifacts_are_found_among_the_messages_of_cargo() {
        let messages = concat!(
            r#"{"reason":"compiler-artifact","target":{"name":"a"},"profile":{"test":false},"filenames":["/t/a.rlib"],"executable":null}"#,
            "\n",
            r#"{"reason":"build-finished","success":true}"#,
            "\nno JSON\n",
        );
        let artifacts = Artifact::read_all(messages);
        assert_eq!(artifacts.len(), 1);
        assert_eq!((artifacts[0].target.name.as_str(), artifacts[0].profile.test), ("a", false));
    }

    #[test]
    fn what_cargo_builds_does_not_depend_on_who_started_it() {
        assert!(is_about_this_package("CARGO_PKG_NAME") && is_about_this_package("CARGO_MANIFEST_DIR"));
        assert!(!is_about_this_package("CARGO_TARGET_DIR") && !is_about_this_package("CARGO_HOME"));
    }

    #[test]
    fn the_workspace_knows_its_members() {
        let workspace = Workspace::find().unwrap();
        assert!(workspace.packages.iter().any(|package| package.name == "xtask"));
    }
}
