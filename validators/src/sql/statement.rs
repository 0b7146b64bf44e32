//! Statements in one form for all parsers, reduced to what the checks need.

use aidd_engine::text::source::Span;

/// A statement of a file.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub(super) span: Span,
    pub(super) kind: StatementKind,
    /// Comma joins without a condition.
    pub(super) cross_joins: Vec<Span>,
    /// Conditions on a function of a column.
    pub(super) non_sargable: Vec<Span>,
}

#[derive(Clone, Debug)]
pub(super) enum StatementKind {
    CreateTable(CreateTable),
    DropTable {
        names: Vec<Name>,
    },
    AlterTable {
        table: Name,
        actions: Vec<Action>,
    },
    CreateIndex(CreateIndex),
    DropIndex {
        names: Vec<Name>,
        table: Option<Name>,
    },
    RenameTable {
        from: Name,
        to: Name,
    },
    CreateView {
        star: Option<Span>,
    },
    Delete {
        table: Name,
        has_condition: bool,
    },
    Update {
        table: Name,
        has_condition: bool,
    },
    Truncate {
        tables: Vec<Name>,
    },
    /// A statement that can change tables in a way that is not represented.
    Opaque,
    Other,
}

/// A name in the form in which names are compared, and its span.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Name {
    /// Without quotes and default schema; in lower case.
    pub(super) key: String,
    pub(super) span: Span,
}

impl Name {
    /// A name of a dialect that ignores the case of names.
    pub(super) fn new(text: &str, span: Span) -> Self {
        Self::with_key(text.to_lowercase(), span)
    }

    /// A name of PostgreSQL, where quoted names preserve the case.
    pub(super) fn postgres(text: &str, span: Span) -> Self {
        let is_quoted = |index: usize| index % 2 == 1;
        let parts = text.split('"').enumerate();
        let parts = parts.map(
            |(index, part)| {
                if is_quoted(index) { part.to_owned() } else { part.to_lowercase() }
            },
        );
        Self::with_key(parts.collect(), span)
    }

    fn with_key(text: String, span: Span) -> Self {
        let is_mark = |c: char| matches!(c, '"' | '`' | '[' | ']') || c.is_whitespace();
        let mut key = if text.contains(is_mark) { text.replace(is_mark, "") } else { text };
        for schema in ["public.", "dbo.", "main."] {
            if let Some(rest) = key.strip_prefix(schema) {
                key = rest.to_owned();
            }
        }
        Self { key, span }
    }
}

#[derive(Clone, Debug)]
pub(super) struct CreateTable {
    pub(super) name: Name,
    pub(super) columns: Vec<Column>,
    pub(super) constraints: Vec<Constraint>,
    pub(super) if_not_exists: bool,
    pub(super) is_temporary: bool,
    /// Whether the table has columns that the statement does not list: `LIKE`, `AS`, `INHERITS`.
    pub(super) has_other_columns: bool,
}

#[derive(Clone, Debug)]
pub(super) struct CreateIndex {
    pub(super) name: Option<Name>,
    pub(super) table: Name,
    /// The indexed columns; an expression is an empty string.
    pub(super) columns: Vec<String>,
    pub(super) is_partial: bool,
    /// Whether the type of the index is neither B-tree nor hash.
    pub(super) is_special: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) name: Name,
    pub(super) is_not_null: bool,
    pub(super) has_default: bool,
    /// Whether the default differs from row to row or is computed when the statement runs.
    pub(super) has_volatile_default: bool,
    pub(super) is_generated: bool,
    pub(super) is_stored: bool,
    pub(super) is_primary: bool,
    pub(super) is_unique: bool,
    pub(super) references: Option<Span>,
    /// Whether the statement sets the position of the column: `FIRST`, `AFTER`.
    pub(super) has_position: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConstraintKind {
    Primary,
    Unique,
    Foreign,
    Check,
    Index,
    FullText,
    Other,
}

#[derive(Clone, Debug)]
pub(super) struct Constraint {
    pub(super) kind: ConstraintKind,
    pub(super) columns: Vec<String>,
    pub(super) span: Span,
}

/// A part of `ALTER TABLE`.
#[derive(Clone, Debug)]
pub(super) enum Action {
    AddColumn {
        column: Column,
        if_not_exists: bool,
        span: Span,
    },
    DropColumn {
        name: Name,
        if_exists: bool,
    },
    RenameColumn {
        from: Name,
        to: Name,
    },
    RenameTable {
        to: Name,
    },
    /// A new type, in lower case; with `CHANGE`, also a new name.
    ChangeColumn {
        from: Name,
        to: Name,
        data_type: String,
    },
    AddConstraint(Constraint),
    DropPrimaryKey {
        span: Span,
    },
    /// `ALGORITHM = INPLACE`, `INSTANT` or `COPY`, `LOCK = NONE`, …
    OnlineOption {
        forbids_blocking: bool,
    },
    /// Changes the table in a way that is not represented.
    Opaque,
    Other,
}

impl StatementKind {
    /// The existing table that the statement changes.
    pub(super) fn altered_table(&self) -> Option<&Name> {
        match self {
            Self::AlterTable { table, .. }
            | Self::CreateIndex(CreateIndex { table, .. })
            | Self::Delete { table, .. }
            | Self::Update { table, .. } => Some(table),
            Self::RenameTable { from, .. } => Some(from),
            Self::DropTable { names, .. } | Self::Truncate { tables: names } => names.first(),
            Self::DropIndex { table, .. } => table.as_ref(),
            _ => None,
        }
    }
}
