//! Directory handles where there is no `openat2`: cap-std resolves paths beneath a handle.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::{self, FileType, OpenOptions};

use super::{Entry, Kind, Stat};

/// A handle of a directory. What is done through it stays beneath it.
#[derive(Debug)]
pub(crate) struct Dir {
    dir: fs::Dir,
}

impl Dir {
    /// Opens a directory by its path, links included: for the directories that the operator or the client's roots name.
    pub(crate) fn open_ambient(path: &Path) -> io::Result<Self> {
        Ok(Self { dir: fs::Dir::open_ambient_dir(path, ambient_authority())? })
    }

    /// Opens a directory for operations on its names.
    pub(crate) fn dir(&self, path: &Path) -> io::Result<Self> {
        Ok(Self { dir: self.dir.open_dir(or_itself(path))? })
    }

    /// Opens a directory for listing.
    pub(crate) fn listing(&self, path: &Path) -> io::Result<Self> {
        self.dir(path)
    }

    /// Opens a directory by its name in this one, for listing.
    pub(crate) fn child(&self, name: &OsStr) -> io::Result<Self> {
        self.dir(Path::new(name))
    }

    /// Opens a file for reading. What is no regular file is not opened, because opening a FIFO can wait for ever.
    pub(crate) fn file(&self, path: &Path) -> io::Result<File> {
        match kind(self.dir.metadata(or_itself(path))?.file_type()) {
            Kind::File => Ok(self.dir.open(path)?.into_std()),
            Kind::Directory => Err(io::ErrorKind::IsADirectory.into()),
            Kind::Link | Kind::Other => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Opens a file in this directory for writing at its end.
    pub(crate) fn append(&self, name: &OsStr) -> io::Result<File> {
        match self.stat_name(name)?.kind {
            Kind::File => Ok(self.dir.open_with(name, OpenOptions::new().append(true))?.into_std()),
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Looks at a file or directory. A link as the last component is not followed.
    pub(crate) fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.dir.symlink_metadata(or_itself(path)).map(|metadata| stat(&metadata))
    }

    /// Looks at a name in this directory, without following a link.
    pub(crate) fn stat_name(&self, name: &OsStr) -> io::Result<Stat> {
        self.stat(Path::new(name))
    }

    /// Returns the size of what a name in this directory stands for. Links that lead out of it are not followed here.
    pub(crate) fn size_of_target(&self, name: &OsStr) -> io::Result<u64> {
        Ok(self.dir.metadata(name)?.len())
    }

    /// Returns the names in this directory, in no order.
    pub(crate) fn entries(&self) -> io::Result<Vec<Entry>> {
        let entries = self.dir.entries()?.map(|entry| {
            let entry = entry?;
            Ok(Entry { name: entry.file_name(), kind: kind(entry.file_type()?) })
        });
        entries.collect()
    }

    /// Creates a file that must not exist yet.
    pub(crate) fn create_file(&self, name: &OsStr) -> io::Result<File> {
        Ok(self.dir.open_with(name, OpenOptions::new().write(true).create_new(true))?.into_std())
    }

    pub(crate) fn create_dir(&self, name: &OsStr) -> io::Result<()> {
        self.dir.create_dir(name)
    }

    pub(crate) fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        self.dir.remove_file(name)
    }

    /// Renames over whatever file the new name has.
    pub(crate) fn replace(&self, name: &OsStr, to: &Self, new_name: &OsStr) -> io::Result<()> {
        self.dir.rename(name, &to.dir, new_name)
    }

    /// Renames to a name that must not exist. A second name refuses to replace anything; directories and links, which cannot have one
    /// everywhere, are looked for first.
    pub(crate) fn rename_new(&self, name: &OsStr, to: &Self, new_name: &OsStr) -> io::Result<()> {
        if self.stat_name(name)?.kind == Kind::File {
            self.dir.hard_link(name, &to.dir, new_name)?;
            return self.remove_file(name);
        }
        match to.stat_name(new_name) {
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => self.replace(name, to, new_name),
        }
    }

    /// Writes the names of this directory to the disk, where the platform can.
    pub(crate) fn sync(&self) -> io::Result<()> {
        #[cfg(unix)]
        self.dir.open(".")?.sync_all()?;
        Ok(())
    }
}

fn or_itself(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

fn kind(file_type: FileType) -> Kind {
    if file_type.is_file() {
        Kind::File
    } else if file_type.is_dir() {
        Kind::Directory
    } else if file_type.is_symlink() {
        Kind::Link
    } else {
        Kind::Other
    }
}

fn stat(metadata: &fs::Metadata) -> Stat {
    #[cfg(unix)]
    let (mode, links) = {
        use cap_std::fs::MetadataExt;
        (metadata.mode(), metadata.nlink())
    };
    // Node.js makes the mode up from the read-only attribute too.
    #[cfg(not(unix))]
    let (mode, links) = (if metadata.permissions().readonly() { 0o444 } else { 0o666 }, 1);
    let std = |time: io::Result<cap_std::time::SystemTime>| time.ok().map(cap_std::time::SystemTime::into_std);
    Stat {
        kind: kind(metadata.file_type()),
        size: metadata.len(),
        mode,
        links,
        created: std(metadata.created()),
        modified: std(metadata.modified()),
        accessed: std(metadata.accessed()),
    }
}

#[cfg(not(target_os = "linux"))]
impl Stat {
    /// What the handle of an open file says.
    pub(crate) fn of(metadata: &std::fs::Metadata) -> Self {
        stat(&fs::Metadata::from_just_metadata(metadata.clone()))
    }
}
