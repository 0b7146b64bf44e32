//! Reads string catalogs of Apple. One file contains all locales; an entry is the text of a key in
//! one locale, and its source is the text in the source language.

use super::after_mark;
use super::json::{inner, parse, report_duplicates};
use crate::i18n::locale;
use crate::i18n::model::{Catalogue, Entry, Form, SourceText};
use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;

/// Reads a catalog; `None` if it is other JSON.
pub(super) fn read(text: &str) -> Option<Catalogue> {
    let offset = after_mark(text);
    let mut catalogue = Catalogue::default();
    let root = parse(text, offset, &mut catalogue);
    if !catalogue.complete {
        return Some(catalogue);
    }
    let Some(Value::Object(root)) = &root else { return None };
    let source_language = root.get_string("sourceLanguage")?.value.clone().into_owned();
    let source_language = locale::parse(&source_language)?;
    let strings = root.get_object("strings")?;
    report_duplicates(&strings.properties, offset, &mut catalogue);
    for property in &strings.properties {
        let Value::Object(string) = &property.value else { continue };
        let key = property.name.as_str();
        let key_span = inner(property.name.range(), offset);
        let is_stale = string.get_string("extractionState").is_some_and(|it| it.value == "stale");
        let is_excluded =
            string.get_boolean("shouldTranslate").is_some_and(|literal| !literal.value);
        let Some(localizations) = string.get_object("localizations") else { continue };
        let in_locale = |name: &str| {
            let found = localizations
                .properties
                .iter()
                .find(|it| locale::parse(it.name.as_str()).as_deref() == Some(name));
            found.and_then(|found| match &found.value {
                Value::Object(object) => Some(forms(object, offset)),
                _ => None,
            })
        };
        let sources = in_locale(&source_language).unwrap_or_default();
        let of = |category: &str| {
            let found = sources.iter().find(|form| form.category.as_deref() == Some(category));
            found.map(|form| form.value.clone())
        };
        let single = sources.iter().find(|form| form.category.is_none());
        let source = single.map(|form| form.value.clone()).or_else(|| of("one"));
        let source = source.unwrap_or_else(|| key.to_owned());
        let source_plural = of("other");
        for localization in &localizations.properties {
            let Some(name) = locale::parse(localization.name.as_str()) else { continue };
            let Value::Object(object) = &localization.value else { continue };
            let own = forms(object, offset);
            if own.is_empty() || name == source_language {
                continue;
            }
            let mut entry = Entry::new(format!("{name}\u{4}{key}"), key_span, own);
            entry.source = Some(SourceText::Separate(source.as_str().into()));
            entry.source_plural = source_plural.as_deref().map(Into::into);
            entry.inactive = is_stale;
            entry.untranslatable = is_excluded;
            catalogue.entries.push(entry);
        }
    }
    Some(catalogue)
}

/// The texts of a localization: one, or one of each plural category.
fn forms(localization: &Object<'_>, offset: usize) -> Vec<Form> {
    let unit = |object: &Object<'_>, category: Option<&str>| {
        let value = object.get_object("stringUnit")?.get_string("value")?;
        Some(Form {
            category: category.map(Into::into),
            value: value.value.clone().into_owned(),
            span: inner(value.range, offset),
        })
    };
    if let Some(form) = unit(localization, None) {
        return vec![form];
    }
    let variations = localization.get_object("variations").and_then(|it| it.get_object("plural"));
    let properties = variations.into_iter().flat_map(|it| &it.properties);
    properties
        .filter_map(|property| match &property.value {
            Value::Object(object) => unit(object, Some(property.name.as_str())),
            _ => None,
        })
        .collect()
}
