//! The page of a rule, as a hover or the documentation of a completion shows it.

use crate::convert;
use crate::workspace::Workspace;
use aidd_engine::examples::JOIN_MARK;
use aidd_engine::rule::Rule;
use std::fmt::Write as _;
use tower_lsp_server::ls_types::{MarkupContent, MarkupKind};

/// How much of a page is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All of it, examples included.
    Whole,
    /// What stands before its sections.
    Why,
}

/// The page of `rule` in Markdown: why it matters, then its examples. What the examples are
/// expected to give is left out.
#[must_use]
pub fn markdown(rule: &Rule, part: Part) -> String {
    let mut text = String::new();
    let mut fence: Option<bool> = None;
    for line in rule.body().lines() {
        if let Some(info) = line.strip_prefix("```") {
            fence = match fence {
                None => {
                    let word = info.split_whitespace().next().unwrap_or_default();
                    if word != "finding" {
                        let _ = writeln!(text, "```{word}");
                    }
                    Some(word != "finding")
                }
                Some(shown) => {
                    if shown {
                        text.push_str("```\n");
                    }
                    None
                }
            };
        } else if let Some(shown) = fence {
            if shown {
                let _ = writeln!(text, "{}", line.replace(JOIN_MARK, "…"));
            }
        } else if let Some(heading) = line.strip_prefix("## ") {
            if part == Part::Why {
                break;
            }
            let _ = writeln!(text, "#### {heading}");
        } else if !(line.starts_with("# ") || line.is_empty() && text.ends_with("\n\n")) {
            let _ = writeln!(text, "{line}");
        }
    }
    text.trim().to_owned()
}

/// The rule's name, its severity by its page, and what peers call it.
#[must_use]
pub fn heading(workspace: &Workspace, rule: &Rule) -> String {
    let name = match convert::page(workspace, rule) {
        Some(page) => format!("[{}]({})", rule.id, page.as_str()),
        None => format!("`{}`", rule.id),
    };
    let mut text = format!("**{name}** · {}", rule.severity);
    if !rule.enabled {
        text.push_str(" · off by default");
    }
    if !rule.aliases.is_empty() {
        let _ = write!(text, " · also {}", rule.aliases.join(", "));
    }
    text
}

/// The Markdown as the client wants it.
#[must_use]
pub fn content(markdown: String, is_markdown: bool) -> MarkupContent {
    if is_markdown {
        MarkupContent { kind: MarkupKind::Markdown, value: markdown }
    } else {
        MarkupContent { kind: MarkupKind::PlainText, value: plain(&markdown) }
    }
}

/// The words of a Markdown text: no marks, code indented.
fn plain(markdown: &str) -> String {
    let mut text = String::new();
    let mut in_code = false;
    for line in markdown.lines() {
        if line.starts_with("```") {
            in_code = !in_code;
        } else if in_code {
            let _ = writeln!(text, "    {line}");
        } else if line != "---" {
            let line = line.trim_start_matches('#').trim_start();
            let _ = writeln!(text, "{}", without_links(&line.replace(['`'], "").replace("**", "")));
        }
    }
    text.trim().to_owned()
}

/// `[words](address)` as `words (address)`.
fn without_links(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('[') {
        let link = after.split_once("](").and_then(|(words, after)| {
            let (address, after) = after.split_once(')')?;
            Some((words, address, after))
        });
        let Some((words, address, after)) = link.filter(|(words, ..)| !words.contains('[')) else {
            text.push_str(before);
            text.push('[');
            rest = after;
            continue;
        };
        let _ = write!(text, "{before}{words} ({address})");
        rest = after;
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_has_no_marks() {
        assert_eq!(
            plain("**[a/b](http://x)** · error\n\n#### Fails\n\n```sh\n# `c`\n```\n[d] `e`\n"),
            "a/b (http://x) · error\n\nFails\n\n    # `c`\n[d] e"
        );
    }
}
