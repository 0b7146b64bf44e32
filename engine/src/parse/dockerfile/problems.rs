//! Finds the parts of a Dockerfile that a builder would reject.

use super::words::open_quote;
use super::{Directive, Dockerfile, Escape, Flag, Instruction, Keyword, MAX_INSTRUCTIONS, Problem};
use crate::text::conflict::{MERGE_CONFLICT, is_marker};
use crate::text::source::Span;

/// Supported flags by instruction.
const FLAGS: [(Keyword, &[&str]); 5] = [
    (
        Keyword::Add,
        &[
            "chown",
            "chmod",
            "link",
            "checksum",
            "keep-git-dir",
            "unpack",
            "exclude",
            "from",
            "parents",
        ],
    ),
    (Keyword::Copy, &["from", "chown", "chmod", "link", "parents", "exclude"]),
    (Keyword::From, &["platform"]),
    (Keyword::Healthcheck, &["interval", "timeout", "start-period", "start-interval", "retries"]),
    (Keyword::Run, &["mount", "network", "security", "device"]),
];

/// Adds the problems of all instructions.
pub(super) fn find(file: &mut Dockerfile) {
    let mut found = std::mem::take(&mut file.problems);
    let mut was_unknown = false;
    let mut in_conflict = false;
    for instruction in &file.instructions {
        let is_unknown = instruction.kind == Keyword::Unknown;
        if is_unknown && is_conflict_marker(instruction, in_conflict) {
            // Only the first marker is reported: the others belong to the same conflict, or are
            // resolved in the same way.
            if !std::mem::replace(&mut in_conflict, true) {
                found.push(problem(instruction.keyword, MERGE_CONFLICT, None));
            }
            continue;
        }
        // After a missing continuation character, all following lines look like unknown
        // instructions; report only the first.
        if !is_unknown || !(was_unknown || file.template) {
            check_instruction(instruction, file.escape, &mut found);
        }
        was_unknown = is_unknown;
    }
    found.sort_by_key(|problem| problem.span);
    file.problems = found;
}

/// Reports an `escape` directive with an invalid character.
pub(super) fn report_invalid_escape(file: &mut Dockerfile, directive: &Directive) {
    let help = "Use a backslash or a backtick".to_owned();
    file.problems.push(problem(directive.value, "invalid escape character", Some(help)));
}

/// Reports a heredoc that is not closed.
pub(super) fn report_open_heredoc(file: &mut Dockerfile, span: Span, name: &str) {
    let message = format!("heredoc is never closed by a line `{name}`");
    file.problems.push(problem(span, message, None));
}

/// Reports that the file has more instructions than are parsed.
pub(super) fn report_too_long(file: &mut Dockerfile, span: Span) {
    file.problems.push(problem(
        span,
        format!("only the first {MAX_INSTRUCTIONS} instructions are checked"),
        None,
    ));
}

fn problem(span: Span, message: impl Into<String>, help: Option<String>) -> Problem {
    Problem { span, message: message.into(), help }
}

fn check_instruction(instruction: &Instruction, escape: Escape, found: &mut Vec<Problem>) {
    // The result of a template is not known.
    if instruction.logical.text().contains("{{") || instruction.logical.text().contains("<%") {
        return;
    }
    if instruction.kind == Keyword::Unknown {
        return found.push(unknown_instruction(instruction));
    }
    found.extend(instruction.flags.iter().filter_map(|flag| unknown_flag(instruction, flag)));
    let name = instruction.kind.name();
    if instruction.argument.is_empty() {
        return found.push(problem(instruction.keyword, format!("{name} has no argument"), None));
    }
    found.extend(check_arguments(instruction));
    found.extend(unclosed_quote(instruction, escape));
    if let Some(inner) = &instruction.inner {
        check_instruction(inner, escape, found);
    }
}

/// Whether the line is a conflict marker. Without an earlier `<<<<<<<`, the other markers can be
/// ordinary text.
fn is_conflict_marker(instruction: &Instruction, in_conflict: bool) -> bool {
    let text = instruction.logical.text();
    let word = text.split_whitespace().next().unwrap_or_default();
    word == "<<<<<<<" || in_conflict && is_marker(word)
}

fn unknown_instruction(instruction: &Instruction) -> Problem {
    let text = &instruction.logical.text();
    let word = text.split_whitespace().next().unwrap_or_default();
    let upper = word.to_ascii_uppercase();
    let near = Keyword::ALL
        .iter()
        .filter(|_| upper.len() < 16)
        .map(|(_, name)| (strsim::damerau_levenshtein(name, &upper), *name))
        .filter(|&(distance, name)| distance * 3 <= name.len())
        .min();
    let help = near.map_or_else(
        || {
            "If this line continues the previous line, end that line with the escape character"
                .to_owned()
        },
        |(_, name)| format!("Did you mean {name}?"),
    );
    // The value of an assignment can be a secret, which would not be recognised once truncated.
    let name = word.split_once('=').map_or(word, |(name, _)| name);
    let start: String = name.chars().take(30).collect();
    problem(instruction.keyword, format!("unknown instruction `{start}`"), Some(help))
}

fn unknown_flag(instruction: &Instruction, flag: &Flag) -> Option<Problem> {
    let known =
        FLAGS.iter().find(|(kind, _)| *kind == instruction.kind).map_or(&[][..], |row| row.1);
    let name = instruction.kind.name();
    if known.contains(&&*flag.name) {
        let is_boolean = matches!(&*flag.name, "link" | "keep-git-dir" | "unpack" | "parents");
        let is_empty = flag.value.as_ref().is_none_or(|value| value.at.is_empty());
        return (is_empty && !is_boolean)
            .then(|| problem(flag.span, format!("--{} requires a value", flag.name), None));
    }
    let near = known
        .iter()
        .filter(|_| flag.name.len() < 32)
        .map(|known| (strsim::damerau_levenshtein(known, &flag.name), *known))
        .filter(|&(distance, known)| distance * 2 <= known.len())
        .min();
    let help = near.map(|(_, known)| format!("Did you mean --{known}?"));
    Some(problem(flag.span, format!("{name} has no flag --{}", flag.name), help))
}

/// Checks the number and the syntax of the arguments.
fn check_arguments(instruction: &Instruction) -> Option<Problem> {
    let words = &instruction.words;
    let name = instruction.kind.name();
    let argument_problem =
        |message: String| Some(problem(instruction.argument_span(), message, None));
    match instruction.kind {
        Keyword::Add | Keyword::Copy if words.len() < 2 => {
            argument_problem(format!("{name} requires a source and a destination"))
        }
        Keyword::From
            if !matches!(words.len(), 1 | 3)
                || (words.len() == 3 && !is_as_clause(instruction)) =>
        {
            argument_problem("FROM requires an image, or `image AS name`".to_owned())
        }
        Keyword::Shell if !instruction.json => {
            argument_problem("SHELL requires a JSON array of strings".to_owned())
        }
        Keyword::Healthcheck if words.first().is_none_or(|word| !is_check(&word.text)) => {
            argument_problem("HEALTHCHECK requires CMD or NONE".to_owned())
        }
        Keyword::Healthcheck if instruction.inner.is_none() && words.len() > 1 => {
            argument_problem("HEALTHCHECK NONE takes no arguments".to_owned())
        }
        Keyword::Env | Keyword::Label => instruction
            .pairs
            .iter()
            .find(|pair| pair.value.is_none())
            .map(|pair| problem(pair.key.span, format!("{name} without a value"), None)),
        _ => None,
    }
}

fn is_as_clause(instruction: &Instruction) -> bool {
    instruction.words.get(1).is_some_and(|word| word.text.eq_ignore_ascii_case("AS"))
}

fn is_check(word: &str) -> bool {
    word.eq_ignore_ascii_case("CMD") || word.eq_ignore_ascii_case("NONE")
}

/// An unclosed quote, in instructions whose quotes must be closed.
fn unclosed_quote(instruction: &Instruction, escape: Escape) -> Option<Problem> {
    if !matches!(instruction.kind, Keyword::Env | Keyword::Arg | Keyword::Label) {
        return None;
    }
    let (at, quote) = open_quote(instruction.argument(), escape)?;
    let span = instruction.span_of(at..at + 1);
    Some(problem(span, format!("unclosed {quote}"), None))
}
