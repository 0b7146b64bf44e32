//! Finds a period of time in a question: a day, a week, a month or a year, in English or Korean.
//! Periods are in UTC, like the days that aidd prints.

use crate::times;
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan};

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [(&str, &str, Weekday); 7] = [
    ("monday", "월요일", Weekday::Monday),
    ("tuesday", "화요일", Weekday::Tuesday),
    ("wednesday", "수요일", Weekday::Wednesday),
    ("thursday", "목요일", Weekday::Thursday),
    ("friday", "금요일", Weekday::Friday),
    ("saturday", "토요일", Weekday::Saturday),
    ("sunday", "일요일", Weekday::Sunday),
];
/// Words after which a month, a weekday or a year is a time. "May" and "march" are also ordinary
/// words, and "Friday" alone can be part of a rule: "no release on a Friday".
const TIME_WORDS: [&str; 9] =
    ["in", "of", "last", "this", "since", "during", "until", "before", "after"];
/// Longest date in words: `14 March 2026`.
const MAX_WORDS: usize = 256;

/// A period: from the first millisecond to the last one, exclusive.
pub(super) type Period = (i64, i64);

/// The period that `question` names at the time `now`, in milliseconds since 1970; `None` if it
/// names none.
pub(super) fn find(question: &str, now: i64) -> Option<Period> {
    let lower = question.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .map(|word| word.trim_matches('-'))
        .filter(|word| !word.is_empty())
        .take(MAX_WORDS)
        .collect();
    let today = times::date(now);
    (0..words.len()).find_map(|at| {
        let (first, days_or_months) = period_at(&words, at, today)?;
        let end = first.checked_add(days_or_months).ok()?;
        let before = at.checked_sub(1).and_then(|at| words.get(at)).copied();
        match before {
            Some("since" | "after") => Some((start_of(first)?, now.saturating_add(1))),
            Some("before" | "until") => Some((i64::MIN, start_of(first)?)),
            _ => Some((start_of(first)?, start_of(end)?)),
        }
    })
}

/// The first millisecond of a day.
fn start_of(day: Date) -> Option<i64> {
    TimeZone::UTC.to_timestamp(day.at(0, 0, 0, 0)).ok().map(Timestamp::as_millisecond)
}

/// The first day and the length of the period that starts at the word `at`.
fn period_at(words: &[&str], at: usize, today: Date) -> Option<(Date, Span)> {
    let word = *words.get(at)?;
    let next = words.get(at + 1).copied().unwrap_or_default();
    let before = at.checked_sub(1).and_then(|at| words.get(at)).copied().unwrap_or_default();
    iso(word)
        .or_else(|| relative(word, next, words.get(at + 2).copied().unwrap_or_default(), today))
        .or_else(|| korean(word, next, words.get(at + 2).copied().unwrap_or_default(), today))
        .or_else(|| english_month(words, at, before, today))
        .or_else(|| {
            let (.., weekday) = WEEKDAYS.iter().find(|(english, ..)| *english == word)?;
            ["last", "on", "since"].contains(&before).then(|| last(*weekday, today))?
        })
        .or_else(|| {
            let year = year(word).filter(|_| TIME_WORDS.contains(&before))?;
            Some((Date::new(year, 1, 1).ok()?, 1.year()))
        })
}

/// `2026-03-14` or `2026-03`.
fn iso(word: &str) -> Option<(Date, Span)> {
    let mut parts = word.split('-');
    let year = year(parts.next()?)?;
    let month = parts.next().filter(|part| part.len() == 2)?.parse().ok()?;
    match (parts.next(), parts.next()) {
        (None, _) => Some((Date::new(year, month, 1).ok()?, 1.month())),
        (Some(day), None) => Some((Date::new(year, month, day.parse().ok()?).ok()?, 1.day())),
        _ => None,
    }
}

fn year(word: &str) -> Option<i16> {
    word.parse().ok().filter(|year| word.len() == 4 && (1970..2100).contains(year))
}

/// `yesterday`, `last week`, `3 days ago`, `last 3 days`.
fn relative(word: &str, next: &str, third: &str, today: Date) -> Option<(Date, Span)> {
    let back = |span: Span| today.checked_sub(span).ok();
    match (word, next) {
        ("today", _) => Some((today, 1.day())),
        ("yesterday", _) => Some((back(1.day())?, 1.day())),
        ("this", "week") => Some((monday(today)?, 7.days())),
        ("last", "week") => Some((monday(back(7.days())?)?, 7.days())),
        ("this", "month") => Some((today.first_of_month(), 1.month())),
        ("last", "month") => Some((back(1.month())?.first_of_month(), 1.month())),
        ("this", "year") => Some((today.first_of_year(), 1.year())),
        ("last", "year") => Some((back(1.year())?.first_of_year(), 1.year())),
        ("last", count) => {
            let count: i32 = count.parse().ok().filter(|count| (1..1000).contains(count))?;
            let days = match third {
                "days" => count,
                "weeks" => count * 7,
                _ => return None,
            };
            Some((back(days.days())?, (days + 1).days()))
        }
        (count, unit) if third == "ago" => {
            let count = if count == "a" { 1 } else { count.parse().ok()? };
            ago(count, unit.trim_end_matches('s'), today)
        }
        _ => None,
    }
}

/// The day, week or month `count` units before today.
fn ago(count: i32, unit: &str, today: Date) -> Option<(Date, Span)> {
    if !(1..1000).contains(&count) {
        return None;
    }
    match unit {
        "day" => Some((today.checked_sub(count.days()).ok()?, 1.day())),
        "week" => Some((monday(today.checked_sub((count * 7).days()).ok()?)?, 7.days())),
        "month" => Some((today.checked_sub(count.months()).ok()?.first_of_month(), 1.month())),
        _ => None,
    }
}

fn monday(day: Date) -> Option<Date> {
    day.checked_sub(i32::from(day.weekday().to_monday_zero_offset()).days()).ok()
}

/// The last such weekday before today.
fn last(weekday: Weekday, today: Date) -> Option<(Date, Span)> {
    Some((today.nth_weekday(-1, weekday).ok()?, 1.day()))
}

/// `14 March 2026`, `March 14, 2026`, `March 2026`, and `in March`, the last March that has begun.
fn english_month(words: &[&str], at: usize, before: &str, today: Date) -> Option<(Date, Span)> {
    let number = |at: usize| words.get(at).and_then(|word| day_number(word));
    let word_at = |at: usize| words.get(at).copied().unwrap_or_default();
    let (day, month_at) = match number(at) {
        Some(day) if month(word_at(at + 1)).is_some() => (Some(day), at + 1),
        _ => (None, at),
    };
    let month = month(word_at(month_at))?;
    let after = month_at + 1;
    let (day, after) = match (day, number(after)) {
        (None, Some(day)) => (Some(day), after + 1),
        (day, _) => (day, after),
    };
    let year = year(word_at(after));
    if day.is_none() && year.is_none() && !TIME_WORDS.contains(&before) {
        return None;
    }
    in_month(year, month, day, today)
}

fn month(word: &str) -> Option<i8> {
    let at = MONTHS.iter().position(|month| *month == word)?;
    i8::try_from(at + 1).ok()
}

/// A day of a month: `3`, `3rd`.
fn day_number(word: &str) -> Option<i8> {
    let word =
        ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
    word.parse().ok().filter(|day| (1..=31).contains(day))
}

/// A day or a month; without a year, the last one that has begun.
fn in_month(year: Option<i16>, month: i8, day: Option<i8>, today: Date) -> Option<(Date, Span)> {
    let date = |year| Date::new(year, month, day.unwrap_or(1)).ok();
    let first = match year {
        Some(year) => date(year)?,
        None => {
            date(today.year()).filter(|date| *date <= today).or_else(|| date(today.year() - 1))?
        }
    };
    Some((first, if day.is_some() { 1.day() } else { 1.month() }))
}

/// `어제`, `지난주`, `지난 화요일`, `3일 전`, `2026년 3월 14일`, `3월`.
fn korean(word: &str, next: &str, third: &str, today: Date) -> Option<(Date, Span)> {
    let back = |span: Span| today.checked_sub(span).ok();
    let weekday = |word: &str| {
        let (.., weekday) = WEEKDAYS.iter().find(|(_, korean, _)| word.starts_with(korean))?;
        Some(*weekday)
    };
    let starts = |word: &str, starts: &[&str]| starts.iter().any(|start| word.starts_with(start));
    if starts(word, &["지난", "저번"]) {
        if let Some(weekday) = weekday(next) {
            return last(weekday, today);
        }
        let unit = if matches!(word, "지난" | "저번") { next } else { word };
        return match () {
            () if starts(unit, &["주", "지난주", "저번주"]) => {
                Some((monday(back(7.days())?)?, 7.days()))
            }
            () if starts(unit, &["달", "지난달", "저번달"]) => {
                Some((back(1.month())?.first_of_month(), 1.month()))
            }
            () => None,
        };
    }
    if word.starts_with("이번") {
        let unit = if word == "이번" { next } else { word.trim_start_matches("이번") };
        return match unit.chars().next() {
            Some('주') => Some((monday(today)?, 7.days())),
            Some('달') => Some((today.first_of_month(), 1.month())),
            _ => None,
        };
    }
    let named = [("오늘", 0), ("어제", 1), ("그제", 2), ("그저께", 2)];
    if let Some((_, days)) = named.iter().find(|(name, _)| word.starts_with(name)) {
        return Some((back(days.days())?, 1.day()));
    }
    if word.starts_with("작년") {
        return Some((back(1.year())?.first_of_year(), 1.year()));
    }
    let number_before = |word: &str, unit: char| -> Option<i32> {
        word.split_once(unit).and_then(|(number, _)| number.parse().ok())
    };
    if next.starts_with('전') {
        let units = [('일', "day"), ('주', "week"), ('달', "month")];
        return units.iter().find_map(|(unit, name)| ago(number_before(word, *unit)?, name, today));
    }
    let year_of = |word: &str| number_before(word, '년').and_then(|year| i16::try_from(year).ok());
    let month_of =
        |word: &str| number_before(word, '월').and_then(|month| i8::try_from(month).ok());
    let day_of = |word: &str| number_before(word, '일').and_then(|day| i8::try_from(day).ok());
    match (year_of(word), month_of(word)) {
        (Some(year), _) => match month_of(next) {
            Some(month) => in_month(Some(year), month, day_of(third), today),
            None => Some((Date::new(year, 1, 1).ok()?, 1.year())),
        },
        (None, Some(month)) => in_month(None, month, day_of(next), today),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Thursday, 12 March 2026, 10:00.
    const NOW: i64 = 1_773_309_600_000;

    fn period(question: &str) -> String {
        let text = |at: i64| if at == i64::MIN { "…".to_owned() } else { times::moment(at) };
        find(question, NOW).map_or(String::new(), |(from, to)| {
            format!("{} {}", text(from), text(to)).replace(" 00:00", "")
        })
    }

    #[test]
    fn periods_are_found_in_english() {
        for (question, expected) in [
            ("what did we do last Tuesday", "2026-03-10 2026-03-11"),
            ("the fix on Thursday", "2026-03-05 2026-03-06"),
            ("decisions of 2026-03", "2026-03-01 2026-04-01"),
            ("what broke on 2026-02-28?", "2026-02-28 2026-03-01"),
            ("what broke in February", "2026-02-01 2026-03-01"),
            ("mistakes in December", "2025-12-01 2026-01-01"),
            ("mistakes in March 2025", "2025-03-01 2025-04-01"),
            ("on 24 December 2025", "2025-12-24 2025-12-25"),
            ("March 3rd, 2026", "2026-03-03 2026-03-04"),
            ("yesterday", "2026-03-11 2026-03-12"),
            ("saved last week", "2026-03-02 2026-03-09"),
            ("this month", "2026-03-01 2026-04-01"),
            ("last month", "2026-02-01 2026-03-01"),
            ("in the last 3 days", "2026-03-09 2026-03-13"),
            ("two or 10 days ago", "2026-03-02 2026-03-03"),
            ("a week ago", "2026-03-02 2026-03-09"),
            ("what changed in 2025", "2025-01-01 2026-01-01"),
            ("before 2026-01-01", "… 2026-01-01"),
            ("since February", "2026-02-01 2026-03-12 10:00"),
        ] {
            assert_eq!(period(question), expected, "{question}");
        }
    }

    #[test]
    fn periods_are_found_in_korean() {
        for (question, expected) in [
            ("어제 정한 것", "2026-03-11 2026-03-12"),
            ("지난주에 무엇을 했나", "2026-03-02 2026-03-09"),
            ("지난 화요일의 결정", "2026-03-10 2026-03-11"),
            ("지난달에 생긴 오류", "2026-02-01 2026-03-01"),
            ("이번 주 결정", "2026-03-09 2026-03-16"),
            ("3일 전에 고친 버그", "2026-03-09 2026-03-10"),
            ("2026년 2월 3일", "2026-02-03 2026-02-04"),
            ("2025년 12월에 정한 것", "2025-12-01 2026-01-01"),
            ("12월의 실수", "2025-12-01 2026-01-01"),
            ("작년 결정", "2025-01-01 2026-01-01"),
        ] {
            assert_eq!(period(question), expected, "{question}");
        }
    }

    #[test]
    fn other_questions_name_no_period() {
        for question in [
            "",
            "users may march on",
            "can we deploy on a Friday",
            "release every Tuesday",
            "port 2025 is closed",
            "2026-13-01",
            "2026-02-30",
            "retry 3 times",
            "the last 99999999999 days",
            "99999999999 days ago",
            "지난번에 정한 것",
        ] {
            assert_eq!(period(question), "", "{question}");
        }
        assert_eq!(find("yesterday", i64::MIN), None);
        assert!(find("today", i64::MAX).is_none_or(|(from, to)| from <= to));
    }
}
