//! A query in SQL.

use crate::memory::store::{Order, Query};
use crate::memory::words::topic_key;
use rusqlite::types::Value as Sql;

/// `query` as a condition, an order, and the values in them.
pub(super) fn condition(query: &Query) -> (String, Vec<Sql>) {
    let mut sql = String::from("1");
    let mut values: Vec<Sql> = Vec::new();
    let mut among = |column: &str, words: Vec<&str>| {
        if !words.is_empty() {
            let marks = vec!["?"; words.len()].join(", ");
            sql.push_str(&format!(" AND {column} IN ({marks})"));
            values.extend(words.into_iter().map(|word| Sql::Text(word.to_owned())));
        }
    };
    among("layer", query.layers.iter().map(|layer| layer.word()).collect());
    among("type", query.kinds.iter().map(|kind| kind.word()).collect());
    among("status", query.statuses().iter().map(|status| status.word()).collect());
    let topic = query.topic.as_deref().map(topic_key);
    among("topic_key", topic.iter().map(String::as_str).collect());
    among("session_id", query.session_id.iter().map(String::as_str).collect());
    among("branch", query.branch.iter().map(String::as_str).collect());
    for (test, value) in [
        (" AND created_at >= ?", query.since),
        (" AND created_at < ?", query.until),
        (" AND seq > ?", query.after),
    ] {
        if let Some(value) = value {
            sql.push_str(test);
            values.push(Sql::Integer(value));
        }
    }
    sql.push_str(match query.order {
        Order::Newest => " ORDER BY updated_at DESC, id DESC",
        Order::LastMade => " ORDER BY created_at DESC, id DESC",
        Order::Oldest => " ORDER BY created_at, id",
        Order::Change => " ORDER BY seq",
    });
    if let Some(limit) = query.limit {
        sql.push_str(" LIMIT ?");
        values.push(Sql::Integer(i64::try_from(limit).unwrap_or(i64::MAX)));
    }
    (sql, values)
}
