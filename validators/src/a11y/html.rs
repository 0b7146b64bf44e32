//! The tables of "ARIA in HTML": the roles that each element can have.

use super::element::El;
use super::names::{Name, attribute_name};
use super::roles::{Role, implicit, input_type, role};
use std::collections::HashMap;
use std::sync::LazyLock;

/// What ARIA in HTML allows for an element.
struct Line {
    roles: Vec<&'static str>,
    is_unnamed: bool,
}

static LINES: LazyLock<HashMap<&'static str, Line>> = LazyLock::new(|| {
    let lines = include_str!("html.txt").lines().filter(|line| !line.starts_with('#'));
    let read = |line: &'static str| {
        let mut words = line.split(' ');
        let name = words.next()?;
        let roles = words.next()?.split(',').filter(|role| *role != "-").collect();
        Some((name, Line { roles, is_unnamed: words.next().is_some() }))
    };
    lines.filter_map(read).collect()
});

/// Whether elements of this name without a role cannot have an accessible name.
pub(super) fn is_unnamed(tag: &str) -> bool {
    LINES.get(tag).is_some_and(|line| line.is_unnamed)
}

/// The only roles that the element can have; `None` if it can have all, or if this is unknown.
pub(super) fn allowed_roles(element: El<'_>) -> Option<&'static [&'static str]> {
    let line = LINES.get(line_name(element)?)?;
    (line.roles != ["*"]).then_some(&line.roles)
}

/// The name of the line that applies to the element; `None` if this depends on what the source does
/// not show.
fn line_name(element: El<'_>) -> Option<&str> {
    Some(match element.tag {
        "a" | "area" => match (implicit(element), element.tag) {
            (Role::Implicit("link"), "a") => "a[href]",
            (Role::Implicit("link"), _) => "area[href]",
            (Role::None, "area") => "area",
            _ => return None,
        },
        "figure" => {
            let inner = element.inner()?;
            inner.iter().any(|child| child.tag == "figcaption").then_some("figure[figcaption]")?
        }
        "img" => match attribute_name(element, &["alt"]) {
            Name::Empty => "img",
            Name::Present(_) => "img[name]",
            Name::Unknown => return None,
        },
        "input" => input(element)?,
        "select" => match implicit(element) {
            Role::Implicit("listbox") => "select[multiple]",
            Role::Implicit(_) => "select",
            _ => return None,
        },
        "summary" => {
            let outer = element.parent_el()?;
            (outer.tag == "details").then_some("summary[details]")?
        }
        "td" | "th" | "tr" => {
            let is_outer = |outer: &El<'_>| matches!(outer.tag, "table" | "" | "template" | "slot");
            let table = element.close_ancestors().find(is_outer)?;
            let is_table = table.tag == "table" && !table.has_spread();
            if !is_table
                || !matches!(
                    role(table),
                    Role::Implicit(_) | Role::Explicit("table" | "grid" | "treegrid")
                )
            {
                return None;
            }
            match element.tag {
                "td" => "td[table]",
                "th" => "th[table]",
                _ => "tr[table]",
            }
        }
        tag => tag,
    })
}

fn input(element: El<'_>) -> Option<&'static str> {
    let kind = input_type(element)?;
    Some(match &*kind {
        "button" | "image" | "reset" | "submit" => "input[button]",
        "checkbox" => "input[checkbox]",
        "color" | "date" | "datetime-local" | "file" | "hidden" | "month" | "password" | "time"
        | "week" => "input[other]",
        "number" => "input[number]",
        "radio" => "input[radio]",
        "range" => "input[range]",
        _ if element.attribute("list").is_some() => "input[list]",
        _ => "input[text]",
    })
}
