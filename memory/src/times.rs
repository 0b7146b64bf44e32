//! Times in milliseconds since 1970: parsed from records and user input, formatted in UTC, so that
//! everyone sees the same time.

use crate::MemoryError;
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use serde_json::Value;

/// Parses a number of milliseconds since 1970, or a string such as `2026-02-05`, with or without a
/// time and a time zone. The default zone is UTC.
#[must_use]
pub fn millis(value: &Value) -> Option<i64> {
    match value {
        // Databases also contain fractions of a millisecond.
        Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)),
        Value::String(text) => parse(text.trim()),
        _ => None,
    }
}

/// The whole number of a time; `None` outside the range of times.
fn whole(number: f64) -> Option<i64> {
    const MAX: f64 = 253_402_300_799_999.0;
    #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
    (-MAX..=MAX).contains(&number).then_some(number as i64)
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

/// A day in milliseconds.
const DAY: i64 = 86_400_000;
/// A day without a zone is one in UTC; east of it, the same day begins up to 14 hours earlier.
const MAX_AHEAD: i64 = 14 * 3_600_000;

/// The time of a memory that is saved at `now` with the date `date`; both in milliseconds since 1970.
///
/// # Errors
/// When the date is in the future, or so early that it is a mistake.
pub(crate) fn of_save(date: Option<i64>, now: i64) -> Result<i64, MemoryError> {
    match date {
        // Less is the number of a year, or a mistake.
        Some(date) if date < DAY => {
            Err(MemoryError::Invalid("the date of a memory must be after 1970-01-01".to_owned()))
        }
        Some(date) if date > now + MAX_AHEAD => {
            Err(MemoryError::Invalid("the date of a memory cannot be in the future".to_owned()))
        }
        Some(date) => Ok(date.min(now)),
        None => Ok(now),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_date_of_a_save_is_not_in_the_future_and_not_a_mistake() {
        let now = 20_000 * DAY;
        assert_eq!(of_save(None, now).ok(), Some(now));
        assert_eq!(of_save(Some(now - DAY), now).ok(), Some(now - DAY));
        // Today, in a zone east of UTC.
        assert_eq!(of_save(Some(now + MAX_AHEAD), now).ok(), Some(now));
        for date in [now + MAX_AHEAD + 1, 2020, -DAY] {
            assert!(of_save(Some(date), now).is_err(), "{date}");
        }
    }

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
