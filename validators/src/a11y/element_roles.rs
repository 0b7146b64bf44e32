//! Rules on roles that do not fit the element: those of ARIA in HTML, and those that hide what the
//! element is.

use super::attributes::with_space;
use super::element::El;
use super::names::{Name, attribute_name};
use super::roles::{Role, implicit, is_natively_interactive, role};
use super::{Found, aria, html};
use aidd_engine::text::finding::Edit;
use aidd_markup::{Language, Value};

/// The role on a control that hides what the control does.
fn hiding_role(element: El<'_>) -> Option<&str> {
    let Role::Explicit(name) = role(element) else { return None };
    let is_control = matches!(element.tag, "button" | "select" | "textarea" | "option")
        || element.tag == "a" && element.attribute("href").is_some()
        || element.tag == "input" && !matches!(implicit(element), Role::Unknown)
        || element.tag == "tr" && is_lone_row(element);
    let is_other = matches!(
        name,
        "article"
            | "banner"
            | "complementary"
            | "contentinfo"
            | "definition"
            | "document"
            | "feed"
            | "figure"
            | "form"
            | "group"
            | "heading"
            | "img"
            | "list"
            | "listitem"
            | "main"
            | "navigation"
            | "note"
            | "paragraph"
            | "region"
            | "row"
            | "rowgroup"
            | "search"
            | "status"
            | "table"
            | "term"
            | "alert"
            | "dialog"
            | "log"
            | "cell"
    );
    let is_own = matches!((element.tag, name), ("tr", "row"));
    (is_control && is_other && !is_own).then_some(name)
}

/// Whether the element is a row of a table that another component renders, as far as its roles show.
fn is_lone_row(element: El<'_>) -> bool {
    element.document().language() == Language::Jsx
        && element.close_ancestors().all(|outer| matches!(outer.tag, "tbody" | "thead" | "tfoot"))
        && element.close_ancestors().all(|outer| outer.attribute("role").is_none())
}

pub(super) fn interactive_element_role(element: El<'_>, found: &mut Found<'_, '_>) {
    let Some(attribute) = element.attribute("role") else { return };
    if let Some(name) = hiding_role(element) {
        found
            .at(attribute.span, format!("the role `{name}` hides what `<{}>` does", element.tag))
            .help("delete the attribute, or move it to an element around this one");
    }
}

/// Elements with a meaning that a role replaces, and that are no controls.
const TEXTS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "br",
    "caption",
    "code",
    "dd",
    "del",
    "details",
    "dfn",
    "dir",
    "dl",
    "dt",
    "em",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "html",
    "iframe",
    "img",
    "ins",
    "label",
    "legend",
    "li",
    "main",
    "mark",
    "marquee",
    "menu",
    "meter",
    "nav",
    "ol",
    "optgroup",
    "output",
    "p",
    "pre",
    "progress",
    "ruby",
    "section",
    "strong",
    "sub",
    "sup",
    "table",
    "tbody",
    "tfoot",
    "thead",
    "time",
    "ul",
];

/// The role of a control on an element whose own meaning it replaces.
fn replacing_role(element: El<'_>) -> Option<&str> {
    let Role::Explicit(name) = role(element) else { return None };
    if !TEXTS.contains(&element.tag) || !aria::role(name).is_some_and(|role| role.is_widget) {
        return None;
    }
    if element.tag == "li" {
        // The rule on lists reports the items of a list.
        let is_item = |it: El<'_>| matches!(it.tag, "ol" | "ul" | "menu");
        let is_stray = element.parent_el().is_none_or(|it| !is_item(it));
        return (is_stray && is_operable(name)).then_some(name);
    }
    // Containers of controls, and parts of tables.
    let is_container = matches!(
        name,
        "grid"
            | "gridcell"
            | "listbox"
            | "menu"
            | "menubar"
            | "radiogroup"
            | "row"
            | "tablist"
            | "tree"
            | "treegrid"
    );
    let is_allowed = html::allowed_roles(element).is_some_and(|allowed| allowed.contains(&name));
    let is_unknown = element.tag == "img" && html::allowed_roles(element).is_none();
    (!is_container && !is_allowed && !is_unknown && !name.starts_with("doc-")).then_some(name)
}

/// Whether users operate elements with the role by one key or click.
fn is_operable(name: &str) -> bool {
    matches!(name, "button" | "checkbox" | "link" | "switch" | "slider" | "textbox")
}

pub(super) fn noninteractive_element_role(element: El<'_>, found: &mut Found<'_, '_>) {
    let Some(attribute) = element.attribute("role") else { return };
    if let Some(name) = replacing_role(element) {
        found
            .at(
                attribute.span,
                format!("the role `{name}` replaces the meaning of `<{}>`", element.tag),
            )
            .help(format!("put an element with the role `{name}` inside"));
    }
}

pub(super) fn role_not_allowed(element: El<'_>, found: &mut Found<'_, '_>) {
    let Some(Value::Static { text, span }) = element.value("role") else { return };
    // `text` is a proposal that no version of WAI-ARIA contains.
    let is_role =
        |word: &&str| *word == "text" || aria::role(word).is_some_and(|it| !it.is_abstract);
    let Some(name) = text.split_ascii_whitespace().find(is_role) else { return };
    let Some(allowed) = html::allowed_roles(element) else { return };
    if allowed.contains(&name)
        || implicit(element).name() == Some(name)
        || hiding_role(element).is_some()
        || replacing_role(element).is_some()
    {
        return;
    }
    let message = format!("`<{}>` cannot have the role `{name}`", element.tag);
    let help = match *allowed {
        [] | [_] => "delete the attribute, or use `<div>` or `<span>`".to_owned(),
        _ => format!("use `<div>` or `<span>`, or one of the roles {}", listed(allowed)),
    };
    found.at(span, message).help(help);
}

pub(super) fn redundant_role(element: El<'_>, found: &mut Found<'_, '_>) {
    let Some(attribute) = element.attribute("role") else { return };
    let Some(text) = attribute.value.text().map(str::trim) else { return };
    // Safari removes the role of lists without markers, and only `role` restores it. Old versions do
    // not announce images of SVG without it.
    let is_intended = matches!(element.tag, "ul" | "ol" | "menu")
        || element.tag == "li" && !is_item_of_list(element)
        || element.tag == "img" && may_be_svg(element);
    if is_intended || implicit(element) != Role::Implicit(match_static(text)) {
        return;
    }
    // Whether these elements have the role depends on their names or ancestors.
    let is_complementary = || {
        element.tag == "aside"
            && (matches!(attribute_name(element, &[]), Name::Present(_)) || is_in_main(element))
    };
    if matches!(element.tag, "aside" | "td" | "th" | "tr" | "section") && !is_complementary() {
        return;
    }
    let message = format!("`<{}>` already has the role `{text}`", element.tag);
    let delete = Edit::delete(with_space(found, attribute.span));
    // Selectors in styles and tests can depend on the attribute.
    found.at(attribute.span, message).fix_unsafe("Delete the attribute", vec![delete]);
}

/// Whether the element is directly in a list that is one for browsers and screen readers.
fn is_item_of_list(item: El<'_>) -> bool {
    let is_list = |it: El<'_>| {
        matches!(it.tag, "ul" | "ol" | "menu") && it.is_native() && role(it).name() == Some("list")
    };
    item.parent_el().is_some_and(is_list)
}

/// Whether the element is in `<main>` or `<body>` without an article, section or component between.
fn is_in_main(element: El<'_>) -> bool {
    let is_end = |it: &El<'_>| {
        matches!(it.tag, "" | "article" | "aside" | "body" | "main" | "nav" | "section")
    };
    let end = element.close_ancestors().find(is_end);
    end.is_some_and(|it| matches!(it.tag, "body" | "main")) && !element.is_in_attribute()
}

/// Whether the source of an image is an SVG, as far as its name or import shows.
fn may_be_svg(image: El<'_>) -> bool {
    let is_svg = |name: &str| {
        let text = match image.value(name) {
            Some(Value::Static { text, .. }) => text,
            Some(Value::Dynamic { span }) => image.document().slice(span),
            _ => return false,
        };
        let variable = text.trim_matches(['{', '}', ' ']).split('.').next().unwrap_or_default();
        let module = image.document().import_of(variable).unwrap_or_default();
        [text, module].iter().any(|text| text.to_ascii_lowercase().contains("svg"))
    };
    ["src", "srcset"].into_iter().any(is_svg)
}

fn match_static(text: &str) -> &'static str {
    aria::role(text).map_or("", |role| role.name)
}

/// The first names of a list, in words.
fn listed(names: &[&str]) -> String {
    /// Maximum number of names.
    const MAX: usize = 8;
    let quoted: Vec<String> = names.iter().take(MAX).map(|name| format!("`{name}`")).collect();
    let rest = if names.len() > MAX { ", …" } else { "" };
    format!("{}{rest}", quoted.join(", "))
}

/// The element that has a role by itself, as it is written.
fn native_element(role: &str) -> Option<&'static str> {
    let lines = include_str!("native.txt").lines().filter(|line| !line.starts_with('#'));
    let mut lines = lines.filter_map(|line| line.split_once(' '));
    lines.find(|(known, _)| *known == role).map(|(_, element)| element)
}

pub(super) fn role_instead_of_element(element: El<'_>, found: &mut Found<'_, '_>) {
    let Some(attribute) = element.attribute("role") else { return };
    let Role::Explicit(name) = role(element) else { return };
    if !matches!(element.tag, "div" | "span") || !element.is_native() {
        return;
    }
    let is_irreplaceable = match name {
        "dialog" => is_managed_dialog(element),
        _ => aria::role(name).is_some_and(|role| role.is_widget) && may_contain_control(element),
    };
    if is_irreplaceable {
        return;
    }
    if let Some(native) = native_element(name) {
        found
            .at(attribute.span, format!("`<{native}>` has the role `{name}` without the attribute"))
            .help(format!("use `<{native}>` instead of `<{}>`", element.tag));
    }
}

/// Whether a script moves the focus into the dialog, or Bootstrap, which prescribes `<div>`.
fn is_managed_dialog(dialog: El<'_>) -> bool {
    let class = dialog.text_of("class").unwrap_or_default();
    let mut classes = class.split_ascii_whitespace();
    dialog.attribute("tabindex").is_some()
        || classes.any(|class| matches!(class, "modal" | "modal-dialog"))
}

/// Whether the element contains a control, as far as names of components show.
fn may_contain_control(element: El<'_>) -> bool {
    let is_control = |it: El<'_>| {
        let is_named = || it.name().ends_with("Button") || it.name().ends_with("Link");
        is_natively_interactive(it) == Some(true)
            || it.tag.is_empty() && is_named()
            || matches!(role(it), Role::Explicit(name)
                if aria::role(name).is_some_and(|role| role.is_widget))
    };
    element.inner().is_none_or(|inner| inner.into_iter().any(is_control))
}
