//! Dates and ages on the command line.

use aidd_memory::times;
use aidd_report::exit::UserError;
use anyhow::Result;

const DAY: i64 = 86_400_000;

/// Parses a date with or without a time, or an age before `now`: `90m`, `12h`, `7d`, `2w`.
///
/// # Errors
/// Fails when `text` is neither a date nor an age.
pub(super) fn parse(text: &str, now: i64) -> Result<i64> {
    let text = text.trim();
    let age = || {
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
    age().or_else(|| times::millis(&text.into())).ok_or_else(|| {
        UserError::new(format!("not a date or an age: `{text}`"))
            .hint("expected a date, such as 2026-01-31, or an age: 12h, 7d, 2w")
            .into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_subtracted_from_now() {
        assert_eq!(parse("2w", 20 * DAY).expect("an age"), 6 * DAY);
        assert_eq!(parse(" 90m ", DAY).expect("an age"), DAY - 5_400_000);
        for text in ["", "d", "-1d", "3y", "soon", "99999999999d", "日"] {
            assert!(parse(text, 0).is_err(), "{text}");
        }
    }
}
