//! A rule on names and descriptions that only braille displays get.

use super::Found;
use super::aria;
use super::element::El;
use super::names::{Name, attribute_name, is_blank, is_labelled, may_be_hidden, name};
use super::roles::role;
use aidd_markup::Value;

pub(super) fn braille_without_equivalent(element: El<'_>, found: &mut Found<'_, '_>) {
    let is_set = element.attributes().iter().any(|it| it.name.starts_with("aria-braille"));
    if !is_set || element.tag.is_empty() || may_be_hidden(element) {
        return;
    }
    let written = |name: &str| {
        let attribute = element.attribute(name)?;
        let is_empty = match attribute.value {
            Value::Absent | Value::Empty => true,
            Value::Static { text, .. } => is_blank(text),
            Value::Dynamic { .. } => false,
        };
        (!is_empty).then_some(attribute)
    };
    if let Some(attribute) = written("aria-braillelabel")
        && is_unnamed(element)
    {
        found
            .at(attribute.span, "only braille displays get a name of the element")
            .help("add a text or `aria-label`, which speech output uses");
    }
    if let Some(attribute) = written("aria-brailleroledescription")
        && written("aria-roledescription").is_none()
        && !element.has_spread()
    {
        found
            .at(attribute.span, "only braille displays get a description of the role")
            .help("add `aria-roledescription`, which speech output uses");
    }
}

/// Whether the source shows that nothing names the element.
fn is_unnamed(element: El<'_>) -> bool {
    let is_control = matches!(element.tag, "input" | "select" | "textarea");
    let is_named_by_content =
        || role(element).name().and_then(aria::role).is_some_and(|role| role.is_named_by_content);
    let own = match element.tag {
        "img" | "area" => name(element),
        _ if is_control => attribute_name(element, &["value", "alt", "placeholder"]),
        _ if is_named_by_content() => name(element),
        _ => attribute_name(element, &[]),
    };
    own == Name::Empty && !(is_control && is_labelled(element))
}
