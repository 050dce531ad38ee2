//! The standard streams as a byte stream that belongs to the protocol alone.

use std::io;

use crate::ByteStream;

#[cfg(target_os = "linux")]
mod pipe;
#[cfg(unix)]
mod thread;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

/// Takes the standard streams for the protocol.
///
/// From then on, what other code prints to standard output goes to standard error, and what it reads from standard input is
/// empty, so that a stray `println!` does not break the protocol. (On Windows the streams stay shared.)
///
/// # Errors
/// The streams cannot be duplicated or are not open.
///
/// # Panics
/// Outside of a Tokio runtime with I/O enabled.
pub fn open() -> io::Result<ByteStream> {
    #[cfg(unix)]
    return unix::open();
    #[cfg(windows)]
    return windows::open();
}
