//! The elements of JSX in a syntax tree.

use crate::attributes;
use crate::builder::{Builder, StartTag};
use crate::model::{Attribute, AttributeKind, Document, Value};
use crate::{Language, tags};
use aidd_engine::text::source::Span;
use aidd_engine::text::time_limit::step;
use oxc_ast::AstKind;
use oxc_ast::ast::{
    Argument, ArrowFunctionBody, AssignmentExpression, Expression, JSXAttribute, JSXAttributeItem,
    JSXAttributeName, JSXAttributeValue, JSXChild, JSXElement, JSXExpression,
    JSXExpressionContainer, JSXFragment, Program, Statement, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan;
use oxc_syntax::operator::{LogicalOperator, UnaryOperator};

/// Builds the document of a program.
pub(crate) fn build<'a>(text: &'a str, program: &Program<'a>) -> Document<'a> {
    let mut walker = Walker { text, builder: Builder::new(text, Language::Jsx) };
    walker.visit_program(program);
    walker.builder.finish(text.len())
}

struct Walker<'a> {
    text: &'a str,
    builder: Builder<'a>,
}

fn convert(span: oxc_span::Span) -> Span {
    Span { start: span.start, end: span.end }
}

impl<'a> Walker<'a> {
    fn slice(&self, span: oxc_span::Span) -> &'a str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    fn child(&mut self, child: &JSXChild<'a>) {
        match child {
            JSXChild::Text(text) => {
                self.builder.text(self.slice(text.span), text.span.start as usize);
            }
            JSXChild::Element(element) => self.visit_jsx_element(element),
            JSXChild::Fragment(fragment) => self.visit_jsx_fragment(fragment),
            JSXChild::ExpressionContainer(container) => self.container(container),
            JSXChild::Spread(spread) => {
                self.builder.start_block(true, convert(spread.span));
                self.visit_expression(&spread.expression);
                self.builder.close(spread.span.end as usize, true);
            }
        }
    }

    fn container(&mut self, container: &JSXExpressionContainer<'a>) {
        let span = container.span;
        let Some(expression) = container.expression.as_expression() else { return };
        match literal(expression, self.text) {
            Some(Value::Static { text, span }) => {
                if !matches!(text, "true" | "false") {
                    self.builder.text(text, span.start as usize);
                }
            }
            Some(_) => {}
            None => {
                self.builder.start_block(may_be_text(expression), convert(span));
                self.visit_expression(expression);
                self.builder.close(span.end as usize, true);
            }
        }
    }

    fn attribute(&mut self, item: &JSXAttributeItem<'a>) {
        let attribute = match item {
            JSXAttributeItem::SpreadAttribute(spread) => Attribute {
                kind: AttributeKind::Spread,
                name: "".into(),
                name_span: convert(spread.span),
                span: convert(spread.span),
                value: Value::Dynamic { span: convert(spread.span) },
            },
            JSXAttributeItem::Attribute(attribute) => {
                let name_span = attribute.name.span();
                let name = match &attribute.name {
                    JSXAttributeName::Identifier(name) => name.name.as_str(),
                    JSXAttributeName::NamespacedName(_) => self.slice(name_span),
                };
                let meaning = attributes::jsx(name);
                Attribute {
                    kind: meaning.kind,
                    name: meaning.name,
                    name_span: convert(name_span),
                    span: convert(attribute.span),
                    value: self.value(attribute.value.as_ref()),
                }
            }
        };
        self.builder.attribute(attribute);
    }

    fn value(&self, value: Option<&JSXAttributeValue<'a>>) -> Value<'a> {
        match value {
            None => Value::Empty,
            Some(JSXAttributeValue::StringLiteral(text)) => {
                let span = oxc_span::Span::new(text.span.start + 1, text.span.end - 1);
                Value::Static { text: self.slice(span), span: convert(span) }
            }
            Some(JSXAttributeValue::ExpressionContainer(container)) => {
                let span = convert(container.span);
                match &container.expression {
                    JSXExpression::EmptyExpression(_) => Value::Empty,
                    expression => expression
                        .as_expression()
                        .and_then(|expression| literal(expression, self.text))
                        .unwrap_or(Value::Dynamic { span }),
                }
            }
            Some(other) => Value::Dynamic { span: convert(other.span()) },
        }
    }

    /// Visits code whose elements are not rendered where they are written.
    fn elsewhere(&mut self, span: oxc_span::Span, visit: impl FnOnce(&mut Self)) {
        if !self.builder.has_open() {
            visit(self);
            return;
        }
        self.builder.start_slot(false, convert(span));
        visit(self);
        self.builder.close_slot(span.end as usize);
    }

    /// The elements in the attributes of an element.
    fn slots(&mut self, items: &[JSXAttributeItem<'a>], is_native: bool) {
        for item in items {
            let (JSXAttributeItem::Attribute(attribute), span) = (item, item.span()) else {
                continue;
            };
            let Some(value) = &attribute.value else { continue };
            let is_simple = match value {
                JSXAttributeValue::StringLiteral(_) => true,
                JSXAttributeValue::ExpressionContainer(container) => {
                    container.expression.as_expression().is_none_or(is_leaf)
                }
                _ => false,
            };
            if is_simple {
                continue;
            }
            let is_rendered = !is_native && is_render_prop(attribute);
            self.builder.start_slot(is_rendered, convert(span));
            self.visit_jsx_attribute_value(value);
            self.builder.close_slot(span.end as usize);
        }
    }
}

/// Whether an attribute is an element that a component renders with its own attributes and content, as
/// those of Base UI and Ariakit do. A function passes them on itself.
fn is_render_prop(attribute: &JSXAttribute<'_>) -> bool {
    let Some(JSXAttributeValue::ExpressionContainer(container)) = &attribute.value else {
        return false;
    };
    let is_element = |expression: &Expression<'_>| {
        matches!(
            expression.get_inner_expression(),
            Expression::JSXElement(_)
                | Expression::ConditionalExpression(_)
                | Expression::LogicalExpression(_)
        )
    };
    attribute.name.as_identifier().is_some_and(|name| name.name == "render")
        && container.expression.as_expression().is_some_and(is_element)
}

/// Whether an expression contains no other expressions.
fn is_leaf(expression: &Expression<'_>) -> bool {
    match expression {
        Expression::Identifier(_) => true,
        Expression::StaticMemberExpression(member) => {
            matches!(member.object, Expression::Identifier(_) | Expression::ThisExpression(_))
        }
        _ => expression.is_literal(),
    }
}

impl<'a> Visit<'a> for Walker<'a> {
    fn enter_node(&mut self, _: AstKind<'a>) {
        step();
    }

    fn visit_jsx_element(&mut self, element: &JSXElement<'a>) {
        let opening = &element.opening_element;
        let name_span = opening.name.span();
        let name = self.slice(name_span);
        let first_attribute = self.builder.document.attributes.len();
        for item in &opening.attributes {
            self.attribute(item);
        }
        // Other renderers, such as that of three.js, have elements such as `<mesh>`.
        let is_native = tags::is_html(name) || tags::is_foreign(name);
        self.builder.start(StartTag {
            name: name.into(),
            name_span: convert(name_span),
            tag_span: convert(opening.span),
            is_native,
            first_attribute,
        });
        self.slots(&opening.attributes, is_native);
        for child in &element.children {
            self.child(child);
        }
        let has_end = element.closing_element.is_some() || tags::is_void(name);
        self.builder.close(element.span.end as usize, has_end);
    }

    fn visit_jsx_fragment(&mut self, fragment: &JSXFragment<'a>) {
        for child in &fragment.children {
            self.child(child);
        }
    }

    fn visit_import_declaration(&mut self, import: &oxc_ast::ast::ImportDeclaration<'a>) {
        let module = import.source.value.as_str();
        if import.specifiers.is_none() {
            self.builder.document.imports.push(("", module));
        }
        for specifier in import.specifiers.iter().flatten() {
            let local = specifier.local().name.as_str();
            self.builder.document.imports.push((local, module));
        }
    }

    // Elements in a variable are rendered elsewhere, if at all.
    fn visit_variable_declarator(&mut self, declarator: &VariableDeclarator<'a>) {
        self.elsewhere(declarator.span, |walker| {
            walk::walk_variable_declarator(walker, declarator);
        });
    }

    fn visit_assignment_expression(&mut self, assignment: &AssignmentExpression<'a>) {
        self.elsewhere(assignment.span, |walker| {
            walk::walk_assignment_expression(walker, assignment);
        });
    }

    // Types contain no elements.
    fn visit_ts_type(&mut self, _: &oxc_ast::ast::TSType<'a>) {}

    fn visit_ts_interface_declaration(&mut self, _: &oxc_ast::ast::TSInterfaceDeclaration<'a>) {}

    fn visit_ts_type_alias_declaration(&mut self, _: &oxc_ast::ast::TSTypeAliasDeclaration<'a>) {}

    fn visit_expression(&mut self, expression: &Expression<'a>) {
        if !is_leaf(expression) {
            walk::walk_expression(self, expression);
        }
    }
}

/// The value of a literal expression; `None` if the expression is not a literal.
fn literal<'a>(expression: &Expression<'a>, text: &'a str) -> Option<Value<'a>> {
    let at = |text: &'a str, span: oxc_span::Span| Value::Static { text, span: convert(span) };
    Some(match expression {
        Expression::StringLiteral(value) => {
            let inner = oxc_span::Span::new(value.span.start + 1, value.span.end - 1);
            at(value.value.as_str(), inner)
        }
        Expression::TemplateLiteral(template) => {
            let quasi = template.single_quasi()?;
            at(quasi.as_str(), oxc_span::Span::new(template.span.start + 1, template.span.end - 1))
        }
        Expression::NumericLiteral(_) | Expression::BooleanLiteral(_) => {
            let span = expression.span();
            at(text.get(span.start as usize..span.end as usize)?, span)
        }
        Expression::UnaryExpression(unary)
            if unary.argument.is_number_literal()
                && matches!(
                    unary.operator,
                    UnaryOperator::UnaryNegation | UnaryOperator::UnaryPlus
                ) =>
        {
            at(text.get(unary.span.start as usize..unary.span.end as usize)?, unary.span)
        }
        Expression::UnaryExpression(unary) if unary.operator == UnaryOperator::LogicalNot => {
            let is_true = match &unary.argument {
                Expression::BooleanLiteral(value) => value.value,
                Expression::StringLiteral(value) => !value.value.is_empty(),
                _ => return None,
            };
            at(if is_true { "false" } else { "true" }, unary.span)
        }
        Expression::NullLiteral(_) => Value::Absent,
        Expression::Identifier(name) if name.name == "undefined" => Value::Absent,
        _ => return None,
    })
}

/// Whether the value of an expression can be text, apart from the elements in it. Bounded by the
/// size of the expression: each part is visited once.
fn may_be_text(expression: &Expression<'_>) -> bool {
    match expression.get_inner_expression() {
        Expression::JSXElement(_)
        | Expression::JSXFragment(_)
        | Expression::NullLiteral(_)
        | Expression::BooleanLiteral(_) => false,
        Expression::ConditionalExpression(conditional) => {
            may_be_text(&conditional.consequent) || may_be_text(&conditional.alternate)
        }
        Expression::LogicalExpression(logical) if logical.operator == LogicalOperator::And => {
            may_be_text(&logical.right)
        }
        Expression::Identifier(name) => name.name != "undefined",
        Expression::CallExpression(call) => {
            let Expression::StaticMemberExpression(callee) = &call.callee else { return true };
            let callback = call.arguments.first().and_then(Argument::as_expression);
            match (callee.property.name.as_str(), callback) {
                ("map", Some(Expression::ArrowFunctionExpression(arrow))) => {
                    returns_text(&arrow.body)
                }
                _ => true,
            }
        }
        _ => true,
    }
}

/// Whether the body of an arrow function can return text.
fn returns_text(body: &ArrowFunctionBody<'_>) -> bool {
    if let Some(expression) = body.as_expression() {
        return may_be_text(expression);
    }
    let ArrowFunctionBody::FunctionBody(body) = body else { return true };
    match &body.statements[..] {
        [Statement::ReturnStatement(only)] => only.argument.as_ref().is_some_and(may_be_text),
        _ => true,
    }
}
