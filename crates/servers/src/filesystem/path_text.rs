//! Paths as text: what a path means before anything is looked up.
//!
//! Nothing here decides about access. The text says which allowed directory is meant; the kernel then opens beneath its handle.

use std::path::{Component, Path, PathBuf};

/// Expands `~` and `~/…` to the home directory.
pub(crate) fn expand_home(text: &str) -> PathBuf {
    let rest = match text.strip_prefix('~') {
        Some("") => "",
        Some(rest) if rest.starts_with('/') => rest.trim_start_matches('/'),
        _ => return text.into(),
    };
    std::env::home_dir().map_or_else(|| text.into(), |home| home.join(rest))
}

/// Whether a path names a Windows drive: `X:`, `X:\…` or `X:/…`.
pub(crate) fn is_drive_path(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    matches!(bytes, [drive, b':'] | [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic())
}

/// Joins a path to an absolute directory and removes `.`, `..`, repeated and final separators, by text alone.
pub(crate) fn resolved(directory: &Path, path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in directory.join(path).components() {
        match component {
            Component::CurDir => {}
            // At the root it stays there.
            Component::ParentDir => {
                result.pop();
            }
            component => result.push(component),
        }
    }
    result
}

/// Makes an absolute path of one that may be relative to the working directory.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    let working_directory = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    resolved(&working_directory, path)
}

/// Whether a path is the directory or lies below it, by whole components. A path with a NUL lies nowhere.
pub(crate) fn is_inside(path: &Path, directory: &Path) -> bool {
    path.starts_with(directory) && !path.as_os_str().as_encoded_bytes().contains(&0)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_resolved_by_its_text() {
        let of = |path: &str| resolved(Path::new("/data/a"), Path::new(path));
        for (path, expected) in [
            ("x.txt", "/data/a/x.txt"),
            ("./b//c/", "/data/a/b/c"),
            ("../b", "/data/b"),
            ("../../../../etc", "/etc"),
            ("/etc/../etc/./passwd", "/etc/passwd"),
            ("", "/data/a"),
        ] {
            assert_eq!(of(path), Path::new(expected), "{path}");
        }
    }

    /// CVE-2025-53110: a comparison of texts lets `/a/allowed_evil` pass for `/a/allowed`.
    #[test]
    fn a_shared_prefix_is_not_inside() {
        let inside = |path: &str| is_inside(Path::new(path), Path::new("/a/allowed"));
        assert!(inside("/a/allowed"));
        assert!(inside("/a/allowed/b"));
        assert!(!inside("/a/allowed_evil/b"));
        assert!(!inside("/a/allowed "));
        assert!(!inside("/a"));
        assert!(!inside("/a/allowed/x\0y"));
        assert!(is_inside(Path::new("/etc"), Path::new("/")));
    }

    #[test]
    fn drive_paths_are_recognised() {
        for drive in ["C:", "c:/x", "Z:\\x"] {
            assert!(is_drive_path(Path::new(drive)), "{drive}");
        }
        for other in ["C:x", "CC:/", "1:/", "/C:/", "", "a"] {
            assert!(!is_drive_path(Path::new(other)), "{other}");
        }
    }

    #[test]
    fn only_a_tilde_of_ones_own_is_expanded() {
        let home = std::env::home_dir().unwrap();
        assert_eq!(expand_home("~"), home);
        assert_eq!(expand_home("~//a/b"), home.join("a/b"));
        assert_eq!(expand_home("~other/a"), Path::new("~other/a"));
        assert_eq!(expand_home("a/~"), Path::new("a/~"));
    }
}
