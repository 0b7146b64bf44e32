//! The checks that are written in the header of a page, shipped or from the project.

pub mod all;
pub mod commits;
pub mod data;
pub mod dependencies;
pub mod doc;
mod expression;
pub mod generated;
mod keywords;
pub mod layers;
pub mod parts;
pub mod password;
pub mod prefilter;
pub mod project_form;
pub(crate) mod secret_name;
pub mod syntax;
pub mod text;
pub mod tree;
pub mod variants;
pub mod when;

use crate::parse::markdown;
use crate::parse::values::Format;
use crate::rules::rule::Rule;
use crate::text::paths::{Globs, scope_of};
use crate::text::source::{Source, Span};
use aidd_page::{CheckHeader, SyntaxHeader};
use commits::CommitCheck;
pub use expression::ExpressionError;
use layers::LayersCheck;

/// The problems of the check in a rule's header, as one message each; empty if the check is valid.
#[must_use]
pub fn problems(rule: &Rule) -> Vec<String> {
    let Some(check) = &rule.check else { return Vec::new() };
    let mut problems = Vec::new();
    problems.extend(error_message(Globs::new(&check.files, &check.exclude)));
    let text_error = |header| text::check_header(header, check.fix.as_deref()).err();
    problems.extend(check.text.as_ref().and_then(text_error));
    problems.extend(check.syntax.as_ref().and_then(|header| syntax::check_header(header).err()));
    problems.extend(check.data.as_ref().and_then(|header| data::check_header(header).err()));
    let base = rule.path.as_deref().map_or("", scope_of);
    problems.extend(check.doc.as_ref().and_then(|header| doc::check_header(header).err()));
    problems.extend(
        check.layers.as_ref().and_then(|header| error_message(LayersCheck::new(header, base))),
    );
    problems.extend(
        check.commit.as_ref().and_then(|header| error_message(CommitCheck::new(header, base))),
    );
    problems.extend(check.when.iter().filter_map(|when| when::check_header(when).err()));
    if check.tree.is_some() {
        problems.extend(error_message(tree::TreeCheck::new(check, base, template(rule))));
    }
    problems
}

/// The message of the error, if any.
fn error_message<T>(result: Result<T, impl ToString>) -> Option<String> {
    result.err().map(|error| error.to_string())
}

/// Whether a check in the header of the page at `page` applies to the file at `path`.
#[must_use]
pub fn applies_to(check: &CheckHeader, page: Option<&str>, path: &str) -> bool {
    let reads = |header: &SyntaxHeader| syntax::applies_to(header, path);
    check.syntax.as_deref().is_none_or(reads)
        && check.text.as_ref().is_none_or(|header| parts::applies_to(&header.parts, path))
        && (check.data.is_none() || Format::from_path(path).is_some())
        && (check.doc.is_none() || Format::from_path(path) == Some(Format::FrontMatter))
        && Globs::from_check(check, page).matches(path)
}

/// The first code block under `## Template` of a rule's page: the initial contents of a file that
/// the rule requires.
#[must_use]
pub fn template(rule: &Rule) -> Option<String> {
    let at = rule.page.find("\n## Template")? + 1;
    let source = Source::new("page.md", &rule.page[at..]);
    let end = source.text()[3..].find("\n## ").map_or(source.text().len(), |end| end + 3);
    let fences = markdown::fences(&source, |_| true).into_iter();
    let mut template_fences = fences
        .filter(|fence| fence.pieces.first().is_none_or(|(_, span)| (span.start as usize) < end));
    template_fences.next().map(|fence| fence.text)
}

/// Replaces the `<names>` in a page's message: `<path>`, `<dir>`, `<name>`, `<stem>`, `<ext>`,
/// `<match>` (the first line of the text under `span`) and the names that `capture` resolves.
/// Unknown names are left unchanged.
pub(crate) fn fill(
    message: &str,
    source: &Source,
    span: Span,
    capture: impl Fn(&str) -> Option<String>,
) -> String {
    let mut filled = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(open) = rest.find('<') {
        filled.push_str(&rest[..open]);
        rest = &rest[open..];
        let Some(close) = rest.find('>') else { break };
        let name = &rest[1..close];
        match capture(name).or_else(|| built_in_value(name, source, span)) {
            Some(value) => {
                filled.push_str(&value);
                rest = &rest[close + 1..];
            }
            None => {
                filled.push('<');
                rest = &rest[1..];
            }
        }
    }
    filled.push_str(rest);
    filled
}

fn built_in_value(name: &str, source: &Source, span: Span) -> Option<String> {
    let file = source.name();
    let (stem, extension) = file.rsplit_once('.').unwrap_or((file, ""));
    let value = match name {
        "path" => source.path(),
        "dir" => source.path().rsplit_once('/').map_or("", |(dir, _)| dir),
        "name" => file,
        "stem" => stem,
        "ext" => extension,
        "match" => source.slice(span).lines().next().unwrap_or_default(),
        _ => return None,
    };
    Some(value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_in_messages_are_replaced() {
        let source = Source::new("src/a.test.ts", "foo(1)");
        let filled = |message: &str| {
            fill(message, &source, Span::new(0, 3), |name| (name == "ARG").then(|| "1".to_owned()))
        };
        assert_eq!(
            filled("`<match>` of <ARG> in <dir>/<stem>.<ext>"),
            "`foo` of 1 in src/a.test.ts"
        );
        assert_eq!(filled("a < b, <other> and <path"), "a < b, <other> and <path");
    }
}
