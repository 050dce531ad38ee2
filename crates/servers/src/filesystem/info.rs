//! What is known about a file without reading it.

use std::time::SystemTime;

use jiff::tz::TimeZone;

use super::beneath::Kind;
use super::date;
use super::failure::Failure;
use super::location::Location;

/// Describes a file or directory, one property a line.
pub(crate) fn file_info(location: &Location, zone: &TimeZone) -> Result<String, Failure> {
    let stat = location.dir().stat(location.relative()).map_err(|error| location.failure(&error, "stat"))?;
    let shown = |time: Option<SystemTime>| date::formatted(time.unwrap_or(SystemTime::UNIX_EPOCH), zone);
    Ok(format!(
        "size: {}\ncreated: {}\nmodified: {}\naccessed: {}\nisDirectory: {}\nisFile: {}\npermissions: {:03o}",
        stat.size,
        shown(stat.created),
        shown(stat.modified),
        shown(stat.accessed),
        stat.kind == Kind::Directory,
        stat.kind == Kind::File,
        stat.mode & 0o777,
    ))
}
