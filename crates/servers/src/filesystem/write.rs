//! Writing files: a temporary file beside the target, synced, then renamed, so that a crash leaves the old or the new content.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use super::beneath::{Dir, Kind, Stat};
use super::failure::Failure;
use super::location::Location;

/// How files may be written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WriteRules {
    /// Files that have another name somewhere are not written.
    pub(crate) refuse_hard_links: bool,
}

/// Creates a file or replaces its content. Permission bits of an existing file are kept.
pub(crate) fn write_file(location: &Location, content: &[u8], rules: WriteRules) -> Result<(), Failure> {
    location.check_writable()?;
    // An allowed directory has no name in a place where anything may be written.
    let Some(name) = location.name() else { return Err(directory_failure(location)) };
    let parent = location.parent().map_err(|error| location.failure(&error, "open"))?;
    match parent.stat_name(name) {
        Ok(stat) => replace(location, &parent, name, &stat, content, rules),
        Err(error) if error.kind() == io::ErrorKind::NotFound => create(location, &parent, name, content, rules),
        Err(error) => Err(location.failure(&error, "open")),
    }
}

fn directory_failure(location: &Location) -> Failure {
    Failure::system(&io::ErrorKind::IsADirectory.into(), "open", &location.path)
}

fn create(location: &Location, parent: &Dir, name: &OsStr, content: &[u8], rules: WriteRules) -> Result<(), Failure> {
    let failed = |error: io::Error| location.failure(&error, "open");
    let temporary = Temporary::create(parent, name).map_err(failed)?;
    temporary.fill(content, None).map_err(failed)?;
    match temporary.rename_new(name) {
        // Somebody else created it meanwhile: then it is replaced.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let stat = parent.stat_name(name).map_err(failed)?;
            replace(location, parent, name, &stat, content, rules)
        }
        result => result.map_err(failed),
    }
}

fn replace(
    location: &Location,
    parent: &Dir,
    name: &OsStr,
    stat: &Stat,
    content: &[u8],
    rules: WriteRules,
) -> Result<(), Failure> {
    let temporary_name = Temporary::name_beside(name);
    let temporary_path = location.path.with_file_name(&temporary_name);
    match stat.kind {
        Kind::File => {}
        Kind::Directory => {
            let error = io::ErrorKind::IsADirectory.into();
            return Err(Failure::system_between(&error, "rename", &temporary_path, &location.path));
        }
        Kind::Link => return Err(location.became_a_link()),
        Kind::Other => return Err(Failure::not_a_regular_file(&location.path)),
    }
    check_links(location, stat, rules)?;
    let failed = |error: io::Error| Failure::system(&error, "open", &temporary_path);
    let temporary = Temporary::create_named(parent, temporary_name.clone()).map_err(failed)?;
    temporary.fill(content, Some(stat.mode)).map_err(failed)?;
    let renamed = temporary.replace(name);
    renamed.map_err(|error| Failure::system_between(&error, "rename", &temporary_path, &location.path))
}

pub(crate) fn check_links(location: &Location, stat: &Stat, rules: WriteRules) -> Result<(), Failure> {
    if rules.refuse_hard_links && stat.links > 1 {
        let path = location.path.display();
        return Err(Failure::new(format!("Access denied - file has more than one hard link: {path}")));
    }
    Ok(())
}

/// A temporary file in the directory of the file that it will become. It is removed unless it was renamed.
pub(crate) struct Temporary<'a> {
    dir: &'a Dir,
    name: OsString,
    file: File,
    renamed: bool,
}

/// The longest name that every usual file system takes.
const LONGEST_NAME: usize = 255;

impl<'a> Temporary<'a> {
    pub(crate) fn create(dir: &'a Dir, beside: &OsStr) -> io::Result<Self> {
        Self::create_named(dir, Self::name_beside(beside))
    }

    fn create_named(dir: &'a Dir, name: OsString) -> io::Result<Self> {
        let file = dir.create_file(&name)?;
        Ok(Self { dir, name, file, renamed: false })
    }

    /// Returns a name that nobody can guess: that of the target and 32 random digits.
    fn name_beside(target: &OsStr) -> OsString {
        let mut random = [0_u8; 16];
        // Without randomness the name is still one that must not exist.
        let _ = getrandom::fill(&mut random);
        let suffix = format!(".{:032x}.tmp", u128::from_ne_bytes(random));
        let mut name = target.to_owned();
        if name.len() + suffix.len() > LONGEST_NAME {
            name = OsString::from(".jackfield");
        }
        name.push(suffix);
        name
    }

    pub(crate) fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Writes the content to the disk, and gives the file the permission bits of a mode.
    fn fill(&self, content: &[u8], mode: Option<u32>) -> io::Result<()> {
        (&self.file).write_all(content)?;
        if let Some(mode) = mode {
            set_permissions(&self.file, mode);
        }
        self.file.sync_all()
    }

    pub(crate) fn rename_new(mut self, name: &OsStr) -> io::Result<()> {
        self.dir.rename_new(&self.name, self.dir, name)?;
        self.finish();
        Ok(())
    }

    fn replace(mut self, name: &OsStr) -> io::Result<()> {
        self.dir.replace(&self.name, self.dir, name)?;
        self.finish();
        Ok(())
    }

    fn finish(&mut self) {
        self.renamed = true;
        // Some file systems cannot sync a directory; the file itself is safe.
        let _ = self.dir.sync();
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.renamed {
            let _ = self.dir.remove_file(&self.name);
        }
    }
}

/// The write has succeeded by then, so that a file system without permissions is no failure.
#[cfg(unix)]
pub(crate) fn set_permissions(file: &File, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    let _ = file.set_permissions(std::fs::Permissions::from_mode(mode & 0o777));
}

#[cfg(not(unix))]
pub(crate) fn set_permissions(_: &File, _: u32) {}

/// Creates a directory and those above it that are missing.
pub(crate) fn create_directory(location: &Location) -> Result<(), Failure> {
    location.check_writable()?;
    let failed = |error: io::Error| location.failure(&error, "mkdir");
    let mut path = PathBuf::new();
    for name in location.relative() {
        let parent = location.dir().dir(&path).map_err(failed)?;
        path.push(name);
        match parent.create_dir(name) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if parent.stat_name(name).map_err(failed)?.kind != Kind::Directory {
                    return Err(failed(error));
                }
            }
            Err(error) => return Err(failed(error)),
        }
    }
    Ok(())
}

/// Moves a file, directory or link to a name that must not exist.
pub(crate) fn move_file(from: &Location, to: &Location) -> Result<(), Failure> {
    from.check_writable()?;
    to.check_writable()?;
    let exists = || Failure::new(format!("Destination already exists: {}", to.path.display()));
    let failed = |error: &io::Error| Failure::system_between(error, "rename", &from.path, &to.path);
    let Some(new_name) = to.name() else { return Err(exists()) };
    let to_parent = to.parent().map_err(|error| failed(&error))?;
    if to_parent.stat_name(new_name).is_ok() {
        return Err(exists());
    }
    // An allowed directory itself stays where it is.
    let Some(name) = from.name() else { return Err(failed(&io::ErrorKind::ResourceBusy.into())) };
    let from_parent = from.parent().map_err(|error| failed(&error))?;
    match from_parent.rename_new(name, &to_parent, new_name) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(exists()),
        result => result.map_err(|error| failed(&error)),
    }
}
