//! Directories that the client names as its roots.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::beneath::Dir;
use super::directories::{Directories, Directory};
use super::path_text;

/// What the roots of a client mean for the directories that were given at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum RootsPolicy {
    /// They replace them, as in the original.
    #[default]
    Replace,
    /// They narrow them: what lies in both is allowed.
    Within,
    /// They do not count.
    Ignore,
}

impl Directories {
    /// Returns the directories that the roots of a client leave or make; `None` if no root can be used.
    pub(crate) fn with_roots(&self, uris: &[String], policy: RootsPolicy) -> Option<Self> {
        let reals = uris.iter().filter_map(|uri| real_path(uri));
        let list: Vec<Directory> = match policy {
            RootsPolicy::Ignore => return None,
            RootsPolicy::Replace => reals.filter_map(|real| self.opened(real)).collect(),
            RootsPolicy::Within => reals.flat_map(|real| self.narrowed(&real)).collect(),
        };
        (!list.is_empty()).then(|| Self::from_list(list))
    }

    /// Opens a root. One in a directory that was given read-only is read-only.
    fn opened(&self, real: PathBuf) -> Option<Directory> {
        let dir = Arc::new(Dir::open_ambient(&real).ok()?);
        let read_only = self.holding(&real).is_some_and(|directory| directory.read_only);
        Some(Directory { path: real.clone(), real, dir, read_only })
    }

    /// Returns what lies in a root and in a directory that was given: the root, or such directories.
    fn narrowed(&self, real: &Path) -> Vec<Directory> {
        let Some(directory) = self.holding(real) else {
            let inside = self.list().iter().filter(|directory| path_text::is_inside(&directory.real, real));
            return inside.cloned().collect();
        };
        let relative = real.strip_prefix(&directory.real).unwrap_or(Path::new(""));
        // Through the handle of the directory that was given, so that it cannot lead out.
        let Ok(dir) = directory.dir.dir(relative) else { return Vec::new() };
        vec![Directory { path: real.to_owned(), real: real.to_owned(), dir: Arc::new(dir), ..*directory }]
    }
}

/// Returns the real path of a root that is a directory.
fn real_path(uri: &str) -> Option<PathBuf> {
    let path = if uri.starts_with("file://") { path_of_uri(uri)? } else { uri.to_owned() };
    let real = std::fs::canonicalize(path_text::absolute(&path_text::expand_home(&path))).ok()?;
    real.is_dir().then_some(real)
}

/// Returns the path of a `file:` URI on this machine.
fn path_of_uri(uri: &str) -> Option<String> {
    let rest = uri.strip_prefix("file://")?;
    let (host, path) = rest.split_at(rest.find('/')?);
    if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
        return None;
    }
    let path = path.split(['?', '#']).next()?;
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2)?;
        let byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
        // A slash that is escaped belongs to a name, and no name has one.
        if byte == b'/' {
            return None;
        }
        bytes.push(byte);
        rest = after;
    }
    let path = String::from_utf8(bytes).ok()?;
    // On Windows the slash before a drive is not part of the path.
    let drive = path.strip_prefix('/').filter(|path| cfg!(windows) && path_text::is_drive_path(Path::new(path)));
    Some(drive.map(str::to_owned).unwrap_or(path))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::filesystem::media::file_uri;
    use crate::filesystem::test_directory::TestDirectory;

    fn given(arguments: &[PathBuf]) -> Directories {
        Directories::open(arguments.iter().map(|path| path.to_str().unwrap()), |_| {}).unwrap()
    }

    fn paths(directories: Option<Directories>) -> Vec<PathBuf> {
        directories.iter().flat_map(Directories::paths).map(|(path, _)| path.to_owned()).collect()
    }

    #[test]
    fn uris_are_decoded() {
        assert_eq!(path_of_uri("file:///a%20b/%C5%82?x#y").as_deref(), Some("/a b/ł"));
        assert_eq!(path_of_uri("file://localhost/a").as_deref(), Some("/a"));
        for bad in ["file://host/a", "file:///a%2Fb", "file:///a%", "file:///a%zz", "file:///%ff", "file://"] {
            assert_eq!(path_of_uri(bad), None, "{bad}");
        }
    }

    #[test]
    fn roots_replace_narrow_or_do_not_count() {
        let directory = TestDirectory::new();
        for path in ["a/x", "b", "c d"] {
            directory.write(&format!("{path}/f"), "");
        }
        let at = |path: &str| directory.path().join(path);
        let given = given(&[at("a"), at("b")]);
        let uris = |paths: &[&str]| -> Vec<String> { paths.iter().map(|path| file_uri(&at(path))).collect() };
        let with = |paths_of_roots: &[&str], policy| paths(given.with_roots(&uris(paths_of_roots), policy));
        assert_eq!(with(&["c d", "none", "a/f"], RootsPolicy::Replace), [at("c d")]);
        assert_eq!(with(&["a/x", "c d"], RootsPolicy::Within), [at("a/x")]);
        // A root around the directories leaves them as they are.
        assert_eq!(with(&[""], RootsPolicy::Within), [at("a"), at("b")]);
        for (roots, policy) in [
            (&["c d"][..], RootsPolicy::Within),
            (&["none"][..], RootsPolicy::Replace),
            (&[][..], RootsPolicy::Replace),
            (&["c d"][..], RootsPolicy::Ignore),
        ] {
            assert!(given.with_roots(&uris(roots), policy).is_none());
        }
    }

    #[test]
    fn a_root_in_a_read_only_directory_is_read_only() {
        let directory = TestDirectory::new();
        directory.write("a/x/f", "");
        let argument = format!("{}:ro", directory.path().join("a").display());
        let given = Directories::open([argument], |_| {}).unwrap();
        let uri = file_uri(&directory.path().join("a/x"));
        for policy in [RootsPolicy::Replace, RootsPolicy::Within] {
            assert!(given.with_roots(std::slice::from_ref(&uri), policy).unwrap().list()[0].read_only);
        }
    }
}
