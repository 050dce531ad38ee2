//! Dates that are told from now.

use super::fields::{Clock, Fields, MONTHS, WEEKDAYS, agreement, number, several_numbers};

const NUMBERS: [&str; 10] = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

const LENGTHS: [(&str, i64); 6] = [
    ("seconds", 1),
    ("minutes", 60),
    ("hours", 3600),
    ("days", 86_400),
    ("weeks", 604_800),
    ("fortnights", 2 * 604_800),
];

struct Relative<'a> {
    fields: Fields,
    now: Fields,
    /// A number that still waits for its meaning; zero is none.
    number: i64,
    clock: &'a Clock,
}

/// The time that a text means, seen from the clock.
pub(super) fn parse(text: &str, clock: &Clock) -> i64 {
    let now = clock.local(clock.now);
    let fields = Fields { year: -1, month: -1, day: -1, ..now.clone() };
    let mut relative = Relative { fields, now, number: 0, clock };
    let mut rest = text.as_bytes();
    while let Some(first) = rest.first() {
        let used = if first.is_ascii_digit() {
            relative.settle_number();
            relative.digits(rest)
        } else if first.is_ascii_alphabetic() {
            let letters = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
            relative.word(rest);
            letters
        } else {
            1
        };
        rest = &rest[used..];
    }
    relative.settle_number();
    relative.back(0)
}

impl Relative<'_> {
    fn digits(&mut self, text: &[u8]) -> usize {
        if let Some(used) = several_numbers(text, &mut self.fields, self.clock) {
            return used;
        }
        let (value, digits) = number(text);
        if text[0] != b'0' || digits <= 2 {
            self.number = value;
        }
        digits
    }

    /// Gives a number without a word the first meaning that is missing: day, month, year.
    fn settle_number(&mut self) {
        let number = std::mem::take(&mut self.number);
        if number == 0 {
            return;
        }
        let fields = &mut self.fields;
        if fields.day < 0 && number < 32 {
            fields.day = number;
        } else if fields.month < 0 && number < 13 {
            fields.month = number - 1;
        } else if fields.year < 0 {
            fields.year = match number {
                1970..2100 => number - 1900,
                70..100 => number,
                0..38 => number + 100,
                _ => return,
            };
        }
    }

    /// Fills in what is missing, goes back so many seconds, and gives the time.
    fn back(&mut self, seconds: i64) -> i64 {
        let (fields, now) = (&mut self.fields, &self.now);
        if fields.day < 0 {
            fields.day = now.day;
        }
        if fields.month < 0 {
            fields.month = now.month;
        }
        if fields.year < 0 {
            fields.year = now.year - i64::from(fields.month > now.month);
        }
        let time = self.clock.seconds(fields).saturating_sub(seconds);
        *fields = self.clock.local(time);
        time
    }

    fn word(&mut self, text: &[u8]) {
        if let Some(month) = MONTHS.iter().position(|name| agreement(text, name) >= 3) {
            self.fields.month = month as i64;
            return;
        }
        let is = |name: &str| agreement(text, name) == name.len();
        if self.special(is) {
            return;
        }
        if self.number == 0 {
            if let Some(at) = NUMBERS.iter().position(|name| is(name)) {
                self.number = at as i64 + 1;
            } else if is("last") {
                self.number = 1;
            }
            return;
        }
        if let Some((_, length)) = LENGTHS.iter().find(|(name, _)| agreement(text, name) >= name.len() - 1) {
            let number = std::mem::take(&mut self.number);
            self.back(length.saturating_mul(number));
        } else if let Some(weekday) = WEEKDAYS.iter().position(|name| agreement(text, name) >= 3) {
            self.weekday(weekday as i64);
        } else if agreement(text, "months") >= 5 {
            self.back(0);
            // More months than that lie before every date.
            self.fields.month -= std::mem::take(&mut self.number).min(12 * 9999);
            self.fields.year += self.fields.month.div_euclid(12);
            self.fields.month = self.fields.month.rem_euclid(12);
        } else if agreement(text, "years") >= 4 {
            self.back(0);
            self.fields.year -= std::mem::take(&mut self.number).min(9999);
        }
    }

    fn weekday(&mut self, weekday: i64) {
        let mut weeks = std::mem::take(&mut self.number) - 1;
        let days = self.fields.weekday - weekday;
        if days <= 0 {
            weeks += 1;
        }
        self.back((days + weeks.saturating_mul(7)).saturating_mul(86_400));
    }

    fn special(&mut self, is: impl Fn(&str) -> bool) -> bool {
        if is("yesterday") {
            self.number = 0;
            self.back(86_400);
        } else if is("noon") {
            self.hour_of_day(12);
        } else if is("midnight") {
            self.hour_of_day(0);
        } else if is("tea") {
            self.hour_of_day(17);
        } else if is("PM") {
            self.half_day(12);
        } else if is("AM") {
            self.half_day(0);
        } else if is("never") {
            self.fields = self.clock.local(0);
            self.number = 0;
        } else if is("now") {
            self.number = 0;
            self.back(0);
        } else {
            return false;
        }
        true
    }

    /// The last time that it was this hour.
    fn hour_of_day(&mut self, hour: i64) {
        self.settle_number();
        if self.fields.hour < hour {
            self.back(86_400);
        }
        (self.fields.hour, self.fields.minute, self.fields.second) = (hour, 0, 0);
    }

    fn half_day(&mut self, begin: i64) {
        let number = std::mem::take(&mut self.number);
        if number != 0 {
            (self.fields.hour, self.fields.minute, self.fields.second) = (number, 0, 0);
        }
        self.fields.hour = self.fields.hour % 12 + begin;
    }
}
