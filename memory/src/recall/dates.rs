//! Formats days in words, so that a question can contain a date in words.

use crate::times;

const MONTHS: [&str; 12] = [
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

/// The month names as stemmed terms.
const MONTH_TERMS: [&str; 12] = [
    "januari", "februari", "march", "april", "mai", "june", "juli", "august", "septemb", "octob",
    "novemb", "decemb",
];

/// Formats the day of a time in milliseconds since 1970, in UTC: `2026-03-04 4 March 2026`.
pub(super) fn date_words(at: i64) -> String {
    let date = times::date(at);
    let name = usize::try_from(date.month() - 1).ok().and_then(|at| MONTHS.get(at)).unwrap_or(&"");
    format!("{date} {} {name} {}", date.day(), date.year())
}

/// Whether `terms` contain a month or a year. "May" and "march" are also ordinary words: they count
/// as months only together with a number.
pub(super) fn has_month_or_year(terms: &[String]) -> bool {
    let is_number = |term: &&String| term.bytes().all(|byte| byte.is_ascii_digit());
    let is_year =
        |term: &String| term.len() == 4 && (term.starts_with("19") || term.starts_with("20"));
    let has_number = terms.iter().any(|term| is_number(&term));
    terms.iter().any(|term| {
        MONTH_TERMS.contains(&&**term) && (has_number || !matches!(&**term, "mai" | "march"))
    }) || terms.iter().filter(is_number).any(is_year)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aidd_lexicon::terms;

    #[test]
    fn days_are_formatted_in_words() {
        for (at, expected) in [
            (0, "1970-01-01 1 January 1970"),
            (-1, "1969-12-31 31 December 1969"),
            (951_782_400_000, "2000-02-29 29 February 2000"),
            (1_766_137_513_000, "2025-12-19 19 December 2025"),
            (4_107_542_400_000, "2100-03-01 1 March 2100"),
        ] {
            assert_eq!(date_words(at), expected);
        }
        // Every time can be formatted.
        assert!(date_words(i64::MIN).starts_with('-'));
        assert!(!date_words(i64::MAX).is_empty());
    }

    #[test]
    fn dates_in_words_are_recognised() {
        for (text, expected) in [
            ("what broke on 24 December 2025", true),
            ("the fix of december", true),
            ("since 2024", true),
            ("on 3 May", true),
            ("users may march on", false),
            ("port 20260 and 404", false),
        ] {
            assert_eq!(has_month_or_year(&terms::distinct_terms(text, 9)), expected, "{text}");
        }
        for (month, term) in MONTHS.iter().zip(MONTH_TERMS) {
            assert_eq!(terms::distinct_terms(month, 9), [term]);
        }
    }
}
