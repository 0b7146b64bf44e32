//! Generates texts and paths that match an expression or a glob, for the examples of a page. The
//! engine verifies them; samples without the expected result are dropped.

use regex_syntax::hir::{Class, Hir, HirKind};

/// Maximum number of characters of a sample.
const MAX_CHARS: usize = 2000;
/// Preferred characters, in order.
const PREFERRED_CHARS: &str = "aA1 -_./:x";

/// A short text that `expression` matches; `None` when the expression is malformed or matches no
/// short text.
pub(super) fn from_regex(expression: &str) -> Option<String> {
    let hir = regex_syntax::ParserBuilder::new()
        .multi_line(true)
        .crlf(true)
        .build()
        .parse(expression)
        .ok()?;
    let mut text = String::new();
    write_sample(&hir, &mut text)?;
    (text.len() <= MAX_CHARS).then_some(text)
}

/// Appends a text that `hir` matches. The regex parser bounds the nesting depth, so recursion is safe.
fn write_sample(hir: &Hir, text: &mut String) -> Option<()> {
    if text.len() > MAX_CHARS {
        return None;
    }
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(std::str::from_utf8(&literal.0).ok()?),
        HirKind::Class(class) => text.push(character(class)?),
        HirKind::Capture(capture) => write_sample(&capture.sub, text)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| write_sample(part, text))?,
        HirKind::Alternation(parts) => write_sample(parts.first()?, text)?,
        HirKind::Repetition(repetition) => {
            // Writes the minimum number of repetitions.
            let max = repetition.max.unwrap_or(1).min(1);
            let times = repetition.min.max(if repetition.min == 0 { 0 } else { max });
            for _ in 0..times {
                write_sample(&repetition.sub, text)?;
            }
        }
    }
    Some(())
}

fn character(class: &Class) -> Option<char> {
    // Byte classes do not produce text.
    let Class::Unicode(class) = class else { return None };
    let ranges: Vec<_> = class.iter().map(|range| (range.start(), range.end())).collect();
    let has = |c: char| ranges.iter().any(|&(start, end)| start <= c && c <= end);
    let preferred = PREFERRED_CHARS.chars().find(|&c| has(c));
    let printable = || ranges.iter().map(|&(start, _)| start).find(|c| !c.is_control());
    preferred.or_else(printable).or_else(|| ranges.first().map(|&(start, _)| start))
}

/// A path that `glob` matches, with `name` in place of wildcards.
pub(super) fn from_glob(glob: &str, name: &str) -> String {
    let mut path = String::new();
    let mut rest = glob.trim_start_matches("./").trim_start_matches('/');
    let mut braces = 0_usize;
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        match c {
            '*' => {
                length = rest.len() - rest.trim_start_matches('*').len();
                if length > 1 && rest[length..].starts_with('/') {
                    length += 1;
                } else {
                    path.push_str(name);
                    if length > 1 && rest.len() == length && !name.contains('.') {
                        path.push_str(".txt");
                    }
                }
            }
            '?' => path.push('a'),
            '[' => {
                let end = rest.find(']').unwrap_or(rest.len() - 1);
                let inner = rest[1..=end].trim_end_matches(']');
                path.push(inner.chars().find(|c| !"!^".contains(*c)).unwrap_or('a'));
                length = end + 1;
            }
            '{' => braces += 1,
            // Skips the remaining alternatives.
            ',' if braces > 0 => length = rest.find('}').unwrap_or(rest.len()),
            '}' if braces > 0 => braces -= 1,
            '<' => {
                let end = rest.find('>').unwrap_or(rest.len() - 1);
                path.push_str(name);
                length = end + 1;
            }
            _ => path.push(c),
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn samples_match_their_expression_or_glob() {
        for expression in [
            r"^SPDX-License-Identifier: (MIT|Apache-2\.0)$",
            r"TODO\([a-z]+\)",
            r"\d{4}-\d\d",
            "(?-m)^#!",
        ] {
            let sample = from_regex(expression).expect(expression);
            assert!(regex::Regex::new(expression).expect("valid").is_match(&sample), "{sample}");
        }
        assert_eq!(from_regex("a{9999}"), None);
        assert_eq!(from_glob("src/**/*.{ts,tsx}", "x"), "src/x.ts");
        assert_eq!(from_glob("/README*", "x"), "READMEx");
        assert_eq!(from_glob("packages/*/src/**", "x"), "packages/x/src/x.txt");
        assert_eq!(from_glob("a[!b]c?", "x"), "abca");
    }

    proptest! {
        #[test]
        fn any_expression_or_glob_is_handled_without_panic(text in "[a*?\\[\\]{},<>/!.()|+é-]{0,24}") {
            let _ = from_glob(&text, "x");
            let _ = from_regex(&text);
        }
    }
}
