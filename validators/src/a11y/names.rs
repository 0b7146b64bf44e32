//! Accessible names, computed from the source as far as it shows them.

use super::element::El;
use super::roles::{Role, role};
use aidd_markup::{Attribute, AttributeKind, Element, Language, Node, Value};

/// The name of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// The element has no name.
    Empty,
    /// The element has a name; its text, if the source shows it.
    Present(Option<String>),
    /// Whether the element has a name is known only when the program runs.
    Unknown,
}

/// Maximum number of nodes whose text is part of a name. A larger content counts as a name.
const MAX_NODES: usize = 200;

/// Libraries whose components are icons without text.
const ICON_LIBRARIES: [&str; 14] = [
    "@ant-design/icons",
    "@fluentui/react-icons",
    "@heroicons/",
    "@mui/icons-material",
    "@phosphor-icons/",
    "@radix-ui/react-icons",
    "@remixicon/",
    "@tabler/icons",
    "lucide-",
    "phosphor-react",
    "react-bootstrap-icons",
    "react-feather",
    "react-icons/",
    "@lucide/",
];

/// Names of icon components that are used without an import.
const ICONS: [&str; 9] = [
    "fa-icon",
    "font-awesome-icon",
    "FontAwesomeIcon",
    "i-bs",
    "mat-icon",
    "v-icon",
    "q-icon",
    "clr-icon",
    "fluent-icon",
];

/// The name from the attributes `aria-labelledby` and `aria-label`; `None` without them. On a page
/// that the source shows completely, ids are resolved.
pub(super) fn aria_name(element: El<'_>) -> Option<Name> {
    if let Some(ids) = element.text_of("aria-labelledby").filter(|ids| !is_blank(ids))
        && element.document().is_complete()
    {
        match name_of_ids(element, ids) {
            // `aria-label` applies if no id leads to text.
            Name::Empty => {
                let label = element.text_of("aria-label").filter(|label| !is_blank(label));
                return label.map(|label| Name::Present(Some(label.to_owned())));
            }
            name => return Some(name),
        }
    }
    written_aria_name(element)
}

/// The texts of the elements with these ids.
fn name_of_ids(element: El<'_>, ids: &str) -> Name {
    /// Maximum number of ids.
    const MAX: usize = 16;
    let mut texts: Vec<String> = Vec::new();
    let mut is_unknown = false;
    for id in ids.split_ascii_whitespace().take(MAX) {
        let Some(target) = element.document().by_id(id).map(El::new) else { continue };
        // A hidden element names others with all of its text.
        if may_be_hidden(target) {
            is_unknown |= target.children().next().is_some();
            continue;
        }
        let name = match written_aria_name(target) {
            // The selected option.
            None if target.tag == "select" => Name::Unknown,
            None if matches!(target.tag, "img" | "input" | "textarea") => {
                attribute_name(target, &["alt", "value"])
            }
            None => content_without(target, Some(element)),
            Some(name) => name,
        };
        match name {
            Name::Empty => {}
            Name::Present(Some(text)) => texts.push(text),
            Name::Present(None) | Name::Unknown => is_unknown = true,
        }
    }
    match (texts.is_empty(), is_unknown) {
        (true, true) => Name::Unknown,
        (true, false) => Name::Empty,
        (false, true) => Name::Present(None),
        (false, false) => Name::Present(Some(texts.join(" "))),
    }
}

/// Whether a `<label>` names the element: one that contains it, or one that refers to its id. Where
/// the source does not show all labels, an id or a component around the element counts as one.
pub(super) fn is_labelled(element: El<'_>) -> bool {
    // Razor and Thymeleaf give the control an id and its labels a `for`.
    let is_th_field = || element.value("field").is_some_and(Value::is_dynamic);
    if element.has("asp-for") || is_th_field() {
        return true;
    }
    let document = element.document();
    if !document.is_complete() {
        // A component can render a label.
        return element.attribute("id").is_some()
            || element.close_ancestors().any(|outer| matches!(outer.tag, "label" | ""));
    }
    let names = |label: El<'_>| content_without(label, Some(element)) != Name::Empty;
    element.close_ancestors().any(|outer| outer.tag == "label" && names(outer))
        || element.text_of("id").is_some_and(|id| document.labels_for(id).map(El::new).any(names))
}

/// Whether an element without label is in components of JSX that do not name it: one whose only child
/// it is can add attributes, and the name of another shows that it renders a label or a tooltip.
pub(super) fn is_in_plain_component(element: El<'_>) -> bool {
    const WORDS: [&str; 8] =
        ["Label", "Field", "Tooltip", "ToolTip", "FormItem", "FormControl", "Hint", "Provider"];
    let is_clone = || {
        let is_node = |node: &Node<'_>| !matches!(node, Node::Text(text, _) if is_blank(text));
        element.parent_el().is_some_and(|outer| {
            !outer.is_native() && outer.children().filter(is_node).count() == 1
        })
    };
    let can_name = |outer: El<'_>| {
        outer.tag == "label"
            || !outer.is_native() && WORDS.iter().any(|word| outer.name().contains(word))
    };
    element.document().language() == Language::Jsx
        && !element.has("id")
        && is_labelled(element)
        && !is_clone()
        && !element.close_ancestors().any(can_name)
}

/// The name from the attributes `aria-labelledby` and `aria-label` without following ids.
fn written_aria_name(element: El<'_>) -> Option<Name> {
    for attribute in ["aria-labelledby", "aria-label"] {
        match element.value(attribute) {
            Some(Value::Dynamic { .. }) => return Some(Name::Unknown),
            Some(Value::Static { text, .. }) if !is_blank(text) => {
                let text = (attribute == "aria-label").then(|| text.trim().to_owned());
                return Some(Name::Present(text));
            }
            _ => {}
        }
    }
    None
}

/// The name from `aria-*`, then from the attribute `native` (such as `alt`), then from `title`.
pub(super) fn attribute_name(element: El<'_>, native: &[&str]) -> Name {
    if let Some(name) = aria_name(element) {
        return name;
    }
    for attribute in native.iter().chain(&["title"]) {
        match element.value(attribute) {
            Some(Value::Dynamic { .. }) => return Name::Unknown,
            Some(Value::Static { text, .. }) if !is_blank(text) => {
                return Name::Present(Some(text.trim().to_owned()));
            }
            _ => {}
        }
    }
    if is_open(element) { Name::Unknown } else { Name::Empty }
}

/// Whether attributes or directives that the source does not show can name the element.
pub(super) fn is_open(element: El<'_>) -> bool {
    // The root element of a Vue component gets the attributes of the component.
    let is_vue_root = element.document().language() == Language::Vue
        && element
            .parent_el()
            .is_some_and(|parent| parent.name() == "template" && parent.parent_el().is_none());
    if is_vue_root {
        return true;
    }
    const KNOWN: [&str; 14] = [
        "v-if",
        "v-else",
        "v-else-if",
        "v-show",
        "v-for",
        "v-model",
        "v-on",
        "v-once",
        "v-memo",
        "v-cloak",
        "v-slot",
        "x-show",
        "x-data",
        "x-cloak",
    ];
    let is_unknown = |attribute: &Attribute<'_>| {
        let name = attribute.name.split('.').next().unwrap_or_default();
        let is_custom = name.starts_with("v-") || name.starts_with("use:");
        attribute.kind == AttributeKind::Directive
            && is_custom
            && !KNOWN.contains(&name)
            && !name.starts_with("v-slot")
    };
    element.has_spread() || element.attributes().iter().any(is_unknown)
}

/// The name of an element that its content can name: `title` counts only without content.
pub(super) fn name(element: El<'_>) -> Name {
    if matches!(element.tag, "img" | "area") {
        return attribute_name(element, &["alt"]);
    }
    if let Some(name) = aria_name(element) {
        return name;
    }
    if is_open(element) {
        return Name::Unknown;
    }
    // A component adds the content of an element that it gets as an attribute.
    let is_filled = element.is_in_attribute() && element.children().next().is_none();
    match content(element) {
        Name::Empty => match attribute_name(element, &[]) {
            Name::Empty if is_filled => Name::Unknown,
            name => name,
        },
        Name::Unknown if element.text_of("title").is_some_and(|title| !is_blank(title)) => {
            Name::Present(None)
        }
        name => name,
    }
}

/// The text of the content.
pub(super) fn content(element: El<'_>) -> Name {
    content_without(element, None)
}

/// The text of the content without that of the control that it names.
pub(super) fn content_without(element: El<'_>, control: Option<El<'_>>) -> Name {
    let mut text = String::new();
    let mut is_static = true;
    let mut is_unknown = element.has_kind(AttributeKind::Content);
    let mut pending: Vec<Node<'_>> = element.children().collect();
    pending.reverse();
    let mut visited = 0;
    while let Some(node) = pending.pop() {
        visited += 1;
        if visited > MAX_NODES {
            return Name::Present(None);
        }
        match node {
            Node::Text(found, _) if is_blank(found) => {}
            Node::Text(found, _) => {
                text.push_str(found);
                text.push(' ');
            }
            Node::Block(block) => {
                is_unknown |= block.may_be_text;
                is_static = false;
                push_reversed(&mut pending, block.children());
            }
            Node::Slot(_) => {}
            Node::Element(child) => {
                if control.is_some_and(|control| *control == child) {
                    continue;
                }
                let child = El::new(child);
                match contribution(child) {
                    Contribution::Nothing => {}
                    Contribution::Content => {
                        is_static &= !child.has_kind(AttributeKind::Directive);
                        push_reversed(&mut pending, child.children());
                    }
                    Contribution::Text(found) => {
                        text.push_str(found);
                        text.push(' ');
                    }
                    Contribution::Unknown => is_unknown = true,
                }
            }
        }
    }
    match (text.is_empty(), is_unknown) {
        (false, true) => Name::Present(None),
        (false, false) => Name::Present(is_static.then(|| text.trim().to_owned())),
        (true, true) => Name::Unknown,
        (true, false) => Name::Empty,
    }
}

/// The text of the content if components render the text inside of them, as in `<a><Text>Read
/// more</Text></a>`; `None` if another part of the content is unknown.
pub(super) fn text_through_components(element: El<'_>) -> Option<String> {
    if attribute_name(element, &[]) != Name::Empty {
        return None;
    }
    let mut text = String::new();
    let mut pending: Vec<Node<'_>> = element.children().collect();
    pending.reverse();
    for _ in 0..MAX_NODES {
        let Some(node) = pending.pop() else { return Some(text) };
        match node {
            Node::Text(found, _) => {
                text.push_str(found);
                text.push(' ');
            }
            Node::Block(_) | Node::Slot(_) => return None,
            Node::Element(child) => {
                let child = El::new(child);
                let is_wrapper = !child.has_spread()
                    && attribute_name(child, &["label", "text", "content", "alt"]) == Name::Empty
                    && child.children().any(|node| !matches!(node, Node::Slot(_)));
                match contribution(child) {
                    Contribution::Nothing => {}
                    Contribution::Text(found) => {
                        text.push_str(found);
                        text.push(' ');
                    }
                    Contribution::Unknown if !(child.tag.is_empty() && is_wrapper) => return None,
                    Contribution::Content | Contribution::Unknown => {
                        push_reversed(&mut pending, child.children());
                    }
                }
            }
        }
    }
    None
}

fn push_reversed<'d>(pending: &mut Vec<Node<'d>>, children: impl Iterator<Item = Node<'d>>) {
    let at = pending.len();
    pending.extend(children);
    pending[at..].reverse();
}

/// What an element contributes to the name of the element that contains it.
enum Contribution<'d> {
    Nothing,
    Text(&'d str),
    Content,
    Unknown,
}

fn contribution(element: El<'_>) -> Contribution<'_> {
    if is_aria_hidden(element) || element.attribute("hidden").is_some() {
        return Contribution::Nothing;
    }
    // Elsewhere, a script may show it.
    if element.document().is_complete() && is_hidden_by_style(*element) {
        return Contribution::Nothing;
    }
    if is_icon(element) {
        return Contribution::Nothing;
    }
    if element.tag == "template" && element.document().language() == Language::Vue {
        return Contribution::Content;
    }
    if element.tag.is_empty() || matches!(element.tag, "object" | "iframe" | "template") {
        return Contribution::Unknown;
    }
    if element.has_kind(AttributeKind::Content) || is_open(element) {
        return Contribution::Unknown;
    }
    match written_aria_name(element) {
        Some(Name::Present(_)) => {
            return element.text_of("aria-label").map_or(Contribution::Unknown, Contribution::Text);
        }
        Some(Name::Unknown) => return Contribution::Unknown,
        _ => {}
    }
    if element.tag == "img" && matches!(role(element), Role::Explicit("none" | "presentation")) {
        return Contribution::Nothing;
    }
    let native = match element.tag {
        "img" | "area" => "alt",
        "input" if element.text_of("type") == Some("hidden") => return Contribution::Nothing,
        "input" => "value",
        "style" | "script" => return Contribution::Nothing,
        _ => "title",
    };
    match element.value(native) {
        Some(Value::Dynamic { .. }) => Contribution::Unknown,
        Some(Value::Static { text, .. }) if !is_blank(text) => Contribution::Text(text),
        // The rule on images reports a missing `alt`.
        None if element.tag == "img" => Contribution::Unknown,
        _ if matches!(element.tag, "select" | "textarea" | "input" | "video" | "audio") => {
            Contribution::Unknown
        }
        _ => Contribution::Content,
    }
}

/// Whether the source hides the element from screen readers.
pub(super) fn is_aria_hidden(element: El<'_>) -> bool {
    match element.value("aria-hidden") {
        // In JSX, a property without value is `true`.
        Some(Value::Empty) => element.document().language() == Language::Jsx,
        value => value.and_then(Value::text).map(str::trim) == Some("true"),
    }
}

/// Whether a component renders an icon without text.
pub(super) fn is_icon(element: El<'_>) -> bool {
    if element.is_native() || element.has_spread() {
        return false;
    }
    let name = element.name();
    let has_text = ["aria-label", "title", "label", "text", "alt", "children", "titleaccess"];
    if has_text.iter().any(|attribute| element.attribute(attribute).is_some()) {
        return false;
    }
    if ICONS.contains(&name) {
        return true;
    }
    let root = name.split('.').next().unwrap_or(name);
    let module = element.document().import_of(root);
    let is_from_library = module
        .is_some_and(|module| ICON_LIBRARIES.iter().any(|library| module.starts_with(library)));
    if is_from_library {
        return true;
    }
    let has_children = element.children().any(|node| !matches!(node, Node::Slot(_)));
    let is_jsx = element.document().language() == Language::Jsx;
    is_jsx && !has_children && name.ends_with("Icon") && module.is_some()
}

/// Whether the text renders nothing: only white space, also as character references.
pub(super) fn is_blank(text: &str) -> bool {
    let mut rest = text.trim();
    while let Some(stripped) = ["&nbsp;", "&#160;", "&#xa0;", "&ensp;", "&emsp;", "&thinsp;"]
        .iter()
        .find_map(|entity| rest.strip_prefix(entity))
    {
        rest = stripped.trim_start();
    }
    rest.is_empty()
}

/// Whether the element or an element that contains it is not rendered, or not for screen readers; also
/// if this may be so.
pub(super) fn may_be_hidden(element: El<'_>) -> bool {
    let is_hidden = |element: El<'_>| {
        let aria = element.value("aria-hidden");
        aria.is_some_and(|value| value.text() != Some("false"))
            || element.attribute("hidden").is_some()
            || element.attribute("inert").is_some()
            || element.tag == "template" && element.document().language() == Language::Html
            || is_hidden_by_style(*element)
    };
    is_hidden(element) || element.close_ancestors().any(is_hidden)
}

pub(super) fn is_hidden_by_style(element: Element<'_>) -> bool {
    /// Maximum length of a value, because each element inside looks at it.
    const MAX: usize = 2_000;
    // The words of an expression, such as `{ display: "none" }`, count too.
    let words = |name| {
        let text = match element.value(name) {
            Some(Value::Static { text, .. }) => text,
            Some(Value::Dynamic { span }) => element.document().slice(span),
            _ => "",
        };
        &text[..text.floor_char_boundary(MAX)]
    };
    let style = words("style");
    let is_hidden = style.contains("display") && style.contains("none")
        || style.contains("visibility") && style.contains("hidden");
    const CLASSES: [&str; 8] = [
        "hidden",
        "d-none",
        "hide",
        "invisible",
        "is-hidden",
        "honeypot",
        "uk-hidden",
        "display-none",
    ];
    let mut classes =
        words("class").split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_' | ':'));
    is_hidden || classes.any(|class| CLASSES.contains(&class))
}
