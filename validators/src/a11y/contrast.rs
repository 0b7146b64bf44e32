//! A rule on the contrast of a text to the background that the same element sets, by an attribute
//! `style` or by utility classes of Tailwind CSS.

use super::Found;
use super::element::El;
use super::names::may_be_hidden;
use crate::tokens::color::{contrast, parse_css, parse_hex};
use aidd_engine::text::source::Span;
use aidd_markup::{AttributeKind, Node, Value};
use std::collections::HashMap;
use std::sync::LazyLock;

/// The contrast that WCAG requires of large text, and of other text.
const LARGE: f64 = 3.0;
const OTHER: f64 = 4.5;

/// The size in pixels from which bold text is large.
const LARGE_SIZE: f64 = 18.66;

type Color = [u8; 4];

/// The colors by name: of CSS, and of the palette as in `gray-400`.
static COLORS: LazyLock<HashMap<String, Color>> = LazyLock::new(|| {
    let mut colors = HashMap::new();
    for line in include_str!("colors.txt").lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split(' ');
        let name = words.next().unwrap_or_default();
        let values: Vec<Color> = words.filter_map(|hex| parse_hex(&format!("#{hex}"))).collect();
        if let [color] = *values {
            colors.insert(name.to_owned(), color);
            continue;
        }
        for (index, color) in values.into_iter().enumerate() {
            let shade = match index {
                0 => 50,
                10 => 950,
                index => index * 100,
            };
            colors.insert(format!("{name}-{shade}"), color);
        }
    }
    colors
});

/// What the attributes of an element set.
#[derive(Default)]
struct Look {
    text: Option<Color>,
    background: Option<Color>,
    size: Option<f64>,
}

/// An opaque color of CSS.
fn color(text: &str) -> Option<Color> {
    let text = text.trim().to_ascii_lowercase();
    let named = || COLORS.get(&text).copied().filter(|_| !text.contains('-'));
    let color = parse_hex(&text).or_else(|| parse_css(&text)).or_else(named)?;
    (color[3] == 255).then_some(color)
}

impl Look {
    /// Reads an attribute `style`; `None` if it sets a color in a way that is not understood.
    fn read_style(&mut self, style: &str) -> Option<()> {
        for declaration in style.split(';') {
            let Some((name, value)) = declaration.split_once(':') else { continue };
            let value = value.trim().trim_end_matches("!important").trim();
            match &*name.trim().to_ascii_lowercase() {
                "color" => self.text = Some(color(value)?),
                "background" | "background-color" => self.background = Some(color(value)?),
                "font-size" => self.size = value.strip_suffix("px").and_then(|it| it.parse().ok()),
                "background-image" | "filter" | "mix-blend-mode" | "opacity" | "text-shadow"
                | "font" => {
                    return None;
                }
                _ => {}
            }
        }
        Some(())
    }

    /// Reads an attribute `class`; `None` if it sets a color in a way that is not understood.
    fn read_classes(&mut self, classes: &str) -> Option<()> {
        // A state such as `hover:` changes the color only sometimes.
        let classes = classes.split_ascii_whitespace().filter(|class| !class.contains(':'));
        for class in classes {
            if let Some(name) = class.strip_prefix("bg-") {
                let is_first = self.background.is_none();
                self.background = Some(utility_color(name).filter(|_| is_first)?);
            } else if let Some(name) = class.strip_prefix("text-") {
                let size = match name {
                    "xs" => 12.0,
                    "sm" => 14.0,
                    "base" => 16.0,
                    _ => {
                        if let Some(color) = utility_color(name) {
                            let is_first = self.text.is_none();
                            self.text = Some(color).filter(|_| is_first);
                            self.text?;
                        } else if name.contains(['/', '[', '(']) || name.starts_with("opacity") {
                            return None;
                        }
                        continue;
                    }
                };
                self.size = Some(size);
            } else if ["opacity-", "mix-blend-", "!", "sr-only"]
                .iter()
                .any(|it| class.starts_with(it))
            {
                return None;
            }
        }
        Some(())
    }
}

/// The color of a utility class after `bg-` or `text-`.
fn utility_color(name: &str) -> Option<Color> {
    match name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
        Some(value) => color(value),
        None => COLORS
            .get(name)
            .copied()
            .filter(|_| name.contains('-') || matches!(name, "white" | "black")),
    }
}

/// What the attributes of an element set, and where; `None` if some of it is unknown.
fn look_of(element: El<'_>) -> Option<(Look, Span)> {
    let mut look = Look::default();
    let mut place = None;
    // Styles override classes, so they are read last.
    for name in ["class", "style"] {
        let attributes = element.attributes().iter().filter(|it| it.name == name);
        for attribute in attributes {
            let (Value::Static { text, .. }, AttributeKind::Plain) =
                (attribute.value, attribute.kind)
            else {
                return None;
            };
            let before = (look.text, look.background);
            if name == "class" {
                look.read_classes(text)?;
            } else {
                look.read_style(text)?;
            }
            if before != (look.text, look.background) {
                place = Some(attribute.span);
            }
        }
    }
    Some((look, place?))
}

pub(super) fn low_contrast(element: El<'_>, found: &mut Found<'_, '_>) {
    if element.tag.is_empty()
        || element.is_foreign()
        || element.attribute("style").is_none() && element.attribute("class").is_none()
    {
        return;
    }
    let is_inactive =
        ["disabled", "aria-disabled"].iter().any(|it| element.attribute(it).is_some());
    let has_text = |node: Node<'_>| {
        let Node::Text(text, _) = node else { return false };
        text.chars().filter(|c| c.is_alphanumeric()).take(2).count() == 2
    };
    if is_inactive || element.has_spread() || !element.children().any(has_text) {
        return;
    }
    let Some((look, place)) = look_of(element) else { return };
    let (Some(text), Some(background)) = (look.text, look.background) else { return };
    let ratio = contrast(text, background);
    // Where the size is unknown, the text may be large.
    let min = if look.size.is_some_and(|size| size < LARGE_SIZE) { OTHER } else { LARGE };
    if ratio < min && !may_be_hidden(element) {
        found
            .at(
                place,
                format!("the text has a contrast of {ratio:.1} to its background, below {min}"),
            )
            .help("darken one of the two colors, or lighten the other");
    }
}
