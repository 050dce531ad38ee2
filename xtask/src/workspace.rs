//! Where the project lies, and what `cargo metadata` says about it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// The feature that builds all reference servers; they are not all on by default.
pub(crate) const ALL_SERVERS: &str = "jackfield-cli/servers";

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

/// A member of the workspace.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) manifest_path: PathBuf,
    pub(crate) dependencies: Vec<Dependency>,
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
            .context("can not run cargo metadata")?;
        if !output.status.success() {
            bail!("cargo metadata failed");
        }
        let metadata: Metadata =
            serde_json::from_slice(&output.stdout).context("can not read the answer of cargo metadata")?;
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
            .context("can not run cargo build")?;
        if !output.status.success() {
            bail!("cargo build {} failed", arguments.join(" "));
        }
        last_executable(&String::from_utf8_lossy(&output.stdout))
            .with_context(|| format!("cargo build {} made no executable", arguments.join(" ")))
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
    command
}

fn last_executable(messages: &str) -> Option<PathBuf> {
    #[derive(Deserialize)]
    struct Message {
        executable: Option<PathBuf>,
    }
    messages.lines().filter_map(|line| serde_json::from_str::<Message>(line).ok()?.executable).next_back()
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
    fn the_executable_is_the_last_one_cargo_names() {
        let messages = concat!(
            r#"{"reason":"compiler-artifact","executable":null}"#,
            "\n",
            r#"{"reason":"compiler-artifact","executable":"/t/release/examples/a"}"#,
            "\n",
            r#"{"reason":"build-finished","success":true}"#,
            "\n",
        );
        assert_eq!(last_executable(messages), Some(PathBuf::from("/t/release/examples/a")));
        assert_eq!(last_executable("not json"), None);
    }

    #[test]
    fn the_workspace_knows_its_members() {
        let workspace = Workspace::find().unwrap();
        assert!(workspace.packages.iter().any(|package| package.name == "xtask"));
    }
}
