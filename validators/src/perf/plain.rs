//! Whether a component that is built again on each render loses anything.

use super::ast::*;
use super::recurring::words;
use aidd_engine::text::time_limit::step;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};

/// Maximum length in bytes of a component that is looked at.
const MAX_SIZE: usize = 4 << 10;

/// Whether a component renders only texts, boxes and icons: no state, effects, handlers, controls or
/// media, and no content that others pass to it.
pub(super) fn is_plain(function: Callable<'_, '_>, text: &str) -> bool {
    let code = text.get(function.span().range()).unwrap_or_default();
    let mut search = Search { is_plain: code.len() <= MAX_SIZE && !mentions(code, "children") };
    if search.is_plain {
        for statement in function.statements() {
            search.visit_statement(statement);
        }
        if let Some(expression) = function.expression() {
            search.visit_expression(expression);
        }
    }
    search.is_plain
}

/// Whether the call of a hook returns the elements in its callback until a value changes, and no value
/// is a component.
pub(super) fn is_memoized(call: &CallExpression<'_>, hook: &str) -> bool {
    let list = call.arguments.get(1).and_then(Argument::as_expression);
    matches!(hook, "useMemo" | "useCallback")
        && match list.map(Expression::get_inner_expression) {
            Some(Expression::ArrayExpression(list)) => !list.elements.iter().any(|element| {
                element.as_expression().and_then(name_of).is_some_and(is_component_name)
            }),
            _ => false,
        }
}

struct Search {
    is_plain: bool,
}

impl<'a> Visit<'a> for Search {
    fn enter_node(&mut self, _: AstKind<'a>) {
        step();
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        self.is_plain &= !callee_name(call).is_some_and(is_hook_name);
        if self.is_plain {
            walk::walk_call_expression(self, call);
        }
    }

    fn visit_jsx_opening_element(&mut self, element: &JSXOpeningElement<'a>) {
        self.is_plain &= match &element.name {
            JSXElementName::Identifier(name) => !is_listed("element", &name.name),
            JSXElementName::IdentifierReference(name) => is_plain_name(&name.name),
            JSXElementName::MemberExpression(member) => is_plain_name(&member.property.name),
            _ => false,
        };
        self.is_plain &= element.attributes.iter().all(|attribute| match attribute {
            JSXAttributeItem::SpreadAttribute(_) => false,
            JSXAttributeItem::Attribute(attribute) => match &attribute.name {
                JSXAttributeName::Identifier(name) => {
                    let rest = name.name.strip_prefix("on").unwrap_or_default();
                    !rest.starts_with(char::is_uppercase) && name.name != "ref"
                }
                JSXAttributeName::NamespacedName(_) => true,
            },
        });
        if self.is_plain {
            walk::walk_jsx_opening_element(self, element);
        }
    }
}

/// Whether the words of a component's name are those of texts, boxes and icons.
fn is_plain_name(name: &str) -> bool {
    // `Loader2`
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
    words(name).any(|word| is_listed("component", &word))
        && !words(name).any(|word| is_listed("stateful", &word))
}

/// Whether the list of this kind contains the word.
fn is_listed(kind: &str, word: &str) -> bool {
    let lines = include_str!("plain.txt").lines().filter_map(|line| line.split_once(' '));
    lines.filter(|&(found, _)| found == kind).any(|(_, list)| list.split(' ').any(|it| it == word))
}
