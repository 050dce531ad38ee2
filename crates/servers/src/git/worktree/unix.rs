//! Directory handles: each component is opened relative to its parent without following links, so check and use are one act.

use std::{
    cell::RefCell,
    fs::File,
    io::{self, Read, Write},
    os::{
        fd::{AsFd, OwnedFd},
        unix::ffi::OsStrExt,
    },
    path::Path,
    rc::Rc,
};

use gix::{
    bstr::{BStr, BString, ByteSlice},
    index::entry::{Stat, stat::Time},
};
use rustix::{
    fs::{AtFlags, FileType, Mode, OFlags},
    io::Errno,
};

use super::{FileKind, FileStat};

/// A working tree.
#[derive(Debug)]
pub(in crate::git) struct Worktree {
    root: Rc<OwnedFd>,
    /// The directory that was used last: entries of an index come sorted, so most share it with their neighbour.
    last: RefCell<Option<(BString, Rc<OwnedFd>)>>,
}

const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

impl Worktree {
    /// The tree below `root`, whose own path may contain links.
    pub(in crate::git) fn open(root: &Path) -> io::Result<Self> {
        let root = rustix::fs::open(root, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Self { root: Rc::new(root), last: RefCell::new(None) })
    }

    /// What stands at the path: nothing if it is missing or a parent is no directory.
    pub(in crate::git) fn stat(&self, path: &BStr) -> io::Result<Option<FileStat>> {
        let (parent, name) = split(path);
        let stat = self
            .directory(parent)
            .and_then(|directory| rustix::fs::statat(&*directory, name.as_bytes(), AtFlags::SYMLINK_NOFOLLOW));
        match stat {
            Ok(stat) => Ok(Some(converted(&stat))),
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The content of a regular file.
    pub(in crate::git) fn read(&self, path: &BStr) -> io::Result<Vec<u8>> {
        let (parent, name) = split(path);
        // Without NONBLOCK, a pipe that replaced the file would hold the call for ever.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&*self.directory(parent)?, name.as_bytes(), flags, Mode::empty())?;
        let stat = rustix::fs::fstat(&file)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        let mut content = Vec::with_capacity(usize::try_from(stat.st_size).unwrap_or(0));
        File::from(file).read_to_end(&mut content)?;
        Ok(content)
    }

    /// Where a symbolic link leads to.
    pub(in crate::git) fn read_link(&self, path: &BStr) -> io::Result<Vec<u8>> {
        let (parent, name) = split(path);
        Ok(rustix::fs::readlinkat(&*self.directory(parent)?, name.as_bytes(), Vec::new())?.into_bytes())
    }

    /// The entries of a directory (the root is the empty path) in order of their names.
    pub(in crate::git) fn entries(&self, path: &BStr) -> io::Result<Vec<(BString, FileKind)>> {
        let directory = self.directory(path)?;
        let mut entries = Vec::new();
        for entry in rustix::fs::Dir::read_from(&*directory)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            let kind = match entry.file_type() {
                FileType::Unknown => kind(FileType::from_raw_mode(
                    rustix::fs::statat(&*directory, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode,
                )),
                known => kind(known),
            };
            entries.push((BString::from(name), kind));
        }
        entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(entries)
    }

    /// Writes a new file, which must not exist, and its parents.
    pub(in crate::git) fn create(&self, path: &BStr, content: &[u8], executable: bool) -> io::Result<()> {
        let (parent, name) = split(path);
        let directory = self.make_directory(parent)?;
        let mode = if executable { 0o777 } else { 0o666 };
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&*directory, name.as_bytes(), flags, Mode::from_raw_mode(mode))?;
        File::from(file).write_all(content)
    }

    /// Makes a symbolic link, which must not exist, and its parents.
    pub(in crate::git) fn create_link(&self, path: &BStr, target: &[u8]) -> io::Result<()> {
        let (parent, name) = split(path);
        let directory = self.make_directory(parent)?;
        Ok(rustix::fs::symlinkat(std::ffi::OsStr::from_bytes(target), &*directory, name.as_bytes())?)
    }

    /// Makes a directory and its parents where they are missing.
    pub(in crate::git) fn create_directory(&self, path: &BStr) -> io::Result<()> {
        self.make_directory(path)?;
        Ok(())
    }

    /// Removes a file or link; it may be gone already.
    pub(in crate::git) fn remove(&self, path: &BStr) -> io::Result<()> {
        let (parent, name) = split(path);
        match self
            .directory(parent)
            .and_then(|directory| rustix::fs::unlinkat(&*directory, name.as_bytes(), AtFlags::empty()))
        {
            Ok(()) | Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes a directory if it is empty, and says whether it did.
    pub(in crate::git) fn remove_empty_directory(&self, path: &BStr) -> bool {
        let (parent, name) = split(path);
        self.last.borrow_mut().take();
        self.directory(parent)
            .and_then(|directory| rustix::fs::unlinkat(&*directory, name.as_bytes(), AtFlags::REMOVEDIR))
            .is_ok()
    }

    fn directory(&self, path: &BStr) -> Result<Rc<OwnedFd>, Errno> {
        if path.is_empty() {
            return Ok(self.root.clone());
        }
        if let Some((last, directory)) = &*self.last.borrow()
            && last == path
        {
            return Ok(directory.clone());
        }
        let mut directory = self.root.clone();
        for component in path.split_str("/") {
            directory = Rc::new(rustix::fs::openat(directory.as_fd(), checked(component)?, DIRECTORY, Mode::empty())?);
        }
        *self.last.borrow_mut() = Some((path.to_owned(), directory.clone()));
        Ok(directory)
    }

    fn make_directory(&self, path: &BStr) -> io::Result<Rc<OwnedFd>> {
        let mut directory = self.root.clone();
        if path.is_empty() {
            return Ok(directory);
        }
        for component in path.split_str("/") {
            let name = checked(component)?;
            match rustix::fs::mkdirat(&*directory, name, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
            directory = Rc::new(rustix::fs::openat(directory.as_fd(), name, DIRECTORY, Mode::empty())?);
        }
        Ok(directory)
    }
}

/// Parent and name; names that lead elsewhere are replaced by one that does not exist.
fn split(path: &BStr) -> (&BStr, &BStr) {
    let (parent, name) = match path.rfind_byte(b'/') {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => (&path[..0], path),
    };
    if checked(name).is_ok() { (parent.as_bstr(), name.as_bstr()) } else { (b"".as_bstr(), b"\xff/".as_bstr()) }
}

fn checked(component: &[u8]) -> Result<&[u8], Errno> {
    match component {
        b"" | b"." | b".." => Err(Errno::NOENT),
        name => Ok(name),
    }
}

fn kind(file_type: FileType) -> FileKind {
    match file_type {
        FileType::RegularFile => FileKind::File,
        FileType::Symlink => FileKind::Link,
        FileType::Directory => FileKind::Directory,
        _ => FileKind::Other,
    }
}

/// Git keeps the low 32 bits of each number.
#[expect(clippy::unnecessary_cast, reason = "platforms differ in the types of these numbers")]
fn converted(stat: &rustix::fs::Stat) -> FileStat {
    FileStat {
        kind: kind(FileType::from_raw_mode(stat.st_mode)),
        executable: stat.st_mode & 0o100 != 0,
        stat: Stat {
            mtime: Time { secs: stat.st_mtime as u32, nsecs: stat.st_mtime_nsec as u32 },
            ctime: Time { secs: stat.st_ctime as u32, nsecs: stat.st_ctime_nsec as u32 },
            dev: stat.st_dev as u32,
            ino: stat.st_ino as u32,
            uid: stat.st_uid as u32,
            gid: stat.st_gid as u32,
            size: stat.st_size as u32,
        },
    }
}
