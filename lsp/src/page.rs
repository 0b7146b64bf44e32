//! The page of a rule for hovers and the documentation of completions.

use crate::convert;
use crate::workspace::Workspace;
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::escape::markdown as escape;
use aidd_engine::workspace::examples::JOIN_MARK;
use std::fmt::Write as _;
use tower_lsp_server::ls_types::{MarkupContent, MarkupKind};

/// Which part of a page is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The whole page, including examples.
    Whole,
    /// The text before the first section.
    Why,
}

/// The page of `rule` in Markdown: explanation, then examples. The expected findings in the
/// examples are omitted.
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
                Some(is_shown) => {
                    if is_shown {
                        text.push_str("```\n");
                    }
                    None
                }
            };
        } else if let Some(is_shown) = fence {
            if is_shown {
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
    // Pages of the project are untrusted; built-in pages are shown verbatim.
    if rule.path.is_some() { escape::page(&text) } else { text.trim().to_owned() }
}

/// The rule's name, the severity from its page, and its aliases in other tools.
#[must_use]
pub fn heading(workspace: &Workspace, rule: &Rule) -> String {
    let name = match convert::page(workspace, rule) {
        Some(page) => escape::link(&rule.id, page.as_str()),
        None => escape::words(&rule.id),
    };
    let mut text = format!("**{name}** · {}", rule.severity);
    if !rule.enabled {
        text.push_str(" · disabled by default");
    }
    if !rule.aliases.is_empty() {
        let _ = write!(text, " · also {}", escape::words(&rule.aliases.join(", ")));
    }
    text
}

/// The Markdown in the format that the client supports.
#[must_use]
pub fn content(markdown: String, is_markdown: bool) -> MarkupContent {
    if is_markdown {
        MarkupContent { kind: MarkupKind::Markdown, value: markdown }
    } else {
        MarkupContent { kind: MarkupKind::PlainText, value: escape::plain(&markdown) }
    }
}
