//! Rules on keyboard, mouse and focus.

use super::attributes::with_space;
use super::element::El;
use super::names::{is_aria_hidden, is_blank, is_hidden_by_style, may_be_hidden};
use super::roles::{Role, ignores_presentation, is_focusable, is_natively_interactive, role};
use super::{Found, aria};
use aidd_engine::text::finding::{Edit, Severity};
use aidd_markup::{AttributeKind, Language, Value};

fn is_widget(name: &str) -> bool {
    aria::role(name).is_some_and(|role| role.is_widget)
}

/// Whether the source shows that the element has neither a role nor a behaviour of its own.
pub(super) fn is_static(element: El<'_>) -> bool {
    !element.tag.is_empty()
        && !element.is_foreign()
        && is_natively_interactive(element) == Some(false)
        && match role(element) {
            Role::Explicit(name) => !is_widget(name) && !matches!(name, "presentation" | "none"),
            Role::Implicit(name) => !is_widget(name),
            Role::None => true,
            // With any `alt`, an image is not a control.
            Role::Unknown => {
                element.tag == "img" && !element.has_spread() && element.attribute("role").is_none()
            }
        }
}

/// Whether the element handles keys.
pub(super) fn has_key_event(element: El<'_>) -> bool {
    element.attributes().iter().any(|attribute| {
        attribute.kind == AttributeKind::Event && attribute.name.starts_with("key")
    })
}

pub(super) fn mouse_only_event(element: El<'_>, found: &mut Found<'_, '_>) {
    if element.tag.is_empty() || element.may_get_attributes() {
        return;
    }
    for (mouse, key) in [("mouseover", "focus"), ("mouseout", "blur")] {
        let has_key = || {
            [key, if key == "focus" { "focusin" } else { "focusout" }].iter().any(|name| {
                element.event(name).is_some_and(|it| !matches!(it.value, Value::Absent))
            })
        };
        if let Some(event) = element.event(mouse)
            && !has_key()
        {
            found
                .at(
                    event.span,
                    format!("`{mouse}` without `{key}`: the keyboard has no counterpart"),
                )
                .help(format!("handle `{key}` too"));
        }
    }
}

pub(super) fn positive_tabindex(element: El<'_>, found: &mut Found<'_, '_>) {
    if let Some(Value::Static { text, span }) = element.value("tabindex")
        // HTML reads the digits before a point.
        && text.trim().parse::<f32>().is_ok_and(|index| index >= 1.0)
        && (!element.tag.is_empty() || element.document().language() == Language::Jsx)
    {
        let is_exact = found.slice(span) == text;
        let finding = found
            .at(span, "a positive `tabindex` moves the element before all others in the tab order");
        if is_exact {
            let edit = Edit::replace(span, "0");
            finding.fix_unsafe("Replace with `0`", vec![edit]);
        } else {
            finding.help("use `0`, and the order of the source");
        }
    }
}

pub(super) fn hidden_focusable(element: El<'_>, found: &mut Found<'_, '_>) {
    if !is_aria_hidden(element) || element.tag.is_empty() {
        return;
    }
    let Some(attribute) = element.attribute("aria-hidden") else { return };
    let is_removed = element.attribute("hidden").is_some()
        || element.attribute("inert").is_some()
        || element.text_of("tabindex") == Some("-1")
        || is_hidden_by_style(*element);
    let is_reachable = |inner: &El<'_>| {
        is_focusable(*inner) == Some(true)
            && !is_hidden_by_style(**inner)
            && inner.attribute("hidden").is_none()
    };
    // Elsewhere, a style or a script hides the content as well.
    let contains_focusable = element.document().is_complete()
        && element.inner().is_some_and(|inner| inner.iter().any(is_reachable));
    if contains_focusable && !is_removed {
        found
            .at(
                attribute.span,
                "screen readers do not see the content, but the keyboard reaches it",
            )
            .help("delete `aria-hidden`, or add `inert`");
        return;
    }
    if is_focusable(element) == Some(true) && !is_removed {
        found
            .at(
                attribute.span,
                "screen readers do not see this element, but the keyboard reaches it",
            )
            .help("delete `aria-hidden`, or add `tabindex=\"-1\"`");
    }
}

pub(super) fn presentation_conflict(element: El<'_>, found: &mut Found<'_, '_>) {
    let is_decorative = element.tag == "img" && element.text_of("alt") == Some("");
    let has_name = ["aria-label", "aria-labelledby"]
        .iter()
        .any(|name| element.text_of(name).is_some_and(|text| !is_blank(text)));
    if element.document().is_complete()
        && (role(element).is_presentational() || is_decorative)
        && (has_name || ignores_presentation(element))
        && !may_be_hidden(element)
    {
        let reason = if has_name { "has a name" } else { "is operable or live" };
        found
            .at(
                element.tag_span(),
                format!("`<{}>` {reason}, so it is not decorative", element.tag),
            )
            .help("delete `role`, or the other attribute; describe an image in `alt`");
        return;
    }
    let Some(attribute) = element.attribute("role") else { return };
    if role(element).is_presentational()
        && is_natively_interactive(element) == Some(true)
        && is_focusable(element) == Some(true)
        // HTML allows this role on frames.
        && !matches!(element.tag, "iframe" | "embed")
        && !may_be_hidden(element)
    {
        let message =
            format!("the keyboard reaches `<{}>`, so browsers ignore the role", element.tag);
        let delete = Edit::delete(with_space(found, attribute.span));
        found.at(attribute.span, message).fix_unsafe("Delete the attribute", vec![delete]);
    }
}

pub(super) fn role_without_focus(element: El<'_>, found: &mut Found<'_, '_>) {
    let Role::Explicit(name) = role(element) else { return };
    let needs_focus = matches!(
        name,
        "button"
            | "checkbox"
            | "link"
            | "switch"
            | "textbox"
            | "searchbox"
            | "slider"
            | "spinbutton"
    );
    // Parts of a composite widget, which can keep the focus itself.
    let is_part = matches!(
        name,
        "gridcell"
            | "menuitem"
            | "menuitemcheckbox"
            | "menuitemradio"
            | "option"
            | "radio"
            | "tab"
            | "treeitem"
    );
    let reacts = element.event("click").is_some() || has_key_event(element);
    let has_handler = reacts || has_mouse_event(element);
    if !(needs_focus || is_part)
        || !has_handler
        || element.tag.is_empty()
        || element.may_get_attributes()
    {
        return;
    }
    if is_focusable(element) != Some(false)
        || element.has("tabindex")
        || element.text_of("aria-disabled") == Some("true")
        || element.attribute("contenteditable").is_some()
        || may_be_hidden(element)
        || is_part && may_be_managed(element)
        // `nested-interactive` reports it; the keyboard reaches the control around it.
        || element.close_ancestors().take_while(|it| !it.tag.is_empty()).any(is_control)
    {
        return;
    }
    let message = format!("the keyboard cannot reach the element with the role `{name}`");
    let may_be_marked = moves_mark(found.source_text(), has_key_event(element));
    let finding = found.at(element.tag_span(), message);
    if needs_focus && has_key_event(element) {
        finding.help("add `tabindex=\"0\"`, or use the native element");
    } else if needs_focus {
        finding.help("add `tabindex=\"0\"` and handle Enter and Space, or use the native element");
    } else {
        finding.help("add `tabindex` and move the focus with the arrow keys, or refer to the element in `aria-activedescendant`");
    }
    // The keys can move a mark instead of the focus, so only a reader can decide.
    if is_part || !reacts || may_be_marked {
        finding.severity = finding.severity.min(Severity::Info);
    }
}

/// Whether the script of a file moves a mark through items with the arrow keys. Names such as
/// `focusedIndex` and `activeItemIndex` show it, and the keys do unless each item handles keys itself.
fn moves_mark(text: &str, handles_keys: bool) -> bool {
    let has = |word: &str| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    let is_mark = |name: &str| {
        name.ends_with("Index")
            && ["focused", "active", "highlighted"].iter().any(|start| name.starts_with(start))
    };
    !handles_keys && (has("ArrowDown") || has("ArrowRight"))
        || has("Index") && text.split(|c: char| !c.is_ascii_alphanumeric()).any(is_mark)
}

fn has_mouse_event(element: El<'_>) -> bool {
    element.attributes().iter().any(|attribute| {
        attribute.kind == AttributeKind::Event
            && (["mouse", "drag", "dbl", "double"]
                .iter()
                .any(|start| attribute.name.starts_with(start))
                || matches!(&*attribute.name, "drop" | "contextmenu"))
    })
}

/// Whether the element of a composite widget can be operated without the focus: `aria-activedescendant`
/// refers to it, or the container handles the keys.
fn may_be_managed(element: El<'_>) -> bool {
    /// Maximum number of elements, so that files with many items are checked in linear time.
    const MAX: usize = 1_000;
    let has_descendant = |element: El<'_>| element.attribute("aria-activedescendant").is_some();
    element.close_ancestors().any(|outer| outer.tag.is_empty() || has_key_event(outer))
        || element
            .document()
            .elements()
            .take(MAX)
            .map(El::new)
            .any(|it| has_descendant(it) || has_key_event(it) && it.tag == "input")
}

pub(super) fn active_descendant(element: El<'_>, found: &mut Found<'_, '_>) {
    let Some(attribute) = element.attribute("aria-activedescendant") else { return };
    if !element.tag.is_empty()
        && !matches!(attribute.value, Value::Absent)
        && !element.has("tabindex")
        && is_focusable(element) == Some(false)
        && element.attribute("contenteditable").is_none()
    {
        found
            .at(attribute.span, "`aria-activedescendant` has no effect without the focus")
            .help("add `tabindex=\"0\"`");
    }
}

pub(super) fn focusable_static_element(element: El<'_>, found: &mut Found<'_, '_>) {
    let Some(Value::Static { text, .. }) = element.value("tabindex") else { return };
    let is_focusable = text.trim().parse::<i32>().is_ok_and(|index| index >= 0);
    let has_event = element.has_kind(AttributeKind::Event);
    if !is_focusable || !is_static(element) || has_event || element.may_get_attributes() {
        return;
    }
    // A region that scrolls must be reachable, and a tab panel is.
    let is_scrollable = element.attribute("aria-label").is_some()
        || element.attribute("aria-labelledby").is_some()
        || matches!(
            role(element),
            Role::Explicit("tabpanel" | "region" | "group" | "img" | "application")
        )
        || element.text_of("class").is_some_and(|class| class.contains("overflow"))
        || element.attribute("contenteditable").is_some()
        || matches!(element.tag, "pre" | "code" | "dialog" | "main" | "table");
    if is_scrollable || matches!(element.tag, "svg" | "canvas") {
        return;
    }
    if let Some(attribute) = element.attribute("tabindex") {
        found
            .at(
                attribute.span,
                format!("the keyboard stops at `<{}>`, which does nothing", element.tag),
            )
            .help("delete `tabindex`, or give the element a role and handlers");
    }
}

pub(super) fn nested_interactive(element: El<'_>, found: &mut Found<'_, '_>) {
    let is_inner = is_control(element);
    // The content of a text loses its roles, so a link in it is not one even without the focus.
    let is_part_of_text = || is_natively_interactive(element) == Some(true);
    if !is_inner && !is_part_of_text() {
        return;
    }
    // Only the closest control that contains this one is reported.
    let outer = element.close_ancestors().find(|ancestor| {
        ancestor.tag.is_empty()
            || matches!(ancestor.tag, "template")
            || is_control(*ancestor)
            || is_item_of_menu(*ancestor)
            || is_text(*ancestor)
            || matches!(ancestor.tag, "label")
    });
    let Some(outer) = outer.filter(|outer| {
        let is_other = matches!(outer.tag, "a" | "button")
            || matches!(
                role(*outer),
                Role::Explicit("button" | "link" | "checkbox" | "switch" | "tab" | "radio")
            ) && !outer.tag.is_empty()
            || is_item_of_menu(*outer);
        is_text(*outer) || is_inner && is_other
    }) else {
        return;
    };
    let is_part = is_item_of_menu(outer) || is_text(outer);
    if !is_control(outer) && !is_part || may_be_hidden(element) || is_unclosed(outer) {
        return;
    }
    // Two start tags that exclude each other, such as `{% if a %}<a …>{% else %}<a …>{% endif %}`.
    if element.document().is_templated() && element.tag == outer.tag {
        return;
    }
    let outer_span = outer.tag_span();
    let what = match role(outer) {
        _ if is_text(outer) => "an element with the role `text`".to_owned(),
        Role::Explicit(name) => format!("an element with the role `{name}`"),
        _ => format!("`<{}>`", outer.tag),
    };
    let finding = found.at(element.tag_span(), format!("`<{}>` inside {what}", element.tag));
    finding
        .help("move one control out of the other; screen readers do not announce both")
        .related(outer_span, "the outer element");
    if is_part {
        finding.severity = finding.severity.min(Severity::Info);
    }
}

/// Whether the element is an item of a menu or list whose content screen readers do not see.
fn is_item_of_menu(element: El<'_>) -> bool {
    !element.tag.is_empty()
        && !element.has_spread()
        && matches!(role(element), Role::Explicit("menuitemcheckbox" | "menuitemradio" | "option"))
}

/// Whether screen readers announce all of the element as one text. Safari supports this role, which no
/// version of WAI-ARIA contains.
fn is_text(element: El<'_>) -> bool {
    element.is_native() && element.text_of("role") == Some("text")
}

/// Whether the end tag is missing, so that it is unknown what the element contains.
fn is_unclosed(element: El<'_>) -> bool {
    !element.is_closed()
}

fn is_control(element: El<'_>) -> bool {
    let is_native = match element.tag {
        "a" => element.attribute("href").is_some(),
        "button" | "select" | "textarea" => true,
        "input" => is_natively_interactive(element) == Some(true),
        _ => false,
    };
    let is_removed = element.text_of("tabindex") == Some("-1");
    (is_native && !role(element).is_presentational()
        || !element.tag.is_empty()
            && matches!(
                role(element),
                Role::Explicit("button" | "link" | "checkbox" | "switch" | "tab" | "radio")
            ))
        && !is_removed
}

pub(super) fn autofocus(element: El<'_>, found: &mut Found<'_, '_>) {
    let Some(attribute) = element.attribute("autofocus") else { return };
    // React ignores the name in lower case.
    let is_unknown = element.document().language() == Language::Jsx
        && found.slice(attribute.name_span) == "autofocus";
    // Each text enables the attribute, also `autofocus="false"`; a binding to `false` does not.
    let is_text = found.slice(attribute.span).ends_with(['"', '\''])
        && found.slice(attribute.name_span).starts_with(|c: char| c.is_ascii_alphabetic())
        && !found.slice(attribute.name_span).contains(':')
        && element.is_native();
    let is_off = is_unknown
        || matches!(attribute.value, Value::Absent)
        || attribute.value.text() == Some("false") && !is_text;
    // In a dialog, the focus must move to its content.
    let has_dialog = |name: &str| {
        let name = name.to_ascii_lowercase();
        ["dialog", "modal", "popover", "drawer"].iter().any(|word| name.contains(word))
    };
    let is_dialog = |element: El<'_>| {
        has_dialog(element.name())
            || matches!(element.text_of("role"), Some("dialog" | "alertdialog"))
    };
    // The property of a component around, which decides.
    let is_passed_on = || match attribute.value {
        Value::Dynamic { span } => {
            let code = found.slice(span).to_ascii_lowercase();
            let mut words = code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            words.rfind(|word| !word.is_empty()) == Some("autofocus")
        }
        _ => false,
    };
    let path = found.report.source().path();
    if has_dialog(path) || is_passed_on() {
        return;
    }
    // In JSX, a component passes the property on to the control that it renders.
    let is_component = element.tag.is_empty();
    let is_other = is_component
        && (element.document().language() != Language::Jsx
            // What a part of a component does, or the value decides, is unknown.
            || element.name().contains('.')
            || attribute.value.is_dynamic()
            || is_dialog(element)
            || element.name().to_ascii_lowercase().contains("menu"));
    if !is_off && !is_other && !element.close_ancestors().any(is_dialog) {
        found
            .at(attribute.span, "the focus skips what precedes this element")
            .help("delete the attribute, unless the element is the purpose of the page");
    }
}
