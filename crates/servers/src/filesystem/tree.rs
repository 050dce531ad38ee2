//! A directory and those below it, as JSON.

use super::beneath::{Dir, Kind};
use super::failure::Failure;
use super::glob::Glob;
use super::limits::{Limits, Watcher};
use super::location::Location;
use super::walk::{Cut, Walk};

/// The tree as JSON text, and whether something is missing.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) json: String,
    pub(crate) cut: Option<Cut>,
}

/// Writes the tree below a directory as the original does: an array with an indentation of two.
pub(crate) fn directory_tree(
    location: &Location,
    excluded: &[String],
    limits: &Limits,
    watcher: &dyn Watcher,
) -> Result<Tree, Failure> {
    let excluded = Exclusions::new(excluded)?;
    let failed = |error: std::io::Error| location.failure(&error, "scandir");
    let dir = location.dir().listing(location.relative()).map_err(failed)?;
    let walk = Walk::new(limits, watcher);
    let mut writer = Writer { excluded, walk, names: Vec::new(), json: String::new(), indent: 0 };
    writer.directory(&dir).map_err(|error| {
        let path = writer.names.iter().fold(location.path.clone(), |path, name| path.join(name));
        Failure::system(&error, "scandir", &path)
    })?;
    if writer.walk.is_cancelled() {
        return Err(Failure::cancelled());
    }
    Ok(Tree { cut: writer.walk.cut(), json: writer.json })
}

/// What is left out of a tree. A pattern without a star also names any path that ends in it, and everything below.
struct Exclusions(Vec<Glob>);

impl Exclusions {
    fn new(patterns: &[String]) -> Result<Self, Failure> {
        let mut globs = Vec::new();
        for pattern in patterns {
            globs.push(Glob::new(pattern)?);
            if !pattern.contains('*') {
                globs.push(Glob::new(&format!("**/{pattern}"))?);
                globs.push(Glob::new(&format!("**/{pattern}/**"))?);
            }
        }
        Ok(Self(globs))
    }

    fn hold(&self, names: &[String]) -> bool {
        self.0.iter().any(|glob| glob.is_match(names))
    }
}

struct Writer<'a> {
    excluded: Exclusions,
    walk: Walk<'a>,
    names: Vec<String>,
    json: String,
    indent: usize,
}

impl Writer<'_> {
    /// Writes the array of a directory's entries. On an error `names` still leads to the directory that failed.
    fn directory(&mut self, dir: &Dir) -> std::io::Result<()> {
        let mut is_empty = true;
        self.json.push('[');
        let entries = if self.walk.is_cancelled() { Vec::new() } else { self.walk.entries(dir)? };
        for entry in entries {
            if !self.walk.may_look() || !self.walk.may_grow(self.json.len()) {
                break;
            }
            self.names.push(entry.name.to_string_lossy().into_owned());
            if !self.excluded.hold(&self.names) {
                self.json.push_str(if is_empty { "\n" } else { ",\n" });
                is_empty = false;
                self.indent += 2;
                self.entry(dir, &entry.name, entry.kind)?;
                self.indent -= 2;
            }
            self.names.pop();
        }
        if !is_empty {
            self.line("");
        }
        self.json.push(']');
        Ok(())
    }

    fn entry(&mut self, dir: &Dir, name: &std::ffi::OsStr, kind: Kind) -> std::io::Result<()> {
        let is_directory = kind == Kind::Directory;
        self.start("{\n");
        self.indent += 2;
        self.start("\"name\": ");
        let quoted = serde_json::to_string(self.names.last().map_or("", String::as_str)).unwrap_or_default();
        self.json.push_str(&quoted);
        self.json.push_str(",\n");
        self.start(if is_directory { "\"type\": \"directory\",\n" } else { "\"type\": \"file\"" });
        if is_directory {
            self.start("\"children\": ");
            self.children(dir, name)?;
        }
        self.indent -= 2;
        self.line("}");
        Ok(())
    }

    fn children(&mut self, dir: &Dir, name: &std::ffi::OsStr) -> std::io::Result<()> {
        if self.walk.may_enter(self.names.len()) {
            return self.directory(&dir.child(name)?);
        }
        self.json.push_str("[]");
        Ok(())
    }

    /// Writes the indentation, and text.
    fn start(&mut self, text: &str) {
        self.json.extend(std::iter::repeat_n(' ', self.indent));
        self.json.push_str(text);
    }

    /// Writes text on a line of its own.
    fn line(&mut self, text: &str) {
        self.json.push('\n');
        self.start(text);
    }
}
