//! Comparisons of translations with their source texts.

use super::locale::CATEGORIES;
use super::messages::{exact, part};
use super::model::{Entry, Form, Format};
use super::own_texts::is_of_validations;
use super::placeholders::{self, Placeholder};
use super::printf::{self, Argument};
use super::usual::{is_constant, is_text_in_braces, marks, usual_marks};
use super::{Context, display_key, icu, supplied};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::{Edit, Severity};
use aidd_engine::text::nearest::nearest;
use aidd_engine::text::source::Span;
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::ops::Deref;

/// Maximum number of placeholders of one text that are reported.
pub(super) const MAX_REPORTED: usize = 100;

/// The source texts of an entry.
pub(super) enum Sources<'a> {
    /// Those in the same file: the text, and its plural.
    One([&'a str; 1]),
    Two([&'a str; 2]),
    Many(Vec<&'a str>),
}

impl<'a> Deref for Sources<'a> {
    type Target = [&'a str];

    fn deref(&self) -> &[&'a str] {
        match self {
            Self::One(text) => text,
            Self::Two(texts) => texts,
            Self::Many(texts) => texts,
        }
    }
}

/// A translated entry and its source texts.
pub(super) struct Pair<'a> {
    pub(super) entry: &'a Entry,
    pub(super) sources: Sources<'a>,
}

impl Pair<'_> {
    /// Whether the texts are messages in the syntax of ICU. Lingui writes some into PO files.
    pub(super) fn is_icu(&self, context: &Context<'_>) -> bool {
        context.is_icu()
            || context.layout.format == Format::Po
                && self.sources.iter().any(|text| icu::is_certain(text))
    }
}

/// The base of a key with a plural suffix of i18next, such as `item_one`, and the category.
pub(super) fn plural_suffix(key: &str) -> Option<(&str, &str)> {
    let (base, category) = key.rsplit_once('_')?;
    CATEGORIES.contains(&category).then_some((base, category))
}

/// The translated entries with their source texts.
pub(super) fn pairs<'f>(context: &Context<'f>) -> Vec<Pair<'f>> {
    let is_filled = |entry: &&'f Entry| !entry.is_empty();
    if context.layout.format.has_sources() {
        let pair = |entry: &'f Entry| {
            let sources = match entry.sources()? {
                (text, None) => Sources::One([text]),
                (text, Some(plural)) => Sources::Two([text, plural]),
            };
            Some(Pair { entry, sources })
        };
        return context.entries().filter(is_filled).filter_map(pair).collect();
    }
    let Some(source) = context.source() else { return Vec::new() };
    let mut texts: HashMap<&str, Vec<&str>> = HashMap::with_capacity(source.entries.len());
    for entry in &source.entries {
        let own = entry.forms.iter().map(|form| form.value.as_str());
        let base = plural_suffix(&entry.key).filter(|_| is_suffixed(context.layout.format));
        if let Some((base, _)) = base {
            texts.entry(base).or_default().extend(own.clone());
        }
        texts.entry(&entry.key).or_default().extend(own);
    }
    let pair = |entry: &'f Entry| {
        let base = plural_suffix(&entry.key).filter(|_| is_suffixed(context.layout.format));
        let found =
            base.and_then(|(base, _)| texts.get(base)).or_else(|| texts.get(&*entry.key))?;
        let sources: Vec<&str> = found.iter().copied().filter(|text| !text.is_empty()).collect();
        (!sources.is_empty()).then_some(Pair { entry, sources: Sources::Many(sources) })
    };
    context.entries().filter(is_filled).filter_map(pair).collect()
}

/// Whether plural forms are separate keys with a suffix.
pub(super) fn is_suffixed(format: Format) -> bool {
    matches!(format, Format::Json | Format::Yaml)
}

/// Whether a form is for a single number, or for few numbers, and can omit the number.
pub(super) fn can_omit(context: &Context<'_>, entry: &Entry, form: &Form) -> bool {
    let suffix = plural_suffix(&entry.key).map(|(_, category)| category);
    let category = form.category.as_deref().or(suffix);
    match category {
        Some("zero" | "one" | "two") => true,
        Some(index) if context.layout.format == Format::Po => {
            let uses = &context.own.plural_uses;
            index.parse().ok().and_then(|index: usize| uses.get(index)).is_none_or(|&uses| uses < 5)
        }
        _ => false,
    }
}

/// Whether a placeholder is a number that a translation need not contain: the source only selects a
/// plural by it, or the language has no plurals.
fn can_omit_count(context: &Context<'_>, pair: &Pair<'_>, name: &str) -> bool {
    let has_plurals = || {
        let locale = context.locale_of(pair.entry);
        locale.and_then(super::locale::plurals).is_none_or(|it| it.required().count() > 1)
    };
    if !pair.is_icu(context) {
        let is_counted = plural_suffix(&pair.entry.key).is_some();
        return name == "{{count}}" && is_counted && !has_plurals();
    }
    let argument = name.trim_matches(['{', '}']);
    let quotes = context.layout.format != Format::Arb;
    let messages = || pair.sources.iter().map(|text| icu::parse(text, quotes));
    let is_hidden =
        |it: &icu::Message| it.counts.contains(argument) && !it.shown.contains(argument);
    messages().all(|message| is_hidden(&message))
        || messages().all(|message| message.counts.contains(argument)) && !has_plurals()
}

/// Whether the text can have placeholders.
fn has_marks(context: &Context<'_>, pair: &Pair<'_>, text: &str) -> bool {
    placeholders::has_marks(context.layout.format, pair.is_icu(context), text)
}

pub(super) fn scan(context: &Context<'_>, pair: &Pair<'_>, text: &str) -> Vec<Placeholder> {
    placeholders::scan(context.layout.format, pair.is_icu(context), text)
}

/// The placeholders of a translation. Laravel also replaces a name inside a word, such as `:label` in
/// `:labelni`: the rest is an ending of the language.
fn scan_own(
    context: &Context<'_>,
    pair: &Pair<'_>,
    text: &str,
    expected: &BTreeSet<String>,
) -> Vec<Placeholder> {
    let mut found = scan(context, pair, text);
    if context.layout.format == Format::Php {
        for (name, range) in &mut found {
            // `:values` is a name of its own, although it starts with `:value`.
            let starts = |it: &&String| name.strip_prefix(it.as_str()).is_some_and(|it| it != "s");
            let own = &text[range.clone()];
            let is_capital = |it: &&String| own == it.to_uppercase();
            let capital = expected.iter().find(is_capital);
            let longest = || expected.iter().filter(starts).max_by_key(|it| it.len());
            if let Some(known) = capital.or_else(longest) {
                *range = range.start..range.start + known.len();
                known.clone_into(name);
            }
        }
    }
    found
}

/// The arguments of an ICU message whose values are in the text, not only in the choice of a form.
fn shown_arguments(context: &Context<'_>, pair: &Pair<'_>, text: &str) -> BTreeSet<String> {
    if !pair.is_icu(context) {
        return BTreeSet::new();
    }
    let message = icu::parse(text, context.layout.format != Format::Arb);
    message.shown.into_iter().map(|name| format!("{{{name}}}")).collect()
}

/// Whether texts of the format can have directives of `printf`, which other texts of the file show.
pub(super) fn has_plain_directives(format: Format) -> bool {
    matches!(format, Format::Po | Format::Json)
}

/// Whether the formats use directives of `printf` in all texts.
pub(super) fn has_directives(format: Format) -> bool {
    matches!(format, Format::Android | Format::Strings | Format::StringsDict | Format::XcStrings)
}

/// The names of the values that a library defines in addition to those of the source text: in plural
/// forms that are separated by bars, and in the messages of validations of Rails.
fn implicit(context: &Context<'_>, pair: &Pair<'_>) -> &'static [&'static str] {
    let has_bars = || {
        let own = pair.entry.forms.iter().map(|form| form.value.as_str());
        pair.sources.iter().copied().chain(own).any(|text| text.contains('|'))
    };
    match context.layout.format {
        Format::Json | Format::Yaml if has_bars() => &["count", "n", "smart_count"],
        Format::Php if has_bars() => &["count"],
        Format::Yaml => {
            let mut parts = pair.entry.key.split('.');
            let is_validation = parts.next() == Some("errors")
                || parts.any(|part| part == "errors") && pair.entry.key.starts_with("active");
            if is_validation { &["attribute", "count", "model", "value"] } else { &[] }
        }
        _ => &[],
    }
}

/// A placeholder without its marks, such as `name` of `{{name}}`.
fn bare(placeholder: &str) -> &str {
    placeholder.trim_matches(|c: char| !c.is_ascii_alphanumeric() && c != '_')
}

/// Whether the code passes a value with this name to the text with the key.
fn is_supplied_by_code(context: &Context<'_>, key: &str, name: &str) -> bool {
    match context.layout.format {
        Format::Resx => {
            let index = name.parse::<usize>().ok();
            index.is_some_and(|index| index < supplied::formatted(context.files, key))
        }
        format if format.has_sources() => false,
        _ => supplied::is_supplied(context.files, key, name),
    }
}

/// Whether the text and its source are words in braces, such as `{tab}`: the braces are shown.
fn is_shown(pair: &Pair<'_>, form: &Form) -> bool {
    let is_word = |text: &str| {
        let inner = text.trim().strip_prefix('{').and_then(|text| text.strip_suffix('}'));
        inner.is_some_and(|inner| {
            inner.chars().all(char::is_alphanumeric) && !inner.starts_with(char::is_numeric)
        })
    };
    is_word(&form.value) && pair.sources.iter().any(|text| is_word(text))
}

/// Whether a message is malformed, so that its arguments are not known.
fn is_unparsed(context: &Context<'_>, pair: &Pair<'_>, text: &str) -> bool {
    pair.is_icu(context) && icu::parse(text, context.layout.format != Format::Arb).error.is_some()
}

pub(super) fn unknown_placeholder(context: &Context<'_>, report: &mut Report<'_>) {
    let source = report.source();
    let format = context.layout.format;
    // In other formats, braces can have another meaning if the source has no placeholder.
    let is_clear = matches!(format, Format::Fluent | Format::Xliff | Format::Yaml);
    let usual = OnceCell::new();
    let usual = || usual.get_or_init(|| usual_marks(context));
    let is_usual = |name: &str| usual().contains(marks(name));
    // In Laravel, a word with accents after a colon is one whose space is missing.
    let is_name = |name: &str| format != Format::Php || name.is_ascii();
    for pair in context.pairs() {
        let mut forms = pair.entry.forms.iter();
        // The messages of the same locale pass values to a term of Fluent, such as a case.
        let is_term = format == Format::Fluent && pair.entry.key.starts_with('-');
        if pair.entry.directives.is_some()
            || is_term
            || !forms.any(|form| has_marks(context, pair, &form.value))
        {
            continue;
        }
        let is_icu = pair.is_icu(context);
        let is_certain = is_clear || is_icu;
        let implicit = implicit(context, pair);
        let expected: BTreeSet<String> = pair
            .sources
            .iter()
            .flat_map(|text| scan(context, pair, text))
            .map(|(name, _)| name)
            .collect();
        let is_supplied =
            |name: &str| implicit.contains(&bare(name)) || is_of_validations(context, bare(name));
        for form in &pair.entry.forms {
            let mut found = scan_own(context, pair, &form.value, &expected);
            // Without a flag, the directives of gettext are text, which translators do not add. Programs
            // in Go pass texts in JSON to `printf`.
            if has_plain_directives(format) && pair.sources.iter().all(|text| !text.contains('%')) {
                found.extend(placeholders::directives(&form.value));
            }
            let is_unknown = |(name, _): &&Placeholder| {
                !expected.contains(name)
                    && !is_supplied(name)
                    && (is_certain || !expected.is_empty() || is_name(name) && is_usual(name))
                    && !is_constant(context, name)
                    && (is_icu || !is_text_in_braces(format, name, usual))
                    && !(format == Format::Properties && is_shown(pair, form))
                    && !is_supplied_by_code(context, &pair.entry.key, bare(name))
            };
            let unknown: Vec<&Placeholder> = found.iter().filter(is_unknown).collect();
            if unknown.is_empty() || super::unused::is_unused(context, &pair.entry.key) {
                continue;
            }
            let missing: Vec<&String> = expected
                .iter()
                .filter(|name| !found.iter().any(|(found, _)| found == *name))
                .collect();
            let names: BTreeSet<&str> = unknown.iter().map(|(name, _)| &**name).collect();
            let shown = |names: &mut dyn Iterator<Item = &str>| {
                let quoted: Vec<String> = names.map(|name| format!("`{name}`")).collect();
                quoted.join(", ")
            };
            let key = display_key(&pair.entry.key);
            let noun = if names.len() == 1 { "placeholder" } else { "placeholders" };
            let message = format!(
                "the source text of `{key}` has no {noun} {}",
                shown(&mut names.iter().copied().take(MAX_REPORTED))
            );
            let spans: Vec<Span> = unknown
                .iter()
                .take(MAX_REPORTED)
                .map(|(_, range)| part(source, form.span, &form.value, range))
                .collect();
            let finding = report.at(spans[0], message);
            // If the source has no placeholder, the marks can be text.
            if !is_certain && expected.is_empty() {
                finding.severity = finding.severity.min(Severity::Info);
            }
            let known = expected.iter().map(String::as_str);
            let candidates = || missing.iter().map(|name| name.as_str());
            let near: Vec<&str> =
                names.iter().filter_map(|name| nearest(name, candidates())).collect();
            if near.len() == names.len() {
                finding.help(format!("Did you mean {}?", shown(&mut near.into_iter())));
            } else if !missing.is_empty() {
                let help = format!("Names are not translated; use {}", shown(&mut candidates()));
                finding.help(help);
            } else if !expected.is_empty() {
                let known = shown(&mut known.into_iter());
                finding.help(format!("Remove it: the text already has {known}"));
            }
            for &span in spans[1..].iter().filter(|span| **span != spans[0]) {
                finding.related(span, "unknown placeholder");
            }
            if let ([name], [(_, range)]) = (&*missing, &*unknown)
                && let Some(span) = exact(source, form.span, &form.value, range)
                && context.layout.format != Format::Xliff
                && !is_icu
            {
                let edit = Edit::replace(span, name.as_str());
                finding.fix_unsafe(format!("Replace with `{name}`"), vec![edit]);
            }
        }
    }
}

pub(super) fn missing_placeholder(context: &Context<'_>, report: &mut Report<'_>) {
    let usual = OnceCell::new();
    let usual = || usual.get_or_init(|| usual_marks(context));
    for pair in context.pairs() {
        let is_marked = has_directives(context.layout.format)
            || pair.sources.iter().any(|text| has_marks(context, pair, text));
        if pair.entry.directives.is_some() || !is_marked {
            continue;
        }
        let implicit = implicit(context, pair);
        let sets: Vec<BTreeSet<String>> = pair
            .sources
            .iter()
            .map(|text| scan(context, pair, text).into_iter().map(|(name, _)| name).collect())
            .collect();
        let shown: Vec<BTreeSet<String>> =
            pair.sources.iter().map(|text| shown_arguments(context, pair, text)).collect();
        // Only what all source texts contain, such as all plural forms, is needed in each text.
        let common = |sets: &[BTreeSet<String>]| {
            let first = sets.first().cloned().unwrap_or_default();
            sets.iter().skip(1).fold(first, |all, set| all.intersection(set).cloned().collect())
        };
        let mut needed: BTreeSet<String> = common(&sets);
        // The number is the reason for a message of a validation.
        let is_count = |name: &str| name == "count" && implicit.contains(&"attribute");
        needed.retain(|name| {
            (!implicit.contains(&bare(name)) || is_count(bare(name)))
                && !can_omit_count(context, pair, name)
                && (pair.is_icu(context) || !is_text_in_braces(context.layout.format, name, usual))
        });
        let mut shown = common(&shown);
        shown.retain(|name| needed.contains(name));
        let directives = if has_directives(context.layout.format) {
            needed_arguments(&pair.sources)
        } else {
            BTreeSet::new()
        };
        if needed.is_empty() && directives.is_empty() {
            continue;
        }
        for form in &pair.entry.forms {
            if form.value.is_empty()
                || can_omit(context, pair.entry, form)
                || is_unparsed(context, pair, &form.value)
            {
                continue;
            }
            let found = scan_own(context, pair, &form.value, &needed);
            let is_php = context.layout.format == Format::Php;
            let mut missing: Vec<String> = needed
                .iter()
                .filter(|name| !found.iter().any(|(found, _)| found == *name))
                .filter(|name| !(is_php && placeholders::has_colon_name(&form.value, name)))
                .map(|name| format!("`{name}`"))
                .collect();
            if missing.is_empty() && !shown.is_empty() {
                let own = shown_arguments(context, pair, &form.value);
                if let Some(name) = shown.difference(&own).next() {
                    let key = display_key(&pair.entry.key);
                    let message =
                        format!("the text of `{key}` does not show the value of `{name}`");
                    report.at(form.span, message);
                    continue;
                }
            }
            // A misspelt placeholder is reported as unknown.
            if found.iter().any(|(name, _)| !sets.iter().any(|set| set.contains(name))) {
                continue;
            }
            let own = printf::lenient(&form.value);
            if !directives.is_empty() && own.len() < directives.len() {
                let absent = |argument: &&Argument| !own.iter().any(|it| it.argument == **argument);
                missing.extend(directives.iter().filter(absent).map(ToString::to_string));
            }
            if !missing.is_empty() {
                let key = display_key(&pair.entry.key);
                let names = missing.join(", ");
                report.at(
                    form.span,
                    format!("the text of `{key}` has no {names}, as the source has"),
                );
            }
        }
    }
}

/// The arguments that all source texts contain.
fn needed_arguments(sources: &[&str]) -> BTreeSet<Argument> {
    let set = |text: &&str| {
        printf::lenient(text).into_iter().map(|it| it.argument).collect::<BTreeSet<_>>()
    };
    let mut sets = sources.iter().map(set);
    let first = sets.next().unwrap_or_default();
    sets.fold(first, |all, set| all.intersection(&set).cloned().collect())
}
