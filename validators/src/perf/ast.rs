//! Short questions about the syntax tree of a script.

use aidd_engine::text::source::Span;
use oxc_ast::ast::*;
use oxc_span::GetSpan;

/// A function expression, arrow function or function declaration.
#[derive(Clone, Copy)]
pub(super) enum Callable<'b, 'a> {
    Arrow(&'b ArrowFunctionExpression<'a>),
    Function(&'b Function<'a>),
}

impl<'b, 'a> Callable<'b, 'a> {
    /// The function that an expression is, without casts.
    pub(super) fn of(expression: &'b Expression<'a>) -> Option<Self> {
        match expression.get_inner_expression() {
            Expression::ArrowFunctionExpression(arrow) => Some(Self::Arrow(arrow)),
            Expression::FunctionExpression(function) => Some(Self::Function(function)),
            _ => None,
        }
    }

    /// The function that an argument of a call is.
    pub(super) fn of_argument(call: &'b CallExpression<'a>, index: usize) -> Option<Self> {
        call.arguments.get(index).and_then(Argument::as_expression).and_then(Self::of)
    }

    pub(super) fn params(self) -> &'b FormalParameters<'a> {
        match self {
            Self::Arrow(arrow) => &arrow.params,
            Self::Function(function) => &function.params,
        }
    }

    /// The name of a parameter that is not destructured.
    pub(super) fn param_name(self, index: usize) -> Option<&'a str> {
        let param = self.params().items.get(index)?;
        binding_name(&param.pattern)
    }

    /// The statements of the body; empty for an arrow function that returns an expression.
    pub(super) fn statements(self) -> &'b [Statement<'a>] {
        match self {
            Self::Arrow(arrow) => arrow.get_function_body().map(|body| &body.statements[..]),
            Self::Function(function) => function.body.as_ref().map(|body| &body.statements[..]),
        }
        .unwrap_or(&[])
    }

    /// The expression that an arrow function without block returns.
    pub(super) fn expression(self) -> Option<&'b Expression<'a>> {
        match self {
            Self::Arrow(arrow) => arrow.get_expression(),
            Self::Function(_) => None,
        }
    }

    pub(super) fn is_async(self) -> bool {
        match self {
            Self::Arrow(arrow) => arrow.r#async,
            Self::Function(function) => function.r#async,
        }
    }

    pub(super) fn span(self) -> Span {
        match self {
            Self::Arrow(arrow) => span(arrow.span),
            Self::Function(function) => span(function.span),
        }
    }

    /// The expression that the function returns, if it consists of nothing else.
    pub(super) fn returned(self) -> Option<&'b Expression<'a>> {
        self.expression().or_else(|| match self.statements() {
            [Statement::ReturnStatement(statement)] => statement.argument.as_ref(),
            _ => None,
        })
    }
}

pub(super) fn span(span: oxc_span::Span) -> Span {
    Span { start: span.start, end: span.end }
}

pub(super) fn binding_name<'a>(pattern: &BindingPattern<'a>) -> Option<&'a str> {
    match pattern {
        BindingPattern::BindingIdentifier(identifier) => Some(identifier.name.as_str()),
        BindingPattern::AssignmentPattern(assignment) => binding_name(&assignment.left),
        _ => None,
    }
}

/// The name of an expression that is only a name.
pub(super) fn name_of<'a>(expression: &Expression<'a>) -> Option<&'a str> {
    match expression.get_inner_expression() {
        Expression::Identifier(identifier) => Some(identifier.name.as_str()),
        _ => None,
    }
}

/// The property that a member expression reads, if its name is in the source.
pub(super) fn property_of<'a>(expression: &Expression<'a>) -> Option<&'a str> {
    member_of(expression).and_then(MemberExpression::static_property_name)
}

/// The member expression that an expression is, also in an optional chain.
pub(super) fn member_of<'b, 'a>(
    expression: &'b Expression<'a>,
) -> Option<&'b MemberExpression<'a>> {
    let inner = expression.get_inner_expression();
    inner.as_member_expression().or_else(|| match inner {
        Expression::ChainExpression(chain) => chain.expression.member_expression(),
        _ => None,
    })
}

/// The call that an expression is, also in an optional chain.
pub(super) fn call_of<'b, 'a>(expression: &'b Expression<'a>) -> Option<&'b CallExpression<'a>> {
    match expression.get_inner_expression() {
        Expression::CallExpression(call) => Some(call),
        Expression::ChainExpression(chain) => match &chain.expression {
            ChainElement::CallExpression(call) => Some(call),
            _ => None,
        },
        _ => None,
    }
}

/// The name of the called function: the name itself or the last property.
pub(super) fn callee_name<'a>(call: &CallExpression<'a>) -> Option<&'a str> {
    name_of(&call.callee).or_else(|| property_of(&call.callee))
}

/// The object whose method is called.
pub(super) fn receiver<'b, 'a>(call: &'b CallExpression<'a>) -> Option<&'b Expression<'a>> {
    member_of(&call.callee).map(MemberExpression::object)
}

/// The name of a hook of React in a call such as `useEffect(…)` or `React.useEffect(…)`.
pub(super) fn hook_name<'a>(call: &CallExpression<'a>) -> Option<&'a str> {
    let name = name_of(&call.callee).or_else(|| {
        let is_react = receiver(call).and_then(name_of).is_some_and(|name| name == "React");
        property_of(&call.callee).filter(|_| is_react)
    })?;
    is_hook_name(name).then_some(name)
}

pub(super) fn is_hook_name(name: &str) -> bool {
    name.strip_prefix("use").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
}

pub(super) fn is_component_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
}

/// Maximum number of members and calls in a chain that is followed.
const MAX_CHAIN: usize = 64;

/// The first name in a chain of members and calls: `db` of `db.select().from(users)`.
pub(super) fn root_name<'a>(expression: &Expression<'a>) -> Option<&'a str> {
    let mut expression = expression.get_inner_expression();
    for _ in 0..MAX_CHAIN {
        if let Some(call) = call_of(expression) {
            expression = call.callee.get_inner_expression();
        } else if let Some(member) = member_of(expression) {
            expression = member.object().get_inner_expression();
        } else {
            return match expression {
                Expression::Identifier(identifier) => Some(identifier.name.as_str()),
                Expression::ThisExpression(_) => Some("this"),
                _ => None,
            };
        }
    }
    None
}

pub(super) fn string_of<'a>(expression: &Expression<'a>) -> Option<&'a str> {
    match expression.get_inner_expression() {
        Expression::StringLiteral(literal) => Some(literal.value.as_str()),
        Expression::TemplateLiteral(template) => template.single_quasi().map(|text| text.as_str()),
        _ => None,
    }
}

/// The text argument of a call.
pub(super) fn string_argument<'a>(call: &CallExpression<'a>, index: usize) -> Option<&'a str> {
    call.arguments.get(index).and_then(Argument::as_expression).and_then(string_of)
}

/// The value of a property of an object literal.
pub(super) fn property<'b, 'a>(
    object: &'b ObjectExpression<'a>,
    name: &str,
) -> Option<&'b Expression<'a>> {
    object.properties.iter().find_map(|property| {
        let property = property.as_property()?;
        property.key.is_specific_static_name(name).then_some(&property.value)
    })
}

/// Whether `name` occurs in the text as a whole word.
pub(super) fn mentions(text: &str, name: &str) -> bool {
    count_mentions(text, name) > 0
}

/// The number of times that `name` occurs in the text as a whole word. Linear in the text.
pub(super) fn count_mentions(text: &str, name: &str) -> usize {
    let is_part = |byte: Option<&u8>| {
        byte.is_some_and(|&byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'))
    };
    let bytes = text.as_bytes();
    memchr::memmem::find_iter(bytes, name.as_bytes())
        .filter(|&at| {
            let before = at.checked_sub(1).and_then(|before| bytes.get(before));
            !is_part(before) && !is_part(bytes.get(at + name.len()))
        })
        .count()
}

pub(super) fn contains(text: &str, word: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some()
}

/// The statements of a loop or branch.
pub(super) fn block_statements<'b, 'a>(statement: &'b Statement<'a>) -> &'b [Statement<'a>] {
    match statement {
        Statement::BlockStatement(block) => &block.body,
        other => std::slice::from_ref(other),
    }
}

/// What an expression creates on each evaluation: `object`, `array`, `function`, `class` or `element`.
pub(super) fn created_by(expression: &Expression<'_>) -> Option<&'static str> {
    Some(match expression.get_inner_expression() {
        Expression::ObjectExpression(_)
        | Expression::NewExpression(_)
        | Expression::RegExpLiteral(_) => "object",
        Expression::ClassExpression(_) => "class",
        Expression::ArrayExpression(_) => "array",
        Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_) => "function",
        Expression::JSXElement(_) | Expression::JSXFragment(_) => "element",
        _ => return None,
    })
}

/// Maximum length in bytes of a part whose text is searched.
const MAX_SLICE: usize = 16 << 10;

/// The text of a part of the source, up to a maximum length.
pub(super) fn slice<'t>(text: &'t str, part: &impl GetSpan) -> &'t str {
    let part = part.span();
    let end = text.floor_char_boundary((part.end as usize).min(part.start as usize + MAX_SLICE));
    text.get(part.start as usize..end).unwrap_or_default()
}

/// Whether the statements return a value outside of nested functions.
pub(super) fn returns_value(statements: &[Statement<'_>]) -> bool {
    statements.iter().any(|statement| match statement {
        Statement::ReturnStatement(statement) => {
            statement.argument.as_ref().is_some_and(|value| !value.is_null_or_undefined())
        }
        Statement::IfStatement(branch) => {
            returns_value(block_statements(&branch.consequent))
                || branch
                    .alternate
                    .as_ref()
                    .is_some_and(|other| returns_value(block_statements(other)))
        }
        Statement::BlockStatement(block) => returns_value(&block.body),
        Statement::TryStatement(attempt) => {
            returns_value(&attempt.block.body)
                || attempt.handler.as_ref().is_some_and(|handler| returns_value(&handler.body.body))
        }
        Statement::SwitchStatement(switch) => {
            switch.cases.iter().any(|case| returns_value(&case.consequent))
        }
        _ => false,
    })
}
