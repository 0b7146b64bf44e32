//! Translates a query to SQL.

use crate::store::{Order, Query};
use crate::words::topic_key;
use rusqlite::types::Value as Sql;

/// Returns the condition and order of `query`, and the values of its parameters.
pub(super) fn condition(query: &Query) -> (String, Vec<Sql>) {
    let mut sql = String::from("1");
    let mut values: Vec<Sql> = Vec::new();
    // A topic, a session or a change number selects few rows. SQLite has no statistics of the
    // tables and would use the index on type and status, which select nearly all rows; a unary plus
    // prevents the use of that index.
    let is_narrow = query.topic.is_some() || query.session_id.is_some() || query.after.is_some();
    let unindexed = if is_narrow { "+" } else { "" };
    let mut add_condition = |column: &str, words: Vec<&str>| {
        if !words.is_empty() {
            let placeholders = vec!["?"; words.len()].join(", ");
            let plus = if matches!(column, "topic_key" | "session_id") { "" } else { unindexed };
            sql.push_str(&format!(" AND {plus}{column} IN ({placeholders})"));
            values.extend(words.into_iter().map(|word| Sql::Text(word.to_owned())));
        }
    };
    add_condition("layer", query.layers.filter_words());
    add_condition("type", query.kinds.iter().map(|kind| kind.word()).collect());
    add_condition("status", query.statuses().iter().map(|status| status.word()).collect());
    let topic = query.topic.as_deref().map(topic_key);
    add_condition("topic_key", topic.iter().map(String::as_str).collect());
    add_condition("session_id", query.session_id.iter().map(String::as_str).collect());
    add_condition("branch", query.branch.iter().map(String::as_str).collect());
    for (comparison, value) in [
        (" AND created_at >= ?", query.since),
        (" AND created_at < ?", query.until),
        (" AND seq > ?", query.after),
    ] {
        if let Some(value) = value {
            sql.push_str(comparison);
            values.push(Sql::Integer(value));
        }
    }
    sql.push_str(match query.order {
        Order::Newest => " ORDER BY updated_at DESC, id DESC",
        Order::LastCreated => " ORDER BY created_at DESC, id DESC",
        Order::Oldest => " ORDER BY created_at, id",
        Order::Change => " ORDER BY seq",
    });
    if let Some(limit) = query.limit {
        sql.push_str(" LIMIT ?");
        values.push(Sql::Integer(i64::try_from(limit).unwrap_or(i64::MAX)));
    }
    (sql, values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Layers, steps};
    use crate::types::Kind;

    #[test]
    fn narrow_queries_use_their_own_index() {
        let connection = rusqlite::Connection::open_in_memory().expect("a database");
        connection.execute_batch(&steps().concat()).expect("a schema");
        let plan = |query: &Query| -> String {
            let (condition, values) = condition(query);
            let sql = format!("EXPLAIN QUERY PLAN SELECT * FROM memories WHERE {condition}");
            let mut plan = connection.prepare(&sql).expect("a plan");
            let rows = plan.query_map(rusqlite::params_from_iter(values), |row| row.get(3));
            rows.expect("rows").collect::<Result<Vec<String>, _>>().expect("plan lines").join("; ")
        };
        let base = || Query::active(Layers::PERMANENT, Kind::Decision);
        for (query, index) in [
            (Query { topic: Some("a".into()), ..base() }, "memories_by_topic"),
            (Query { session_id: Some("a".into()), ..base() }, "memories_by_session"),
            (Query { after: Some(1), order: Order::Change, ..base() }, "memories_by_seq"),
            (base(), "memories_by_type"),
        ] {
            let plan = plan(&query);
            assert!(plan.contains(index), "{plan}");
        }
    }
}
