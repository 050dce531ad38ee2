//! From the path in an argument to a place beneath an allowed directory.
//!
//! The path is looked up twice. The first time its text is resolved, for the rules and messages of the original. The second time the
//! kernel opens the result beneath the handle of an allowed directory and refuses links; that alone decides about access, so whatever
//! changes in between cannot lead out.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use icu_normalizer::ComposingNormalizerBorrowed;

use super::beneath::{self, Dir};
use super::directories::{Directories, Directory};
use super::failure::Failure;
use super::path_text::{self, expand_home, is_drive_path};

/// A place beneath an allowed directory. Nothing needs to exist there.
#[derive(Clone, Debug)]
pub(crate) struct Location {
    dir: Arc<Dir>,
    relative: PathBuf,
    /// The absolute path, with links resolved.
    pub(crate) path: PathBuf,
    read_only: bool,
}

impl Directories {
    /// Returns the place that an argument means.
    pub(crate) fn locate(&self, argument: &str) -> Result<Location, Failure> {
        let path = self.requested(argument)?;
        match std::fs::canonicalize(&path) {
            Ok(real) => self.checked(real),
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.locate_missing(&path),
            Err(error) => Err(Failure::system(&error, "realpath", &path)),
        }
    }

    /// Returns the place of the link itself where the argument is one, otherwise the same as [`locate`](Self::locate).
    pub(crate) fn locate_link(&self, argument: &str) -> Result<Location, Failure> {
        let target = self.locate(argument)?;
        let path = self.requested(argument)?;
        let is_link = std::fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_symlink());
        let (Some(parent), Some(name), true) = (path.parent(), path.file_name(), is_link) else { return Ok(target) };
        let parent = std::fs::canonicalize(parent).map_err(|error| Failure::system(&error, "realpath", &path))?;
        self.checked(parent.join(name))
    }

    /// Whether an existing path leads to a place inside, links followed.
    pub(crate) fn leads_inside(&self, path: &Path) -> bool {
        std::fs::canonicalize(path).is_ok_and(|real| self.holding(&real).is_some())
    }

    /// Returns the absolute path that is meant, if its text lies inside.
    fn requested(&self, argument: &str) -> Result<PathBuf, Failure> {
        let expanded = expand_home(argument);
        if cfg!(unix) && is_drive_path(&expanded) {
            let text = format!("Access denied - Windows-style path received on a POSIX host: {argument}");
            return Err(Failure::new(text));
        }
        let path = if expanded.is_absolute() { path_text::absolute(&expanded) } else { self.joined(&expanded) };
        if self.contain(&path) {
            return Ok(path);
        }
        let text =
            format!("Access denied - path outside allowed directories: {} not in {}", path.display(), self.shown());
        Err(Failure::new(text))
    }

    /// Joins a relative path to the first directory from which it leads into an allowed one, whether or not it exists.
    fn joined(&self, relative: &Path) -> PathBuf {
        let mut candidates = self.list().iter().map(|directory| path_text::resolved(&directory.path, relative));
        let first = candidates.next().unwrap_or_else(|| path_text::absolute(relative));
        if self.contain(&first) { first } else { candidates.find(|path| self.contain(path)).unwrap_or(first) }
    }

    /// Makes a location of a path whose links are resolved.
    fn checked(&self, real: PathBuf) -> Result<Location, Failure> {
        let Some(directory) = self.holding(&real) else {
            let text = format!(
                "Access denied - symlink target outside allowed directories: {} not in {}",
                real.display(),
                self.shown()
            );
            return Err(Failure::new(text));
        };
        Ok(directory.location(real))
    }

    /// Finds the place of a path that does not exist as it is written: its existing part may be spelled in another Unicode form, and
    /// the rest may not exist at all.
    fn locate_missing(&self, path: &Path) -> Result<Location, Failure> {
        let allowed = self.list().iter().filter(|directory| path_text::is_inside(path, &directory.path));
        // The longest one, as text.
        let Some(allowed) = allowed.max_by_key(|directory| directory.path.as_os_str().len()) else {
            return self.checked(path.to_owned());
        };
        let rest = path.strip_prefix(&allowed.path).unwrap_or(path);
        let mut current = allowed.location(allowed.real.clone());
        for (index, name) in rest.iter().enumerate() {
            let Some(existing) = current.equivalent_name(name)? else {
                let missing: PathBuf = rest.iter().skip(index).collect();
                return Ok(current.joined(&missing));
            };
            let next = current.path.join(existing);
            current = match std::fs::canonicalize(&next) {
                Ok(real) => self.checked(real)?,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(no_parent(path)),
                Err(error) => return Err(Failure::system(&error, "realpath", &next)),
            };
        }
        Ok(current)
    }
}

fn no_parent(path: &Path) -> Failure {
    let parent = path.parent().unwrap_or(path);
    Failure::new(format!("Parent directory does not exist: {}", parent.display()))
}

impl Directory {
    fn location(&self, real: PathBuf) -> Location {
        let relative = real.strip_prefix(&self.real).unwrap_or(Path::new("")).to_owned();
        Location { dir: self.dir.clone(), relative, path: real, read_only: self.read_only }
    }
}

impl Location {
    /// The allowed directory's handle; operations on it take [`relative`](Self::relative).
    pub(crate) fn dir(&self) -> &Dir {
        &self.dir
    }

    pub(crate) fn relative(&self) -> &Path {
        &self.relative
    }

    /// Returns the last name; an allowed directory itself has none that could be changed.
    pub(crate) fn name(&self) -> Option<&OsStr> {
        self.relative.file_name()
    }

    /// Opens the directory that holds the last name.
    pub(crate) fn parent(&self) -> io::Result<Dir> {
        self.dir.dir(self.relative.parent().unwrap_or(Path::new("")))
    }

    /// Refuses a place that may only be read.
    pub(crate) fn check_writable(&self) -> Result<(), Failure> {
        if self.read_only {
            return Err(Failure::new(format!("Access denied - directory is read-only: {}", self.path.display())));
        }
        Ok(())
    }

    /// Returns the failure of an operation here. A link where none was is an attempt to lead out.
    pub(crate) fn failure(&self, error: &io::Error, syscall: &str) -> Failure {
        if beneath::met_a_link(error) {
            return self.became_a_link();
        }
        Failure::system(error, syscall, &self.path)
    }

    pub(crate) fn became_a_link(&self) -> Failure {
        Failure::new(format!("Access denied - path was replaced by a symlink: {}", self.path.display()))
    }

    fn joined(&self, names: &Path) -> Self {
        Self { relative: self.relative.join(names), path: self.path.join(names), ..self.clone() }
    }

    /// Returns the name of an entry here: the same one, else the only one that is equal in Unicode's composed form.
    fn equivalent_name(&self, name: &OsStr) -> Result<Option<std::ffi::OsString>, Failure> {
        let failed = |error: io::Error| self.failure(&error, "scandir");
        match self.dir.dir(&self.relative).map_err(failed)?.stat_name(name) {
            Ok(_) => return Ok(Some(name.to_owned())),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            Err(_) => {}
        }
        let Some(text) = name.to_str().filter(|text| has_other_forms(text)) else { return Ok(None) };
        let nfc = ComposingNormalizerBorrowed::new_nfc();
        let wanted = nfc.normalize(text);
        let entries = self.dir.listing(&self.relative).and_then(|dir| dir.entries()).map_err(failed)?;
        let mut equal = entries
            .into_iter()
            .map(|entry| entry.name)
            .filter(|name| name.to_str().is_some_and(|name| nfc.normalize(name) == wanted));
        match (equal.next(), equal.next()) {
            (Some(_), Some(_)) => Err(Failure::new(format!("Ambiguous Unicode path component: {text}"))),
            (only, _) => Ok(only),
        }
    }
}

/// Whether another text can have the same composed form. Of ASCII only three characters have a twin (such as the Kelvin sign), so that
/// creating a file does not need to list its directory.
fn has_other_forms(name: &str) -> bool {
    !name.is_ascii() || name.contains(['K', ';', '`'])
}
