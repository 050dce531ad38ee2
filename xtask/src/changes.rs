//! Which parts of the project a change can have touched.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::workspace::{Package, Workspace};

/// Branches that changes are merged into.
const MAIN_BRANCHES: [&str; 4] = ["origin/main", "main", "origin/master", "master"];

/// Files that decide how everything is built and checked. Most of `xtask` belongs to single parts, which name it themselves.
const GLOBAL: &[&str] =
    &["Cargo.toml", "Cargo.lock", ".cargo", ".ci", ".config", "clippy.toml", "rust-toolchain.toml", "xtask/Cargo.toml"];
const GLOBAL_TASKS: &[&str] =
    &["changes", "child", "install", "main", "node", "parallel", "pinned", "steps", "verify", "workspace"];

/// All packages, and their tests.
pub(crate) const ANY: &[&str] = &["*"];

/// The change since some commit.
#[derive(Debug)]
pub(crate) struct Change {
    /// The commit, shortened.
    pub(crate) base: String,
    files: Vec<PathBuf>,
    /// The packages with a changed source, and those that depend on them, their tests included.
    packages: BTreeSet<String>,
    /// The packages with a changed test.
    tests: BTreeSet<String>,
}

impl Change {
    /// Finds the change since the commit in `CI_BASE`, or since this branch left the main branch. `None` if there is no such commit:
    /// on the main branch itself, or outside of a git checkout.
    pub(crate) fn find(workspace: &Workspace) -> Result<Option<Self>> {
        let named = std::env::var("CI_BASE").ok().filter(|base| !base.is_empty());
        let base = match &named {
            Some(base) => {
                let commit = git(workspace, &["rev-parse", "--verify", &format!("{base}^{{commit}}")]);
                Some(
                    commit
                        .with_context(|| format!("the variable CI_BASE names {base:?}, which is not a commit here"))?,
                )
            }
            None => fork_point(workspace),
        };
        let Some(base) = base else { return Ok(None) };
        let changed = git(workspace, &["diff", "--name-only", "--no-renames", "-z", &base])?;
        let new = git(workspace, &["ls-files", "--others", "--exclude-standard", "-z"])?;
        let names = changed.split('\0').chain(new.split('\0')).filter(|name| !name.is_empty());
        let files = names.map(PathBuf::from).collect();
        Ok(Some(Self::new(base[..base.len().min(12)].to_owned(), files, &workspace.root, &workspace.packages)))
    }

    fn new(base: String, files: Vec<PathBuf>, root: &Path, packages: &[Package]) -> Self {
        let folder = |package: &Package| {
            let folder = package.manifest_path.parent().unwrap_or(root);
            folder.strip_prefix(root).unwrap_or(folder).to_owned()
        };
        let (mut touched, mut tests) = (BTreeSet::new(), BTreeSet::new());
        for file in &files {
            // The longest folder wins: a package may lie inside of another.
            let owners = packages.iter().filter(|package| file.starts_with(folder(package)));
            let Some(owner) = owners.max_by_key(|package| folder(package).as_os_str().len()) else { continue };
            let within = file.strip_prefix(folder(owner)).unwrap_or(file);
            if within.starts_with("tests") {
                tests.insert(owner.name.clone());
            } else if within.starts_with("src") || within.extension().is_none_or(|extension| extension != "md") {
                touched.insert(owner.name.clone());
            }
        }
        loop {
            let depends = |package: &&Package| package.dependencies.iter().any(|to| touched.contains(&to.name));
            let further: Vec<String> = packages.iter().filter(depends).map(|package| package.name.clone()).collect();
            let before = touched.len();
            touched.extend(further);
            if touched.len() == before {
                return Self { base, files, packages: touched, tests };
            }
        }
    }

    /// Says whether anything was changed that the named packages are built from, or anything below the named paths. [`ANY`] stands for
    /// all packages and their tests.
    pub(crate) fn touches(&self, packages: &[&str], paths: &[&str]) -> bool {
        let is_global = |file: &PathBuf| {
            let task = |name: &&str| *file == Path::new("xtask/src").join(name).with_extension("rs");
            GLOBAL.iter().any(|path| file.starts_with(path)) || GLOBAL_TASKS.iter().any(&task)
        };
        self.files.iter().any(is_global)
            || (packages == ANY && !(self.packages.is_empty() && self.tests.is_empty()))
            || packages.iter().any(|name| self.packages.contains(*name))
            || self.files.iter().any(|file| paths.iter().any(|path| file.starts_with(path)))
    }
}

fn fork_point(workspace: &Workspace) -> Option<String> {
    let head = git(workspace, &["rev-parse", "HEAD"]).ok()?;
    let bases = MAIN_BRANCHES.iter().filter_map(|branch| git(workspace, &["merge-base", "HEAD", branch]).ok());
    // A base that is this very commit tells nothing: then this is the main branch.
    bases.into_iter().next().filter(|base| *base != head)
}

fn git(workspace: &Workspace, arguments: &[&str]) -> Result<String> {
    let output = Command::new("git").current_dir(&workspace.root).args(arguments).output()?;
    ensure!(output.status.success(), "git {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim());
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Dependency;

    fn package(name: &str, folder: &str, dependencies: &[&str]) -> Package {
        let dependency = |name: &&str| Dependency { name: (*name).into(), kind: None };
        Package {
            features: Default::default(),
            name: name.into(),
            manifest_path: Path::new("/p").join(folder).join("Cargo.toml"),
            dependencies: dependencies.iter().map(dependency).collect(),
            publish: None,
        }
    }

    fn change(files: &[&str]) -> Change {
        let packages = [
            package("peer", "crates/peer", &[]),
            package("server", "crates/server", &["peer"]),
            package("cli", "crates/cli", &["server"]),
            package("rdf", "crates/rdf", &[]),
            package("xtask", "xtask", &[]),
        ];
        Change::new("base".into(), files.iter().map(PathBuf::from).collect(), Path::new("/p"), &packages)
    }

    #[test]
    fn a_package_touches_those_that_depend_on_it() {
        let change = change(&["crates/peer/src/lib.rs"]);
        assert!(change.touches(&["peer"], &[]) && change.touches(&["cli"], &[]));
        assert!(!change.touches(&["rdf"], &[]));
    }

    #[test]
    fn paths_and_global_files_touch_too() {
        assert!(change(&["fuzz/corpus/x"]).touches(&[], &["fuzz"]));
        assert!(!change(&["xtask/src/fuzz.rs"]).touches(&["cli"], &["fuzz"]));
        for global in ["Cargo.lock", ".cargo/config.toml", "xtask/src/steps.rs"] {
            assert!(change(&[global]).touches(&["rdf"], &[]), "{global}");
        }
    }

    #[test]
    fn a_test_touches_only_what_runs_all_tests() {
        let change = change(&["crates/peer/tests/it/main.rs"]);
        assert!(change.touches(ANY, &[]) && !change.touches(&["peer", "cli"], &[]));
        assert!(change.touches(&[], &["crates/peer/tests"]));
    }

    #[test]
    fn documents_touch_no_package_unless_they_are_compiled_in() {
        assert!(!change(&["README.md", "crates/peer/notes.md"]).touches(&["cli", "rdf"], &["fuzz"]));
        assert!(change(&["crates/peer/src/page.md"]).touches(&["cli"], &[]));
        assert!(change(&["README.md"]).touches(&[], &["README.md"]));
    }
}
