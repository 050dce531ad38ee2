//! Being asked to stop.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use unix::interrupted;
#[cfg(windows)]
pub(crate) use windows::interrupted;
