//! Why a call failed, in the words that clients of the original know.

use std::fmt;
use std::io;
use std::path::Path;

/// Why a call failed. Its text is the text of the tool's failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure(String);

impl Failure {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// An error of the system as Node.js writes it: `CODE: text, syscall 'path'`.
    pub(crate) fn system(error: &io::Error, syscall: &str, path: &Path) -> Self {
        Self(format!("{}, {syscall} '{}'", described(error), path.display()))
    }

    /// The same for a call that has no path of its own, such as `read`.
    pub(crate) fn system_without_path(error: &io::Error, syscall: &str) -> Self {
        Self(format!("{}, {syscall}", described(error)))
    }

    /// The same for a call with two paths.
    pub(crate) fn system_between(error: &io::Error, syscall: &str, from: &Path, to: &Path) -> Self {
        Self(format!("{}, {syscall} '{}' -> '{}'", described(error), from.display(), to.display()))
    }

    /// The error of reading a directory as a file.
    pub(crate) fn is_a_directory() -> Self {
        Self::system_without_path(&io::ErrorKind::IsADirectory.into(), "read")
    }

    /// Refuses FIFOs, sockets and devices: opening one may wait for ever or do something.
    pub(crate) fn not_a_regular_file(path: &Path) -> Self {
        Self(format!("Access denied - not a regular file: {}", path.display()))
    }

    pub(crate) fn cancelled() -> Self {
        Self::new("The call was cancelled")
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}

/// Returns `CODE: text` for an error of the system, in the words of libuv.
fn described(error: &io::Error) -> String {
    match platform_code(error).or_else(|| code_by_kind(error.kind())) {
        Some((code, text)) => format!("{code}: {text}"),
        // The text of an unknown error can name a path, so only its kind is shown.
        None => format!("EIO: {}", error.kind()),
    }
}

fn code_by_kind(kind: io::ErrorKind) -> Option<(&'static str, &'static str)> {
    use io::ErrorKind as Kind;
    Some(match kind {
        Kind::NotFound => ("ENOENT", "no such file or directory"),
        Kind::PermissionDenied => ("EACCES", "permission denied"),
        Kind::AlreadyExists => ("EEXIST", "file already exists"),
        Kind::IsADirectory => ("EISDIR", "illegal operation on a directory"),
        Kind::NotADirectory => ("ENOTDIR", "not a directory"),
        Kind::DirectoryNotEmpty => ("ENOTEMPTY", "directory not empty"),
        Kind::ReadOnlyFilesystem => ("EROFS", "read-only file system"),
        Kind::StorageFull => ("ENOSPC", "no space left on device"),
        Kind::QuotaExceeded => ("EDQUOT", "disk quota exceeded"),
        Kind::FileTooLarge => ("EFBIG", "file too large"),
        Kind::InvalidFilename => ("ENAMETOOLONG", "name too long"),
        Kind::InvalidInput => ("EINVAL", "invalid argument"),
        Kind::CrossesDevices => ("EXDEV", "cross-device link not permitted"),
        Kind::ResourceBusy => ("EBUSY", "resource busy or locked"),
        Kind::ExecutableFileBusy => ("ETXTBSY", "text file is busy"),
        Kind::TooManyLinks => ("EMLINK", "too many links"),
        Kind::OutOfMemory => ("ENOMEM", "not enough memory"),
        Kind::TimedOut => ("ETIMEDOUT", "connection timed out"),
        Kind::StaleNetworkFileHandle => ("ESTALE", "stale file handle"),
        Kind::Unsupported => ("ENOTSUP", "operation not supported on socket"),
        _ => return None,
    })
}

/// Codes that several errors share a kind with, or that have none.
#[cfg(unix)]
fn platform_code(error: &io::Error) -> Option<(&'static str, &'static str)> {
    use rustix::io::Errno;
    Some(match Errno::from_io_error(error)? {
        Errno::PERM => ("EPERM", "operation not permitted"),
        Errno::LOOP => ("ELOOP", "too many symbolic links encountered"),
        Errno::MFILE => ("EMFILE", "too many open files"),
        Errno::NFILE => ("ENFILE", "file table overflow"),
        Errno::IO => ("EIO", "i/o error"),
        Errno::NXIO => ("ENXIO", "no such device or address"),
        _ => return None,
    })
}

#[cfg(not(unix))]
fn platform_code(_: &io::Error) -> Option<(&'static str, &'static str)> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_system_read_as_node_writes_them() {
        let failure = |kind: io::ErrorKind| Failure::system(&kind.into(), "open", Path::new("/a/b")).to_string();
        assert_eq!(failure(io::ErrorKind::NotFound), "ENOENT: no such file or directory, open '/a/b'");
        assert_eq!(failure(io::ErrorKind::PermissionDenied), "EACCES: permission denied, open '/a/b'");
        assert_eq!(Failure::is_a_directory().to_string(), "EISDIR: illegal operation on a directory, read");
        let both =
            Failure::system_between(&io::ErrorKind::AlreadyExists.into(), "rename", Path::new("/a"), Path::new("/b"));
        assert_eq!(both.to_string(), "EEXIST: file already exists, rename '/a' -> '/b'");
    }

    #[cfg(unix)]
    #[test]
    fn codes_that_share_a_kind_are_told_apart() {
        let raw = |errno: rustix::io::Errno| described(&errno.into());
        assert_eq!(raw(rustix::io::Errno::PERM), "EPERM: operation not permitted");
        assert_eq!(raw(rustix::io::Errno::ACCESS), "EACCES: permission denied");
        assert_eq!(raw(rustix::io::Errno::LOOP), "ELOOP: too many symbolic links encountered");
        assert_eq!(raw(rustix::io::Errno::NAMETOOLONG), "ENAMETOOLONG: name too long");
    }
}
