//! Rules on the first line alone, as expressions that it matches or does not match.

use super::super::{listed, texts};
use super::parse::{Parse, filled, may_miss};
use super::{Set, cases};
use regex::Regex;
use serde_json::{Value as Json, json};

/// First lines that commitlint finds no type, scope and subject in: such a rule says nothing of
/// them.
const OTHER: &str = r"\w*[^\w(!:].*|[^:]*|\w*\([^)]*\)[^!:].*|\w*(?:\([^)]*\))?![^:].*|\w*(?:\([^)]*\))?!?:(?: |[^ ].*)?";
/// What parts a scope in several.
const PARTED: &str = r"(?:, ?|/|\\)";

/// An expression for first lines whose parts are as given; `None`: any.
fn line(kind: Option<&str>, scope: Option<&str>, subject: Option<&str>) -> String {
    let kind = kind.unwrap_or(r"\w*");
    let scope = scope.map_or_else(|| r"(?:\([^)]*\))?".to_owned(), str::to_owned);
    let subject = subject.unwrap_or(".*");
    format!(r"(?:{kind}){scope}!?: (?:{subject})")
}

/// What a rule demands, in words, what of `subject` in the form, and first lines to try it on.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) demand: String,
    pub(super) subject: Json,
    /// One that is well, and one that is not.
    pub(super) good: Option<String>,
    pub(super) bad: Option<String>,
}

impl Line {
    /// With the first of `lines` that the demand takes, and the first that it does not.
    fn new(demand: String, matches: bool, regex: &str, lines: &[String]) -> Result<Self, String> {
        let key = if matches { "matches" } else { "not-matches" };
        let compiled =
            Regex::new(regex).map_err(|_| format!("`{regex}` is no expression of ours"))?;
        let first = |well: bool| {
            let fits = |line: &&String| (compiled.is_match(line) == matches) == well;
            lines.iter().find(fits).cloned()
        };
        Ok(Self { demand, subject: json!({key: regex}), good: first(true), bad: first(false) })
    }
}

/// First lines of all kinds.
fn tries(one: &Set<'_>, part: &str) -> Vec<String> {
    let names = texts(&one.value).into_iter().chain(texts(&one.value["scopes"]));
    let number = usize::try_from(one.value.as_u64().unwrap_or(9).min(1000)).unwrap_or(9);
    let words = [
        "some words",
        "Some words",
        "Some Words",
        "SOME WORDS",
        "some",
        "Some",
        "SOME",
        "someWords",
        "SomeWords",
        "some-words",
        "some_words",
        "SOME_WORDS",
    ];
    let mut inner: Vec<String> = names.collect();
    inner.extend(["unknown", "x"].map(str::to_owned));
    inner.extend(words.map(str::to_owned));
    inner.extend(["x".repeat(number + 1), "x".repeat(number)]);
    let word = |text: &String| text.chars().all(|c| c.is_alphanumeric() || c == '_');
    match part {
        "type" => inner
            .iter()
            .filter(|kind| word(kind))
            .map(|kind| format!("{kind}: some words"))
            .collect(),
        "scope" => inner.iter().map(|scope| format!("fix({scope}): some words")).collect(),
        "header" => inner,
        _ => inner.iter().map(|subject| format!("fix: {subject}")).collect(),
    }
}

/// The rules that speak of the first line alone.
pub(super) fn first_line(one: &Set<'_>, parse: &Parse) -> Result<Line, String> {
    let (part, asked) = one.name.split_once('-').unwrap_or((one.name, ""));
    let of_line = part == "header" || asked == "full-stop" || asked == "exclamation-mark";
    match parse {
        Parse::Own(pattern, names) if !of_line => own(one, pattern, names),
        Parse::Unknown(why) if !of_line => Err(why.clone()),
        _ => match asked {
            "case" => case(one, part),
            "full-stop" => full_stop(one, part),
            "min-length" | "max-length" => length(one, part, asked),
            "enum" => names_of(one, part),
            "empty" => empty(one, part),
            _ => other(one, asked),
        },
    }
}

fn called(part: &str) -> &str {
    match part {
        "header" => "first line",
        "subject" => "description",
        other => other,
    }
}

/// An expression for first lines whose `part` is `inner`; with `or_other` those that have none, too.
fn whole(part: &str, inner: &str, or_other: bool) -> String {
    let line = match part {
        "header" => return format!("^(?:{inner})$"),
        "type" => line(Some(inner), None, None),
        "scope" if or_other => {
            line(None, Some(&format!(r"(?:\((?:(?:{inner})(?:{PARTED}(?:{inner}))*)?\))?")), None)
        }
        "scope" => line(None, Some(&format!(r"\((?:{inner})(?:{PARTED}(?:{inner}))*\)")), None),
        _ => line(None, None, Some(inner)),
    };
    if or_other { format!("^(?:{line}|{OTHER})$") } else { format!("^{line}$") }
}

fn case(one: &Set<'_>, part: &str) -> Result<Line, String> {
    let inner = cases::any(one, part)?;
    let names = listed(&cases::names(&one.value)?, "or");
    let said = called(part);
    let mut lines = tries(one, part);
    if part == "scope" {
        lines.push("fix: some words".to_owned());
    }
    if one.never {
        let demand = format!("The {said} of a commit message is NEVER in {names}.");
        return Line::new(demand, false, &whole(part, &inner, false), &lines);
    }
    let inner = format!("{inner}|{}", cases::caseless(part));
    let demand = format!("The {said} of a commit message MUST be in {names}.");
    Line::new(demand, true, &whole(part, &inner, true), &lines)
}

fn full_stop(one: &Set<'_>, part: &str) -> Result<Line, String> {
    let stop = one.value.as_str().unwrap_or(".");
    let mut letters = stop.chars();
    let (Some(letter), None) = (letters.next(), letters.next()) else {
        return Err("its value is not one character".to_owned());
    };
    let letter = regex::escape(&letter.to_string());
    // Of a subject commitlint leaves `...` alone.
    let regex = if part == "subject" && stop == "." {
        r"(?:^|[^.])\.{1,2}$".to_owned()
    } else {
        format!("{letter}$")
    };
    let verb = if one.never { "NEVER ends" } else { "MUST end" };
    let lines = ["fix: some words".to_owned(), format!("fix: some words{stop}")];
    let demand = format!("The first line of a commit message {verb} with `{stop}`.");
    Line::new(demand, !one.never, &regex, &lines)
}

fn length(one: &Set<'_>, part: &str, asked: &str) -> Result<Line, String> {
    let number = one.value.as_u64().filter(|number| *number <= 1000);
    let number = number.ok_or("it has no number up to 1000")?;
    let (range, said) = if asked == "min-length" {
        (format!("{{{number},}}"), "at least")
    } else {
        (format!("{{0,{number}}}"), "at most")
    };
    let any = match part {
        "type" => r"\w",
        "scope" => "[^)]",
        _ => ".",
    };
    let inner = format!("{any}{range}");
    let regex = match part {
        "scope" => {
            format!("^(?:{}|{OTHER})$", line(None, Some(&format!(r"(?:\((?:{inner})?\))?")), None))
        }
        _ => whole(part, &inner, true),
    };
    let demand =
        format!("The {} of a commit message MUST have {said} {number} characters.", called(part));
    Line::new(demand, true, &regex, &tries(one, part))
}

/// The names that a type or a scope may have.
fn names_of(one: &Set<'_>, part: &str) -> Result<Line, String> {
    let names = enumerated(&one.value);
    if names.iter().any(|name| name == "workspace") {
        return Err("the names of the parts of the workspace are scopes of Conventional Commits alone: demand `type-empty` and `subject-empty`, too".to_owned());
    }
    let escaped: Vec<String> = names.iter().map(|name| regex::escape(name)).collect();
    let one_of = escaped.join("|");
    let said = called(part);
    if one.never {
        // One of several is too many.
        let regex = if part == "scope" {
            format!(r"^\w*\((?:[^)]*{PARTED})?(?:{one_of})(?:{PARTED}[^)]*)?\)!?: .*$")
        } else {
            whole(part, &one_of, false)
        };
        let demand = format!("The {said} of a commit message is NEVER {}.", listed(&names, "or"));
        return Line::new(demand, false, &regex, &tries(one, part));
    }
    let demand =
        format!("The {said} of a commit message MUST be one of {}.", listed(&names, "and"));
    Line::new(demand, true, &whole(part, &one_of, true), &tries(one, part))
}

/// The names that `…-enum` lists; none: any.
pub(super) fn enumerated(value: &Json) -> Vec<String> {
    if value["scopes"].is_null() { texts(value) } else { texts(&value["scopes"]) }
}

fn empty(one: &Set<'_>, part: &str) -> Result<Line, String> {
    let regex = match part {
        "type" => r"^\w+(?:\([^)]*\))?!?: .*$",
        "scope" => r"^\w*\([^)]+\)!?: .*$",
        _ => r"^\w*(?:\([^)]*\))?!?: .+$",
    };
    let lines =
        ["fix(api): some words", "fix: some words", "Update", "fix(api)"].map(str::to_owned);
    let verb = if one.never { "MUST have" } else { "NEVER has" };
    let demand = format!("A commit message {verb} a {}.", called(part));
    Line::new(demand, one.never, regex, &lines)
}

fn other(one: &Set<'_>, asked: &str) -> Result<Line, String> {
    let lines = ["fix: some words", " fix: some words", "fix!: some words", "fix(a;b): some words"]
        .map(str::to_owned);
    let verb = if one.never { "NEVER" } else { "MUST" };
    match asked {
        "trim" => {
            let demand = "The first line of a commit message NEVER begins or ends with a space.";
            Line::new(demand.to_owned(), true, r"^(?:\S(?:.*\S)?|)$", &lines)
        }
        "exclamation-mark" => {
            let verb = if one.never { "NEVER has" } else { "MUST have" };
            let demand =
                format!("The first line of a commit message {verb} a `!` before its colon.");
            Line::new(demand, !one.never, r"^\w*(?:\([^)]*\))?!:", &lines)
        }
        "delimiter-style" if !one.never => {
            let given = texts(&one.value);
            let all =
                if given.is_empty() { ["/", "\\", ","].map(str::to_owned).to_vec() } else { given };
            let escaped: Vec<String> = all.iter().map(|one| regex::escape(one)).collect();
            let inner =
                format!("[A-Za-z0-9_-]*(?:(?: *(?:{})+ *)[A-Za-z0-9_-]*)*", escaped.join("|"));
            let regex =
                format!("^(?:{}|{OTHER})$", line(None, Some(&format!(r"(?:\({inner}\))?")), None));
            let demand = format!(
                "The scope of a commit message MUST have no other mark between its parts than {}.",
                listed(&all, "or")
            );
            Line::new(demand, true, &regex, &lines)
        }
        _ => Err(format!("`{verb}` of it is nothing a page asks for")),
    }
}

/// A rule on a part that an expression of the configuration finds: what it must not be.
fn own(one: &Set<'_>, pattern: &str, names: &[String]) -> Result<Line, String> {
    let (part, asked) = one.name.split_once('-').unwrap_or((one.name, ""));
    let with = |inner: &str| {
        filled(pattern, names, &[(part, inner)])
            .ok_or_else(|| format!("`{pattern}`, the expression of its parser, finds no {part}"))
    };
    let said = called(part);
    let demand = |text: String| format!("The {said} of a commit message {text}.");
    let (text, regex) = match asked {
        "case" if one.never => {
            let names = listed(&cases::names(&one.value)?, "or");
            (format!("is NEVER in {names}"), with(&cases::any(one, part)?)?)
        }
        "case" => {
            let not = cases::none(one).ok_or("what is in none of these cases is not said by an expression, and its parser has one of its own")?;
            (format!("MUST be in {}", listed(&cases::names(&one.value)?, "or")), with(&not)?)
        }
        "enum" if one.never => {
            let names: Vec<String> = enumerated(&one.value);
            let one_of: Vec<String> = names.iter().map(|name| regex::escape(name)).collect();
            (format!("is NEVER {}", listed(&names, "or")), with(&one_of.join("|"))?)
        }
        "max-length" => {
            let number = one.value.as_u64().filter(|number| *number < 1000);
            let number = number.ok_or("it has no number below 1000")?;
            (
                format!("MUST have at most {number} characters"),
                with(&format!(".{{{},}}", number + 1))?,
            )
        }
        "min-length" => {
            let number = one.value.as_u64().filter(|number| (1..=1000).contains(number));
            let number = number.ok_or("it has no number up to 1000")?;
            (
                format!("MUST have at least {number} characters"),
                with(&format!(".{{0,{}}}", number - 1))?,
            )
        }
        _ => {
            return Err(format!(
                "its parser, `{pattern}`, may find no {said}; demand `type-empty` and `subject-empty`, too, for one page that says all of the line"
            ));
        }
    };
    Line::new(demand(text), false, &regex, &own_tries(pattern, one, part, names))
}

/// First lines that an expression of the configuration takes apart.
fn own_tries(pattern: &str, one: &Set<'_>, part: &str, names: &[String]) -> Vec<String> {
    let number = usize::try_from(one.value.as_u64().unwrap_or(9).min(1000)).unwrap_or(9);
    let mut words: Vec<String> = enumerated(&one.value);
    words.extend(["x".repeat(number + 1), "x".repeat(number)]);
    let plain = ["some words", "Some words", "SOME", "someWords", "some Words", "x"];
    words.extend(plain.map(str::to_owned));
    let line = |word: &String| {
        super::super::sample::of_regex(&filled(pattern, names, &[(part, &regex::escape(word))])?)
    };
    words.iter().filter_map(line).collect()
}

/// The one page on the whole first line, as an expression of the configuration takes it apart.
pub(super) fn own_line(set: &[Set<'_>], pattern: &str, names: &[String]) -> Result<Line, String> {
    let find = |name: &str| set.iter().find(|one| one.name == name);
    let mut parts: Vec<(&str, String)> = Vec::new();
    let mut said = Vec::new();
    for part in ["type", "scope"] {
        let name = format!("{part}-enum");
        let Some(one) = find(&name).filter(|one| !one.never) else { continue };
        let listed_names = enumerated(&one.value);
        if listed_names.is_empty() {
            continue;
        }
        let one_of: Vec<String> = listed_names.iter().map(|name| regex::escape(name)).collect();
        let one_of = one_of.join("|");
        let inner =
            if part == "scope" { format!("(?:{one_of})(?:{PARTED}(?:{one_of}))*") } else { one_of };
        parts.push((part, inner));
        said.push(format!("the {part} one of {}", listed(&listed_names, "and")));
    }
    let demands = |name: &str| find(name).is_some_and(|one| one.never);
    for part in ["type", "scope", "subject"] {
        let is_named = names.iter().any(|name| name == part);
        if demands(&format!("{part}-empty"))
            && (!is_named || part == "scope" && may_miss(pattern, names, part))
        {
            return Err(format!("its parser, `{pattern}`, may find no {part}, and it demands one"));
        }
        let is_given = parts.iter().any(|(given, _)| *given == part);
        if demands(&format!("{part}-empty")) && !is_given {
            // What the expression of the configuration asks of it stays.
            said.push(format!("with a {}", called(part)));
        }
    }
    let given: Vec<(&str, &str)> =
        parts.iter().map(|(part, inner)| (*part, inner.as_str())).collect();
    let regex = filled(pattern, names, &given).ok_or_else(|| {
        format!("`{pattern}`, the expression of its parser, does not find all that is demanded")
    })?;
    let mut lines: Vec<String> = super::super::sample::of_regex(&regex).into_iter().collect();
    lines.extend(["Update".to_owned(), "%".to_owned(), String::new()]);
    let all = if said.is_empty() { String::new() } else { format!(", {}", said.join(", ")) };
    Line::new(
        format!("The first line of a commit message MUST match `{pattern}`{all}."),
        true,
        &regex,
        &lines,
    )
}
