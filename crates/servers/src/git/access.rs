//! Which repositories may be used: those that were named at start, or all of the user.

use std::{
    io,
    path::{Component, Path, PathBuf},
};

use super::{
    failure::{Failure, Result},
    git_dir::{self, GitDir},
};

/// The repositories that calls may name. It is fixed at start; no argument widens it.
#[derive(Debug, Clone, Default)]
pub struct Access {
    allowed: Vec<AllowedRepository>,
}

/// One `--repository`.
#[derive(Debug, Clone)]
struct AllowedRepository {
    /// The root of its working tree, as messages show it.
    shown: PathBuf,
    /// The same with links resolved.
    root: PathBuf,
    /// Git directories outside `root` that belong to it: those of a linked worktree or a submodule, which name it in turn.
    outside: Vec<PathBuf>,
}

/// Why a `--repository` cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RepositoryError {
    /// There is nothing at the path.
    #[error("{} does not exist", .0.display())]
    Missing(PathBuf),
    /// Neither the path nor a parent is a repository.
    #[error("{} is not a valid Git repository", .0.display())]
    Invalid(PathBuf),
}

impl Access {
    /// Every repository that the user could open with git.
    pub fn unrestricted() -> Self {
        Self::default()
    }

    /// Only these: for each path the enclosing working tree.
    pub fn confined(paths: impl IntoIterator<Item = PathBuf>) -> Result<Self, RepositoryError> {
        let allowed = paths.into_iter().map(AllowedRepository::enclosing).collect::<Result<_, _>>()?;
        Ok(Self { allowed })
    }

    /// Whether calls are confined to named repositories.
    pub fn is_confined(&self) -> bool {
        !self.allowed.is_empty()
    }

    /// Fails if the path, links resolved, does not lie in an allowed repository.
    pub(super) fn check_path(&self, given: &Path) -> Result<()> {
        if !self.is_confined() {
            return Ok(());
        }
        let real = resolved(given).map_err(|_| Failure::new(format!("Invalid path: {}", given.display())))?;
        if self.allowed.iter().any(|allowed| real.starts_with(&allowed.root)) {
            return Ok(());
        }
        Err(self.outside(given, ""))
    }

    /// Fails if a directory or file that belongs to the opened repository lies elsewhere.
    pub(super) fn check_part(&self, given: &Path, part: &Path) -> Result<()> {
        if !self.is_confined() {
            return Ok(());
        }
        let inside = |real: PathBuf| {
            self.allowed.iter().any(|allowed| {
                real.starts_with(&allowed.root) || allowed.outside.iter().any(|outside| real.starts_with(outside))
            })
        };
        if part.canonicalize().is_ok_and(inside) {
            return Ok(());
        }
        Err(self.outside(given, ": a part of it leads elsewhere"))
    }

    fn outside(&self, given: &Path, detail: &str) -> Failure {
        let allowed: Vec<_> = self.allowed.iter().map(|allowed| format!("'{}'", allowed.shown.display())).collect();
        Failure::new(format!(
            "Repository path '{}' is outside the allowed repository {}{detail}",
            given.display(),
            allowed.join(", ")
        ))
    }
}

impl std::fmt::Display for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.is_confined() {
            return f.write_str("Using any repository");
        }
        let shown: Vec<_> = self.allowed.iter().map(|allowed| allowed.shown.display().to_string()).collect();
        write!(f, "Using repository at {}", shown.join(", "))
    }
}

impl AllowedRepository {
    fn enclosing(path: PathBuf) -> Result<Self, RepositoryError> {
        let shown = expanded(&path).map_err(|_| RepositoryError::Missing(path.clone()))?;
        if !shown.exists() {
            return Err(RepositoryError::Missing(path));
        }
        let found = shown.ancestors().find_map(|root| Some((root, git_dir::find(root)?)));
        let Some((root, git_dir)) = found else { return Err(RepositoryError::Invalid(path)) };
        let real = root.canonicalize().map_err(|_| RepositoryError::Missing(path.clone()))?;
        let outside = git_directories_that_name(&git_dir, &real);
        Ok(Self { shown: root.to_owned(), root: real, outside })
    }
}

/// The git directories of a linked worktree or submodule that lie outside its root. They count only if they name the root
/// themselves: a `.git` file alone may have been written by anyone who can write into the working tree.
fn git_directories_that_name(git_dir: &GitDir, root: &Path) -> Vec<PathBuf> {
    let Ok(real) = git_dir.path.canonicalize() else { return Vec::new() };
    if real.starts_with(root) || !git_dir::names_worktree(&real, root) {
        return Vec::new();
    }
    let common = git_dir::common_dir(&real).and_then(|common| common.canonicalize().ok());
    std::iter::once(real).chain(common).collect()
}

/// An absolute path without `.`, `..` and a leading `~`; links are left as they are.
pub(super) fn expanded(path: &Path) -> io::Result<PathBuf> {
    let path = match path.strip_prefix("~") {
        Ok(rest) => std::env::home_dir().map_or_else(|| path.to_owned(), |home| home.join(rest)),
        Err(_) => path.to_owned(),
    };
    Ok(normalized(&std::path::absolute(if path.as_os_str().is_empty() { Path::new(".") } else { &path })?))
}

fn normalized(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

/// The path with links resolved; what does not exist is appended as it is.
pub(super) fn resolved(path: &Path) -> io::Result<PathBuf> {
    let mut existing = std::path::absolute(if path.as_os_str().is_empty() { Path::new(".") } else { path })?;
    let mut rest = Vec::new();
    // Each link to nowhere takes one step; a chain of them has to end.
    let mut links = 0;
    loop {
        match existing.canonicalize() {
            Ok(mut real) => {
                real.extend(rest.iter().rev());
                return Ok(normalized(&real));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if let Ok(target) = existing.read_link() {
                    links += 1;
                    if links > 40 {
                        return Err(error);
                    }
                    existing.pop();
                    existing.push(target);
                    continue;
                }
                let name = existing.file_name().map(ToOwned::to_owned);
                rest.push(name.unwrap_or_else(|| "..".into()));
                if !existing.pop() {
                    return Err(error);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                rest.push(existing.file_name().ok_or(error)?.to_owned());
                existing.pop();
            }
            Err(error) => return Err(error),
        }
    }
}
