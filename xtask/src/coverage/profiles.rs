//! The files into which programs with counters write what they reached.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Result;

use crate::workspace::Workspace;

/// Beginnings of file names: of what was written while building, and while testing.
const BUILD: &str = "build";
const TEST: &str = "test";

/// Where the files lie.
#[derive(Debug)]
pub(super) struct Profiles {
    folder: PathBuf,
    /// The folders in which tests run. A child with an empty environment leaves its file there.
    packages: Vec<PathBuf>,
}

impl Profiles {
    pub(super) fn new(workspace: &Workspace, folder: &Path) -> Self {
        let manifests = workspace.packages.iter().map(|package| &package.manifest_path);
        let packages = manifests.filter_map(|manifest| manifest.parent()).map(Path::to_owned).collect();
        Self { folder: folder.to_owned(), packages }
    }

    /// The name of the files of macros, which run inside of the compiler: one for each version of them.
    pub(super) fn of_builds(&self) -> PathBuf {
        self.folder.join(format!("{BUILD}-%m.profraw"))
    }

    /// The name of the files of tests and of the programs they start. Some of these are killed, so that each has its own.
    pub(super) fn of_tests(&self) -> PathBuf {
        self.folder.join(format!("{TEST}-%p-%m.profraw"))
    }

    /// Deletes what earlier tests have left.
    pub(super) fn clear(&self) -> Result<()> {
        for path in profiles(&self.folder)?.into_iter().filter(|path| !name(path).starts_with(BUILD)) {
            std::fs::remove_file(path)?;
        }
        for path in self.strays()? {
            std::fs::remove_file(path)?;
        }
        Ok(())
    }

    /// Deletes what macros wrote before they were built for the last time. What they wrote since is kept: crates that did not
    /// change are not compiled again.
    pub(super) fn forget_old_macros(&self) -> Result<()> {
        let built = self.macros_built_at()?;
        for path in profiles(&self.folder)?.into_iter().filter(|path| name(path).starts_with(BUILD)) {
            if path.metadata()?.modified()? < built {
                std::fs::remove_file(path)?;
            }
        }
        Ok(())
    }

    /// Brings the files together.
    pub(super) fn gather(&self) -> Result<()> {
        for (number, path) in self.strays()?.into_iter().enumerate() {
            std::fs::rename(path, self.folder.join(format!("stray-{number}.profraw")))?;
        }
        Ok(())
    }

    fn strays(&self) -> Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        for package in &self.packages {
            found.extend(profiles(package)?);
        }
        Ok(found)
    }

    fn macros_built_at(&self) -> Result<SystemTime> {
        let mut last = SystemTime::UNIX_EPOCH;
        for entry in self.folder.join("debug/deps").read_dir()? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().contains("jackfield_macros-") {
                last = last.max(entry.metadata()?.modified()?);
            }
        }
        Ok(last)
    }
}

fn profiles(folder: &Path) -> Result<Vec<PathBuf>> {
    let paths: Result<Vec<PathBuf>, _> = folder.read_dir()?.map(|entry| entry.map(|entry| entry.path())).collect();
    Ok(paths?.into_iter().filter(|path| path.extension() == Some(OsStr::new("profraw"))).collect())
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(OsStr::to_str).unwrap_or_default()
}
