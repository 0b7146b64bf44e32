//! The roles of elements: those in the source, and those that HTML implies.

use super::aria;
use super::element::El;
use aidd_markup::{Language, Value};

/// The role of an element as far as the source shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role<'d> {
    /// The attribute `role` has this known value.
    Explicit(&'d str),
    /// HTML implies this role.
    Implicit(&'static str),
    /// The element has no role.
    None,
    /// The role is known only when the program runs.
    Unknown,
}

impl<'d> Role<'d> {
    /// The name, if it is known.
    pub(super) fn name(self) -> Option<&'d str> {
        match self {
            Self::Explicit(name) => Some(name),
            Self::Implicit(name) => Some(name),
            Self::None | Self::Unknown => None,
        }
    }

    pub(super) fn is_presentational(self) -> bool {
        matches!(self, Self::Explicit("none" | "presentation"))
    }
}

/// Whether browsers ignore `role="none"` on the element, because the keyboard reaches it or because of
/// an attribute that applies to all roles. Where the source does not show the whole page, `false`.
pub(super) fn ignores_presentation(element: El<'_>) -> bool {
    let has_global = || {
        ["aria-live", "aria-describedby", "aria-owns", "aria-controls", "aria-atomic", "aria-busy"]
            .iter()
            .any(|name| element.attribute(name).is_some())
    };
    // HTML allows the role on frames, although the keyboard reaches their content.
    let is_frame =
        matches!(element.tag, "iframe" | "frame") && element.attribute("tabindex").is_none();
    element.document().is_complete()
        && (!is_frame && is_focusable(element) == Some(true) || has_global())
}

/// The role of an element: the first valid word of the attribute `role`, or the implied role.
pub(super) fn role<'d>(element: El<'d>) -> Role<'d> {
    match element.value("role") {
        Some(Value::Static { text, .. }) => {
            let mut words = text.split_ascii_whitespace();
            let valid = words.find(|word| aria::role(word).is_some_and(|role| !role.is_abstract));
            valid.map_or_else(|| implicit(element), Role::Explicit)
        }
        Some(Value::Dynamic { .. }) => Role::Unknown,
        _ if element.has_spread() => Role::Unknown,
        _ => implicit(element),
    }
}

/// The role that HTML implies.
pub(super) fn implicit(element: El<'_>) -> Role<'static> {
    let has = |name: &str| element.attribute(name).is_some();
    Role::Implicit(match element.tag {
        "a" | "area" if has("href") => "link",
        "a" | "area" if has_unknown_target(element) => return Role::Unknown,
        "article" => "article",
        "aside" => "complementary",
        "blockquote" => "blockquote",
        "button" | "summary" => "button",
        "caption" => "caption",
        "code" => "code",
        "datalist" => "listbox",
        "dd" => "definition",
        "del" => "deletion",
        "details" | "fieldset" | "optgroup" | "address" | "hgroup" => "group",
        "dfn" | "dt" => "term",
        "dialog" => "dialog",
        "em" => "emphasis",
        "figure" => "figure",
        "form" => "form",
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => "heading",
        "hr" => "separator",
        "html" => "document",
        "img" => return image(element),
        "input" => return input(element),
        "ins" => "insertion",
        "li" => "listitem",
        "main" => "main",
        "math" => "math",
        "menu" | "ol" | "ul" => "list",
        "meter" => "meter",
        "nav" => "navigation",
        "option" => "option",
        "output" => "status",
        "p" => "paragraph",
        "progress" => "progressbar",
        "search" => "search",
        "select" => return select(element),
        "strong" => "strong",
        "sub" => "subscript",
        "sup" => "superscript",
        "table" => "table",
        "tbody" | "tfoot" | "thead" => "rowgroup",
        "td" => "cell",
        "textarea" => "textbox",
        "th" => "columnheader",
        "time" => "time",
        "tr" => "row",
        "b" | "bdi" | "bdo" | "data" | "div" | "i" | "pre" | "q" | "s" | "samp" | "small"
        | "span" | "u" => "generic",
        _ => return Role::None,
    })
}

/// Whether a directive of a router can add the attribute `href`.
fn has_unknown_target(element: El<'_>) -> bool {
    element.has_spread()
        || element.attribute("routerlink").is_some()
        // The target of a link of a router.
        || !element.is_native() && element.attribute("to").is_some()
}

fn image(element: El<'_>) -> Role<'static> {
    match element.value("alt") {
        Some(value) if value.text() == Some("") => Role::Implicit("presentation"),
        Some(Value::Dynamic { .. }) => Role::Unknown,
        _ => Role::Implicit("img"),
    }
}

fn select(element: El<'_>) -> Role<'static> {
    let is_jsx = element.document().language() == Language::Jsx;
    let size = element.value("size").filter(|value| !matches!(value, Value::Absent));
    let size = size.map(|value| value.text().map(str::to_owned));
    match (element.value("multiple"), size) {
        (Some(Value::Dynamic { .. }), _) | (_, Some(None)) => Role::Unknown,
        (Some(Value::Static { text: "false" | "", .. }), _) if is_jsx => Role::Implicit("combobox"),
        (Some(Value::Empty | Value::Static { .. }), _) => Role::Implicit("listbox"),
        (_, Some(Some(size))) if size.parse::<u32>().is_ok_and(|size| size > 1) => {
            Role::Implicit("listbox")
        }
        _ => Role::Implicit("combobox"),
    }
}

fn input(element: El<'_>) -> Role<'static> {
    let Some(kind) = input_type(element) else { return Role::Unknown };
    let list = element.attribute("list").is_some();
    Role::Implicit(match &*kind {
        "button" | "image" | "reset" | "submit" => "button",
        "checkbox" => "checkbox",
        "radio" => "radio",
        "range" => "slider",
        "number" => "spinbutton",
        "search" if !list => "searchbox",
        "hidden" | "color" | "date" | "datetime-local" | "file" | "month" | "password" | "time"
        | "week" => return Role::None,
        _ if list => "combobox",
        _ => "textbox",
    })
}

/// The type of an input in lower case; `None` if it is unknown.
pub(super) fn input_type(element: El<'_>) -> Option<String> {
    match element.value("type") {
        Some(Value::Dynamic { .. }) => None,
        Some(value) => Some(value.text().unwrap_or("text").trim().to_ascii_lowercase()),
        None if element.has_spread() => None,
        None => Some("text".to_owned()),
    }
}

/// Whether HTML makes the element operable with the keyboard; `None` if this is unknown.
pub(super) fn is_natively_interactive(element: El<'_>) -> Option<bool> {
    match element.tag {
        "a" | "area" => match element.attribute("href") {
            Some(_) => Some(true),
            None if has_unknown_target(element) => None,
            None => Some(false),
        },
        "button" | "select" | "textarea" | "summary" | "iframe" | "embed" => Some(true),
        "input" => input_type(element).map(|kind| kind != "hidden"),
        "audio" | "video" => match element.value("controls") {
            Some(Value::Dynamic { .. }) => None,
            Some(_) => Some(true),
            None if element.has_spread() => None,
            None => Some(false),
        },
        _ => Some(false),
    }
}

/// Whether the keyboard can reach the element; `None` if this is unknown.
pub(super) fn is_focusable(element: El<'_>) -> Option<bool> {
    if element.attribute("disabled").is_some() {
        return None;
    }
    let tabindex = element.value("tabindex").filter(|value| !matches!(value, Value::Absent));
    match tabindex.map(|value| value.text().and_then(|text| text.trim().parse::<i32>().ok())) {
        Some(Some(index)) => Some(index >= 0),
        Some(None) => None,
        None if element.has_spread() => None,
        None if element.tag.is_empty() => None,
        None => is_natively_interactive(element),
    }
}
