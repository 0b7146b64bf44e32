//! A search in the text of a file that decides whether the file is parsed for queries. To parse every
//! file would be most of the cost of a check.

use super::language::{Language, QUERY_NAMES, QueryKind, Sink};
use aho_corasick::{AhoCorasick, MatchKind};
use std::sync::LazyLock;

/// The first words of statements.
const VERBS: [&str; 6] = ["select", "insert", "update", "delete", "replace", "merge"];
/// The first word of queries in HQL and JPQL. Most languages have this word too.
const FROM: &str = "from";
/// Text of calls whose argument can be a condition.
const CONDITIONS: [&str; 9] = [
    "where(",
    "where (",
    "having(",
    "raw(",
    "literal(",
    "exists?",
    "joins(",
    "update_all",
    "delete_all",
];
/// Maximum distance in bytes from the name of a variable to the `=` of its assignment.
const MAX_DISTANCE: usize = 200;

/// Whether a file can contain a query: a string or a line starts with the first word of a statement,
/// or the file has a call with a condition, and it calls a function that runs queries, or assigns a
/// variable that is named like a query.
pub(super) fn may_contain_query(text: &str, language: &'static Language) -> bool {
    has_statement(text, language) && (calls_sink(text, language) || assigns_query(text))
}

fn search(words: impl IntoIterator<Item = &'static str>) -> Option<AhoCorasick> {
    let mut builder = AhoCorasick::builder();
    builder.ascii_case_insensitive(true).match_kind(MatchKind::LeftmostLongest).build(words).ok()
}

fn has_statement(text: &str, language: &Language) -> bool {
    static WORDS: LazyLock<Option<AhoCorasick>> =
        LazyLock::new(|| search(VERBS.into_iter().chain([FROM]).chain(CONDITIONS)));
    let Some(words) = WORDS.as_ref() else { return true };
    let is_condition = |sink: &Sink| sink.query_kind == QueryKind::Condition;
    let has_conditions = language.sinks.iter().any(is_condition);
    words.find_iter(text).any(|found| {
        if found.pattern().as_usize() > VERBS.len() {
            return has_conditions;
        }
        let before = text[..found.start()].trim_end_matches([' ', '\t', '(']);
        let skipped = &text[before.len()..found.start()];
        let is_separated = text[found.end()..].starts_with([' ', '\t', '\r', '\n', '\\', '*']);
        let starts_string = before.ends_with(['"', '\'', '`']);
        // `with a as (select …`, and a line break in a string
        let starts_part =
            skipped.contains('(') || before.ends_with(['\n', '\r']) || before.ends_with("\\n");
        let is_from = found.pattern().as_usize() == VERBS.len();
        is_separated && (starts_string || starts_part && !is_from)
    })
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether the text has a call of a function that runs queries.
fn calls_sink(text: &str, language: &'static Language) -> bool {
    let build = || {
        let names = language.sinks.iter().map(|sink| sink.name);
        AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(names).ok()
    };
    let Some(names) = language.names.get_or_init(build) else { return true };
    names.find_iter(text).any(|found| {
        let rest = &text[found.end()..];
        // Generic arguments can precede the arguments, and Ruby does not require parentheses.
        !text[..found.start()].ends_with(is_part)
            && (rest.starts_with(['(', '!', '<', ' ', '\t', '\n', '\r', '?', '.', ':']))
            && (!rest.starts_with('.') || rest.starts_with(".("))
            && (!rest.starts_with(':') || rest.starts_with("::<"))
    })
}

/// Whether the text has an assignment to a variable for which [`super::language::names_query`] is
/// true.
fn assigns_query(text: &str) -> bool {
    static NAMES: LazyLock<Option<AhoCorasick>> =
        LazyLock::new(|| search(QUERY_NAMES.into_iter().chain(["q"])));
    let Some(names) = NAMES.as_ref() else { return true };
    names.find_iter(text).any(|found| {
        let rest = &text.as_bytes()[found.end()..];
        let line = rest.iter().take(MAX_DISTANCE).take_while(|byte| **byte != b'\n');
        let is_short = found.len() == 1;
        !text[found.end()..].starts_with(is_part)
            && (!is_short || !text[..found.start()].ends_with(is_part))
            && line.into_iter().any(|byte| *byte == b'=')
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::code::language::language_of_path;

    fn may(path: &str, text: &str) -> bool {
        may_contain_query(text, language_of_path(path).unwrap())
    }

    #[test]
    fn files_with_queries_are_parsed() {
        for (path, text) in [
            ("a.rs", "sqlx::query_as::<_, User>(&format!(\"SELECT {x} FROM t\"))"),
            ("a.rs", "sqlx::query!(r#\"\n  select a\n  from b\"#)"),
            ("a.py", "cursor.execute(\"\"\"\n    WITH x AS (SELECT 1) SELECT 2\"\"\")"),
            ("a.py", "sql_query = 'delete from a where b = ' + c"),
            ("a.go", "query, args := fmt.Sprintf(`UPDATE a SET b = %s`, c), 1"),
            ("a.ts", "await db?.query<Row[]>(`select * from a where b = ${c}`)"),
            ("a.rb", "find_by_sql \"select * from a where b = #{c}\""),
            ("a.rb", "User.where(\"a = #{b}\")"),
            ("a.java", "createQuery(\"from User where name = '\" + name + \"'\")"),
            ("a.php", "$sql = 'select * from a where b = ' . $c;"),
            ("a.php", "$q .= \"\\nselect\\n a\";"),
        ] {
            assert!(may(path, text), "{text}");
        }
    }

    #[test]
    fn files_without_queries_are_not_parsed() {
        for (path, text) in [
            ("a.rs", "fn query<T>(t: T) -> T\nwhere\n    T: Copy,\n{\n    t\n}\n"),
            ("a.rs", "/// Where the query\n/// select a row\nlet query = 1;\n"),
            ("a.rs", "let select = \"select \";\n"),
            ("a.py", "from a import b\nquery = b.query(1)\n"),
            ("a.ts", "import { query } from \"a\";\nconst updated = \"updated\";\n"),
        ] {
            assert!(!may(path, text), "{text}");
        }
    }
}
