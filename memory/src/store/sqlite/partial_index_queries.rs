//! Queries that find conflicts and sessions, and read few rows beyond their result. Each query uses
//! a partial index. The condition of the query must repeat the condition of the index; otherwise
//! SQLite does not use the index.

use super::{Sqlite, parse_json, parse_word};
use crate::MemoryError;
use crate::store::{ConflictCandidates, Sessions};
use crate::types::{Kind, Layer, Status};
use rusqlite::Row;
use serde_json::Value;

/// Candidates for memories with more than one head revision. The caller must count the heads,
/// because a single revision id can contain a comma.
const CONTESTED: &str = "SELECT id, heads FROM memories
    WHERE instr(heads, ',') > 0 AND layer = 'permanent' AND status <> 'removed' ORDER BY id";

/// Active decisions on topics with more than one active decision. Without the hint, SQLite uses the
/// index on type and status, and reads each row.
const TOPICS: &str = "SELECT topic_key, id FROM memories INDEXED BY decisions_on_topic
    WHERE layer = 'permanent' AND status = 'active' AND type = 'decision'
        AND topic_key IS NOT NULL AND topic_key IN (
            SELECT topic_key FROM memories INDEXED BY decisions_on_topic
            WHERE layer = 'permanent' AND status = 'active' AND type = 'decision'
                AND topic_key IS NOT NULL
            GROUP BY topic_key HAVING count(*) > 1)
    ORDER BY topic_key, id";

/// Links whose target is active and whose source is not removed; for contradictions, the source
/// must be active too. The index `memories_holding` contains the active permanent memories. Cross
/// joins are executed in the written order.
const LINKS: &str = "SELECT l.data FROM links l
        CROSS JOIN memories t INDEXED BY memories_holding ON t.id = l.to_id
        CROSS JOIN memories f ON f.id = l.from_id
    WHERE l.relation IN ('contradicts', 'supersedes')
        AND t.layer = 'permanent' AND t.status = 'active'
        AND f.layer = 'permanent' AND f.status <> 'removed'
        AND (l.relation = 'supersedes' OR f.status = 'active')";

/// Whether any memory is superseded by more than one memory.
const FORKED: &str = "SELECT 1 FROM links INDEXED BY links_by_relation
    WHERE relation = 'supersedes' GROUP BY to_id HAVING count(*) > 1 LIMIT 1";

/// Pairs of superseding and superseded permanent memories. This query runs only when several
/// memories supersede the same memory.
const SUPERSEDING: &str = "SELECT l.from_id, l.to_id FROM links l INDEXED BY links_by_relation
        CROSS JOIN memories t ON t.id = l.to_id
        CROSS JOIN memories f ON f.id = l.from_id
    WHERE l.relation = 'supersedes'
        AND t.layer = 'permanent' AND t.status <> 'removed'
        AND f.layer = 'permanent' AND f.status <> 'removed'";

const OPEN_SESSIONS: &str = "SELECT data FROM sessions
    WHERE CASE WHEN json_valid(data) THEN data ->> '$.endedAt' END IS NULL
    ORDER BY at DESC, id DESC";

const SESSIONS_OF_CONVERSATION: &str = "SELECT data FROM sessions
    WHERE CASE WHEN json_valid(data)
        THEN coalesce(data ->> '$.memorySessionId', data ->> '$.memory_session_id') END = ?1
    ORDER BY at DESC, id DESC";

impl Sqlite {
    pub(super) fn find_conflict_candidates(&self) -> Result<ConflictCandidates, MemoryError> {
        let mut contested: Vec<(String, Vec<String>)> =
            self.query_all(CONTESTED, [], |row| Ok((row.get(0)?, parse_json(row, 1)?)))?;
        contested.retain(|(_, heads)| heads.len() > 1);
        let mut candidates = ConflictCandidates { contested, ..ConflictCandidates::default() };
        let decisions: Vec<(String, String)> =
            self.query_all(TOPICS, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        for (topic, id) in decisions {
            candidates.topics.entry(topic).or_default().push(id);
        }
        candidates.links =
            self.query_all(LINKS, [], |row| parse_json(row, 0)).map(crate::store::json::sorted)?;
        if self.query_one(FORKED, [], |_| Ok(()))?.is_some() {
            candidates.superseding =
                self.query_all(SUPERSEDING, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        }
        Ok(candidates)
    }

    pub(super) fn count_memories(&self) -> Result<Vec<(Layer, Kind, Status, u32)>, MemoryError> {
        let sql = "SELECT layer, type, status, count(*) FROM memories GROUP BY 1, 2, 3";
        let read = |row: &Row<'_>| {
            Ok((parse_word(row, 0)?, parse_word(row, 1)?, parse_word(row, 2)?, row.get(3)?))
        };
        let mut counts = self.query_all(sql, [], read)?;
        counts.sort_unstable();
        Ok(counts)
    }

    pub(super) fn find_sessions(&self, which: Sessions<'_>) -> Result<Vec<Value>, MemoryError> {
        match which {
            Sessions::Open => self.query_all(OPEN_SESSIONS, [], |row| parse_json(row, 0)),
            Sessions::Conversation(id) => {
                self.query_all(SESSIONS_OF_CONVERSATION, [id], |row| parse_json(row, 0))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::steps;

    /// The query plans use the indexes and do not scan a whole table.
    #[test]
    fn each_query_uses_its_index() {
        let connection = rusqlite::Connection::open_in_memory().expect("a database");
        connection.execute_batch(&steps().concat()).expect("a schema");
        let plan = |sql: &str| -> String {
            let sql = format!("EXPLAIN QUERY PLAN {}", sql.replace("?1", "'x'"));
            let mut plan = connection.prepare(&sql).expect("a plan");
            let rows = plan.query_map([], |row| row.get(3));
            rows.expect("rows").collect::<Result<Vec<String>, _>>().expect("plan lines").join("; ")
        };
        for (sql, indexes) in [
            (CONTESTED, &["memories_contested"][..]),
            (TOPICS, &["decisions_on_topic"]),
            (LINKS, &["links_by_relation", "memories_holding"]),
            (FORKED, &["links_by_relation"]),
            (SUPERSEDING, &["links_by_relation"]),
            (OPEN_SESSIONS, &["sessions_open"]),
            (SESSIONS_OF_CONVERSATION, &["sessions_by_thread"]),
        ] {
            let plan = plan(sql);
            for index in indexes {
                assert!(plan.contains(index), "{index}: {plan}");
            }
            let scans = plan.split("; ").filter(|step| step.starts_with("SCAN"));
            assert!(scans.clone().all(|step| step.contains(" INDEX ")), "{plan}");
            assert!(!plan.contains("TEMP B-TREE FOR ORDER BY"), "{plan}");
        }
    }
}
