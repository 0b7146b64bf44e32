//! Tokens and the code of the project: values that a token already names, and tokens that nothing
//! uses.

mod usage;

use super::color;
use super::document::{Document, alias};
use super::types::{TokenType, token_type};
use crate::cached::cached;
use aidd_engine::check::family::FileContext;
use aidd_engine::parse::values::Datum;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::Edit;
use aidd_engine::text::purpose::Purpose;
use aidd_engine::text::source::Span;
use std::collections::HashMap;
use std::sync::Arc;
use tree_sitter::Node;
pub(super) use usage::{UNUSED, unused};

pub(super) const LITERAL: &str = "tokens/literal-value";

/// Maximum number of references that are followed.
const MAX_HOPS: usize = 50;
/// Maximum number of tokens that a finding names.
const MAX_NAMES: usize = 3;
/// Maximum length of a color in a style sheet, in bytes.
const MAX_COLOR: usize = 100;
/// Lengths below this number of pixels are equal by chance.
const MIN_PIXELS: f64 = 4.0;

/// A value that can be written in a style sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Literal {
    /// Red, green, blue and alpha.
    Color([u8; 4]),
    /// A length in thousandths of its unit, and whether the unit is `rem`.
    Length(u32, bool),
}

/// The names of the tokens with each value.
type Names = HashMap<Literal, Vec<String>>;

fn names(files: &dyn Files) -> Arc<Names> {
    cached(files, "tokens literals", || {
        let mut names = Names::new();
        super::project::for_each(files, &mut |document| {
            for token in &document.tokens {
                if let Some(literal) = resolve(document, token.at) {
                    let known = names.entry(literal).or_default();
                    if !known.contains(&token.path) {
                        known.push(token.path.clone());
                    }
                }
            }
        });
        names
    })
}

/// The value of the token at `at`, through its references.
fn resolve(document: &Document<'_>, at: usize) -> Option<Literal> {
    let mut token = &document.tokens[*document.by_value.get(&at)?];
    for _ in 0..MAX_HOPS {
        let value = document.token_value(token)?;
        match document.text(value) {
            Some(text) => match alias(text) {
                Some(name) => token = &document.tokens[*document.by_path.get(name)?],
                None => return literal(text),
            },
            None => {
                let TokenType::Named(kind, _) = token_type(document, token) else { return None };
                return match kind {
                    "color" => color::rgba(document, value).map(Literal::Color),
                    "dimension" => {
                        let number = document.child(value, "value")?;
                        let Datum::Number(number) = document.datum(number) else { return None };
                        literal(&format!("{number}{}", document.child_text(value, "unit")?))
                    }
                    _ => None,
                };
            }
        }
    }
    None
}

/// The value of a word of a style sheet.
fn literal(text: &str) -> Option<Literal> {
    if let Some(color) = color::parse_css(text) {
        return Some(Literal::Color(color));
    }
    let (number, is_rem) = match text.strip_suffix("px") {
        Some(number) => (number, false),
        None => (text.strip_suffix("rem")?, true),
    };
    let number = number.parse::<f64>().ok()?;
    let pixels = if is_rem { number * 16.0 } else { number };
    (MIN_PIXELS..100_000.0)
        .contains(&pixels)
        .then(|| Literal::Length((number * 1000.0).round() as u32, is_rem))
}

fn is_checked(report: &Report<'_>, files: &dyn Files) -> bool {
    let path = report.source().path();
    let purpose = Purpose::of_file(path, files);
    !path.ends_with(".min.css") && matches!(purpose, Purpose::Product | Purpose::Development)
}

/// Reports the value at `span` if tokens have it.
fn check(names: &Names, files: &dyn Files, span: Span, report: &mut Report<'_>) {
    let text = report.source().slice(span);
    let Some(found) = literal(text).and_then(|literal| names.get(&literal)) else { return };
    let shown: Vec<String> = found.iter().take(MAX_NAMES).map(|name| format!("`{name}`")).collect();
    let more = if found.len() > MAX_NAMES { ", …" } else { "" };
    let noun = if found.len() == 1 { "token" } else { "tokens" };
    let message = format!("`{text}` is the value of the {noun} {}{more}", shown.join(", "));
    // With one token of this value, its variable has the same meaning.
    let variable = match &**found {
        [name] => usage::variable(files, name),
        _ => None,
    };
    let finding = report.at(span, message).help("Use the token instead of its value");
    if let Some(variable) = variable {
        let text = format!("var({variable})");
        let title = format!("Replace with `{text}`");
        finding.fix_unsafe(title, vec![Edit::replace(span, text)]);
    }
}

pub(super) fn style_sheet(context: &FileContext<'_>, report: &mut Report<'_>) {
    if !report.begin(LITERAL) || !is_checked(report, context.files) {
        return;
    }
    let names = names(context.files);
    if names.is_empty() {
        return;
    }
    let source = report.source();
    for span in values(source.text()) {
        check(&names, context.files, span, report);
    }
}

/// The words in the values of declarations, without those that define variables.
fn values(text: &str) -> Vec<Span> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    // The words of the current statement, which can turn out to be a selector.
    let mut pending: Vec<Span> = Vec::new();
    let (mut at, mut start, mut colon) = (0, 0, None);
    while let Some(&byte) = bytes.get(at) {
        if !text.is_char_boundary(at) {
            at += 1;
            continue;
        }
        let rest = &text[at..];
        match byte {
            b'/' if rest.starts_with("/*") => {
                at += rest.find("*/").map_or(rest.len(), |end| end + 2);
                continue;
            }
            b'/' if rest.starts_with("//") => {
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            b'"' | b'\'' => {
                let end = rest[1..].find([byte as char, '\n']);
                at += end.map_or(rest.len(), |end| end + 2);
                continue;
            }
            b';' | b'}' | b'{' => {
                let name = text[start..colon.unwrap_or(start)].trim();
                // In a mask, a color is an opacity.
                let is_other = name.starts_with(['-', '$', '@']) || name.contains("mask");
                if byte != b'{' && colon.is_some() && !is_other {
                    found.append(&mut pending);
                }
                pending.clear();
                (start, colon) = (at + 1, None);
            }
            b':' if colon.is_none() => colon = Some(at),
            b'u' if rest.starts_with("url(") => {
                at += rest.find(')').map_or(rest.len(), |end| end + 1);
                continue;
            }
            _ if colon.is_some() && is_word_start(bytes, at) => {
                let len = word(rest);
                if len > 0 {
                    pending.push(Span::new(at, at + len));
                    at += len;
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Whether a color or a number can begin at `at`.
fn is_word_start(bytes: &[u8], at: usize) -> bool {
    let is_part = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'#' | b'.' | b'$' | b'@')
    };
    let is_start = matches!(bytes[at], b'#' | b'r' | b'.') || bytes[at].is_ascii_digit();
    is_start && at.checked_sub(1).is_none_or(|before| !is_part(&bytes[before]))
}

/// The length of the color or number at the start of the text.
fn word(text: &str) -> usize {
    if text.starts_with("rgb(") || text.starts_with("rgba(") {
        return text.bytes().take(MAX_COLOR).position(|byte| byte == b')').map_or(0, |end| end + 1);
    }
    if text.starts_with('r') {
        return 0;
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '#' | '.' | '%');
    text.find(|c: char| !is_part(c)).unwrap_or(text.len())
}

/// Checks the `style` attributes of JSX.
pub(super) fn program(context: &FileContext<'_>, report: &mut Report<'_>) {
    let path = report.source().path();
    let is_jsx = [".tsx", ".jsx", ".js"].iter().any(|end| path.ends_with(end));
    if !is_jsx || !report.begin(LITERAL) || !is_checked(report, context.files) {
        return;
    }
    let text = report.source().text();
    if !text.contains("style=") {
        return;
    }
    let names = names(context.files);
    let Some(root) = context.tree.root().filter(|_| !names.is_empty()) else { return };
    let mut pending = vec![(root, false)];
    while let Some((node, is_style)) = pending.pop() {
        let is_style = is_style || is_style_attribute(node, text);
        if is_style && node.kind() == "string_fragment" {
            check(&names, context.files, Span::new(node.start_byte(), node.end_byte()), report);
        }
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        pending.extend(children.into_iter().rev().map(|child| (child, is_style)));
    }
}

fn is_style_attribute(node: Node<'_>, text: &str) -> bool {
    let name = || node.named_child(0).map(|name| &text[name.byte_range()]);
    node.kind() == "jsx_attribute" && name() == Some("style")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_declarations_are_found() {
        let text = "/* #111111 */ a:hover { color: #abc; --x: #222222; margin: 0 16px 1.5rem }\n\
                    $b: #333333; #ffffff { background: url(#444444) rgb(0, 1, 2) }";
        let found: Vec<&str> = values(text).into_iter().map(|span| &text[span.range()]).collect();
        assert_eq!(found, ["#abc", "0", "16px", "1.5rem", "rgb(0, 1, 2)"]);
    }

    #[test]
    fn notations_of_one_value_are_equal() {
        assert_eq!(literal("#0066cc"), literal("rgb(0, 102, 204)"));
        assert_eq!(literal("#0066CC80"), literal("rgba(0 102 204 / 50.2%)"));
        assert_eq!(literal("16px"), Some(Literal::Length(16_000, false)));
        assert_eq!((literal("3px"), literal("red"), literal("1em")), (None, None, None));
    }
}
