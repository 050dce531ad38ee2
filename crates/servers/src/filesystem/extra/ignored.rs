//! Which files ignore files leave out: `.gitignore` and `.ignore`, as ripgrep reads them, here and in the directories above.

use std::io::Read;
use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::filesystem::beneath::{Dir, Kind, Stat};
use crate::filesystem::location::Location;

/// The longest ignore file that counts, in bytes.
const LONGEST: u64 = 1024 * 1024;

/// The rules of a directory and of those above it, the innermost last.
#[derive(Debug, Default)]
pub(crate) struct IgnoreRules {
    /// Each with the number of names from the allowed directory to where the rules stand.
    stack: Vec<(usize, Gitignore)>,
}

impl IgnoreRules {
    /// Reads the rules of the directories from the allowed one down to a location, without its own.
    pub(crate) fn above(location: &Location) -> Self {
        let mut rules = Self::default();
        let mut path = PathBuf::new();
        for (depth, name) in location.relative().iter().enumerate() {
            if let Ok(dir) = location.dir().dir(&path) {
                rules.enter(&dir, depth);
            }
            path.push(name);
        }
        rules
    }

    /// Adds the rules of a directory.
    pub(crate) fn enter(&mut self, dir: &Dir, depth: usize) {
        for name in [".gitignore", ".ignore"] {
            let Some(text) = content(dir, name) else { continue };
            let mut builder = GitignoreBuilder::new("");
            for line in text.lines() {
                // A line that is no glob is skipped, as git does.
                let _ = builder.add_line(None, line);
            }
            if let Ok(rules) = builder.build() {
                self.stack.push((depth, rules));
            }
        }
    }

    /// Forgets the rules of directories of this depth and below.
    pub(crate) fn leave(&mut self, depth: usize) {
        self.stack.retain(|(of, _)| *of < depth);
    }

    /// Whether a path, given by its names from the allowed directory, is left out. The innermost rule that speaks of it decides.
    pub(crate) fn hold(&self, names: &[String], kind: Kind) -> bool {
        if names.last().is_some_and(|name| name == ".git") {
            return true;
        }
        for (depth, rules) in self.stack.iter().rev() {
            let path: PathBuf = names.iter().skip(*depth).collect();
            let matched = rules.matched(&path, kind == Kind::Directory);
            if !matched.is_none() {
                return matched.is_ignore();
            }
        }
        false
    }
}

fn content(dir: &Dir, name: &str) -> Option<String> {
    // Looked at first: what is no regular file is not opened.
    if dir.stat_name(name.as_ref()).ok()?.kind != Kind::File {
        return None;
    }
    let file = dir.file(Path::new(name)).ok()?;
    if Stat::of(&file.metadata().ok()?).kind != Kind::File {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
