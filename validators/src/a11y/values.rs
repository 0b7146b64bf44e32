//! Rules on the values of attributes: those of ARIA, `autocomplete`, and values that are set twice.

use super::attributes::{aria_attributes, with_space};
use super::element::El;
use super::names::{Name, content, is_blank, is_hidden_by_style, may_be_hidden};
use super::roles::role;
use super::{Found, aria, tokens};
use aidd_engine::text::finding::Edit;
use aidd_markup::{Attribute, AttributeKind, Language, Value};

pub(super) fn invalid_aria_value(element: El<'_>, found: &mut Found<'_, '_>) {
    if element.tag.is_empty() {
        return;
    }
    for attribute in aria_attributes(element) {
        let Some(known) = aria::attribute(&attribute.name) else { continue };
        let (text, span) = match attribute.value {
            // In JSX, a property without value is `true`.
            Value::Empty if element.document().language() == Language::Jsx => {
                ("true", attribute.name_span)
            }
            Value::Empty => ("", attribute.name_span),
            Value::Static { text, span } => (text.trim(), span),
            Value::Absent | Value::Dynamic { .. } => continue,
        };
        let is_jsx = element.document().language() == Language::Jsx;
        let is_boolean = is_jsx && known.is_text() && matches!(text, "true" | "false");
        let is_number = aria::accepts_number(&attribute.name, text);
        if !is_boolean
            && is_number
            && (text.is_empty() && known.can_be_empty() || known.accepts(text))
        {
            missing_reference(element, attribute, found);
            continue;
        }
        let correct = known.correction(text).filter(|_| found.slice(span) == text);
        let place = if span.is_empty() { attribute.span } else { span };
        let message = if text.is_empty() {
            format!("`{}` has no value", attribute.name)
        } else {
            format!("`{}` cannot be `{text}`", attribute.name)
        };
        let finding = found.at(place, message);
        match correct {
            Some(correct) => {
                let edit = Edit::replace(span, correct);
                finding.fix_unsafe(format!("Replace with `{correct}`"), vec![edit]);
            }
            None => {
                finding.help(format!("use {}", known.expected()));
            }
        }
    }
}

/// Reports ids on a complete page that none of its elements has.
fn missing_reference(element: El<'_>, attribute: &Attribute<'_>, found: &mut Found<'_, '_>) {
    let document = element.document();
    let Value::Static { text, span } = attribute.value else { return };
    let is_shown_later = attribute.name == "aria-controls"
        && (element.text_of("aria-expanded") == Some("false")
            || element.attribute("aria-haspopup").is_some()
            || element.text_of("aria-selected") == Some("false"));
    let is_invalid = || element.text_of("aria-invalid").is_some_and(|text| text != "false");
    let is_checked = match &*attribute.name {
        "aria-activedescendant" | "aria-controls" | "aria-flowto" | "aria-owns" => true,
        "aria-errormessage" => is_invalid(),
        _ => false,
    };
    if !is_checked || !document.is_complete() || is_blank(text) {
        return;
    }
    if attribute.name == "aria-activedescendant" && text.trim().contains(char::is_whitespace) {
        found
            .at(span, "`aria-activedescendant` refers to more than one element")
            .help("use the id of the active element");
        return;
    }
    let is_unseen = |id: &str| {
        let target = document.by_id(id).map(El::new);
        target.is_some_and(|it| {
            // A script writes the message into a live region later.
            let is_live = it.attribute("aria-live").is_some() || role(it).name() == Some("alert");
            may_be_hidden(it) || !is_live && content(it) == Name::Empty
        })
    };
    if attribute.name == "aria-errormessage" && text.split_ascii_whitespace().all(is_unseen) {
        found
            .at(span, format!("the message with the id `{}` is hidden or empty", text.trim()))
            .help("show the message, or set `aria-invalid` to `false`");
        return;
    }
    if !is_shown_later && text.split_ascii_whitespace().all(|id| document.by_id(id).is_none()) {
        found
            .at(span, format!("no element of the page has the id `{}`", text.trim()))
            .help("correct the id, or delete the attribute");
    }
}

pub(super) fn duplicate_attribute(element: El<'_>, found: &mut Found<'_, '_>) {
    let attributes = element.attributes();
    for (index, attribute) in attributes.iter().enumerate().skip(1) {
        // A spread or a template statement between two attributes can make them exclude each other.
        let is_same = |other: &&Attribute<'_>| {
            other.kind == AttributeKind::Plain && other.name == attribute.name
        };
        if attribute.kind != AttributeKind::Plain || attribute.name.is_empty() || index > 64 {
            continue;
        }
        let Some(first) = attributes[..index].iter().find(is_same) else { continue };
        let between = &attributes[..=index];
        let is_conditional = between.iter().any(|other| other.kind == AttributeKind::Spread);
        let written = found.slice(attribute.name_span);
        let is_binding = !written.eq_ignore_ascii_case(found.slice(first.name_span));
        if is_conditional {
            continue;
        }
        // A binding such as `th:href` replaces the static value.
        if is_binding {
            continue;
        }
        let message = format!("`{written}` is set twice on `<{}>`", element.name());
        let first_span = first.span;
        let is_equal = found.slice(first_span) == found.slice(attribute.span);
        let delete = Edit::delete(with_space(found, attribute.span));
        let finding = found.at(attribute.span, message);
        finding.related(first_span, "first value");
        if is_equal {
            finding.fix("Delete the attribute", vec![delete]);
        } else {
            finding.help("delete one of the two");
        }
    }
}

pub(super) fn invalid_autocomplete(element: El<'_>, found: &mut Found<'_, '_>) {
    // Browsers do not fill a disabled or hidden control.
    let is_disabled = element.attribute("disabled").is_some_and(|it| !it.value.is_dynamic())
        || element.text_of("aria-disabled") == Some("true");
    if !matches!(element.tag, "input" | "select" | "textarea" | "form")
        || is_disabled
        || is_hidden_by_style(*element)
    {
        return;
    }
    let Some(Value::Static { text, span }) = element.value("autocomplete") else { return };
    if let Some(problem) = tokens::autocomplete_problem(text, element.tag == "form") {
        let is_field = element.tag != "form" && found.slice(span) == text;
        let correct = tokens::autocomplete_correction(text).filter(|_| is_field);
        let finding = found.at(span, problem);
        match correct {
            Some(correct) => {
                let edit = Edit::replace(span, correct);
                finding.fix_unsafe(format!("Replace with `{correct}`"), vec![edit]);
            }
            None => {
                finding.help("use a value that HTML lists for `autocomplete`");
            }
        }
    }
}
