//! The programs that count lines, as far as this machine can have them.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::install;
use crate::pinned::CARGO_LLVM_COV;
use crate::workspace::Workspace;

/// cargo-llvm-cov, and the programs of LLVM that it calls.
#[derive(Debug)]
pub(crate) struct Tools {
    /// The installed cargo-llvm-cov.
    path: PathBuf,
    llvm_cov: PathBuf,
    llvm_profdata: PathBuf,
}

impl Tools {
    /// Installs what is missing; an error says what can not be had.
    pub(crate) fn install(workspace: &Workspace) -> Result<Self, String> {
        let there = of_rustup().or_else(|| of_debian(&rustc_llvm()?));
        let [llvm_cov, llvm_profdata] = there.map_or_else(from_debian, Ok)?;
        let folder = workspace.target.join("cargo-llvm-cov");
        let path = folder.join("bin/cargo-llvm-cov");
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        install::once(&folder, CARGO_LLVM_COV.version, || {
            println!("installing {}", CARGO_LLVM_COV.label);
            let mut command = workspace.cargo();
            command.args(["install", &CARGO_LLVM_COV.requirement(), "--locked", "--force", "--root"]);
            install::quietly(command.arg(&folder).arg("--target-dir").arg(folder.join("build")))
                .map_err(|reason| format!("cargo-llvm-cov is not installed ({reason})"))
        })?;
        // Only the program is needed from now on; without the folder there is nothing to delete.
        let _ = std::fs::remove_dir_all(folder.join("build"));
        Ok(Self { path, llvm_cov, llvm_profdata })
    }

    /// Returns a command that calls cargo-llvm-cov as cargo would.
    pub(super) fn cargo_llvm_cov(&self) -> Command {
        let mut command = Command::new(&self.path);
        command.env("LLVM_COV", &self.llvm_cov).env("LLVM_PROFDATA", &self.llvm_profdata);
        command
    }

    /// Asks which variables make cargo build our crates with counters.
    pub(super) fn variables(&self, workspace: &Workspace, target: &Path) -> Result<Vec<(String, String)>> {
        let mut command = self.cargo_llvm_cov();
        command.current_dir(&workspace.root).env("CARGO_TARGET_DIR", target);
        let output = command.args(["llvm-cov", "show-env", "--sh", "--no-cfg-coverage"]).output();
        let output = output.context("can not run cargo-llvm-cov")?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ok(exported(&String::from_utf8(output.stdout)?))
    }
}

/// Reads lines such as `export NAME='value'`.
fn exported(script: &str) -> Vec<(String, String)> {
    let lines = script.lines().filter_map(|line| line.strip_prefix("export ")?.split_once('='));
    lines.map(|(name, value)| (name.to_owned(), value.trim_matches('\'').to_owned())).collect()
}

/// The component `llvm-tools`, which fits always.
fn of_rustup() -> Option<[PathBuf; 2]> {
    let library = answer("rustc", &["--print", "target-libdir"])?;
    both(&Path::new(library.trim()).parent()?.join("bin"))
}

/// The package of Debian. An older version than the compiler's can not read what its programs write.
fn of_debian(major: &str) -> Option<[PathBuf; 2]> {
    both(&PathBuf::from(format!("/usr/lib/llvm-{major}/bin")))
}

fn from_debian() -> Result<[PathBuf; 2], String> {
    let major = rustc_llvm().ok_or("rustc does not say which LLVM it has")?;
    let package = format!("llvm-{major}");
    install::from_debian(&package)
        .and_then(|()| of_debian(&major).ok_or_else(|| "it does not contain llvm-cov and llvm-profdata".to_owned()))
        .map_err(|reason| format!("{package} is not installed ({reason}), nor the component llvm-tools of rustup"))
}

fn both(folder: &Path) -> Option<[PathBuf; 2]> {
    let found = ["llvm-cov", "llvm-profdata"].map(|name| folder.join(name));
    found.iter().all(|path| path.is_file()).then_some(found)
}

/// The first number of the version of the compiler's LLVM.
fn rustc_llvm() -> Option<String> {
    major(&rustc_version()?)
}

/// What the compiler says about itself.
pub(super) fn rustc_version() -> Option<String> {
    answer("rustc", &["-vV"])
}

fn major(version: &str) -> Option<String> {
    let line = version.lines().find_map(|line| line.strip_prefix("LLVM version: "))?;
    line.split('.').next().map(str::to_owned)
}

fn answer(name: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(name).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_number_chooses_the_package() {
        assert_eq!(major("rustc 1.95.0\nhost: x\nLLVM version: 22.1.2\n").as_deref(), Some("22"));
        assert_eq!(major("rustc 1.95.0\n"), None);
    }

    #[test]
    fn exported_variables_lose_their_quotes() {
        let script = "info\nexport A='x y'\nexport B=1\nexport C='-C=a\u{1f}--cfg=b'\n";
        let found = exported(script);
        let found: Vec<(&str, &str)> = found.iter().map(|(name, value)| (&**name, &**value)).collect();
        assert_eq!(found, [("A", "x y"), ("B", "1"), ("C", "-C=a\u{1f}--cfg=b")]);
    }
}
