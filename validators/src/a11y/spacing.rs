//! A rule on the spacing of a text that an attribute fixes.

use super::Found;
use super::contrast::inline_style;
use super::element::El;
use super::names::{Name, content, may_be_hidden};
use aidd_engine::text::finding::Edit;
use aidd_engine::text::source::Span;
use aidd_markup::{Node, Value};

/// The properties, and the least value that users must be able to set, in sizes of the font.
const PROPERTIES: [(&str, f64); 3] =
    [("letter-spacing", 0.12), ("word-spacing", 0.16), ("line-height", 1.5)];

/// The size of small text in pixels: below this, a length in pixels is known to be too small.
const SMALL_FONT: f64 = 9.0;

/// Minimum length of a text that certainly needs several lines, in bytes.
const MIN_LONG: usize = 120;

pub(super) fn inline_spacing(element: El<'_>, found: &mut Found<'_, '_>) {
    let Some(Value::Static { text, span }) = element.value("style") else { return };
    if !text.to_ascii_lowercase().contains("important")
        || element.tag.is_empty()
        || may_be_hidden(element)
    {
        return;
    }
    let Some(declarations) = inline_style(text) else { return };
    let pixels = |name: &str| {
        let (_, value) = declarations.iter().rfind(|(property, _)| property == name)?;
        let pixels = value.trim_end_matches(" !important").strip_suffix("px")?;
        pixels.trim().parse::<f64>().ok()
    };
    // Far outside of the screen, a text is for screen readers only.
    let is_far = |(property, value): &(String, String)| {
        matches!(&**property, "left" | "top" | "text-indent") && value.starts_with("-999")
    };
    if declarations.iter().any(is_far) {
        return;
    }
    let font_size = pixels("font-size");
    let width = pixels("max-width").or_else(|| pixels("width"));
    for (property, least) in PROPERTIES {
        let important =
            |(name, value): &&(String, String)| name == property && value.ends_with(" !important");
        let Some((_, value)) = declarations.iter().rfind(important) else { continue };
        let value = value.trim_end_matches(" !important");
        let is_too_small = size(property, value, font_size).is_some_and(|size| size < least);
        let applies = || match content(element) {
            Name::Empty => false,
            _ if is_replaced_inside(element, property) => false,
            Name::Present(text) if property == "line-height" => {
                let is_long = |text: String| {
                    let length = text.split_whitespace().map(|word| word.len() + 1).sum::<usize>();
                    length >= MIN_LONG || width.is_some_and(|width| width < narrowest(length))
                };
                text.is_some_and(is_long) || element.descendants().any(|inner| inner.name() == "br")
            }
            _ => property != "line-height",
        };
        if is_too_small && applies() {
            let message =
                format!("`{property}: {value} !important` keeps users from increasing the spacing");
            let edit = mark_of(found, text, span, property).map(Edit::delete);
            let finding = found.at(span, message);
            finding.help("delete `!important`, or move the style into a style sheet");
            if let Some(edit) = edit {
                finding.fix_unsafe("Delete `!important`", vec![edit]);
            }
            return;
        }
    }
}

/// The width in pixels that a text of this length needs at least in one line.
fn narrowest(length: usize) -> f64 {
    /// Width of a narrow letter of a small font.
    const LETTER: u32 = 4;
    f64::from(u32::try_from(length).unwrap_or(u32::MAX).saturating_mul(LETTER))
}

/// Whether the element contains no text of its own, and elements inside set the property again, or
/// another size of the font.
fn is_replaced_inside(element: El<'_>, property: &str) -> bool {
    let has_text = element.children().any(|node| matches!(node, Node::Text(..) | Node::Block(_)));
    let sets = |inner: El<'_>| {
        let style = inner.value("style").and_then(Value::text);
        style.is_some_and(|style| style.contains(property) || style.contains("font-size"))
    };
    !has_text && element.inner().is_none_or(|inner| inner.into_iter().any(sets))
}

/// The value in sizes of the font, if it is known.
fn size(property: &str, value: &str, font_size: Option<f64>) -> Option<f64> {
    let value = value.trim().to_ascii_lowercase();
    let number = |text: &str| text.trim().parse::<f64>().ok();
    if matches!(&*value, "initial" | "normal") {
        return Some(if property == "line-height" { 1.0 } else { 0.0 });
    }
    if let Some(pixels) = value.strip_suffix("px").and_then(number) {
        return match font_size {
            Some(size) if size > 0.0 => Some(pixels / size),
            // A larger font only makes the ratio smaller.
            _ => Some(pixels / SMALL_FONT),
        };
    }
    if let Some(factor) = value.strip_suffix("em").filter(|it| !it.ends_with('r')).and_then(number)
    {
        return Some(factor);
    }
    if let Some(percent) = value.strip_suffix('%').and_then(number) {
        return (property == "line-height").then_some(percent / 100.0);
    }
    // A number is a factor of the line height; only zero is a length.
    number(&value).filter(|number| property == "line-height" || *number == 0.0)
}

/// The span of `!important` after the last declaration of the property, with the space before it.
fn mark_of(found: &Found<'_, '_>, text: &str, span: Span, property: &str) -> Option<Span> {
    // With escapes, the text is not that of the source.
    if found.slice(span) != text {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    let declaration = lower.rfind(property)?;
    let mark = declaration + lower[declaration..].find('!')?;
    let end = mark + lower[mark..].find("important")? + "important".len();
    if lower[declaration..mark].contains(';') {
        return None;
    }
    let start = lower[..mark].trim_end().len();
    let base = span.start as usize;
    Some(Span::new(base + start, base + end))
}
