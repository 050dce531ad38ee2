//! Finding files and directories by glob.

use std::path::Path;

use super::beneath::{Dir, Kind};
use super::directories::Directories;
use super::failure::Failure;
use super::glob::Glob;
use super::limits::{Limits, Watcher};
use super::location::Location;
use super::walk::{Cut, Walk};

/// What was found: absolute paths, and whether something is missing.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) text: String,
    pub(crate) cut: Option<Cut>,
}

/// Finds what matches a pattern below a directory, depth first in byte order.
pub(crate) fn search_files(
    directories: &Directories,
    location: &Location,
    pattern: &str,
    excluded: &[String],
    limits: &Limits,
    watcher: &dyn Watcher,
) -> Result<Found, Failure> {
    let pattern = Glob::new(pattern)?;
    let excluded = Glob::all(excluded)?;
    let failed = |error: std::io::Error| location.failure(&error, "scandir");
    let dir = location.dir().listing(location.relative()).map_err(failed)?;
    let mut search = Search {
        directories,
        pattern,
        excluded,
        walk: Walk::new(limits, watcher),
        root: &location.path,
        names: Vec::new(),
        path: location.path.display().to_string(),
        text: String::new(),
    };
    if search.path != "/" {
        search.path.push('/');
    }
    search.directory(&dir).map_err(failed)?;
    if search.walk.is_cancelled() {
        return Err(Failure::cancelled());
    }
    let cut = search.walk.cut();
    let text = if search.text.is_empty() { "No matches found".to_owned() } else { search.text };
    Ok(Found { text, cut })
}

struct Search<'a> {
    directories: &'a Directories,
    pattern: Glob,
    excluded: Vec<Glob>,
    walk: Walk<'a>,
    root: &'a Path,
    /// The names from the first directory to the current entry.
    names: Vec<String>,
    /// The absolute path of the current directory, with a final slash.
    path: String,
    text: String,
}

impl Search<'_> {
    /// Goes through one directory. Directories below it that cannot be read are left out.
    fn directory(&mut self, dir: &Dir) -> std::io::Result<()> {
        if self.walk.is_cancelled() {
            return Ok(());
        }
        for entry in self.walk.entries(dir)? {
            if !self.walk.may_look() {
                break;
            }
            let name = entry.name.to_string_lossy().into_owned();
            // A link is listed only if it leads to something inside.
            if entry.kind == Kind::Link && !self.leads_inside(&entry.name) {
                continue;
            }
            let length = self.path.len();
            self.path.push_str(&name);
            self.names.push(name);
            if !self.excluded.iter().any(|excluded| excluded.is_match(&self.names)) {
                self.look_at(dir, &entry.name, entry.kind);
            }
            self.names.pop();
            self.path.truncate(length);
        }
        Ok(())
    }

    fn look_at(&mut self, dir: &Dir, name: &std::ffi::OsStr, kind: Kind) {
        if self.pattern.is_match(&self.names) && self.walk.may_grow(self.text.len() + self.path.len()) {
            if !self.text.is_empty() {
                self.text.push('\n');
            }
            self.text.push_str(&self.path);
        }
        if kind == Kind::Directory
            && self.walk.may_enter(self.names.len())
            && let Ok(child) = dir.child(name)
        {
            self.path.push('/');
            // One that cannot be read has been listed itself.
            let _ = self.directory(&child);
            self.path.pop();
        }
    }

    fn leads_inside(&self, name: &std::ffi::OsStr) -> bool {
        let mut path = self.root.to_owned();
        path.extend(&self.names);
        path.push(name);
        self.directories.leads_inside(&path)
    }
}
