//! The kind of a syntax node, and its children by the name of their field. The grammars compare each
//! name with the names of all fields, and measure the name of the kind each time, so both are
//! remembered.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::num::NonZero;
use std::sync::{Mutex, PoisonError};
use tree_sitter::{Language, Node};

/// What is known about a grammar.
struct Grammar {
    language: Language,
    /// The number of each field; 0 if there is no such field.
    fields: HashMap<String, u16, foldhash::fast::RandomState>,
    /// The names of the kinds by their number.
    kinds: Vec<Option<&'static str>>,
}

thread_local! {
    static KNOWN: RefCell<Vec<Grammar>> = const { RefCell::new(Vec::new()) };
}

/// Fast access to the kind and the fields of a node.
pub(crate) trait Fields<'t> {
    /// The first child in the field with this name.
    fn field(&self, name: &str) -> Option<Node<'t>>;

    /// The same as `kind`.
    fn kind_name(&self) -> &'static str;
}

impl<'t> Fields<'t> for Node<'t> {
    fn field(&self, name: &str) -> Option<Node<'t>> {
        let number = with_grammar(self, |grammar| match grammar.fields.get(name) {
            Some(number) => *number,
            None => {
                let number = grammar.language.field_id_for_name(name);
                let number = number.map_or(0, NonZero::get);
                grammar.fields.insert(name.to_owned(), number);
                number
            }
        });
        if number == 0 { None } else { self.child_by_field_id(number) }
    }

    fn kind_name(&self) -> &'static str {
        let number = usize::from(self.kind_id());
        with_grammar(self, |grammar| {
            if let Some(Some(known)) = grammar.kinds.get(number) {
                return *known;
            }
            let name = interned(self.kind());
            // The number of errors is not one of the grammar.
            if number < grammar.language.node_kind_count() {
                grammar.kinds.resize(grammar.kinds.len().max(number + 1), None);
                grammar.kinds[number] = Some(name);
            }
            name
        })
    }
}

/// The name with a lifetime that does not depend on a tree. There are as many names as in the grammars.
fn interned(name: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    match names.get(name) {
        Some(known) => known,
        None => {
            let known: &'static str = Box::leak(name.into());
            names.insert(known);
            known
        }
    }
}

fn with_grammar<T>(node: &Node<'_>, read: impl FnOnce(&mut Grammar) -> T) -> T {
    let language = node.language();
    KNOWN.with_borrow_mut(|known| {
        let at = known.iter().position(|grammar| grammar.language == *language);
        let at = at.unwrap_or_else(|| {
            let language = (*language).clone();
            known.push(Grammar { language, fields: HashMap::default(), kinds: Vec::new() });
            known.len() - 1
        });
        read(&mut known[at])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use aidd_engine::parse::syntax::parse_text;
    use ast_grep_language::SupportLang;

    #[test]
    fn kinds_and_fields_are_those_of_the_grammar() {
        let samples = [
            (SupportLang::Python, "def f(a, b):\n    return a\n"),
            (SupportLang::Rust, "fn f(a: u8) -> u8 { a }\n"),
            (SupportLang::Python, "class C:\n    x = 1\n    (\n"),
            (SupportLang::TypeScript, "export const f = async (a?: T) => <U>{ b: a };\n%%\n"),
        ];
        for (language, text) in samples {
            let tree = parse_text(text, language).expect("a tree");
            let mut open = vec![tree.root().get_inner_node()];
            while let Some(node) = open.pop() {
                assert_eq!(node.kind_name(), node.kind());
                for name in ["name", "names", "body", "parameters", "return_type", "nothing"] {
                    assert_eq!(node.field(name), node.child_by_field_name(name), "{name}");
                }
                open.extend(node.children(&mut node.walk()));
            }
        }
    }
}
