//! The plural categories of texts, compared with those of the language.

use super::compare::{is_suffixed, plural_suffix};
use super::locale::{self, Plurals};
use super::messages::part;
use super::model::{Form, Format};
use super::{Context, display_key, icu};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::source::Span;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The categories of one text with plural forms.
struct Counted {
    key: String,
    span: Span,
    categories: BTreeSet<String>,
    locale: String,
    /// Whether a form is for an exact number, which texts in all languages can have.
    has_exact: bool,
    /// Whether the source text has several forms.
    source_varies: bool,
}

fn counted(context: &Context<'_>, report: &Report<'_>) -> Vec<Counted> {
    let source = report.source();
    let mut found = Vec::new();
    if context.layout.format == Format::Po {
        return found;
    }
    let own_is_icu = context.is_icu();
    let source_entries = || context.source().into_iter().flat_map(|source| &source.entries);
    let is_varied = |form: &Form| {
        let quotes = context.layout.format != Format::Arb;
        own_is_icu && icu::parse(&form.value, quotes).plurals.iter().any(|(_, it)| it.len() > 1)
    };
    let varied: HashSet<&str> = source_entries()
        .filter(|entry| entry.forms.len() > 1 || entry.forms.iter().any(is_varied))
        .map(|entry| &*entry.key)
        .collect();
    for entry in context.entries() {
        let Some(locale) = context.locale_of(entry).map(str::to_owned) else { continue };
        if entry.forms.iter().any(|form| form.category.is_some()) {
            let categories = entry.forms.iter().filter_map(|form| form.category.as_deref());
            found.push(Counted {
                key: display_key(&entry.key),
                span: entry.key_span,
                categories: categories.map(str::to_owned).collect(),
                locale,
                has_exact: false,
                source_varies: varied.contains(&*entry.key),
            });
        } else if own_is_icu {
            for form in &entry.forms {
                let message = icu::parse(&form.value, context.layout.format != Format::Arb);
                if message.error.is_some() {
                    continue;
                }
                for (range, selectors) in message.plurals {
                    found.push(Counted {
                        key: display_key(&entry.key),
                        span: part(source, form.span, &form.value, &range),
                        has_exact: selectors.iter().any(|selector| selector.starts_with('=')),
                        categories: selectors.into_iter().map(exact).collect(),
                        locale: locale.clone(),
                        source_varies: varied.contains(&*entry.key),
                    });
                }
            }
        }
    }
    if is_suffixed(context.layout.format) && !own_is_icu {
        found.extend(suffixed(context));
    }
    found
}

/// The category for which an exact number is sufficient.
fn exact(selector: String) -> String {
    match &*selector {
        "=0" => "zero".to_owned(),
        "=1" => "one".to_owned(),
        "=2" => "two".to_owned(),
        _ => selector,
    }
}

/// The plural forms of i18next: keys with a suffix, if the source has the suffix `other` and another
/// one.
fn suffixed(context: &Context<'_>) -> Vec<Counted> {
    let Some(locale) = context.layout.locale.clone() else { return Vec::new() };
    let source = context.source().unwrap_or(context.own);
    let source_keys: HashSet<&str> = source.entries.iter().map(|entry| &*entry.key).collect();
    let own: HashSet<&str> = context.entries().map(|entry| &*entry.key).collect();
    let mut forms: BTreeMap<&str, (Span, BTreeSet<String>)> = BTreeMap::new();
    for entry in context.entries().filter(|entry| !entry.is_empty()) {
        let Some((base, category)) = plural_suffix(&entry.key) else { continue };
        let is_plural = source_keys.contains(&*format!("{base}_other"))
            && source_keys.contains(&*format!("{base}_one"));
        // A key without a suffix is the fallback of all forms; ordinal numbers have other categories.
        if is_plural && !own.contains(base) && !base.ends_with("_ordinal") {
            let (_, categories) =
                forms.entry(base).or_insert_with(|| (entry.key_span, BTreeSet::new()));
            categories.insert(category.to_owned());
        }
    }
    forms
        .into_iter()
        .map(|(base, (span, categories))| Counted {
            key: base.to_owned(),
            span,
            categories,
            locale: locale.clone(),
            has_exact: false,
            source_varies: true,
        })
        .collect()
}

fn plurals_of(counted: &Counted) -> Option<Plurals> {
    locale::plurals(&counted.locale)
}

/// Whether a text has only `other`: it is the same for all numbers.
fn is_uniform(counted: &Counted) -> bool {
    counted.categories.iter().all(|category| category == "other")
}

pub(super) fn missing_plural(context: &Context<'_>, report: &mut Report<'_>) {
    let all = counted(context, report);
    let is_reduced = |counted: &&Counted| is_uniform(counted) && counted.source_varies;
    let uniform = all.iter().filter(is_reduced).count();
    let varied = all.iter().filter(|counted| !is_uniform(counted)).count();
    let is_usual = varied >= uniform.max(1);
    for counted in all {
        let Some(plurals) = plurals_of(&counted) else { continue };
        let missing: Vec<&str> =
            plurals.required().filter(|category| !counted.categories.contains(*category)).collect();
        let is_intended = is_uniform(&counted) && !(is_usual && counted.source_varies);
        if missing.is_empty() || is_intended {
            continue;
        }
        let names: Vec<String> = missing.iter().map(|name| format!("`{name}`")).collect();
        let noun = if missing.len() == 1 { "form" } else { "forms" };
        let message = format!(
            "`{}` has no plural {noun} {}, which `{}` needs",
            counted.key,
            names.join(", "),
            locale::language(&counted.locale)
        );
        report.at(counted.span, message).help("Add a text for each of these numbers");
    }
}

pub(super) fn unknown_plural(context: &Context<'_>, report: &mut Report<'_>) {
    for counted in counted(context, report) {
        let Some(plurals) = plurals_of(&counted) else { continue };
        let unknown = counted.categories.iter().filter(|category| {
            let is_category = locale::CATEGORIES.contains(&&***category);
            // Many libraries use the form `zero` for the number 0, and `one` for 1, in all
            // languages.
            is_category
                && !plurals.has(category)
                && !matches!(&***category, "zero" | "one" | "other")
        });
        let names: Vec<String> = unknown.map(|name| format!("`{name}`")).collect();
        if names.is_empty() || counted.has_exact {
            continue;
        }
        let message = format!(
            "`{}` has the plural form {}, which `{}` never uses",
            counted.key,
            names.join(", "),
            locale::language(&counted.locale)
        );
        report.at(counted.span, message).help("Delete it");
    }
}
