//! A tree for reading: indented names, a few levels deep.

use crate::filesystem::beneath::{Dir, Kind};
use crate::filesystem::failure::Failure;
use crate::filesystem::limits::{Limits, Watcher};
use crate::filesystem::location::Location;
use crate::filesystem::walk::{Cut, Walk};

use super::ignored::IgnoreRules;

/// The tree as text, and whether something is missing.
pub(crate) struct Outline {
    pub(crate) text: String,
    pub(crate) cut: Option<Cut>,
}

/// Writes names with two spaces for each level; directories end in a slash. With `ignored` also what ignore files leave out.
pub(crate) fn outline(
    location: &Location,
    ignored: bool,
    limits: &Limits,
    watcher: &dyn Watcher,
) -> Result<Outline, Failure> {
    let failed = |error: std::io::Error| location.failure(&error, "scandir");
    let dir = location.dir().listing(location.relative()).map_err(failed)?;
    let names = location.relative().iter().map(|name| name.to_string_lossy().into_owned()).collect();
    let rules = (!ignored).then(|| IgnoreRules::above(location));
    let mut writer = Writer { rules, walk: Walk::new(limits, watcher), names, level: 0, text: String::new() };
    writer.directory(&dir).map_err(failed)?;
    if writer.walk.is_cancelled() {
        return Err(Failure::cancelled());
    }
    Ok(Outline { cut: writer.walk.cut(), text: writer.text })
}

struct Writer<'a> {
    rules: Option<IgnoreRules>,
    walk: Walk<'a>,
    /// From the allowed directory.
    names: Vec<String>,
    level: usize,
    text: String,
}

impl Writer<'_> {
    fn directory(&mut self, dir: &Dir) -> std::io::Result<()> {
        if self.walk.is_cancelled() {
            return Ok(());
        }
        let depth = self.names.len();
        if let Some(rules) = &mut self.rules {
            rules.enter(dir, depth);
        }
        for entry in self.walk.entries(dir)? {
            self.names.push(entry.name.to_string_lossy().into_owned());
            let is_ignored = self.rules.as_ref().is_some_and(|rules| rules.hold(&self.names, entry.kind));
            let goes_on = is_ignored || self.entry(dir, &entry.name, entry.kind);
            self.names.pop();
            if !goes_on {
                break;
            }
        }
        if let Some(rules) = &mut self.rules {
            rules.leave(depth);
        }
        Ok(())
    }

    /// Says whether the walk goes on.
    fn entry(&mut self, dir: &Dir, name: &std::ffi::OsStr, kind: Kind) -> bool {
        if !self.walk.may_look() || !self.walk.may_grow(self.text.len()) {
            return false;
        }
        self.text.extend(std::iter::repeat_n("  ", self.level));
        self.text.push_str(self.names.last().map_or("", String::as_str));
        self.text.push_str(if kind == Kind::Directory { "/\n" } else { "\n" });
        if kind == Kind::Directory
            && self.walk.may_enter(self.level + 1)
            && let Ok(child) = dir.child(name)
        {
            self.level += 1;
            // One that cannot be read has been named.
            let _ = self.directory(&child);
            self.level -= 1;
        }
        true
    }
}
