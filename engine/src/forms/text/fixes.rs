//! Fixes for the findings of text patterns.

use super::CompiledPattern;
use crate::parse::comments;
use crate::text::finding::{Edit, Finding};
use crate::text::kind::{self, Kind};
use crate::text::source::{Source, Span};
use aidd_page::{self as page, FixHeader, InsertAs, TextHeader};
use regex_automata::PatternID;
use regex_automata::util::captures::Captures;
use regex_automata::util::interpolate;

/// Adds the page's fix for the found text: replaces it, or removes the white space around it.
pub(super) fn add_found_fix(
    fix: &FixHeader,
    source: &Source,
    (captures, compiled): (&Captures, &CompiledPattern),
    span: Span,
    finding: &mut Finding,
) {
    if fix.trim {
        let text = source.slice(span);
        if text.trim() != text {
            let title = "Remove the white space".to_owned();
            add_fix(fix.safe, title, Edit::replace(span, text.trim()), finding);
        }
        return;
    }
    let Some(replace) = &fix.replace else { return };
    let mut text = String::new();
    interpolate::string(
        replace,
        |index, into| {
            if let Some(group) = captures.get_group(index) {
                into.push_str(source.slice(Span::from(group.range())));
            }
        },
        |name| compiled.regex.regex.group_info().to_index(PatternID::ZERO, name),
        &mut text,
    );
    let title =
        if text.is_empty() { "Delete it".to_owned() } else { format!("Replace with `{text}`") };
    add_fix(fix.safe && !text.is_empty(), title, Edit::replace(span, text), finding);
}

/// Adds a fix that replaces the word.
pub(super) fn add_swap_fix(span: Span, replacement: &str, safe: bool, finding: &mut Finding) {
    add_fix(safe, format!("Write `{replacement}`"), Edit::replace(span, replacement), finding);
}

/// Adds a fix that inserts the missing text: at the head of the file, or at its end if the pattern
/// applies to the last lines.
pub(super) fn add_insert_fix(
    fix: &FixHeader,
    header: &TextHeader,
    source: &Source,
    finding: &mut Finding,
) {
    let Some(text) = fix.inserted() else { return };
    let text = crate::forms::fill(text, source, Span::default(), |_| None);
    let eol = if source.text().contains("\r\n") { "\r\n" } else { "\n" };
    let lines = match fix.r#as {
        Some(InsertAs::Comment) => {
            let syntax = comments::of_file(source.path(), source.text());
            syntax.map(|syntax| syntax.write_lines(&text, eol))
        }
        _ => Some(text.trim_end().lines().collect::<Vec<_>>().join(eol)),
    };
    let at_end = header.last.is_some() && header.first.is_none();
    let offset = if at_end { Some(source.text().len()) } else { insertion_offset(source) };
    let (Some(lines), Some(offset)) = (lines, offset) else { return };
    let (before, after) = (&source.text()[..offset], &source.text()[offset..]);
    // Separates the inserted text from a last line that has no line break.
    let above = if before.is_empty() || before.ends_with(['\n', '\u{FEFF}']) { "" } else { eol };
    // A comment directly above a declaration would become its documentation.
    let needs_blank_line = !after.is_empty() && !after.starts_with(['\n', '\r']);
    let below = if needs_blank_line { eol } else { "" };
    let title = format!("Insert `{}`", text.trim().lines().next().unwrap_or_default());
    let edit = Edit::insert(Span::at(offset).start, format!("{above}{lines}{eol}{below}"));
    add_fix(fix.safe, title, edit, finding);
}

/// The offset of the first line that can be moved down: after a byte order mark, an interpreter
/// line, an encoding, parser directives, a document type and front matter. `None` for PHP that
/// begins with markup.
fn insertion_offset(source: &Source) -> Option<usize> {
    let text = source.text();
    let kinds = kind::kinds(source.path(), "");
    if kinds.contains(&Kind::MARKDOWN)
        && let Ok((_, body)) = page::split(text)
    {
        return Some(body.start);
    }
    let mut at = text.len() - text.trim_start_matches('\u{FEFF}').len();
    let mut seen_php = !source.path().ends_with(".php");
    for (number, line) in text[at..].split_inclusive('\n').enumerate() {
        let lower = line.trim().to_ascii_lowercase();
        let directive = |name: &str| {
            let rest = lower.trim_start_matches('#').trim_start().strip_prefix(name);
            rest.is_some_and(|rest| rest.trim_start().starts_with('='))
        };
        seen_php |= lower == "<?php";
        let is_preamble = number == 0 && lower.starts_with("#!")
            // PEP 263: an encoding counts on the first two lines.
            || number < 2 && lower.starts_with('#') && lower.contains("coding:")
            || kinds.contains(&Kind::DOCKERFILE) && ["syntax", "escape", "check"].iter().any(|&name| directive(name))
            || ["<?xml", "<!doctype", "@charset"].iter().any(|start| lower.starts_with(start))
            || lower == "<?php";
        if !is_preamble {
            break;
        }
        at += line.len();
    }
    seen_php.then_some(at)
}

fn add_fix(safe: bool, title: String, edit: Edit, finding: &mut Finding) {
    if safe {
        finding.fix(title, vec![edit])
    } else {
        finding.fix_unsafe(title, vec![edit])
    };
}
