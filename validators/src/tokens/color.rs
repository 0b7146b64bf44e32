//! Colors: their spaces and components, and conversion of the common notations.

use super::document::Document;
use super::values::{Problem, is_reference};
use aidd_engine::parse::values::Datum;
use aidd_engine::text::nearest::closest;

/// The range of a component: the bounds, and whether the upper bound is excluded.
type Range = (f64, f64, bool);

const UNIT: Range = (0.0, 1.0, false);
const PERCENT: Range = (0.0, 100.0, false);
const HUE: Range = (0.0, 360.0, true);
const ANY: Range = (f64::NEG_INFINITY, f64::INFINITY, false);
const POSITIVE: Range = (0.0, f64::INFINITY, false);

/// The color spaces, with the ranges of their components.
const SPACES: [(&str, [Range; 3]); 14] = [
    ("a98-rgb", [UNIT; 3]),
    ("display-p3", [UNIT; 3]),
    ("hsl", [HUE, PERCENT, PERCENT]),
    ("hwb", [HUE, PERCENT, PERCENT]),
    ("lab", [PERCENT, ANY, ANY]),
    ("lch", [PERCENT, POSITIVE, HUE]),
    ("oklab", [UNIT, ANY, ANY]),
    ("oklch", [UNIT, POSITIVE, HUE]),
    ("prophoto-rgb", [UNIT; 3]),
    ("rec2020", [UNIT; 3]),
    ("srgb", [UNIT; 3]),
    ("srgb-linear", [UNIT; 3]),
    ("xyz-d50", [UNIT; 3]),
    ("xyz-d65", [UNIT; 3]),
];

pub(super) fn problems(document: &Document<'_>, at: usize, found: &mut Vec<Problem>) {
    let space = document.child(at, "colorSpace");
    let name = space.and_then(|space| document.text(space));
    let known = name.and_then(|name| SPACES.iter().find(|(known, _)| *known == name));
    match space {
        None => found.push(Problem::new(at, "the color has no `colorSpace`")),
        Some(space) if is_reference(document, space) || known.is_some() => {}
        Some(space) => {
            let shown = document.values.text(space).unwrap_or_default();
            let problem = Problem::new(space, format!("`{shown}` is not a color space"));
            let near = closest(&shown, SPACES.iter().map(|&(known, _)| (known, known)));
            found.push(match near {
                // The components of another space have another range.
                Some(near) => problem.help(format!("Write `{near}`, and check the components")),
                None => problem,
            });
        }
    }
    match document.child(at, "components") {
        None => found.push(Problem::new(at, "the color has no `components`")),
        Some(list) if *document.datum(list) == Datum::List => {
            components(document, list, known.map(|(name, ranges)| (*name, ranges)), found);
        }
        Some(list) if is_reference(document, list) => {}
        Some(list) => found.push(Problem::new(list, "`components` must be an array")),
    }
    if let Some(alpha) = document.child(at, "alpha")
        && !is_reference(document, alpha)
    {
        let is_valid = matches!(document.datum(alpha), Datum::Number(text)
            if text.parse::<f64>().is_ok_and(|alpha| (0.0..=1.0).contains(&alpha)));
        if !is_valid {
            found.push(Problem::new(alpha, "`alpha` must be a number between 0 and 1"));
        }
    }
    if let Some(hex) = document.child(at, "hex")
        && !is_reference(document, hex)
    {
        let text = document.text(hex).unwrap_or_default();
        let digits = text.strip_prefix('#').filter(|digits| is_hex(digits));
        if digits.is_none_or(|digits| digits.len() != 6) {
            let problem = Problem::new(hex, "`hex` must be `#` and six hexadecimal digits");
            let short = digits.filter(|digits| digits.len() == 3);
            let long = short.map(|short| short.chars().flat_map(|c| [c, c]).collect::<String>());
            found.push(match long {
                Some(long) => problem.fix(format!("\"#{long}\"")),
                None => problem,
            });
        }
    }
}

fn components(
    document: &Document<'_>,
    list: usize,
    space: Option<(&str, &[Range; 3])>,
    found: &mut Vec<Problem>,
) {
    let items = document.children(list);
    if items.len() != 3 {
        let message = match space {
            Some((name, _)) => format!("`{name}` has 3 components, this color has {}", items.len()),
            None => format!("a color has 3 components, this one has {}", items.len()),
        };
        found.push(Problem::new(list, message));
        return;
    }
    for (index, &item) in items.iter().enumerate() {
        match document.datum(item) {
            Datum::Number(number) => {
                let Some((name, ranges)) = space else { continue };
                let (low, high, is_open) = ranges[index];
                let is_inside = number.parse::<f64>().is_ok_and(|number| {
                    number >= low && if is_open { number < high } else { number <= high }
                });
                if !is_inside {
                    let range = match (high.is_finite(), is_open) {
                        (true, true) => format!("at least {low} and below {high}"),
                        (true, false) => format!("between {low} and {high}"),
                        (false, _) => format!("at least {low}"),
                    };
                    let message = format!("component {} of `{name}` must be {range}", index + 1);
                    found.push(Problem::new(item, message));
                }
            }
            Datum::Text(text) if text == "none" => {}
            _ if is_reference(document, item) => {}
            _ => found.push(Problem::new(item, "a component must be a number or \"none\"")),
        }
    }
}

fn is_hex(digits: &str) -> bool {
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Red, green, blue and alpha of a color in hexadecimal notation, from 0 to 255.
pub(crate) fn parse_hex(text: &str) -> Option<[u8; 4]> {
    let digits = text.trim().strip_prefix('#').filter(|digits| is_hex(digits))?;
    let value = |at: usize, len: usize| u8::from_str_radix(&digits[at..at + len], 16).ok();
    let short = |at: usize| value(at, 1).map(|value| value * 17);
    Some(match digits.len() {
        3 => [short(0)?, short(1)?, short(2)?, 255],
        4 => [short(0)?, short(1)?, short(2)?, short(3)?],
        6 => [value(0, 2)?, value(2, 2)?, value(4, 2)?, 255],
        8 => [value(0, 2)?, value(2, 2)?, value(4, 2)?, value(6, 2)?],
        _ => return None,
    })
}

/// The object for a color in hexadecimal notation.
pub(super) fn from_hex(text: &str) -> Option<String> {
    let [red, green, blue, alpha] = parse_hex(text)?;
    let part = |value: u8| {
        let text = format!("{:.4}", f64::from(value) / 255.0);
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    let alpha = if alpha == 255 { String::new() } else { format!(", \"alpha\": {}", part(alpha)) };
    Some(format!(
        "{{ \"colorSpace\": \"srgb\", \"components\": [{}, {}, {}]{alpha}, \"hex\": \"#{red:02x}{green:02x}{blue:02x}\" }}",
        part(red),
        part(green),
        part(blue)
    ))
}

/// The color of a value as red, green, blue and alpha from 0 to 255; `None` if it is not in sRGB.
pub(super) fn rgba(document: &Document<'_>, at: usize) -> Option<[u8; 4]> {
    if let Some(text) = document.text(at) {
        return parse_css(text);
    }
    if document.child_text(at, "colorSpace") != Some("srgb") {
        return None;
    }
    let list = document.child(at, "components")?;
    let number = |at: usize| match document.datum(at) {
        Datum::Number(text) => text.parse::<f64>().ok(),
        _ => None,
    };
    let items: Vec<f64> =
        document.children(list).iter().map(|&item| number(item)).collect::<Option<_>>()?;
    let [red, green, blue] = items[..] else { return None };
    let alpha = match document.child(at, "alpha") {
        Some(alpha) => number(alpha)?,
        None => 1.0,
    };
    Some([byte(red), byte(green), byte(blue), byte(alpha)])
}

/// A part from 0 to 1 as a byte.
fn byte(part: f64) -> u8 {
    (part.clamp(0.0, 1.0) * 255.0).round() as u8
}

/// A color as style sheets write it: hexadecimal, or `rgb` with numbers.
pub(crate) fn parse_css(text: &str) -> Option<[u8; 4]> {
    let text = text.trim();
    if text.starts_with('#') {
        return parse_hex(text);
    }
    let lower = text.to_ascii_lowercase();
    let inner = lower.strip_prefix("rgba(").or_else(|| lower.strip_prefix("rgb("))?;
    let inner = inner.strip_suffix(')')?;
    let parts: Vec<&str> =
        inner.split([',', ' ', '/']).map(str::trim).filter(|part| !part.is_empty()).collect();
    let channel = |text: &str| text.parse::<f64>().ok().map(|value| byte(value / 255.0));
    let alpha = |text: &str| match text.strip_suffix('%') {
        Some(percent) => percent.parse::<f64>().ok().map(|value| byte(value / 100.0)),
        None => text.parse::<f64>().ok().map(byte),
    };
    match parts[..] {
        [red, green, blue] => Some([channel(red)?, channel(green)?, channel(blue)?, 255]),
        [red, green, blue, last] => {
            Some([channel(red)?, channel(green)?, channel(blue)?, alpha(last)?])
        }
        _ => None,
    }
}

/// The contrast ratio of two opaque colors, as WCAG defines it.
pub(crate) fn contrast(first: [u8; 4], second: [u8; 4]) -> f64 {
    let (first, second) = (luminance(first), luminance(second));
    (first.max(second) + 0.05) / (first.min(second) + 0.05)
}

fn luminance([red, green, blue, _]: [u8; 4]) -> f64 {
    let linear = |channel: u8| {
        let part = f64::from(channel) / 255.0;
        if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}
