//! What kind of text a field of a form takes, and whether a text is of that kind.

use std::ops::RangeInclusive;

use crate::{StringFormat, uri};

impl StringFormat {
    /// Whether a text may be what the format says. It finds mistakes; it does not prove that an address exists. Dates and times are
    /// those of RFC 3339, URIs those of RFC 3986, as JSON Schema has them.
    #[must_use]
    pub fn accepts(self, text: &str) -> bool {
        match self {
            Self::Email => is_email(text),
            Self::Uri => uri::is_strict(text),
            Self::Date => is_date(text),
            Self::DateTime => {
                text.split_once(['T', 't']).is_some_and(|(date, time)| is_date(date) && is_time_of_day(time))
            }
        }
    }

    /// Says what is to be typed.
    pub(crate) fn takes(self) -> &'static str {
        match self {
            Self::Email => "an e-mail address",
            Self::Uri => "a URI such as https://example.com/",
            Self::Date => "a date such as 2000-12-31",
            Self::DateTime => "a date and time such as 2000-12-31T23:59:00Z",
        }
    }
}

fn is_email(text: &str) -> bool {
    text.split_once('@').is_some_and(|(name, host)| !name.is_empty() && !host.is_empty() && !host.contains('@'))
        && !text.contains(|c: char| c.is_whitespace() || c.is_control())
}

fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next(), parts.next(), parts.next());
    let (Some(year), Some(month), None) = (digits(year, 4), digits(month, 2), parts.next()) else { return false };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    digits(day, 2).is_some_and(|day| (1..=days).contains(&day))
}

/// A time with its distance to UTC. A minute has a 61st second only where one can be put in: at the end of a day of UTC.
fn is_time_of_day(text: &str) -> bool {
    let Some(zone) = text.find(['Z', 'z', '+', '-']) else { return false };
    let (time, zone) = text.split_at(zone);
    let (clock, fraction) = time.split_once('.').map_or((time, None), |(clock, fraction)| (clock, Some(fraction)));
    if fraction.is_some_and(|digits| digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit())) {
        return false;
    }
    let (minutes, second) = match clock.rsplit_once(':') {
        Some((minutes, second)) => (hours_and_minutes(minutes), within(Some(second), 0..=60)),
        None => return false,
    };
    let (Some(local), Some(second), Some(distance)) = (minutes, second, distance_to_utc(zone)) else { return false };
    second < 60 || (local - distance).rem_euclid(24 * 60) == 23 * 60 + 59
}

/// Reads a zone such as `Z` or `+01:00`, in minutes.
fn distance_to_utc(zone: &str) -> Option<i32> {
    match zone.split_at_checked(1)? {
        ("Z" | "z", "") => Some(0),
        ("+", distance) => hours_and_minutes(distance),
        ("-", distance) => hours_and_minutes(distance).map(|minutes| -minutes),
        _ => None,
    }
}

fn hours_and_minutes(text: &str) -> Option<i32> {
    let (hours, minutes) = text.split_once(':')?;
    Some(within(Some(hours), 0..=23)? * 60 + within(Some(minutes), 0..=59)?)
}

fn within(text: Option<&str>, range: RangeInclusive<i32>) -> Option<i32> {
    digits(text, 2).filter(|number| range.contains(number))
}

fn digits(text: Option<&str>, length: usize) -> Option<i32> {
    let text = text.filter(|text| text.len() == length && text.bytes().all(|b| b.is_ascii_digit()))?;
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(format: StringFormat, good: &[&str], bad: &[&str]) {
        for text in good {
            assert!(format.accepts(text), "{format} {text:?}");
        }
        for text in bad {
            assert!(!format.accepts(text), "{format} {text:?}");
        }
    }

    #[test]
    fn an_address_has_a_name_and_a_host() {
        let bad = ["", "a", "@b", "a@", "a@b@c", "a b@c", "a@b c", "a@b\n", "a@b\u{a0}c", "a\u{0}@b"];
        check(StringFormat::Email, &["a@b", "a.b+c@d.example", "ä@ö.example"], &bad);
    }

    #[test]
    fn a_uri_has_a_scheme() {
        let bad = ["", "x", "no uri", "/x", "a b:c", "x:<y>", "https://x/ä", "https://x/%zz", "a:[["];
        check(StringFormat::Uri, &["https://x", "mailto:a@b", "mailto:"], &bad);
    }

    #[test]
    fn a_day_is_in_the_calendar() {
        let good = ["2024-02-29", "2000-02-29", "0001-01-01", "2026-12-31", "2026-04-30"];
        let bad = [
            "",
            "2023-02-29",
            "1900-02-29",
            "2026-13-01",
            "2026-00-01",
            "2026-01-00",
            "2026-04-31",
            "2026-1-01",
            "26-01-01",
            "2026-01-01-01",
            "+026-01-01",
            "2026-01-1 ",
            "2026/01/01",
            "２０２６-01-01",
        ];
        check(StringFormat::Date, &good, &bad);
    }

    #[test]
    fn a_time_is_on_the_clock_and_has_a_zone() {
        let good = [
            "2024-02-29T23:59:00Z",
            "2024-02-29t00:00:00z",
            "2024-02-29T23:59:00.5+01:00",
            "2024-02-29T12:00:00.123456-23:59",
            "2016-12-31T23:59:60Z",
            "2017-01-01T00:59:60+01:00",
            "2016-12-31T15:59:60-08:00",
        ];
        let bad = [
            "",
            "T",
            "2024-02-29",
            "10:00",
            "2024-02-29 23:59:00Z",
            "2024-02-29T23:59:00",
            "2024-02-29T23:59Z",
            "2024-02-29T24:00:00Z",
            "2024-02-29T23:60:00Z",
            "2024-02-29T23:59:61Z",
            "2024-02-29T12:00:60Z",
            "2024-02-29T23:59:00.Z",
            "2024-02-29T23:59:00.xZ",
            "2024-02-29T23:59:00+24:00",
            "2024-02-29T23:59:00+0100",
            "2024-02-29T23:59:00+",
            "2024-02-29T23:59:00Z1",
            "2023-02-29T23:59:00Z",
            "2024-02-29T1:59:00Z",
            "2024-02-29T23:59:00++01:00",
            "2024-02-29T23:59:00é",
            "2024-02-29T23:59:00-é",
        ];
        check(StringFormat::DateTime, &good, &bad);
    }

    proptest! {
        /// A date and time that is made of parts is accepted if each part is, whatever stands in it.
        #[test]
        fn any_time_is_taken_or_refused(
            month in 0u8..15, day in 0u8..34, hour in 0u8..27, minute in 0u8..63, second in 0u8..60, zone in 0u8..27, text in ".{0,40}",
        ) {
            let date = format!("2026-{month:02}-{day:02}");
            let whole = format!("{date}T{hour:02}:{minute:02}:{second:02}-{zone:02}:00");
            let clock = hour < 24 && minute < 60 && zone < 24;
            prop_assert_eq!(StringFormat::DateTime.accepts(&whole), clock && StringFormat::Date.accepts(&date));
            prop_assert!((1..=12).contains(&month) && (1..=31).contains(&day) || !StringFormat::Date.accepts(&date));
            for format in [StringFormat::Email, StringFormat::Uri, StringFormat::Date, StringFormat::DateTime] {
                // Whatever a person types, nothing panics, and nothing with a control character in it is taken.
                prop_assert!(!format.accepts(&text) || !text.contains(char::is_control));
                let ended = text.clone() + "\0";
                prop_assert!(!format.accepts(&ended));
            }
        }
    }
}
