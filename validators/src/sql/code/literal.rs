//! Splits string literals into text with its position in the file, escapes and inserted values.

use tree_sitter::Node;

/// A part of the content of a string literal.
pub(super) enum Piece<'t> {
    /// Text that is the same in the file and in the value.
    Text { start: usize, end: usize },
    /// An escape sequence and its text.
    Escape { start: usize, end: usize, text: String },
    /// A value that the literal inserts.
    Value { node: Node<'t>, is_number: bool },
}

/// The node kinds of text in a literal.
const CONTENTS: &[&str] = &[
    "string_content",
    "string_fragment",
    "multiline_string_fragment",
    "interpreted_string_literal_content",
    "raw_string_literal_content",
    "heredoc_content",
    "nowdoc_string",
];
/// The node kinds of escape sequences.
const ESCAPES: &[&str] = &["escape_sequence", "escape_interpolation"];
/// The node kinds of inserted values.
const VALUES: &[&str] = &["interpolation", "template_substitution", "string_interpolation"];
/// The node kinds of literals that are part of another literal.
const NESTED: &[&str] = &["string", "heredoc_body", "nowdoc_body"];

/// Maximum number of pieces of one literal.
const MAX_PIECES: usize = 4_096;

/// The pieces of a literal.
pub(super) fn pieces<'t>(literal: Node<'t>, text: &str) -> Vec<Piece<'t>> {
    let mut pieces = Vec::new();
    let is_raw = is_raw(literal, text);
    read(literal, text, is_raw, &mut pieces, 0);
    pieces
}

/// Whether a backslash in the literal is text, not an escape.
fn is_raw(literal: Node<'_>, text: &str) -> bool {
    let of_literal = &text[literal.byte_range()];
    let prefix = of_literal.split(['"', '\'']).next().unwrap_or_default();
    literal.kind() == "string" && prefix.len() <= 3 && prefix.contains(['r', 'R'])
}

fn read<'t>(node: Node<'t>, text: &str, is_raw: bool, pieces: &mut Vec<Piece<'t>>, level: usize) {
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        if pieces.len() > MAX_PIECES || level > 3 {
            return;
        }
        let kind = child.kind();
        if CONTENTS.contains(&kind) && child.child_count() > 0 {
            read_content(child, text, is_raw, pieces);
        } else if CONTENTS.contains(&kind) {
            pieces.push(Piece::Text { start: child.start_byte(), end: child.end_byte() });
        } else if ESCAPES.contains(&kind) {
            pieces.push(escape(child, text, is_raw));
        } else if VALUES.contains(&kind) {
            pieces.extend(value(child, text));
        } else if NESTED.contains(&kind) {
            read(child, text, is_raw, pieces, level + 1);
        } else if child.is_named() && is_php_value(kind) {
            pieces.push(Piece::Value { node: child, is_number: false });
        }
    }
}

/// Reads content that has escape sequences as its children.
fn read_content<'t>(node: Node<'t>, text: &str, is_raw: bool, pieces: &mut Vec<Piece<'t>>) {
    let mut at = node.start_byte();
    let mut cursor = node.walk();
    for child in node.children(&mut cursor).filter(|child| ESCAPES.contains(&child.kind())) {
        if child.start_byte() > at {
            pieces.push(Piece::Text { start: at, end: child.start_byte() });
        }
        pieces.push(escape(child, text, is_raw));
        at = child.end_byte();
    }
    if node.end_byte() > at {
        pieces.push(Piece::Text { start: at, end: node.end_byte() });
    }
}

fn is_php_value(kind: &str) -> bool {
    matches!(
        kind,
        "variable_name"
            | "member_access_expression"
            | "subscript_expression"
            | "member_call_expression"
            | "scoped_property_access_expression"
            | "nullsafe_member_access_expression"
    )
}

fn value<'t>(node: Node<'t>, text: &str) -> Option<Piece<'t>> {
    let inner = node.child_by_field_name("expression").or_else(|| node.named_child(0))?;
    let format = node.child_by_field_name("format_specifier");
    let format = format.map(|format| &text[format.byte_range()]).unwrap_or_default();
    let is_number = format.ends_with(['d', 'f', 'x', 'e', 'g', 'n']);
    Some(Piece::Value { node: inner, is_number })
}

fn escape<'t>(node: Node<'t>, text: &str, is_raw: bool) -> Piece<'t> {
    let (start, end) = (node.start_byte(), node.end_byte());
    if is_raw {
        return Piece::Text { start, end };
    }
    Piece::Escape { start, end, text: unescape(&text[start..end]) }
}

/// The text of an escape sequence.
fn unescape(sequence: &str) -> String {
    let Some(rest) = sequence.strip_prefix('\\') else {
        // A doubled brace of a format string.
        return sequence.chars().take(1).collect();
    };
    let code = |digits: &str, radix| {
        let digits = digits.trim_matches(['{', '}']);
        let code = u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
        code.unwrap_or('\u{FFFD}').to_string()
    };
    match rest.as_bytes().first() {
        Some(b'n') => "\n".to_owned(),
        Some(b't') => "\t".to_owned(),
        Some(b'r') => "\r".to_owned(),
        Some(b'x' | b'u' | b'U') => code(&rest[1..], 16),
        Some(b'0'..=b'7') => code(rest, 8),
        // A line break that is not part of the text.
        Some(b'\n' | b'\r') => String::new(),
        _ => rest.to_owned(),
    }
}
