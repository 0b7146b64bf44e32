//! The front matter of rules: when a client applies them. Clients read front matter leniently, so
//! that a value such as `globs: *.ts`, which is not valid YAML, has an effect.

use super::AgentContext;
use super::markdown::begins_generated;
use super::model::{Client, Purpose};
use super::skills::{has_strict_client, is_for_codex, is_in_plugin};
use super::vendors::names;
use aidd_engine::parse::values::{Datum, Format, Values, front_matter};
use aidd_engine::project::ignored::is_ignored_by_git;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::side_file;
use aidd_engine::text::finding::{Edit, Severity};
use aidd_engine::text::paths::{Globs, join};
use aidd_engine::text::source::{Source, Span};

/// The value of a key on a line of the front matter, and its span; quotes included.
fn field<'s>(source: &'s Source, key: &str) -> Option<(&'s str, Span)> {
    let text = source.text();
    let (start, end) = front_matter(text)?;
    let mut at = start;
    for line in text[start..end].split_inclusive('\n') {
        let offset = at;
        at += line.len();
        let Some(value) = line.strip_prefix(key).and_then(|rest| rest.strip_prefix(':')) else {
            continue;
        };
        let trimmed = without_comment(value.trim());
        let from = offset + key.len() + 1 + (value.len() - value.trim_start().len());
        return Some((trimmed, Span::new(from, from + trimmed.len())));
    }
    None
}

/// A value without the comment after it.
fn without_comment(value: &str) -> &str {
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let closing = quote.and_then(|quote| value[1..].find(quote)).map_or(0, |at| at + 1);
    let comment = value[closing..].find(" #").map_or(value.len(), |at| closing + at);
    value[..comment].trim_end()
}

/// The span of the opening line of the front matter, or of the first line.
fn first_line(source: &Source) -> Span {
    source.line_span(0)
}

pub(super) fn rule_activation(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let source = context.source;
    // An empty file is reported as such.
    if context.file.purpose != Purpose::Rule || source.text().trim().is_empty() {
        return;
    }
    match context.file.client {
        Client::Cursor => {
            let Some((value, span)) = field(source, "alwaysApply") else { return };
            let inner = value.trim_matches(['"', '\'']);
            if inner != value && matches!(inner, "true" | "false") {
                report
                    .at(span, format!("`alwaysApply: {value}` is a string, not a boolean"))
                    .help("remove the quotes; Cursor does not apply the rule otherwise")
                    .fix("Remove the quotes", vec![Edit::replace(span, inner)]);
            }
        }
        // VS Code compares a description with the task.
        Client::Copilot
            if field(source, "applyTo").is_none()
                && field(source, "description").is_none()
                && !begins_generated(source.text()) =>
        {
            let finding = match unopened(source) {
                Some(span) => {
                    let message =
                        "the front matter has no opening `---` line, so `applyTo` is text";
                    let finding = report.at(span, message);
                    finding.fix("Add the line", vec![Edit::insert(0, "---\n")]);
                    finding
                }
                None => {
                    let message = "instructions without `applyTo` are not applied automatically";
                    let finding = report.at(first_line(source), message);
                    finding.help("add the front matter `applyTo: \"**\"`, or globs of the files");
                    finding
                }
            };
            // Copilot reads them when it follows the other file.
            if is_named_elsewhere(context) {
                finding.severity = finding.severity.min(Severity::Info);
            }
        }
        Client::Windsurf => {
            let Some((value, span)) = field(source, "trigger") else { return };
            let value = value.trim_matches(['"', '\'']);
            let Some(triggers) = names("windsurf", "triggers") else { return };
            if !triggers.has(value) {
                let message = format!("`{value}` is not a trigger of Windsurf");
                triggers.report_unknown(report, span, message);
            } else if value == "glob" && field(source, "globs").is_none() {
                report.at(span, "`trigger: glob` without `globs` applies to no file");
            }
        }
        Client::Kiro => {
            let is_match = field(source, "inclusion").filter(|(value, _)| *value == "fileMatch");
            if let Some((_, span)) = is_match
                && field(source, "fileMatchPattern").is_none()
            {
                report.at(
                    span,
                    "`inclusion: fileMatch` without `fileMatchPattern` applies to no file",
                );
            }
        }
        _ => {}
    }
}

/// Maximum number of lines of a front matter whose first line is missing.
const MAX_UNOPENED: usize = 10;

/// The line with `applyTo` of a front matter that only its closing line delimits.
fn unopened(source: &Source) -> Option<Span> {
    let mut at = 0;
    let mut found = None;
    for line in source.text().split_inclusive('\n').take(MAX_UNOPENED) {
        let span = Span::new(at, at + line.trim_end().len());
        at += line.len();
        match line.trim_end() {
            "---" => return found,
            text if text.starts_with("applyTo:") => found = Some(span),
            text if text.contains(':') => {}
            _ => return None,
        }
    }
    None
}

/// Files with instructions that Copilot always reads.
const ALWAYS_READ: [&str; 3] = [".github/copilot-instructions.md", "AGENTS.md", "CLAUDE.md"];

/// Maximum number of files of Copilot that are searched for the name of another one.
const MAX_NAMING: usize = 100;

/// Whether instructions that Copilot always reads, or other files of Copilot, name this file.
fn is_named_elsewhere(context: &AgentContext<'_, '_>) -> bool {
    let own = context.source.path();
    let others = context.listing().map_or(&[][..], |listing| listing.beginning_with(".github/"));
    let others = others.iter().map(String::as_str);
    let others = others.filter(|path| path.ends_with(".md") && *path != own).take(MAX_NAMING);
    let mut texts =
        ALWAYS_READ.into_iter().chain(others).filter_map(|path| side_file(context.files, path));
    texts.any(|text| text.contains(context.source.name()))
}

/// The keys with globs, by client.
const GLOB_KEYS: [(Client, &str); 5] = [
    (Client::Claude, "paths"),
    (Client::Cline, "paths"),
    (Client::Copilot, "applyTo"),
    (Client::Cursor, "globs"),
    (Client::Kiro, "fileMatchPattern"),
];

pub(super) fn rule_never_applies(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let key = GLOB_KEYS.iter().find(|(client, _)| *client == context.file.client);
    let (Some((_, key)), Some((_, listing))) = (key, context.project_instructions()) else {
        return;
    };
    if context.file.purpose != Purpose::Rule || !depends_on_globs(context) {
        return;
    }
    let (globs, span) = match globs(context, key) {
        Some(found) if !found.0.is_empty() => found,
        _ => return,
    };
    let directory = context.project_dir();
    let anywhere: Vec<String> = globs
        .iter()
        .map(|glob| glob.trim_start_matches("./").trim_start_matches('/'))
        .flat_map(|glob| [format!("**/{glob}"), format!("**/{}/**", glob.trim_end_matches('/'))])
        .collect();
    let Ok(matcher) = Globs::new(&anywhere, &[]) else { return };
    let below = listing.below(directory);
    if below.is_empty() || below.iter().any(|path| matcher.matches(path)) {
        return;
    }
    let is_ignored = |glob: &String| {
        let path = join(directory, glob.trim_start_matches('/'));
        path.is_some_and(|path| is_ignored_by_git(context.files, &path))
    };
    if globs.iter().any(is_ignored) {
        return;
    }
    let message = match &globs[..] {
        [glob] => format!("no file matches `{glob}`, so the rule never applies"),
        _ => "no file matches these globs, so the rule never applies".to_owned(),
    };
    report.at(span, message).help("correct the glob, or remove the rule");
}

/// Whether the globs of a rule decide when the client applies it.
fn depends_on_globs(context: &AgentContext<'_, '_>) -> bool {
    let is = |key, expected: &str| {
        let value = field(context.source, key).map(|(value, _)| value.trim_matches(['"', '\'']));
        value == Some(expected)
    };
    match context.file.client {
        Client::Cursor => !is("alwaysApply", "true"),
        Client::Kiro => is("inclusion", "fileMatch"),
        _ => true,
    }
}

/// The globs of a rule that has them.
pub(super) fn rule_globs(context: &AgentContext<'_, '_>) -> Option<Vec<String>> {
    let (_, key) = GLOB_KEYS.iter().find(|(client, _)| *client == context.file.client)?;
    globs(context, key).map(|found| found.0)
}

/// The globs of a rule, and the span of all.
fn globs(context: &AgentContext<'_, '_>, key: &str) -> Option<(Vec<String>, Span)> {
    let items: Vec<(String, Span)> = context
        .children(&[key])
        .filter_map(|(_, value)| super::string(value))
        .map(|(text, span)| (text.to_owned(), span))
        .collect();
    if let (Some(first), Some(last)) = (items.first(), items.last()) {
        return Some((items.iter().map(|it| it.0.clone()).collect(), first.1.cover(last.1)));
    }
    let (value, span) = field(context.source, key)?;
    let value = value.trim_matches(['"', '\'']);
    // A list on one line that is not valid YAML.
    let value = value.trim_start_matches('[').trim_end_matches(']');
    let unquoted = |glob: &str| glob.trim().trim_matches(['"', '\'']).to_owned();
    let globs = split_globs(value).into_iter().map(unquoted).filter(|glob| !glob.is_empty());
    Some((globs.collect(), span))
}

/// Splits at commas that are not in braces.
fn split_globs(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0_u32, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

pub(super) fn unreadable(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let source = context.source;
    let is_data = !context.file.is_markdown();
    if let Some((span, message)) = &context.data.broken {
        if is_data {
            report.at(*span, format!("the file cannot be read: {message}"));
        } else if context.file.purpose == Purpose::Skill {
            if is_hint_of_claude(context) {
                return;
            }
            let finding =
                report.at(*span, format!("the front matter is not valid YAML: {message}"));
            // Claude Code quotes such values and parses the front matter again; Codex does not.
            if !is_for_codex(source.path()) && is_repaired(source) {
                finding.severity = finding.severity.min(Severity::Warning);
            }
            match quoted(source).or_else(|| quoted_at(source, *span)) {
                Some(edit) => finding.fix("Quote the value", vec![edit]),
                None => finding.help("put the value in quotes"),
            };
        } else if context.file.purpose == Purpose::Agent
            && let Some(span) = stray_line(source)
        {
            let message = "this line of the front matter is neither a field nor part of one";
            let finding = report.at(span, message);
            finding.help("write `key: value`, or indent the continuation of a value");
            // VS Code ignores the line and reads the others; OpenCode also reads such front matter.
            if context.file.client != Client::Claude {
                finding.severity = finding.severity.min(Severity::Warning);
            }
        }
        return;
    }
    let starts_header = source.text().starts_with("---\n") || source.text().starts_with("---\r\n");
    let has_header_purpose = matches!(context.file.purpose, Purpose::Skill | Purpose::Agent);
    if has_header_purpose && starts_header && front_matter(source.text()).is_none() {
        let message = "the front matter is not closed by a `---` line";
        let finding = report.at(first_line(source), message);
        if context.file.client == Client::OpenCode {
            finding.severity = finding.severity.min(Severity::Warning);
        }
    }
}

/// The first line of the front matter that no lenient reader understands: neither a field, a list
/// item, a comment, an indented line, nor part of a quoted value that began on a line before.
fn stray_line(source: &Source) -> Option<Span> {
    let text = source.text();
    let (start, end) = front_matter(text)?;
    let mut at = start;
    let mut quote = None;
    for line in text[start..end].split_inclusive('\n') {
        let offset = at;
        at += line.len();
        let line = line.trim_end();
        if let Some(open) = quote {
            quote = Some(open).filter(|open| !line.ends_with(*open));
            continue;
        }
        quote = open_quote(line);
        let is_part =
            line.is_empty() || line.starts_with([' ', '\t', '#', '-', ']', '}', '"', '\'']);
        if !is_part && !line.contains(':') {
            return Some(Span::new(offset, offset + line.len()));
        }
    }
    None
}

/// The quote that begins the value on a line and does not end on it.
fn open_quote(line: &str) -> Option<char> {
    let (_, value) = line.split_once(": ")?;
    let value = value.trim();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    (!value[1..].contains(quote)).then_some(quote)
}

/// The key and the value of a line of front matter that Claude Code puts in quotes when the front
/// matter is not valid YAML: one with a character that has a meaning in YAML.
fn quotable(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.trim_end().split_once(':')?;
    let is_key_char = |c: char| c.is_ascii_alphabetic() || matches!(c, '-' | '_');
    let is_quoted = |quote| value.trim_start().starts_with(quote) && value.ends_with(quote);
    let is_special = value.contains(SPECIAL) || value.trim_start().contains(": ");
    let is_field = !key.is_empty()
        && key.chars().all(is_key_char)
        && value.starts_with([' ', '\t'])
        && !value.trim().is_empty();
    (is_field && !is_quoted('"') && !is_quoted('\'') && is_special)
        .then(|| (key, value.trim_start()))
}

/// Characters of a value for which Claude Code quotes it.
const SPECIAL: [char; 13] = ['{', '}', '[', ']', '*', '&', '#', '!', '|', '>', '%', '@', '`'];

/// A value as a string in double quotes.
fn in_quotes(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The key whose value has the form `[a] [b]` in the documentation of Claude Code.
const HINT: &str = "argument-hint";

/// Whether only the documented form of the hint on arguments is not valid YAML, in a skill that no
/// other client reads.
fn is_hint_of_claude(context: &AgentContext<'_, '_>) -> bool {
    let path = context.source.path();
    let is_of_claude = path.contains(".claude/") || is_in_plugin(context);
    let is_hint = |key: &str, value: &str| key == HINT && value.starts_with('[');
    is_of_claude
        && !is_for_codex(path)
        && !has_strict_client(context)
        && is_valid_with_quotes(context.source, is_hint)
}

/// Whether the front matter is valid YAML once Claude Code has put values in quotes.
fn is_repaired(source: &Source) -> bool {
    is_valid_with_quotes(source, |_, _| true)
}

/// Whether the front matter is valid YAML with the values of these keys in quotes.
fn is_valid_with_quotes(source: &Source, is_quoted: impl Fn(&str, &str) -> bool) -> bool {
    let Some((start, end)) = front_matter(source.text()) else { return false };
    let fixed: Vec<String> = source.text()[start..end]
        .lines()
        .map(|line| match quotable(line).filter(|(key, value)| is_quoted(key, value)) {
            Some((key, value)) => format!("{key}: {}", in_quotes(value)),
            None => line.to_owned(),
        })
        .collect();
    let values = Values::read(Format::Yaml, &fixed.join("\n"));
    values.broken.is_none() && values.roots.first().is_some_and(|&root| is_map(&values, root))
}

fn is_map(values: &Values, root: usize) -> bool {
    values.all[root].datum == Datum::Map
}

/// Puts the value on the line of `span` in quotes, if that makes the front matter valid.
fn quoted_at(source: &Source, span: Span) -> Option<Edit> {
    let line = source.line_span(source.line_of(span.start));
    let (_, value) = quotable(source.slice(line))?;
    let from = line.start as usize + source.slice(line).find(value)?;
    let (start, end) = front_matter(source.text())?;
    let quoted = in_quotes(value);
    let fixed = format!(
        "{}{quoted}{}",
        &source.text()[start..from],
        &source.text()[from + value.len()..end]
    );
    let is_valid = Values::read(Format::Yaml, &fixed).broken.is_none();
    is_valid.then(|| Edit::replace(Span::new(from, from + value.len()), quoted))
}

/// Puts the first value in quotes that contains `: `, or text after a list: `[a] [b]`.
fn quoted(source: &Source) -> Option<Edit> {
    let text = source.text();
    let (start, end) = front_matter(text)?;
    let mut at = start;
    for line in text[start..end].split_inclusive('\n') {
        let offset = at;
        at += line.len();
        let Some((key, value)) = line.trim_end().split_once(": ") else { continue };
        let is_key_char = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let is_key = !key.is_empty() && key.chars().all(is_key_char);
        let is_plain =
            !value.trim_start().starts_with(['"', '\'', '|', '>', '{', '&', '*', '!', '[']);
        let is_after_list = value.starts_with('[')
            && value.split_once(']').is_some_and(|(_, rest)| !rest.trim().is_empty());
        if is_key && (is_plain && value.contains(": ") || is_after_list) {
            let from = offset + key.len() + 2;
            let span = Span::new(from, from + value.len());
            return Some(Edit::replace(span, in_quotes(value)));
        }
    }
    None
}

/// The string of a key of the front matter; an empty string if the value is null.
pub(super) fn header_text<'c>(
    context: &'c AgentContext<'_, '_>,
    key: &str,
) -> Option<(&'c str, Span)> {
    let value = &context.data.all[context.at(&[key])?];
    match &value.datum {
        Datum::Text(text) | Datum::Number(text) => Some((text, value.span)),
        Datum::Null => Some(("", value.key.as_ref().map_or(value.span, |(_, span)| *span))),
        _ => None,
    }
}
