-- MAMA 1.5.11: made by its own server, see README.md
PRAGMA foreign_keys=OFF;
BEGIN;
CREATE TABLE decisions (
  id TEXT PRIMARY KEY,              -- "decision_mesh_structure_001"
  topic TEXT NOT NULL,              -- "mesh_structure", "auth_strategy"
  decision TEXT NOT NULL,           -- "COMPLEX", "JWT", "< 20 lines"
  reasoning TEXT,                   -- "Flexibility is important initially"

  -- Outcome Tracking (Learn-Unlearn-Relearn)
  outcome TEXT,                     -- "SUCCESS", "FAILED", "PARTIAL", NULL
  failure_reason TEXT,              -- "Performance bottleneck at 10K+ meshes"
  limitation TEXT,                  -- "Missing layer information"
  duration_days INTEGER,            -- Days until outcome determined

  -- User Involvement
  user_involvement TEXT,            -- "requested", "approved", "rejected"
  session_id TEXT,                  -- Foreign key to sessions

  -- Relationships (Explicit)
  supersedes TEXT,                  -- Previous decision ID
  superseded_by TEXT,               -- Next decision ID (NULL if current)
  refined_from TEXT,                -- JSON array: ["id1", "id2"]

  -- Confidence Evolution
  confidence REAL DEFAULT 0.5,      -- Bayesian updated (0.0-1.0)

  -- Timestamps
  created_at INTEGER DEFAULT (unixepoch()),
  updated_at INTEGER DEFAULT (unixepoch()), needs_validation INTEGER DEFAULT 0 CHECK (needs_validation IN (0, 1)), validation_attempts INTEGER DEFAULT 0, last_validated_at INTEGER, usage_count INTEGER DEFAULT 0, trust_context TEXT, usage_success INTEGER DEFAULT 0, usage_failure INTEGER DEFAULT 0, time_saved INTEGER DEFAULT 0, evidence TEXT, alternatives TEXT, risks TEXT,

  FOREIGN KEY (supersedes) REFERENCES decisions(id),
  FOREIGN KEY (superseded_by) REFERENCES decisions(id),

  CHECK (confidence >= 0.0 AND confidence <= 1.0),
  CHECK (outcome IN ('SUCCESS', 'FAILED', 'PARTIAL') OR outcome IS NULL),
  CHECK (user_involvement IN ('requested', 'approved', 'rejected') OR user_involvement IS NULL)
);
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,              -- "session_2025-11-14-1000"
  project_path TEXT,                -- "/path/to/project"

  -- Rolling Summary (for next session)
  rolling_summary TEXT,             -- Condensed session summary
  latest_exchange TEXT,             -- Last 5 messages (JSON)

  -- Metrics
  action_count INTEGER DEFAULT 0,
  decision_count INTEGER DEFAULT 0,

  -- Timestamps
  started_at INTEGER DEFAULT (unixepoch()),
  last_active_at INTEGER DEFAULT (unixepoch()),
  ended_at INTEGER,

  CHECK (action_count >= 0),
  CHECK (decision_count >= 0)
);
CREATE TABLE schema_version (
  version INTEGER PRIMARY KEY,
  applied_at INTEGER DEFAULT (unixepoch()),
  description TEXT
);
CREATE TABLE error_patterns (
  id INTEGER PRIMARY KEY AUTOINCREMENT,

  -- Pattern Identification
  error_pattern TEXT NOT NULL,     -- Regex pattern or error signature
  error_type TEXT,                 -- Error category (e.g., 'EADDRINUSE', 'ECONNREFUSED')

  -- Solution
  solution TEXT NOT NULL,          -- Command or action to resolve
  solution_type TEXT DEFAULT 'bash',  -- 'bash', 'manual', 'code_fix'

  -- Success Metrics
  success_rate REAL DEFAULT 1.0,   -- Success rate (0.0-1.0)
  occurrences INTEGER DEFAULT 1,   -- Total number of times encountered
  successes INTEGER DEFAULT 1,     -- Number of successful resolutions

  -- Temporal Data
  last_seen INTEGER NOT NULL,      -- Last occurrence timestamp
  first_seen INTEGER NOT NULL,     -- First occurrence timestamp

  -- Vector Embedding (for semantic matching)
  embedding BLOB,                  -- 384-dim embedding (multilingual-e5-small)

  -- Metadata
  created_at INTEGER DEFAULT (unixepoch()),
  updated_at INTEGER DEFAULT (unixepoch()),

  -- Constraints
  UNIQUE(error_pattern)            -- One pattern per entry
);
CREATE TABLE link_audit_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  from_id TEXT NOT NULL,
  to_id TEXT NOT NULL,
  relationship TEXT NOT NULL,
  action TEXT NOT NULL CHECK (action IN ('proposed', 'approved', 'rejected', 'deprecated')),
  actor TEXT NOT NULL, -- 'llm', 'user', 'system'
  reason TEXT,
  created_at INTEGER DEFAULT (unixepoch()),

  FOREIGN KEY (from_id) REFERENCES decisions(id),
  FOREIGN KEY (to_id) REFERENCES decisions(id)
);
CREATE TABLE restart_metrics (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  timestamp TEXT NOT NULL,
  session_id TEXT,
  status TEXT NOT NULL CHECK (status IN ('success', 'failure')),
  failure_reason TEXT CHECK (failure_reason IN ('NO_CHECKPOINT', 'LOAD_ERROR', 'CONTEXT_INCOMPLETE', NULL)),
  latency_ms INTEGER NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('full', 'summary')),
  narrative_count INTEGER DEFAULT 0,
  link_count INTEGER DEFAULT 0,
  created_at TEXT DEFAULT (datetime('now'))
);
CREATE TABLE "decision_edges" (
  from_id TEXT NOT NULL,
  to_id TEXT NOT NULL,
  relationship TEXT NOT NULL,
  reason TEXT,
  weight REAL DEFAULT 1.0,
  created_at INTEGER DEFAULT (unixepoch()),
  created_by TEXT DEFAULT 'user' CHECK (created_by IN ('llm', 'user')),
  approved_by_user INTEGER DEFAULT 1 CHECK (approved_by_user IN (0, 1)),
  decision_id TEXT,
  evidence TEXT,

  PRIMARY KEY (from_id, to_id, relationship),
  FOREIGN KEY (from_id) REFERENCES decisions(id),
  FOREIGN KEY (to_id) REFERENCES decisions(id),

  -- Extended CHECK constraint: original + v1.3 types
  CHECK (relationship IN ('supersedes', 'refines', 'contradicts', 'builds_on', 'debates', 'synthesizes')),
  CHECK (weight >= 0.0 AND weight <= 1.0)
);
CREATE TABLE checkpoints (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        timestamp INTEGER NOT NULL,
        summary TEXT NOT NULL,
        open_files TEXT, -- JSON array
        next_steps TEXT,
        status TEXT DEFAULT 'active' -- 'active', 'archived'
      );
INSERT INTO "decisions" VALUES('decision_auth_strategy_1795929237841_he2s','auth_strategy','Use JWT with refresh tokens','Stateless services; evidence: load test at 2,000 requests per second.','FAILED','Revocation was too slow',NULL,NULL,'approved','mama_api_1795929237841',NULL,'decision_auth_strategy_1795929237867_mdkb',NULL,0.8,1795929237841,1795929238107,0,0,NULL,0,NULL,0,0,0,NULL,NULL,NULL);
INSERT INTO "decisions" VALUES('decision_auth_strategy_1795929237867_mdkb','auth_strategy','Use server side sessions with JWT refresh tokens removed','Revocation took 15 minutes with JWT refresh tokens.',NULL,NULL,NULL,NULL,'approved','mama_api_1795929237867','decision_auth_strategy_1795929237841_he2s','decision_auth_strategy_1795929237882_wgza',NULL,0.9,1795929237867,1795929237882,0,0,NULL,0,NULL,0,0,0,NULL,NULL,NULL);
INSERT INTO "decisions" VALUES('decision_auth_strategy_1795929237882_wgza','auth_strategy','Use server side sessions in Redis, JWT refresh tokens removed everywhere','The session table grew to 40 GB.','SUCCESS','Six weeks without an incident',NULL,NULL,'approved','mama_api_1795929237882','decision_auth_strategy_1795929237867_mdkb',NULL,NULL,0.95,1795929237882,1795929238108,0,0,NULL,0,NULL,0,0,0,NULL,NULL,NULL);
INSERT INTO "decisions" VALUES('decision_database_1795929237895_aor3','database','SQLite for the local store','One file, no service.','PARTIAL','Works for one writer only',NULL,NULL,'approved','mama_api_1795929237895',NULL,'decision_database_1795929237908_639l',NULL,0.7,1795929237895,1795929238108,0,0,NULL,0,NULL,0,0,0,NULL,NULL,NULL);
INSERT INTO "decisions" VALUES('decision_database_1795929237908_639l','database','PostgreSQL for the shared store, SQLite for the local store','Two writers on one NFS mount corrupted the file. builds_on: decision_database_1795929237895_aor3',NULL,NULL,NULL,NULL,'approved','mama_api_1795929237908','decision_database_1795929237895_aor3',NULL,NULL,0.85,1795929237908,1795929237908,0,0,NULL,0,NULL,0,0,0,NULL,NULL,NULL);
INSERT INTO "decisions" VALUES('decision___1795929237922_j4fc','인증_방식','세션 쿠키를 사용하기로 결정했다','토큰 탈취 위험을 줄이기 위해서. 근거: 보안 점검 결과.','FAILED','세션 고정 공격이 가능했다',NULL,NULL,'approved','mama_api_1795929237922',NULL,'decision___1795929237938_asyk',NULL,0.6,1795929237922,1795929238109,0,0,NULL,0,NULL,0,0,0,NULL,NULL,NULL);
INSERT INTO "decisions" VALUES('decision___1795929237938_asyk','인증_방식','패스키를 기본으로 사용한다','비밀번호 재설정 문의가 전체의 40 %였다.',NULL,NULL,NULL,NULL,'approved','mama_api_1795929237938','decision___1795929237922_j4fc',NULL,NULL,0.75,1795929237938,1795929237938,0,0,NULL,0,NULL,0,0,0,NULL,NULL,NULL);
INSERT INTO "decisions" VALUES('decision__1795929237951_pem3','ログ形式','ログは JSON Lines で出力する','解析が簡単。𠮷野家のような文字 (U+20BB7) も失われない。',NULL,NULL,NULL,NULL,'approved','mama_api_1795929237951',NULL,NULL,NULL,0.5,1795929237951,1795929237951,0,0,NULL,0,NULL,0,0,0,NULL,NULL,NULL);
INSERT INTO "decisions" VALUES('decision_gren_einheit_1795929237964_bxra','größen_einheit','Alle Größen in Byte — niemals „KB“ oder „KiB“ gemischt','Missverständnis am 3. März: 1 KB ≠ 1 KiB.',NULL,NULL,NULL,NULL,'approved','mama_api_1795929237964',NULL,NULL,NULL,0.5,1795929237964,1795929237964,0,0,NULL,0,NULL,0,0,0,NULL,NULL,NULL);
INSERT INTO "decisions" VALUES('decision___1795929237980_089p','язык_ошибок','Сообщения об ошибках — на английском','Поиск в сети работает лучше.',NULL,NULL,NULL,NULL,'approved','mama_api_1795929237980',NULL,NULL,NULL,0.5,1795929237980,1795929237980,0,0,NULL,0,NULL,0,0,0,NULL,NULL,NULL);
INSERT INTO "decisions" VALUES('decision_status_icons_1795929237994_smap','status_icons','No emoji in logs 🚫🙂; ZWJ test 👩‍👩‍👧‍👦 and é combining','Terminals of the operators render them as boxes.
Second line.	Tab.',NULL,NULL,NULL,NULL,'approved','mama_api_1795929237993',NULL,NULL,NULL,0.5,1795929237993,1795929237994,0,0,NULL,0,NULL,0,0,0,NULL,NULL,NULL);
INSERT INTO "decisions" VALUES('decision_error_budget_1795929238011_tokm','error_budget','Freeze releases below 99.5 % availability. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. ','Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. ',NULL,NULL,NULL,NULL,'approved','mama_api_1795929238011',NULL,NULL,NULL,0.5,1795929238011,1795929238011,0,0,NULL,0,NULL,0,0,0,NULL,NULL,NULL);
INSERT INTO "decisions" VALUES('decision_cache_layer_1795929238027_l0co','cache_layer','No cache in front of the search service','Invalidation was wrong twice. debates: decision_auth_strategy_1795929237882_wgza',NULL,NULL,NULL,NULL,'approved','mama_api_1795929238027',NULL,NULL,NULL,0.4,1795929238027,1795929238027,0,0,NULL,0,NULL,0,0,0,NULL,NULL,NULL);
INSERT INTO "decisions" VALUES('decision_platform_direction_1795929238041_8pv6','platform_direction','One session store and one shared database','Fewer moving parts. synthesizes: [decision_auth_strategy_1795929237882_wgza, decision_database_1795929237908_639l]',NULL,NULL,NULL,NULL,'approved','mama_api_1795929238041',NULL,NULL,NULL,0.65,1795929238041,1795929238041,0,0,NULL,0,NULL,0,0,0,NULL,NULL,NULL);
INSERT INTO "decisions" VALUES('decision_quoting_drop_table_decisions__1795929238056_3wg6','quoting''; DROP TABLE decisions; --','Quotes "double", ''single'', back\slash, <b>markup</b>, %s {json:true}','Text that must survive as it is.',NULL,NULL,NULL,NULL,'approved','mama_api_1795929238056',NULL,NULL,NULL,0.5,1795929238056,1795929238056,0,0,NULL,0,NULL,0,0,0,NULL,NULL,NULL);
INSERT INTO "decisions" VALUES('decision_alternatives_kept_1795929238069_4yl4','alternatives_kept','Use axum','Context - a new HTTP service. Evidence - the team knows tokio. Alternatives - actix, warp (unmaintained). Risks - breaking releases. Rationale - smallest tree.','SUCCESS',NULL,NULL,NULL,'approved','mama_api_1795929238069',NULL,NULL,NULL,1.0,1795929238069,1795929238108,0,0,NULL,0,NULL,0,0,0,NULL,NULL,NULL);
INSERT INTO "decisions" VALUES('decision_low_confidence_1795929238082_kl7u','low_confidence','Maybe move the queue to NATS','Untested guess.',NULL,NULL,NULL,NULL,'approved','mama_api_1795929238082',NULL,NULL,NULL,0.0,1795929238082,1795929238082,0,0,NULL,0,NULL,0,0,0,NULL,NULL,NULL);
INSERT INTO "decisions" VALUES('decision_duplicate_text_1795929238095_5r13','duplicate_text','Use axum','The same decision text as another topic.',NULL,NULL,NULL,NULL,'approved','mama_api_1795929238095',NULL,NULL,NULL,0.5,1795929238095,1795929238095,0,0,NULL,0,NULL,0,0,0,NULL,NULL,NULL);
INSERT INTO "schema_version" VALUES(1,1795929237,'Initial Decision Graph schema');
INSERT INTO "schema_version" VALUES(2,1795929237,NULL);
INSERT INTO "schema_version" VALUES(3,1795929237,NULL);
INSERT INTO "schema_version" VALUES(4,1795929237,NULL);
INSERT INTO "schema_version" VALUES(5,1795929237,NULL);
INSERT INTO "schema_version" VALUES(6,1795929237,NULL);
INSERT INTO "schema_version" VALUES(7,1795929237,NULL);
INSERT INTO "schema_version" VALUES(8,1795929237,NULL);
INSERT INTO "schema_version" VALUES(9,1795929237,NULL);
INSERT INTO "schema_version" VALUES(10,1795929237,'Extend edge types: builds_on, debates, synthesizes');
INSERT INTO "decision_edges" VALUES('decision_auth_strategy_1795929237867_mdkb','decision_auth_strategy_1795929237841_he2s','supersedes','User changed from "Use JWT with refresh tokens" to "Use server side sessions with JWT refresh tokens removed"',1.0,1795929237868,'llm',1,NULL,NULL);
INSERT INTO "decision_edges" VALUES('decision_auth_strategy_1795929237882_wgza','decision_auth_strategy_1795929237867_mdkb','supersedes','User changed from "Use server side sessions with JWT refresh tokens removed" to "Use server side sessions in Redis, JWT refresh tokens removed everywhere"',1.0,1795929237882,'llm',1,NULL,NULL);
INSERT INTO "decision_edges" VALUES('decision_database_1795929237908_639l','decision_database_1795929237895_aor3','supersedes','User changed from "SQLite for the local store" to "PostgreSQL for the shared store, SQLite for the local store"',1.0,1795929237909,'llm',1,NULL,NULL);
INSERT INTO "decision_edges" VALUES('decision_database_1795929237908_639l','decision_database_1795929237895_aor3','builds_on','Auto-detected from reasoning: builds_on reference',1.0,1795929237911,'llm',1,NULL,NULL);
INSERT INTO "decision_edges" VALUES('decision___1795929237938_asyk','decision___1795929237922_j4fc','supersedes','User changed from "세션 쿠키를 사용하기로 결정했다" to "패스키를 기본으로 사용한다"',1.0,1795929237939,'llm',1,NULL,NULL);
INSERT INTO "decision_edges" VALUES('decision_cache_layer_1795929238027_l0co','decision_auth_strategy_1795929237882_wgza','debates','Auto-detected from reasoning: debates reference',1.0,1795929238029,'llm',1,NULL,NULL);
INSERT INTO "decision_edges" VALUES('decision_platform_direction_1795929238041_8pv6','decision_auth_strategy_1795929237882_wgza','synthesizes','Auto-detected from reasoning: synthesizes reference',1.0,1795929238044,'llm',1,NULL,NULL);
INSERT INTO "decision_edges" VALUES('decision_platform_direction_1795929238041_8pv6','decision_database_1795929237908_639l','synthesizes','Auto-detected from reasoning: synthesizes reference',1.0,1795929238044,'llm',1,NULL,NULL);
INSERT INTO "checkpoints" VALUES(1,1795929238109,'Half of the session migration is done. Related decisions: decision_auth_strategy_1795929237882_wgza','["src/session/store.rs","docs/миграция.md"]','Run the migration on staging; check the row counts','active');
INSERT INTO "checkpoints" VALUES(2,1795929238109,'🎯 Goal: remove JWT. ✅ Verified: unit tests. ⏳ Unfinished: mobile client.
Line two.','[]','','active');
INSERT INTO "checkpoints" VALUES(3,1795929238110,'요약: 패스키 등록 화면 완료','["web/pages/등록.tsx"]','QA에 전달','active');
INSERT INTO "checkpoints" VALUES(4,1795929238110,'A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details.','["a.rs","b c.rs","d\"e.rs"]','DoD: all green','active');
COMMIT;
