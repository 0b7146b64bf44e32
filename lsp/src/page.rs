//! The page of a rule, as a hover or the documentation of a completion shows it.

use crate::convert;
use crate::workspace::Workspace;
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::escape::markdown as escape;
use aidd_engine::workspace::examples::JOIN_MARK;
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
    // What the project writes itself is untrusted; our pages are shown as they are.
    if rule.path.is_some() { escape::page(&text) } else { text.trim().to_owned() }
}

/// The rule's name, its severity by its page, and what peers call it.
#[must_use]
pub fn heading(workspace: &Workspace, rule: &Rule) -> String {
    let name = match convert::page(workspace, rule) {
        Some(page) => escape::link(&rule.id, page.as_str()),
        None => escape::words(&rule.id),
    };
    let mut text = format!("**{name}** · {}", rule.severity);
    if !rule.enabled {
        text.push_str(" · off by default");
    }
    if !rule.aliases.is_empty() {
        let _ = write!(text, " · also {}", escape::words(&rule.aliases.join(", ")));
    }
    text
}

/// The Markdown as the client wants it.
#[must_use]
pub fn content(markdown: String, is_markdown: bool) -> MarkupContent {
    if is_markdown {
        MarkupContent { kind: MarkupKind::Markdown, value: markdown }
    } else {
        MarkupContent { kind: MarkupKind::PlainText, value: escape::plain(&markdown) }
    }
}
