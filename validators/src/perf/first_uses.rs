//! The variables of a script of which only the first item is used.

use super::ast::*;
use aidd_engine::text::time_limit::step;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use std::collections::HashMap;

/// How often a name is declared and used, in all scopes.
#[derive(Default)]
struct Uses {
    declared: u32,
    all: u32,
    /// The uses that read the first item and nothing else.
    first: u32,
}

/// The uses of all names of a script.
#[derive(Default)]
pub(super) struct FirstUses<'a> {
    names: HashMap<&'a str, Uses>,
}

impl<'a> FirstUses<'a> {
    pub(super) fn of(program: &Program<'a>) -> Self {
        let mut uses = Self::default();
        uses.visit_program(program);
        uses
    }

    /// Whether the script declares the name once, and all uses read the first item only.
    pub(super) fn is_first_only(&self, name: &str) -> bool {
        self.names
            .get(name)
            .is_some_and(|uses| uses.declared == 1 && uses.first > 0 && uses.first == uses.all)
    }

    fn uses(&mut self, name: &'a str) -> &mut Uses {
        self.names.entry(name).or_default()
    }

    /// Counts a use that needs more than the first item.
    fn note_other(&mut self, expression: &Expression<'a>) {
        if let Some(name) = name_of(expression) {
            self.uses(name).all += 1;
        }
    }
}

/// Whether a pattern takes the first item and no other.
fn takes_first(pattern: &BindingPattern<'_>) -> bool {
    matches!(pattern, BindingPattern::ArrayPattern(pattern)
        if pattern.rest.is_none() && matches!(&pattern.elements[..], [Some(_)]))
}

impl<'a> Visit<'a> for FirstUses<'a> {
    fn enter_node(&mut self, _: AstKind<'a>) {
        step();
    }

    fn visit_binding_identifier(&mut self, identifier: &BindingIdentifier<'a>) {
        self.uses(identifier.name.as_str()).declared += 1;
    }

    fn visit_identifier_reference(&mut self, identifier: &IdentifierReference<'a>) {
        self.uses(identifier.name.as_str()).all += 1;
    }

    fn visit_computed_member_expression(&mut self, member: &ComputedMemberExpression<'a>) {
        let is_first =
            matches!(&member.expression, Expression::NumericLiteral(number) if number.value == 0.0);
        if let Some(name) = name_of(&member.object).filter(|_| is_first) {
            self.uses(name).first += 1;
        }
        walk::walk_computed_member_expression(self, member);
    }

    // `list[0] = item` changes the list.
    fn visit_simple_assignment_target(&mut self, target: &SimpleAssignmentTarget<'a>) {
        if let Some(member) = target.as_member_expression() {
            self.note_other(member.object());
        }
        walk::walk_simple_assignment_target(self, target);
    }

    fn visit_unary_expression(&mut self, unary: &UnaryExpression<'a>) {
        if unary.operator == UnaryOperator::Delete
            && let Some(member) = member_of(&unary.argument)
        {
            self.note_other(member.object());
        }
        walk::walk_unary_expression(self, unary);
    }

    fn visit_variable_declarator(&mut self, declarator: &VariableDeclarator<'a>) {
        if let Some(name) = declarator.init.as_ref().and_then(name_of)
            && takes_first(&declarator.id)
        {
            self.uses(name).first += 1;
        }
        walk::walk_variable_declarator(self, declarator);
    }

    fn visit_assignment_expression(&mut self, assignment: &AssignmentExpression<'a>) {
        if let AssignmentTarget::ArrayAssignmentTarget(target) = &assignment.left
            && let [Some(_)] = &target.elements[..]
            && target.rest.is_none()
            && let Some(name) = name_of(&assignment.right)
        {
            self.uses(name).first += 1;
        }
        walk::walk_assignment_expression(self, assignment);
    }

    // Other files can use what is exported.
    fn visit_export_declaration(&mut self, export: &ExportDeclaration<'a>) {
        if let Declaration::VariableDeclaration(declaration) = &export.declaration {
            for declarator in &declaration.declarations {
                for identifier in declarator.id.get_binding_identifiers() {
                    self.uses(identifier.name.as_str()).all += 1;
                }
            }
        }
        walk::walk_export_declaration(self, export);
    }
}
