//! Brings what the tests need onto the machine, as far as that is possible without asking.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::pinned::Pinned;
use crate::workspace::{Workspace, program};

/// Programs from Debian packages that tests start.
pub(crate) const FOR_TESTS: &[Package] = &[
    REDIS,
    Package { name: "chromium", programs: &["chromium"], used_for: "login and consent pages in a browser" },
    Package { name: "chromium-driver", programs: &["chromedriver"], used_for: "driving that browser" },
    Package { name: "gnome-keyring", programs: &["gnome-keyring-daemon"], used_for: "logins with a keyring" },
];

/// Programs from Debian packages that `cargo xtask verify` needs besides.
pub(crate) const FOR_SLOW_CHECKS: &[Package] = &[
    Package { name: "valgrind", programs: &["valgrind"], used_for: "instruction and allocation counts" },
    Package { name: "strace", programs: &["strace"], used_for: "system call counts" },
    Package { name: "g++", programs: &["c++"], used_for: "the fuzzer, which is C++" },
];

/// The package `redis-server` would start a service; the program itself is in this one, by another name.
const REDIS: Package = Package {
    name: "redis-tools",
    programs: &["redis-server", "valkey-server", "redis-check-rdb"],
    used_for: "stores in Redis",
};

/// Returns the programs that tests start and that are installed.
pub(crate) fn programs_for_tests() -> Vec<PathBuf> {
    FOR_TESTS.iter().flat_map(|package| package.programs).filter_map(|name| program(name)).collect()
}

/// Says whether there is a Redis to start.
pub(crate) fn has_redis() -> bool {
    REDIS.programs.iter().any(|name| program(name).is_some())
}

/// A package, and the programs of which tests start one.
#[derive(Debug)]
pub(crate) struct Package {
    name: &'static str,
    /// Any of them will do; the package brings the last.
    programs: &'static [&'static str],
    used_for: &'static str,
}

const NOT_INSIDE: &str = "its package does not contain it";

/// Installs what is missing. Never fails: returns a line for each package that could not be installed, with the reason and what is
/// therefore skipped.
pub(crate) fn debian(wanted: &[Package]) -> Vec<String> {
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

/// Installs an npm package into a folder of the project, unless it is there already.
pub(crate) fn npm_once(folder: &Path, package: &Pinned) -> Result<(), String> {
    let pinned = package.requirement();
    once(folder, &pinned, || {
        if program("npm").is_none() {
            return Err("there is no npm".to_owned());
        }
        std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        quietly(Command::new("npm").args(["install", "--no-audit", "--no-fund", "--prefix"]).arg(folder).arg(&pinned))
    })
}

/// Installs a program of cargo into a folder of the project, unless it is there already, and returns its path. Built without
/// optimization: it is used for minutes, and builds for as long.
pub(crate) fn cargo_once(workspace: &Workspace, package: &Pinned) -> Result<PathBuf, String> {
    let folder = workspace.target.join(package.name);
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    once(&folder, package.version, || {
        println!("installing {}", package.label);
        let mut command = workspace.cargo();
        command.args(["install", &package.requirement(), "--locked", "--force", "--debug", "--root"]);
        let built = quietly(command.arg(&folder).arg("--target-dir").arg(folder.join("build")));
        // Only the program is needed from now on; without the folder there is nothing to delete.
        let _ = std::fs::remove_dir_all(folder.join("build"));
        built.map_err(|reason| format!("{} is not installed ({reason})", package.name))
    })?;
    Ok(folder.join("bin").join(package.name))
}

/// Installs Python packages into a virtual environment of the project, unless they are there already.
pub(crate) fn python_once(venv: &Path, packages: &[&Pinned]) -> Result<(), String> {
    let pinned: Vec<String> = packages.iter().map(|package| package.requirement()).collect();
    once(venv, &pinned.join(" "), || python(venv, pinned.iter().cloned()))
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

    #[test]
    fn what_is_missing_is_told_with_its_reason() {
        let package = Package { name: "thing", programs: &["no-such-program"], used_for: "tests of the thing" };
        let told = report(&package, "there is no apt-get");
        assert_eq!(told, "thing is not installed (there is no apt-get); skipped: tests of the thing");
        assert!(debian(&[]).is_empty());
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
