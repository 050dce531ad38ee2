//! What systems do in different ways.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(super) use unix::{lock, number, sync_directory};
#[cfg(windows)]
pub(super) use windows::{lock, number, sync_directory};
