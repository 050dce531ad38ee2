//! Dates of commits: how they are shown, and how the environment gives them.

use gix::date::Time;

use super::failure::{Failure, Result};

/// How the offset from UTC is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Offset {
    /// `+02:00`, directly after the time.
    Colon,
    /// `+0200`, after a blank.
    Compact,
}

const DAY: i64 = 24 * 60 * 60;

/// A time as its author saw it.
pub(super) fn shown(time: Time, offset: Offset) -> String {
    let local = time.seconds.saturating_add(i64::from(time.offset));
    let (year, month, day) = civil(local.div_euclid(DAY));
    let second = local.rem_euclid(DAY);
    let (hours, minutes) = (time.offset.unsigned_abs() / 3600, time.offset.unsigned_abs() / 60 % 60);
    let sign = if time.offset < 0 { '-' } else { '+' };
    let zone = match offset {
        Offset::Colon => format!("{sign}{hours:02}:{minutes:02}"),
        Offset::Compact => format!(" {sign}{hours:02}{minutes:02}"),
    };
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}{zone}")
}

/// Year, month and day of a number of days since 1970.
pub(super) fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// The number of days since 1970. Months beyond 1 to 12 and days beyond the month run over.
pub(super) fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = year + (month - 1).div_euclid(12);
    let month = (month - 1).rem_euclid(12) + 1;
    let shifted_year = year - i64::from(month <= 2);
    let era = shifted_year.div_euclid(400);
    let year_of_era = shifted_year.rem_euclid(400);
    let shifted_month = (month + 9) % 12;
    let day_of_year = (153 * shifted_month + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// A date of `GIT_AUTHOR_DATE` or `GIT_COMMITTER_DATE`: `1700000000 +0200`, `2005-04-07T22:13:13 +0200`,
/// `Thu, 07 Apr 2005 22:13:13 +0200`, and dates with dots or slashes. Without an offset, UTC is meant.
pub(super) fn parse(text: &str) -> Result<Time> {
    let parsed = if text.matches(' ').count() == 1 && !text.contains(':') { raw(text) } else { calendar(text) };
    parsed.ok_or_else(|| Failure::new(format!("Unsupported date format or type: {text}")))
}

fn raw(text: &str) -> Option<Time> {
    let (seconds, offset) = text.split_once(' ')?;
    let seconds = seconds.strip_prefix('@').unwrap_or(seconds).parse().ok()?;
    Some(Time { seconds, offset: parse_offset(offset)? })
}

fn calendar(text: &str) -> Option<Time> {
    let (text, offset) = match text.len().checked_sub(5).and_then(|at| text.split_at_checked(at)) {
        Some((before, zone)) if zone.starts_with(['+', '-']) => {
            (before.strip_suffix(' ').unwrap_or(before), parse_offset(zone)?)
        }
        _ => (text, 0),
    };
    let split = if text.contains(',') { text.rfind(' ') } else { text.rfind('T').or_else(|| text.rfind(' ')) }?;
    let (date, time) = (&text[..split], &text[split + 1..]);
    let (year, month, day) = parse_day(date)?;
    let mut parts = time.split(':').map(|part| part.parse::<i64>().ok());
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
    if parts.next().is_some()
        || hour > 23
        || minute > 59
        || second > 61
        || [hour, minute, second].iter().any(|n| *n < 0)
    {
        return None;
    }
    let local = days_from_civil(year, month, day) * DAY + hour * 3600 + minute * 60 + second;
    // The original takes the time as UTC and only records the offset.
    Some(Time { seconds: local, offset })
}

fn parse_day(date: &str) -> Option<(i64, i64, i64)> {
    const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let number = |text: &str| text.parse::<i64>().ok();
    let (year, month, day) = if let Some((_, rest)) = date.split_once(", ") {
        let [day, month, year] = rest.split(' ').collect::<Vec<_>>().try_into().ok()?;
        let month = MONTHS.iter().position(|name| month.eq_ignore_ascii_case(name))?;
        (number(year)?, i64::try_from(month).ok()? + 1, number(day)?)
    } else {
        let separator = date.chars().find(|c| matches!(c, '-' | '.' | '/'))?;
        let [one, two, three] = date.split(separator).collect::<Vec<_>>().try_into().ok()?;
        match (separator, one.len()) {
            ('-', _) | ('.', 4) => (number(one)?, number(two)?, number(three)?),
            ('/', _) => (number(three)?, number(one)?, number(two)?),
            _ => (number(three)?, number(two)?, number(one)?),
        }
    };
    ((1..=12).contains(&month) && (1..=31).contains(&day)).then_some((year, month, day))
}

fn parse_offset(text: &str) -> Option<i32> {
    let number: i32 = text.parse().ok()?;
    let seconds = (number.abs() / 100) * 3600 + (number.abs() % 100) * 60;
    (seconds <= 14 * 3600).then_some(if number < 0 { -seconds } else { seconds })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_shown_with_its_own_offset() {
        let time = Time { seconds: 1_700_000_000, offset: 7200 };
        assert_eq!(shown(time, Offset::Colon), "2023-11-15 00:13:20+02:00");
        assert_eq!(shown(time, Offset::Compact), "2023-11-15 00:13:20 +0200");
        let west = Time { seconds: 951_782_400, offset: -12_600 };
        assert_eq!(shown(west, Offset::Colon), "2000-02-28 20:30:00-03:30");
        assert_eq!(shown(Time { seconds: -1, offset: 0 }, Offset::Colon), "1969-12-31 23:59:59+00:00");
    }

    #[test]
    fn days_and_dates_are_inverse() {
        for days in [-800_000, -1, 0, 59, 60, 19_675, 800_000] {
            let (year, month, day) = civil(days);
            assert_eq!(days_from_civil(year, month, day), days);
        }
        assert_eq!(days_from_civil(2023, 14, 1), days_from_civil(2024, 2, 1));
        assert_eq!(days_from_civil(2023, 2, 31), days_from_civil(2023, 3, 3));
    }

    #[test]
    fn the_environment_may_give_a_date_in_several_forms() {
        for (text, seconds, offset) in [
            ("1700000000 +0200", 1_700_000_000, 7200),
            ("@1700000000 -0330", 1_700_000_000, -12_600),
            ("2023-11-14T22:13:20", 1_700_000_000, 0),
            ("2023-11-14 22:13:20 +0100", 1_700_000_000, 3600),
            ("Tue, 14 Nov 2023 22:13:20 +0000", 1_700_000_000, 0),
            ("14.11.2023 22:13:20", 1_700_000_000, 0),
            ("11/14/2023 22:13:20", 1_700_000_000, 0),
        ] {
            assert_eq!(parse(text), Ok(Time { seconds, offset }), "{text}");
        }
        assert!(parse("yesterday").is_err());
        assert!(parse("2023-13-14T22:13:20").is_err());
    }
}
