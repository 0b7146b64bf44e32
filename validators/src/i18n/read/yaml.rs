//! Reads YAML of Rails, vue-i18n and similar libraries.

use crate::i18n::locale::{self, CATEGORIES};
use crate::i18n::model::{Catalogue, Entry, Form, SYNTAX};
use aidd_engine::parse::values::{Datum, Format, Value, Values};
use aidd_engine::text::source::Span;
use std::collections::HashMap;

/// Reads a file whose path states the locale; `None` if the content is not a catalogue. Without the
/// locale as the only top-level key, most values must be texts.
pub(super) fn read(text: &str, locale: Option<&str>) -> Option<Catalogue> {
    let values = Values::read(Format::Yaml, text);
    let mut catalogue = Catalogue::default();
    if let Some((span, message)) = &values.broken {
        catalogue.problem(SYNTAX, *span, message.clone());
        return Some(catalogue);
    }
    let &[root] = &*values.roots else { return None };
    if values.all[root].datum != Datum::Map {
        return None;
    }
    catalogue.complete = true;
    let top = &values.all[root].children;
    let rails = top.iter().copied().filter(|&child| {
        let key = values.all[child].key.as_ref().and_then(|(key, _)| locale::parse(key));
        key.is_some() && key.as_deref() == locale && values.all[child].datum == Datum::Map
    });
    let rails: Vec<usize> = rails.collect();
    let is_rails = !rails.is_empty() && rails.len() == top.len();
    let mut pending: Vec<(String, usize)> = if is_rails {
        rails.into_iter().rev().map(|child| (String::new(), child)).collect()
    } else {
        vec![(String::new(), root)]
    };
    // Numbers and others: their keys exist, but they are not texts.
    let mut others = Vec::new();
    while let Some((path, at)) = pending.pop() {
        let value = &values.all[at];
        let key_span = value.key.as_ref().map_or(value.span, |(_, span)| *span);
        match &value.datum {
            Datum::Map => {
                report_duplicates(&values, value, text, &mut catalogue);
                if let Some(forms) = plural_forms(&values, value, text) {
                    catalogue.entries.push(Entry::new(path, key_span, forms));
                    continue;
                }
                pending.extend(value.children.iter().rev().map(|&child| {
                    let key = values.all[child].key.as_ref().map_or("", |(key, _)| key);
                    (if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }, child)
                }));
            }
            Datum::List => {
                pending.extend(
                    value
                        .children
                        .iter()
                        .enumerate()
                        .rev()
                        .map(|(index, &child)| (format!("{path}.{index}"), child)),
                );
            }
            Datum::Text(content) => {
                let span = inner(text, value.span);
                catalogue.entries.push(Entry::single(path, key_span, content.clone(), span));
            }
            Datum::Null if is_rails => catalogue.empty_keys.push(path),
            _ => others.push(Entry { inactive: true, ..Entry::new(path, key_span, Vec::new()) }),
        }
    }
    let is_catalogue = is_rails || others.len() * 10 <= catalogue.entries.len();
    catalogue.entries.append(&mut others);
    is_catalogue.then_some(catalogue)
}

/// The forms of a mapping whose keys are plural categories.
fn plural_forms(values: &Values, map: &Value, text: &str) -> Option<Vec<Form>> {
    let mut forms = Vec::new();
    for &child in &map.children {
        let child = &values.all[child];
        let (key, _) = child.key.as_ref()?;
        if !CATEGORIES.contains(&&**key) {
            return None;
        }
        let value = match &child.datum {
            Datum::Text(value) => value,
            // A form that is still to be translated.
            Datum::Null => continue,
            _ => return None,
        };
        let category = Some(key.as_str().into());
        forms.push(Form { category, value: value.clone(), span: inner(text, child.span) });
    }
    let is_plural = forms.iter().any(|form| form.category.as_deref() == Some("other"));
    is_plural.then_some(forms)
}

/// The span of a scalar without quotes.
fn inner(text: &str, span: Span) -> Span {
    let raw = text.get(span.range()).unwrap_or_default();
    let is_quoted = raw.len() >= 2 && raw.starts_with(['"', '\'']) && raw.ends_with(['"', '\'']);
    if is_quoted { Span { start: span.start + 1, end: span.end - 1 } } else { span }
}

fn report_duplicates(values: &Values, map: &Value, text: &str, catalogue: &mut Catalogue) {
    let mut seen = HashMap::with_capacity(map.children.len());
    for &child in &map.children {
        let Some((key, span)) = &values.all[child].key else { continue };
        let value = &values.all[child];
        let content = match &value.datum {
            Datum::Text(text) => text,
            _ => text.get(value.span.range()).unwrap_or_default().trim_end(),
        };
        // The merge key can occur twice.
        let earlier = seen.insert(&**key, (*span, content)).filter(|_| key != "<<");
        if let Some((earlier, earlier_content)) = earlier {
            let is_same = !content.is_empty() && content == earlier_content;
            catalogue.report_duplicate(key, (*span, earlier), is_same, "the last one is used");
        }
    }
}
