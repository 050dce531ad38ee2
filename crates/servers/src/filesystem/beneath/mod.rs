//! Operations on a directory handle that never leave it.
//!
//! Every path here is relative to a handle and has its links resolved already, so no link may be met on the way: one that stands there
//! now was put there since the path was checked. The kernel refuses it in the same step that opens the file.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(any(not(target_os = "linux"), test))]
#[cfg_attr(target_os = "linux", expect(dead_code, reason = "tests run the contract on it; it is used elsewhere"))]
mod other;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;

use std::ffi::OsString;
use std::io;
use std::time::SystemTime;

#[cfg(target_os = "linux")]
pub(crate) use linux::Dir;
#[cfg(not(target_os = "linux"))]
pub(crate) use other::Dir;

/// What a directory entry is, without following links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Directory,
    Link,
    /// A FIFO, a socket or a device.
    Other,
}

/// One name in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: OsString,
    pub(crate) kind: Kind,
}

/// What is known about a file without reading it.
#[derive(Clone, Debug)]
pub(crate) struct Stat {
    pub(crate) kind: Kind,
    pub(crate) size: u64,
    /// Permission bits and file type, as in `st_mode`.
    pub(crate) mode: u32,
    /// How many names the file has.
    pub(crate) links: u64,
    pub(crate) created: Option<SystemTime>,
    pub(crate) modified: Option<SystemTime>,
    pub(crate) accessed: Option<SystemTime>,
}

/// Whether an error says that a link stood where none may be.
pub(crate) fn met_a_link(error: &io::Error) -> bool {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        matches!(Errno::from_io_error(error), Some(Errno::LOOP | Errno::XDEV))
    }
    #[cfg(not(unix))]
    {
        // cap-std has an error of its own for paths that lead out.
        error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none()
    }
}
