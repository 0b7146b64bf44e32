//! Reads the statements of all dialects except PostgreSQL from the syntax trees of sqlparser.

use super::dialect::Dialect;
use super::postgres::{COLUMN_FUNCTIONS, has_different_tables};
use super::statement::{
    Action, Column, Constraint, ConstraintKind, CreateIndex, CreateTable, Name, Statement,
    StatementKind,
};
use aidd_engine::text::source::Span;
use sqlparser::ast::{
    self, AlterColumnOperation, AlterTableAlgorithm, AlterTableLock, AlterTableOperation,
    ColumnOption, Expr, FromTable, ObjectName, ObjectType, RenameTableNameKind, SelectItem,
    SetExpr, Spanned, TableConstraint, TableFactor, TableWithJoins,
};
use sqlparser::dialect as parsers;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::Location;
use std::ops::ControlFlow;

/// Parses one statement, which begins at the offset `start` of the file; `None` if the parser does
/// not support it.
pub(super) fn parse(text: &str, start: usize, dialect: Option<Dialect>) -> Option<Statement> {
    let parser: &dyn parsers::Dialect = match dialect {
        Some(Dialect::MySql) => &parsers::MySqlDialect {},
        Some(Dialect::Sqlite) => &parsers::SQLiteDialect {},
        Some(Dialect::SqlServer) => &parsers::MsSqlDialect {},
        Some(Dialect::ClickHouse) => &parsers::ClickHouseDialect {},
        _ => &parsers::GenericDialect {},
    };
    let mut statements = Parser::new(parser).try_with_sql(text).ok()?.parse_statements().ok()?;
    let statement = statements.pop().filter(|_| statements.is_empty())?;
    let positions = Positions::new(text, start);
    let mut queries = Queries {
        positions: &positions,
        has_with: false,
        cross_joins: Vec::new(),
        non_sargable: Vec::new(),
    };
    let _: ControlFlow<()> = ast::Visit::visit(&statement, &mut queries);
    let Queries { mut cross_joins, non_sargable, has_with, .. } = queries;
    if has_with {
        cross_joins.clear();
    }
    Some(Statement {
        span: Span::new(start, start + text.len()),
        kind: kind(&statement, &positions),
        cross_joins,
        non_sargable,
    })
}

/// Converts the positions of the parser to offsets in the file.
struct Positions<'a> {
    text: &'a str,
    start: usize,
    lines: Vec<usize>,
    /// For each byte that continues a character, the number of characters that start before it.
    continued: Vec<usize>,
}

impl<'a> Positions<'a> {
    fn new(text: &'a str, start: usize) -> Self {
        let breaks = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        let bytes = text.bytes().enumerate().filter(|(_, byte)| byte & 0xC0 == 0x80);
        let continued = bytes.enumerate().map(|(index, (at, _))| at - index).collect();
        Self { text, start, lines: std::iter::once(0).chain(breaks).collect(), continued }
    }

    /// The number of characters before the character that starts at `at`.
    fn characters_before(&self, at: usize) -> usize {
        let is_before = |index: usize| self.continued[index] + index < at;
        let (mut low, mut high) = (0, self.continued.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if is_before(middle) { low = middle + 1 } else { high = middle }
        }
        at - low
    }

    fn offset(&self, location: Location) -> usize {
        let index = |number: u64| usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
        let line = self.lines.get(index(location.line)).copied().unwrap_or(0);
        let character = self.characters_before(line).saturating_add(index(location.column));
        let continued = self.continued.partition_point(|&characters| characters <= character);
        self.start + character.saturating_add(continued).min(self.text.len())
    }

    /// The span of a node, or of the whole statement if the parser does not record the position.
    fn span(&self, node: &impl Spanned) -> Span {
        self.convert(node.span())
    }

    fn convert(&self, span: sqlparser::tokenizer::Span) -> Span {
        if span.start.line == 0 {
            return Span::new(self.start, self.start + self.text.len());
        }
        let start = self.offset(span.start);
        let end = self.offset(span.end).max(start);
        Span::new(start, end + self.missing_parentheses(start, end))
    }

    /// The number of closing parentheses directly after a span that belong to it; the parser omits
    /// them from spans.
    fn missing_parentheses(&self, start: usize, end: usize) -> usize {
        let bytes = self.text.as_bytes();
        let inside = bytes.get(start - self.start..end - self.start).unwrap_or_default();
        let count = |mark| memchr::memchr_iter(mark, inside).count();
        let missing = count(b'(').saturating_sub(count(b')'));
        let rest = bytes.get(end - self.start..).unwrap_or_default();
        rest.iter().take(missing).take_while(|&&byte| byte == b')').count()
    }

    fn name(&self, name: &ObjectName) -> Name {
        Name::new(&name.to_string(), self.span(name))
    }

    fn ident(&self, ident: &ast::Ident) -> Name {
        Name::new(&ident.value, self.convert(ident.span))
    }
}

/// Collects the non-sargable conditions and the comma joins in the queries of a statement.
struct Queries<'a> {
    positions: &'a Positions<'a>,
    has_with: bool,
    cross_joins: Vec<Span>,
    non_sargable: Vec<Span>,
}

impl ast::Visitor for Queries<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &ast::Query) -> ControlFlow<()> {
        // Tables that `WITH` defines often have one row, so a cross join is intended.
        self.has_with |= query.with.is_some();
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &ast::Select) -> ControlFlow<()> {
        let is_plain = |from: &TableWithJoins| {
            from.joins.is_empty() && matches!(&from.relation, TableFactor::Table { args: None, .. })
        };
        let table = |from: &TableWithJoins| match &from.relation {
            TableFactor::Table { name, .. } => Some(name.to_string().to_lowercase()),
            _ => None,
        };
        let tables: Vec<_> = select.from.iter().map(table).collect();
        if select.selection.is_none()
            && select.prewhere.is_none()
            && has_different_tables(&tables)
            && select.from.iter().all(is_plain)
            && let (Some(first), Some(last)) = (select.from.first(), select.from.last())
        {
            let span = self.positions.span(first).cover(self.positions.span(last));
            self.cross_joins.push(span);
        }
        if let Some(condition) = &select.selection {
            self.read_condition(condition);
        }
        ControlFlow::Continue(())
    }
}

impl Queries<'_> {
    /// Collects the comparisons of a condition that an index cannot speed up. `AND` and `OR` join
    /// the comparisons.
    fn read_condition(&mut self, condition: &Expr) {
        let mut open = vec![condition];
        while let Some(expression) = open.pop() {
            let Expr::BinaryOp { left, op, right } = expression else { continue };
            if matches!(op, ast::BinaryOperator::And | ast::BinaryOperator::Or) {
                open.extend([&**left, &**right]);
                continue;
            }
            let Expr::Function(function) = &**left else { continue };
            let name = function.name.to_string().to_ascii_lowercase();
            let has_column = match &function.args {
                ast::FunctionArguments::List(list) => list.args.iter().any(|argument| {
                    matches!(
                        argument,
                        ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(
                            Expr::Identifier(_) | Expr::CompoundIdentifier(_)
                        ))
                    )
                }),
                _ => false,
            };
            if COLUMN_FUNCTIONS.contains(&&*name) && has_column && matches!(**right, Expr::Value(_))
            {
                self.non_sargable.push(self.positions.span(expression));
            }
        }
    }
}

fn kind(statement: &ast::Statement, positions: &Positions<'_>) -> StatementKind {
    match statement {
        ast::Statement::CreateTable(create) => StatementKind::CreateTable(CreateTable {
            name: positions.name(&create.name),
            columns: create
                .columns
                .iter()
                .map(|definition| column(definition, positions))
                .collect(),
            constraints: create
                .constraints
                .iter()
                .map(|definition| constraint(definition, positions))
                .collect(),
            if_not_exists: create.if_not_exists || create.or_replace,
            is_temporary: create.temporary,
            has_other_columns: create.query.is_some()
                || create.like.is_some()
                || create.clone.is_some()
                || create.columns.is_empty(),
        }),
        ast::Statement::AlterTable(alter) => {
            let actions = alter.operations.iter().map(|operation| action(operation, positions));
            StatementKind::AlterTable {
                table: positions.name(&alter.name),
                actions: actions.collect(),
            }
        }
        ast::Statement::CreateIndex(create) => StatementKind::CreateIndex(CreateIndex {
            name: create.name.as_ref().map(|name| positions.name(name)),
            table: positions.name(&create.table_name),
            columns: create.columns.iter().map(index_column).collect(),
            is_partial: create.predicate.is_some(),
            is_special: false,
        }),
        ast::Statement::Drop { object_type: ObjectType::Table, names, .. } => {
            let names = names.iter().map(|name| positions.name(name)).collect();
            StatementKind::DropTable { names }
        }
        ast::Statement::Drop { object_type: ObjectType::Index, names, table, .. } => {
            let names = names.iter().map(|name| positions.name(name)).collect();
            let table = table.as_ref().map(|table| positions.name(table));
            StatementKind::DropIndex { names, table }
        }
        ast::Statement::Drop { object_type: ObjectType::Schema | ObjectType::Database, .. } => {
            StatementKind::Opaque
        }
        ast::Statement::RenameTable(renames) => match renames.as_slice() {
            [rename] => StatementKind::RenameTable {
                from: positions.name(&rename.old_name),
                to: positions.name(&rename.new_name),
            },
            _ => StatementKind::Opaque,
        },
        ast::Statement::CreateView(view) => {
            StatementKind::CreateView { star: star_of_table(&view.query, positions) }
        }
        ast::Statement::Delete(delete) => {
            let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &delete.from;
            let Some(table) = from.first().and_then(|from| table_name(from, positions)) else {
                return StatementKind::Other;
            };
            let has_condition = delete.selection.is_some()
                || delete.using.is_some()
                || delete.limit.is_some()
                || from.iter().any(|from| !from.joins.is_empty());
            StatementKind::Delete { table, has_condition }
        }
        ast::Statement::Update(update) => {
            let Some(table) = table_name(&update.table, positions) else {
                return StatementKind::Other;
            };
            let has_condition = update.selection.is_some()
                || update.from.is_some()
                || update.limit.is_some()
                || !update.table.joins.is_empty();
            StatementKind::Update { table, has_condition }
        }
        ast::Statement::Truncate(truncate) => {
            let tables = truncate.table_names.iter().map(|target| positions.name(&target.name));
            StatementKind::Truncate { tables: tables.collect() }
        }
        ast::Statement::Execute { name: Some(name), parameters, .. } => {
            renamed_column(name, parameters, positions).unwrap_or(StatementKind::Opaque)
        }
        ast::Statement::Execute { .. } | ast::Statement::Call(_) | ast::Statement::Use(_) => {
            StatementKind::Opaque
        }
        _ => StatementKind::Other,
    }
}

/// Reads `EXEC sp_rename 'dbo.orders.note', 'remark', 'COLUMN'` of SQL Server. Returns `None`
/// without `COLUMN`, because the kind of the renamed object is then unknown.
fn renamed_column(
    procedure: &ObjectName,
    parameters: &[Expr],
    positions: &Positions<'_>,
) -> Option<StatementKind> {
    let [old, new, kind] = parameters else { return None };
    let text = |value: &Expr| match value {
        Expr::Value(value) => value.value.clone().into_string(),
        _ => None,
    };
    let is_rename = procedure.to_string().to_ascii_lowercase().ends_with("sp_rename")
        && text(kind)?.eq_ignore_ascii_case("column");
    let (old_name, new_name) = (text(old)?, text(new)?);
    let (table, column) = old_name.rsplit_once('.').filter(|_| is_rename)?;
    let name = |text: &str, node: &Expr| Name::new(text, positions.span(node));
    Some(StatementKind::AlterTable {
        table: name(table, old),
        actions: vec![Action::RenameColumn { from: name(column, old), to: name(&new_name, new) }],
    })
}

fn table_name(from: &TableWithJoins, positions: &Positions<'_>) -> Option<Name> {
    match &from.relation {
        TableFactor::Table { name, args: None, .. } => Some(positions.name(name)),
        _ => None,
    }
}

fn column(definition: &ast::ColumnDef, positions: &Positions<'_>) -> Column {
    let mut column = Column {
        name: positions.ident(&definition.name),
        is_not_null: false,
        has_default: false,
        has_volatile_default: false,
        is_generated: false,
        is_stored: false,
        is_primary: false,
        is_unique: false,
        references: None,
        has_position: false,
    };
    // SQL Server generates the values of these columns.
    let data_type = definition.data_type.to_string().to_ascii_lowercase();
    column.is_generated = matches!(&*data_type, "rowversion");
    for option in &definition.options {
        match &option.option {
            ColumnOption::NotNull => column.is_not_null = true,
            ColumnOption::Default(value) => {
                column.has_default = !is_null(value);
                column.has_volatile_default = !matches!(
                    value,
                    Expr::Value(_) | Expr::UnaryOp { .. } | Expr::Identifier(_) | Expr::Array(_)
                );
            }
            ColumnOption::PrimaryKey(_) => column.is_primary = true,
            ColumnOption::Unique(_) => column.is_unique = true,
            ColumnOption::ForeignKey(key) => {
                column.references = Some(positions.span(&key.foreign_table));
            }
            ColumnOption::Generated { generation_expr_mode, .. } => {
                column.is_generated = true;
                column.is_stored =
                    *generation_expr_mode == Some(ast::GeneratedExpressionMode::Stored);
            }
            ColumnOption::Identity(_) => column.is_generated = true,
            ColumnOption::DialectSpecific(tokens) => {
                let is_counter = tokens.iter().any(|token| {
                    let token = token.to_string();
                    token.eq_ignore_ascii_case("auto_increment")
                });
                column.is_generated |= is_counter;
            }
            _ => {}
        }
    }
    column
}

fn is_null(value: &Expr) -> bool {
    matches!(value, Expr::Value(value) if matches!(value.value, ast::Value::Null))
}

fn constraint(definition: &TableConstraint, positions: &Positions<'_>) -> Constraint {
    let indexed = |columns: &[ast::IndexColumn]| columns.iter().map(index_column).collect();
    let (kind, columns): (_, Vec<String>) = match definition {
        TableConstraint::Unique(unique) => (ConstraintKind::Unique, indexed(&unique.columns)),
        TableConstraint::PrimaryKey(key) => (ConstraintKind::Primary, indexed(&key.columns)),
        TableConstraint::ForeignKey(key) => {
            let columns =
                key.columns.iter().map(|column| Name::new(&column.value, Span::default()));
            (ConstraintKind::Foreign, columns.map(|name| name.key).collect())
        }
        TableConstraint::Check(_) => (ConstraintKind::Check, Vec::new()),
        TableConstraint::Index(index) => (ConstraintKind::Index, indexed(&index.columns)),
        TableConstraint::FulltextOrSpatial(index) => {
            (ConstraintKind::FullText, indexed(&index.columns))
        }
        _ => (ConstraintKind::Other, Vec::new()),
    };
    Constraint { kind, columns, span: positions.span(definition) }
}

fn index_column(column: &ast::IndexColumn) -> String {
    match &column.column.expr {
        Expr::Identifier(ident) => Name::new(&ident.value, Span::default()).key,
        _ => String::new(),
    }
}

fn action(operation: &AlterTableOperation, positions: &Positions<'_>) -> Action {
    match operation {
        AlterTableOperation::AddColumn { if_not_exists, column_def, column_position, .. } => {
            let mut column = column(column_def, positions);
            column.has_position = column_position.is_some();
            let span = positions.span(column_def).cover(column.name.span);
            Action::AddColumn { column, if_not_exists: *if_not_exists, span }
        }
        AlterTableOperation::DropColumn { column_names, if_exists, .. } => {
            match &column_names[..] {
                [name] => Action::DropColumn { name: positions.ident(name), if_exists: *if_exists },
                _ => Action::Opaque,
            }
        }
        AlterTableOperation::RenameColumn { old_column_name, new_column_name } => {
            Action::RenameColumn {
                from: positions.ident(old_column_name),
                to: positions.ident(new_column_name),
            }
        }
        AlterTableOperation::RenameTable {
            table_name: RenameTableNameKind::As(name) | RenameTableNameKind::To(name),
        } => Action::RenameTable { to: positions.name(name) },
        AlterTableOperation::ChangeColumn { old_name, new_name, data_type, .. } => {
            Action::ChangeColumn {
                from: positions.ident(old_name),
                to: positions.ident(new_name),
                data_type: data_type.to_string().to_lowercase(),
            }
        }
        AlterTableOperation::ModifyColumn { col_name, data_type, .. } => Action::ChangeColumn {
            from: positions.ident(col_name),
            to: positions.ident(col_name),
            data_type: data_type.to_string().to_lowercase(),
        },
        AlterTableOperation::AlterColumn {
            column_name,
            op: AlterColumnOperation::SetDataType { data_type, .. },
        } => Action::ChangeColumn {
            from: positions.ident(column_name),
            to: positions.ident(column_name),
            data_type: data_type.to_string().to_lowercase(),
        },
        AlterTableOperation::AddConstraint { constraint: definition, .. } => {
            Action::AddConstraint(constraint(definition, positions))
        }
        AlterTableOperation::DropPrimaryKey { .. } => Action::DropPrimaryKey {
            span: Span::new(positions.start, positions.start + positions.text.len()),
        },
        AlterTableOperation::Algorithm { algorithm, .. } => Action::OnlineOption {
            forbids_blocking: matches!(
                algorithm,
                AlterTableAlgorithm::Instant | AlterTableAlgorithm::Inplace
            ),
        },
        AlterTableOperation::Lock { lock, .. } => {
            Action::OnlineOption { forbids_blocking: matches!(lock, AlterTableLock::None) }
        }
        AlterTableOperation::SwapWith { .. } => Action::Opaque,
        _ => Action::Other,
    }
}

/// The `*` of a view whose columns come from a table.
fn star_of_table(query: &ast::Query, positions: &Positions<'_>) -> Option<Span> {
    let SetExpr::Select(select) = &*query.body else { return None };
    let is_table = |from: &TableWithJoins| {
        matches!(from.relation, TableFactor::Table { .. })
            && from.joins.iter().all(|join| matches!(join.relation, TableFactor::Table { .. }))
    };
    if query.with.is_some() || !select.from.iter().all(is_table) || select.from.is_empty() {
        return None;
    }
    let star = select.projection.iter().find(|item| match item {
        SelectItem::Wildcard(options) | SelectItem::QualifiedWildcard(_, options) => {
            options.opt_except.is_none() && options.opt_exclude.is_none()
        }
        _ => false,
    })?;
    Some(positions.span(star))
}
