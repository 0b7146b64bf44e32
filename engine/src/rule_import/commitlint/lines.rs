//! Rules on the first line alone, as expressions that it matches.

use super::super::{listed, texts};
use super::Set;
use std::borrow::Cow;

/// First lines that commitlint finds no type, scope and subject in: such a rule says nothing of
/// them.
const OTHER: &str = r"\w*[^\w(!:].*|[^:]*|\w*\([^)]*\)[^!:].*|\w*(?:\([^)]*\))?![^:].*|\w*(?:\([^)]*\))?!?:(?:[^ ].*)?";

/// An expression for first lines whose parts are as given; `None`: any.
fn line(kind: Option<&str>, scope: Option<&str>, subject: Option<&str>) -> String {
    let kind = kind.unwrap_or(r"\w*");
    let scope = scope.map_or_else(|| r"(?:\([^)]*\))?".to_owned(), str::to_owned);
    let subject = subject.unwrap_or(".*");
    format!(r"^(?:(?:{kind}){scope}!?: (?:{subject})|{OTHER})$")
}

/// An expression for a text in a case, or (`never`) in none of the cases.
fn in_cases(one: &Set<'_>) -> Result<String, String> {
    let cases = texts(&one.value);
    let unknown = |case: &str| format!("its case `{case}` has no expression here");
    let all: Result<Vec<&str>, String> = cases
        .iter()
        .map(|case| {
            Ok(match case.as_str() {
                "lower-case" | "lowercase" | "lowerCase" => r"[^\p{Lu}\p{Lt}]*",
                "upper-case" | "uppercase" => r"[^\p{Ll}\p{Lt}]*",
                "camel-case" => "[a-z][a-zA-Z0-9]*",
                "kebab-case" => "[a-z0-9]+(?:-[a-z0-9]+)*",
                "snake-case" => "[a-z0-9]+(?:_[a-z0-9]+)*",
                "pascal-case" => "[A-Z][a-zA-Z0-9]*",
                "sentence-case" | "sentencecase" => r"[^\p{Ll}].*",
                "start-case" => r"[^\p{Ll}\s]\S*(?: [^\p{Ll}\s]\S*)*",
                other => return Err(unknown(other)),
            })
        })
        .collect();
    let all = all?;
    if all.is_empty() {
        return Err("it names no case".to_owned());
    }
    if !one.never {
        return Ok(all.join("|"));
    }
    // Of what begins in a capital letter, start case, Pascal case and upper case are kinds.
    let begins =
        ["sentence-case", "sentencecase", "start-case", "pascal-case", "upper-case", "uppercase"];
    let sentence = cases.iter().any(|case| case.starts_with("sentence"));
    if sentence && cases.iter().all(|case| begins.contains(&case.as_str())) {
        return Ok(r"[^\p{Lu}\p{Lt}].*|".to_owned());
    }
    match (&cases[..], cases[0].as_str()) {
        ([_], "lower-case" | "lowercase") => Ok(r".*[\p{Lu}\p{Lt}].*".to_owned()),
        ([_], "upper-case" | "uppercase") => Ok(r".*[\p{Ll}\p{Lt}].*".to_owned()),
        _ => Err("an expression cannot say what is in none of these cases".to_owned()),
    }
}

/// What a rule demands, in words, as an expression of the first line, and examples.
pub(super) struct Line {
    pub(super) demand: String,
    pub(super) matches: String,
    /// A first line that is well.
    pub(super) good: Cow<'static, str>,
    /// One that is not.
    pub(super) bad: String,
}

/// The rules that speak of the first line alone.
pub(super) fn first_line(one: &Set<'_>) -> Result<Line, String> {
    let (part, asked) = one.name.split_once('-').unwrap_or((one.name, ""));
    let said = match part {
        "header" => "first line",
        "subject" => "description",
        other => other,
    };
    let matches = |inner: &str| match part {
        "header" => format!("^(?:{inner})$"),
        "type" => line(Some(inner), None, None),
        "scope" => line(None, Some(&format!(r"(?:\((?:{inner})\))?")), None),
        _ => line(None, None, Some(inner)),
    };
    let of = |demand: String, inner: &str, good: &str, bad: String| {
        Ok(Line {
            demand: format!("The {said} of a commit message {demand}."),
            matches: matches(inner),
            good: Cow::Owned(good.to_owned()),
            bad,
        })
    };
    let number = one.value.as_u64().filter(|number| *number <= 1000);
    let never = if one.never { "NEVER" } else { "MUST" };
    let cases = || texts(&one.value);
    match asked {
        "case" => {
            let inner = in_cases(one)?;
            let verb = if one.never { "is NEVER in" } else { "MUST be in" };
            let bad = match part {
                "type" => "FIX_it: x y",
                "scope" => "fix(A_b C): x y",
                _ => "fix: Some Words",
            };
            of(
                format!("{verb} {}", listed(&cases(), "or")),
                &inner,
                "fix(api): some words",
                bad.to_owned(),
            )
        }
        "full-stop" => {
            let stop = one.value.as_str().unwrap_or(".");
            let mut letters = stop.chars();
            let (Some(letter), None) = (letters.next(), letters.next()) else {
                return Err("its value is not one character".to_owned());
            };
            let letter = regex::escape(&letter.to_string());
            // commitlint leaves `...` alone.
            let inner =
                if one.never { format!(r"|.*\.\.\.|.*[^{letter}]") } else { format!(".*{letter}") };
            let matches = format!("^(?:{inner})$");
            let demand = if one.never {
                format!("The first line of a commit message NEVER ends with `{stop}`.")
            } else {
                format!("The first line of a commit message MUST end with `{stop}`.")
            };
            let (good, bad) = if one.never {
                ("fix: x", format!("fix: x{stop}"))
            } else {
                ("fix: x.", "fix: x".to_owned())
            };
            Ok(Line { demand, matches, good: good.into(), bad })
        }
        "min-length" | "max-length" => {
            let number = number.ok_or("it has no number up to 1000")?;
            let least = asked == "min-length";
            let (range, said) = if least {
                (format!("{{{number},}}"), "at least")
            } else {
                (format!("{{0,{number}}}"), "at most")
            };
            let any = match part {
                "type" => r"\w",
                "scope" => "[^)]",
                _ => ".",
            };
            let count = usize::try_from(number).unwrap_or(100);
            let of_length = |length: usize| {
                let words = "x".repeat(length);
                match part {
                    "type" => format!("{words}: y"),
                    "scope" => format!("fix({words}): y"),
                    "header" => words,
                    _ => format!("fix: {words}"),
                }
            };
            let (good, bad) = if least { (count, 1) } else { (1, count + 1) };
            of(
                format!("MUST have {said} {number} characters"),
                &format!("{any}{range}"),
                &of_length(good),
                of_length(bad),
            )
        }
        "trim" => of(
            "NEVER begins or ends with a space".to_owned(),
            r"\S(?:.*\S)?|",
            "fix: x",
            " fix: x".to_owned(),
        ),
        "empty" => match (part, one.never) {
            ("scope", true) => Ok(Line {
                demand: "A commit message MUST have a scope.".to_owned(),
                matches: line(None, Some(r"\([^)]+\)"), None),
                good: "fix(api): x".into(),
                bad: "fix: x".to_owned(),
            }),
            ("scope", false) => Ok(Line {
                demand: "A commit message NEVER has a scope.".to_owned(),
                matches: line(None, Some(""), None),
                good: "fix: x".into(),
                bad: "fix(api): x".to_owned(),
            }),
            (_, true) => Ok(Line {
                demand: format!("A commit message MUST have a {said}."),
                matches: r"^\w+(?:\([^)]*\))?!?: .+$".to_owned(),
                good: "fix: x".into(),
                bad: "Update".to_owned(),
            }),
            (_, false) => Err(format!("a message without a {said} is nothing a page asks for")),
        },
        "enum" => {
            let names = texts(&one.value);
            if names.is_empty() || one.never {
                return Err("an expression cannot say what is none of these".to_owned());
            }
            let escaped: Vec<String> = names.iter().map(|name| regex::escape(name)).collect();
            let one_of = escaped.join("|");
            let inner = if part == "scope" {
                format!(r"(?:{one_of})(?:[,/\\] *(?:{one_of}))*")
            } else {
                one_of
            };
            let bad = if part == "type" { "unknown: x" } else { "fix(unknown): x" };
            of(
                format!("MUST be one of {}", listed(&names, "and")),
                &inner,
                "Some words",
                bad.to_owned(),
            )
        }
        "exclamation-mark" if one.never => Ok(Line {
            demand: "The first line of a commit message NEVER has a `!` before its colon."
                .to_owned(),
            matches: format!(r"^(?:\w*(?:\([^)]*\))?: .*|{OTHER})$"),
            good: "fix: x".into(),
            bad: "fix!: x".to_owned(),
        }),
        "delimiter-style" if !one.never => {
            let given = texts(&one.value);
            let all = if given.is_empty() {
                vec!["/".to_owned(), "\\".to_owned(), ",".to_owned()]
            } else {
                given
            };
            let escaped: Vec<String> = all.iter().map(|one| regex::escape(one)).collect();
            of(
                format!("MUST have no other mark between its parts than {}", listed(&all, "or")),
                &format!("[A-Za-z0-9_-]*(?:(?: *(?:{})+ *)[A-Za-z0-9_-]*)*", escaped.join("|")),
                "fix: x",
                "fix(a;b): x".to_owned(),
            )
        }
        _ => Err(format!("`{never}` of it is nothing a page asks for")),
    }
}
