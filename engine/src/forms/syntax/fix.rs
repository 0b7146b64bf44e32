//! The replacements of syntax patterns.

use super::linked::LinkedMatch;
use crate::text::finding::Edit;
use crate::text::source::Span;
use aidd_page::SyntaxHeader;
use ast_grep_config::{Fixer, RuleConfig};
use ast_grep_language::SupportLang;
use serde_json::Value;

/// The title of a replacement. It contains the text if the text is short and has no string, which
/// could be a secret.
pub(super) fn replacement_title(text: &str) -> String {
    const MAX_SHOWN_CHARS: usize = 60;
    let is_short =
        text.chars().count() <= MAX_SHOWN_CHARS && !text.contains(['\n', '"', '\'', '`']);
    match text.trim() {
        "" => "Delete it".to_owned(),
        text if is_short => format!("Replace with `{text}`"),
        _ => "Rewrite it".to_owned(),
    }
}

/// Whether the match binds the variables that the transformations start from. A rule binds them
/// only where its fix is right.
pub(super) fn binds_sources(header: &SyntaxHeader, found: &LinkedMatch<'_>) -> bool {
    let Some(yaml) = &header.transform else { return true };
    let Ok(Value::Object(all)) = serde_json::from_str(&yaml.0) else { return true };
    let mut sources = all.values().filter_map(|it| it.as_object()?.values().next()?.get("source"));
    sources.all(|source| {
        let name = source.as_str().and_then(|source| source.strip_prefix('$'));
        name.is_none_or(|name| {
            name.starts_with('$')
                || all.contains_key(name)
                || found.get_env().get_match(name).is_some()
        })
    })
}

/// The edit that a fixer makes of a match.
pub(super) fn edit(
    fixer: &Fixer,
    found: &LinkedMatch<'_>,
    config: &RuleConfig<SupportLang>,
) -> Edit {
    let edit = found.make_edit(&config.matcher, fixer);
    let span = Span::new(edit.position, edit.position + edit.deleted_length);
    Edit::replace(span, String::from_utf8_lossy(&edit.inserted_text))
}
