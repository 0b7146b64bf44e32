//! Components that are plain: their only element gets all attributes and the content.

use super::components::INFERRED;
use crate::scripts::with_program_of_type;
use aidd_markup::{AttributeKind, Document, Language, Node, tags};
use oxc_ast::ast::{
    Argument, ArrowFunctionBody, BindingPattern, Declaration, ExportDefaultDeclarationKind,
    Expression, FormalParameters, Function, JSXAttributeItem, JSXAttributeName, JSXAttributeValue,
    JSXChild, JSXElement, ModuleExportName, Statement, VariableDeclarator,
};
use oxc_span::SourceType;
use std::collections::HashMap;

/// What a file with components exports.
#[derive(Debug, Default)]
pub(super) struct Exports {
    /// The exported names of plain components, and their elements.
    pub(super) elements: Vec<(String, &'static str)>,
    /// The names that are exported from other files: the name, its name there, and the module.
    pub(super) passed_on: Vec<(String, String, String)>,
}

/// Attributes that do not change what the rules report.
const NEUTRAL: [&str; 9] =
    ["class", "classname", "style", "ref", "key", "type", "disabled", "data-slot", "loading"];

/// The exports of a script with JSX.
pub(super) fn exports_of_script(path: &str, text: &str) -> Exports {
    let mut exports = Exports::default();
    if !may_have_plain_component(text) && !may_pass_on(text) {
        return exports;
    }
    let Ok(source_type) = SourceType::from_path(path) else { return exports };
    // A script that is too complex has no plain components.
    let _ = with_program_of_type(text, source_type, |program| read(&program.body, &mut exports));
    exports
}

/// Whether a text can contain a plain component: one that passes its attributes on by a spread, whose
/// element is named in a tag or a string.
fn may_have_plain_component(text: &str) -> bool {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let is_inferred = |at: usize| {
        let rest = &text.as_bytes()[at + 1..];
        let length = rest.iter().position(|byte| !is_word(byte)).unwrap_or(rest.len());
        INFERRED.iter().any(|name| name.as_bytes() == &rest[..length])
    };
    text.contains("{...")
        && memchr::memchr3_iter(b'<', b'"', b'\'', text.as_bytes()).any(is_inferred)
}

/// Whether a text can contain `export { … } from`.
fn may_pass_on(text: &str) -> bool {
    text.match_indices("export").any(|(at, export)| {
        let rest = text[at + export.len()..].trim_start();
        let rest = rest.strip_prefix("type").map_or(rest, str::trim_start);
        let Some(names) = rest.strip_prefix('{') else { return false };
        let after = names.find(['{', '}']).and_then(|end| names[end..].strip_prefix('}'));
        after.is_some_and(|after| after.trim_start().starts_with("from"))
    })
}

fn name_of<'n>(name: &'n ModuleExportName<'_>) -> &'n str {
    match name {
        ModuleExportName::IdentifierName(name) => name.name.as_str(),
        ModuleExportName::IdentifierReference(name) => name.name.as_str(),
        ModuleExportName::StringLiteral(name) => name.value.as_str(),
    }
}

fn read(body: &[Statement<'_>], exports: &mut Exports) {
    let mut locals: HashMap<&str, &'static str> = HashMap::new();
    for statement in body {
        match statement {
            Statement::FunctionDeclaration(function) => locals.extend(of_function(function)),
            Statement::VariableDeclaration(variables) => {
                locals.extend(variables.declarations.iter().filter_map(of_variable));
            }
            _ => {}
        }
    }
    let to_owned = |(name, element): (&str, &'static str)| (name.to_owned(), element);
    for statement in body {
        match statement {
            Statement::ExportDeclaration(export) => match &export.declaration {
                Declaration::FunctionDeclaration(function) => {
                    exports.elements.extend(of_function(function).map(to_owned));
                }
                Declaration::VariableDeclaration(variables) => {
                    let found = variables.declarations.iter().filter_map(of_variable);
                    exports.elements.extend(found.map(to_owned));
                }
                _ => {}
            },
            Statement::ExportNamedDeclaration(named) => {
                for specifier in &named.specifiers {
                    if let Some(element) = locals.get(name_of(&specifier.local)) {
                        let name = name_of(&specifier.exported).to_owned();
                        exports.elements.push((name, element));
                    }
                }
            }
            Statement::ExportFromDeclaration(from) => {
                for specifier in &from.specifiers {
                    let (name, local) = (name_of(&specifier.exported), name_of(&specifier.local));
                    let module = from.source.value.to_string();
                    exports.passed_on.push((name.to_owned(), local.to_owned(), module));
                }
            }
            Statement::ExportDefaultDeclaration(default) => {
                let root = match &default.declaration {
                    ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                        root_of_function(function)
                    }
                    other => other.as_expression().and_then(|it| of_value(it, &locals)),
                };
                exports.elements.extend(root.map(|element| to_owned(("default", element))));
            }
            _ => {}
        }
    }
}

fn root_of_function(function: &Function<'_>) -> Option<&'static str> {
    of_body(&function.params, &function.body.as_ref()?.statements)
}

fn of_function<'a>(function: &'a Function<'_>) -> Option<(&'a str, &'static str)> {
    Some((function.id.as_ref()?.name.as_str(), root_of_function(function)?))
}

fn of_variable<'a>(variable: &'a VariableDeclarator<'_>) -> Option<(&'a str, &'static str)> {
    let BindingPattern::BindingIdentifier(name) = &variable.id else { return None };
    let root = of_value(variable.init.as_ref()?, &HashMap::new())?;
    Some((name.name.as_str(), root))
}

/// The element of a component in an expression: a function, also in `memo(…)` and `forwardRef(…)`.
fn of_value(value: &Expression<'_>, locals: &HashMap<&str, &'static str>) -> Option<&'static str> {
    match value.get_inner_expression() {
        Expression::Identifier(name) => locals.get(name.name.as_str()).copied(),
        Expression::ArrowFunctionExpression(arrow) => match &arrow.body {
            ArrowFunctionBody::FunctionBody(body) => of_body(&arrow.params, &body.statements),
            body => of_returned(&arrow.params, &[], body.as_expression()?),
        },
        Expression::FunctionExpression(function) => root_of_function(function),
        Expression::CallExpression(call) => {
            let callee = match &call.callee {
                Expression::Identifier(name) => name.name.as_str(),
                Expression::StaticMemberExpression(member) => member.property.name.as_str(),
                _ => return None,
            };
            let inner = call.arguments.first().and_then(Argument::as_expression)?;
            matches!(callee, "memo" | "forwardRef").then(|| of_value(inner, locals))?
        }
        _ => None,
    }
}

/// The element of a function that declares variables and returns once.
fn of_body(params: &FormalParameters<'_>, body: &[Statement<'_>]) -> Option<&'static str> {
    let (last, before) = body.split_last()?;
    let is_simple = before.iter().all(|it| matches!(it, Statement::VariableDeclaration(_)));
    let Statement::ReturnStatement(returned) = last else { return None };
    of_returned(params, before, returned.argument.as_ref().filter(|_| is_simple)?)
}

/// The names of the properties of a component.
struct Props<'a> {
    /// The name of all properties, or of those that are not named.
    rest: &'a str,
    /// Properties that are named without a default value.
    named: Vec<&'a str>,
}

fn props<'a>(params: &'a FormalParameters<'_>) -> Option<Props<'a>> {
    match &params.items.first()?.pattern {
        BindingPattern::BindingIdentifier(name) => {
            Some(Props { rest: name.name.as_str(), named: Vec::new() })
        }
        BindingPattern::ObjectPattern(object) => {
            let BindingPattern::BindingIdentifier(rest) = &object.rest.as_ref()?.argument else {
                return None;
            };
            let named = object.properties.iter().filter_map(|property| match &property.value {
                BindingPattern::BindingIdentifier(name) => Some(name.name.as_str()),
                _ => None,
            });
            Some(Props { rest: rest.name.as_str(), named: named.collect() })
        }
        _ => None,
    }
}

fn of_returned(
    params: &FormalParameters<'_>,
    before: &[Statement<'_>],
    returned: &Expression<'_>,
) -> Option<&'static str> {
    let Expression::JSXElement(root) = returned.get_inner_expression() else { return None };
    let props = props(params)?;
    let name = root.opening_element.name.to_string();
    let element = if name.starts_with(char::is_lowercase) {
        tags::element(&name)
    } else {
        // `const Comp = asChild ? Slot : "button"`.
        native_alternative(&name, before)
    }?;
    (gets_all(root, &props) && has_only_children(root, &props)).then_some(element)
}

/// The element of HTML in a variable that otherwise contains a component.
fn native_alternative(name: &str, before: &[Statement<'_>]) -> Option<&'static str> {
    let variables = before.iter().filter_map(|statement| match statement {
        Statement::VariableDeclaration(variables) => Some(&variables.declarations),
        _ => None,
    });
    let is_name = |it: &&VariableDeclarator<'_>| matches!(&it.id, BindingPattern::BindingIdentifier(id) if id.name == name);
    let variable = variables.flatten().find(is_name)?;
    let Expression::ConditionalExpression(conditional) = variable.init.as_ref()? else {
        return None;
    };
    match (&conditional.test, &conditional.consequent, &conditional.alternate) {
        (
            Expression::Identifier(_),
            Expression::Identifier(_) | Expression::StaticMemberExpression(_),
            Expression::StringLiteral(native),
        ) => tags::element(native.value.as_str()),
        _ => None,
    }
}

/// Whether the element has all properties of the component, and no others that matter.
fn gets_all(root: &JSXElement<'_>, props: &Props<'_>) -> bool {
    let mut has_rest = false;
    let is_plain = root.opening_element.attributes.iter().all(|item| match item {
        JSXAttributeItem::SpreadAttribute(spread) => {
            let is_rest =
                matches!(&spread.argument, Expression::Identifier(name) if name.name == props.rest);
            has_rest |= is_rest;
            is_rest
        }
        JSXAttributeItem::Attribute(attribute) => {
            let JSXAttributeName::Identifier(name) = &attribute.name else { return false };
            let name = name.name.as_str();
            let is_passed = || match &attribute.value {
                Some(JSXAttributeValue::ExpressionContainer(container)) => {
                    let value = container.expression.as_expression();
                    matches!(value, Some(Expression::Identifier(value)) if value.name == name)
                        && props.named.contains(&name)
                }
                _ => false,
            };
            NEUTRAL.contains(&&*name.to_ascii_lowercase())
                || name.starts_with("data-")
                || is_passed()
        }
    });
    is_plain && has_rest
}

/// Whether the element contains nothing, or only the content of the component.
fn has_only_children(root: &JSXElement<'_>, props: &Props<'_>) -> bool {
    root.children.iter().all(|child| match child {
        JSXChild::Text(text) => text.value.trim().is_empty(),
        JSXChild::ExpressionContainer(container) => match container.expression.as_expression() {
            Some(Expression::Identifier(name)) => {
                name.name == "children" && props.named.contains(&"children")
            }
            Some(Expression::StaticMemberExpression(member)) => {
                member.property.name == "children"
                    && matches!(&member.object, Expression::Identifier(name) if name.name == props.rest)
            }
            // A comment.
            None => true,
            Some(_) => false,
        },
        _ => false,
    })
}

/// The element of a single-file component with one element, which gets all attributes, and a slot for
/// the content.
pub(super) fn root_of_component(document: &Document<'_>) -> Option<&'static str> {
    let is_vue = document.language() == Language::Vue;
    let mut roots: Vec<Node<'_>> = document.roots().collect();
    if is_vue {
        let template = roots.into_iter().find_map(|node| match node {
            Node::Element(element) if element.name() == "template" => Some(element),
            _ => None,
        })?;
        roots = template.children().collect();
    }
    roots.retain(|node| {
        !matches!(node, Node::Element(element) if matches!(element.name(), "script" | "style"))
    });
    let [Node::Element(root)] = roots[..] else { return None };
    // In Vue, the attributes of a component are those of its only element.
    let mut gets_all = is_vue;
    let is_plain = root.attributes().iter().all(|attribute| match attribute.kind {
        AttributeKind::Plain => {
            NEUTRAL.contains(&&*attribute.name) || attribute.name.starts_with("data-")
        }
        AttributeKind::Directive => {
            matches!(attribute.name.split(':').next(), Some("class" | "style" | "use" | "v-bind"))
        }
        AttributeKind::Spread => {
            let code = document.slice(attribute.span);
            let is_all = ["$attrs", "$$props", "$$restProps", "...rest", "...props"]
                .iter()
                .any(|name| code.contains(name));
            gets_all |= is_all;
            is_all
        }
        _ => false,
    });
    let has_only_slot = root.children().all(|node| match node {
        Node::Element(slot) => {
            slot.name() == "slot"
                && slot.value("name").is_none()
                && slot.children().next().is_none()
        }
        Node::Block(block) => {
            let code = document.slice(block.span());
            code.contains("@render") && code.contains("children")
        }
        _ => false,
    });
    (root.is_native() && is_plain && gets_all && has_only_slot)
        .then(|| tags::element(root.name()))?
}
