//! Paths as people write them in a client's configuration, where no shell expands them.

use std::path::{Path, PathBuf};

/// Replaces `~` at the beginning of a path by the home directory.
pub(super) fn expand_home(path: PathBuf) -> PathBuf {
    let Ok(rest) = path.strip_prefix("~") else { return path };
    match std::env::home_dir() {
        Some(home) if rest == Path::new("") => home,
        Some(home) => home.join(rest),
        None => path,
    }
}
