//! The statements of all dialects but PostgreSQL, from the syntax tree of sqlparser.

use super::dialect::Dialect;
use super::postgres::COLUMN_FUNCTIONS;
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
/// not know it.
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
    let places = Places::new(text, start);
    let mut queries = Queries {
        places: &places,
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
        kind: kind(&statement, &places),
        cross_joins,
        non_sargable,
    })
}

/// Converts the positions of the parser to offsets in the file.
struct Places<'a> {
    text: &'a str,
    start: usize,
    lines: Vec<usize>,
}

impl<'a> Places<'a> {
    fn new(text: &'a str, start: usize) -> Self {
        let breaks = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        Self { text, start, lines: std::iter::once(0).chain(breaks).collect() }
    }

    fn offset(&self, location: Location) -> usize {
        let index = |number: u64| usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
        let line = self.lines.get(index(location.line)).copied().unwrap_or(0);
        let rest = self.text.get(line..).unwrap_or_default();
        let column = rest.char_indices().nth(index(location.column));
        self.start + line + column.map_or(rest.len(), |(at, _)| at)
    }

    /// The span of a node; the whole statement if the parser does not record it.
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

    /// The number of bytes after a span up to the end of its parentheses, which the parser omits.
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

/// Collects the conditions and joins of the queries of a statement.
struct Queries<'a> {
    places: &'a Places<'a>,
    has_with: bool,
    cross_joins: Vec<Span>,
    non_sargable: Vec<Span>,
}

impl ast::Visitor for Queries<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &ast::Query) -> ControlFlow<()> {
        // The tables of `WITH` often have one row.
        self.has_with |= query.with.is_some();
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &ast::Select) -> ControlFlow<()> {
        let is_plain = |from: &TableWithJoins| {
            from.joins.is_empty() && matches!(&from.relation, TableFactor::Table { args: None, .. })
        };
        if select.selection.is_none()
            && select.prewhere.is_none()
            && select.from.len() > 1
            && select.from.iter().all(is_plain)
            && let (Some(first), Some(last)) = (select.from.first(), select.from.last())
        {
            let span = self.places.span(first).cover(self.places.span(last));
            self.cross_joins.push(span);
        }
        if let Some(condition) = &select.selection {
            self.read_condition(condition);
        }
        ControlFlow::Continue(())
    }
}

impl Queries<'_> {
    /// Reads the comparisons of a condition: the parts that `AND` and `OR` join.
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
                self.non_sargable.push(self.places.span(expression));
            }
        }
    }
}

fn kind(statement: &ast::Statement, places: &Places<'_>) -> StatementKind {
    match statement {
        ast::Statement::CreateTable(create) => StatementKind::CreateTable(CreateTable {
            name: places.name(&create.name),
            columns: create.columns.iter().map(|definition| column(definition, places)).collect(),
            constraints: create
                .constraints
                .iter()
                .map(|definition| constraint(definition, places))
                .collect(),
            if_not_exists: create.if_not_exists || create.or_replace,
            is_temporary: create.temporary,
            has_other_columns: create.query.is_some()
                || create.like.is_some()
                || create.clone.is_some()
                || create.columns.is_empty(),
        }),
        ast::Statement::AlterTable(alter) => {
            let actions = alter.operations.iter().map(|operation| action(operation, places));
            StatementKind::AlterTable {
                table: places.name(&alter.name),
                actions: actions.collect(),
            }
        }
        ast::Statement::CreateIndex(create) => StatementKind::CreateIndex(CreateIndex {
            name: create.name.as_ref().map(|name| places.name(name)),
            table: places.name(&create.table_name),
            columns: create.columns.iter().map(index_column).collect(),
            is_partial: create.predicate.is_some(),
            is_special: false,
        }),
        ast::Statement::Drop { object_type: ObjectType::Table, names, .. } => {
            let names = names.iter().map(|name| places.name(name)).collect();
            StatementKind::DropTable { names }
        }
        ast::Statement::Drop { object_type: ObjectType::Index, names, table, .. } => {
            let names = names.iter().map(|name| places.name(name)).collect();
            let table = table.as_ref().map(|table| places.name(table));
            StatementKind::DropIndex { names, table }
        }
        ast::Statement::Drop { object_type: ObjectType::Schema | ObjectType::Database, .. } => {
            StatementKind::Opaque
        }
        ast::Statement::RenameTable(renames) => match renames.as_slice() {
            [rename] => StatementKind::RenameTable {
                from: places.name(&rename.old_name),
                to: places.name(&rename.new_name),
            },
            _ => StatementKind::Opaque,
        },
        ast::Statement::CreateView(view) => {
            StatementKind::CreateView { star: star_of_table(&view.query, places) }
        }
        ast::Statement::Delete(delete) => {
            let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &delete.from;
            let Some(table) = from.first().and_then(|from| table_name(from, places)) else {
                return StatementKind::Other;
            };
            let has_condition = delete.selection.is_some()
                || delete.using.is_some()
                || delete.limit.is_some()
                || from.iter().any(|from| !from.joins.is_empty());
            StatementKind::Delete { table, has_condition }
        }
        ast::Statement::Update(update) => {
            let Some(table) = table_name(&update.table, places) else {
                return StatementKind::Other;
            };
            let has_condition = update.selection.is_some()
                || update.from.is_some()
                || update.limit.is_some()
                || !update.table.joins.is_empty();
            StatementKind::Update { table, has_condition }
        }
        ast::Statement::Truncate(truncate) => {
            let tables = truncate.table_names.iter().map(|target| places.name(&target.name));
            StatementKind::Truncate { tables: tables.collect() }
        }
        ast::Statement::Execute { name: Some(name), parameters, .. } => {
            renamed_column(name, parameters, places).unwrap_or(StatementKind::Opaque)
        }
        ast::Statement::Execute { .. } | ast::Statement::Call(_) | ast::Statement::Use(_) => {
            StatementKind::Opaque
        }
        _ => StatementKind::Other,
    }
}

/// `EXEC sp_rename 'dbo.orders.note', 'remark', 'COLUMN'` in SQL Server. Without `COLUMN`, the kind
/// of the renamed object is unknown.
fn renamed_column(
    procedure: &ObjectName,
    parameters: &[Expr],
    places: &Places<'_>,
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
    let name = |text: &str, node: &Expr| Name::new(text, places.span(node));
    Some(StatementKind::AlterTable {
        table: name(table, old),
        actions: vec![Action::RenameColumn { from: name(column, old), to: name(&new_name, new) }],
    })
}

fn table_name(from: &TableWithJoins, places: &Places<'_>) -> Option<Name> {
    match &from.relation {
        TableFactor::Table { name, args: None, .. } => Some(places.name(name)),
        _ => None,
    }
}

fn column(definition: &ast::ColumnDef, places: &Places<'_>) -> Column {
    let mut column = Column {
        name: places.ident(&definition.name),
        is_not_null: false,
        has_default: false,
        has_volatile_default: false,
        is_generated: false,
        is_stored: false,
        is_primary: false,
        is_unique: false,
        references: None,
        is_placed: false,
    };
    // SQL Server fills these columns itself.
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
                column.references = Some(places.span(&key.foreign_table));
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

fn constraint(definition: &TableConstraint, places: &Places<'_>) -> Constraint {
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
    Constraint { kind, columns, span: places.span(definition) }
}

fn index_column(column: &ast::IndexColumn) -> String {
    match &column.column.expr {
        Expr::Identifier(ident) => Name::new(&ident.value, Span::default()).key,
        _ => String::new(),
    }
}

fn action(operation: &AlterTableOperation, places: &Places<'_>) -> Action {
    match operation {
        AlterTableOperation::AddColumn { if_not_exists, column_def, column_position, .. } => {
            let mut column = column(column_def, places);
            column.is_placed = column_position.is_some();
            let span = places.span(column_def).cover(column.name.span);
            Action::AddColumn { column, if_not_exists: *if_not_exists, span }
        }
        AlterTableOperation::DropColumn { column_names, if_exists, .. } => {
            match &column_names[..] {
                [name] => Action::DropColumn { name: places.ident(name), if_exists: *if_exists },
                _ => Action::Opaque,
            }
        }
        AlterTableOperation::RenameColumn { old_column_name, new_column_name } => {
            Action::RenameColumn {
                from: places.ident(old_column_name),
                to: places.ident(new_column_name),
            }
        }
        AlterTableOperation::RenameTable {
            table_name: RenameTableNameKind::As(name) | RenameTableNameKind::To(name),
        } => Action::RenameTable { to: places.name(name) },
        AlterTableOperation::ChangeColumn { old_name, new_name, data_type, .. } => {
            Action::ChangeColumn {
                from: places.ident(old_name),
                to: places.ident(new_name),
                data_type: data_type.to_string().to_lowercase(),
            }
        }
        AlterTableOperation::ModifyColumn { col_name, data_type, .. } => Action::ChangeColumn {
            from: places.ident(col_name),
            to: places.ident(col_name),
            data_type: data_type.to_string().to_lowercase(),
        },
        AlterTableOperation::AlterColumn {
            column_name,
            op: AlterColumnOperation::SetDataType { data_type, .. },
        } => Action::ChangeColumn {
            from: places.ident(column_name),
            to: places.ident(column_name),
            data_type: data_type.to_string().to_lowercase(),
        },
        AlterTableOperation::AddConstraint { constraint: definition, .. } => {
            Action::AddConstraint(constraint(definition, places))
        }
        AlterTableOperation::DropPrimaryKey { .. } => Action::DropPrimaryKey {
            span: Span::new(places.start, places.start + places.text.len()),
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
fn star_of_table(query: &ast::Query, places: &Places<'_>) -> Option<Span> {
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
    Some(places.span(star))
}
