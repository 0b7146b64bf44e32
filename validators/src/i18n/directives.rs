//! The directives of translations that do not agree with those of their source texts.

use super::compare::{MAX_REPORTED, can_omit, has_directives};
use super::messages::part;
use super::model::{Directives, Format};
use super::printf::{self, Argument, Directive};
use super::{Context, display_key};
use aidd_engine::rules::rule::Report;
use std::collections::{BTreeSet, HashMap};

/// The remedy for directives that differ.
const SAME_DIRECTIVES: &str = "Write the directives of the source text";

pub(super) fn format_mismatch(context: &Context<'_>, report: &mut Report<'_>) {
    let source = report.source();
    let format = context.layout.format;
    for pair in context.pairs() {
        if pair.entry.directives.is_none() && !has_directives(format) {
            continue;
        }
        let parse = |text: &str| match (pair.entry.directives, has_directives(format)) {
            (Some(kind), _) => printf::directives(text, kind),
            (None, true) => Some(printf::lenient(text)),
            (None, false) => Some(Vec::new()),
        };
        let parsed: Option<Vec<Vec<Directive>>> =
            pair.sources.iter().map(|text| parse(text)).collect();
        // If the source text is not a format string, nothing follows.
        let Some(parsed) = parsed else { continue };
        let is_flagged = pair.entry.directives.is_some();
        // `50% d…`: a percent sign before a space and a letter is usually text.
        let is_ambiguous =
            pair.sources.iter().zip(&parsed).any(|(text, parsed)| {
                parsed.iter().any(|it| text[it.range.clone()].starts_with("% "))
            });
        if is_ambiguous {
            continue;
        }
        let is_plain = !is_flagged && parsed.iter().all(Vec::is_empty);
        let classes: HashMap<&Argument, &str> =
            parsed.iter().flatten().map(|it| (&it.argument, &*it.class)).collect();
        for form in &pair.entry.forms {
            if form.value.is_empty() {
                continue;
            }
            let key = || display_key(&pair.entry.key);
            let Some(own) = parse(&form.value) else {
                let key = key();
                let name = pair.entry.directives.map_or("printf", Directives::name);
                report.at(
                    form.span,
                    format!("the text of `{key}` is not a valid format string of {name}"),
                );
                continue;
            };
            // The same directives in the same order; without a number, the argument of a directive in
            // a plural form of Apple is that of the form.
            let is_same = pair.sources.iter().zip(&parsed).any(|(text, directives)| {
                let theirs = directives.iter().map(|it| &text[it.range.clone()]);
                own.iter().map(|it| &form.value[it.range.clone()]).eq(theirs)
            });
            if is_same {
                continue;
            }
            // In a text without arguments, only some directives cannot be text.
            let is_certain = |directive: &&Directive| {
                !is_plain || form.value[directive.range.clone()].contains(['$', '@'])
            };
            for directive in own.iter().filter(is_certain).take(MAX_REPORTED) {
                let shown = &form.value[directive.range.clone()];
                let span = part(source, form.span, &form.value, &directive.range);
                match classes.get(&directive.argument) {
                    None => {
                        let message = format!(
                            "`{shown}` formats {}, which the source text of `{}` does not have",
                            directive.argument,
                            key()
                        );
                        report.at(span, message).help(SAME_DIRECTIVES);
                    }
                    Some(class) if !is_compatible(class, &directive.class, format) => {
                        let message = format!(
                            "`{shown}` formats {} as {}, but the source text of `{}` as {}",
                            directive.argument,
                            named(&directive.class),
                            key(),
                            named(class)
                        );
                        report.at(span, message).help(SAME_DIRECTIVES);
                    }
                    Some(_) => {}
                }
            }
            let is_required = is_flagged && !can_omit(context, pair.entry, form);
            if !is_required {
                continue;
            }
            // In a plural form, the arguments of `msgid_plural` are needed.
            let needed = match (&form.category, &*parsed) {
                (Some(_), [_, plural]) => plural,
                (_, [first, ..]) => first,
                _ => continue,
            };
            let missing: BTreeSet<&Argument> = needed
                .iter()
                .map(|it| &it.argument)
                .filter(|argument| !own.iter().any(|it| it.argument == **argument))
                .collect();
            if let Some(argument) = missing.first() {
                report.at(
                    form.span,
                    format!(
                        "the text of `{}` does not format {argument}, as the source text does",
                        key()
                    ),
                );
            }
        }
    }
}

fn named(class: &str) -> &str {
    if class.is_empty() { "any value" } else { class }
}

/// Whether an argument can be formatted as both types.
fn is_compatible(one: &str, other: &str, format: Format) -> bool {
    let is_same = one == other || format != Format::Po && (one.is_empty() || other.is_empty());
    // Android formats any value with `%s`, and integers of all sizes are one type.
    let is_integer = |class: &str| matches!(class.rsplit(' ').next(), Some("integer" | "unsigned"));
    match format {
        Format::Android => {
            is_same
                || one == "string"
                || other == "string" && one != "object"
                || is_integer(one) && is_integer(other)
        }
        Format::Strings | Format::StringsDict | Format::XcStrings => {
            is_same || is_integer(one) && is_integer(other)
        }
        _ => is_same,
    }
}
