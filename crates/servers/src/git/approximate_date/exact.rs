//! Dates that name a day and a time completely, in whatever order.

use super::fields::{Clock, Fields, MONTHS, WEEKDAYS, agreement, number, several_numbers};

/// Names of zones with their offset in hours, summer time included.
const ZONES: [(&str, i64); 41] = [
    ("IDLW", -12),
    ("NT", -11),
    ("CAT", -10),
    ("HST", -10),
    ("HDT", -9),
    ("YST", -9),
    ("YDT", -8),
    ("PST", -8),
    ("PDT", -7),
    ("MST", -7),
    ("MDT", -6),
    ("CST", -6),
    ("CDT", -5),
    ("EST", -5),
    ("EDT", -4),
    ("AST", -3),
    ("ADT", -2),
    ("WAT", -1),
    ("GMT", 0),
    ("UTC", 0),
    ("Z", 0),
    ("WET", 0),
    ("BST", 1),
    ("MET", 1),
    ("MEWT", 1),
    ("MEST", 2),
    ("CET", 1),
    ("MESZ", 2),
    ("FWT", 1),
    ("FST", 2),
    ("EET", 2),
    ("EEST", 3),
    ("WAST", 7),
    ("WADT", 8),
    ("CCT", 8),
    ("JST", 9),
    ("EAST", 10),
    ("EADT", 11),
    ("GST", 10),
    ("NZT", 12),
    ("NZDT", 13),
];

struct Exact<'a> {
    fields: Fields,
    /// Minutes east of UTC.
    offset: Option<i64>,
    /// The fields are those of a number of seconds.
    in_utc: bool,
    clock: &'a Clock,
}

/// The time, or nothing if a part of it is missing.
pub(super) fn parse(text: &str, clock: &Clock) -> Option<i64> {
    if let Some(seconds) = header_date(text) {
        return Some(seconds);
    }
    let mut exact = Exact { fields: Fields::unknown(), offset: None, in_utc: false, clock };
    let mut rest = text.as_bytes();
    while let Some(first) = rest.first().filter(|first| **first != b'\n') {
        let used = match first {
            letter if letter.is_ascii_alphabetic() => exact.word(rest),
            digit if digit.is_ascii_digit() => exact.digits(rest),
            b'+' | b'-' if exact.fields.hour != -1 && rest.get(1).is_some_and(u8::is_ascii_digit) => exact.zone(rest),
            _ => 1,
        };
        rest = &rest[used.max(1)..];
    }
    let as_utc = exact.fields.complete()?;
    if exact.in_utc {
        return Some(as_utc);
    }
    Some(match exact.offset {
        Some(minutes) => as_utc - minutes * 60,
        None => clock.seconds(&exact.fields),
    })
}

/// `@1700000000 +0200`.
fn header_date(text: &str) -> Option<i64> {
    let (seconds, zone) = text.strip_prefix('@')?.split_once(' ')?;
    let digits = zone.strip_prefix(['+', '-'])?;
    (digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| seconds.parse().ok())?
}

impl Exact<'_> {
    fn word(&mut self, text: &[u8]) -> usize {
        for (at, name) in MONTHS.iter().enumerate() {
            let letters = agreement(text, name);
            if letters >= 3 {
                self.fields.month = at as i64;
                return letters;
            }
        }
        for (at, name) in WEEKDAYS.iter().enumerate() {
            let letters = agreement(text, name);
            if letters >= 3 {
                self.fields.weekday = at as i64;
                return letters;
            }
        }
        for (name, hours) in ZONES {
            let letters = agreement(text, name);
            if letters >= 3 || letters == name.len() {
                self.offset.get_or_insert(60 * hours);
                return letters;
            }
        }
        for (name, hours) in [("PM", 12), ("AM", 0)] {
            if agreement(text, name) == 2 {
                self.fields.hour = self.fields.hour % 12 + hours;
                return 2;
            }
        }
        if text[0] == b'T' && text.get(1).is_some_and(u8::is_ascii_digit) && self.fields.hour == -1 {
            (self.fields.minute, self.fields.second) = (0, 0);
            return 1;
        }
        text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count()
    }

    fn digits(&mut self, text: &[u8]) -> usize {
        let (value, digits) = number(text);
        if value >= 100_000_000 && self.fields.is_unknown() {
            let utc = Clock { now: 0, zone: jiff::tz::TimeZone::UTC };
            self.fields = utc.local(value);
            self.in_utc = true;
            return digits;
        }
        if let Some(used) = several_numbers(text, &mut self.fields, self.clock) {
            return used;
        }
        match digits {
            8 => {
                self.fields.set_date(value / 10_000, value / 100 % 100, value % 100, None);
                return digits;
            }
            6 => {
                let set = self.fields.set_time(value / 10_000, value / 100 % 100, value % 100);
                let fraction = text.get(digits) == Some(&b'.') && text.get(digits + 1).is_some_and(u8::is_ascii_digit);
                return if set && fraction { digits + 1 + number(&text[digits + 1..]).1 } else { digits };
            }
            _ => {}
        }
        if self.is_after_t() {
            let (hour, minute) = if digits == 4 { (value / 100, value % 100) } else { (value, 0) };
            let has_date = !self.fields.is_unknown();
            if (digits == 4 || digits == 2) && has_date && self.fields.set_time(hour, minute, 0) {
                return digits;
            }
            (self.fields.minute, self.fields.second) = (-1, -1);
        }
        self.single_number(value, digits);
        digits
    }

    fn is_after_t(&self) -> bool {
        self.fields.hour == -1 && self.fields.minute == 0 && self.fields.second == 0
    }

    /// A year, a zone, a day or a month, by the number of digits and what is missing.
    fn single_number(&mut self, value: i64, digits: usize) {
        let fields = &mut self.fields;
        match digits {
            4 if value <= 1400 && self.offset.is_none() => self.offset = Some(value / 100 * 60 + value % 100),
            4 if value > 1900 && value < 2100 => fields.year = value - 1900,
            1 | 2 if (1..32).contains(&value) && fields.day < 0 => fields.day = value,
            2 if fields.year < 0 && value < 10 && fields.day >= 0 => fields.year = value + 100,
            2 if fields.year < 0 && value >= 70 => fields.year = value,
            1 | 2 if (1..13).contains(&value) && fields.month < 0 => fields.month = value - 1,
            _ => {}
        }
    }

    fn zone(&mut self, text: &[u8]) -> usize {
        let (mut hour, digits) = number(&text[1..]);
        let mut end = 1 + digits;
        let minute = match digits {
            4 => {
                let minute = hour % 100;
                hour /= 100;
                minute
            }
            2 if text.get(end) == Some(&b':') => {
                let (minute, minute_digits) = number(&text[end + 1..]);
                end += 1 + minute_digits;
                if minute_digits == 2 { minute } else { 99 }
            }
            2 => 0,
            _ => 99,
        };
        if minute < 60 && hour < 24 {
            let minutes = hour * 60 + minute;
            self.offset = Some(if text[0] == b'-' { -minutes } else { minutes });
        }
        end
    }
}
