//! Checks of the texts of one catalogue.

use super::model::Format;
use super::{Context, display_key, icu};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::{Edit, Severity};
use aidd_engine::text::source::{Source, Span};
use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

/// The span of a part of a text, if the text has no escape sequences in the file; otherwise the span
/// of the whole text.
pub(super) fn part(source: &Source, span: Span, value: &str, range: &Range<usize>) -> Span {
    match exact(source, span, value, range) {
        Some(part) if !part.is_empty() || span.is_empty() => part,
        _ => span,
    }
}

/// The span of a part of a text, if the text has no escape sequences in the file.
pub(super) fn exact(
    source: &Source,
    span: Span,
    value: &str,
    range: &Range<usize>,
) -> Option<Span> {
    let part = Span::new(span.start as usize + range.start, span.start as usize + range.end);
    (source.slice(span) == value && span.contains(part)).then_some(part)
}

pub(super) fn invalid_message(context: &Context<'_>, report: &mut Report<'_>) {
    if !context.is_icu() {
        return;
    }
    let source = report.source();
    let mut has_unknown = false;
    for entry in context.entries() {
        for form in &entry.forms {
            let is_arb = context.layout.format == Format::Arb;
            // The project can enable quotes.
            if is_arb && (form.value.contains("'{") || form.value.contains("'}")) {
                continue;
            }
            let message = icu::parse(&form.value, !is_arb);
            has_unknown |= unknown_type(&form.value, &message).is_some();
            let Some(fault) = message.error else { continue };
            let span = part(source, form.span, &form.value, &fault.range);
            let message = format!("{} in `{}`", fault.reason, display_key(&entry.key));
            report.at(span, message).help(fault.help);
        }
    }
    if has_unknown {
        translated_types(context, report);
    }
}

/// The types of arguments that libraries define; projects can add others.
const TYPES: [&str; 8] =
    ["number", "date", "time", "spellout", "ordinal", "duration", "list", "choice"];

/// The first argument whose type no library defines.
fn unknown_type(text: &str, message: &icu::Message) -> Option<Range<usize>> {
    message.types.iter().find(|&range| !TYPES.contains(&&text[range.clone()])).cloned()
}

/// Reports arguments whose type neither a library nor the source text has: it was translated.
fn translated_types(context: &Context<'_>, report: &mut Report<'_>) {
    let source = report.source();
    for pair in context.pairs() {
        for form in &pair.entry.forms {
            let message = icu::parse(&form.value, context.layout.format != Format::Arb);
            let unknown = unknown_type(&form.value, &message).filter(|_| message.error.is_none());
            let Some(range) = unknown else { continue };
            let name = &form.value[range.clone()];
            if pair.sources.iter().all(|source| !source.contains(name)) {
                let span = part(source, form.span, &form.value, &range);
                let key = display_key(&pair.entry.key);
                let message = format!("`{name}` is not a type of argument in `{key}`");
                report.at(span, message).help(icu::KINDS);
            }
        }
    }
}

/// Characters that start an embedding, an override or an isolate, and those that end them.
const STARTS: [char; 7] =
    ['\u{202A}', '\u{202B}', '\u{202D}', '\u{202E}', '\u{2066}', '\u{2067}', '\u{2068}'];

pub(super) fn bidi_control(context: &Context<'_>, report: &mut Report<'_>) {
    let source = report.source();
    for entry in context.entries() {
        for form in &entry.forms {
            // All control characters start with this byte in UTF-8.
            if memchr::memchr(0xE2, form.value.as_bytes()).is_none() {
                continue;
            }
            let mut open: Vec<(usize, char, bool)> = Vec::new();
            for (at, c) in form.value.char_indices() {
                match c {
                    _ if STARTS.contains(&c) => open.push((at, c, c >= '\u{2066}')),
                    '\u{202C}' if open.last().is_some_and(|(.., isolate)| !isolate) => {
                        open.pop();
                    }
                    '\u{2069}' => {
                        if let Some(start) = open.iter().rposition(|(.., isolate)| *isolate) {
                            open.truncate(start);
                        }
                    }
                    _ => {}
                }
            }
            let Some(&(at, c, isolate)) = open.first() else { continue };
            let span = part(source, form.span, &form.value, &(at..at + c.len_utf8()));
            let (name, end) = if isolate { ("U+2069", "\u{2069}") } else { ("U+202C", "\u{202C}") };
            let message = format!(
                "control character U+{:04X} is not closed in `{}`",
                u32::from(c),
                display_key(&entry.key)
            );
            let closes = open.len() == 1;
            let finding = report.at(span, message);
            // An embedding or an isolate up to the end of a label changes nothing else.
            if !matches!(c, '\u{202D}' | '\u{202E}') {
                finding.severity = finding.severity.min(Severity::Info);
            }
            finding.help(format!("Close it with {name}; otherwise it also changes the order of the text around the translation"));
            if closes {
                // In JSON, an escape is visible in editors.
                let is_json =
                    matches!(context.layout.format, Format::Json | Format::Arb | Format::XcStrings);
                let end = if is_json { name.replace("U+", "\\u") } else { end.to_owned() };
                let edit = Edit::insert(form.span.end, end);
                finding.fix_unsafe(format!("Append {name}"), vec![edit]);
            }
        }
    }
}

pub(super) fn undefined_reference(context: &Context<'_>, report: &mut Report<'_>) {
    let own = context.own;
    if !own.complete || own.references.is_empty() || context.files.listing().is_none() {
        return;
    }
    // The bundle of a locale can consist of files in several directories.
    let locale = context.layout.locale.as_deref();
    let names = super::groups::fluent_names(context.files, locale);
    let Some(names) = &*names else { return };
    let keys = || own.entries.iter().map(|entry| &*entry.key);
    let owners = keys().filter_map(|key| Some(key.split_once('.')?.0));
    let defined: HashSet<&str> = keys().chain(owners).collect();
    let missing: BTreeSet<(&str, Span)> = own
        .references
        .iter()
        .filter(|(name, _)| !defined.contains(&**name) && !names.contains(name))
        .map(|(name, span)| (&**name, *span))
        .collect();
    for (name, span) in missing {
        let kind = if name.starts_with('-') { "term" } else { "message" };
        report
            .at(span, format!("{kind} `{name}` is not defined"))
            .help("Correct the name, or define it in a file of the locale");
    }
}
