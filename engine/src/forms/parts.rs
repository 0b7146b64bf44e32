//! The part of a file that an offset belongs to: code, comments, strings, prose or headings,
//! according to the parser of the language.

use super::syntax;
use crate::parse::dockerfile::Dockerfile;
use crate::parse::markdown;
use crate::parse::syntax::Tree;
use crate::text::kind::{self, Kind};
use crate::text::source::{Source, Span};
use aidd_page::Part;
use ast_grep_language::SupportLang;

/// The parts of one file: each entry applies from its offset up to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts(Vec<(u32, Option<Part>)>);

/// The parser that determines the parts of a file.
enum Reader {
    Tree(SupportLang),
    Markdown,
    Dockerfile,
    Plain,
}

/// Whether a pattern that is limited to the parts `parts` applies to the file at `path`.
#[must_use]
pub fn applies_to(parts: &[Part], path: &str) -> bool {
    includes_every_part(parts) || reader(path).is_some()
}

/// Whether a match can begin in any part.
#[must_use]
pub fn includes_every_part(parts: &[Part]) -> bool {
    parts.is_empty() || parts.contains(&Part::All)
}

fn reader(path: &str) -> Option<Reader> {
    let kinds = kind::kinds(path, "");
    if kinds.contains(&Kind::MARKDOWN) {
        return Some(Reader::Markdown);
    }
    if kinds.contains(&Kind::DOCKERFILE) {
        return Some(Reader::Dockerfile);
    }
    if let Some((_, language)) = syntax::language_of(path) {
        return Some(Reader::Tree(language));
    }
    let is_plain = path.to_ascii_lowercase().ends_with(".txt");
    is_plain.then_some(Reader::Plain)
}

impl Parts {
    /// The parts of `source`, whose tree is `tree`; `None` if there is no parser for its language,
    /// or the parser timed out.
    #[must_use]
    pub fn of(source: &Source, tree: &Tree<'_>) -> Option<Self> {
        let text = source.text();
        Some(match reader(source.path())? {
            Reader::Markdown => Self::nested(None, markdown::parts(text)),
            Reader::Dockerfile => {
                let file = crate::parse::dockerfile::parse(text);
                Self::nested(Some(Part::Code), comments(&file))
            }
            Reader::Plain => Self(vec![(0, Some(Part::Prose))]),
            Reader::Tree(language) => {
                let root = tree.in_language(language)?.root();
                let named = root.dfs().filter(ast_grep_core::Node::is_named);
                let spans = named.filter_map(|node| {
                    let part = part_of(&node.kind(), language)?;
                    Some((Span::from(node.range()), part))
                });
                Self::nested(Some(Part::Code), spans)
            }
        })
    }

    /// The part that the byte at `offset` belongs to.
    #[must_use]
    pub fn at(&self, offset: u32) -> Option<Part> {
        let after = self.0.partition_point(|&(start, _)| start <= offset);
        after.checked_sub(1).and_then(|last| self.0[last].1)
    }

    /// The parts of `spans`. Each span is nested in an earlier span or follows all earlier spans.
    /// Text outside all spans belongs to `outer`.
    fn nested(outer: Option<Part>, spans: impl IntoIterator<Item = (Span, Part)>) -> Self {
        let mut pieces = vec![(0, outer)];
        let mut open: Vec<(u32, Part)> = Vec::new();
        let close = |open: &mut Vec<(u32, Part)>, pieces: &mut Vec<_>, until: u32| {
            while let Some((end, _)) = open.pop_if(|(end, _)| *end <= until) {
                pieces.push((end, open.last().map_or(outer, |(_, part)| Some(*part))));
            }
        };
        for (span, part) in spans {
            close(&mut open, &mut pieces, span.start);
            let end = open.last().map_or(span.end, |(end, _)| span.end.min(*end));
            open.push((end, part));
            pieces.push((span.start, Some(part)));
        }
        close(&mut open, &mut pieces, u32::MAX);
        Self(pieces)
    }
}

fn comments(file: &Dockerfile) -> Vec<(Span, Part)> {
    let directives = file.directives.iter().map(|directive| directive.span);
    let mut spans: Vec<Span> = file.comments.iter().map(|comment| comment.span).collect();
    // A directive has the syntax of a comment, but is code.
    spans.retain(|span| !directives.clone().any(|directive| directive.overlaps(*span)));
    spans.sort_unstable();
    spans.into_iter().map(|span| (span, Part::Comments)).collect()
}

/// The part that a node of this kind represents, regardless of its parents. The names of the kinds
/// come from the built-in grammars.
fn part_of(kind: &str, language: SupportLang) -> Option<Part> {
    match kind {
        "comment" | "line_comment" | "block_comment" | "js_comment" | "html_comment" => {
            Some(Part::Comments)
        }
        "string"
        | "string_literal"
        | "raw_string_literal"
        | "verbatim_string_literal"
        | "interpolated_string_expression"
        | "interpreted_string_literal"
        | "system_lib_string"
        | "template_string"
        | "string_value"
        | "quoted_attribute_value"
        | "encapsed_string"
        | "heredoc"
        | "nowdoc"
        | "heredoc_body"
        | "string_array"
        | "raw_string"
        | "ansi_c_string"
        | "double_quote_scalar"
        | "single_quote_scalar"
        | "block_scalar" => Some(Part::Strings),
        "template_substitution"
        | "interpolation"
        | "string_interpolation"
        | "command_substitution"
        | "process_substitution"
        | "simple_expansion"
        | "expansion" => Some(Part::Code),
        "jsx_text" => Some(Part::Prose),
        "text" if language == SupportLang::Html => Some(Part::Prose),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The text split into its parts, one per line.
    fn part_texts(path: &str, text: &str) -> Vec<String> {
        let source = Source::new(path, text);
        let Some(parts) = Parts::of(&source, &Tree::new(&source)) else { return Vec::new() };
        let mut runs: Vec<(Option<Part>, String)> = Vec::new();
        for (at, c) in text.char_indices() {
            let part = parts.at(Span::at(at).start);
            match runs.last_mut().filter(|(last, _)| *last == part) {
                Some((_, run)) => run.push(c),
                None => runs.push((part, c.to_string())),
            }
        }
        let is_not_blank = |run: &(_, String)| !run.1.trim().is_empty();
        let line = |(part, run): (Option<Part>, String)| match part {
            Some(part) => format!("{part:?} {}", run.trim()).to_lowercase(),
            None => format!("- {}", run.trim()).to_lowercase(),
        };
        runs.into_iter().filter(is_not_blank).map(line).collect()
    }

    #[test]
    fn a_program_has_code_comments_and_strings() {
        assert_eq!(
            part_texts("a.ts", "let a: string = `b ${c('d')} e`; // f \"g\"\n/* h */"),
            [
                "code let a: string =",
                "strings `b",
                "code ${c(",
                "strings 'd'",
                "code )}",
                "strings e`",
                "code ;",
                "comments // f \"g\"",
                "comments /* h */"
            ]
        );
        assert_eq!(
            part_texts("a.rs", "/// a \"b\"\nlet c = r#\"// d\"#; /* e */ 'f'"),
            [
                "comments /// a \"b\"",
                "code let c =",
                "strings r#\"// d\"#",
                "code ;",
                "comments /* e */",
                "code 'f'"
            ]
        );
        assert_eq!(
            part_texts("a.py", "x = f'a {b} c'  # d\n"),
            ["code x =", "strings f'a", "code {b}", "strings c'", "comments # d"]
        );
        assert_eq!(
            part_texts("a.go", "a := `// b` + \"c\" // d\n"),
            ["code a :=", "strings `// b`", "code +", "strings \"c\"", "comments // d"]
        );
        assert_eq!(
            part_texts("a.java", "class A { String b = \"// c\"; /** d */ }"),
            [
                "code class a { string b =",
                "strings \"// c\"",
                "code ;",
                "comments /** d */",
                "code }"
            ]
        );
        assert_eq!(
            part_texts("a.sh", "a=\"b $(c) d\" # e\n"),
            ["code a=", "strings \"b", "code $(c)", "strings d\"", "comments # e"]
        );
        assert_eq!(
            part_texts("a.rb", "a = \"b #{c} d\" # e\n"),
            ["code a =", "strings \"b", "code #{c}", "strings d\"", "comments # e"]
        );
        assert_eq!(
            part_texts("a.yaml", "a: 'b # c' # d\n"),
            ["code a:", "strings 'b # c'", "comments # d"]
        );
        assert_eq!(
            part_texts("a.css", "a { b: \"c\" } /* d */"),
            ["code a { b:", "strings \"c\"", "code }", "comments /* d */"]
        );
        assert_eq!(
            part_texts("a.tsx", "<p title=\"a\">b {c} d</p>"),
            [
                "code <p title=",
                "strings \"a\"",
                "code >",
                "prose b",
                "code {c}",
                "prose d",
                "code </p>"
            ]
        );
        assert_eq!(
            part_texts("a.html", "<!-- a --><p title=\"b\">c</p><script>d</script>"),
            [
                "comments <!-- a -->",
                "code <p title=",
                "strings \"b\"",
                "code >",
                "prose c",
                "code </p><script>d</script>"
            ]
        );
        assert_eq!(
            part_texts("a.php", "<p>a</p><?php $b = 'c'; // d\n"),
            ["code <p>a</p><?php $b =", "strings 'c'", "code ;", "comments // d"]
        );
    }

    #[test]
    fn a_document_has_prose_headings_and_code() {
        assert_eq!(
            part_texts(
                "a.md",
                "---\na: b\n---\n# C `d`\n\nE *f* [g](h.md) `i` <!-- j -->\n\n```sh\n# k\n```\n\n<!-- l -->\n"
            ),
            [
                "- ---\na: b\n---\n#",
                "headings c",
                "code `d`",
                "prose e",
                "- *",
                "prose f",
                "- *",
                "- [",
                "prose g",
                "- ](h.md)",
                "code `i`",
                "comments <!-- j -->",
                "- ```sh",
                "code # k",
                "- ```",
                "comments <!-- l -->"
            ]
        );
        assert_eq!(
            part_texts("Dockerfile", "# syntax=x\n# a\nFROM b\n"),
            ["code # syntax=x", "comments # a", "code from b"]
        );
        assert_eq!(part_texts("a.txt", "b"), ["prose b"]);
        assert_eq!(part_texts("a.toml", "b = 1"), [""; 0]);
        assert!(applies_to(&[], "a.toml") && applies_to(&[Part::All], "a.toml"));
        assert!(!applies_to(&[Part::Code], "a.toml") && applies_to(&[Part::Code], "a.rs"));
    }

    proptest! {
        #[test]
        fn the_parts_of_any_text_are_sorted(
            text in "([#`<>!\\-/*'\"{}$() \n]|a|é|```\n|<!--|-->|\\$\\{){0,60}",
            path in "a\\.(md|ts|rs|py|html|sh|yaml|rb)",
        ) {
            let source = Source::new(path.as_str(), text.as_str());
            let parts = Parts::of(&source, &Tree::new(&source)).expect("a parser");
            prop_assert!(parts.0.is_sorted_by_key(|(start, _)| *start));
            let _ = parts.at(Span::at(text.len()).start);
        }
    }
}
