//! The forms of the values of each type.

use super::color;
use super::document::{Document, alias};
use super::mode::Mode;
use super::types::{TokenType, token_type};
use super::{DRAFT_VALUE, Issue};
use aidd_engine::parse::values::Datum;
use aidd_engine::text::finding::Edit;
use aidd_engine::text::nearest::is_typo;

/// A type of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Border,
    Color,
    CubicBezier,
    Dimension,
    Duration,
    FontFamily,
    FontWeight,
    Gradient,
    Number,
    Shadow,
    StrokeStyle,
    Transition,
    Typography,
}

impl Type {
    pub(super) const NAMES: [(&'static str, Self); 13] = [
        ("border", Self::Border),
        ("color", Self::Color),
        ("cubicBezier", Self::CubicBezier),
        ("dimension", Self::Dimension),
        ("duration", Self::Duration),
        ("fontFamily", Self::FontFamily),
        ("fontWeight", Self::FontWeight),
        ("gradient", Self::Gradient),
        ("number", Self::Number),
        ("shadow", Self::Shadow),
        ("strokeStyle", Self::StrokeStyle),
        ("transition", Self::Transition),
        ("typography", Self::Typography),
    ];

    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|&(_, known)| known)
    }

    pub(super) fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }

    /// The members of the objects of a composite type, with their types.
    pub(super) fn members(self) -> &'static [(&'static str, Self)] {
        match self {
            Self::Border => {
                &[("color", Self::Color), ("width", Self::Dimension), ("style", Self::StrokeStyle)]
            }
            Self::Transition => &[
                ("duration", Self::Duration),
                ("delay", Self::Duration),
                ("timingFunction", Self::CubicBezier),
            ],
            Self::Shadow => &[
                ("color", Self::Color),
                ("offsetX", Self::Dimension),
                ("offsetY", Self::Dimension),
                ("blur", Self::Dimension),
                ("spread", Self::Dimension),
            ],
            Self::Gradient => &[("color", Self::Color), ("position", Self::Number)],
            Self::Typography => &[
                ("fontFamily", Self::FontFamily),
                ("fontSize", Self::Dimension),
                ("fontWeight", Self::FontWeight),
                ("letterSpacing", Self::Dimension),
                ("lineHeight", Self::Number),
            ],
            _ => &[],
        }
    }
}

/// The words for font weights.
const WEIGHTS: [&str; 18] = [
    "thin",
    "hairline",
    "extra-light",
    "ultra-light",
    "light",
    "normal",
    "regular",
    "book",
    "medium",
    "semi-bold",
    "demi-bold",
    "bold",
    "extra-bold",
    "ultra-bold",
    "black",
    "heavy",
    "extra-black",
    "ultra-black",
];
const STROKES: [&str; 8] =
    ["solid", "dashed", "dotted", "double", "groove", "ridge", "outset", "inset"];
const CAPS: [&str; 3] = ["round", "butt", "square"];
const LENGTH_UNITS: [&str; 2] = ["px", "rem"];
const TIME_UNITS: [&str; 2] = ["ms", "s"];

/// A part of a value that its type does not allow.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) at: usize,
    pub(super) message: String,
    pub(super) help: Option<String>,
    /// The title of the fix, and the text that replaces the part.
    pub(super) fix: Option<(String, String)>,
}

impl Problem {
    pub(super) fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into(), help: None, fix: None }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(super) fn fix(mut self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.fix = Some((format!("Write `{text}`"), text));
        self
    }
}

/// The problems of a value of the type. References are checked elsewhere.
pub(super) fn problems(document: &Document<'_>, at: usize, expected: Type) -> Vec<Problem> {
    let mut found = Vec::new();
    value(document, at, expected, &mut found);
    found
}

/// Whether the value is a reference, whose target is checked elsewhere.
pub(super) fn is_reference(document: &Document<'_>, at: usize) -> bool {
    match document.datum(at) {
        Datum::Text(text) => text.trim_start().starts_with('{') || document.key(at) == "$ref",
        Datum::Map => document.child(at, "$ref").is_some(),
        _ => false,
    }
}

fn value(document: &Document<'_>, at: usize, expected: Type, found: &mut Vec<Problem>) {
    if is_reference(document, at) {
        return;
    }
    match (expected, document.datum(at)) {
        (Type::Color, Datum::Map) => color::problems(document, at, found),
        (Type::Color, Datum::Text(text)) => {
            let problem =
                Problem::new(at, "a color must be an object with `colorSpace` and `components`");
            found.push(match color::from_hex(text) {
                Some(object) => problem.fix(object),
                None => problem,
            });
        }
        (Type::Dimension, _) => measure(document, at, "dimension", &LENGTH_UNITS, found),
        (Type::Duration, _) => measure(document, at, "duration", &TIME_UNITS, found),
        (Type::Number, Datum::Number(_)) | (Type::FontFamily, Datum::Text(_)) => {}
        (Type::Number, Datum::Text(text)) => {
            let problem = Problem::new(at, "a number must not be a string");
            let is_number = text.parse::<f64>().is_ok_and(f64::is_finite)
                && text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
            found.push(if is_number { problem.fix(text.as_str()) } else { problem });
        }
        (Type::FontFamily, Datum::List) => {
            for &item in document.children(at) {
                if !matches!(document.datum(item), Datum::Text(_)) && !is_reference(document, item)
                {
                    found.push(Problem::new(item, "the name of a font must be a string"));
                }
            }
        }
        (Type::FontWeight, Datum::Number(number)) => {
            if !number.parse::<f64>().is_ok_and(|weight| (1.0..=1000.0).contains(&weight)) {
                found.push(Problem::new(at, "a font weight must be between 1 and 1000"));
            }
        }
        (Type::FontWeight, Datum::Text(text)) => word(at, text, "font weight", &WEIGHTS, found),
        (Type::CubicBezier, Datum::List) => bezier(document, at, found),
        (Type::StrokeStyle, Datum::Text(text)) => word(at, text, "stroke style", &STROKES, found),
        (Type::StrokeStyle, Datum::Map) => stroke(document, at, found),
        (Type::Shadow, Datum::List) | (Type::Gradient, Datum::List) => {
            for &item in document.children(at) {
                if document.is_map(item) {
                    members(document, item, expected, found);
                } else if !is_reference(document, item) {
                    let message =
                        format!("a part of a {} must be an object or a reference", expected.name());
                    found.push(Problem::new(item, message));
                }
            }
        }
        (Type::Border | Type::Transition | Type::Shadow | Type::Typography, Datum::Map) => {
            members(document, at, expected, found);
        }
        _ => {
            let form = match expected {
                Type::Border => "a border must be an object with `color`, `width` and `style`",
                Type::Color => "a color must be an object with `colorSpace` and `components`",
                Type::CubicBezier => "a cubic Bézier curve must be an array of four numbers",
                Type::FontFamily => "a font family must be a string or an array of strings",
                Type::FontWeight => {
                    "a font weight must be a number or one of the words for weights"
                }
                Type::Gradient => "a gradient must be an array of stops",
                Type::Shadow => "a shadow must be an object or an array of objects",
                Type::StrokeStyle => "a stroke style must be a word or an object",
                Type::Transition => {
                    "a transition must be an object with `duration`, `delay` and `timingFunction`"
                }
                Type::Typography => "a typography must be an object",
                _ => "a number must be a JSON number",
            };
            found.push(Problem::new(at, form));
        }
    }
}

fn word(at: usize, text: &str, what: &str, words: &[&str], found: &mut Vec<Problem>) {
    if words.contains(&text) {
        return;
    }
    let problem = Problem::new(at, format!("`{text}` is not a {what}"));
    found.push(match words.iter().find(|known| is_typo(text, known)) {
        Some(near) => problem.fix(format!("\"{near}\"")),
        None => problem.help(format!("The words are {}", words.join(", "))),
    });
}

fn measure(
    document: &Document<'_>,
    at: usize,
    what: &str,
    units: &[&str],
    found: &mut Vec<Problem>,
) {
    if !document.is_map(at) {
        let problem =
            Problem::new(at, format!("a {what} must be an object with `value` and `unit`"));
        let object = document.text(at).and_then(|text| measured(text, units));
        found.push(match object {
            Some(object) => problem.fix(object),
            None => problem,
        });
        return;
    }
    match document.child(at, "value") {
        None => found.push(Problem::new(at, format!("the {what} has no `value`"))),
        Some(number) => {
            if !matches!(document.datum(number), Datum::Number(_))
                && !is_reference(document, number)
            {
                let problem =
                    Problem::new(number, format!("the `value` of a {what} must be a number"));
                let text = document.text(number).filter(|text| text.parse::<f64>().is_ok());
                found.push(match text {
                    Some(text) => problem.fix(text),
                    None => problem,
                });
            }
        }
    }
    match document.child(at, "unit") {
        None => found.push(
            Problem::new(at, format!("the {what} has no `unit`"))
                .help(format!("Write one of the units {}", units.join(", "))),
        ),
        Some(unit) if !is_reference(document, unit) => {
            if !document.text(unit).is_some_and(|text| units.contains(&text)) {
                let shown = document.values.text(unit).unwrap_or_default();
                let message = format!("`{shown}` is not a unit of a {what}");
                let help = format!("The units are {}", units.join(", "));
                found.push(Problem::new(unit, message).help(help));
            }
        }
        Some(_) => {}
    }
}

/// The object for a measure that is written as text, such as `16px`.
fn measured(text: &str, units: &[&str]) -> Option<String> {
    let text = text.trim();
    let start = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(start);
    let is_number = number.parse::<f64>().is_ok_and(f64::is_finite)
        && !number.starts_with(['+', '.'])
        && !number.ends_with('.')
        && !number.starts_with("-.");
    (is_number && units.contains(&unit))
        .then(|| format!("{{ \"value\": {number}, \"unit\": \"{unit}\" }}"))
}

fn bezier(document: &Document<'_>, at: usize, found: &mut Vec<Problem>) {
    let items = document.children(at);
    if items.len() != 4 {
        let message =
            format!("a cubic Bézier curve has four numbers, this one has {}", items.len());
        found.push(Problem::new(at, message));
    }
    for (index, &item) in items.iter().enumerate() {
        match document.datum(item) {
            Datum::Number(number) if index % 2 == 0 => {
                if !number.parse::<f64>().is_ok_and(|x| (0.0..=1.0).contains(&x)) {
                    found.push(Problem::new(item, "an x coordinate must be between 0 and 1"));
                }
            }
            Datum::Number(_) => {}
            _ if is_reference(document, item) => {}
            _ => found.push(Problem::new(item, "a coordinate must be a number")),
        }
    }
}

fn stroke(document: &Document<'_>, at: usize, found: &mut Vec<Problem>) {
    match document.child(at, "dashArray") {
        None => found.push(Problem::new(at, "the stroke style has no `dashArray`")),
        Some(dashes) if *document.datum(dashes) == Datum::List => {
            for &dash in document.children(dashes) {
                value(document, dash, Type::Dimension, found);
            }
        }
        Some(dashes) if is_reference(document, dashes) => {}
        Some(dashes) => found.push(Problem::new(dashes, "`dashArray` must be an array")),
    }
    match document.child(at, "lineCap") {
        None => found.push(Problem::new(at, "the stroke style has no `lineCap`")),
        Some(cap) if is_reference(document, cap) => {}
        Some(cap) => match document.text(cap) {
            Some(text) => word(cap, text, "line cap", &CAPS, found),
            None => found.push(Problem::new(cap, "`lineCap` must be a string")),
        },
    }
}

fn members(document: &Document<'_>, at: usize, expected: Type, found: &mut Vec<Problem>) {
    for &(name, member) in expected.members() {
        match document.child(at, name) {
            Some(child) => value(document, child, member, found),
            None => {
                let message = format!("the {} has no `{name}`", expected.name());
                let similar = document.children(at).iter().find(|&&child| {
                    let key = document.key(child);
                    is_typo(key, name) && !expected.members().iter().any(|(known, _)| *known == key)
                });
                let problem = Problem::new(at, message);
                found.push(match similar {
                    Some(&child) => {
                        problem.help(format!("Rename `{}` to `{name}`", document.key(child)))
                    }
                    None => problem,
                });
            }
        }
    }
    if expected == Type::Shadow
        && let Some(inset) = document.child(at, "inset")
        && !matches!(document.datum(inset), Datum::Bool(_))
        && !is_reference(document, inset)
    {
        found.push(Problem::new(inset, "`inset` must be true or false"));
    }
}

/// Whether the value has the form that earlier drafts of the format required.
pub(super) fn is_draft(document: &Document<'_>, at: usize, expected: Type) -> bool {
    match (expected, document.datum(at)) {
        (_, Datum::Text(text)) if alias(text).is_some() => false,
        (Type::Color | Type::Dimension | Type::Duration, Datum::Text(_)) => true,
        // Composite values contain such values.
        (Type::Border | Type::Shadow | Type::Transition | Type::Typography, Datum::Map) => {
            let is_draft = |(name, member): &(&str, Type)| {
                document.child(at, name).is_some_and(|child| {
                    is_draft(document, child, *member)
                        || *member == Type::Dimension
                            && matches!(document.datum(child), Datum::Number(_))
                })
            };
            expected.members().iter().any(is_draft)
        }
        (Type::Shadow | Type::Gradient, Datum::List) => document.children(at).iter().any(|&item| {
            let is_draft = |(name, member): &(&str, Type)| {
                document.child(item, name).is_some_and(|child| is_draft(document, child, *member))
            };
            expected.members().iter().any(is_draft)
        }),
        _ => false,
    }
}

/// Reports, once for the file, that values have the form of an earlier draft.
pub(super) fn check_drafts(document: &Document<'_>, issues: &mut Vec<Issue>) {
    if document.mode != Mode::Draft {
        return;
    }
    let mut first = None;
    let mut count = 0;
    let mut edits = Vec::new();
    for token in &document.tokens {
        let (Some(at), TokenType::Named(name, _)) =
            (document.token_value(token), token_type(document, token))
        else {
            continue;
        };
        let Some(expected) = Type::from_name(name) else { continue };
        if !is_draft(document, at, expected) {
            continue;
        }
        count += 1;
        first.get_or_insert((at, expected));
        for problem in problems(document, at, expected) {
            if let Some((_, text)) = problem.fix {
                edits.push(Edit::replace(document.span(problem.at), text));
            }
        }
    }
    let Some((at, expected)) = first else { return };
    let message = match count {
        1 => format!("this {} has the form of an earlier draft of the format", expected.name()),
        _ => format!("{count} values have the form of an earlier draft of the format"),
    };
    let issue = Issue::new(DRAFT_VALUE, document.span(at), message)
        .help("Write colors, dimensions and durations as objects");
    let title = "Convert the values to the version 2025.10";
    issues.push(if edits.is_empty() { issue } else { issue.fix_unsafe(title, edits) });
}
