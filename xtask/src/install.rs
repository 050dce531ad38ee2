//! Brings what the tests need onto the machine, as far as that is possible without asking.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::workspace::{Workspace, program};

/// Programs from Debian packages.
const DEBIAN: &[Package] = &[
    Package { name: "valgrind", version: "", programs: &["valgrind"], used_for: "instruction and allocation counts" },
    Package { name: "strace", version: "", programs: &["strace"], used_for: "system call counts" },
    Package { name: "g++", version: "", programs: &["c++"], used_for: "the fuzzer, which is C++" },
    // The package `redis-server` would start a service; the program itself is in this one, by another name.
    Package {
        name: "redis-tools",
        version: "",
        programs: &["redis-server", "valkey-server", "redis-check-rdb"],
        used_for: "stores in Redis",
    },
    Package {
        name: "chromium",
        version: "",
        programs: &["chromium"],
        used_for: "login and consent pages in a browser",
    },
    Package { name: "chromium-driver", version: "", programs: &["chromedriver"], used_for: "driving that browser" },
    Package {
        name: "gnome-keyring",
        version: "",
        programs: &["gnome-keyring-daemon"],
        used_for: "logins with a keyring",
    },
];

/// Programs from npm, in `target/npm`.
const NPM: &[Package] = &[];

/// Programs from Python packages, in `target/venv`.
const PYTHON: &[Package] = &[];

/// A package, and the programs of which tests start one.
#[derive(Debug)]
struct Package {
    name: &'static str,
    /// Pinned, except for Debian, which pins by its release.
    version: &'static str,
    /// Any of them will do; the package brings the last.
    programs: &'static [&'static str],
    used_for: &'static str,
}

const NOT_INSIDE: &str = "its package does not contain it";

/// What came of it.
#[derive(Debug)]
pub(crate) struct Installed {
    /// One line for each package that is missing, with the reason and what is therefore skipped.
    pub(crate) missing: Vec<String>,
    path: OsString,
    node_modules: PathBuf,
}

impl Installed {
    /// Lets a command find the installed programs.
    pub(crate) fn show_to(&self, command: &mut Command) {
        command.env("PATH", &self.path).env("NODE_PATH", &self.node_modules);
    }
}

/// Installs what is missing. Never fails: what can not be installed is reported.
pub(crate) fn run(workspace: &Workspace) -> Installed {
    let (npm, venv) = (workspace.target.join("npm"), workspace.target.join("venv"));
    let mut missing = debian(DEBIAN);
    missing.extend(packages(NPM, &npm.join("node_modules/.bin"), |wanted| npm_install(&npm, wanted)));
    missing.extend(packages(PYTHON, &venv.join("bin"), |wanted| pip_install(&venv, wanted)));
    let own = [npm.join("node_modules/.bin"), venv.join("bin")];
    let old = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(own.into_iter().chain(std::env::split_paths(&old))).unwrap_or(old);
    Installed { missing, path, node_modules: npm.join("node_modules") }
}

fn debian(wanted: &[Package]) -> Vec<String> {
    let is_absent = |package: &&Package| package.programs.iter().all(|name| program(name).is_none());
    let absent: Vec<&Package> = wanted.iter().filter(is_absent).collect();
    if absent.is_empty() {
        return Vec::new();
    }
    let names: Vec<&str> = absent.iter().map(|package| package.name).collect();
    if let Err(reason) = apt_update(&names) {
        return absent.into_iter().map(|package| report(package, &reason)).collect();
    }
    // One by one, so that a package this release does not have keeps none of the others away.
    let install = |package: &&Package| quietly(apt().args(["install", "--no-install-recommends", package.name])).err();
    let outcomes: Vec<_> = absent.iter().map(install).collect();
    let failed = absent.iter().zip(outcomes).filter(|(package, _)| is_absent(package));
    failed.map(|(package, reason)| report(package, reason.as_deref().unwrap_or(NOT_INSIDE))).collect()
}

/// Installs a Debian package that is not always wanted.
pub(crate) fn from_debian(name: &str) -> Result<(), String> {
    apt_update(&[name])?;
    quietly(apt().args(["install", "--no-install-recommends", name]))
}

/// Brings the package index up to date where this machine lets us; a failed update may still leave one that is good enough.
fn apt_update(wanted: &[&str]) -> Result<(), String> {
    if program("apt-get").is_none() {
        return Err("there is no apt-get".to_owned());
    }
    if !is_root() {
        return Err(format!("installing needs root; run `sudo apt-get install {}`", wanted.join(" ")));
    }
    if let Err(error) = quietly(apt().arg("update")) {
        println!("{error}");
    }
    Ok(())
}

fn apt() -> Command {
    let mut command = Command::new("apt-get");
    command.env("DEBIAN_FRONTEND", "noninteractive");
    command.args(["-qq", "--yes", "-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=30"]);
    command
}

/// Installs packages into a folder of the project and reports those whose program is still not there.
fn packages(wanted: &[Package], programs: &Path, install: impl Fn(&[Package]) -> Result<(), String>) -> Vec<String> {
    let absent = || wanted.iter().filter(|package| !package.programs.iter().any(|name| programs.join(name).exists()));
    if absent().next().is_none() {
        return Vec::new();
    }
    let outcome = install(wanted);
    let reason = outcome.as_ref().err().map_or(NOT_INSIDE, String::as_str);
    absent().map(|package| report(package, reason)).collect()
}

fn npm_install(folder: &Path, wanted: &[Package]) -> Result<(), String> {
    npm(folder, wanted.iter().map(|package| format!("{}@{}", package.name, package.version)))
}

fn pip_install(venv: &Path, wanted: &[Package]) -> Result<(), String> {
    python(venv, wanted.iter().map(|package| format!("{}=={}", package.name, package.version)))
}

/// Installs npm packages, each given as `name@version`, into a folder of the project.
pub(crate) fn npm(folder: &Path, pinned: impl Iterator<Item = String>) -> Result<(), String> {
    if program("npm").is_none() {
        return Err("there is no npm".to_owned());
    }
    std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    quietly(Command::new("npm").args(["install", "--no-audit", "--no-fund", "--prefix"]).arg(folder).args(pinned))
}

/// Installs Python packages, each given as `name==version`, into a virtual environment of the project.
pub(crate) fn python(venv: &Path, pinned: impl Iterator<Item = String>) -> Result<(), String> {
    let python = program("python3").ok_or("there is no python3")?;
    quietly(Command::new(python).args(["-m", "venv"]).arg(venv))?;
    quietly(Command::new(venv.join("bin/pip")).args(["install", "--quiet"]).args(pinned))
}

/// Installs into a folder unless it already holds what is wanted; `wanted` is remembered in the folder.
pub(crate) fn once(folder: &Path, wanted: &str, install: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    let memory = folder.join(".installed");
    if std::fs::read_to_string(&memory).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    install()?;
    std::fs::write(&memory, wanted).map_err(|error| error.to_string())
}

fn report(package: &Package, reason: &str) -> String {
    format!("{} is not installed ({reason}); skipped: {}", package.name, package.used_for)
}

/// Runs a command; an error holds the last line it wrote.
pub(crate) fn quietly(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{name}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let last = stderr.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no message");
    Err(format!("{name}: {}", last.trim()))
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output();
    output.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKAGE: Package =
        Package { name: "thing", version: "1.0.0", programs: &["no-such-program"], used_for: "tests of the thing" };

    #[test]
    fn a_failed_install_names_reason_and_skipped_tests() {
        let missing = packages(&[PACKAGE], Path::new("nowhere"), |_| Err("there is no npm".to_owned()));
        assert_eq!(missing, ["thing is not installed (there is no npm); skipped: tests of the thing"]);
    }

    #[test]
    fn an_install_that_brings_nothing_is_reported_too() {
        let missing = packages(&[PACKAGE], Path::new("nowhere"), |_| Ok(()));
        assert_eq!(missing.len(), 1);
    }

    #[test]
    fn nothing_is_installed_when_nothing_is_wanted() {
        let missing = packages(&[], Path::new("nowhere"), |_| panic!("must not be called"));
        assert!(missing.is_empty());
    }

    #[test]
    fn what_is_there_is_not_installed_again() {
        let folder = std::env::temp_dir().join(format!("xtask-install-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        assert_eq!(once(&folder, "a 1", || Err("no network".to_owned())), Err("no network".to_owned()));
        assert_eq!(once(&folder, "a 1", || Ok(())), Ok(()));
        assert_eq!(once(&folder, "a 1", || panic!("must not be called")), Ok(()));
        assert_eq!(once(&folder, "a 2", || Err("again".to_owned())), Err("again".to_owned()));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn errors_show_the_last_words_of_a_command() {
        let error = quietly(Command::new("sh").args(["-c", "echo first >&2; echo last >&2; exit 1"])).unwrap_err();
        assert_eq!(error, "sh: last");
        assert!(quietly(&mut Command::new("no-such-program")).is_err());
    }
}
