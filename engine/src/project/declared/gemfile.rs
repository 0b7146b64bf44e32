//! Reads a `Gemfile` from its syntax tree, without running it.

use super::super::stack::Group;
use super::{Declared, Manifest, Origin, Repository};
use crate::parse::syntax;
use crate::text::source::Span;
use ast_grep_core::Node;
use ast_grep_core::tree_sitter::StrDoc;
use ast_grep_language::SupportLang;

type Ruby<'t> = Node<'t, StrDoc<SupportLang>>;

/// Maximum number of blocks around a gem that are examined.
const MAX_BLOCKS: usize = 16;

pub(super) fn read(text: &str, manifest: &mut Manifest) -> Option<()> {
    let tree = syntax::parse_text(text, SupportLang::Ruby)?;
    for node in tree.root().dfs().filter(|node| node.kind() == "call") {
        let Some(arguments) = node.field("arguments") else { continue };
        let method = node.field("method").map(|method| method.text().into_owned());
        match method.as_deref() {
            Some("gem") => manifest.dependencies.extend(gem(&node, &arguments)),
            Some("source") => {
                let url = arguments.children().find_map(|argument| string(&argument));
                manifest.repositories.extend(url.map(|(url, span)| Repository { url, span }));
            }
            _ => {}
        }
    }
    Some(())
}

/// The content of a string without interpolation, and its span without quotes.
fn string(node: &Ruby<'_>) -> Option<(String, Span)> {
    if node.kind() != "string" {
        return None;
    }
    let mut parts = node.children().filter(|child| !matches!(&*child.kind(), "\"" | "'"));
    let content = parts.next().filter(|child| child.kind() == "string_content")?;
    let range = content.range();
    parts.next().is_none().then(|| (content.text().into_owned(), Span::new(range.start, range.end)))
}

fn gem(call: &Ruby<'_>, arguments: &Ruby<'_>) -> Option<Declared> {
    let (name, span) = arguments.children().find_map(|argument| string(&argument))?;
    let range = call.range();
    let mut group = Group::Normal;
    let mut is_conditional = false;
    for above in call.ancestors().take(MAX_BLOCKS) {
        match &*above.kind() {
            "if" | "unless" | "if_modifier" | "unless_modifier" | "case" | "conditional" => {
                is_conditional = true;
            }
            "call" => {
                match above.field("method").map(|method| method.text().into_owned()).as_deref() {
                    Some("group") if is_dev(&above) => group = Group::Dev,
                    Some("group") => {}
                    _ => is_conditional = true,
                }
            }
            _ => {}
        }
    }
    let mut declared = Declared::new(&name, span, Span::new(range.start, range.end), group);
    let requirements = arguments.children().filter_map(|argument| string(&argument)).skip(1);
    let requirements: Vec<String> = requirements.map(|(text, _)| text).collect();
    declared.requirement = (!requirements.is_empty()).then(|| requirements.join(", "));
    for pair in arguments.children().filter(|child| child.kind() == "pair") {
        let key = pair.field("key").map(|key| key.text().trim_matches([':', '"', '\'']).to_owned());
        match key.as_deref() {
            Some("git" | "github" | "gist" | "bitbucket" | "gitlab") => {
                declared.origin = Origin::Git;
            }
            Some("path") => declared.origin = Origin::Path,
            Some("group" | "groups") if is_dev(&pair) => declared.group = Group::Dev,
            Some("platforms" | "platform" | "install_if") => is_conditional = true,
            _ => {}
        }
    }
    declared.configures = is_conditional;
    Some(declared)
}

/// Whether a node names only groups for development.
fn is_dev(node: &Ruby<'_>) -> bool {
    let line = node.text();
    let line = line.lines().next().unwrap_or_default();
    [":development", ":test", ":ci"].iter().any(|group| line.contains(group))
}
