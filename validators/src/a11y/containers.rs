//! Rules on roles that belong together: containers, their items, and attributes that depend on them.

use super::Found;
use super::element::El;
use super::names::{Name, content, may_be_hidden};
use super::roles::{Role, input_type, role};
use aidd_markup::{AttributeKind, Language, Node, Value};

/// Roles, and the roles that must contain them.
const CONTAINERS: &[(&str, &[&str])] = &[
    ("cell", &["row"]),
    ("columnheader", &["row"]),
    ("gridcell", &["row"]),
    ("listitem", &["list", "directory"]),
    ("menuitem", MENUS),
    ("menuitemcheckbox", MENUS),
    ("menuitemradio", MENUS),
    ("option", &["listbox"]),
    ("row", &["grid", "rowgroup", "table", "treegrid"]),
    ("rowgroup", &["grid", "table", "treegrid"]),
    ("rowheader", &["row"]),
    ("tab", &["tablist"]),
    ("treeitem", &["tree", "treeitem"]),
];

const MENUS: &[&str] = &["menu", "menubar"];

/// Roles, and the roles that they can contain. All roles are allowed inside the items.
const ITEMS: &[(&str, &[&str])] = &[
    ("feed", &["article"]),
    ("grid", ROWS),
    ("list", &["listitem"]),
    ("listbox", &["group", "option"]),
    ("menu", MENU_ITEMS),
    ("menubar", MENU_ITEMS),
    ("row", &["cell", "columnheader", "gridcell", "rowheader"]),
    ("rowgroup", &["row"]),
    ("table", ROWS),
    ("tablist", &["tab"]),
    ("tree", &["group", "treeitem"]),
    ("treegrid", ROWS),
];

const ROWS: &[&str] = &["caption", "row", "rowgroup"];
const MENU_ITEMS: &[&str] =
    &["group", "menuitem", "menuitemcheckbox", "menuitemradio", "none", "separator"];

fn roles_of(
    table: &[(&str, &'static [&'static str])],
    name: &str,
) -> Option<&'static [&'static str]> {
    table.iter().find(|(role, _)| *role == name).map(|&(_, roles)| roles)
}

/// Whether the element has no meaning of its own for screen readers.
fn is_generic(role: Role<'_>) -> bool {
    role == Role::None || role.is_presentational() || role.name() == Some("generic")
}

/// What surrounds an item.
enum Around<'d> {
    /// A container for it, or parts that the source does not show.
    Allowed,
    /// The closest element with another role.
    Other(El<'d>),
    /// The page ends before a container.
    Nothing,
}

fn around<'d>(element: El<'d>, item: &str, containers: &[&str]) -> Around<'d> {
    /// Maximum number of elements between an item and its container.
    const MAX: usize = 32;
    let can_be_grouped = matches!(item, "option" | "treeitem") || item.starts_with("menuitem");
    let mut is_grouped = false;
    for (depth, outer) in element.close_ancestors().enumerate() {
        let role = role(outer);
        if outer.tag.is_empty() || outer.has_spread() || role == Role::Unknown || depth > MAX {
            return Around::Allowed;
        }
        match role.name() {
            _ if is_generic(role) && is_exposed(outer) && outer.document().is_complete() => {
                return Around::Other(outer);
            }
            _ if is_generic(role) || outer.is_foreign() => {}
            Some("document") => {}
            Some(name) if containers.contains(&name) => return Around::Allowed,
            Some("group") if can_be_grouped => is_grouped = true,
            // A submenu belongs to the item before it.
            Some(name) if is_grouped && name == item => return Around::Other(outer),
            _ => return Around::Other(outer),
        }
    }
    if element.document().is_complete() { Around::Nothing } else { Around::Allowed }
}

/// Whether `aria-owns` moves the element, or one that contains it, into a container for it.
fn is_owned(element: El<'_>, containers: &[&str]) -> bool {
    let ids: Vec<&str> = std::iter::once(element)
        .chain(element.close_ancestors())
        .filter_map(|element| element.text_of("id"))
        .collect();
    element.document().elements().map(El::new).any(|owner| match owner.value("aria-owns") {
        Some(Value::Dynamic { .. }) => true,
        Some(Value::Static { text, .. }) => {
            text.split_ascii_whitespace().any(|id| ids.contains(&id))
                && role(owner).name().is_none_or(|name| containers.contains(&name))
        }
        _ => false,
    })
}

pub(super) fn role_outside_container(element: El<'_>, found: &mut Found<'_, '_>) {
    let Some(attribute) = element.attribute("role") else { return };
    let Role::Explicit(name) = role(element) else { return };
    let Some(containers) = roles_of(CONTAINERS, name) else { return };
    if element.tag.is_empty() {
        return;
    }
    let other = match around(element, name, containers) {
        Around::Allowed => return,
        Around::Other(other) => Some(other),
        Around::Nothing => None,
    };
    if may_be_hidden(element) || is_owned(element, containers) {
        return;
    }
    let needed: Vec<String> = containers.iter().map(|name| format!("`{name}`")).collect();
    let finding = found.at(attribute.span, format!("the role `{name}` has no effect here"));
    finding.help(format!("put the element into one with the role {}", needed.join(" or ")));
    if let Some(other) = other {
        finding.related(other.tag_span(), "the closest element with a role");
    }
}

/// What a container contains.
enum Content<'d> {
    /// Items, or parts that the source does not show.
    Allowed,
    /// An element whose role does not belong there.
    Stray(El<'d>),
    /// Neither items nor other elements with a role.
    Empty,
}

/// Looks for an element in a container whose role does not belong there.
fn content_of<'d>(element: El<'d>, items: &[&str]) -> Content<'d> {
    /// Maximum number of nodes, so that nested containers are checked in linear time.
    const MAX: usize = 500;
    let is_complete = element.document().is_complete();
    let mut stray = None;
    let mut has_item = false;
    let mut pending: Vec<Node<'d>> = element.children().collect();
    pending.extend(owned(element).map(Node::Element));
    for _ in 0..MAX {
        let Some(node) = pending.pop() else {
            return match stray {
                Some(stray) => Content::Stray(stray),
                None if has_item || !is_complete => Content::Allowed,
                None => Content::Empty,
            };
        };
        match node {
            Node::Text(..) | Node::Slot(_) => {}
            Node::Block(block) => pending.extend(block.children()),
            Node::Element(child) => {
                let child = El::new(child);
                let role = role(child);
                if matches!(child.tag, "script" | "style" | "template" | "slot" | "noscript")
                    || child.tag.is_empty()
                    || child.has_spread()
                    || role == Role::Unknown
                    || may_be_hidden(child)
                {
                    has_item |= !matches!(child.tag, "script" | "style" | "template");
                    continue;
                }
                match role.name() {
                    // Its items are those of the container.
                    Some("group") if items.contains(&"group") => pending.extend(child.children()),
                    Some("group") if is_complete => stray = Some(child),
                    Some(name) if items.contains(&name) => has_item = true,
                    // The attribute gives the element a meaning of its own.
                    _ if is_complete && is_generic(role) && is_exposed(child) => {
                        stray = Some(child);
                    }
                    Some("group") | None if !child.is_foreign() => pending.extend(child.children()),
                    _ if is_generic(role) => pending.extend(child.children()),
                    Some(_) if is_item_like(role) => stray = Some(child),
                    _ => {}
                }
            }
        }
    }
    Content::Allowed
}

/// The elements that `aria-owns` moves into the element.
fn owned<'d>(element: El<'d>) -> impl Iterator<Item = aidd_markup::Element<'d>> {
    let ids = element.text_of("aria-owns").unwrap_or_default();
    ids.split_ascii_whitespace().filter_map(move |id| element.document().by_id(id))
}

/// Whether an attribute makes screen readers announce an element without a role.
fn is_exposed(element: El<'_>) -> bool {
    ["aria-busy", "aria-live", "tabindex"].iter().any(|name| element.attribute(name).is_some())
}

/// Whether the role makes an element in a container an item of another kind. Texts, images and the
/// like do not disturb the container.
fn is_item_like(role: Role<'_>) -> bool {
    !matches!(
        role.name(),
        Some(
            "paragraph"
                | "img"
                | "status"
                | "alert"
                | "separator"
                | "strong"
                | "emphasis"
                | "code"
                | "time"
                | "caption"
                | "tooltip"
                | "progressbar"
                | "log"
                | "insertion"
                | "deletion"
                | "subscript"
                | "superscript"
                | "term"
                | "definition"
                | "blockquote"
                | "figure"
        )
    )
}

/// The names of roles, in words.
fn listed(names: &[&str]) -> String {
    let names = names.iter().filter(|name| **name != "none");
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

pub(super) fn role_with_other_items(element: El<'_>, found: &mut Found<'_, '_>) {
    let Some(attribute) = element.attribute("role") else { return };
    let Role::Explicit(name) = role(element) else { return };
    let Some(items) = roles_of(ITEMS, name) else { return };
    let is_open = element.has_spread()
        || element.has_kind(AttributeKind::Content)
        || element.attribute("aria-owns").is_some() && !element.document().is_complete()
        || element.text_of("aria-busy") == Some("true");
    if element.tag.is_empty() || is_open || may_be_hidden(element) {
        return;
    }
    let stray = match content_of(element, items) {
        Content::Allowed => return,
        Content::Stray(stray) => stray,
        // A script or the server fills an empty container later.
        Content::Empty if name != "row" && content(element) == Name::Empty => return,
        Content::Empty => {
            found
                .at(attribute.span, format!("the element with the role `{name}` contains no items"))
                .help(format!("give the elements inside one of the roles {}", listed(items)));
            return;
        }
    };
    let what = match role(stray) {
        Role::Explicit(role) => format!("an element with the role `{role}`"),
        _ => format!("`<{}>`", stray.tag),
    };
    found
        .at(attribute.span, format!("the role `{name}` does not allow {what} inside"))
        .help(format!("give the items one of the roles {}, or `none`", listed(items)))
        .related(stray.tag_span(), "the other element");
}

pub(super) fn conditional_aria_attribute(element: El<'_>, found: &mut Found<'_, '_>) {
    if element.tag == "input" {
        return contradictory_checked(element, found);
    }
    if role(element).name() != Some("row") || element.has_spread() {
        return;
    }
    let written = ["aria-expanded", "aria-level", "aria-posinset", "aria-setsize"]
        .iter()
        .find_map(|name| element.attribute(name));
    let Some(attribute) = written.filter(|it| !matches!(it.value, Value::Absent)) else { return };
    if !matches!(around(element, "row", &["treegrid"]), Around::Other(table)
        if matches!(role(table).name(), Some("grid" | "table")))
    {
        return;
    }
    found
        .at(
            attribute.span,
            format!("`{}` applies only to the rows of a `treegrid`", attribute.name),
        )
        .help("delete the attribute, or use the role `treegrid`");
}

/// Reports `aria-checked` on a checkbox of HTML, whose state it cannot change.
fn contradictory_checked(element: El<'_>, found: &mut Found<'_, '_>) {
    let Some(Value::Static { text, span }) = element.value("aria-checked") else { return };
    if input_type(element).as_deref() != Some("checkbox") || element.attribute("role").is_some() {
        return;
    }
    let is_checked = element.attribute("checked").is_some();
    let is_contradiction = match text {
        "mixed" => true,
        "true" => !is_checked,
        "false" => is_checked,
        _ => false,
    };
    // Elsewhere, `checked` is set by other means too.
    let is_known = text == "mixed"
        || element.document().language() == Language::Html
            && element.attributes().iter().all(|it| it.kind == AttributeKind::Plain);
    if is_contradiction && is_known {
        found
            .at(span, "browsers ignore `aria-checked` on a checkbox, which has a state of its own")
            .help("delete `aria-checked`, and set `checked` or the property `indeterminate`");
    }
}

pub(super) fn invalid_table_headers(element: El<'_>, found: &mut Found<'_, '_>) {
    let Some(Value::Static { text, span }) = element.value("headers") else { return };
    let is_cell = matches!(element.tag, "td" | "th");
    let table = element.close_ancestors().find(|outer| matches!(outer.tag, "table" | ""));
    let Some(table) = table.filter(|table| table.tag == "table" && is_cell) else { return };
    let is_table = match role(table) {
        Role::Explicit("none" | "presentation") => table.attribute("tabindex").is_some(),
        Role::Explicit(name) => matches!(name, "table" | "grid" | "treegrid"),
        Role::Implicit(_) => true,
        _ => false,
    };
    let Some(inner) = table.inner().filter(|_| is_table && !may_be_hidden(element)) else { return };
    // A cell that the source does not show can have the id.
    let is_open = element.document().is_templated()
        || inner.iter().any(|cell| {
            cell.tag.is_empty()
                || cell.has_spread()
                || cell.value("id").is_some_and(Value::is_dynamic)
        });
    for id in text.split_ascii_whitespace() {
        let header = inner.iter().find(|cell| cell.text_of("id") == Some(id));
        let problem = match header {
            None if is_open => continue,
            None => format!("the table has no cell with the id `{id}`"),
            Some(header) if **header == *element => "the cell refers to itself".to_owned(),
            Some(header) if !is_header(*header) => format!("`{id}` is not a header"),
            Some(_) => continue,
        };
        found.at(span, problem).help("list the ids of `<th>` elements of the same table");
        return;
    }
}

fn is_header(cell: El<'_>) -> bool {
    match role(cell) {
        Role::Explicit(name) => matches!(name, "columnheader" | "rowheader"),
        Role::Unknown => true,
        _ => cell.tag == "th",
    }
}
