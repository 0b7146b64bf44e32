//! Rules on attributes: ARIA and a few of HTML.

use super::element::El;
use super::names::is_blank;
use super::roles::{Role, implicit, input_type, is_natively_interactive, role};
use super::{Found, aria, html};
use aidd_engine::text::finding::{Edit, Severity};
use aidd_engine::text::nearest::nearest;
use aidd_engine::text::source::Span;
use aidd_markup::{Attribute, AttributeKind, Language, Value};

/// The attributes of WAI-ARIA on the element.
pub(super) fn aria_attributes<'d>(element: El<'d>) -> impl Iterator<Item = &'d Attribute<'d>> {
    let attributes = element.attributes().iter();
    attributes.filter(|attribute| {
        attribute.kind == AttributeKind::Plain && attribute.name.starts_with("aria-")
    })
}

/// The span that deletes an attribute together with the space before it.
pub(super) fn with_space(found: &Found<'_, '_>, span: Span) -> Span {
    let text = found.report.source().text();
    let before = text.get(..span.start as usize).unwrap_or_default();
    let end = before.trim_end();
    // Nothing may move into the comment before.
    let is_after_comment = end.rsplit('\n').next().is_some_and(|line| line.contains("//"));
    let spaces = if is_after_comment { 0 } else { before.len() - end.len() };
    Span { start: span.start - u32::try_from(spaces).unwrap_or_default(), end: span.end }
}

pub(super) fn unknown_aria_attribute(element: El<'_>, found: &mut Found<'_, '_>) {
    if element.tag.is_empty() {
        return;
    }
    for attribute in aria_attributes(element) {
        // Other characters are those of a framework, such as `aria-label.bind`.
        let is_name =
            attribute.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if aria::attribute(&attribute.name).is_some() || !is_name {
            continue;
        }
        let message = format!("WAI-ARIA has no attribute `{}`", attribute.name);
        // A different word, such as `aria-role`, is not a misspelling.
        let is_typo = |known: &&str| strsim::osa_distance(&attribute.name, known) <= 2;
        let similar = nearest(&attribute.name, aria::attribute_names().filter(is_typo));
        let is_plain = found.slice(attribute.name_span) == attribute.name;
        let finding = found.at(attribute.name_span, message);
        match similar {
            Some(similar) if is_plain => {
                let edit = Edit::replace(attribute.name_span, similar);
                finding.fix_unsafe(format!("Replace with `{similar}`"), vec![edit]);
            }
            _ => {
                finding.help("delete the attribute, or use one of WAI-ARIA");
            }
        }
    }
}

pub(super) fn missing_aria_state(element: El<'_>, found: &mut Found<'_, '_>) {
    let Some(attribute) = element.attribute("role") else { return };
    let Role::Explicit(name) = role(element) else { return };
    let Some(known) = aria::role(name) else { return };
    if known.required.is_empty() && name != "separator"
        || element.may_get_attributes()
        || is_root_of_vue(element)
        || element.tag.is_empty()
    {
        return;
    }
    let has_own_state = match (implicit(element), name) {
        (Role::Implicit(own), _) if own == name => true,
        // A native control reports its state itself.
        (Role::Implicit("checkbox"), "switch" | "menuitemcheckbox") => true,
        (Role::Implicit("radio"), "menuitemradio") => true,
        (Role::Implicit("slider"), _) => true,
        (Role::Implicit("textbox" | "searchbox" | "combobox"), "combobox") => {
            element.attribute("list").is_some()
        }
        (Role::Unknown, _) => true,
        _ => false,
    };
    // A separator that the keyboard reaches is a widget.
    let is_splitter = name == "separator" && element.text_of("tabindex") == Some("0");
    // The draft of 1.3 requires the reference only while the list is shown.
    let is_open = name == "combobox" && element.text_of("aria-expanded") == Some("true");
    let required: &[&str] = match (is_splitter, is_open) {
        (true, _) => &["aria-valuenow"],
        (_, true) => &["aria-controls"],
        _ => &known.required,
    };
    // Screen readers announce a slider by its text alone, such as that of a media player. The other
    // ranges show a part of a whole, which only the number states.
    let has_text = name == "slider" && element.has("aria-valuetext");
    let missing: Vec<String> = required
        .iter()
        .filter(|required| element.attribute(required).is_none())
        .filter(|required| !(**required == "aria-valuenow" && has_text))
        .map(|required| format!("`{required}`"))
        .collect();
    if has_own_state || missing.is_empty() {
        return;
    }
    let message = format!("the role `{name}` requires {}", missing.join(" and "));
    let finding = found.at(attribute.span, message);
    finding.help("add the attribute and keep its value up to date");
    if is_open {
        finding.severity = finding.severity.min(Severity::Info);
    }
}

/// Whether the element is the root of a component of Vue, which gets the attributes that the component
/// does not declare.
fn is_root_of_vue(element: El<'_>) -> bool {
    let is_root = || match element.parent_el() {
        None => true,
        Some(outer) => outer.name() == "template" && outer.parent_el().is_none(),
    };
    element.document().language() == Language::Vue && is_root()
}

pub(super) fn unsupported_aria_attribute(element: El<'_>, found: &mut Found<'_, '_>) {
    if element.tag.is_empty() {
        return;
    }
    // These elements have no role, or only a name gives them the role of a landmark: they have no
    // attributes but those that apply to all elements.
    const WITHOUT_ROLE: [&str; 20] = [
        "abbr",
        "audio",
        "body",
        "br",
        "canvas",
        "cite",
        "dl",
        "embed",
        "figcaption",
        "footer",
        "header",
        "iframe",
        "kbd",
        "label",
        "legend",
        "mark",
        "object",
        "section",
        "video",
        "wbr",
    ];
    if role(element) == Role::None && WITHOUT_ROLE.contains(&element.tag) {
        return unsupported_without_role(element, found);
    }
    // Browsers ignore the role of an element that the keyboard reaches.
    let is_ignored =
        role(element).is_presentational() && is_natively_interactive(element) == Some(true);
    let Some(name) = role(element).name().filter(|_| !is_ignored) else { return };
    let Some(known) = aria::role(name) else { return };
    let input = (element.tag == "input").then(|| input_type(element)).flatten();
    for attribute in aria_attributes(element) {
        let is_known = aria::attribute(&attribute.name).is_some();
        // The rule on names covers these.
        let is_name = matches!(&*attribute.name, "aria-label" | "aria-labelledby");
        let is_prohibited = match &*attribute.name {
            // An attribute of all roles cancels the role `none`, so the element has its own role.
            "aria-roledescription" | "aria-brailleroledescription" => {
                name == "generic"
                    || role(element).is_presentational()
                        && element.text_of("role").is_some()
                        && !matches!(attribute.value, Value::Empty)
                        && matches!(element.tag, "div" | "span")
            }
            // The last roles prohibit names since the draft of WAI-ARIA 1.3.
            "aria-braillelabel" => {
                known.is_unnamable && !name.starts_with("doc-")
                    || matches!(name, "definition" | "suggestion" | "term" | "time")
            }
            _ => false,
        };
        let is_supported = known.supports(&attribute.name) && !is_prohibited;
        if !is_known || is_name || is_supported {
            continue;
        }
        if matches!(attribute.value, Value::Absent)
            || input.as_deref() == Some("checkbox") && attribute.name == "aria-pressed"
        {
            continue;
        }
        let message = format!("the role `{name}` does not support `{}`", attribute.name);
        found
            .at(attribute.span, message)
            .help("delete the attribute, or give the element a role that supports it");
    }
}

fn unsupported_without_role(element: El<'_>, found: &mut Found<'_, '_>) {
    let is_break = matches!(element.tag, "br" | "wbr");
    for attribute in aria_attributes(element) {
        let is_supported = if is_break {
            attribute.name == "aria-hidden"
        } else {
            aria::is_global(&attribute.name)
        };
        if aria::attribute(&attribute.name).is_some()
            && !is_supported
            && !matches!(attribute.value, Value::Absent)
        {
            let message = format!("`<{}>` does not support `{}`", element.tag, attribute.name);
            found
                .at(attribute.span, message)
                .help("delete the attribute, or give the element a role that supports it");
        }
    }
}

pub(super) fn prohibited_name(element: El<'_>, found: &mut Found<'_, '_>) {
    let Some(attribute) =
        ["aria-label", "aria-labelledby"].iter().find_map(|name| element.attribute(name))
    else {
        return;
    };
    let is_blank_name = attribute.value.text().is_some_and(is_blank);
    if matches!(attribute.value, Value::Absent) || is_blank_name || element.tag.is_empty() {
        return;
    }
    if element.attribute("tabindex").is_some() {
        return;
    }
    let what = match (role(element), role(element).name().and_then(aria::role)) {
        (Role::None, _) if html::is_unnamed(element.tag) => format!("`<{}>`", element.tag),
        (_, Some(known)) if known.is_unnamable => {
            format!("elements with the role `{}`", known.name)
        }
        _ => return,
    };
    // A directive can set a role.
    if element.has_kind(AttributeKind::Directive) && element.document().language() != Language::Vue
    {
        return;
    }
    found
        .at(attribute.span, format!("{what} cannot have a name"))
        .help("give the element a role, or put the text into its content");
}

pub(super) fn aria_on_invisible_element(element: El<'_>, found: &mut Found<'_, '_>) {
    let is_invisible = matches!(
        element.tag,
        "base"
            | "col"
            | "colgroup"
            | "head"
            | "html"
            | "link"
            | "meta"
            | "noembed"
            | "noscript"
            | "param"
            | "picture"
            | "script"
            | "source"
            | "style"
            | "title"
            | "track"
    );
    if !is_invisible {
        return;
    }
    for attribute in element.attributes() {
        let is_aria = attribute.name.starts_with("aria-") || attribute.name == "role";
        let is_hidden = attribute.name == "aria-hidden" && element.tag == "picture";
        if attribute.kind == AttributeKind::Plain && is_aria && !is_hidden {
            let message = format!("`{}` has no effect on `<{}>`", attribute.name, element.tag);
            let delete = Edit::delete(with_space(found, attribute.span));
            found.at(attribute.span, message).fix_unsafe("Delete the attribute", vec![delete]);
        }
    }
}

pub(super) fn aria_hidden_body(element: El<'_>, found: &mut Found<'_, '_>) {
    let Some(attribute) = element.attribute("aria-hidden") else { return };
    if matches!(element.tag, "body" | "html") && attribute.value.text() == Some("true") {
        let delete = Edit::delete(with_space(found, attribute.span));
        let message = "`aria-hidden` hides the whole page from screen readers";
        found.at(attribute.span, message).fix("Delete the attribute", vec![delete]);
    }
}

pub(super) fn access_key(element: El<'_>, found: &mut Found<'_, '_>) {
    if let Some(attribute) = element.attribute("accesskey")
        && !matches!(attribute.value, Value::Absent)
        && !element.tag.is_empty()
    {
        found
            .at(attribute.span, "access keys conflict with the keys of screen readers and browsers")
            .help("delete the attribute");
    }
}
