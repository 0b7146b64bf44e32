//! Rules on the names of links, buttons, form controls and headings.

use super::element::El;
use super::names::{
    Name, aria_name, attribute_name, content, is_blank, is_in_plain_component, is_labelled,
    may_be_hidden, name, text_through_components,
};
use super::roles::{Role, ignores_presentation, implicit, input_type, role};
use super::{Found, aria};
use aidd_engine::text::finding::Severity;
use aidd_markup::{Language, Node, Value};

pub(super) fn empty_link(element: El<'_>, found: &mut Found<'_, '_>) {
    // In JSX, an `<a>` without content and attributes that make it an anchor has no purpose.
    let is_pointless = || {
        let attributes = ["id", "name", "ref", "aria-hidden", "tabindex", "role"];
        element.document().language() == Language::Jsx
            && attributes.iter().all(|name| element.attribute(name).is_none())
    };
    let is_link = element.tag == "a"
        && (element.attribute("href").is_some()
            || element.event("click").is_some()
            || !element.is_native() && element.attribute("to").is_some()
            || is_pointless());
    if !is_link || name(element) != Name::Empty || may_be_hidden(element) {
        return;
    }
    // An anchor that other links refer to, or a link that a script fills.
    let is_anchor = element.attribute("id").is_some() || element.attribute("name").is_some();
    if is_anchor
        && !(element.document().is_complete() && element.attribute("href").is_some())
        && element.children().next().is_none()
    {
        return;
    }
    if role(element).is_presentational() && !ignores_presentation(element) {
        return;
    }
    found
        .at(element.tag_span(), "link without text")
        .help("add text or `aria-label`; describe an image inside with `alt`");
}

pub(super) fn unnamed_button(element: El<'_>, found: &mut Found<'_, '_>) {
    let document = element.document();
    let is_button = match element.tag {
        // The keyboard reaches the element, so browsers ignore `role="none"`.
        "button" => !role(element).is_presentational() || ignores_presentation(element),
        "summary" => {
            (document.language() != Language::Html || document.is_complete())
                && element.parent_el().is_none_or(|outer| names_details(element, outer))
        }
        "input" => {
            let kind = input_type(element);
            // Browsers name other buttons, unless `value` is empty.
            let is_emptied = matches!(kind.as_deref(), Some("submit" | "reset"))
                && element.text_of("value") == Some("");
            if (kind.as_deref() == Some("button") || is_emptied)
                && attribute_name(element, &["value"]) == Name::Empty
                && !is_labelled(element)
                && !may_be_hidden(element)
                && (!role(element).is_presentational() || ignores_presentation(element))
            {
                found.at(element.tag_span(), "button without a name").help("add `value`");
            }
            return;
        }
        "" => false,
        _ => role(element) == Role::Explicit("button"),
    };
    if !is_button || name(element) != Name::Empty || may_be_hidden(element) {
        return;
    }
    // A script fills an empty button, which it finds by its id.
    let is_filled_later = document.language() == Language::Html
        && !document.is_complete()
        && element.children().next().is_none()
        && element.attribute("id").is_some();
    let is_in_component = element.tag == "button" && is_in_plain_component(element);
    if is_filled_later || element.tag != "summary" && !is_in_component && is_labelled(element) {
        return;
    }
    let what = if element.tag == "summary" { "`<summary>`" } else { "button" };
    let finding = found
        .at(element.tag_span(), format!("{what} without a name"))
        .help("add text or `aria-label`; hide a decorative icon with `aria-hidden=\"true\"`");
    if is_in_component {
        // Readers have not evaluated the rule on these.
        finding.severity = finding.severity.min(Severity::Info);
    }
}

/// Whether a `<summary>` in this element is the first of `<details>`; others are text.
fn names_details(summary: El<'_>, outer: El<'_>) -> bool {
    let mut elements = outer.children().filter_map(|node| match node {
        Node::Element(child) => Some(child),
        _ => None,
    });
    let is_first = elements.find(|child| child.name() == "summary") == Some(*summary);
    outer.tag != "details" && !outer.document().is_complete() || outer.tag == "details" && is_first
}

pub(super) fn unlabelled_control(element: El<'_>, found: &mut Found<'_, '_>) {
    let is_control = match element.tag {
        "select" | "textarea" => true,
        "input" => input_type(element).is_some_and(|kind| {
            !matches!(&*kind, "hidden" | "submit" | "reset" | "button" | "image")
        }),
        _ => false,
    };
    if !is_control
        || attribute_name(element, &["placeholder"]) != Name::Empty
        || is_labelled(element)
        || may_be_hidden(element)
        || role(element).is_presentational() && !ignores_presentation(element)
    {
        return;
    }
    let has_label_id = ["aria-labelledby", "slot", "data-label", "label"]
        .iter()
        .any(|name| element.attribute(name).is_some());
    let is_open = has_label_id || is_whole_template(element);
    if is_open && !element.document().is_complete() {
        return;
    }
    let message = format!("`<{}>` without a label", element.tag);
    let help = match label_without_target(element) {
        Some((label, id)) => {
            let line = found.line(label.tag_span());
            format!("add `id=\"{id}\"`: the label on line {line} refers to it")
        }
        None => "add an `id` and a `<label>` with `for`, or `aria-label`".to_owned(),
    };
    let finding = found.at(element.tag_span(), message);
    finding.help(help);
    // Users cannot change the value, and most screen readers do not stop there.
    if element.attribute("disabled").is_some() || element.attribute("readonly").is_some() {
        finding.severity = finding.severity.min(Severity::Info);
    }
}

/// Whether a template or component consists of the element only, so that whoever uses it can add
/// the label. The roots of a script belong to different components.
fn is_whole_template(element: El<'_>) -> bool {
    element.parent().is_none()
        && (element.document().language() == Language::Jsx
            || element.document().roots().filter(|node| matches!(node, Node::Element(_))).count()
                < 2)
}

/// The label before the element whose `for` is the id of no element, and this id.
fn label_without_target(element: El<'_>) -> Option<(El<'_>, &str)> {
    /// Maximum number of elements, so that files with many controls are checked in linear time.
    const MAX: usize = 2_000;
    let elements = || element.document().elements().take(MAX).map(El::new);
    let is_before = |it: &El<'_>| it.tag_span().start < element.tag_span().start;
    let mut labels = elements().take_while(is_before).filter(|it| it.tag == "label");
    let label = labels.by_ref().last()?;
    let id = label.text_of("for").or_else(|| label.text_of("htmlFor"))?;
    let is_next = elements()
        .filter(|it| it.tag_span().start > label.tag_span().start)
        .find(|it| matches!(it.tag, "input" | "select" | "textarea" | "label"))
        .is_some_and(|it| it.tag_span() == element.tag_span());
    (is_next && !elements().any(|it| it.text_of("id") == Some(id))).then_some((label, id))
}

pub(super) fn multiple_labels(element: El<'_>, found: &mut Found<'_, '_>) {
    let document = element.document();
    let is_control = matches!(element.tag, "input" | "select" | "textarea");
    // Where the source does not show the whole page, two labels can exclude each other.
    if !is_control || !document.is_whole() || aria_name(element).is_some() {
        return;
    }
    let is_label = |it: &El<'_>| !may_be_hidden(*it) && content(*it) != Name::Empty;
    let mut labels: Vec<El<'_>> = element
        .text_of("id")
        .into_iter()
        .flat_map(|id| document.labels_for(id).map(El::new).filter(is_label))
        .take(2)
        .collect();
    let outer = element.close_ancestors().find(|outer| outer.tag == "label").filter(is_label);
    labels.extend(outer.filter(|outer| labels.iter().all(|it| it.id() != outer.id())));
    if let [first, second, ..] = &*labels
        && !may_be_hidden(element)
    {
        found
            .at(element.tag_span(), format!("`<{}>` has several labels", element.tag))
            .help("keep one label; refer to other texts by `aria-describedby`")
            .related(first.tag_span(), "a label")
            .related(second.tag_span(), "another label");
    }
}

pub(super) fn iframe_without_title(element: El<'_>, found: &mut Found<'_, '_>) {
    if !matches!(element.tag, "iframe" | "frame") || may_be_hidden(element) {
        return;
    }
    let is_tiny = ["width", "height"]
        .iter()
        .all(|name| element.text_of(name).is_some_and(|size| matches!(size, "0" | "1")));
    let is_removed = element.text_of("tabindex") == Some("-1");
    let is_jsx = element.document().language() == Language::Jsx;
    // React renders no attribute for a truth value.
    let is_boolean = is_jsx && matches!(element.text_of("title"), Some("true" | "false"));
    if (attribute_name(element, &[]) == Name::Empty || is_boolean)
        && !is_tiny
        && !is_removed
        && (!role(element).is_presentational()
            || ignores_presentation(element)
            || element.attribute("title").is_some())
    {
        found
            .at(element.tag_span(), format!("`<{}>` without a title", element.tag))
            .help("state in `title` what the frame contains");
    }
}

pub(super) fn title_as_label(element: El<'_>, found: &mut Found<'_, '_>) {
    let is_control = match element.tag {
        "select" | "textarea" => true,
        "input" => input_type(element).is_some_and(|kind| {
            !matches!(&*kind, "hidden" | "submit" | "reset" | "button" | "image")
        }),
        _ => false,
    };
    let Some(attribute) = element.attribute("title") else { return };
    let is_text = matches!(attribute.value, Value::Static { text, .. } if !is_blank(text));
    if is_control
        && is_text
        && aria_name(element).is_none()
        && !["aria-labelledby", "placeholder", "slot"]
            .iter()
            .any(|name| element.attribute(name).is_some())
        && !element.has_spread()
        && !is_labelled(element)
        && !may_be_hidden(element)
        && !role(element).is_presentational()
    {
        found
            .at(
                attribute.span,
                format!("only `title` names `<{}>`: it is not visible", element.tag),
            )
            .help("add a `<label>`");
    }
}

pub(super) fn empty_heading(element: El<'_>, found: &mut Found<'_, '_>) {
    let is_heading = match role(element) {
        Role::Explicit(name) => name == "heading" && !element.tag.is_empty(),
        Role::Implicit(name) => name == "heading",
        Role::None | Role::Unknown => false,
    };
    if !is_heading || name(element) != Name::Empty || may_be_hidden(element) {
        return;
    }
    // A script fills an empty heading, which it finds by its id or class.
    let is_filled_later = element.document().language() == Language::Html
        && !element.document().is_complete()
        && element.children().next().is_none()
        && element.attributes().iter().any(|attribute| {
            matches!(&*attribute.name, "id" | "class") || attribute.name.starts_with("data-")
        });
    // A placeholder while the content is loading.
    let class = element.text_of("class").unwrap_or_default();
    let is_skeleton = ["pulse", "skeleton", "shimmer"].iter().any(|word| class.contains(word));
    if !is_filled_later && !is_skeleton {
        found
            .at(element.tag_span(), "heading without text")
            .help("add text, or use another element");
    }
}

pub(super) fn ambiguous_link_text(element: El<'_>, found: &mut Found<'_, '_>) {
    const TEXTS: [&str; 6] = ["click here", "here", "link", "a link", "learn more", "read more"];
    // A title can describe the target.
    let has_title = element.text_of("title").is_none_or(|title| !is_blank(title));
    if element.tag != "a" || has_title && element.has("title") || may_be_hidden(element) {
        return;
    }
    let text = match name(element) {
        Name::Present(Some(text)) => Some(text),
        Name::Empty => None,
        _ => text_through_components(element),
    };
    if let Some(text) = text {
        let text = text.trim_matches(|c: char| !c.is_alphanumeric()).to_ascii_lowercase();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if TEXTS.contains(&&*text) {
            found
                .at(
                    element.tag_span(),
                    format!("the text `{text}` does not state where the link leads"),
                )
                .help("name the target in the text of the link");
        }
    }
}

pub(super) fn label_mismatch(element: El<'_>, found: &mut Found<'_, '_>) {
    let is_named_by_content = match role(element) {
        Role::Explicit(name) => {
            aria::role(name).is_some_and(|role| role.is_widget && role.is_named_by_content)
        }
        Role::Implicit(name) => matches!(name, "button" | "link"),
        Role::None | Role::Unknown => false,
    };
    let (label, span) = match (element.value("aria-labelledby"), element.value("aria-label")) {
        (None, Some(Value::Static { text, span })) => (text.to_owned(), span),
        (Some(Value::Static { span, .. }), _) => match aria_name(element) {
            Some(Name::Present(Some(text))) => (text, span),
            _ => return,
        },
        _ => return,
    };
    if !is_named_by_content || element.tag.is_empty() {
        return;
    }
    // The text of an image is not visible.
    let has_image = || element.inner().is_none_or(|inner| inner.iter().any(|it| it.tag == "img"));
    let Name::Present(Some(visible)) = content(element) else { return };
    if has_image() {
        return;
    }
    let words = |text: &str| {
        let letters = text.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' });
        let text: String = letters.flat_map(char::to_lowercase).collect();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let (label_words, visible_words) = (words(&label), words(&visible));
    // One character, such as `×`, is an icon.
    let is_icon =
        visible_words.chars().count() < 2 || is_blank(&label) || visible.contains(['&', '{']);
    if is_icon || format!(" {label_words} ").contains(&format!(" {visible_words} ")) {
        return;
    }
    found
        .at(span, format!("the name `{}` does not contain the visible text `{}`", label.trim(), visible))
        .help("begin `aria-label` with the visible text: speech input uses it; or delete `aria-label`");
}

pub(super) fn fieldset_without_legend(element: El<'_>, found: &mut Found<'_, '_>) {
    if element.tag != "fieldset" || aria_name(element).is_some() || element.has_spread() {
        return;
    }
    let Some(inner) = element.inner() else { return };
    let controls = inner.iter().filter(|child| {
        let kind = (child.tag == "input").then(|| input_type(**child)).flatten();
        matches!(kind.as_deref(), Some("radio" | "checkbox"))
    });
    let may_have_legend = inner.iter().any(|child| matches!(child.tag, "legend" | ""));
    if controls.count() > 1 && !may_have_legend && !matches!(role(element), Role::Explicit(_)) {
        found
            .at(element.tag_span(), "group of options without a name")
            .help("begin the `<fieldset>` with a `<legend>`");
    }
}

pub(super) fn unnamed_widget(element: El<'_>, found: &mut Found<'_, '_>) {
    if element.tag.is_empty() {
        return;
    }
    let Some(found_role) = role(element).name() else { return };
    let is_checked = matches!(
        found_role,
        "alertdialog"
            | "checkbox"
            | "combobox"
            | "dialog"
            | "link"
            | "listbox"
            | "menuitem"
            | "menuitemcheckbox"
            | "menuitemradio"
            | "meter"
            | "option"
            | "progressbar"
            | "radio"
            | "searchbox"
            | "slider"
            | "spinbutton"
            | "switch"
            | "tab"
            | "textbox"
            | "tooltip"
            | "treeitem"
    );
    let is_native =
        implicit(element) == Role::Implicit(aria::role(found_role).map_or("", |r| r.name));
    let is_covered = is_native && !matches!(element.tag, "dialog" | "meter" | "progress");
    if !is_checked || is_covered || matches!(element.tag, "input" | "select" | "textarea") {
        return;
    }
    let Some(known) = aria::role(found_role) else { return };
    let own = if known.is_named_by_content { name(element) } else { attribute_name(element, &[]) };
    // Whoever renders a `<dialog>` can name it.
    if own != Name::Empty
        || may_be_hidden(element)
        || !known.needs_name && !matches!(found_role, "tab" | "tooltip")
    {
        return;
    }
    if matches!(element.tag, "meter" | "progress") && is_labelled(element) {
        return;
    }
    found
        .at(element.tag_span(), format!("element with the role `{found_role}` without a name"))
        .help("add `aria-label`, or `aria-labelledby` with the id of its title");
}
