//! Times in milliseconds since 1970: parsed from records and user input, formatted in UTC, so that
//! everyone sees the same time.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use serde_json::Value;

/// Parses a number of milliseconds since 1970, or a string such as `2026-02-05`, with or without a
/// time and a time zone. The default zone is UTC.
#[must_use]
pub fn millis(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => parse(text.trim()),
        _ => None,
    }
}

fn parse(text: &str) -> Option<i64> {
    let time = text.parse::<Timestamp>().ok().or_else(|| {
        let civil = text.parse::<DateTime>().ok()?;
        TimeZone::UTC.to_timestamp(civil).ok()
    });
    time.map(Timestamp::as_millisecond)
}

/// Formats a day, such as `2026-01-31`.
#[must_use]
pub fn day(at: i64) -> String {
    date(at).to_string()
}

/// Formats a time, such as `2026-01-31 12:30`.
#[must_use]
pub fn moment(at: i64) -> String {
    civil(at).strftime("%Y-%m-%d %H:%M").to_string()
}

/// A time in UTC, in the form that SQLite uses: `2026-11-29 05:04:22`.
#[must_use]
pub fn sqlite_time(at: i64) -> String {
    civil(at).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// Formats a time with seconds and zone, such as `2026-01-31T12:30:15Z`.
#[must_use]
pub fn utc(at: i64) -> String {
    civil(at).strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// The day in UTC. Times outside the years -9999 to 9999 are clamped.
#[must_use]
pub fn date(at: i64) -> Date {
    civil(at).date()
}

fn civil(at: i64) -> DateTime {
    let nearest = if at < 0 { Timestamp::MIN } else { Timestamp::MAX };
    TimeZone::UTC.to_datetime(Timestamp::from_millisecond(at).unwrap_or(nearest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_parsed_in_every_supported_format() {
        for (text, expected) in [
            ("1970-01-01", Some(0)),
            ("2026-02-05", Some(1_770_249_600_000)),
            ("2024-02-29T12:30:15Z", Some(1_709_209_815_000)),
            ("2024-02-29T12:30:15.250+09:00", Some(1_709_177_415_250)),
            ("2024-02-29 12:30", Some(1_709_209_800_000)),
            ("2024-13-01", None),
            ("2023-02-29", None),
            ("yesterday", None),
            ("2024-02", None),
            ("年2024-02-29", None),
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
    }

    #[test]
    fn times_are_formatted_as_they_are_parsed() {
        for text in ["1970-01-01", "2000-02-29", "1999-12-31", "2024-02-29", "2100-03-01"] {
            assert_eq!(day(parse(text).expect("a date")), text);
        }
        assert_eq!(day(-1), "1969-12-31");
        assert_eq!(moment(1_763_812_345_000), "2025-11-22 11:52");
        // Every time can be formatted.
        assert_eq!((&*day(i64::MIN), &*day(i64::MAX)), ("-009999-01-02", "9999-12-30"));
    }
}
