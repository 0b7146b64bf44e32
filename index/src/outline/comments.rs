//! The comments before declarations.

use super::build::Build;
use ast_grep_language::SupportLang;
use tree_sitter::Node;

/// Maximum length of a line before a declaration, in bytes.
const MAX_LINE: usize = 2000;
/// Maximum number of lines with attributes between a comment and its declaration.
const MAX_MARKS: usize = 30;

impl Build<'_> {
    /// The start of the line with the offset `at`; `None` if the line is too long to be written by
    /// hand.
    fn line_start(&self, at: usize) -> Option<usize> {
        let from = at.saturating_sub(MAX_LINE);
        let before = self.text.as_bytes().get(from..at)?;
        let line_break = before.iter().rposition(|&byte| byte == b'\n');
        line_break.map(|at| from + at + 1).or_else(|| (from == 0).then_some(0))
    }

    /// The first sentence of the comments directly before `node`, without comment delimiters.
    pub(super) fn doc_before(&self, node: Node<'_>) -> Option<String> {
        // `export` and other words can precede the declaration on its line.
        let mut at = self.line_start(node.start_byte())?;
        let mut lines = Vec::new();
        let mut marks = 0;
        loop {
            let before = self.text.get(..at)?.trim_end_matches([' ', '\t']);
            let before = before.strip_suffix('\n')?;
            let line_start = self.line_start(before.len())?;
            let line = before.get(line_start..)?.trim();
            let is_mark = line.starts_with("#[")
                || self.language == SupportLang::CSharp && line.starts_with('[')
                || matches!(line, "export" | "export default");
            if line.starts_with('@') || is_mark {
                at = line_start;
                marks += 1;
                if marks > MAX_MARKS {
                    return None;
                }
                continue;
            }
            let is_hash = self.language == SupportLang::Ruby && line.starts_with('#');
            if line.starts_with("//") || line.starts_with('*') || line.starts_with("/*") || is_hash
            {
                lines.push(line);
                at = line_start;
                if lines.len() > 30 || line.starts_with("/*") {
                    break;
                }
                continue;
            }
            break;
        }
        lines.reverse();
        sentence(lines.into_iter().map(|line| {
            let line = line.trim_start_matches("/**").trim_start_matches("/*");
            let line = line.trim_start_matches(['/', '*', '!', '#']).trim_end_matches("*/").trim();
            line.trim_start_matches("<summary>").trim_end_matches("</summary>").trim()
        }))
    }
}

/// The first sentence of `lines`.
pub(super) fn sentence<'l>(lines: impl Iterator<Item = &'l str>) -> Option<String> {
    let mut text = String::new();
    for line in lines {
        if line.is_empty() || line.starts_with('@') {
            if text.is_empty() {
                continue;
            }
            break;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(line);
        if let Some(end) = text.find(". ") {
            text.truncate(end + 1);
            break;
        }
        if text.ends_with('.') || text.len() > 200 {
            break;
        }
    }
    text.truncate(text.floor_char_boundary(200));
    (!text.is_empty()).then_some(text)
}
