//! Source code as tokens, without layout and with comments separated.

use aidd_engine::parse::syntax::parse_text;
use ast_grep_core::Language;
use ast_grep_core::tree_sitter::StrDoc;
use ast_grep_language::SupportLang;
use std::ops::Range;

/// A node of a syntax tree.
pub(super) type Node<'r> = ast_grep_core::Node<'r, StrDoc<SupportLang>>;
/// A parsed syntax tree.
pub(super) type Root = ast_grep_core::AstGrep<StrDoc<SupportLang>>;

/// Maximum size in bytes of a text that is parsed; hand-written files are smaller.
const MAX_TEXT_SIZE: usize = 512 << 10;
/// Separator between tokens; no grammar has a token that contains this character.
pub(super) const TOKEN_SEPARATOR: char = '\u{1f}';

/// Source code without its layout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tokens {
    /// The tokens, each followed by [`TOKEN_SEPARATOR`].
    pub(super) code: String,
    /// The comments, each followed by [`TOKEN_SEPARATOR`].
    pub(super) comments: String,
}

/// The grammar for the file at `path`.
pub(super) fn language(path: &str) -> Option<SupportLang> {
    let language = SupportLang::from_path(path)?;
    let known = aidd_engine::forms::syntax::LANGUAGES.iter().any(|(_, known)| *known == language);
    // The symbols of C# are found by declaration keywords; JSON and YAML have none.
    let has_symbols =
        !matches!(language, SupportLang::CSharp | SupportLang::Json | SupportLang::Yaml);
    (known && has_symbols).then_some(language)
}

/// Parses a text; `None` when it is too large, or parsing exceeds the time limit.
pub(super) fn parse(text: &str, language: SupportLang) -> Option<Root> {
    (text.len() <= MAX_TEXT_SIZE).then(|| parse_text(text, language)).flatten()
}

/// The tokens of a text; without a grammar for the file at `path`, the lines.
pub(super) fn tokens(path: &str, text: &str) -> Option<Tokens> {
    match language(path) {
        Some(language) => {
            parse(text, language).map(|root| node_tokens(&root.root(), text, language))
        }
        None => Some(line_tokens(path, text)),
    }
}

/// The tokens below `node`, a node of `text`.
pub(super) fn node_tokens(node: &Node<'_>, text: &str, language: SupportLang) -> Tokens {
    range_tokens(node, node.range(), text, language)
}

/// The tokens below `node` within `range` of `text`.
pub(super) fn range_tokens(
    node: &Node<'_>,
    range: Range<usize>,
    text: &str,
    language: SupportLang,
) -> Tokens {
    let mut tokens = Tokens::default();
    let mut end = range.start;
    // Nodes to visit, with their block depth: in Python, indentation is structure.
    let mut remaining = vec![(node.clone(), 0_usize, false)];
    while let Some((node, depth, is_dropped)) = remaining.pop() {
        let at = node.range();
        if at.start >= range.end || at.end <= range.start {
            continue;
        }
        let kind = node.kind();
        if is_comment(&node, &kind) {
            add_words(&mut tokens.comments, &text[at.clone()]);
            end = end.max(at.end);
            continue;
        }
        let is_statement =
            || node.parent().is_some_and(|parent| matches!(&*parent.kind(), "block" | "module"));
        if language == SupportLang::Python && is_statement() {
            push_token(&mut tokens.code, &depth.to_string(), language);
        }
        let is_leaf = node.is_leaf() || is_atomic(&kind);
        if !is_leaf {
            let depth = depth + usize::from(kind == "block");
            let children: Vec<Node<'_>> = node.children().collect();
            let dropped = formatting_children(&node, &kind, &children);
            let children = children.into_iter().enumerate().rev();
            remaining.extend(children.map(|(at, child)| (child, depth, dropped.contains(&at))));
            continue;
        }
        if is_dropped {
            end = end.max(at.end);
            continue;
        }
        // The text between tokens of the grammar can also be code.
        let gap = text.get(end..at.start).unwrap_or_default().trim();
        push_token(&mut tokens.code, gap, language);
        push_token(&mut tokens.code, &text[at.clone()], language);
        end = end.max(at.end);
    }
    tokens
}

/// The indexes of the children that rustfmt adds or removes: braces around the single expression of
/// a closure or match arm, and the comma after an arm.
fn formatting_children(node: &Node<'_>, kind: &str, children: &[Node<'_>]) -> Vec<usize> {
    if *node.lang() != SupportLang::Rust {
        return Vec::new();
    }
    if kind == "match_arm" {
        let comma = children.iter().rposition(|child| child.kind() == ",");
        return comma.into_iter().collect();
    }
    let is_body = node
        .parent()
        .is_some_and(|parent| matches!(&*parent.kind(), "closure_expression" | "match_arm"));
    let is_single = |inner: &Node<'_>| {
        let kind = inner.kind();
        inner.is_named() && !kind.ends_with("statement") && !kind.ends_with("declaration")
    };
    let is_bare = kind == "block" && is_body && children.len() == 3 && is_single(&children[1]);
    if is_bare { vec![0, 2] } else { Vec::new() }
}

/// Whether the node is a comment or, in Python, a statement that consists of a string.
fn is_comment(node: &Node<'_>, kind: &str) -> bool {
    if kind == "expression_statement" && *node.lang() == SupportLang::Python {
        let mut children = node.children();
        return children.next().is_some_and(|child| child.kind() == "string")
            && children.next().is_none();
    }
    kind.contains("comment")
}

/// Whether the text of a node of this kind contains more than the texts of its leaves.
fn is_atomic(kind: &str) -> bool {
    matches!(
        kind,
        "string"
            | "string_literal"
            | "raw_string_literal"
            | "interpreted_string_literal"
            | "encapsed_string"
            | "char_literal"
            | "template_string"
            | "regex"
            | "heredoc_body"
            | "jsx_text"
    )
}

/// Adds a token. Trailing commas and, in JavaScript and TypeScript, semicolons and the quote style
/// count as layout.
fn push_token(code: &mut String, token: &str, language: SupportLang) {
    if token.is_empty() {
        return;
    }
    let is_script =
        matches!(language, SupportLang::JavaScript | SupportLang::TypeScript | SupportLang::Tsx);
    if is_script && token == ";" {
        return;
    }
    if matches!(token, ")" | "]" | "}" | ">") && code.ends_with(",\u{1f}") {
        code.truncate(code.len() - 2);
    }
    let has_quotes = is_script || language == SupportLang::Python;
    match token.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(inner) if has_quotes && !inner.contains(['"', '\\', '\'']) => {
            code.push('"');
            code.push_str(inner);
            code.push('"');
        }
        _ => code.push_str(token),
    }
    code.push(TOKEN_SEPARATOR);
}

fn add_words(comments: &mut String, text: &str) {
    for word in text.split_whitespace() {
        comments.push_str(word);
        comments.push(' ');
    }
    comments.push(TOKEN_SEPARATOR);
}

/// The lines of a text without a grammar, trimmed unless indentation can be significant.
fn line_tokens(path: &str, text: &str) -> Tokens {
    let extension = path.rsplit('.').next().unwrap_or_default();
    let is_free_form =
        !matches!(extension, "hs" | "nim" | "fs" | "sass" | "styl" | "elm" | "ex" | "exs");
    let marks: &[&str] = match extension {
        "sql" | "lua" | "hs" | "elm" => &["--"],
        "r" | "jl" | "ex" | "exs" | "pl" | "nix" | "tf" | "fish" | "zsh" | "ps1" | "nim"
        | "graphql" | "gql" => &["#"],
        "kt" | "kts" | "swift" | "scala" | "cs" | "cc" | "cpp" | "cxx" | "hpp" | "dart"
        | "proto" | "zig" | "groovy" | "m" | "mm" | "less" | "scss" | "sol" | "fs" | "v"
        | "prisma" => &["//", "/*", "* ", "*/"],
        _ => &[],
    };
    let mut tokens = Tokens::default();
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            continue;
        }
        let target = if marks.iter().any(|mark| trimmed.starts_with(mark)) {
            &mut tokens.comments
        } else {
            &mut tokens.code
        };
        target.push_str(if is_free_form { trimmed } else { line.trim_end() });
        target.push(TOKEN_SEPARATOR);
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn compare(path: &str, one: &str, other: &str) -> (bool, bool) {
        let (one, other) =
            (tokens(path, one).expect("a small text"), tokens(path, other).expect("a small text"));
        (one.code == other.code, one.comments == other.comments)
    }

    #[test]
    fn layout_is_not_code() {
        assert_eq!(
            compare("a.rs", "fn a(b: u8,) {b}", "fn a(\n  b: u8\n) {\n  b\n}"),
            (true, true)
        );
        assert_eq!(compare("a.rs", "fn a() { \"x y\" }", "fn a() { \"x  y\" }"), (false, true));
        assert_eq!(compare("a.ts", "f('a');", "f(\"a\")\n"), (true, true));
        assert_eq!(compare("a.ts", "f(`a ${b} c`)", "f(`a ${b}c`)"), (false, true));
        assert_eq!(compare("a.js", "f('a \"b')", "f(\"a \\\"b\")"), (false, true));
        let arms = "fn a() { match b { 1 => { c(|d| e) } _ => f, } }";
        assert_eq!(
            compare("a.rs", arms, "fn a() { match b { 1 => c(|d| { e }), _ => f } }"),
            (true, true)
        );
        assert_eq!(
            compare("a.rs", arms, "fn a() { match b { 1 => c(|d| { e; }), _ => f } }"),
            (false, true)
        );
        assert_eq!(compare("a.go", "func a() { b() }", "func a() {\n\tb()\n}"), (true, true));
        assert_eq!(compare("a.kt", "  fun a() {}\n", "fun a() {}\n\n"), (true, true));
    }

    #[test]
    fn the_layout_of_python_is_code() {
        let nested = "if a:\n    b()\n    c()\n";
        assert_eq!(compare("a.py", nested, "if a:\n  b()\n  c()\n"), (true, true));
        assert_eq!(compare("a.py", nested, "if a:\n    b()\nc()\n"), (false, true));
        assert!(compare("a.py", "f(a,\n  b)\n", "f(a, b)\n").0);
    }

    #[test]
    fn comments_are_separated_from_code() {
        assert_eq!(compare("a.rs", "// a\nfn b() {}", "/// c\nfn b() {}"), (true, false));
        assert_eq!(compare("a.py", "def a():\n  'x'\n  b()", "def a():\n  b()"), (true, false));
        assert_eq!(compare("a.sql", "-- a\nSELECT 1;", "SELECT 1;"), (true, false));
        assert_eq!(
            compare("a.rs", "// a\n// b\nfn c() {}", "//  a\n\n// b\nfn c() {}"),
            (true, true)
        );
    }
}
