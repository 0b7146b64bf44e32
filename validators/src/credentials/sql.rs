//! Detects passwords in SQL: in statements that create accounts, and in rows of dumped user tables.

use super::Found;
use super::names::{Class, classify};
use super::values::{Trust, is_credible, is_password_hash};
use aidd_engine::parse::ini::find_closing_quote;
use aidd_engine::text::source::Span;
use aidd_engine::text::time_limit::step;
use std::collections::HashMap;

/// The columns of the tables of a dump, by lower-case table name.
type Tables = HashMap<String, Vec<String>>;

/// Reports the passwords in `text`.
pub(super) fn scan(text: &str, trust: Trust, found: &mut Vec<Found>) {
    let mut tables = Tables::new();
    let mut table: Option<String> = None;
    let mut insert: Option<Row> = None;
    let mut copy: Option<Row> = None;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        step();
        let start = offset;
        offset += line.len();
        let trimmed = line.trim_start();
        let lower = trimmed
            .get(..trimmed.floor_char_boundary(4096))
            .unwrap_or_default()
            .to_ascii_lowercase();
        if let Some(row) = &copy {
            if trimmed.starts_with("\\.") {
                copy = None;
            } else {
                report_copy_row(line, start, row, found);
            }
            continue;
        }
        if lower.starts_with("create table") {
            let name = table_name(&trimmed[12..]);
            tables.insert(name.clone(), Vec::new());
            table = Some(name);
        } else if let Some(name) = &table {
            match column_name(trimmed) {
                Some(column) => tables.entry(name.clone()).or_default().push(column),
                None if trimmed.starts_with(')') || trimmed.contains(';') => table = None,
                None => {}
            }
        } else if lower.starts_with("copy ") && lower.contains(" from stdin") {
            copy = Some(Row::new(&trimmed[5..], &tables));
            continue;
        }
        if let Some(at) = lower.find("insert into ").or_else(|| lower.find("replace into ")) {
            let from = at + lower[at..].find("into ").map_or(0, |into| into + 5);
            if let Some(statement) = trimmed.get(from..) {
                insert = Some(Row::new(statement, &tables));
            }
        }
        if let Some(row) = &mut insert {
            let indent = line.len() - trimmed.len();
            row.advance(trimmed, &lower);
            report_insert_rows(&line[indent..], start + indent, row, found);
            if line.trim_end().ends_with(';') || row.is_query {
                insert = None;
            }
        } else {
            report_statement(trimmed, &lower, start + (line.len() - trimmed.len()), trust, found);
        }
    }
}

/// Parts of the names of tables that contain accounts.
const ACCOUNTS: [&str; 13] = [
    "user",
    "account",
    "member",
    "admin",
    "customer",
    "login",
    "auth",
    "staff",
    "employee",
    "people",
    "person",
    "subscriber",
    "author",
];

/// The known properties of the rows of a table.
struct Row {
    /// Index of the password among the values.
    password: Option<usize>,
    /// Whether the table contains accounts, judging by its name.
    has_accounts: bool,
    /// Whether the keyword `values` has been read: parentheses before it contain columns.
    has_values: bool,
    /// Whether the rows are the result of a query.
    is_query: bool,
}

impl Row {
    /// Parses `table (columns) …`.
    fn new(statement: &str, tables: &Tables) -> Self {
        let name = table_name(statement);
        let has_accounts = ACCOUNTS.iter().any(|word| name.contains(word));
        let is_password = |column: &str| is_password_column(column, has_accounts);
        let head = statement.split(" VALUES").next().unwrap_or(statement);
        let head = head.split(" values").next().unwrap_or(head);
        let password = match parenthesized(head) {
            Some(list) => list.split(',').position(is_password),
            None => tables
                .get(&name)
                .and_then(|columns| columns.iter().position(|column| is_password(column))),
        };
        Self { password, has_accounts, has_values: false, is_query: false }
    }

    /// Reads a line of the statement: columns, then `values` or a query. `lower` is the line in
    /// lower case.
    fn advance(&mut self, line: &str, lower: &str) {
        if self.has_values {
            return;
        }
        self.has_values = lower.contains("values");
        self.is_query =
            !self.has_values && (lower.starts_with("select") || lower.contains(" select "));
        if let Some(list) = parenthesized(line).filter(|_| line.starts_with('(')) {
            let has_accounts = self.has_accounts;
            let is_password = |column: &str| is_password_column(column, has_accounts);
            self.password = list.split(',').position(is_password);
        }
    }
}

/// The text between the first parentheses.
fn parenthesized(head: &str) -> Option<&str> {
    let open = head.find('(')?;
    head.get(open + 1..open + head[open..].find(')')?)
}

/// Whether a column contains passwords. A hash counts as a password only if the table contains
/// accounts (`has_accounts`).
fn is_password_column(name: &str, has_accounts: bool) -> bool {
    let name = name.trim().trim_matches(['`', '"', '[', ']', '\'']);
    let lower = name.to_ascii_lowercase();
    matches!(classify(name), Some(Class::Password | Class::Hash))
        || has_accounts && matches!(lower.as_str(), "digest" | "hash")
        || matches!(
            lower.as_str(),
            "pass_hash"
                | "passhash"
                | "hashed_pw"
                | "encrypted_password"
                | "user_pass"
                | "pwhash"
                | "crypted_password"
                | "authentication_string"
                | "password_digest"
        )
}

fn table_name(statement: &str) -> String {
    let rest = statement.trim_start();
    let lower = rest.to_ascii_lowercase();
    let rest = if lower.starts_with("if not exists") { &rest[13..] } else { rest };
    let name = rest.trim_start();
    let end = name.find(|c: char| c.is_whitespace() || c == '(').unwrap_or(name.len());
    let name = name[..end].rsplit('.').next().unwrap_or_default();
    name.trim_matches(['`', '"', '[', ']']).to_ascii_lowercase()
}

/// The name of the column that a line of `create table` defines.
fn column_name(line: &str) -> Option<String> {
    let end = line.find(char::is_whitespace)?;
    let name = line[..end].trim_matches(['`', '"', '[', ']']);
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let keywords = [
        "primary",
        "key",
        "unique",
        "constraint",
        "index",
        "foreign",
        "check",
        "fulltext",
        "using",
    ];
    (is_name && !name.is_empty() && !keywords.contains(&name.to_ascii_lowercase().as_str()))
        .then(|| name.to_owned())
}

/// Reports the password in each `(…)` of a line of `insert`.
fn report_insert_rows(line: &str, offset: usize, row: &Row, found: &mut Vec<Found>) {
    if !row.has_values {
        return;
    }
    let mut at = line.to_ascii_lowercase().find("values").map_or(0, |at| at + 6);
    while let Some(open) = line[at..].find('(').map(|open| at + open + 1) {
        let (fields, end) = fields(line, open);
        at = end;
        let by_column = row.password.and_then(|index| fields.get(index)).filter(|field| {
            let value = &line[field.start..field.end];
            field.quoted && is_credible(value, Class::Password, Trust::High)
        });
        let by_shape = || {
            fields.iter().find(|field| {
                let value = &line[field.start..field.end];
                let is_marked = value.starts_with(['$', '{', '*']) || value.starts_with("pbkdf2");
                field.quoted && is_password_hash(value) && (is_marked || row.has_accounts)
            })
        };
        // A row with named columns and no password column contains no password.
        if let Some(field) = by_column.or_else(|| row.password.is_none().then(by_shape).flatten()) {
            let value = &line[field.start..field.end];
            let span = Span::new(offset + field.start, offset + field.end);
            found.push(Found::new(rule(value), span));
        }
    }
}

/// The rule for a stored password. Values of binary columns are dumped as hexadecimal digits.
fn rule(value: &str) -> &'static str {
    let digits = value.trim_start_matches('\\').strip_prefix('x').unwrap_or_default();
    let pairs = digits.as_bytes().chunks_exact(2).take(64);
    let bytes: Option<String> = pairs
        .map(|pair| {
            let pair = std::str::from_utf8(pair).ok()?;
            u8::from_str_radix(pair, 16).ok().map(char::from)
        })
        .collect();
    // The password was hashed or encrypted, in 8, 16 or more bytes.
    let is_hexadecimal = value.len() >= 16
        && value.len().is_multiple_of(16)
        && value.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_hash = is_hexadecimal || is_password_hash(value);
    if is_hash || bytes.is_some_and(|text| is_password_hash(&text)) {
        "secrets/sql-password-hash"
    } else {
        "secrets/sql-user-password"
    }
}

/// A value of a row.
struct Field {
    start: usize,
    end: usize,
    quoted: bool,
}

/// The values from `at` to the closing parenthesis, and the offset after the parenthesis.
fn fields(line: &str, mut at: usize) -> (Vec<Field>, usize) {
    let mut fields = Vec::new();
    while at < line.len() {
        at += line[at..].len() - line[at..].trim_start().len();
        let rest = &line[at..];
        if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '\'' | '"')) {
            let length = find_closing_quote(&rest[1..], quote).unwrap_or(rest.len() - 1);
            fields.push(Field { start: at + 1, end: at + 1 + length, quoted: true });
            at = (at + length + 2).min(line.len());
        } else {
            let length = rest.find([',', ')']).unwrap_or(rest.len());
            fields.push(Field { start: at, end: at + length, quoted: false });
            at += length;
        }
        match line[at..].find([',', ')']) {
            Some(next) => {
                let is_end = line[at + next..].starts_with(')');
                at += next + 1;
                if is_end {
                    break;
                }
            }
            None => at = line.len(),
        }
    }
    (fields, at)
}

/// Reports the password in a tab-separated row of `copy`.
fn report_copy_row(line: &str, offset: usize, row: &Row, found: &mut Vec<Found>) {
    let Some(password) = row.password else { return };
    let mut start = 0;
    for (index, field) in line.trim_end_matches(['\n', '\r']).split('\t').enumerate() {
        if index == password && field != "\\N" && is_credible(field, Class::Password, Trust::High) {
            let from = offset + start;
            found.push(Found::new(rule(field), Span::new(from, from + field.len())));
        }
        start += field.len() + 1;
    }
}

/// Reports the password in `identified by 'x'`, `with password 'x'`, `set password … = 'x'` or
/// `password('x')`.
pub(super) fn report_statement(
    line: &str,
    lower: &str,
    offset: usize,
    trust: Trust,
    found: &mut Vec<Found>,
) {
    const MARKS: [&str; 9] = [
        "identified by",
        "identified with",
        "password for",
        "set password",
        "with password",
        " password '",
        "password(",
        "encrypted password",
        "password =",
    ];
    let account_words = [
        "user ",
        "role ",
        "login ",
        "grant ",
        "password",
        "change master",
        "database link",
        "server ",
    ];
    if lower.starts_with("--") || !account_words.iter().any(|word| lower.contains(word)) {
        return;
    }
    for mark in MARKS {
        let Some(at) = lower.find(mark) else { continue };
        let from = if mark == " password '" { at + mark.len() - 1 } else { at + mark.len() };
        let Some(quote_at) = line.get(from..).and_then(|rest| rest.find(['\'', '"'])) else {
            continue;
        };
        // `lower` contains only the start of a long line.
        let Some(between) = lower.get(from..from + quote_at) else { continue };
        // `identified with 'plugin' by 'x'`: only the value after `by` is a password.
        let quote_at = if mark == "identified with" {
            let by = lower[from..].find(" by ");
            match by.and_then(|by| line[from + by..].find(['\'', '"']).map(|quote| by + quote)) {
                Some(at) => at,
                None => continue,
            }
        } else if between.contains(';') || between.len() > 80 {
            continue;
        } else {
            quote_at
        };
        let start = from + quote_at + 1;
        // `:'password'` is a variable of the client.
        if line[..start - 1].ends_with(':') {
            return;
        }
        let quote = if line[start - 1..].starts_with('"') { '"' } else { '\'' };
        // `for 'user'@'host' = 'x'`: the last string is the password.
        let (start, length) = match find_closing_quote(&line[start..], quote) {
            Some(length) if mark == "password for" || mark == "set password" => {
                last_string(line, start, length, quote)
            }
            Some(length) => (start, length),
            None => continue,
        };
        let value = &line[start..start + length];
        if is_credible(value, Class::Password, trust.max(Trust::Medium)) {
            let span = Span::new(offset + start, offset + start + length);
            let mut password = Found::new(rule(value), span);
            password.weak |=
                account_name(&line[..start]).is_some_and(|name| name.eq_ignore_ascii_case(value));
            found.push(password);
        }
        return;
    }
}

/// The name of the account in `create user if not exists 'name'@'host' …`.
fn account_name(statement: &str) -> Option<&str> {
    let words = statement.split(|c: char| !c.is_alphanumeric() && c != '_');
    let mut words = words.filter(|word| !word.is_empty());
    words.find(|word| {
        ["user", "role", "login"].iter().any(|keyword| word.eq_ignore_ascii_case(keyword))
    })?;
    words.find(|word| {
        !["if", "not", "exists"].iter().any(|keyword| word.eq_ignore_ascii_case(keyword))
    })
}

fn last_string(line: &str, start: usize, length: usize, quote: char) -> (usize, usize) {
    let (mut start, mut length) = (start, length);
    while let Some(open) = line[start + length + 1..].find(quote) {
        let next = start + length + 1 + open + 1;
        let Some(next_length) = find_closing_quote(&line[next..], quote) else { break };
        (start, length) = (next, next_length);
    }
    (start, length)
}
