//! Remembers what has passed, so that `cargo xtask test` repeats only what a change can have touched.
//!
//! A test binary is run again when it was linked again, when a program of its package was linked again, or when a file changed that
//! is not Rust source. Nothing is remembered of a run that failed.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result};

use crate::files::File;
use crate::rust_source::shipped_lines;
use crate::workspace::Workspace;

/// The state in which each thing passed last.
#[derive(Debug)]
pub(crate) struct Passed {
    path: PathBuf,
    states: BTreeMap<String, u64>,
}

impl Passed {
    /// Reads what earlier runs left; nothing if `forget` is set.
    pub(crate) fn read(workspace: &Workspace, forget: bool) -> Self {
        let path = workspace.target.join("xtask/passed.json");
        let text = if forget { String::new() } else { std::fs::read_to_string(&path).unwrap_or_default() };
        Self { path, states: serde_json::from_str(&text).unwrap_or_default() }
    }

    /// Says whether something has passed in this very state.
    pub(crate) fn holds(&self, name: &str, state: u64) -> bool {
        self.states.get(name) == Some(&state)
    }

    /// Remembers that things have passed.
    pub(crate) fn remember(&mut self, passed: impl IntoIterator<Item = (String, u64)>) -> Result<()> {
        self.states.extend(passed);
        std::fs::create_dir_all(self.path.parent().context("the file lies in a folder")?)?;
        std::fs::write(&self.path, serde_json::to_string_pretty(&self.states)?)?;
        Ok(())
    }
}

/// The state of built files: their paths, lengths and times. Cargo writes a file anew only when something in it may have changed.
pub(crate) fn of_built<'a>(paths: impl IntoIterator<Item = &'a Path>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for path in paths {
        let metadata = path.metadata().ok();
        let modified = metadata.as_ref().and_then(|data| data.modified().ok()?.duration_since(UNIX_EPOCH).ok());
        (path, metadata.map(|data| data.len()), modified).hash(&mut hasher);
    }
    hasher.finish()
}

/// The state of everything that tests may read: files that are no Rust source, and the variables that tests look at.
pub(crate) fn of_surroundings(files: &[File]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for file in files.iter().filter(|file| !file.is_rust() && !file.is_markdown()) {
        (&file.path, &file.text).hash(&mut hasher);
    }
    let variables = std::env::vars().filter(|(name, _)| name.starts_with("JACKFIELD_") || name == "MCP_SCHEMA_DIR");
    variables.collect::<BTreeMap<_, _>>().hash(&mut hasher);
    hasher.finish()
}

/// The state of all files.
pub(crate) fn of_everything(files: &[File]) -> u64 {
    let mut hasher = DefaultHasher::new();
    files.iter().for_each(|file| (&file.path, &file.text).hash(&mut hasher));
    hasher.finish()
}

/// One state made of several.
pub(crate) fn combined(states: impl IntoIterator<Item = u64>) -> u64 {
    let mut hasher = DefaultHasher::new();
    states.into_iter().for_each(|state| state.hash(&mut hasher));
    hasher.finish()
}

/// The state of what doc tests are made of: Rust source without its test modules, and the documents it may include.
pub(crate) fn of_documentation(files: &[File]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for file in files.iter().filter(|file| !file.is_test()) {
        file.path.hash(&mut hasher);
        if file.is_rust() {
            let text = shipped_lines(&file.text).fold(String::new(), |mut text, (_, line)| {
                let _ = writeln!(text, "{line}");
                text
            });
            text.hash(&mut hasher);
        } else {
            file.text.hash(&mut hasher);
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        File { path: path.into(), text: text.into() }
    }

    #[test]
    fn a_run_is_repeated_when_its_state_differs() {
        let folder = std::env::temp_dir().join(format!("xtask-passed-{}", std::process::id()));
        let mut passed = Passed { path: folder.join("xtask/passed.json"), states: BTreeMap::new() };
        assert!(!passed.holds("server::it", 7));
        passed.remember([("server::it".to_owned(), 7)]).unwrap();
        let text = std::fs::read_to_string(&passed.path).unwrap();
        let again = Passed { states: serde_json::from_str(&text).unwrap(), ..passed };
        assert!(again.holds("server::it", 7) && !again.holds("server::it", 8) && !again.holds("peer::it", 7));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_relinked_binary_has_another_state() {
        let folder = std::env::temp_dir().join(format!("xtask-built-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let binary = folder.join("it");
        std::fs::write(&binary, "one").unwrap();
        let before = of_built([binary.as_path()]);
        assert_eq!(before, of_built([binary.as_path()]));
        std::fs::write(&binary, "other").unwrap();
        assert_ne!(before, of_built([binary.as_path()]));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn test_code_does_not_touch_doc_tests() {
        let with = |tests: &str, code: &str| {
            let source = format!("fn a() {{ {code} }}\n#[cfg(test)]\nmod tests {{\n    {tests}\n}}\n");
            of_documentation(&[file("src/a.rs", &source), file("tests/it/main.rs", tests)])
        };
        assert_eq!(with("one", "x"), with("two", "x"));
        assert_ne!(with("one", "x"), with("one", "y"));
    }

    #[test]
    fn data_files_touch_all_tests() {
        assert_ne!(of_surroundings(&[file("a.tsv", "1")]), of_surroundings(&[file("a.tsv", "2")]));
        assert_eq!(of_surroundings(&[file("a.rs", "1")]), of_surroundings(&[file("a.rs", "2")]));
    }
}
