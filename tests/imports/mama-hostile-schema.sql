-- Recognised by its table names, yet 'decisions' is a view without end and a generated column costs much:
-- the import needs query_only, trusted_schema=OFF, a progress handler (time) and a bound on rows, and must ask sqlite_master for type='table'.
CREATE TABLE decision_edges (from_id TEXT, to_id TEXT, relationship TEXT);
CREATE TABLE checkpoints (id INTEGER PRIMARY KEY, timestamp INTEGER, summary TEXT);
CREATE VIEW decisions AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 'd' || i AS id, 'endless' AS topic, 'row ' || i AS decision, i AS created_at FROM n;
CREATE TRIGGER edges_ai AFTER INSERT ON decision_edges BEGIN DELETE FROM checkpoints; END;
INSERT INTO decision_edges VALUES ('d1','d2','builds_on');
INSERT INTO checkpoints VALUES (1,1771200000000,'The trigger must never run');
