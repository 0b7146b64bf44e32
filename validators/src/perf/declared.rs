//! The variables that a script declares, and its functions that send requests.

use super::ast::*;
use super::loops::{chain_names, is_client};
use aidd_engine::text::time_limit::step;
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_syntax::scope::ScopeFlags;
use std::collections::{HashMap, HashSet};

/// A declaration of a variable.
struct Variable {
    start: u32,
    /// Whether the first value is a list, or the type says so.
    is_list: bool,
    /// The first value, if it is a text; `_` replaces the parts that are computed.
    text: Option<String>,
}

/// What a script declares, in all scopes.
#[derive(Default)]
pub(super) struct Declared<'a> {
    variables: HashMap<&'a str, Vec<Variable>>,
    requests: HashSet<&'a str>,
    /// The named functions that enclose the current node.
    functions: Vec<&'a str>,
}

impl<'a> Declared<'a> {
    pub(super) fn of(program: &Program<'a>) -> Self {
        let mut declared = Self::default();
        declared.visit_program(program);
        declared
    }

    /// The nearest declaration of a variable before an offset.
    fn variable(&self, name: &str, before: u32) -> Option<&Variable> {
        let all = self.variables.get(name)?;
        all[..all.partition_point(|variable| variable.start < before)].last()
    }

    /// Whether the source shows that a variable holds a list.
    pub(super) fn is_list(&self, name: &str, before: u32) -> bool {
        self.variable(name, before).is_some_and(|variable| variable.is_list)
    }

    /// The text that a variable holds, as far as the source shows it.
    pub(super) fn text(&self, name: &str, before: u32) -> Option<&str> {
        self.variable(name, before)?.text.as_deref()
    }

    /// Whether a call sends a request, itself or in a function of the file.
    pub(super) fn sends_request(&self, call: &CallExpression<'a>) -> bool {
        is_request(call) || name_of(&call.callee).is_some_and(|name| self.requests.contains(name))
    }
}

/// Names of functions and objects that send requests over HTTP.
const HTTP: [&str; 7] = ["fetch", "$fetch", "ofetch", "axios", "ky", "got", "$http"];

/// Whether a call itself sends a request to a server or to a database.
fn is_request(call: &CallExpression<'_>) -> bool {
    let is_http = |name: &str| HTTP.contains(&name);
    name_of(&call.callee).is_some_and(is_http)
        || receiver(call).is_some_and(|object| {
            let names = chain_names(object);
            names.iter().any(|name| is_client(name)) || names.last().is_some_and(|it| is_http(it))
        })
}

/// The text of an expression, with `_` for the parts that are computed.
pub(super) fn text_of(expression: &Expression<'_>) -> Option<String> {
    match expression.get_inner_expression() {
        Expression::StringLiteral(literal) => Some(literal.value.to_string()),
        Expression::TemplateLiteral(template) => {
            let parts: Vec<&str> = template.quasis.iter().map(|it| it.value.raw.as_str()).collect();
            Some(parts.join("_"))
        }
        _ => None,
    }
}

fn is_list_type(annotation: &TSTypeAnnotation<'_>) -> bool {
    match &annotation.type_annotation {
        TSType::TSArrayType(_) => true,
        TSType::TSTypeReference(reference) => {
            matches!(&reference.type_name, TSTypeName::IdentifierReference(it) if it.name == "Array")
        }
        _ => false,
    }
}

impl<'a> Visit<'a> for Declared<'a> {
    fn enter_node(&mut self, _: AstKind<'a>) {
        step();
    }

    fn visit_function(&mut self, function: &Function<'a>, flags: ScopeFlags) {
        let name = function.id.as_ref().map(|id| id.name.as_str());
        self.functions.extend(name);
        walk::walk_function(self, function, flags);
        if name.is_some() {
            self.functions.pop();
        }
    }

    fn visit_variable_declarator(&mut self, declarator: &VariableDeclarator<'a>) {
        let Some(name) = binding_name(&declarator.id) else {
            walk::walk_variable_declarator(self, declarator);
            return;
        };
        let value = declarator.init.as_ref();
        let variable = Variable {
            start: declarator.span.start,
            is_list: value.and_then(created_by) == Some("array")
                || declarator.type_annotation.as_deref().is_some_and(is_list_type),
            text: value.and_then(text_of),
        };
        self.variables.entry(name).or_default().push(variable);
        let is_function = value.and_then(Callable::of).is_some();
        if is_function {
            self.functions.push(name);
        }
        walk::walk_variable_declarator(self, declarator);
        if is_function {
            self.functions.pop();
        }
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        if is_request(call) {
            self.requests.extend(self.functions.iter().copied());
        }
        walk::walk_call_expression(self, call);
    }

    // Types contain no calls.
    fn visit_ts_type(&mut self, _: &TSType<'a>) {}
}
