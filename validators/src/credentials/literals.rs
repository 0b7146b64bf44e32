//! Secrets in source code: literals assigned to names that denote a secret, and literal passwords
//! in calls that log in.

use super::Found;
use super::data::{Scan, report_named};
use super::names::Class;
use super::strength::is_generated_secret;
use super::values::{MAX_SECRET_LEN, Trust, is_credible};
use aho_corasick::AhoCorasick;
use aidd_engine::parse::assign::{self, Assignment, Join};
use aidd_engine::parse::ini::find_closing_quote;
use aidd_engine::text::source::Span;
use aidd_engine::text::time_limit::step;
use aidd_lexicon::tables::credentials as table;
use std::sync::LazyLock;

/// Maximum number of assignments parsed in one run of characters without quotes or spaces. The rest
/// of the run is the value of each of these assignments, and such values are not secrets.
const MAX_NESTED: usize = 4;

/// Reports assignments whose names contain one of the words at `hits`. If `allows_unquoted` is
/// true, values do not require quotes.
pub(super) fn report_assignments(
    scan: Scan<'_>,
    hits: impl IntoIterator<Item = usize>,
    allows_unquoted: bool,
    found: &mut Vec<Found>,
) {
    let mut processed_end = 0;
    // The end of the value of the last assignment without quotes, and the number of further
    // assignments whose value ends there.
    let (mut run_end, mut nested) = (0, 0);
    for hit in hits {
        step();
        if hit < processed_end {
            continue;
        }
        let Some(assignment) = assign::at(scan.text, hit) else { continue };
        if !assignment.quoted && assignment.join != Join::Element {
            nested = if hit < run_end { nested + 1 } else { 0 };
            run_end = assignment.value.end as usize;
            if nested >= MAX_NESTED {
                processed_end = run_end;
            }
            // The value is too long to be a secret. Later values with the same end are also too
            // long if they start before the last `MAX_SECRET_LEN` bytes.
            if assignment.value.len() > MAX_SECRET_LEN {
                processed_end = processed_end.max(run_end - MAX_SECRET_LEN);
                continue;
            }
        }
        let value = &scan.text[assignment.value.range()];
        let is_literal = assignment.quoted
            || (allows_unquoted && assignment.join != Join::Flag)
            || matches!(assignment.join, Join::Element);
        // The value is the fallback of a read from the environment.
        let is_fallback =
            assignment.join == Join::Comma && is_environment_lookup(scan.text, assignment.name);
        let is_argument = assignment.join == Join::Comma && !is_fallback;
        if !is_literal || is_argument && !is_setter(scan.text, assignment.name) {
            continue;
        }
        let is_setter_call = || scan.trust == Trust::Low && is_method(scan.text, assignment.name);
        if assignment.join == Join::Call && !is_setter_call() {
            continue;
        }
        if assignment.quoted && !is_value_end(scan.text, assignment.value.end as usize + 1) {
            continue;
        }
        processed_end = processed_end.max(assignment.name.end as usize);
        let before = found.len();
        let name = &scan.text[assignment.name.range()];
        if is_label(name, value) || !assignment.quoted && is_interpolated(scan.text, assignment) {
            continue;
        }
        let trust = if is_fallback { Trust::Low } else { scan.trust };
        report_named(name, "", value, assignment.value, Scan { trust, ..scan }, found);
        // A generated fallback is a key that is in use wherever the variable is not set.
        let is_weak = is_fallback && !is_generated_secret(value);
        found[before..].iter_mut().for_each(|secret| secret.weak |= is_weak);
        if found.len() > before {
            processed_end = processed_end.max(assignment.value.end as usize);
        }
    }
}

/// Whether a name that is called is a method or a setter: `.password("…")`, `setPassword("…")`.
fn is_method(text: &str, name: Span) -> bool {
    let called = &text[name.range()];
    called.contains('.')
        || text[..name.start as usize].ends_with(['.', '>'])
        || ["set", "with"].iter().any(|verb| called.starts_with(verb))
}

/// The lower-case name of the function whose first argument is `name`, without the object.
fn callee(text: &str, name: Span) -> Option<String> {
    let before = text[..name.start as usize].trim_end_matches(['"', '\'', '`', ' ']);
    let before = before.strip_suffix('(')?;
    let length =
        before.bytes().rev().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
    Some(before[before.len() - length..].to_ascii_lowercase())
}

/// Whether the name and the value are arguments of a function that reads a variable, with the value
/// as fallback: `env('NAME', 'value')`.
fn is_environment_lookup(text: &str, name: Span) -> bool {
    // Python: `os.environ.get('NAME', 'value')`
    let is_get = || {
        let before = text[..name.start as usize].trim_end_matches(['"', '\'', ' ']);
        before.ends_with("environ.get(")
    };
    callee(text, name)
        .is_some_and(|callee| callee == "env" || callee == "config" || callee.ends_with("getenv"))
        || is_get()
}

/// Whether an assignment is part of a template: `{{ .Values.password }}`, `${NAME:?message}`.
fn is_interpolated(text: &str, assignment: Assignment) -> bool {
    let start = assignment.name.start as usize;
    let window = &text[text.floor_char_boundary(start.saturating_sub(MAX_CALL_LEN))..start];
    let line = window.rsplit('\n').next().unwrap_or(window);
    let is_open = line.rfind("{{").is_some_and(|open| !line[open..].contains("}}"));
    let has_default = text[assignment.name.end as usize..].starts_with([':', '-', '='])
        && text[assignment.value.start as usize..].starts_with(['-', '=']);
    is_open || (line.ends_with("${") && !has_default)
}

/// Whether the name and the value are arguments of a function that stores the value.
fn is_setter(text: &str, name: Span) -> bool {
    let Some(callee) = callee(text, name) else { return false };
    [
        "define", "set", "put", "add", "store", "with", "config", "env", "property", "setenv",
        "append",
    ]
    .iter()
    .any(|verb| callee.starts_with(verb) || callee.ends_with(verb))
}

/// Whether a value spells out its own name, as in `ACCESS_KEY = "aws_access_key_id"`.
fn is_label(name: &str, value: &str) -> bool {
    let lower_letters = |text: &str| -> String {
        let letters = text.chars().filter(char::is_ascii_alphabetic);
        letters.map(|c| c.to_ascii_lowercase()).collect()
    };
    let is_identifier = value.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && (value.contains('_') || value.bytes().skip(1).any(|byte| byte.is_ascii_uppercase()));
    let last = name.rsplit(['.', '_']).next().unwrap_or(name);
    is_identifier && lower_letters(value).contains(&lower_letters(last))
}

/// Whether an expression can end at `at`, after a literal. A conversion of the literal is part of
/// the expression.
fn is_value_end(text: &str, at: usize) -> bool {
    let rest = text.get(at..).unwrap_or_default().trim_start_matches([' ', '\t']);
    let conversions = [
        ".to_string()",
        ".into()",
        ".to_owned()",
        ".getBytes",
        ".encode",
        ".toCharArray()",
        ".freeze",
        ".as_bytes",
        ".to_vec",
    ];
    rest.is_empty()
        || rest.starts_with([',', ';', ')', '}', ']', '\n', '\r', '#', '<', '>', '"', '\'', '\\'])
        || rest.starts_with("//")
        || rest.starts_with("/*")
        || rest.starts_with("--")
        || rest.starts_with("if ")
        || conversions.iter().any(|conversion| rest.starts_with(conversion))
}

/// Functions that log in: first those whose second argument is the password, then those whose third
/// argument is the password.
static CALLEES: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let names =
        table::CALLS_WITH_PASSWORD_SECOND.iter().chain(table::CALLS_WITH_PASSWORD_THIRD.iter());
    AhoCorasick::builder().ascii_case_insensitive(true).build(names).ok()
});

/// Reports literal passwords in calls that log in.
pub(super) fn report_login_calls(text: &str, trust: Trust, found: &mut Vec<Found>) {
    let Some(callees) = CALLEES.as_ref() else { return };
    let second_count = table::CALLS_WITH_PASSWORD_SECOND.iter().count();
    for hit in callees.find_iter(text) {
        step();
        let position = if hit.pattern().as_usize() < second_count { 1 } else { 2 };
        let arguments = arguments(text, hit.end());
        let Some(&(start, end, true)) = arguments.get(position) else { continue };
        let value = &text[start..end];
        let name = position.checked_sub(1).and_then(|at| arguments.get(at));
        let is_named = name.is_some_and(|&(from, to, quoted)| !quoted || to > from);
        let is_same = name.is_some_and(|&(from, to, _)| text[from..to].eq_ignore_ascii_case(value));
        if is_named
            && !(is_same && trust == Trust::Low)
            && is_credible(value, Class::Password, trust)
        {
            found.push(Found::new("secrets/login-call-password", Span::new(start, end)));
        }
    }
}

/// Maximum length of a call after its name, in bytes.
const MAX_CALL_LEN: usize = 1024;

/// Reports the passwords in `ConvertTo-SecureString "…" -AsPlainText`.
pub(super) fn report_secure_strings(text: &str, trust: Trust, found: &mut Vec<Found>) {
    const CALL: &str = "ConvertTo-SecureString";
    for (at, _) in text.match_indices(CALL) {
        step();
        let start = at + CALL.len();
        // One line can contain thousands of calls.
        let rest = &text[start..text.floor_char_boundary(start + MAX_CALL_LEN)];
        let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
        let Some(open) = line.find(['"', '\'']).filter(|_| line.contains("-AsPlainText")) else {
            continue;
        };
        let quote = if line[open..].starts_with('"') { '"' } else { '\'' };
        let Some(length) = find_closing_quote(&line[open + 1..], quote) else { continue };
        let value = &line[open + 1..open + 1 + length];
        if is_credible(value, Class::Password, trust) {
            let from = start + open + 1;
            found.push(Found::new("secrets/login-call-password", Span::new(from, from + length)));
        }
    }
}

/// The arguments from `at` to the closing parenthesis or the end of the line: the start and
/// end of each argument, and whether the argument is a single literal.
fn arguments(text: &str, at: usize) -> Vec<(usize, usize, bool)> {
    let window = &text[..text.floor_char_boundary(at + MAX_CALL_LEN)];
    let line = &window[..window[at..].find('\n').map_or(window.len(), |length| at + length)];
    let mut arguments = Vec::new();
    let mut cursor = at;
    while cursor < line.len() && arguments.len() < 6 {
        cursor += line[cursor..].len() - line[cursor..].trim_start().len();
        let rest = &line[cursor..];
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
        let (start, end, mut after, literal) =
            match quote.and_then(|quote| find_closing_quote(&rest[1..], quote)) {
                Some(length) => (cursor + 1, cursor + 1 + length, cursor + length + 2, true),
                None => {
                    let length = rest.find([',', ')']).unwrap_or(rest.len());
                    (cursor, cursor + length, cursor + length, false)
                }
            };
        after += line[after..].len() - line[after..].trim_start().len();
        let next = line[after..].chars().next();
        arguments.push((start, end, literal && matches!(next, Some(',' | ')') | None)));
        if next != Some(',') {
            break;
        }
        cursor = after + 1;
    }
    arguments
}
