//! Where the git directory of a working tree is.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Files that only name a path are short; longer ones are not read.
const LONGEST_POINTER: u64 = 64 * 1024;

/// A git directory as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GitDir {
    pub(super) path: PathBuf,
    /// It is the directory itself rather than one that belongs to a working tree.
    pub(super) bare: bool,
}

/// The git directory of `root`: its `.git`, what a `.git` file names, or `root` itself. Parents are not searched.
pub(super) fn find(root: &Path) -> Option<GitDir> {
    let dot_git = root.join(".git");
    let metadata = fs::metadata(&dot_git);
    if let Ok(metadata) = &metadata
        && metadata.is_file()
    {
        let named = read_pointer(&dot_git)?;
        let path = root.join(named.strip_prefix("gitdir: ")?);
        return is_git_dir(&path).then_some(GitDir { path, bare: false });
    }
    if metadata.is_ok() && is_git_dir(&dot_git) {
        return Some(GitDir { path: dot_git, bare: false });
    }
    is_git_dir(root).then(|| GitDir { path: root.to_owned(), bare: true })
}

/// The working tree that a git directory lies in, by its name: the original takes both for the root of the repository.
pub(super) fn worktree_of(path: &Path) -> Option<&Path> {
    let root = path.parent().filter(|_| path.file_name().is_some_and(|name| name == ".git"))?;
    find(root).filter(|found| found.path == path).map(|_| root)
}

/// The directory that has the objects and branches of a linked worktree's git directory.
pub(super) fn common_dir(git_dir: &Path) -> Option<PathBuf> {
    Some(git_dir.join(read_pointer(&git_dir.join("commondir"))?))
}

/// Whether a git directory says of itself that `root` is its working tree.
pub(super) fn names_worktree(git_dir: &Path, root: &Path) -> bool {
    let linked = || git_dir.join(read_pointer(&git_dir.join("gitdir"))?).canonicalize().ok();
    if linked().is_some_and(|dot_git| dot_git.parent() == Some(root)) {
        return true;
    }
    configured_worktree(git_dir).is_some_and(|worktree| worktree.canonicalize().is_ok_and(|real| real == root))
}

/// The working tree that the configuration of a git directory names (`core.worktree`).
pub(super) fn configured_worktree(git_dir: &Path) -> Option<PathBuf> {
    let config = git_dir.join("config");
    let file = gix::config::File::from_path_no_includes(config, gix::config::Source::Local).ok()?;
    let worktree = file.string("core.worktree")?;
    Some(git_dir.join(gix::path::from_bstr(std::borrow::Cow::Owned(worktree)).ok()?))
}

fn is_git_dir(path: &Path) -> bool {
    let store = |directory: &Path| directory.join("objects").is_dir() && directory.join("refs").is_dir();
    let has_head = path.join("HEAD").symlink_metadata().is_ok();
    has_head && (store(path) || common_dir(path).is_some_and(|common| store(&common)))
}

fn read_pointer(path: &Path) -> Option<String> {
    let metadata = fs::metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > LONGEST_POINTER {
        return None;
    }
    Some(fs::read_to_string(path).ok()?.trim_end_matches(['\r', '\n']).to_owned())
}
