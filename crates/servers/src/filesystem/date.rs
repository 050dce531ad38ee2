//! Points in time as JavaScript writes them: `Tue Nov 14 2023 22:13:20 GMT+0000 (Coordinated Universal Time)`.

use std::time::SystemTime;

use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};

/// Writes a point in time in a time zone.
pub(crate) fn formatted(time: SystemTime, zone: &TimeZone) -> String {
    let timestamp = Timestamp::try_from(time).unwrap_or(Timestamp::UNIX_EPOCH);
    let zoned = timestamp.to_zoned(zone.clone());
    let info = zone.to_offset_info(timestamp);
    let name = long_name(zone.iana_name().unwrap_or_default(), info.dst().is_dst());
    let name = name.map_or_else(|| format!("GMT{}", signed(info.offset(), ":")), str::to_owned);
    format!("{} GMT{} ({name})", zoned.strftime("%a %b %d %Y %H:%M:%S"), signed(info.offset(), ""))
}

fn signed(offset: Offset, separator: &str) -> String {
    let minutes = offset.seconds() / 60;
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("{sign}{:02}{separator}{:02}", minutes.abs() / 60, minutes.abs() % 60)
}

/// English names of zones, for standard and for daylight saving time. Zones that are not here are named by their offset, as JavaScript
/// does with zones that have no name.
const NAMES: &[(&str, &str, &[&str])] = &[
    ("Coordinated Universal Time", "", &["UTC", "Etc/UTC", "Etc/UCT", "Etc/Zulu", "Zulu", "UCT", "GMT", "Etc/GMT"]),
    (
        "Central European Standard Time",
        "Central European Summer Time",
        &[
            "Europe/Amsterdam",
            "Europe/Belgrade",
            "Europe/Berlin",
            "Europe/Bratislava",
            "Europe/Brussels",
            "Europe/Budapest",
            "Europe/Copenhagen",
            "Europe/Ljubljana",
            "Europe/Luxembourg",
            "Europe/Madrid",
            "Europe/Oslo",
            "Europe/Paris",
            "Europe/Prague",
            "Europe/Rome",
            "Europe/Stockholm",
            "Europe/Vienna",
            "Europe/Warsaw",
            "Europe/Zagreb",
            "Europe/Zurich",
        ],
    ),
    (
        "Eastern European Standard Time",
        "Eastern European Summer Time",
        &[
            "Africa/Cairo",
            "Europe/Athens",
            "Europe/Bucharest",
            "Europe/Helsinki",
            "Europe/Kyiv",
            "Europe/Riga",
            "Europe/Sofia",
            "Europe/Tallinn",
            "Europe/Vilnius",
        ],
    ),
    ("Greenwich Mean Time", "British Summer Time", &["Europe/London"]),
    ("Western European Standard Time", "Western European Summer Time", &["Europe/Lisbon"]),
    ("Moscow Standard Time", "Moscow Summer Time", &["Europe/Moscow"]),
    ("Eastern Standard Time", "Eastern Daylight Time", &["America/New_York", "America/Toronto", "America/Detroit"]),
    ("Central Standard Time", "Central Daylight Time", &["America/Chicago", "America/Mexico_City"]),
    ("Mountain Standard Time", "Mountain Daylight Time", &["America/Denver", "America/Phoenix"]),
    ("Pacific Standard Time", "Pacific Daylight Time", &["America/Los_Angeles", "America/Vancouver"]),
    ("Alaska Standard Time", "Alaska Daylight Time", &["America/Anchorage"]),
    ("Hawaii-Aleutian Standard Time", "Hawaii-Aleutian Daylight Time", &["Pacific/Honolulu"]),
    ("Atlantic Standard Time", "Atlantic Daylight Time", &["America/Halifax"]),
    ("Newfoundland Standard Time", "Newfoundland Daylight Time", &["America/St_Johns"]),
    ("Brasilia Standard Time", "Brasilia Summer Time", &["America/Sao_Paulo"]),
    ("Argentina Standard Time", "Argentina Summer Time", &["America/Argentina/Buenos_Aires"]),
    ("Colombia Standard Time", "Colombia Summer Time", &["America/Bogota"]),
    ("Chile Standard Time", "Chile Summer Time", &["America/Santiago"]),
    ("India Standard Time", "", &["Asia/Kolkata", "Asia/Calcutta"]),
    ("China Standard Time", "China Daylight Time", &["Asia/Shanghai"]),
    ("Japan Standard Time", "Japan Daylight Time", &["Asia/Tokyo"]),
    ("Korean Standard Time", "Korean Daylight Time", &["Asia/Seoul"]),
    ("Singapore Standard Time", "", &["Asia/Singapore"]),
    ("Hong Kong Standard Time", "Hong Kong Summer Time", &["Asia/Hong_Kong"]),
    ("Indochina Time", "", &["Asia/Bangkok", "Asia/Ho_Chi_Minh"]),
    ("Gulf Standard Time", "", &["Asia/Dubai"]),
    ("Israel Standard Time", "Israel Daylight Time", &["Asia/Jerusalem"]),
    (
        "Australian Eastern Standard Time",
        "Australian Eastern Daylight Time",
        &["Australia/Sydney", "Australia/Melbourne", "Australia/Brisbane"],
    ),
    ("Australian Central Standard Time", "Australian Central Daylight Time", &["Australia/Adelaide"]),
    ("Australian Western Standard Time", "Australian Western Daylight Time", &["Australia/Perth"]),
    ("New Zealand Standard Time", "New Zealand Daylight Time", &["Pacific/Auckland"]),
    ("South Africa Standard Time", "", &["Africa/Johannesburg"]),
    ("East Africa Time", "", &["Africa/Nairobi"]),
    ("West Africa Time", "", &["Africa/Lagos"]),
    ("Arabian Standard Time", "Arabian Daylight Time", &["Asia/Riyadh"]),
    ("Bangladesh Standard Time", "Bangladesh Summer Time", &["Asia/Dhaka"]),
    ("Iran Standard Time", "Iran Daylight Time", &["Asia/Tehran"]),
    ("Nepal Time", "", &["Asia/Kathmandu"]),
    ("Pakistan Standard Time", "Pakistan Summer Time", &["Asia/Karachi"]),
    ("Peru Standard Time", "Peru Summer Time", &["America/Lima"]),
    ("Philippine Standard Time", "Philippine Summer Time", &["Asia/Manila"]),
    ("Taiwan Standard Time", "Taiwan Daylight Time", &["Asia/Taipei"]),
    ("Western Indonesia Time", "", &["Asia/Jakarta"]),
];

fn long_name(zone: &str, is_daylight_saving: bool) -> Option<&'static str> {
    let (standard, daylight, _) = NAMES.iter().find(|(_, _, zones)| zones.contains(&zone))?;
    Some(if is_daylight_saving { daylight } else { standard }).copied().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_read_as_javascript_writes_them() {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        assert_eq!(formatted(time, &TimeZone::UTC), "Tue Nov 14 2023 22:13:20 GMT+0000 (Coordinated Universal Time)");
        let zone = TimeZone::fixed(jiff::tz::offset(-3));
        assert_eq!(formatted(time, &zone), "Tue Nov 14 2023 19:13:20 GMT-0300 (GMT-03:00)");
        let early = SystemTime::UNIX_EPOCH + Duration::from_millis(500);
        assert_eq!(formatted(early, &TimeZone::UTC), "Thu Jan 01 1970 00:00:00 GMT+0000 (Coordinated Universal Time)");
    }

    #[test]
    fn zones_have_their_names() {
        assert_eq!(long_name("Europe/Berlin", true), Some("Central European Summer Time"));
        assert_eq!(long_name("Asia/Tokyo", false), Some("Japan Standard Time"));
        assert_eq!(long_name("Africa/Casablanca", false), None);
    }
}
