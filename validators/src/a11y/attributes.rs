//! Rules on attributes: ARIA and a few of HTML.

use super::element::El;
use super::names::{Name, content, is_blank, is_hidden_by_style, may_be_hidden};
use super::roles::{Role, implicit, input_type, is_natively_interactive, role};
use super::{Found, aria, html, tokens};
use aidd_engine::text::finding::{Edit, Severity};
use aidd_engine::text::nearest::nearest;
use aidd_engine::text::source::Span;
use aidd_markup::{Attribute, AttributeKind, Language, Value};

/// The attributes of WAI-ARIA on the element.
fn aria_attributes<'d>(element: El<'d>) -> impl Iterator<Item = &'d Attribute<'d>> {
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
        let span = if span.is_empty() { attribute.span } else { span };
        let message = if text.is_empty() {
            format!("`{}` has no value", attribute.name)
        } else {
            format!("`{}` cannot be `{text}`", attribute.name)
        };
        found.at(span, message).help(format!("use {}", known.expected()));
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

pub(super) fn unknown_role(element: El<'_>, found: &mut Found<'_, '_>) {
    let Some(attribute) = element.attribute("role") else { return };
    let (text, span) = match attribute.value {
        Value::Static { text, span } => (text, span),
        // In JSX, a property without value is `true`.
        Value::Empty => ("", attribute.span),
        Value::Absent | Value::Dynamic { .. } => return,
    };
    if element.tag.is_empty() {
        return;
    }
    if text.trim().is_empty() {
        if element.document().language() == Language::Jsx {
            let finding =
                found.at(attribute.span, "the role is empty").help("delete the attribute");
            finding.severity = finding.severity.min(Severity::Info);
        }
        return;
    }
    let unknown = |word: &&str| {
        !word.starts_with("doc-")
            && !word.starts_with("graphics-")
            && !matches!(
                *word,
                "image" | "comment" | "suggestion" | "sectionheader" | "sectionfooter" | "text"
            )
            && aria::role(&word.to_ascii_lowercase()).is_none_or(|role| role.is_abstract)
    };
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    // The first role that the browser knows applies: `role="switch checkbox"`.
    let known = words.iter().position(|word| !unknown(word));
    let is_capital = |word: &&&str| word.bytes().any(|byte| byte.is_ascii_uppercase());
    if let Some(word) = words.iter().find(is_capital).filter(|_| known.is_some()) {
        let finding = found.at(span, format!("the role `{word}` contains capital letters"));
        finding.help("write roles in lower case");
        finding.severity = finding.severity.min(Severity::Info);
        return;
    }
    // A word after a role that exists is never used.
    let at = known.unwrap_or_default();
    let Some(word) = words.iter().skip(at).find(|word| unknown(word)) else { return };
    let is_abstract = aria::role(word).is_some();
    let problem = if is_abstract { "is abstract" } else { "does not exist" };
    let similar = nearest(word, aria::role_names());
    let finding = found.at(span, format!("the role `{word}` {problem}"));
    if known.is_some() {
        finding.severity = finding.severity.min(Severity::Info);
    }
    match similar {
        Some(similar) if !is_abstract => {
            finding.help(format!("use `{similar}`"));
        }
        _ => {
            finding.help("use a role of WAI-ARIA, or delete the attribute");
        }
    }
}

pub(super) fn deprecated_role(element: El<'_>, found: &mut Found<'_, '_>) {
    if let Some(Value::Static { text, span }) = element.value("role")
        && aria::role(text.trim()).is_some_and(|role| role.is_deprecated)
    {
        let other = if text.trim() == "directory" { "list" } else { "listitem" };
        found
            .at(span, format!("the role `{}` is deprecated", text.trim()))
            .help(format!("use `{other}` instead"));
    }
}

pub(super) fn missing_aria_state(element: El<'_>, found: &mut Found<'_, '_>) {
    let Some(attribute) = element.attribute("role") else { return };
    let Role::Explicit(name) = role(element) else { return };
    let Some(known) = aria::role(name) else { return };
    if known.required.is_empty() && name != "separator"
        || element.has_spread()
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
        found
            .at(attribute.span, message)
            .help("delete one of the two")
            .related(first_span, "first value");
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
        found.at(span, problem).help("use a value that HTML lists for `autocomplete`");
    }
}
