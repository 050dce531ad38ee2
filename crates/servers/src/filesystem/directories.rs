//! The directories that calls may touch, each as an open handle.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::beneath::Dir;
use super::path_text;

/// The directories that calls may touch.
///
/// Each is opened once, when it is named, and everything below it is reached through that handle. A directory that is replaced by
/// another one of the same name is therefore not the one that was allowed.
#[derive(Clone, Debug, Default)]
pub struct Directories {
    list: Vec<Directory>,
}

/// One allowed directory.
#[derive(Clone, Debug)]
pub(crate) struct Directory {
    /// The path that it is shown as and that arguments may begin with.
    pub(crate) path: PathBuf,
    /// The path with links resolved.
    pub(crate) real: PathBuf,
    pub(crate) dir: Arc<Dir>,
    pub(crate) read_only: bool,
}

/// All directories that were given cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Error: None of the specified directories are accessible")]
pub struct NoneAccessible;

impl Directories {
    /// Opens directories as the command line names them: `~` is the home directory, `DIR:ro` is read-only. A directory given through
    /// a link is allowed under both paths. `warn` is told about each one that cannot be used.
    ///
    /// # Errors
    /// Some were given, and none can be used.
    pub fn open<T: AsRef<str>>(
        arguments: impl IntoIterator<Item = T>,
        mut warn: impl FnMut(String),
    ) -> Result<Self, NoneAccessible> {
        let mut list = Vec::new();
        let mut any_given = false;
        for argument in arguments {
            any_given = true;
            match opened(argument.as_ref()) {
                Ok(directories) => list.extend(directories),
                Err(warning) => warn(warning),
            }
        }
        if any_given && list.is_empty() { Err(NoneAccessible) } else { Ok(Self { list }) }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns each path that is allowed, and whether it is read-only.
    pub fn paths(&self) -> impl Iterator<Item = (&Path, bool)> {
        self.list.iter().map(|directory| (directory.path.as_path(), directory.read_only))
    }

    pub(crate) fn from_list(list: Vec<Directory>) -> Self {
        Self { list }
    }

    pub(crate) fn list(&self) -> &[Directory] {
        &self.list
    }

    /// Whether a path lies in one of them, by its text.
    pub(crate) fn contain(&self, path: &Path) -> bool {
        self.list.iter().any(|directory| path_text::is_inside(path, &directory.path))
    }

    /// Returns the innermost directory that a path with resolved links lies in.
    pub(crate) fn holding(&self, real: &Path) -> Option<&Directory> {
        let inside = self.list.iter().filter(|directory| path_text::is_inside(real, &directory.real));
        inside.max_by_key(|directory| directory.real.components().count())
    }

    /// Whether one of them is the path or lies below it, so that moving or removing the path would take it away.
    pub(crate) fn any_beneath(&self, real: &Path) -> bool {
        self.list.iter().any(|directory| path_text::is_inside(&directory.real, real))
    }

    /// Returns their paths as error messages show them.
    pub(crate) fn shown(&self) -> String {
        let paths: Vec<_> = self.list.iter().map(|directory| directory.path.display().to_string()).collect();
        paths.join(", ")
    }
}

/// Opens one directory of the command line: under its own path, and under its real one if that differs.
fn opened(argument: &str) -> Result<Vec<Directory>, String> {
    let whole = path_text::absolute(&path_text::expand_home(argument));
    // A directory whose name ends in `:ro` keeps its name.
    let (path, read_only) = match argument.strip_suffix(":ro") {
        Some(rest) if !whole.is_dir() => (path_text::absolute(&path_text::expand_home(rest)), true),
        _ => (whole, false),
    };
    let inaccessible = |_| format!("Warning: Cannot access directory {}, skipping", path.display());
    let real = std::fs::canonicalize(&path).map_err(inaccessible)?;
    if !std::fs::metadata(&real).map_err(inaccessible)?.is_dir() {
        return Err(format!("Warning: {} is not a directory, skipping", path.display()));
    }
    let dir = Arc::new(Dir::open_ambient(&real).map_err(inaccessible)?);
    let directory = Directory { path: real.clone(), real: real.clone(), dir, read_only };
    let given = (path != real).then(|| Directory { path, ..directory.clone() });
    Ok(given.into_iter().chain([directory]).collect())
}
