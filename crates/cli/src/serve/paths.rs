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

/// Returns where programs keep the data of a user.
#[cfg(feature = "memory")]
pub(super) fn data_directory() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = std::env::home_dir();
    if cfg!(windows) {
        return variable("APPDATA").or(home);
    }
    variable("XDG_DATA_HOME").or_else(|| {
        let home = home?;
        Some(if cfg!(target_os = "macos") {
            home.join("Library/Application Support")
        } else {
            home.join(".local/share")
        })
    })
}
