//! Reads the statements of a PostgreSQL file from the syntax tree of squawk.

use super::statement::{
    Action, Column, Constraint, ConstraintKind, CreateIndex, CreateTable, Name, Statement,
    StatementKind,
};
use aidd_engine::text::source::Span;
use squawk_syntax::ast::{self, AstNode};
use squawk_syntax::{Parse, SourceFile, SyntaxElement, SyntaxKind, SyntaxNode};

/// The span of a node without white space and comments at its start.
fn span(node: &SyntaxNode) -> Span {
    let first = node.children_with_tokens().find(|child| !child.kind().is_trivia());
    let start = first.map_or(node.text_range().start(), |child| child.text_range().start());
    Span::new(start.into(), usize::from(node.text_range().end()).max(start.into()))
}

fn name(node: &impl AstNode) -> Name {
    name_of(node.syntax())
}

fn name_of(node: &SyntaxNode) -> Name {
    let mut text = String::new();
    for token in node.descendants_with_tokens().filter_map(SyntaxElement::into_token) {
        if !token.kind().is_trivia() && token.kind() != SyntaxKind::STAR {
            text.push_str(token.text());
        }
    }
    Name::postgres(&text, span(node))
}

/// The statements of the file, in order.
pub(super) fn statements(parse: &Parse<SourceFile>) -> Vec<Statement> {
    parse.tree().stmts().map(|statement| read(&statement)).collect()
}

/// The spans of `CONCURRENTLY` in statements that cannot run in a transaction.
pub(super) fn concurrently_spans(parse: &Parse<SourceFile>) -> Vec<Span> {
    let found = parse.tree().stmts().filter_map(|statement| {
        let is_index = matches!(
            statement,
            ast::Stmt::CreateIndex(_) | ast::Stmt::DropIndex(_) | ast::Stmt::Reindex(_)
        );
        let tokens = statement.syntax().descendants_with_tokens();
        let mut tokens = tokens.filter_map(SyntaxElement::into_token);
        let token = is_index
            .then(|| tokens.find(|token| token.kind() == SyntaxKind::CONCURRENTLY_KW))
            .flatten()?;
        let range = token.text_range();
        Some(Span::new(range.start().into(), range.end().into()))
    });
    found.collect()
}

fn read(statement: &ast::Stmt) -> Statement {
    let node = statement.syntax();
    let (mut cross_joins, mut non_sargable) = (Vec::new(), Vec::new());
    let is_query = matches!(
        statement,
        ast::Stmt::Select(_)
            | ast::Stmt::Delete(_)
            | ast::Stmt::Update(_)
            | ast::Stmt::Insert(_)
            | ast::Stmt::CreateView(_)
            | ast::Stmt::CreateMaterializedView(_)
            | ast::Stmt::CreateTableAs(_)
            | ast::Stmt::CompoundSelect(_)
    );
    if is_query {
        for node in node.descendants() {
            if let Some(select) = ast::Select::cast(node.clone()) {
                cross_joins.extend(cross_join(&select));
            } else if let Some(clause) = ast::WhereClause::cast(node) {
                non_sargable.extend(conditions_on_functions(clause.syntax()));
            }
        }
    }
    // Tables that `WITH` defines often have one row, so a cross join is intended.
    if !cross_joins.is_empty()
        && node.descendants().any(|node| ast::WithClause::can_cast(node.kind()))
    {
        cross_joins.clear();
    }
    Statement { span: span(node), kind: kind(statement), cross_joins, non_sargable }
}

fn kind(statement: &ast::Stmt) -> StatementKind {
    read_kind(statement).unwrap_or(StatementKind::Other)
}

fn read_kind(statement: &ast::Stmt) -> Option<StatementKind> {
    Some(match statement {
        ast::Stmt::CreateTable(create) => StatementKind::CreateTable(create_table(create)?),
        ast::Stmt::CreateTableAs(create) => StatementKind::CreateTable(CreateTable {
            name: first_path(create.syntax())?,
            columns: Vec::new(),
            constraints: Vec::new(),
            if_not_exists: create.if_not_exists().is_some(),
            is_temporary: create.persistence().is_some(),
            has_other_columns: true,
        }),
        ast::Stmt::AlterTable(alter) => StatementKind::AlterTable {
            table: name(&alter.table_relation_name()?.table_name_ref()?),
            actions: alter.actions().map(|action| read_action(&action)).collect(),
        },
        ast::Stmt::CreateIndex(create) => {
            let items = create.partition_item_list();
            let items = items.iter().flat_map(ast::PartitionItemList::partition_items);
            let expressions: Vec<ast::Expr> = items.filter_map(|item| item.expr()).collect();
            let method = create.using_method();
            let method = method.map(|method| method.syntax().text().to_string().to_lowercase());
            StatementKind::CreateIndex(CreateIndex {
                name: create.index().map(|index| name(&index)),
                table: name(&create.table_relation_name()?.table_name_ref()?),
                columns: expressions.iter().map(column_key).collect(),
                is_partial: create.where_clause().is_some(),
                is_special: method
                    .is_some_and(|method| !method.contains("btree") && !method.contains("hash")),
            })
        }
        ast::Stmt::DropTable(drop) => StatementKind::DropTable {
            names: drop.table_name_refs().map(|table| name(&table)).collect(),
        },
        ast::Stmt::DropIndex(drop) => StatementKind::DropIndex {
            names: drop.index_refs().map(|index| name(&index)).collect(),
            table: None,
        },
        ast::Stmt::CreateView(view) => StatementKind::CreateView {
            star: view.query().and_then(|query| star_of_table(query.syntax())),
        },
        ast::Stmt::CreateMaterializedView(view) => {
            StatementKind::CreateView { star: star_of_table(view.syntax()) }
        }
        ast::Stmt::Delete(delete) => StatementKind::Delete {
            table: name(&delete.relation_name()?),
            has_condition: delete.where_clause_or_current_of().is_some()
                || delete.using_clause().is_some()
                || delete.for_portion_of().is_some(),
        },
        ast::Stmt::Update(update) => StatementKind::Update {
            table: name(&update.relation_name()?),
            has_condition: update.where_clause_or_current_of().is_some()
                || update.from_clause().is_some()
                || update.for_portion_of().is_some(),
        },
        ast::Stmt::Do(_) | ast::Stmt::Execute(_) | ast::Stmt::Call(_) => StatementKind::Opaque,
        ast::Stmt::AlterSchema(_) | ast::Stmt::DropSchema(_) | ast::Stmt::SelectInto(_) => {
            StatementKind::Opaque
        }
        ast::Stmt::Set(set) if is_search_path(set.syntax()) => StatementKind::Opaque,
        _ => return None,
    })
}

fn is_search_path(node: &SyntaxNode) -> bool {
    node.text().to_string().to_ascii_lowercase().contains("search_path")
}

fn first_path(node: &SyntaxNode) -> Option<Name> {
    node.descendants().find_map(ast::TableName::cast).map(|table| name(&table))
}

fn create_table(create: &ast::CreateTable) -> Option<CreateTable> {
    let (mut columns, mut constraints) = (Vec::new(), Vec::new());
    let mut has_other_columns = create.inherits().is_some()
        || create.partition_of().is_some()
        || create.of_type().is_some();
    for argument in create.table_arg_list().iter().flat_map(ast::TableArgList::args) {
        match argument {
            ast::TableArg::Column(definition) => {
                let Some(column_name) = definition.name() else { continue };
                let data_type = definition.ty().map(|ty| type_text(&ty)).unwrap_or_default();
                let mut column = column(name(&column_name), &data_type);
                for clause in definition.clauses() {
                    read_clause(clause.syntax(), &mut column);
                }
                columns.push(column);
            }
            ast::TableArg::TableConstraint(table_constraint) => {
                constraints.push(constraint(table_constraint.syntax()));
            }
            ast::TableArg::LikeClause(_) => has_other_columns = true,
        }
    }
    Some(CreateTable {
        name: name(&create.table_name()?),
        columns,
        constraints,
        if_not_exists: create.if_not_exists().is_some(),
        is_temporary: create.persistence().is_some_and(|persistence| {
            persistence.syntax().text().to_string().to_ascii_lowercase().contains("temp")
        }),
        has_other_columns,
    })
}

fn type_text(data_type: &ast::Type) -> String {
    data_type.syntax().text().to_string().trim().to_lowercase()
}

fn column(name: Name, data_type: &str) -> Column {
    let is_serial = data_type.ends_with("serial");
    Column {
        name,
        is_not_null: is_serial,
        has_default: is_serial,
        has_volatile_default: is_serial,
        is_generated: false,
        is_stored: false,
        is_primary: false,
        is_unique: false,
        references: None,
        has_position: false,
    }
}

/// Records the column constraints in a clause; the clause can itself be a constraint.
fn read_clause(clause: &SyntaxNode, column: &mut Column) {
    for node in std::iter::once(clause.clone()).chain(clause.children()) {
        match node.kind() {
            SyntaxKind::NOT_NULL_CONSTRAINT => column.is_not_null = true,
            SyntaxKind::DEFAULT_CONSTRAINT => column.has_default = true,
            SyntaxKind::PRIMARY_KEY_CONSTRAINT => column.is_primary = true,
            SyntaxKind::UNIQUE_CONSTRAINT => column.is_unique = true,
            SyntaxKind::REFERENCES_CONSTRAINT => column.references = Some(span(&node)),
            _ => {}
        }
    }
}

fn constraint(node: &SyntaxNode) -> Constraint {
    let inner = std::iter::once(node.clone()).chain(node.children());
    let found = inner.into_iter().find_map(|node| {
        let kind = match node.kind() {
            SyntaxKind::PRIMARY_KEY_CONSTRAINT => ConstraintKind::Primary,
            SyntaxKind::UNIQUE_CONSTRAINT => ConstraintKind::Unique,
            SyntaxKind::FOREIGN_KEY_CONSTRAINT => ConstraintKind::Foreign,
            SyntaxKind::CHECK_CONSTRAINT => ConstraintKind::Check,
            _ => return None,
        };
        Some((kind, node))
    });
    let Some((kind, inner)) = found else {
        return Constraint { kind: ConstraintKind::Other, columns: Vec::new(), span: span(node) };
    };
    let list = match kind {
        ConstraintKind::Foreign => {
            let foreign = ast::ForeignKeyConstraint::cast(inner.clone());
            foreign.and_then(|foreign| foreign.from_columns()).map(|list| list.syntax().clone())
        }
        ConstraintKind::Check => None,
        _ => inner
            .children()
            .find_map(ast::IndexParameters::cast)
            .and_then(|parameters| parameters.column_list())
            .map(|list| list.syntax().clone()),
    };
    let columns = list.iter().flat_map(SyntaxNode::children).map(|node| name_of(&node).key);
    Constraint { kind, columns: columns.collect(), span: span(node) }
}

/// The name of an indexed column; empty for other expressions.
fn column_key(expression: &ast::Expr) -> String {
    match expression {
        ast::Expr::NameRef(_) => name_of(expression.syntax()).key,
        _ => String::new(),
    }
}

fn read_action(action: &ast::AlterTableAction) -> Action {
    action_of(action).unwrap_or(Action::Other)
}

fn action_of(action: &ast::AlterTableAction) -> Option<Action> {
    Some(match action {
        ast::AlterTableAction::AddColumn(add) => {
            let data_type = add.ty().map(|ty| type_text(&ty)).unwrap_or_default();
            let mut column = column(name(&add.column_name()?), &data_type);
            for constraint in add.constraints() {
                read_clause(constraint.syntax(), &mut column);
            }
            let if_not_exists = add.if_not_exists().is_some();
            Action::AddColumn { column, if_not_exists, span: span(add.syntax()) }
        }
        ast::AlterTableAction::DropColumn(drop) => Action::DropColumn {
            name: name(&drop.column_name_ref()?),
            if_exists: drop.if_exists().is_some(),
        },
        ast::AlterTableAction::RenameColumn(rename) => Action::RenameColumn {
            from: name(&rename.column_name_ref()?),
            to: name(&rename.column_name()?),
        },
        ast::AlterTableAction::TableRenameTo(rename) => {
            Action::RenameTable { to: name_of(&rename.syntax().children().next()?) }
        }
        ast::AlterTableAction::AddConstraint(add) => {
            Action::AddConstraint(constraint(add.constraint()?.syntax()))
        }
        ast::AlterTableAction::SetSchema(_)
        | ast::AlterTableAction::InheritTable(_)
        | ast::AlterTableAction::NoInheritTable(_)
        | ast::AlterTableAction::AttachPartition(_) => Action::Opaque,
        _ => return None,
    })
}

/// The `*` of a view whose columns come from a table.
fn star_of_table(query: &SyntaxNode) -> Option<Span> {
    let select = query.descendants().find_map(ast::Select::cast)?;
    // In `WITH … SELECT *`, the query in `WITH` lists the columns.
    if select.with_clause().is_some()
        || query.descendants().any(|node| ast::WithClause::can_cast(node.kind()))
    {
        return None;
    }
    let items: Vec<_> = select.from_clause()?.items().collect();
    let is_table =
        |node: &SyntaxNode| !node.descendants().any(|node| ast::Select::can_cast(node.kind()));
    if !items.iter().all(|item| is_table(item.syntax())) {
        return None;
    }
    let clause = select.select_clause()?;
    let mut tokens =
        clause.syntax().descendants_with_tokens().filter_map(SyntaxElement::into_token);
    tokens
        .find(|token| {
            token.kind() == SyntaxKind::STAR
                && token.parent().is_some_and(|parent| {
                    parent.kind() == SyntaxKind::TARGET || parent.kind() == SyntaxKind::TARGET_LIST
                })
        })
        .map(|token| Span::new(token.text_range().start().into(), token.text_range().end().into()))
}

/// A comma join of tables in a query without a condition.
fn cross_join(select: &ast::Select) -> Option<Span> {
    if select.where_clause().is_some() {
        return None;
    }
    let clause = select.from_clause()?;
    let items: Vec<_> = clause.items().collect();
    let is_plain = |node: &SyntaxNode| {
        !node.descendants_with_tokens().any(|child| {
            matches!(
                child.kind(),
                SyntaxKind::L_PAREN | SyntaxKind::LATERAL_KW | SyntaxKind::JOIN_KW
            )
        })
    };
    let table = |item: &SyntaxNode| {
        let text = item.text().to_string().to_lowercase();
        text.split_whitespace().next().map(str::to_owned)
    };
    let tables: Vec<_> = items.iter().map(|item| table(item.syntax())).collect();
    (has_different_tables(&tables) && items.iter().all(|item| is_plain(item.syntax())))
        .then(|| span(clause.syntax()))
}

/// Whether not all tables are the same. A query that combines a table of digits with itself
/// generates numbers.
pub(super) fn has_different_tables<T: PartialEq>(tables: &[T]) -> bool {
    tables.windows(2).any(|pair| pair[0] != pair[1])
}

/// The functions that programs commonly apply to columns in conditions.
pub(super) const COLUMN_FUNCTIONS: &[&str] = &[
    "lower",
    "upper",
    "date",
    "date_trunc",
    "year",
    "month",
    "day",
    "substr",
    "substring",
    "trim",
    "to_char",
];

/// The comparisons in a clause whose left side is a function of a column and whose right side is a
/// constant.
fn conditions_on_functions(clause: &SyntaxNode) -> Vec<Span> {
    let comparisons = clause.descendants().filter_map(ast::BinExpr::cast).filter(|comparison| {
        let is_function = comparison.lhs().is_some_and(|side| {
            let text = side.syntax().text().to_string().to_ascii_lowercase();
            let (function, arguments) = text.split_once('(').unwrap_or_default();
            COLUMN_FUNCTIONS.contains(&function.trim())
                && arguments.trim_end_matches(')').trim().rsplit(',').next().is_some_and(|last| {
                    last.trim().starts_with(|c: char| c.is_ascii_alphabetic() || c == '"')
                })
        });
        let is_constant =
            comparison.rhs().is_some_and(|side| matches!(side, ast::Expr::Literal(_)));
        is_function && is_constant
    });
    comparisons.map(|comparison| span(comparison.syntax())).collect()
}
