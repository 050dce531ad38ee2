//! Repositories of other users are refused, as git does with `safe.directory`.

use std::path::{Path, PathBuf};

use super::failure::{Failure, Result};

/// Fails if a part of the repository belongs to someone else and the user has not declared it safe.
pub(super) fn check(root: &Path, parts: &[PathBuf]) -> Result<()> {
    if parts.iter().all(|part| belongs_to_user(part)) || is_declared_safe(root, &safe_directories()) {
        return Ok(());
    }
    Err(Failure::new(format!(
        "detected dubious ownership in repository at '{0}': it belongs to another user. \
         To add an exception for this directory, call: git config --global --add safe.directory {0}",
        root.display()
    )))
}

#[cfg(unix)]
fn belongs_to_user(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let Ok(metadata) = path.symlink_metadata() else { return false };
    let user = rustix::process::geteuid().as_raw();
    let sudo_user = std::env::var("SUDO_UID").ok().and_then(|id| id.parse().ok());
    is_own(metadata.uid(), user, sudo_user)
}

#[cfg(not(unix))]
fn belongs_to_user(path: &Path) -> bool {
    gix::sec::Trust::from_path_ownership(path).is_ok_and(|trust| trust == gix::sec::Trust::Full)
}

/// Root that became root with `sudo` may also use what belongs to the user before.
#[cfg(unix)]
fn is_own(owner: u32, user: u32, sudo_user: Option<u32>) -> bool {
    owner == user || (user == 0 && sudo_user == Some(owner))
}

/// The values of `safe.directory` from the configuration of the system and the user; that of a repository does not count.
fn safe_directories() -> Vec<String> {
    let mut values = Vec::new();
    let globals = gix::config::File::from_globals();
    let environment = gix::config::File::from_environment_overrides();
    for file in [globals, environment].into_iter().flatten() {
        let found = file.strings("safe.directory").unwrap_or_default();
        values.extend(found.into_iter().map(|value| value.to_string()));
    }
    values
}

fn is_declared_safe(root: &Path, values: &[String]) -> bool {
    let mut safe = false;
    for value in values {
        match value.as_str() {
            "" => safe = false,
            "*" => safe = true,
            value => safe |= matches(root, value),
        }
    }
    safe
}

fn matches(root: &Path, value: &str) -> bool {
    let expand = |path: &str| super::access::expanded(Path::new(path)).and_then(|path| path.canonicalize());
    match value.strip_suffix("/*") {
        Some(parent) => expand(parent).is_ok_and(|parent| root.starts_with(&parent) && root != parent),
        None => expand(value).is_ok_and(|path| path == root),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_value_takes_back_what_was_declared_before() {
        let root = std::env::temp_dir().canonicalize().unwrap();
        let shown = root.display().to_string();
        let check =
            |values: &[&str]| is_declared_safe(&root, &values.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert!(!check(&[]));
        assert!(check(&[&shown]));
        assert!(check(&["*"]));
        assert!(!check(&[&shown, ""]));
        assert!(!check(&["/somewhere/else"]));
        assert!(check(&["", "*"]));
        assert!(!check(&[&format!("{shown}/*")]));
    }

    #[cfg(unix)]
    #[test]
    fn only_the_user_and_the_one_behind_sudo_own_a_repository() {
        assert!(is_own(1000, 1000, None));
        assert!(!is_own(1000, 1001, None));
        assert!(!is_own(1000, 0, None));
        assert!(is_own(1000, 0, Some(1000)));
        assert!(!is_own(1000, 1001, Some(1000)));
    }
}
