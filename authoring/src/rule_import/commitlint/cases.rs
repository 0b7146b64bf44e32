//! The cases of commitlint as expressions. What they take was read from and tried with 20.5.3
//! (`@commitlint/ensure`): what stands in quotes or backticks has no case, and neither has what
//! begins with a digit.

use super::super::texts;
use super::Set;
use serde_json::Value as Json;

/// Text in quotes.
const QUOTED: &str = "`[^`]*`|\"[^\"]*\"|'[^']*'";

/// The names of the cases that a rule is set to.
///
/// # Errors
/// When there is none, or one is no name.
pub(super) fn names(value: &Json) -> Result<Vec<String>, String> {
    let given = if value["cases"].is_null() { value } else { &value["cases"] };
    let names = texts(given);
    let all = given.as_array().map_or(1, Vec::len);
    match names.len() {
        0 => Err("it names no case".to_owned()),
        some if some < all => {
            Err("a case with a `when` of its own: the page would need both".to_owned())
        }
        _ => Ok(names),
    }
}

/// An expression for a text in one of the cases that `one` names.
///
/// # Errors
/// The first case that is not known.
pub(super) fn any(one: &Set<'_>, part: &str) -> Result<String, String> {
    let all: Result<Vec<String>, String> =
        names(&one.value)?.iter().map(|name| case(name, part)).collect();
    Ok(all?.join("|"))
}

/// One case. Words are told apart as lodash does: `node18` is two. A subject and a first line begin
/// with a letter here, for what else they begin with has no case.
fn case(name: &str, part: &str) -> Result<String, String> {
    // Within a type or a scope nothing may end it, or part it.
    let (out, quoted) = match part {
        "scope" => (r"),/\\", String::new()),
        "type" => (r"\W", String::new()),
        _ => ("", format!("{QUOTED}|")),
    };
    let (small, large) = match part {
        "header" => ("[a-z]", "[A-Z]"),
        "subject" => (r"\p{Ll}", r"[\p{Lu}\p{Lt}]"),
        _ => ("", ""),
    };
    let rest = if out.is_empty() { ".*".to_owned() } else { format!("[^{out}]*") };
    Ok(match name {
        "lower-case" | "lowercase" | "lowerCase" => {
            format!(r"{small}(?:{quoted}[^\p{{Lu}}\p{{Lt}}{out}])*")
        }
        "upper-case" | "uppercase" => format!(r"{large}(?:{quoted}[^\p{{Ll}}\p{{Lt}}{out}])*"),
        "sentence-case" | "sentencecase" if large.is_empty() => {
            format!(r"[^\p{{Ll}}{out}]{rest}")
        }
        "sentence-case" | "sentencecase" => format!("{large}.*"),
        "start-case" => {
            r"(?:\p{Lu}\p{Ll}*|\p{Lu}+)(?: (?:\p{Lu}\p{Ll}*|\p{Lu}+|[0-9]+))*".to_owned()
        }
        "pascal-case" => "[A-Z][a-z]*[0-9]*(?:[A-Z][a-z]+[0-9]*)*(?:[A-Z][0-9]*)?".to_owned(),
        "camel-case" => "[a-z]+[0-9]*(?:[A-Z][a-z]+[0-9]*)*(?:[A-Z][0-9]*)?".to_owned(),
        "kebab-case" => "[a-z]+(?:-(?:[a-z]+|[0-9]+))*".to_owned(),
        "snake-case" => "[a-z]+(?:_(?:[a-z]+|[0-9]+))*".to_owned(),
        other => return Err(format!("`{other}` is no case that is known")),
    })
}

/// An expression for what has no case: it is always well.
pub(super) fn caseless(part: &str) -> &'static str {
    match part {
        "header" => "[^a-zA-Z].*|",
        "scope" => r"[0-9][^),/\\]*|",
        "type" => r"[0-9]\w*|",
        "body" => "[0-9].*|",
        _ => r"[^\p{Ll}\p{Lu}\p{Lt}].*|",
    }
}

/// An expression for a text that begins with a letter and is in none of the cases; `None` where an
/// expression cannot say so.
pub(super) fn none(one: &Set<'_>) -> Option<String> {
    let names = names(&one.value).ok()?;
    let has = |wanted: &str| {
        let spelled =
            |name: &String| name.to_lowercase().replace('-', "") == format!("{wanted}case");
        names.iter().any(spelled)
    };
    match (has("sentence"), has("lower"), &names[..]) {
        (true, true, [_, _]) => Some(r"\p{Ll}.*[\p{Lu}\p{Lt}].*".to_owned()),
        (true, false, [_]) => Some(r"\p{Ll}.*".to_owned()),
        (false, true, [_]) => Some(r"[\p{Lu}\p{Lt}].*|\p{Ll}.*[\p{Lu}\p{Lt}].*".to_owned()),
        _ => None,
    }
}
