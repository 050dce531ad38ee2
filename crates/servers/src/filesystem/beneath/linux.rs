//! Directory handles on Linux: `openat2`, or one component after the other where the kernel or a sandbox does not have it.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path};
use std::sync::OnceLock;

use rustix::fs::{self, AtFlags, CWD, FileType, Mode, OFlags, RawDir, RenameFlags, ResolveFlags};
use rustix::io::Errno;

use super::{Entry, Kind, Stat};

/// A handle of a directory. What is done through it stays beneath it.
#[derive(Debug)]
pub(crate) struct Dir {
    fd: OwnedFd,
}

/// No link is followed anywhere, nothing above the handle is reached.
const BENEATH: ResolveFlags = ResolveFlags::BENEATH.union(ResolveFlags::NO_SYMLINKS).union(ResolveFlags::NO_MAGICLINKS);

/// Room for a few hundred names per system call.
const LISTING_BUFFER: usize = 32 * 1024;

/// How often a resolution that raced with a rename is tried.
const ATTEMPTS: usize = 16;

impl Dir {
    /// Opens a directory by its path, links included: for the directories that the operator or the client's roots name.
    pub(crate) fn open_ambient(path: &Path) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self { fd: fs::openat(CWD, path, flags, Mode::empty())? })
    }

    /// Opens a directory for operations on its names. It needs no permission to read it.
    pub(crate) fn dir(&self, path: &Path) -> io::Result<Self> {
        Ok(Self { fd: self.open(path, OFlags::PATH | OFlags::DIRECTORY)? })
    }

    /// Opens a directory for listing.
    pub(crate) fn listing(&self, path: &Path) -> io::Result<Self> {
        Ok(Self { fd: self.open(path, OFlags::RDONLY | OFlags::DIRECTORY)? })
    }

    /// Opens a directory by its name in this one, for listing.
    pub(crate) fn child(&self, name: &OsStr) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(Self { fd: fs::openat(&self.fd, name, flags, Mode::empty())? })
    }

    /// Opens a file for reading. It does not wait for the writer of a FIFO, and takes no terminal.
    pub(crate) fn file(&self, path: &Path) -> io::Result<File> {
        Ok(self.open(path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY)?.into())
    }

    /// Opens a file in this directory for writing at its end. It does not wait for the reader of a FIFO.
    pub(crate) fn append(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::NONBLOCK | OFlags::NOCTTY;
        Ok(fs::openat(&self.fd, name, flags | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?.into())
    }

    /// Looks at a file or directory without opening it. A link as the last component is not followed.
    pub(crate) fn stat(&self, path: &Path) -> io::Result<Stat> {
        let file = File::from(self.open(path, OFlags::PATH | OFlags::NOFOLLOW)?);
        file.metadata().map(|metadata| Stat::of(&metadata))
    }

    /// Looks at a name in this directory, without following a link.
    pub(crate) fn stat_name(&self, name: &OsStr) -> io::Result<Stat> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = File::from(fs::openat(&self.fd, name, flags, Mode::empty())?);
        file.metadata().map(|metadata| Stat::of(&metadata))
    }

    /// Returns the size of what a name in this directory stands for. Links are followed wherever they lead, as the listing with sizes
    /// of the original does; nothing but the size is learned.
    pub(crate) fn size_of_target(&self, name: &OsStr) -> io::Result<u64> {
        Ok(u64::try_from(fs::statat(&self.fd, name, AtFlags::empty())?.st_size).unwrap_or(0))
    }

    /// Returns the names in this directory, in no order. It must have been opened for listing.
    pub(crate) fn entries(&self) -> io::Result<Vec<Entry>> {
        let mut buffer = Box::new_uninit_slice(LISTING_BUFFER);
        let mut entries = Vec::new();
        self.read_entries(&mut buffer, |name, kind| {
            entries.push(Entry { name: OsStr::from_bytes(name).to_owned(), kind });
        })?;
        Ok(entries)
    }

    fn read_entries(&self, buffer: &mut [MaybeUninit<u8>], mut add: impl FnMut(&[u8], Kind)) -> io::Result<()> {
        let mut listing = RawDir::new(&self.fd, buffer);
        while let Some(entry) = listing.next() {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if matches!(name, b"." | b"..") {
                continue;
            }
            match entry.file_type() {
                // Not every file system says what an entry is.
                FileType::Unknown => match self.stat_name(OsStr::from_bytes(name)) {
                    Ok(stat) => add(name, stat.kind),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(error),
                },
                file_type => add(name, kind(file_type)),
            }
        }
        Ok(())
    }

    /// Creates a file that must not exist yet.
    pub(crate) fn create_file(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(fs::openat(&self.fd, name, flags, Mode::from_raw_mode(0o666))?.into())
    }

    pub(crate) fn create_dir(&self, name: &OsStr) -> io::Result<()> {
        Ok(fs::mkdirat(&self.fd, name, Mode::from_raw_mode(0o777))?)
    }

    pub(crate) fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        Ok(fs::unlinkat(&self.fd, name, AtFlags::empty())?)
    }

    /// Renames over whatever file the new name has.
    pub(crate) fn replace(&self, name: &OsStr, to: &Self, new_name: &OsStr) -> io::Result<()> {
        Ok(fs::renameat(&self.fd, name, &to.fd, new_name)?)
    }

    /// Renames to a name that must not exist.
    pub(crate) fn rename_new(&self, name: &OsStr, to: &Self, new_name: &OsStr) -> io::Result<()> {
        match fs::renameat_with(&self.fd, name, &to.fd, new_name, RenameFlags::NOREPLACE) {
            // Some file systems do not know the flag.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => self.rename_new_without_flag(name, to, new_name),
            result => Ok(result?),
        }
    }

    /// A second name refuses to replace anything, but directories cannot have one: there a name that appears between the look and the
    /// rename would have to be an empty directory to be replaced.
    fn rename_new_without_flag(&self, name: &OsStr, to: &Self, new_name: &OsStr) -> io::Result<()> {
        if self.stat_name(name)?.kind != Kind::Directory {
            fs::linkat(&self.fd, name, &to.fd, new_name, AtFlags::empty())?;
            return self.remove_file(name);
        }
        match to.stat_name(new_name) {
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => self.replace(name, to, new_name),
        }
    }

    /// Writes the names of this directory to the disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(fs::fsync(fs::openat(&self.fd, ".", flags, Mode::empty())?)?)
    }

    fn open(&self, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let flags = flags | OFlags::CLOEXEC;
        if has_openat2() { openat2(self.fd.as_fd(), path, flags) } else { step_by_step(self.fd.as_fd(), path, flags) }
    }
}

/// Whether the kernel has `openat2`, and no sandbox of a container hides it.
fn has_openat2() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    *HAS.get_or_init(|| fs::openat2(CWD, ".", OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), BENEATH).is_ok())
}

fn openat2(dir: BorrowedFd<'_>, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    for _ in 1..ATTEMPTS {
        match fs::openat2(dir, path, flags, Mode::empty(), BENEATH) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            result => return Ok(result?),
        }
    }
    Ok(fs::openat2(dir, path, flags, Mode::empty(), BENEATH)?)
}

/// Opens one component after the other, each by its name in the handle of the one before, so that no link is followed.
fn step_by_step(dir: BorrowedFd<'_>, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let mut names = Vec::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::Normal(name) => names.push(name),
            _ => return Err(Errno::XDEV.into()),
        }
    }
    let last = names.pop().unwrap_or(OsStr::new("."));
    let step = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut current: Option<OwnedFd> = None;
    let open = |from: &Option<OwnedFd>, name: &OsStr, flags: OFlags| {
        let from = from.as_ref().map_or(dir, AsFd::as_fd);
        fs::openat(from, name, flags | OFlags::NOFOLLOW, Mode::empty()).map_err(|error| link_error(from, name, error))
    };
    for name in names {
        current = Some(open(&current, name, step)?);
    }
    Ok(open(&current, last, flags)?)
}

/// A link that is not followed is "not a directory" to the kernel where one is wanted; `openat2` calls it a loop.
fn link_error(dir: BorrowedFd<'_>, name: &OsStr, error: Errno) -> Errno {
    let is_link = || {
        let stat = fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW);
        stat.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
    };
    if error == Errno::NOTDIR && is_link() { Errno::LOOP } else { error }
}

fn kind(file_type: FileType) -> Kind {
    match file_type {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Directory,
        FileType::Symlink => Kind::Link,
        _ => Kind::Other,
    }
}

impl Stat {
    /// What the handle of an open file says.
    pub(crate) fn of(metadata: &std::fs::Metadata) -> Self {
        Self {
            kind: kind(FileType::from_raw_mode(metadata.mode())),
            size: metadata.size(),
            mode: metadata.mode(),
            links: metadata.nlink(),
            created: metadata.created().ok(),
            modified: metadata.modified().ok(),
            accessed: metadata.accessed().ok(),
        }
    }
}
