//! Remembers which tests have passed, so that `cargo xtask test` repeats only those whose inputs have changed.
//!
//! A test binary is run again when it was linked again, when a program of its package was linked again, or when a file changed that
//! is not Rust source. What is about to run is forgotten first, so that a failure is not hidden by an older pass.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result};

use crate::files::File;
use crate::install;
use crate::rust_source::shipped_lines;
use crate::workspace::Workspace;

/// The fingerprint that each test binary or group of tests had when it passed last.
#[derive(Debug)]
pub(crate) struct TestCache {
    path: PathBuf,
    fingerprints: BTreeMap<String, u64>,
}

impl TestCache {
    /// Reads the cache; starts an empty one if `ignore` is set.
    pub(crate) fn read(workspace: &Workspace, ignore: bool) -> Self {
        let path = workspace.target.join("xtask/test-cache.json");
        let text = if ignore { String::new() } else { std::fs::read_to_string(&path).unwrap_or_default() };
        Self { path, fingerprints: serde_json::from_str(&text).unwrap_or_default() }
    }

    /// Says whether something has passed with this fingerprint.
    pub(crate) fn is_current(&self, name: &str, fingerprint: u64) -> bool {
        self.fingerprints.get(name) == Some(&fingerprint)
    }

    /// Forgets what is about to run.
    pub(crate) fn forget<'a>(&mut self, names: impl IntoIterator<Item = &'a str>) -> Result<()> {
        for name in names {
            self.fingerprints.remove(name);
        }
        self.write()
    }

    /// Remembers what has passed.
    pub(crate) fn remember(&mut self, passed: impl IntoIterator<Item = (String, u64)>) -> Result<()> {
        self.fingerprints.extend(passed);
        self.write()
    }

    fn write(&self) -> Result<()> {
        std::fs::create_dir_all(self.path.parent().context("the file lies in a folder")?)?;
        std::fs::write(&self.path, serde_json::to_string_pretty(&self.fingerprints)?)?;
        Ok(())
    }
}

/// A fingerprint of built files: their paths, lengths and times. Cargo writes a file anew only when something in it may have changed.
pub(crate) fn artifact_fingerprint<'a>(paths: impl IntoIterator<Item = &'a Path>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for path in paths {
        let metadata = path.metadata().ok();
        let modified = metadata.as_ref().and_then(|data| data.modified().ok()?.duration_since(UNIX_EPOCH).ok());
        (path, metadata.map(|data| data.len()), modified).hash(&mut hasher);
    }
    hasher.finish()
}

/// A fingerprint of what tests read besides their own code: files that are not Rust source, variables, the official schemas, and
/// installed programs without which tests skip themselves.
pub(crate) fn environment_fingerprint(files: &[File]) -> u64 {
    const VARIABLES: [&str; 5] = ["JACKFIELD_", "MCP_SCHEMA_DIR", "RUST_LOG", "PROPTEST_", "LOOM_"];
    let mut hasher = DefaultHasher::new();
    for file in files.iter().filter(|file| !file.is_rust()) {
        (&file.path, &file.text).hash(&mut hasher);
    }
    let is_read = |name: &str| VARIABLES.iter().any(|start| name.starts_with(start));
    std::env::vars().filter(|(name, _)| is_read(name)).collect::<BTreeMap<_, _>>().hash(&mut hasher);
    install::programs_for_tests().hash(&mut hasher);
    let schemas = std::env::var_os("MCP_SCHEMA_DIR").map(PathBuf::from).and_then(|folder| folder.read_dir().ok());
    let mut schemas: Vec<PathBuf> = schemas.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    schemas.sort();
    artifact_fingerprint(schemas.iter().map(PathBuf::as_path)).hash(&mut hasher);
    hasher.finish()
}

/// A fingerprint of all files.
pub(crate) fn project_fingerprint(files: &[File]) -> u64 {
    let mut hasher = DefaultHasher::new();
    files.iter().for_each(|file| (&file.path, &file.text).hash(&mut hasher));
    hasher.finish()
}

/// A fingerprint of what doc tests are made of: Rust source without its test modules, and the documents it may include.
pub(crate) fn documentation_fingerprint(files: &[File]) -> u64 {
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

/// One fingerprint made of several.
pub(crate) fn combined(fingerprints: impl IntoIterator<Item = u64>) -> u64 {
    let mut hasher = DefaultHasher::new();
    fingerprints.into_iter().for_each(|fingerprint| fingerprint.hash(&mut hasher));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        File { path: path.into(), text: text.into() }
    }

    #[test]
    fn a_test_is_repeated_when_its_fingerprint_differs_or_its_last_run_did_not_pass() {
        let folder = std::env::temp_dir().join(format!("xtask-test-cache-{}", std::process::id()));
        let mut cache = TestCache { path: folder.join("xtask/cache.json"), fingerprints: BTreeMap::new() };
        assert!(!cache.is_current("server::it", 7));
        cache.remember([("server::it".to_owned(), 7), ("peer::it".to_owned(), 8)]).unwrap();
        cache.forget(["peer::it"]).unwrap();
        let text = std::fs::read_to_string(&cache.path).unwrap();
        let again = TestCache { fingerprints: serde_json::from_str(&text).unwrap(), ..cache };
        assert!(again.is_current("server::it", 7) && !again.is_current("server::it", 8));
        assert!(!again.is_current("peer::it", 8));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_relinked_binary_has_another_fingerprint() {
        let folder = std::env::temp_dir().join(format!("xtask-artifact-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let binary = folder.join("it");
        std::fs::write(&binary, "one").unwrap();
        let before = artifact_fingerprint([binary.as_path()]);
        assert_eq!(before, artifact_fingerprint([binary.as_path()]));
        std::fs::write(&binary, "other").unwrap();
        assert_ne!(before, artifact_fingerprint([binary.as_path()]));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn test_code_does_not_repeat_doc_tests() {
        let with = |tests: &str, code: &str| {
            let source = format!("fn a() {{ {code} }}\n#[cfg(test)]\nmod tests {{\n    {tests}\n}}\n");
            documentation_fingerprint(&[file("src/a.rs", &source), file("tests/it/main.rs", tests)])
        };
        assert_eq!(with("one", "x"), with("two", "x"));
        assert_ne!(with("one", "x"), with("one", "y"));
    }

    #[test]
    fn data_files_and_documents_repeat_all_tests() {
        for name in ["a.tsv", "a.md"] {
            assert_ne!(environment_fingerprint(&[file(name, "1")]), environment_fingerprint(&[file(name, "2")]));
        }
        assert_eq!(environment_fingerprint(&[file("a.rs", "1")]), environment_fingerprint(&[file("a.rs", "2")]));
    }
}
