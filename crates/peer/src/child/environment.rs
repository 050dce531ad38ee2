//! Which variables a child may see without being asked for.

use std::ffi::{OsStr, OsString};

/// The variables that every child gets if we have them: what programs need to find files, time zone and language.
/// Secrets live in other ones.
#[cfg(unix)]
pub const DEFAULT_ENVIRONMENT: &[&str] =
    &["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ"];

/// The variables that every child gets if we have them: what programs need to find files, time zone and language.
/// Secrets live in other ones.
#[cfg(windows)]
pub const DEFAULT_ENVIRONMENT: &[&str] = &[
    "APPDATA",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
];

/// Returns our values of the default variables and of `further` ones.
pub(super) fn of(further: &[OsString]) -> impl Iterator<Item = (&OsStr, OsString)> {
    let names = DEFAULT_ENVIRONMENT.iter().map(OsStr::new).chain(further.iter().map(|name| &**name));
    names.filter_map(|name| std::env::var_os(name).map(|value| (name, value)))
}
