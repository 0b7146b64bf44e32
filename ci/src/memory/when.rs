//! Times as people type and read them; all in UTC, so that two people read the same.

use crate::exit::UserError;
use aidd_engine::memory::legacy;
use anyhow::Result;

const DAY: i64 = 86_400_000;

/// `2026-01-31`, of milliseconds since 1970.
pub(crate) fn date(at: i64) -> String {
    let (year, month, day) = civil(at.div_euclid(DAY));
    format!("{year:04}-{month:02}-{day:02}")
}

/// `2026-01-31 12:30`.
pub(crate) fn moment(at: i64) -> String {
    let minutes = at.rem_euclid(DAY) / 60_000;
    format!("{} {:02}:{:02}", date(at), minutes / 60, minutes % 60)
}

/// Reads a date, with or without a time, or how long before `now`: `90m`, `12h`, `7d`, `2w`.
///
/// # Errors
/// When it is none of these.
pub(crate) fn read(text: &str, now: i64) -> Result<i64> {
    let text = text.trim();
    let ago = || {
        let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
        let unit = match unit {
            "m" => 60_000,
            "h" => 3_600_000,
            "d" => DAY,
            "w" => 7 * DAY,
            _ => return None,
        };
        now.checked_sub(number.parse::<u32>().ok().map(i64::from)?.checked_mul(unit)?)
    };
    ago().or_else(|| legacy::millis(&text.into())).ok_or_else(|| {
        UserError::new(format!("`{text}` is no time"))
            .hint("write a date, such as 2026-01-31, or how long ago: 12h, 7d, 2w")
            .into()
    })
}

/// Year, month and day of days since 1970-01-01, by the Gregorian calendar; years begin in March, so
/// that leap days come last.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_as_they_are_read() {
        for text in ["1970-01-01", "2000-02-29", "1999-12-31", "2024-02-29", "2026-11-22"] {
            assert_eq!(date(read(text, 0).expect("a date")), text);
        }
        assert_eq!(moment(1_763_812_345_000), "2025-11-22 11:52");
        assert_eq!(date(-1), "1969-12-31");
    }

    #[test]
    fn spans_count_back() {
        assert_eq!(read("2w", 20 * DAY).expect("a span"), 6 * DAY);
        assert_eq!(read(" 90m ", DAY).expect("a span"), DAY - 5_400_000);
        for text in ["", "d", "-1d", "3y", "soon", "99999999999d", "日"] {
            assert!(read(text, 0).is_err(), "{text}");
        }
    }
}
