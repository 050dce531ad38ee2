//! The parts of a date that are known so far.

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};

use super::super::date::days_from_civil;

/// Now, and the zone in which dates without one are meant.
#[derive(Debug, Clone)]
pub(in super::super) struct Clock {
    pub(super) now: i64,
    pub(super) zone: TimeZone,
}

impl Clock {
    pub(in super::super) fn system() -> Self {
        Self { now: Timestamp::now().as_second(), zone: TimeZone::system() }
    }

    /// The fields of a time in the zone of the clock.
    pub(super) fn local(&self, seconds: i64) -> Fields {
        let time = Timestamp::from_second(seconds).unwrap_or_default().to_zoned(self.zone.clone());
        Fields {
            year: i64::from(time.year()) - 1900,
            month: i64::from(time.month()) - 1,
            day: i64::from(time.day()),
            hour: i64::from(time.hour()),
            minute: i64::from(time.minute()),
            second: i64::from(time.second()),
            weekday: i64::from(time.weekday().to_sunday_zero_offset()),
        }
    }

    /// The time that fields stand for in the zone of the clock; days and hours may run over.
    pub(super) fn seconds(&self, fields: &Fields) -> i64 {
        let local = fields.as_if_utc();
        let Ok(timestamp) = Timestamp::from_second(local) else { return local };
        let civil: DateTime = timestamp.to_zoned(TimeZone::UTC).datetime();
        self.zone.to_timestamp(civil).map_or(local, |time| time.as_second())
    }
}

/// Years count from 1900 and months from zero, as in C; what is negative is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fields {
    pub(super) year: i64,
    pub(super) month: i64,
    pub(super) day: i64,
    pub(super) hour: i64,
    pub(super) minute: i64,
    pub(super) second: i64,
    pub(super) weekday: i64,
}

impl Fields {
    pub(super) fn unknown() -> Self {
        Self { year: -1, month: -1, day: -1, hour: -1, minute: -1, second: -1, weekday: 0 }
    }

    pub(super) fn is_unknown(&self) -> bool {
        [self.year, self.month, self.day, self.hour, self.minute, self.second].iter().all(|field| *field < 0)
    }

    pub(super) fn as_if_utc(&self) -> i64 {
        let days = days_from_civil(self.year + 1900, self.month + 1, self.day);
        days * 86_400 + self.hour * 3600 + self.minute * 60 + self.second
    }

    /// The time if it is complete and between 1970 and 2099.
    pub(super) fn complete(&self) -> Option<i64> {
        let known = (70..=199).contains(&self.year) && (0..12).contains(&self.month);
        let known = known && self.day >= 0 && self.hour >= 0 && self.minute >= 0 && self.second >= 0;
        known.then(|| self.as_if_utc())
    }

    pub(super) fn set_time(&mut self, hour: i64, minute: i64, second: i64) -> bool {
        let valid = (0..=24).contains(&hour) && (0..60).contains(&minute) && (0..=60).contains(&second);
        if valid {
            (self.hour, self.minute, self.second) = (hour, minute, second);
        }
        valid
    }

    /// Sets the date if it is one. With `not_after`, dates more than ten days later are refused, and a missing year is its.
    pub(super) fn set_date(&mut self, year: i64, month: i64, day: i64, not_after: Option<(&Fields, i64)>) -> bool {
        if !(1..13).contains(&month) || !(1..32).contains(&day) {
            return false;
        }
        let mut set = self.clone();
        (set.month, set.day) = (month - 1, day);
        set.year = match (year, not_after) {
            (-1, Some((now, _))) => now.year,
            (1970..2100, _) => year - 1900,
            (71..100, _) => year,
            (0..38, _) => year + 100,
            _ => return false,
        };
        if let Some((_, now)) = not_after {
            if set.complete().is_some_and(|time| time > now + 10 * 86_400) {
                return false;
            }
            if year == -1 {
                set.year = self.year;
            }
        }
        *self = set;
        true
    }
}

pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

pub(super) const WEEKDAYS: [&str; 7] =
    ["Sundays", "Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays"];

/// How many letters of `text` agree with `word`, in any case; none if `text` goes on with other letters.
pub(super) fn agreement(text: &[u8], word: &str) -> usize {
    let word = word.as_bytes();
    for (at, byte) in text.iter().enumerate() {
        let agrees = word.get(at).is_some_and(|letter| letter.eq_ignore_ascii_case(byte));
        if !agrees {
            return if byte.is_ascii_alphanumeric() { 0 } else { at };
        }
    }
    text.len()
}

/// The number at the beginning, and how many digits it has.
pub(super) fn number(text: &[u8]) -> (i64, usize) {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let value = text[..digits]
        .iter()
        .fold(0i64, |value, digit| value.saturating_mul(10).saturating_add(i64::from(digit - b'0')));
    (value, digits)
}

fn starts_with_digit(text: &[u8]) -> bool {
    text.first().is_some_and(u8::is_ascii_digit)
}

/// A time or date of several numbers, such as `12:30:00`, `2024-01-15` or `15.1.2024`; gives how many bytes it has.
pub(super) fn several_numbers(text: &[u8], fields: &mut Fields, clock: &Clock) -> Option<usize> {
    let (first, mut at) = number(text);
    let separator = *text.get(at)?;
    if !matches!(separator, b':' | b'.' | b'/' | b'-') || !starts_with_digit(&text[at + 1..]) {
        return None;
    }
    let (second, digits) = number(&text[at + 1..]);
    at += 1 + digits;
    let mut third = -1;
    if text.get(at) == Some(&separator) && starts_with_digit(&text[at + 1..]) {
        let (value, digits) = number(&text[at + 1..]);
        third = value;
        at += 1 + digits;
    }
    if separator == b':' {
        if !fields.set_time(first, second, third.max(0)) {
            return None;
        }
        let has_date = fields.year >= 0 && fields.month >= 0 && fields.day >= 0;
        if has_date && text.get(at) == Some(&b'.') && starts_with_digit(&text[at + 1..]) {
            at += 1 + number(&text[at + 1..]).1;
        }
        return Some(at);
    }
    date_of(first, second, third, separator, fields, clock).then_some(at)
}

/// Tries the orders of year, month and day that people use.
fn date_of(first: i64, second: i64, third: i64, separator: u8, fields: &mut Fields, clock: &Clock) -> bool {
    let today = Clock { now: clock.now, zone: TimeZone::UTC }.local(clock.now);
    let not_after = Some((&today, clock.now));
    if first > 70 && (fields.set_date(first, second, third, None) || fields.set_date(first, third, second, None)) {
        return true;
    }
    (separator != b'.' && fields.set_date(third, first, second, not_after))
        || fields.set_date(third, second, first, not_after)
        || (separator == b'.' && fields.set_date(third, first, second, not_after))
}
