//! Reading a clock in a time zone, and carrying the time of one to another.

use jiff::civil::{Time, Weekday};
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{Timestamp, Zoned};
use serde::Serialize;

use super::zones::Zones;

/// What a clock shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Reading {
    timezone: String,
    datetime: String,
    day_of_week: &'static str,
    is_dst: bool,
}

/// What two clocks show at the same moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Conversion {
    source: Reading,
    target: Reading,
    time_difference: String,
}

/// Reads the clock of a zone.
pub(super) fn read(zones: &Zones, name: &str, now: Timestamp) -> Result<Reading, String> {
    Ok(reading(zones, name, &now.to_zoned(zone(zones, name)?)))
}

/// Says what time it is in `target` when the clock of `source` shows `time`, on the day that it is there.
pub(super) fn convert(
    zones: &Zones,
    source: &str,
    time: &str,
    target: &str,
    now: Timestamp,
) -> Result<Conversion, String> {
    let (from, to) = (zone(zones, source)?, zone(zones, target)?);
    let at = hour_and_minute(time).ok_or("Invalid time format. Expected HH:MM [24-hour format]")?;
    let today = now.to_zoned(from.clone()).date();
    let moment = from.to_ambiguous_zoned(today.to_datetime(at));
    if let AmbiguousOffset::Gap { .. } = moment.offset() {
        return Err(format!("Invalid time: {time} does not exist in {source} on {today} (skipped by a clock change)"));
    }
    // A time that occurs twice counts as the first.
    let there = moment.earlier().map_err(|error| error.to_string())?;
    let here = there.with_time_zone(to);
    Ok(Conversion {
        time_difference: difference(here.offset().seconds() - there.offset().seconds()),
        source: reading(zones, source, &there),
        target: reading(zones, target, &here),
    })
}

fn zone(zones: &Zones, name: &str) -> Result<TimeZone, String> {
    zones.get(name).map_err(|_| format!("Invalid timezone: 'No time zone found with key {name}'"))
}

fn reading(zones: &Zones, name: &str, at: &Zoned) -> Reading {
    Reading {
        timezone: name.to_owned(),
        datetime: at.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
        day_of_week: day(at.weekday()),
        is_dst: zones.is_dst(at.time_zone(), at.timestamp()),
    }
}

fn day(weekday: Weekday) -> &'static str {
    match weekday {
        Weekday::Monday => "Monday",
        Weekday::Tuesday => "Tuesday",
        Weekday::Wednesday => "Wednesday",
        Weekday::Thursday => "Thursday",
        Weekday::Friday => "Friday",
        Weekday::Saturday => "Saturday",
        Weekday::Sunday => "Sunday",
    }
}

/// Reads `H:M`, one or two digits each.
fn hour_and_minute(text: &str) -> Option<Time> {
    let number = |digits: &str| {
        let good = (1..=2).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        good.then(|| digits.parse::<i8>().ok())?
    };
    let (hour, minute) = text.split_once(':')?;
    Time::new(number(hour)?, number(minute)?, 0, 0).ok()
}

/// Writes a difference of offsets in hours: `+0.0h`, `-5.0h`, `+5.75h`.
fn difference(seconds: i32) -> String {
    if seconds % 3600 == 0 {
        return format!("{:+.1}h", f64::from(seconds / 3600));
    }
    let text = format!("{:+.2}", f64::from(seconds) / 3600.0);
    format!("{}h", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(now: &str, source: &str, time: &str, target: &str) -> Result<(String, String, String), String> {
        let conversion = convert(&Zones::open(), source, time, target, now.parse().unwrap())?;
        Ok((conversion.source.datetime, conversion.target.datetime, conversion.time_difference))
    }

    #[test]
    fn times_are_carried_over_on_the_day_of_the_source() {
        let texts = |source: &str, target: &str, difference: &str| {
            Ok((source.to_owned(), target.to_owned(), difference.to_owned()))
        };
        // It is the 18th in UTC, but the 17th in New York.
        let now = "2026-11-18T02:00:00Z";
        for (source, time, target, expected) in [
            (
                "America/New_York",
                "16:30",
                "Asia/Tokyo",
                texts("2026-11-17T16:30:00-05:00", "2026-11-18T06:30:00+09:00", "+14.0h"),
            ),
            ("UTC", "0:5", "Asia/Kathmandu", texts("2026-11-18T00:05:00+00:00", "2026-11-18T05:50:00+05:45", "+5.75h")),
            ("UTC", "09:00", "UTC", texts("2026-11-18T09:00:00+00:00", "2026-11-18T09:00:00+00:00", "+0.0h")),
            (
                "Asia/Kathmandu",
                "09:00",
                "Asia/Kolkata",
                texts("2026-11-18T09:00:00+05:45", "2026-11-18T08:45:00+05:30", "-0.25h"),
            ),
        ] {
            assert_eq!(at(now, source, time, target), expected);
        }
    }

    #[test]
    fn a_skipped_time_is_refused_and_a_doubled_one_is_the_first() {
        let skipped = at("2026-03-29T12:00:00Z", "Europe/Warsaw", "02:30", "UTC").unwrap_err();
        let expected = "Invalid time: 02:30 does not exist in Europe/Warsaw on 2026-03-29 (skipped by a clock change)";
        assert_eq!(skipped, expected);
        let (source, target, _) = at("2026-10-25T12:00:00Z", "Europe/Warsaw", "2:30", "UTC").unwrap();
        assert_eq!((source.as_str(), target.as_str()), ("2026-10-25T02:30:00+02:00", "2026-10-25T00:30:00+00:00"));
    }

    #[test]
    fn zones_are_checked_before_the_time_and_the_source_before_the_target() {
        let now = "2026-11-18T02:00:00Z";
        let unknown = |name: &str| Err(format!("Invalid timezone: 'No time zone found with key {name}'"));
        assert_eq!(at(now, "Nope/A", "x", "Nope/B"), unknown("Nope/A"));
        assert_eq!(at(now, "UTC", "x", "Nope/B"), unknown("Nope/B"));
        for bad in
            ["", "24:00", "12:60", "12", "12:00:00", " 12:00", "12:00 ", "-1:00", "+1:00", "012:00", "1２:00", "noon"]
        {
            let error = at(now, "UTC", bad, "UTC").unwrap_err();
            assert_eq!(error, "Invalid time format. Expected HH:MM [24-hour format]", "{bad:?}");
        }
    }
}
