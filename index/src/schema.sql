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
  theme TEXT NOT NULL,
  generated INTEGER NOT NULL,
  checksum TEXT GENERATED ALWAYS AS (printf('%016x', hash)) VIRTUAL,
  project_id INTEGER GENERATED ALWAYS AS (1) VIRTUAL,
  created_at TEXT GENERATED ALWAYS AS (NULL) VIRTUAL,
  updated_at TEXT GENERATED ALWAYS AS (datetime(stamp / 1000000000, 'unixepoch')) VIRTUAL
);
-- What was read from the files, apart from their rows: most questions read only these. An update reads the
-- mentions of all files.
CREATE TABLE facts(file INTEGER PRIMARY KEY, facts BLOB NOT NULL);
CREATE TABLE mentions(file INTEGER PRIMARY KEY, mentions BLOB NOT NULL);
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
  parent INTEGER,
  -- For functions with a body: one more than the number of branches, and the hash of the body without
  -- indentation and empty lines.
  complexity INTEGER,
  body_hash INTEGER
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
-- A router is `s` and the id of its variable, `f` and the id of a function with `#` and the index of a
-- parameter or `:` and the name of a variable, or `m` and the id of a file. A scope is `f` and the id
-- of the enclosing function, or `m` and the id of the file.
CREATE TABLE declared_routes(
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL,
  line INTEGER NOT NULL,
  method TEXT NOT NULL,
  base TEXT NOT NULL,
  path TEXT NOT NULL,
  framework TEXT NOT NULL,
  handler INTEGER,
  router TEXT,
  scope TEXT NOT NULL
);
CREATE TABLE mounts(
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL,
  line INTEGER NOT NULL,
  prefix TEXT NOT NULL,
  replaces INTEGER NOT NULL,
  router TEXT,
  scope TEXT NOT NULL,
  target TEXT NOT NULL
);
-- Calls that access the network or a database; `certainty` as in `refs`.
CREATE TABLE accesses(
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL,
  symbol INTEGER,
  kind TEXT NOT NULL,
  certainty TEXT NOT NULL,
  line INTEGER NOT NULL,
  code TEXT NOT NULL
);
-- The functions of the languages whose effects are determined; `side_effects` is JSON.
CREATE TABLE purity(
  symbol INTEGER PRIMARY KEY,
  purity_level TEXT NOT NULL,
  side_effects TEXT,
  bits INTEGER NOT NULL,
  equation BLOB NOT NULL
);
CREATE TABLE indirect_calls(
  target INTEGER NOT NULL,
  source INTEGER NOT NULL,
  PRIMARY KEY(target, source)
) WITHOUT ROWID;
