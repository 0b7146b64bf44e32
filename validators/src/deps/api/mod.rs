//! Uses of APIs that the declared version of a package, language or runtime has removed or
//! deprecated. The APIs are in a table; uses are found through the names that imports bind.

mod guards;
mod names;
mod report;
mod table;
#[cfg(test)]
mod tests;
mod versions;

use aidd_engine::check::FileContext;
use aidd_engine::project::imports::{self, Binding, Facts, Imported, Language, Name};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Edit;
use aidd_engine::text::purpose::Purpose;
use aidd_engine::text::source::Span;
use guards::{Optional, is_guarded};
use names::{Names, Syntax, called, join, member, members, text_of};
use std::collections::HashSet;
use table::{APIS, Api, Table};
use tree_sitter::Node;

/// The rule on APIs that the declared version does not have.
pub(super) const REMOVED: &str = "deps/removed-api";
/// The rule on APIs that the declared version still has, but a later one does not.
pub(super) const DEPRECATED: &str = "deps/deprecated-api";

/// Checks the uses in a file of program code.
pub(super) fn check(context: &FileContext<'_>, report: &mut Report<'_>) {
    if ![REMOVED, DEPRECATED].iter().any(|rule| report.begin(rule)) {
        return;
    }
    let source = report.source();
    let (path, text) = (source.path(), source.text());
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_checked = matches!(
        extension,
        "cjs" | "cts" | "go" | "js" | "jsx" | "mjs" | "mts" | "py" | "ts" | "tsx"
    );
    if !is_checked || path.ends_with(".d.ts") {
        return;
    }
    // Without an import, the table is not needed.
    let imports = part_with_imports(text, extension == "go");
    if imports.is_empty() || !APIS.may_use(text, imports) {
        return;
    }
    let purpose = Purpose::of_file(path, context.files);
    if matches!(purpose, Purpose::Vendored | Purpose::Archived | Purpose::Generated) {
        return;
    }
    let Some(root) = context.tree.root() else { return };
    let facts = context.tree.get().and_then(|tree| imports::read_tree(path, tree));
    let Some(facts) = facts else { return };
    let syntax = match facts.language {
        Language::Script => Syntax::Script,
        Language::Python => Syntax::Python,
        Language::Go => Syntax::Go,
        Language::Rust | Language::Java => return,
    };
    let uses = uses(root, &facts, syntax, text, &APIS);
    report::report(&uses, context.files, report);
}

/// Maximum length of an import after its last keyword, in bytes.
const MAX_IMPORT: usize = 400;

/// The beginning of a text that contains all imports. In Go, one keyword can begin many imports.
fn part_with_imports(text: &str, is_go: bool) -> &str {
    let keywords = ["import", "require", "from \"", "from '"];
    let last = keywords.iter().filter_map(|keyword| text.rfind(keyword)).max();
    match last {
        Some(_) if is_go => text,
        Some(last) => {
            let end = (last + MAX_IMPORT).min(text.len());
            text.get(..end).unwrap_or(text)
        }
        None => "",
    }
}

/// A use of an API of the table.
struct Use<'a> {
    api: &'a Api,
    /// The imported or used name.
    span: Span,
    /// How the API is written in a message.
    name: String,
    /// The edit that replaces the name by the new name, if only the name differs.
    rename: Option<Edit>,
}

/// The uses in a file, in order of their kind: imports first.
fn uses<'t>(
    root: Node<'t>,
    facts: &'t Facts,
    syntax: Syntax,
    text: &'t str,
    table: &'t Table,
) -> Vec<Use<'t>> {
    let mut names = Names::new(syntax, text, table);
    for binding in &facts.bindings {
        if let Some(local) = &binding.local {
            names.import(local, bound_path(binding, facts), binding.span.start as usize);
        }
    }
    let mut optional = Optional::default();
    walk(root, |node, ancestors| {
        names.declare(node, ancestors);
        optional.add(node, text);
    });
    let mut found = Vec::new();
    imported(facts, &optional, text, table, &mut found);
    walk(root, |node, ancestors| {
        if let Some((_, name)) = member(node)
            && !is_assigned(node, ancestors)
            && let Some(api) = names.path(node).and_then(|path| table.get(&path))
        {
            let written = text_of(name, text);
            if !is_guarded(written, ancestors, syntax, text) && !is_optional_call(node, ancestors) {
                let replaced = api.replace.filter(|new| !names.is_declared(new));
                let replaced =
                    replaced.map(|new| Edit::replace(Span::from(node.byte_range()), new));
                let mut found_use = Use::new(api, name, text);
                found_use.rename = found_use.rename.or(replaced);
                found.push(found_use);
            }
        } else if syntax == Syntax::Python
            && let Some(callee) = called(node)
        {
            let Some(function) = names.path(callee) else { return };
            let name = member(callee).map_or(callee, |(_, name)| name);
            let call = table.get(&format!("{function}()"));
            if let Some(api) =
                call.filter(|_| !is_guarded(text_of(name, text), ancestors, syntax, text))
            {
                found.push(Use::new(api, name, text));
            }
            for (name, api) in keyword_arguments(node, &function, text, table) {
                if !is_guarded(text_of(name, text), ancestors, syntax, text) {
                    found.push(Use::new(api, name, text));
                }
            }
        } else if node.kind() == "object_pattern"
            && let Some(declarator) = ancestors.last()
            && let Some(value) = declarator.child_by_field_name("value")
            && declarator.kind() == "variable_declarator"
            && let Some(path) = names.path(value)
        {
            let keys = members(node).into_iter().filter(|(_, name)| !names.is_imported(*name));
            let apis = keys
                .filter_map(|(key, _)| Some((key, table.get(&join(&path, text_of(key, text)))?)));
            found.extend(apis.map(|(key, api)| Use { rename: None, ..Use::new(api, key, text) }));
        }
    });
    found
}

/// Calls `visit` for each node with its ancestors, the root first, without recursion.
fn walk<'t>(root: Node<'t>, mut visit: impl FnMut(Node<'t>, &[Node<'t>])) {
    let mut cursor = root.walk();
    let mut ancestors: Vec<Node<'t>> = Vec::new();
    loop {
        let node = cursor.node();
        visit(node, &ancestors);
        if cursor.goto_first_child() {
            ancestors.push(node);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            ancestors.pop();
        }
    }
}

impl<'a> Use<'a> {
    fn new(api: &'a Api, name: Node<'_>, text: &str) -> Self {
        let span = Span::from(name.byte_range());
        let rename = api.rename.map(|new| Edit::replace(span, new));
        Self { api, span, name: text_of(name, text).to_owned(), rename }
    }
}

/// The path of the value that an import binds; `None` if it is not a value of a package.
fn bound_path(binding: &Binding, facts: &Facts) -> Option<String> {
    let import = facts.imports.get(binding.import)?;
    match (&import.name, &binding.imported) {
        (Name::Script(module), imported) => {
            let module = module.strip_prefix("node:").unwrap_or(module);
            match imported {
                Imported::Member(name) => Some(format!("{module}#{name}")),
                Imported::Default | Imported::Module => Some(format!("{module}#")),
                Imported::All => None,
            }
        }
        (Name::Go(module), Imported::Module) => Some(format!("{module}#")),
        (Name::Python { level: 0, module, .. }, Imported::Member(name)) => {
            Some(format!("{module}.{name}"))
        }
        (Name::Python { level: 0, module, .. }, Imported::Module) => {
            // `import a.b` binds `a`, and `import a.b as c` binds `a.b`.
            let is_first = binding.span.start == import.span.start;
            let end = module.find('.').filter(|_| is_first).unwrap_or(module.len());
            Some(module[..end].to_owned())
        }
        _ => None,
    }
}

/// Adds the imports of removed and deprecated APIs.
fn imported<'a>(
    facts: &Facts,
    optional: &Optional,
    text: &str,
    table: &'a Table,
    found: &mut Vec<Use<'a>>,
) {
    let mut reported: HashSet<usize> = HashSet::new();
    for (index, import) in facts.imports.iter().enumerate() {
        if import.type_only || optional.contains(import.span.start as usize) {
            reported.insert(index);
            continue;
        }
        let name = import.name.display();
        let api = match &import.name {
            Name::Script(module) => {
                let module = module.strip_prefix("node:").unwrap_or(module);
                table.module(module)
            }
            Name::Go(module) => table.module(module),
            Name::Python { level: 0, .. } => {
                let ends = name.rmatch_indices('.').map(|(at, _)| at);
                let mut prefixes = [name.len()].into_iter().chain(ends);
                prefixes.find_map(|end| table.get(name.get(..end)?))
            }
            _ => None,
        };
        let Some(api) = api else { continue };
        reported.insert(index);
        // Only the last name of `from a import b` differs.
        let is_member = matches!(&import.name, Name::Python { member: Some(_), .. });
        let is_member = is_member && api.path == name;
        let rename = rename_specifier(api, import.span, text).filter(|_| is_member);
        found.push(Use { api, span: import.span, name, rename });
    }
    for binding in &facts.bindings {
        let Some(import) = facts.imports.get(binding.import) else { continue };
        let Name::Script(module) = &import.name else { continue };
        let member = match &binding.imported {
            Imported::Member(name) => name,
            Imported::Default => "default",
            Imported::Module | Imported::All => continue,
        };
        let module = module.strip_prefix("node:").unwrap_or(module);
        let api = table.get(&format!("{module}#{member}"));
        if let Some(api) = api.filter(|_| !reported.contains(&binding.import)) {
            found.push(Use { api, span: binding.span, name: member.to_owned(), rename: None });
        }
    }
}

/// The edit that imports the new name under the name that the file uses.
fn rename_specifier(api: &Api, span: Span, text: &str) -> Option<Edit> {
    let new = api.rename?;
    let written = text.get(span.range())?;
    let old = written.split_whitespace().next()?;
    let name = Span::new(span.start as usize, span.start as usize + old.len());
    let has_alias = written.len() > old.len();
    let specifier = if has_alias { new.to_owned() } else { format!("{new} as {old}") };
    Some(Edit::replace(name, specifier))
}

/// The names of the arguments of a call that are removed or deprecated.
fn keyword_arguments<'t, 'a>(
    call: Node<'t>,
    function: &str,
    text: &str,
    table: &'a Table,
) -> Vec<(Node<'t>, &'a Api)> {
    let apis: Vec<&Api> = table.arguments(function).collect();
    let Some(list) = call.child_by_field_name("arguments").filter(|_| !apis.is_empty()) else {
        return Vec::new();
    };
    let mut cursor = list.walk();
    let arguments = list.named_children(&mut cursor);
    let names = arguments.filter_map(|argument| {
        let is_keyword = argument.kind() == "keyword_argument";
        let name = argument.child_by_field_name("name").filter(|_| is_keyword)?;
        let is_named = |api: &&&Api| api.argument == Some(text_of(name, text));
        apis.iter().find(is_named).map(|api| (name, *api))
    });
    names.collect()
}

/// Whether an expression is the target of an assignment: tests replace members this way.
fn is_assigned(node: Node<'_>, ancestors: &[Node<'_>]) -> bool {
    ancestors.last().is_some_and(|parent| {
        matches!(parent.kind(), "assignment" | "assignment_expression" | "assignment_statement")
            && parent.child_by_field_name("left") == Some(node)
            || parent.kind() == "delete_statement"
    })
}

/// Whether a member is called only if it exists: `a.b?.()`.
fn is_optional_call(node: Node<'_>, ancestors: &[Node<'_>]) -> bool {
    ancestors.last().is_some_and(|parent| {
        let mut cursor = parent.walk();
        parent.child_by_field_name("function") == Some(node)
            && parent
                .children(&mut cursor)
                .any(|child| matches!(child.kind(), "optional_chain" | "?."))
    })
}
