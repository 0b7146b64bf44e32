//! Rules on loops: queries, awaits and copies in each round.

use super::ast::*;
use super::layout::{self, Leaving, note_read, note_write};
use super::project::is_one_off;
use super::walk::Walker;
use aidd_engine::text::source::Span;
use oxc_ast::ast::*;
use oxc_span::GetSpan;

/// A loop that encloses the current node, or the call that runs the current function for each item
/// of a list.
#[derive(Default)]
pub(super) struct Loop<'a> {
    pub(super) span: Span,
    /// The names that the loop gives to the current item.
    items: Vec<&'a str>,
    /// The name of the index in a callback.
    pub(super) index: Option<&'a str>,
    /// The name of the list.
    pub(super) list: Option<&'a str>,
    /// Whether each round is about one of many items.
    is_over_items: bool,
    /// Whether the source does not limit the number of rounds.
    is_unlimited: bool,
    /// Whether the number of rounds depends on what they find.
    pub(super) is_search: bool,
    /// Whether the loop calls a function for each item.
    pub(super) is_callback: bool,
    /// Whether the body only loads something for the item and stores it.
    only_loads: bool,
    pub(super) read: Option<Span>,
    pub(super) write: Option<Span>,
    /// A write in the last round, after which the code leaves the loop.
    pub(super) last_write: Option<(Span, Leaving)>,
    pub(super) leaving: Leaving,
    awaits: Vec<(Span, bool)>,
}

impl<'a> Loop<'a> {
    /// Whether the loop calls a function for each item.
    pub(super) fn is_callback(&self) -> bool {
        self.is_callback
    }

    /// A loop whose rounds can depend on each other.
    pub(super) fn plain(span: Span, test: Option<&Expression<'a>>) -> Self {
        Self { span, is_unlimited: test.is_some_and(|test| !has_number(test)), ..Self::default() }
    }

    /// A loop whose condition depends on what its rounds find, such as the size that fits.
    pub(super) fn search(span: Span) -> Self {
        Self { span, is_search: true, ..Self::default() }
    }

    /// A loop over a list.
    pub(super) fn for_of(statement: &ForOfStatement<'a>) -> Self {
        let items = match &statement.left {
            ForStatementLeft::VariableDeclaration(declaration) => declaration
                .declarations
                .iter()
                .flat_map(|declarator| declarator.id.get_binding_identifiers())
                .map(|identifier| identifier.name.as_str())
                .collect(),
            _ => Vec::new(),
        };
        let is_over_items = !statement.r#await && is_long(&statement.right, &items);
        Self {
            span: span(statement.span),
            list: root_name(&statement.right),
            is_over_items,
            is_unlimited: is_over_items,
            only_loads: block_statements(&statement.body).iter().all(only_loads),
            items,
            ..Self::default()
        }
    }
}

/// Whether a condition compares with a number, or a list that the source shows.
fn has_number(test: &Expression<'_>) -> bool {
    match test.get_inner_expression() {
        Expression::BinaryExpression(binary) => [&binary.left, &binary.right]
            .iter()
            .any(|side| matches!(side.get_inner_expression(), Expression::NumericLiteral(_))),
        Expression::ArrayExpression(_) => true,
        _ => false,
    }
}

/// Whether the list can be long: not a literal, and not a list of lists, whose items are handled
/// together.
fn is_long(list: &Expression<'_>, items: &[&str]) -> bool {
    let is_literal = matches!(list.get_inner_expression(), Expression::ArrayExpression(_));
    let is_group = |name: &&str| {
        let name = name.to_ascii_lowercase();
        ["batch", "chunk", "page", "group", "slice"].iter().any(|word| name.contains(word))
    };
    !is_literal && !items.is_empty() && !items.iter().any(is_group)
}

/// Whether a statement declares something, or stores something in a list or object.
fn only_loads(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::VariableDeclaration(_) => true,
        Statement::ExpressionStatement(statement) => {
            match statement.expression.get_inner_expression() {
                Expression::AwaitExpression(_) => true,
                Expression::CallExpression(call) => {
                    callee_name(call).is_some_and(|name| matches!(name, "push" | "set" | "add"))
                }
                Expression::AssignmentExpression(assignment) => {
                    assignment.operator.is_assign()
                        && matches!(assignment.left, AssignmentTarget::ComputedMemberExpression(_))
                }
                _ => false,
            }
        }
        _ => false,
    }
}

/// Methods that call a function for each item.
const ITERATORS: [&str; 4] = ["map", "forEach", "flatMap", "filter"];

/// Checks a call for what it does in each round of a loop.
#[inline(never)]
pub(super) fn check_call<'a>(walker: &mut Walker<'a, '_, '_>, call: &CallExpression<'a>) {
    let Some(name) = callee_name(call) else { return };
    match name {
        "reduce" | "reduceRight" => check_reduce(walker, call),
        "setProperty" | "add" | "remove" | "toggle" => {
            if let Some(object) = receiver(call)
                && matches!(property_of(object), Some("style" | "classList"))
            {
                note_write(walker, object, span(call.span));
            }
        }
        "getComputedStyle" => note_read(walker, span(call.span)),
        _ => {}
    }
    check_query(walker, call, name);
    if ITERATORS.contains(&name)
        && let Some(function) = Callable::of_argument(call, 0)
        && let Some(list) = receiver(call)
    {
        let mut items = Vec::new();
        if let Some(param) = function.params().items.first() {
            let names = param.pattern.get_binding_identifiers();
            items.extend(names.into_iter().map(|identifier| identifier.name.as_str()));
        }
        let the_loop = Loop {
            span: span(call.span),
            index: function.param_name(1),
            list: root_name(list),
            is_over_items: is_long(list, &items),
            is_unlimited: is_long(list, &items),
            is_callback: true,
            items,
            ..Loop::default()
        };
        walker.pending_loops.push((function.span().start, the_loop));
    }
}

pub(super) fn innermost<'w, 'a>(walker: &'w mut Walker<'a, '_, '_>) -> Option<&'w mut Loop<'a>> {
    walker.frames.last_mut()?.loops.last_mut()
}

/// Maximum length in bytes of the body of a loop that is searched.
pub(super) const MAX_BODY: usize = 4 << 10;

#[inline(never)]
pub(super) fn check_assignment<'a>(
    walker: &mut Walker<'a, '_, '_>,
    assignment: &AssignmentExpression<'a>,
) {
    if let Some(member) = assignment.left.as_member_expression() {
        let is_style = property_of(member.object()) == Some("style");
        let is_layout = member
            .static_property_name()
            .is_some_and(|name| matches!(name, "className" | "cssText"));
        if is_style || is_layout {
            note_write(walker, member.object(), span(assignment.span));
        }
    }
    check_copy(walker, assignment);
}

/// Notes an `await` in a loop.
#[inline(never)]
pub(super) fn check_await<'a>(walker: &mut Walker<'a, '_, '_>, awaited: &AwaitExpression<'a>) {
    let text = walker.text;
    let Some(the_loop) = innermost(walker) else { return };
    let call = call_of(&awaited.argument);
    let loads = call.is_some_and(|call| {
        callee_name(call).is_some_and(loads_by_name)
            && the_loop.items.iter().any(|item| mentions(slice(text, call), item))
            && !mentions(slice(text, call), "method")
    });
    let reads_body = call
        .and_then(callee_name)
        .is_some_and(|name| matches!(name, "json" | "text" | "blob" | "arrayBuffer"));
    if !reads_body || loads {
        the_loop.awaits.push((span(awaited.span), loads));
    }
}

/// Whether the name of a function says that it only loads something.
pub(super) fn loads_by_name(name: &str) -> bool {
    ["get", "fetch", "find", "load", "read", "list", "query", "count", "search"].iter().any(
        |verb| {
            name.strip_prefix(verb).is_some_and(|rest| {
                rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_uppercase())
            })
        },
    )
}

/// Reports what the loop does in each round.
#[inline(never)]
pub(super) fn finish(walker: &mut Walker<'_, '_, '_>, the_loop: &Loop<'_>) {
    layout::finish(walker, the_loop);
    let awaits_loads =
        !the_loop.awaits.is_empty() && the_loop.awaits.iter().all(|(_, loads)| *loads);
    let path = walker.report.source().path();
    if the_loop.is_over_items
        && !the_loop.is_callback
        && the_loop.only_loads
        && awaits_loads
        && !is_one_off(path)
        && let [(place, _), ..] = the_loop.awaits[..]
    {
        let message = "each round of the loop waits for the previous one";
        if let Some(finding) = walker.at("perf/await-in-loop", place, message) {
            finding.help("Start all calls, then wait for them with `Promise.all`, or load all items in one call.");
        }
    }
}

/// Names of objects that send queries to a database.
const CLIENTS: [&str; 11] =
    ["prisma", "db", "tx", "trx", "knex", "em", "orm", "database", "pool", "repo", "repository"];

/// Methods that read from a database.
const QUERIES: [&str; 15] = [
    "findUnique",
    "findUniqueOrThrow",
    "findFirst",
    "findFirstOrThrow",
    "findMany",
    "findOne",
    "findOneBy",
    "findOneOrFail",
    "findOneByOrFail",
    "findBy",
    "findById",
    "findByPk",
    "select",
    "aggregate",
    "count",
];

/// Reports a query of the database for each item of a list.
fn check_query<'a>(walker: &mut Walker<'a, '_, '_>, call: &CallExpression<'a>, name: &'a str) {
    let is_raw = name == "query" && is_select(call);
    if !is_raw && !QUERIES.contains(&name) {
        return;
    }
    let path = walker.report.source().path();
    let text = walker.text;
    let Some(the_loop) = walker.frame().and_then(|frame| frame.loops.last()) else { return };
    // Prisma combines the calls of `findUnique` that start at the same time.
    let is_combined = the_loop.is_callback && name.starts_with("findUnique");
    if !the_loop.is_over_items || is_combined || is_one_off(path) {
        return;
    }
    let by_id = matches!(name, "findById" | "findByPk");
    let is_database = |object: &Expression<'a>| {
        chain_names(object).iter().any(|name| is_client(name))
            || by_id && name_of(object).is_some_and(is_component_name)
    };
    let of_statement = statement_text(text, call);
    let depends = the_loop.items.iter().any(|item| mentions(of_statement, item));
    if receiver(call).is_some_and(is_database) && depends {
        let message = "query for each item of a list";
        let place = span(call.callee.span());
        if let Some(finding) = walker.at("perf/query-in-loop", place, message) {
            finding.help("Load all items with one query, such as `where: { id: { in: ids } }`.");
        }
    }
}

/// Whether the name of an object says that it sends queries to a database.
pub(super) fn is_client(name: &str) -> bool {
    CLIENTS.contains(&name)
        || ["Repository", "Repo", "Model", "Prisma"].iter().any(|end| name.ends_with(end))
}

/// The text from the call to the end of its statement, which contains the calls that follow in a
/// chain: `db.select().from(users).where(…)`.
fn statement_text<'t>(text: &'t str, call: &CallExpression<'_>) -> &'t str {
    const MAX_REST: usize = 300;
    let rest = text.get(call.span.start as usize..).unwrap_or_default();
    let within = ((call.span.end - call.span.start) as usize).min(MAX_BODY);
    let rest = &rest[..rest.floor_char_boundary(within + MAX_REST)];
    let after = rest.as_bytes().get(within..).unwrap_or_default();
    let end = memchr::memchr(b';', after).map_or(rest.len(), |at| within + at);
    &rest[..end]
}

/// The names in a chain of members and calls, from the last.
pub(super) fn chain_names<'a>(expression: &Expression<'a>) -> Vec<&'a str> {
    let mut names = Vec::new();
    let mut at = expression;
    while names.len() < 8 {
        if let Some(call) = call_of(at) {
            at = &call.callee;
        } else if let Some(member) = member_of(at) {
            names.extend(member.static_property_name());
            at = member.object();
        } else {
            names.extend(name_of(at));
            break;
        }
    }
    names
}

fn is_select(call: &CallExpression<'_>) -> bool {
    let text = match call.arguments.first().and_then(Argument::as_expression) {
        Some(Expression::StringLiteral(literal)) => literal.value.as_str(),
        Some(Expression::TemplateLiteral(template)) => {
            template.quasis.first().map_or("", |quasi| quasi.value.raw.as_str())
        }
        _ => return false,
    };
    text.trim_start().get(..6).is_some_and(|start| start.eq_ignore_ascii_case("select"))
}

/// Reports a `reduce` that copies its result in each round.
fn check_reduce<'a>(walker: &mut Walker<'a, '_, '_>, call: &CallExpression<'a>) {
    let Some(function) = Callable::of_argument(call, 0) else { return };
    let Some(result) = function.param_name(0) else { return };
    let is_fixed = receiver(call)
        .is_some_and(|list| matches!(list.get_inner_expression(), Expression::ArrayExpression(_)));
    if is_fixed || call.arguments.len() > 2 {
        return;
    }
    // The initial value shows the type: texts have `concat` too.
    let is_collection = call
        .arguments
        .get(1)
        .and_then(Argument::as_expression)
        .is_some_and(|it| matches!(created_by(it), Some("object" | "array")));
    let returned = function.expression().or_else(|| match function.statements().last() {
        Some(Statement::ReturnStatement(statement)) => statement.argument.as_ref(),
        _ => None,
    });
    let is_literal = returned.is_some_and(|it| created_by(it).is_some());
    if let Some(copied) = returned.and_then(|returned| copied_name(returned, result, true))
        && (is_collection || is_literal)
    {
        report_copy(walker, span(copied), result);
    }
}

/// The part of an object or array that copies `name` into it. With `merges`, other objects that are
/// spread can add keys.
fn copied_name(expression: &Expression<'_>, name: &str, merges: bool) -> Option<oxc_span::Span> {
    let is_name = |spread: &SpreadElement<'_>| name_of(&spread.argument) == Some(name);
    match expression.get_inner_expression() {
        Expression::ObjectExpression(object) => {
            let spread = object.properties.iter().find_map(|property| match property {
                ObjectPropertyKind::SpreadProperty(spread) if is_name(spread) => Some(spread.span),
                _ => None,
            })?;
            // With fixed keys, the object does not grow.
            let grows = object.properties.iter().any(|property| match property {
                ObjectPropertyKind::ObjectProperty(property) => property.computed,
                ObjectPropertyKind::SpreadProperty(other) => merges && !is_name(other),
            });
            grows.then_some(spread)
        }
        Expression::ArrayExpression(array) if array.elements.len() > 1 => {
            array.elements.iter().find_map(|element| match element {
                ArrayExpressionElement::SpreadElement(spread) if is_name(spread) => {
                    Some(spread.span)
                }
                _ => None,
            })
        }
        _ => {
            let call = call_of(expression)?;
            let is_concat = callee_name(call) == Some("concat")
                && receiver(call).and_then(name_of) == Some(name);
            is_concat.then_some(call.span)
        }
    }
}

/// Reports `list = [...list, item]` in a loop.
fn check_copy<'a>(walker: &mut Walker<'a, '_, '_>, assignment: &AssignmentExpression<'a>) {
    let AssignmentTarget::AssignmentTargetIdentifier(target) = &assignment.left else { return };
    let name = target.name.as_str();
    let Some(the_loop) = walker.frame().and_then(|frame| frame.loops.last()) else { return };
    let is_item = the_loop.items.contains(&name);
    // Next to the network, copies are fast.
    let is_slow = !the_loop.awaits.is_empty();
    if !assignment.operator.is_assign() || is_item || is_slow || !the_loop.is_unlimited {
        return;
    }
    let Some(copied) = copied_name(&assignment.right, name, false) else { return };
    // Texts have `concat` too.
    let is_list = call_of(&assignment.right).is_none()
        || walker.declared().is_list(name, assignment.span.start);
    if !is_list {
        return;
    }
    // A variable that each round declares does not grow.
    let end = assignment.span.start as usize;
    let start = (the_loop.span.start as usize).max(end.saturating_sub(MAX_BODY));
    let start = walker.text.floor_char_boundary(start);
    let before = walker.text.get(start..end).unwrap_or_default();
    let declares = |word: &str| contains(before, &format!("{word} {name}"));
    if !declares("let") && !declares("var") {
        report_copy(walker, span(copied), name);
    }
}

fn report_copy(walker: &mut Walker<'_, '_, '_>, place: Span, name: &str) {
    let message =
        format!("`{name}` is copied in each round: the time grows with the square of the items");
    if let Some(finding) = walker.at("perf/accumulating-spread", place, message) {
        finding.help(format!("Add to `{name}` with `push` or an assignment, or build a `Map`."));
    }
}
