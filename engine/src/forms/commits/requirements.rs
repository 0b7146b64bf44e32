//! Checks commit messages and the title of a pull request.

use super::message::{Header, Message, parse_header};
use super::{Commit, CommitCheck, CommitError, Expressions, Fault};
use crate::text::source::Span;
use aidd_page::{
    BodyHeader, Breaking, ConventionalHeader, FootersHeader, SkippedCommit, SubjectHeader,
};
use regex::Regex;
use std::sync::LazyLock;

/// The allowed values of `case` for a description.
pub(super) const CASES: [&str; 3] = ["lower", "sentence", "upper"];

/// Prefixes that `git commit --fixup`, `--squash` and `--fixup=amend:` put before a message
/// (<https://git-scm.com/docs/git-commit>).
const FIXUPS: [&str; 3] = ["fixup!", "squash!", "amend!"];

/// Rejects an unknown value of `case`.
pub(super) fn check_cases(header: &SubjectHeader) -> Result<(), CommitError> {
    let unknown = header.case.iter().find(|case| !CASES.contains(&case.as_str()));
    unknown.map_or(Ok(()), |unknown| Err(CommitError::Case(unknown.clone())))
}

impl CommitCheck {
    pub(super) fn skips(&self, commit: &Commit) -> bool {
        let first = commit.message.lines().next().unwrap_or_default();
        self.skip.iter().any(|kind| match kind {
            SkippedCommit::Merges => {
                commit.is_merge || commit.hash.is_empty() && first.starts_with("Merge ")
            }
            SkippedCommit::Reverts => {
                first.starts_with("Revert \"") || first.starts_with("Reapply \"")
            }
            SkippedCommit::Bots => is_bot(&commit.author),
            SkippedCommit::Fixups => FIXUPS.iter().any(|prefix| first.starts_with(prefix)),
        })
    }

    pub(super) fn check_message(&self, text: &str, members: &[String]) -> Vec<Fault> {
        let message = Message::new(text);
        let mut faults = Vec::new();
        let parts = self.check_first_line(&message, members, &mut faults);
        let kind = parts.as_ref().map(|parts| parts.commit_type);
        // Without `conventional`, the blank line is required only if the page sets no other
        // requirement on the body.
        let requires_blank_line =
            self.body.as_ref().is_some_and(|(body, _)| *body == BodyHeader::default());
        if self.conventional.is_some() || requires_blank_line {
            let blank = message
                .missing_blank_line
                .map(|span| Fault::new(span, "expected a blank line after the first line"));
            faults.extend(blank);
        }
        if let (Some(conventional), Some(parts)) = (&self.conventional, &parts) {
            check_breaking(conventional, parts, &message, &mut faults);
        }
        if let Some((requirements, expressions)) = &self.body {
            check_body(requirements, kind, &message, &mut faults);
            if !message.body.is_empty() {
                let body = &text[message.body.range()];
                faults.extend(expressions.check("body of the message", body, message.body));
            }
        }
        let full_text = text.trim_end();
        faults.extend(self.message.check("message", full_text, message.header));
        if let Some(requirements) = &self.footers {
            check_footers(requirements, &message, &mut faults);
        }
        for name in &self.trailers {
            let is_trailer =
                |footer: &super::message::Footer<'_>| footer.token.eq_ignore_ascii_case(name);
            if !message.footers.iter().any(is_trailer) {
                let fault = Fault::new(message.header, format!("the trailer `{name}:` is missing"));
                let help = if name.eq_ignore_ascii_case("Signed-off-by") {
                    "run `git commit --amend --signoff` to add it".to_owned()
                } else {
                    format!("run `git commit --amend --trailer '{name}: …'` to add it")
                };
                faults.push(fault.with_help(help));
            }
        }
        faults
    }

    /// Checks the title of a pull request, which becomes the first line of the squash commit.
    pub(super) fn check_title(&self, title: &str, members: &[String]) -> Vec<Fault> {
        let message = Message::new(title);
        let mut faults = Vec::new();
        let parts = self.check_first_line(&message, members, &mut faults);
        if let (Some(Breaking::Forbid), Some(parts)) =
            (self.conventional.as_ref().and_then(|header| header.breaking), &parts)
            && parts.has_breaking_mark
        {
            faults.push(Fault::new(parts.type_span, "breaking changes are not allowed"));
        }
        faults
    }

    fn check_first_line<'m>(
        &self,
        message: &Message<'m>,
        members: &[String],
        faults: &mut Vec<Fault>,
    ) -> Option<Header<'m>> {
        let line = message.first_line();
        let parts = parse_header(line, message.header.start);
        if let Some(requirements) = &self.conventional {
            match &parts {
                Ok(parts) => check_conventional(requirements, parts, members, faults),
                Err(error) => faults.push(
                    Fault::new(error.span, format!("not a Conventional Commit: {}", error.reason))
                        .with_help(
                            "expected `type(scope): description`, \
                             as in `fix(parser): read empty files`",
                        ),
                ),
            }
        }
        let parts = parts.ok();
        if let Some(subject) = &self.subject {
            faults.extend(subject.expressions.check("first line", line, message.header));
            check_subject(&subject.header, message, parts.as_ref(), faults);
        }
        parts
    }
}

impl Expressions {
    /// The fault in `text`, if any. `text_name` is the name of the text in the message; the finding
    /// is reported at `span`.
    fn check(&self, text_name: &str, text: &str, span: Span) -> Option<Fault> {
        if let Some(expected) = self.matches.as_ref().filter(|expected| !expected.is_match(text)) {
            return Some(Fault::new(span, format!("the {text_name} does not match `{expected}`")));
        }
        let forbidden = self.not.as_ref().filter(|forbidden| forbidden.is_match(text))?;
        Some(Fault::new(span, format!("the {text_name} matches `{forbidden}`")))
    }
}

/// Whether the author is a bot, by the name suffixes that GitHub and other hosts use.
#[must_use]
pub fn is_bot(author: &str) -> bool {
    let author = author.to_ascii_lowercase();
    author.contains("[bot]")
        || ["dependabot", "renovate", "github-actions", "greenkeeper", "snyk-bot", "pre-commit-ci"]
            .iter()
            .any(|name| author.starts_with(name))
}

fn check_conventional(
    requirements: &ConventionalHeader,
    parts: &Header<'_>,
    members: &[String],
    faults: &mut Vec<Fault>,
) {
    if !requirements.types.is_empty()
        && !requirements.types.iter().any(|kind| kind == parts.commit_type)
    {
        let near = crate::text::nearest::nearest(
            parts.commit_type,
            requirements.types.iter().map(String::as_str),
        );
        let known = requirements.types.join(", ");
        let message = format!("unknown type `{}`", parts.commit_type);
        let help = near.map_or_else(
            || format!("expected one of {known}"),
            |near| format!("did you mean `{near}`? Known types: {known}"),
        );
        faults.push(Fault::new(parts.type_span, message).with_help(help));
    }
    let Some(scope) = parts.scope else {
        if requirements.scope_required {
            let message = "the scope is missing; expected `type(scope): description`";
            faults.push(Fault::new(parts.type_span, message));
        }
        return;
    };
    let mut known: Vec<&str> = requirements
        .scopes
        .iter()
        .map(String::as_str)
        .filter(|scope| *scope != "workspace")
        .collect();
    let includes_members = requirements.scopes.iter().any(|scope| scope == "workspace");
    if includes_members {
        known.extend(members.iter().map(String::as_str));
    }
    // If the members of the project are unknown, there is nothing to compare with.
    if known.is_empty() {
        return;
    }
    // `a,b` and `a/b` list several scopes.
    for part in scope.split([',', '/', '\\']).map(str::trim) {
        if known.contains(&part) || known.contains(&scope) {
            continue;
        }
        let near = crate::text::nearest::nearest(part, known.iter().copied());
        let known_scopes = known.join(", ");
        let help = near.map_or_else(
            || format!("expected one of {known_scopes}"),
            |near| format!("did you mean `{near}`? Known scopes: {known_scopes}"),
        );
        let message = format!("unknown scope `{part}`");
        faults.push(Fault::new(parts.scope_span, message).with_help(help));
    }
}

fn check_breaking(
    requirements: &ConventionalHeader,
    parts: &Header<'_>,
    message: &Message<'_>,
    faults: &mut Vec<Fault>,
) {
    let footer = message.breaking_footer();
    match requirements.breaking {
        Some(Breaking::Forbid) if parts.has_breaking_mark => {
            faults.push(Fault::new(parts.type_span, "breaking changes are not allowed"));
        }
        Some(Breaking::Forbid) => {
            faults.extend(
                footer.map(|footer| Fault::new(footer.span, "breaking changes are not allowed")),
            );
        }
        Some(Breaking::Mark | Breaking::Footer) if !parts.has_breaking_mark => {
            let fault = |footer: &super::message::Footer<'_>| {
                Fault::new(
                    footer.span,
                    "a breaking change requires `!` before the colon of its first line",
                )
            };
            faults.extend(footer.map(fault));
        }
        Some(Breaking::Footer) if footer.is_none() => faults.push(Fault::new(
            parts.type_span,
            "a breaking change must be described in a `BREAKING CHANGE: …` footer",
        )),
        _ => {}
    }
}

/// The line without the pull request number that a squash merge appends.
fn without_pull_request_number(line: &str) -> &str {
    static NUMBER: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\s\(#\d+\)\s*$").expect("a constant pattern"));
    NUMBER.find(line).map_or(line, |number| &line[..number.start()])
}

fn check_subject(
    requirements: &SubjectHeader,
    message: &Message<'_>,
    parts: Option<&Header<'_>>,
    faults: &mut Vec<Fault>,
) {
    let line = without_pull_request_number(message.first_line());
    let length = line.chars().count() as u64;
    if let Some(max) = requirements.max.filter(|max| length > *max) {
        let text = format!("the first line has {length} characters, more than {max}");
        faults.push(Fault::new(message.header, text));
    }
    let (description, span) = match parts {
        Some(parts) => (without_pull_request_number(parts.description), parts.description_span),
        None => (line, message.header),
    };
    if !requirements.case.is_empty()
        && !requirements.case.iter().any(|case| has_case(description, case))
    {
        let cases: Vec<&str> = requirements.case.iter().map(String::as_str).collect();
        let text = format!("the description is not in {} case", cases.join(" or "));
        faults.push(Fault::new(span, text));
    }
    if let Some(last) = description.chars().next_back()
        && requirements.end.as_ref().is_some_and(|end| end.contains(last))
    {
        faults.push(Fault::new(span, format!("the description ends with `{last}`")));
    }
}

/// Words that commonly begin a description. If one of them begins with a capital letter, the
/// description is not in lower case; any other word (`Mermaid`, `Dockerfiles`) is treated as a
/// name.
const STARTERS: &[&str] = &[
    "a",
    "accept",
    "add",
    "adjust",
    "all",
    "allow",
    "always",
    "an",
    "and",
    "apply",
    "avoid",
    "bump",
    "change",
    "check",
    "clarify",
    "clean",
    "cleanup",
    "convert",
    "correct",
    "create",
    "decrease",
    "define",
    "delete",
    "deprecate",
    "detect",
    "disable",
    "do",
    "document",
    "don't",
    "drop",
    "enable",
    "ensure",
    "expose",
    "extend",
    "extract",
    "fix",
    "format",
    "generate",
    "get",
    "handle",
    "hide",
    "ignore",
    "implement",
    "import",
    "improve",
    "include",
    "increase",
    "init",
    "initial",
    "initialise",
    "initialize",
    "install",
    "integrate",
    "introduce",
    "keep",
    "limit",
    "load",
    "log",
    "make",
    "mark",
    "merge",
    "migrate",
    "minor",
    "more",
    "move",
    "new",
    "no",
    "normalise",
    "normalize",
    "only",
    "optimise",
    "optimize",
    "parse",
    "pass",
    "pin",
    "prepare",
    "prevent",
    "publish",
    "read",
    "reduce",
    "refactor",
    "release",
    "remove",
    "rename",
    "reorder",
    "replace",
    "report",
    "restore",
    "return",
    "revert",
    "rewrite",
    "run",
    "set",
    "show",
    "simplify",
    "skip",
    "some",
    "sort",
    "split",
    "start",
    "stop",
    "store",
    "support",
    "switch",
    "test",
    "the",
    "this",
    "trim",
    "tweak",
    "unify",
    "update",
    "upgrade",
    "use",
    "validate",
    "wip",
    "work",
    "wrap",
    "write",
];

/// Whether a lower-case word is one of the [`STARTERS`] or an inflected form such as `adds`,
/// `added` or `adding`.
fn is_starter(word: &str) -> bool {
    let is_listed = |word: &str| STARTERS.contains(&word);
    let suffixes = ["s", "es", "d", "ed", "ing"];
    let mut stems = suffixes.iter().filter_map(|suffix| word.strip_suffix(suffix));
    is_listed(word) || stems.any(|stem| is_listed(stem) || is_listed(&format!("{stem}e")))
}

/// Whether a description has the case `case`. A first word that is a name (`README`, `iOS`,
/// `parse_all`) is allowed in any case.
fn has_case(description: &str, case: &str) -> bool {
    let word = description.split_whitespace().next().unwrap_or_default();
    let capitals = word.chars().filter(|c| c.is_uppercase()).count();
    let is_name =
        capitals > 1 || word.contains(|c: char| !c.is_alphabetic() && c != '\'' && c != '-');
    match case {
        "lower" => {
            is_name || !word.starts_with(char::is_uppercase) || !is_starter(&word.to_lowercase())
        }
        "sentence" => is_name || !word.starts_with(char::is_lowercase),
        _ => !description.contains(char::is_lowercase),
    }
}

fn check_footers(requirements: &FootersHeader, message: &Message<'_>, faults: &mut Vec<Fault>) {
    let Some(first) =
        message.footers.iter().map(|footer| footer.span).min_by_key(|span| span.start)
    else {
        return;
    };
    let text = message.text[first.start as usize..].trim_end();
    let length = text.chars().count() as u64;
    let limit = requirements.max.filter(|max| length > *max).map(|max| ("more", max));
    let limit =
        limit.or_else(|| requirements.min.filter(|min| length < *min).map(|min| ("fewer", min)));
    faults.extend(limit.map(|(than, limit)| {
        Fault::new(first, format!("the footers have {length} characters, {than} than {limit}"))
    }));
}

fn check_body(
    requirements: &BodyHeader,
    kind: Option<&str>,
    message: &Message<'_>,
    faults: &mut Vec<Fault>,
) {
    let is_required = requirements
        .required_for
        .iter()
        .any(|commit_type| commit_type == "*" || Some(commit_type.as_str()) == kind);
    if is_required && message.body.is_empty() {
        let type_suffix = kind.map_or_else(String::new, |kind| format!(" of type `{kind}`"));
        let text = format!("a message{type_suffix} requires a body");
        faults.push(Fault::new(message.header, text));
    }
    let length = message.text[message.body.range()].chars().count() as u64;
    let fault = |limit: u64, than: &str| {
        let text = format!("the body has {length} characters, {than} than {limit}");
        Fault::new(if message.body.is_empty() { message.header } else { message.body }, text)
    };
    let too_long = requirements.max.filter(|max| length > *max).map(|max| fault(max, "more"));
    let too_short = requirements.min.filter(|min| length > 0 && length < *min);
    faults.extend(too_long.or_else(|| too_short.map(|min| fault(min, "fewer"))));
    let Some(max) = requirements.max_line else { return };
    for (span, line) in message.rest() {
        let length = line.chars().count() as u64;
        // Lines that cannot be wrapped are skipped: lines with a URL, a single long word, and
        // sign-off trailers.
        let is_trailer = line.split_once(": ").is_some_and(|(token, _)| token.ends_with("-by"));
        let is_unwrappable =
            is_trailer || line.contains("://") || !line.trim().contains(char::is_whitespace);
        if length > max && !is_unwrappable {
            let text = format!("the line has {length} characters, more than {max}");
            faults.push(Fault::new(span, text));
        }
    }
}
