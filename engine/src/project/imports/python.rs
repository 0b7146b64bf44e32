//! Reads the imports of Python.

use super::{Facts, Import, Imported, Name, Node, span, with_words};
use crate::text::source::Span;

/// The context of an import statement.
#[derive(Clone, Copy)]
struct ImportContext {
    type_only: bool,
    deferred: bool,
}

pub(super) fn read(root: &Node<'_>, facts: &mut Facts) {
    // Nodes are visited in text order, so one offset is sufficient to know whether a block is still
    // open.
    let mut types_until = 0;
    let mut deferred_until = 0;
    for node in with_words(root, &["import"]) {
        let at = node.range().start;
        let context = ImportContext { type_only: at < types_until, deferred: at < deferred_until };
        match &*node.kind() {
            "function_definition" => deferred_until = deferred_until.max(node.range().end),
            "if_statement" if is_for_types(&node) => {
                let block = node.field("consequence").map_or(0, |block| block.range().end);
                types_until = types_until.max(block);
            }
            "import_statement" => {
                for name in node.field_children("name") {
                    let Some(module) = module_of(&name) else { continue };
                    add_import(module, None, span(&name), span(&name), context, facts);
                    // `import a.b` binds `a`.
                    let first = name.children().find(Node::is_named);
                    let local = name.field("alias").or(first);
                    facts.bind(Imported::Module, local.as_ref(), None, &name);
                }
            }
            "import_from_statement" => add_from_import(&node, context, facts),
            _ => {}
        }
    }
}

fn is_for_types(statement: &Node<'_>) -> bool {
    statement.field("condition").is_some_and(|condition| {
        let text = condition.text();
        text == "TYPE_CHECKING" || text.ends_with(".TYPE_CHECKING")
    })
}

/// A module: number of leading dots, and name.
type Module = (usize, String);

/// The name in `a.b` and `a.b as c`, without white space between its parts.
fn module_of(node: &Node<'_>) -> Option<Module> {
    let name = match &*node.kind() {
        "aliased_import" => node.field("name")?,
        _ => node.clone(),
    };
    Some((0, name.text().split_whitespace().collect()))
}

fn add_from_import(statement: &Node<'_>, context: ImportContext, facts: &mut Facts) {
    let Some(module) = statement.field("module_name") else { return };
    let at = span(&module);
    let text: String = module.text().split_whitespace().collect();
    let level = text.bytes().take_while(|byte| *byte == b'.').count();
    let module = (level, text[level..].to_owned());
    let mut has_names = false;
    for name in statement.field_children("name") {
        let Some((_, member)) = module_of(&name) else { continue };
        add_import(module.clone(), Some(member.clone()), span(&name), at, context, facts);
        let local = name.field("alias").unwrap_or_else(|| name.clone());
        facts.bind(Imported::Member(member), Some(&local), None, &name);
        has_names = true;
    }
    if !has_names {
        add_import(module, None, at, at, context, facts);
        let wildcard = statement.children().find(|child| child.kind() == "wildcard_import");
        if let Some(wildcard) = wildcard {
            facts.bind(Imported::All, None, None, &wildcard);
        }
    }
}

fn add_import(
    (level, module): Module,
    member: Option<String>,
    span: Span,
    statement: Span,
    ImportContext { type_only, deferred }: ImportContext,
    facts: &mut Facts,
) {
    facts.imports.push(Import {
        name: Name::Python { level, module, member },
        span,
        statement,
        type_only,
        deferred,
        test: false,
        inline: false,
        binds: None,
    });
}
