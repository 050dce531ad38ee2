//! cargo-llvm-cov, and the programs of LLVM that it calls.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::install;
use crate::pinned::CARGO_LLVM_COV;
use crate::workspace::Workspace;

/// What counts lines, as far as this machine can have it.
#[derive(Debug)]
pub(super) struct Tools {
    cargo_llvm_cov: PathBuf,
    llvm_cov: PathBuf,
    llvm_profdata: PathBuf,
}

impl Tools {
    /// Installs what is missing; an error says what cannot be had.
    pub(super) fn install(workspace: &Workspace) -> Result<Self, String> {
        let [llvm_cov, llvm_profdata] = llvm()?;
        Ok(Self { cargo_llvm_cov: install::cargo_once(workspace, &CARGO_LLVM_COV)?, llvm_cov, llvm_profdata })
    }

    /// Returns a command that calls cargo-llvm-cov as cargo would. What it builds has a folder of its own: with counters, our crates
    /// are different crates.
    pub(super) fn cargo_llvm_cov(&self, workspace: &Workspace) -> Command {
        let mut command = Command::new(&self.cargo_llvm_cov);
        command.current_dir(&workspace.root).arg("llvm-cov");
        command.env("LLVM_COV", &self.llvm_cov).env("LLVM_PROFDATA", &self.llvm_profdata).env("CARGO_INCREMENTAL", "0");
        command
    }
}

/// Returns `llvm-cov` and `llvm-profdata` of the compiler's own version: an older one cannot read what its programs write. They come with
/// the component `llvm-tools` of rustup, or with a package of Debian.
fn llvm() -> Result<[PathBuf; 2], String> {
    let library = answer("rustc", &["--print", "target-libdir"]).unwrap_or_default();
    if let Some(found) = Path::new(library.trim()).parent().and_then(|folder| both(&folder.join("bin"))) {
        return Ok(found);
    }
    let version = answer("rustc", &["-vV"]).unwrap_or_default();
    let package = format!("llvm-{}", major(&version).ok_or("rustc does not say which LLVM it has")?);
    let folder = PathBuf::from(format!("/usr/lib/{package}/bin"));
    if let Some(found) = both(&folder) {
        return Ok(found);
    }
    let reason = match install::from_debian(&package) {
        Ok(()) => "it does not contain llvm-cov and llvm-profdata".to_owned(),
        Err(reason) => reason,
    };
    both(&folder)
        .ok_or_else(|| format!("{package} is not installed ({reason}), nor the component llvm-tools of rustup"))
}

fn both(folder: &Path) -> Option<[PathBuf; 2]> {
    let found = ["llvm-cov", "llvm-profdata"].map(|name| folder.join(name));
    found.iter().all(|path| path.is_file()).then_some(found)
}

/// The first number of the version of the compiler's LLVM.
fn major(version: &str) -> Option<&str> {
    version.lines().find_map(|line| line.strip_prefix("LLVM version: "))?.split('.').next()
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
        assert_eq!(major("rustc 1.95.0\nhost: x\nLLVM version: 22.1.2\n"), Some("22"));
        assert_eq!(major("rustc 1.95.0\n"), None);
    }
}
