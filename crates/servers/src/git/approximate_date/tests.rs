use jiff::tz::TimeZone;

use super::{Clock, parse};
use crate::git::date;

/// 2009-08-30 19:20:00 UTC, a Sunday.
const NOW: i64 = 1_251_660_000;

#[track_caller]
fn check(text: &str, expected: &str) {
    let clock = Clock { now: NOW, zone: TimeZone::UTC };
    let time = gix::date::Time { seconds: parse(text, &clock), offset: 0 };
    let shown = date::shown(time, date::Offset::Compact);
    assert_eq!(shown.trim_end_matches(" +0000"), expected, "{text}");
}

#[test]
fn exact_dates() {
    check("2023-11-16T00:00:00", "2023-11-16 00:00:00");
    check("2023-11-16 01:02:03 +0200", "2023-11-15 23:02:03");
    check("2023-11-16T01:02:03Z", "2023-11-16 01:02:03");
    check("2008-02-14 20:30:45 -0500", "2008-02-15 01:30:45");
    check("Thu, 7 Apr 2005 15:14:13 -0700", "2005-04-07 22:14:13");
    check("Thu Apr 7 15:14:13 2005", "2005-04-07 15:14:13");
    check("1700000000", "2023-11-14 22:13:20");
    check("@1700000000 +0200", "2023-11-14 22:13:20");
    check("20080214T203045", "2008-02-14 20:30:45");
    check("20080214T20:30", "2008-02-14 20:30:00");
}

#[test]
fn what_is_missing_is_taken_from_now() {
    check("2024-01-15", "2024-01-15 19:20:00");
    check("Jan 15 2024", "2024-01-15 19:20:00");
    check("15.1.2008", "2008-01-15 19:20:00");
    check("6/7/2009", "2009-06-07 19:20:00");
    check("June 7", "2009-06-07 19:20:00");
    check("December 7", "2008-12-07 19:20:00");
    check("6AM, June 7, 2009", "2009-06-07 06:00:00");
    check("2008-12-01 10:00", "2008-12-01 10:00:00");
}

#[test]
fn relative_dates() {
    check("now", "2009-08-30 19:20:00");
    check("5 seconds ago", "2009-08-30 19:19:55");
    check("10.minutes.ago", "2009-08-30 19:10:00");
    check("yesterday", "2009-08-29 19:20:00");
    check("3 days ago", "2009-08-27 19:20:00");
    check("3.days.ago at 3:00", "2009-08-27 03:00:00");
    check("2 weeks ago", "2009-08-16 19:20:00");
    check("3 months ago", "2009-05-30 19:20:00");
    check("2 years 3 months ago", "2007-05-30 19:20:00");
    check("last week", "2009-08-23 19:20:00");
    check("two days ago", "2009-08-28 19:20:00");
    check("last tuesday", "2009-08-25 19:20:00");
    check("noon yesterday", "2009-08-29 12:00:00");
    check("midnight", "2009-08-30 00:00:00");
    check("tea", "2009-08-30 17:00:00");
    check("noon", "2009-08-30 12:00:00");
    check("never", "1970-01-01 00:00:00");
}

#[test]
fn any_text_is_some_time() {
    check("", "2009-08-30 19:20:00");
    check("garbage", "2009-08-30 19:20:00");
    for text in
        ["99999999999999999999 years ago", "999999999 months", "9999999999999999999999999", "1:99:99", "--", "0"]
    {
        let clock = Clock { now: NOW, zone: TimeZone::UTC };
        let _ = parse(text, &clock);
    }
}
