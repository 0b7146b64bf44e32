CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files(
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  language TEXT NOT NULL,
  hash INTEGER NOT NULL,
  stamp INTEGER,
  size INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  test INTEGER NOT NULL,
  package TEXT,
  facts BLOB NOT NULL,
  mentions BLOB NOT NULL
);
CREATE TABLE symbols(
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL,
  file INTEGER NOT NULL,
  name TEXT NOT NULL,
  qualified TEXT NOT NULL,
  kind TEXT NOT NULL,
  start_line INTEGER NOT NULL,
  start_column INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  end_column INTEGER NOT NULL,
  name_line INTEGER NOT NULL,
  name_column INTEGER NOT NULL,
  body_start_line INTEGER,
  body_end_line INTEGER,
  signature TEXT NOT NULL,
  parameters TEXT,
  return_type TEXT,
  doc TEXT,
  exported INTEGER NOT NULL,
  test INTEGER NOT NULL,
  parent INTEGER
);
CREATE TABLE refs(
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL,
  line INTEGER NOT NULL,
  column INTEGER NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  source INTEGER,
  target INTEGER,
  certainty TEXT NOT NULL
);
CREATE TABLE candidates(
  ref INTEGER NOT NULL,
  symbol INTEGER NOT NULL,
  PRIMARY KEY(ref, symbol)
) WITHOUT ROWID;
CREATE TABLE imports(
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL,
  module TEXT NOT NULL,
  target_file INTEGER,
  line INTEGER NOT NULL,
  external INTEGER NOT NULL
);
CREATE TABLE bindings(
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL,
  local TEXT,
  imported TEXT NOT NULL,
  exported TEXT,
  import INTEGER NOT NULL
);
CREATE VIEW functions AS
  SELECT s.id, s.name, s.file AS file_id, s.parameters, s.return_type AS returns, s.doc AS purpose
  FROM symbols s WHERE s.kind IN ('function', 'method', 'macro');
CREATE VIEW types AS
  SELECT s.id, s.name, s.file AS file_id, s.kind, s.doc AS description
  FROM symbols s WHERE s.kind IN ('class', 'interface', 'struct', 'enum', 'trait', 'type');
CREATE VIEW interactions AS
  SELECT r.id, r.source AS source_function_id, r.target AS target_function_id,
    r.kind AS interaction_type
  FROM refs r WHERE r.certainty = 'proved' AND r.source IS NOT NULL AND r.target IS NOT NULL;
