//! Rules on what follows the first line.

use super::super::draft::Draft;
use super::super::listed;
use super::{Set, cases};
use serde_json::{Value as Json, json};

/// Makes the page of a demand on messages.
type Of<'a> = &'a dyn Fn(String, Json) -> Draft;

const MESSAGE: &str = "commit/message";
const NOTE: &str = "trailers (`Name: text` at the end) are no part of the body";

/// The page of a rule on the body.
pub(super) fn page(one: &Set<'_>, of: Of<'_>) -> Result<Draft, String> {
    let message = |body: &str| format!("fix: short\n\n{body}\n");
    let number = || one.value.as_u64().ok_or_else(|| "it has no number".to_owned());
    let said = |demand: String, body: Json, bad: &str, good: &str| {
        of(demand, json!({"body": body})).note(NOTE).example(false, MESSAGE, message(bad)).example(
            true,
            MESSAGE,
            message(good),
        )
    };
    Ok(match one.name {
        "body-empty" if one.never => of(
            "A commit message MUST have a body.".to_owned(),
            json!({"body": {"required-for": ["*"]}}),
        )
        .example(false, MESSAGE, "fix: short\n")
        .example(true, MESSAGE, message("Why.")),
        "body-empty" => {
            of("A commit message NEVER has a body.".to_owned(), json!({"body": {"max": 0}}))
                .note(NOTE)
                .example(false, MESSAGE, message("Why."))
                .example(true, MESSAGE, "fix: short\n")
        }
        "body-case" => {
            let inner = cases::any(one, "body")?;
            let names = listed(&cases::names(&one.value)?, "or");
            let all =
                if one.never { inner } else { format!("{inner}|{}", cases::caseless("body")) };
            let key = if one.never { "not-matches" } else { "matches" };
            let verb = if one.never { "is NEVER" } else { "MUST be" };
            let mut draft = of(
                format!("The body of a commit message {verb} in {names}."),
                json!({"body": {key: format!("^(?s:{all})$")}}),
            )
            .note(NOTE);
            // Those that do not show what they claim are left out.
            for body in
                ["why it is so", "Why it is so", "WHY IT IS SO", "Why It Is So", "why", "whyIt"]
            {
                for passes in [false, true] {
                    draft = draft.example(passes, MESSAGE, message(body));
                }
            }
            draft
        }
        "body-full-stop" => {
            let stop = one.value.as_str().unwrap_or(".");
            if stop.chars().count() != 1 {
                return Err("its value is not one character".to_owned());
            }
            let key = if one.never { "not-matches" } else { "matches" };
            let (verb, with) = if one.never { ("NEVER ends", 0) } else { ("MUST end", 1) };
            let bodies = [format!("Why{stop}"), "Why, or why not".to_owned()];
            said(
                format!("The body of a commit message {verb} with `{stop}`."),
                json!({key: format!(r"{}\z", regex::escape(stop))}),
                &bodies[with],
                &bodies[1 - with],
            )
        }
        "body-max-length" => {
            let max = number()?;
            let long = "words ".repeat(usize::try_from(max.min(2000)).unwrap_or(100) / 6 + 2);
            said(
                format!("The body of a commit message MUST have at most {max} characters."),
                json!({"max": max}),
                &format!("{long}end"),
                "W",
            )
        }
        "body-min-length" => {
            let min = number()?;
            let long = "words ".repeat(usize::try_from(min.min(2000)).unwrap_or(100) / 6 + 2);
            said(
                format!(
                    "The body of a commit message, where there is one, MUST have at least {min} characters."
                ),
                json!({"min": min}),
                "W",
                &format!("{long}end"),
            )
        }
        other => return Err(format!("no page is made of {other}")),
    })
}

/// The page of a rule that there are footers, or none.
pub(super) fn footers(one: &Set<'_>, of: Of<'_>) -> Draft {
    let key = if one.never { "matches" } else { "not-matches" };
    let verb = if one.never { "MUST have" } else { "NEVER has" };
    let (with, without) = ("fix: short\n\nWhy.\n\nRefs: #12\n", "fix: short\n\nWhy.\n");
    let (bad, good) = if one.never { (without, with) } else { (with, without) };
    of(
        format!("A commit message {verb} a footer."),
        json!({"message": {key: r"\n(?:BREAKING[ -]CHANGE|[A-Za-z][A-Za-z-]*)(?:: | #)\S[^\n]*(?:\n[^\n]+)*\s*\z"}}),
    )
    .note("trailers (`Name: text` at the end) are footers, and what is told to close is one where a line begins with it")
    .example(false, "commit/message", bad)
    .example(true, "commit/message", good)
}

/// Where commitlint has footers begin, and ours do not.
const BEGIN: &str = "footers are `Name: text` and `Name #12` at the end; to commitlint they begin with the first line that refers to an issue or says what breaks";

/// The page of a rule on how long the footers are.
pub(super) fn length_of_footers(one: &Set<'_>, of: Of<'_>) -> Result<Draft, String> {
    let limit = one.value.as_u64().ok_or_else(|| "it has no number".to_owned())?;
    let is_max = one.name == "footer-max-length";
    let (key, most) = if is_max { ("max", "at most") } else { ("min", "at least") };
    let words = "words ".repeat(usize::try_from(limit.min(2000)).unwrap_or(100) / 6 + 2);
    let long = format!("fix: short\n\nBREAKING CHANGE: {words}end\n");
    let short = "fix: short\n\nRefs: #1\n".to_owned();
    let (bad, good) = if is_max { (long, short) } else { (short, long) };
    Ok(of(
        format!("The footers of a commit message, where there are any, MUST have {most} {limit} characters."),
        json!({"footers": {key: limit}}),
    )
    .note(BEGIN)
    .example(false, MESSAGE, bad)
    .example(true, MESSAGE, good))
}

/// The page of a rule that a blank line stands before the footers.
pub(super) fn blank_before_footers(one: &Set<'_>, of: Of<'_>) -> Result<Draft, String> {
    if one.never {
        return Err("a footer without a blank line before it is part of the body".to_owned());
    }
    Ok(of(
        "A blank line MUST stand before the footers of a commit message.".to_owned(),
        json!({"message": {"not-matches": BLANK}}),
    )
    .note("told is what says what breaks, and what closes or refers to an issue at the beginning of a line")
    .example(false, MESSAGE, "fix: short\n\nWhy.\nBREAKING CHANGE: names\n")
    .example(false, MESSAGE, "fix: short\n\nWhy.\nCloses #12\n")
    .example(true, MESSAGE, "fix: short\n\nWhy.\n\nCloses #12\nBREAKING CHANGE: names\n"))
}

/// A footer right below a line that is none: one with a colon or a number may be one itself.
const BLANK: &str = r"(?m)^[^\n:#]+\n(?:BREAKING[ -]CHANGE: |(?i:close[sd]?|fix(?:e[sd])?|resolve[sd]?|refs?):? #\d)";

/// The page of a rule that a message refers to something, or to nothing.
pub(super) fn references(one: &Set<'_>, prefixes: &[String], of: Of<'_>) -> Result<Draft, String> {
    // commitlint puts them into an expression as they are.
    let marks = prefixes.join("|");
    let regex = format!(r"(?im)(?:{marks})[\w-]+(?:[\s,;)\]]|$)");
    let sample = super::super::sample::of_regex(&format!("(?:{marks})12"));
    let sample = sample.ok_or_else(|| format!("`{marks}` is no expression of ours"))?;
    let key = if one.never { "matches" } else { "not-matches" };
    let verb = if one.never { "MUST refer" } else { "NEVER refers" };
    let (with, without) = (format!("fix: short\n\nCloses {sample}\n"), "fix: short\n".to_owned());
    let (bad, good) = if one.never { (without, with) } else { (with, without) };
    Ok(of(
        format!("A commit message {verb} to an issue, as in `{sample}`."),
        json!({"message": {key: regex}}),
    )
    .example(false, MESSAGE, bad)
    .example(true, MESSAGE, good))
}
