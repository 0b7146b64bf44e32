//! Comments that were meant to allow a finding, but are not in the syntax of aidd.

use super::UNUSED;
use super::comment::{opens_comment, split};
use crate::rules::registry::Registry;
use crate::rules::rule::Report;
use crate::text::finding::Edit;
use crate::text::kind::{self, Kind};
use crate::text::source::{Source, Span};

/// What other tools call it.
const VERBS: [&str; 9] =
    ["allow", "ignore", "disable", "suppress", "skip", "off", "nolint", "noqa", "exclude"];

/// Reports the comments that begin with `aidd` and a verb of another tool, such as
/// `aidd-disable-next-line`.
pub(super) fn report(source: &Source, registry: &Registry, report: &mut Report<'_>) {
    let text = source.text();
    let mut is_markdown = None;
    for start in marker_starts(text) {
        let line = source.line_span(source.line_of(Span::at(start).start));
        let Some(after) = text.get(start + 4..line.end as usize) else { continue };
        let Some(separator) = after.chars().next().filter(|c| ":- ".contains(*c)) else {
            continue;
        };
        let rest = after[1..].trim_start();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '-').unwrap_or(rest.len());
        let (word, names) = rest.split_at(end);
        let is_known = text[start..].starts_with("aidd")
            && separator == ':'
            && !after[1..].starts_with(' ')
            && (word == "allow" || word == "allow-file");
        if is_known || !is_verb(word) || !opens_comment(&text[line.start as usize..start]) {
            continue;
        }
        let word = word.to_ascii_lowercase();
        let (words, _, _) = split(names);
        let names_rule = words.first().is_some_and(|word| registry.contains(word));
        let mut is_prose = || {
            *is_markdown
                .get_or_insert_with(|| kind::kinds(source.path(), text).contains(&Kind::MARKDOWN))
        };
        let is_upper = text[start..].starts_with("AIDD");
        if !names_rule && (separator == ' ' || is_upper || is_prose()) {
            continue;
        }
        if !report.begin(UNUSED) {
            return;
        }
        let written = start + 4 + (after.len() - rest.len()) + word.len();
        let span = Span::new(start, written);
        let marker = if word.contains("file") { "aidd:allow-file" } else { "aidd:allow" };
        let message = format!("`{}` is not an allow comment", source.slice(span));
        let finding = report.at(span, message);
        finding.help(format!("write `{marker} RULE REASON`"));
        if names_rule {
            finding.fix("Write an allow comment", vec![Edit::replace(span, marker)]);
        }
    }
}

/// The positions of the name of the program, in lower or upper case.
fn marker_starts(text: &str) -> Vec<usize> {
    let find = |name: &'static str| memchr::memmem::find_iter(text.as_bytes(), name);
    let mut starts: Vec<usize> = find("aidd").chain(find("AIDD")).collect();
    starts.sort_unstable();
    starts
}

/// Whether a word is a verb in any case, alone or with a suffix such as `-next-line`.
fn is_verb(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let is_verb = |verb: &&str| {
        word.strip_prefix(*verb).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    VERBS.iter().any(is_verb)
}
