-- MAMA 1.15.0: made by its own server, see README.md
PRAGMA foreign_keys=OFF;
BEGIN;
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
  started_at INTEGER DEFAULT (unixepoch() * 1000),
  last_active_at INTEGER DEFAULT (unixepoch() * 1000),
  last_active TEXT,
  created_at TEXT DEFAULT (datetime('now')),
  ended_at INTEGER,
  status TEXT DEFAULT 'active',
  pid INTEGER,
  client_id TEXT,

  CHECK (action_count >= 0),
  CHECK (decision_count >= 0)
);
CREATE TABLE schema_version (
  version INTEGER PRIMARY KEY,
  applied_at INTEGER DEFAULT (unixepoch() * 1000),
  description TEXT
);
CREATE TABLE link_audit_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  from_id TEXT NOT NULL,
  to_id TEXT NOT NULL,
  relationship TEXT NOT NULL,
  action TEXT NOT NULL CHECK (action IN ('proposed', 'approved', 'rejected', 'deprecated')),
  actor TEXT NOT NULL, -- 'llm', 'user', 'system'
  reason TEXT,
  created_at INTEGER DEFAULT (unixepoch() * 1000),

  FOREIGN KEY (from_id) REFERENCES decisions(id),
  FOREIGN KEY (to_id) REFERENCES decisions(id)
);
CREATE TABLE "decision_edges" (
  from_id TEXT NOT NULL,
  to_id TEXT NOT NULL,
  relationship TEXT NOT NULL,
  reason TEXT,
  weight REAL DEFAULT 1.0,
  created_at INTEGER DEFAULT (unixepoch() * 1000),
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
  timestamp INTEGER NOT NULL DEFAULT (unixepoch() * 1000),
  summary TEXT NOT NULL,
  open_files TEXT, -- JSON array
  next_steps TEXT,
  recent_conversation TEXT DEFAULT '[]',
  status TEXT DEFAULT 'active' -- 'active', 'archived'
);
CREATE TABLE memory_scopes (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('global', 'user', 'channel', 'project')),
  external_id TEXT NOT NULL,
  created_at INTEGER DEFAULT (unixepoch() * 1000),
  UNIQUE(kind, external_id)
);
CREATE TABLE memory_scope_bindings (
  memory_id TEXT NOT NULL,
  scope_id TEXT NOT NULL,
  is_primary INTEGER DEFAULT 0 CHECK (is_primary IN (0, 1)),
  created_at INTEGER DEFAULT (unixepoch() * 1000),
  PRIMARY KEY (memory_id, scope_id),
  FOREIGN KEY (memory_id) REFERENCES decisions(id) ON DELETE CASCADE,
  FOREIGN KEY (scope_id) REFERENCES memory_scopes(id) ON DELETE CASCADE
);
CREATE TABLE memory_events (
  event_id TEXT PRIMARY KEY,
  event_type TEXT NOT NULL,
  actor TEXT NOT NULL,
  source_turn_id TEXT,
  memory_id TEXT,
  topic TEXT,
  scope_refs TEXT NOT NULL,
  evidence_refs TEXT,
  reason TEXT,
  created_at INTEGER NOT NULL
);
CREATE TABLE memory_truth (
  memory_id TEXT PRIMARY KEY,
  topic TEXT NOT NULL,
  truth_status TEXT NOT NULL,
  effective_summary TEXT NOT NULL,
  effective_details TEXT NOT NULL,
  trust_score REAL NOT NULL,
  scope_refs TEXT NOT NULL,
  supporting_event_ids TEXT NOT NULL,
  superseded_by TEXT,
  contradicted_by TEXT,
  created_at INTEGER NOT NULL DEFAULT (unixepoch() * 1000),
  updated_at INTEGER NOT NULL DEFAULT (unixepoch() * 1000)
);
CREATE TABLE "decisions" (
  id TEXT PRIMARY KEY,
  topic TEXT NOT NULL,
  decision TEXT NOT NULL,
  reasoning TEXT,
  outcome TEXT,
  failure_reason TEXT,
  limitation TEXT,
  user_involvement TEXT,
  session_id TEXT,
  supersedes TEXT,
  superseded_by TEXT,
  refined_from TEXT,
  confidence REAL DEFAULT 0.5 CHECK (confidence >= 0.0 AND confidence <= 1.0),
  created_at INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000),
  updated_at INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000),
  needs_validation INTEGER DEFAULT 0 CHECK (needs_validation IN (0, 1)),
  validation_attempts INTEGER DEFAULT 0,
  last_validated_at INTEGER,
  usage_count INTEGER DEFAULT 0,
  trust_context TEXT,
  usage_success INTEGER DEFAULT 0,
  usage_failure INTEGER DEFAULT 0,
  time_saved INTEGER DEFAULT 0,
  evidence TEXT,
  alternatives TEXT,
  risks TEXT,
  event_date TEXT,
  kind TEXT DEFAULT 'decision'
    CHECK (kind IN ('decision', 'preference', 'constraint', 'lesson', 'fact', 'task', 'schedule')),
  status TEXT DEFAULT 'active'
    CHECK (status IN ('active', 'superseded', 'contradicted', 'stale')),
  summary TEXT,
  is_static INTEGER DEFAULT 0
, event_datetime INTEGER, agent_id TEXT, model_run_id TEXT, envelope_hash TEXT, gateway_call_id TEXT, source_refs_json TEXT, provenance_json TEXT);
INSERT INTO "schema_version" VALUES(1,1795929238000,'Initial Decision Graph schema');
INSERT INTO "schema_version" VALUES(2,1795929238000,NULL);
INSERT INTO "schema_version" VALUES(3,1795929238000,NULL);
INSERT INTO "schema_version" VALUES(4,1795929238000,NULL);
INSERT INTO "schema_version" VALUES(5,1795929238000,NULL);
INSERT INTO "schema_version" VALUES(6,1795929238000,NULL);
INSERT INTO "schema_version" VALUES(7,1795929238000,NULL);
INSERT INTO "schema_version" VALUES(8,1795929238000,NULL);
INSERT INTO "schema_version" VALUES(9,1795929238000,NULL);
INSERT INTO "schema_version" VALUES(10,1795929238000,'Extend edge types: builds_on, debates, synthesizes');
INSERT INTO "schema_version" VALUES(11,1795929238000,'Fix timestamp convention: auto-convert seconds to milliseconds');
INSERT INTO "schema_version" VALUES(12,1795929238000,NULL);
INSERT INTO "schema_version" VALUES(13,1795929238000,NULL);
INSERT INTO "schema_version" VALUES(14,1795929238000,'Add is_static column for user profile preferences');
INSERT INTO "schema_version" VALUES(15,1795929238000,'Add FTS5 keyword search with sync triggers');
INSERT INTO "schema_version" VALUES(16,1795929238000,'Add memory v2 kind/status/summary columns');
INSERT INTO "schema_version" VALUES(17,1795929238000,'Create memory scopes table');
INSERT INTO "schema_version" VALUES(18,1795929238000,'Create memory scope bindings table');
INSERT INTO "schema_version" VALUES(19,1795929238000,'Create memory events table');
INSERT INTO "schema_version" VALUES(20,1795929238000,'Create audit findings table');
INSERT INTO "schema_version" VALUES(21,1795929238000,'Create memory truth projection table');
INSERT INTO "schema_version" VALUES(22,1795929238000,'Create channel summaries table');
INSERT INTO "schema_version" VALUES(23,1795929238000,'Create channel summary state table');
INSERT INTO "schema_version" VALUES(24,1795929238000,'Add event_date column for temporal tracking');
INSERT INTO "schema_version" VALUES(25,1795929238000,NULL);
INSERT INTO "schema_version" VALUES(26,1795929238000,'Create canonical entity core tables');
INSERT INTO "schema_version" VALUES(27,1795929238000,'Create canonical entity review support tables');
INSERT INTO "schema_version" VALUES(28,1795929238000,'Create entity benchmark and audit run storage');
INSERT INTO "schema_version" VALUES(29,1795929238000,'Extend entity observations with observation type and scope guards');
INSERT INTO "schema_version" VALUES(30,1795929238000,'Case-First Memory Substrate consolidated (Phase 1+2+3)');
INSERT INTO "schema_version" VALUES(31,1795929238000,NULL);
INSERT INTO "schema_version" VALUES(32,1795929238000,'Add nullable memory provenance columns');
INSERT INTO "schema_version" VALUES(33,1795929238000,'Create model runs and tool traces');
INSERT INTO "schema_version" VALUES(34,1795929238000,'Add connector event scope columns');
INSERT INTO "schema_version" VALUES(35,1795929238000,'Create first-class twin edge ledger');
INSERT INTO "schema_version" VALUES(36,1795929238000,'Create agent situation packet cache');
INSERT INTO "schema_version" VALUES(37,1795929238000,'Create context packet append-only store');
INSERT INTO "schema_version" VALUES(38,1795929238000,'Create vNext operator contracts');
INSERT INTO "schema_version" VALUES(39,1795929238000,'Add connector event operator ingest sequence');
INSERT INTO "schema_version" VALUES(40,1795929238000,'Create operator memory commit intents');
INSERT INTO "schema_version" VALUES(41,1795929238000,'Enforce operator memory commit claim invariant');
INSERT INTO "schema_version" VALUES(42,1795929238000,'Track embedding prefix scheme (e5 query/passage)');
INSERT INTO "schema_version" VALUES(61,1795929238000,NULL);
INSERT INTO "schema_version" VALUES(62,1795929238000,'Refresh connector event delivery and observation sequences');
INSERT INTO "schema_version" VALUES(63,1795929238000,'Refresh sequences for legacy connector event updates');
INSERT INTO "schema_version" VALUES(64,1795929238000,'Create principals and external_identities for member registry');
INSERT INTO "decision_edges" VALUES('decision_auth_strategy_1795929238756_cd0e7bd0','decision_auth_strategy_1795929238686_f8526068','supersedes','Updated fact (100% overlap)',1.0,1795929238756,'user',1,NULL,NULL);
INSERT INTO "decision_edges" VALUES('decision_auth_strategy_1795929238771_396e6fce','decision_auth_strategy_1795929238756_cd0e7bd0','supersedes','Updated fact (100% overlap)',1.0,1795929238771,'user',1,NULL,NULL);
INSERT INTO "decision_edges" VALUES('decision_database_1795929238800_be6798f7','decision_database_1795929238786_eb21dd6d','supersedes','Updated fact (100% overlap)',1.0,1795929238800,'user',1,NULL,NULL);
INSERT INTO "decision_edges" VALUES('decision_database_1795929238800_be6798f7','decision_database_1795929238786_eb21dd6d','builds_on','Auto-detected from reasoning: builds_on reference',1.0,1795929238806,'llm',1,NULL,NULL);
INSERT INTO "decision_edges" VALUES('decision_t10292560_1795929238834_e001834c','decision_t10292560_1795929238817_3231657b','builds_on','Related but distinct (0% overlap)',1.0,1795929238834,'user',1,NULL,NULL);
INSERT INTO "decision_edges" VALUES('decision_cache_layer_1795929238926_61b87642','decision_auth_strategy_1795929238771_396e6fce','debates','Auto-detected from reasoning: debates reference',1.0,1795929238930,'llm',1,NULL,NULL);
INSERT INTO "decision_edges" VALUES('decision_platform_direction_1795929238941_0e40e364','decision_auth_strategy_1795929238771_396e6fce','synthesizes','Auto-detected from reasoning: synthesizes reference',1.0,1795929238945,'llm',1,NULL,NULL);
INSERT INTO "decision_edges" VALUES('decision_platform_direction_1795929238941_0e40e364','decision_database_1795929238800_be6798f7','synthesizes','Auto-detected from reasoning: synthesizes reference',1.0,1795929238945,'llm',1,NULL,NULL);
INSERT INTO "checkpoints" VALUES(1,1795929239032,'Half of the session migration is done. Related decisions: decision_auth_strategy_1795929238771_396e6fce','["src/session/store.rs","docs/миграция.md"]','Run the migration on staging; check the row counts','[]','active');
INSERT INTO "checkpoints" VALUES(2,1795929239036,'🎯 Goal: remove JWT. ✅ Verified: unit tests. ⏳ Unfinished: mobile client.
Line two.','[]','','[]','active');
INSERT INTO "checkpoints" VALUES(3,1795929239036,'요약: 패스키 등록 화면 완료','["web/pages/등록.tsx"]','QA에 전달','[]','active');
INSERT INTO "checkpoints" VALUES(4,1795929239037,'A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details. A long state of the work with many details.','["a.rs","b c.rs","d\"e.rs"]','DoD: all green','[]','active');
INSERT INTO "memory_scopes" VALUES('scope_project_YWxwaGE','project','alpha',1795929239000);
INSERT INTO "memory_scope_bindings" VALUES('decision_scoped_choice_1795929239041_4fbe6bca','scope_project_YWxwaGE',1,1795929239000);
INSERT INTO "memory_events" VALUES('evt_d51ce410fe214f8fa5fad9f1735f2a35','save','actor:direct_client',NULL,'decision_auth_strategy_1795929238686_f8526068','auth_strategy','[]','[]','saved',1795929238686);
INSERT INTO "memory_events" VALUES('evt_374bb8efd4794975831432b1a918b9bb','save','actor:direct_client',NULL,'decision_auth_strategy_1795929238756_cd0e7bd0','auth_strategy','[]','[]','saved',1795929238756);
INSERT INTO "memory_events" VALUES('evt_97590513b52a47a0929f5a6421927675','save','actor:direct_client',NULL,'decision_auth_strategy_1795929238771_396e6fce','auth_strategy','[]','[]','saved',1795929238771);
INSERT INTO "memory_events" VALUES('evt_7c18272639c44597b6b7f14ff6446068','save','actor:direct_client',NULL,'decision_database_1795929238786_eb21dd6d','database','[]','[]','saved',1795929238786);
INSERT INTO "memory_events" VALUES('evt_96d16be8bc7c4be2bb5194b2f4706269','save','actor:direct_client',NULL,'decision_database_1795929238800_be6798f7','database','[]','[]','saved',1795929238800);
INSERT INTO "memory_events" VALUES('evt_66bf097485594a7e93719158f1e4c37b','save','actor:direct_client',NULL,'decision_t10292560_1795929238817_3231657b','인증_방식','[]','[]','saved',1795929238817);
INSERT INTO "memory_events" VALUES('evt_cc85a7ab9c7248b9a0f2a77cdd4aa4db','save','actor:direct_client',NULL,'decision_t10292560_1795929238834_e001834c','인증_방식','[]','[]','saved',1795929238834);
INSERT INTO "memory_events" VALUES('evt_b37e336700a447e48bbf841dff29845f','save','actor:direct_client',NULL,'decision_tfc57c737_1795929238850_2a660ece','ログ形式','[]','[]','saved',1795929238850);
INSERT INTO "memory_events" VALUES('evt_64df6cad5854476f9a7eb6f7452ef96f','save','actor:direct_client',NULL,'decision_gr_en_einheit_1795929238866_792fca2e','größen_einheit','[]','[]','saved',1795929238866);
INSERT INTO "memory_events" VALUES('evt_003c0d974aa843d891db8313becc1ba2','save','actor:direct_client',NULL,'decision_t20a6d3b1_1795929238882_f3ae4e1f','язык_ошибок','[]','[]','saved',1795929238882);
INSERT INTO "memory_events" VALUES('evt_cfa1290254644d35bd0342be45141e37','save','actor:direct_client',NULL,'decision_status_icons_1795929238896_253cdd10','status_icons','[]','[]','saved',1795929238896);
INSERT INTO "memory_events" VALUES('evt_70ebdcbc8ca045f7928f13df0f364c36','save','actor:direct_client',NULL,'decision_error_budget_1795929238910_2dd29f00','error_budget','[]','[]','saved',1795929238910);
INSERT INTO "memory_events" VALUES('evt_035804132630468c90ae49e21b7d6964','save','actor:direct_client',NULL,'decision_cache_layer_1795929238926_61b87642','cache_layer','[]','[]','saved',1795929238926);
INSERT INTO "memory_events" VALUES('evt_8b9c885f85114fa78f479a43e8cf16b9','save','actor:direct_client',NULL,'decision_platform_direction_1795929238941_0e40e364','platform_direction','[]','[]','saved',1795929238941);
INSERT INTO "memory_events" VALUES('evt_72a61a8c2a0f474c8bcc9ca048688599','save','actor:direct_client',NULL,'decision_quoting_drop_table_decisions_1795929238956_cf387c46','quoting''; DROP TABLE decisions; --','[]','[]','saved',1795929238956);
INSERT INTO "memory_events" VALUES('evt_7488fce81d544d3882cb0be7b1e35eaf','save','actor:direct_client',NULL,'decision_alternatives_kept_1795929238987_a0eaafa0','alternatives_kept','[]','[]','saved',1795929238987);
INSERT INTO "memory_events" VALUES('evt_bd40f6d5c5de4d84bfe8515d16f3010d','save','actor:direct_client',NULL,'decision_low_confidence_1795929239002_9f9ed9a4','low_confidence','[]','[]','saved',1795929239002);
INSERT INTO "memory_events" VALUES('evt_539007a476f648ff84860a81202f585b','save','actor:direct_client',NULL,'decision_duplicate_text_1795929239016_34f20165','duplicate_text','[]','[]','saved',1795929239016);
INSERT INTO "memory_events" VALUES('evt_d5bb9f07abfa4ef99fa6fa22f843af70','save','actor:direct_client',NULL,'decision_user_we_deploy_on_tuesdays_only_assist_1795929239038_2ec8d0cf','user_we_deploy_on_tuesdays_only_assist','[]','[]','saved',1795929239038);
INSERT INTO "memory_events" VALUES('evt_927f8b2288374a8fa565d236d1f472fa','save','actor:direct_client',NULL,'decision_user_1795929239040_2290204b','user','[]','[]','saved',1795929239040);
INSERT INTO "memory_events" VALUES('evt_488816021a9b4bc6a012a30bada1eb6e','save','actor:direct_client',NULL,'decision_scoped_choice_1795929239041_4fbe6bca','scoped_choice','[{"kind":"project","id":"alpha"}]','[]','saved',1795929239041);
INSERT INTO "memory_truth" VALUES('decision_auth_strategy_1795929238686_f8526068','auth_strategy','active','Use JWT with refresh tokens','Stateless services; evidence: load test at 2,000 requests per second.',0.8,'[]','[]',NULL,NULL,1795929238697,1795929238697);
INSERT INTO "memory_truth" VALUES('decision_auth_strategy_1795929238756_cd0e7bd0','auth_strategy','active','Use server side sessions with JWT refresh tokens removed','Revocation took 15 minutes with JWT refresh tokens.',0.9,'[]','[]',NULL,NULL,1795929238757,1795929238757);
INSERT INTO "memory_truth" VALUES('decision_auth_strategy_1795929238771_396e6fce','auth_strategy','active','Use server side sessions in Redis, JWT refresh tokens removed everywhere','The session table grew to 40 GB.',0.95,'[]','[]',NULL,NULL,1795929238772,1795929238772);
INSERT INTO "memory_truth" VALUES('decision_database_1795929238786_eb21dd6d','database','active','SQLite for the local store','One file, no service.',0.7,'[]','[]',NULL,NULL,1795929238787,1795929238787);
INSERT INTO "memory_truth" VALUES('decision_database_1795929238800_be6798f7','database','active','PostgreSQL for the shared store, SQLite for the local store','Two writers on one NFS mount corrupted the file. builds_on: decision_database_1795929238786_eb21dd6d',0.85,'[]','[]',NULL,NULL,1795929238801,1795929238801);
INSERT INTO "memory_truth" VALUES('decision_t10292560_1795929238817_3231657b','인증_방식','active','세션 쿠키를 사용하기로 결정했다','토큰 탈취 위험을 줄이기 위해서. 근거: 보안 점검 결과.',0.6,'[]','[]',NULL,NULL,1795929238819,1795929238819);
INSERT INTO "memory_truth" VALUES('decision_t10292560_1795929238834_e001834c','인증_방식','active','패스키를 기본으로 사용한다','비밀번호 재설정 문의가 전체의 40 %였다.',0.75,'[]','[]',NULL,NULL,1795929238835,1795929238835);
INSERT INTO "memory_truth" VALUES('decision_tfc57c737_1795929238850_2a660ece','ログ形式','active','ログは JSON Lines で出力する','解析が簡単。𠮷野家のような文字 (U+20BB7) も失われない。',0.5,'[]','[]',NULL,NULL,1795929238853,1795929238853);
INSERT INTO "memory_truth" VALUES('decision_gr_en_einheit_1795929238866_792fca2e','größen_einheit','active','Alle Größen in Byte — niemals „KB“ oder „KiB“ gemischt','Missverständnis am 3. März: 1 KB ≠ 1 KiB.',0.5,'[]','[]',NULL,NULL,1795929238868,1795929238868);
INSERT INTO "memory_truth" VALUES('decision_t20a6d3b1_1795929238882_f3ae4e1f','язык_ошибок','active','Сообщения об ошибках — на английском','Поиск в сети работает лучше.',0.5,'[]','[]',NULL,NULL,1795929238883,1795929238883);
INSERT INTO "memory_truth" VALUES('decision_status_icons_1795929238896_253cdd10','status_icons','active','No emoji in logs 🚫🙂; ZWJ test 👩‍👩‍👧‍👦 and é combining','Terminals of the operators render them as boxes.
Second line.	Tab.',0.5,'[]','[]',NULL,NULL,1795929238897,1795929238897);
INSERT INTO "memory_truth" VALUES('decision_error_budget_1795929238910_2dd29f00','error_budget','active','Freeze releases below 99.5 % availability. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. ','Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. ',0.5,'[]','[]',NULL,NULL,1795929238913,1795929238913);
INSERT INTO "memory_truth" VALUES('decision_cache_layer_1795929238926_61b87642','cache_layer','active','No cache in front of the search service','Invalidation was wrong twice. debates: decision_auth_strategy_1795929238771_396e6fce',0.4,'[]','[]',NULL,NULL,1795929238928,1795929238928);
INSERT INTO "memory_truth" VALUES('decision_platform_direction_1795929238941_0e40e364','platform_direction','active','One session store and one shared database','Fewer moving parts. synthesizes: [decision_auth_strategy_1795929238771_396e6fce, decision_database_1795929238800_be6798f7]',0.65,'[]','[]',NULL,NULL,1795929238942,1795929238942);
INSERT INTO "memory_truth" VALUES('decision_quoting_drop_table_decisions_1795929238956_cf387c46','quoting''; DROP TABLE decisions; --','active','Quotes "double", ''single'', back\slash, <b>markup</b>, %s {json:true}','Text that must survive as it is.',0.5,'[]','[]',NULL,NULL,1795929238958,1795929238958);
INSERT INTO "memory_truth" VALUES('decision_alternatives_kept_1795929238987_a0eaafa0','alternatives_kept','active','Use axum','Context - a new HTTP service. Evidence - the team knows tokio. Alternatives - actix, warp (unmaintained). Risks - breaking releases. Rationale - smallest tree.',1.0,'[]','[]',NULL,NULL,1795929238988,1795929238988);
INSERT INTO "memory_truth" VALUES('decision_low_confidence_1795929239002_9f9ed9a4','low_confidence','active','Maybe move the queue to NATS','Untested guess.',0.0,'[]','[]',NULL,NULL,1795929239003,1795929239003);
INSERT INTO "memory_truth" VALUES('decision_duplicate_text_1795929239016_34f20165','duplicate_text','active','Use axum','The same decision text as another topic.',0.5,'[]','[]',NULL,NULL,1795929239017,1795929239017);
INSERT INTO "memory_truth" VALUES('decision_user_we_deploy_on_tuesdays_only_assist_1795929239038_2ec8d0cf','user_we_deploy_on_tuesdays_only_assist','active','user: We deploy on Tuesdays only.
assistant: Noted.','user: We deploy on Tuesdays only.
assistant: Noted.',0.5,'[]','[]',NULL,NULL,1795929239039,1795929239039);
INSERT INTO "memory_truth" VALUES('decision_user_1795929239040_2290204b','user','active','user: Я предпочитаю табы','user: Я предпочитаю табы',0.5,'[]','[]',NULL,NULL,1795929239041,1795929239041);
INSERT INTO "memory_truth" VALUES('decision_scoped_choice_1795929239041_4fbe6bca','scoped_choice','active','Only for the project alpha','A scope and an event date.',0.5,'[{"kind":"project","id":"alpha"}]','[]',NULL,NULL,1795929239043,1795929239043);
INSERT INTO "decisions" VALUES('decision_auth_strategy_1795929238686_f8526068','auth_strategy','Use JWT with refresh tokens','Stateless services; evidence: load test at 2,000 requests per second.','FAILED','Revocation was too slow',NULL,'approved',NULL,NULL,'decision_auth_strategy_1795929238756_cd0e7bd0',NULL,0.8,1795929238686,1795929239030,0,0,NULL,0,'{"source":{"package":"mama-core","source_type":"legacy_save"}}',0,0,0,NULL,NULL,NULL,NULL,'decision','superseded','Use JWT with refresh tokens',0,NULL,NULL,NULL,NULL,NULL,'[]','{"actor":"actor:direct_client","source_type":"direct_client"}');
INSERT INTO "decisions" VALUES('decision_auth_strategy_1795929238756_cd0e7bd0','auth_strategy','Use server side sessions with JWT refresh tokens removed','Revocation took 15 minutes with JWT refresh tokens.',NULL,NULL,NULL,'approved',NULL,'decision_auth_strategy_1795929238686_f8526068','decision_auth_strategy_1795929238771_396e6fce',NULL,0.9,1795929238756,1795929238771,0,0,NULL,0,'{"source":{"package":"mama-core","source_type":"legacy_save"}}',0,0,0,NULL,NULL,NULL,NULL,'decision','superseded','Use server side sessions with JWT refresh tokens removed',0,NULL,NULL,NULL,NULL,NULL,'[]','{"actor":"actor:direct_client","source_type":"direct_client"}');
INSERT INTO "decisions" VALUES('decision_auth_strategy_1795929238771_396e6fce','auth_strategy','Use server side sessions in Redis, JWT refresh tokens removed everywhere','The session table grew to 40 GB.','SUCCESS','Six weeks without an incident',NULL,'approved',NULL,'decision_auth_strategy_1795929238756_cd0e7bd0',NULL,NULL,0.95,1795929238771,1795929239031,0,0,NULL,0,'{"source":{"package":"mama-core","source_type":"legacy_save"}}',0,0,0,NULL,NULL,NULL,NULL,'decision','active','Use server side sessions in Redis, JWT refresh tokens removed everywhere',0,NULL,NULL,NULL,NULL,NULL,'[]','{"actor":"actor:direct_client","source_type":"direct_client"}');
INSERT INTO "decisions" VALUES('decision_database_1795929238786_eb21dd6d','database','SQLite for the local store','One file, no service.','PARTIAL','Works for one writer only',NULL,'approved',NULL,NULL,'decision_database_1795929238800_be6798f7',NULL,0.7,1795929238786,1795929239030,0,0,NULL,0,'{"source":{"package":"mama-core","source_type":"legacy_save"}}',0,0,0,NULL,NULL,NULL,NULL,'decision','superseded','SQLite for the local store',0,NULL,NULL,NULL,NULL,NULL,'[]','{"actor":"actor:direct_client","source_type":"direct_client"}');
INSERT INTO "decisions" VALUES('decision_database_1795929238800_be6798f7','database','PostgreSQL for the shared store, SQLite for the local store','Two writers on one NFS mount corrupted the file. builds_on: decision_database_1795929238786_eb21dd6d',NULL,NULL,NULL,'approved',NULL,'decision_database_1795929238786_eb21dd6d',NULL,NULL,0.85,1795929238800,1795929238800,0,0,NULL,0,'{"source":{"package":"mama-core","source_type":"legacy_save"}}',0,0,0,NULL,NULL,NULL,NULL,'decision','active','PostgreSQL for the shared store, SQLite for the local store',0,NULL,NULL,NULL,NULL,NULL,'[]','{"actor":"actor:direct_client","source_type":"direct_client"}');
INSERT INTO "decisions" VALUES('decision_t10292560_1795929238817_3231657b','인증_방식','세션 쿠키를 사용하기로 결정했다','토큰 탈취 위험을 줄이기 위해서. 근거: 보안 점검 결과.','FAILED','세션 고정 공격이 가능했다',NULL,'approved',NULL,NULL,NULL,NULL,0.6,1795929238817,1795929239031,0,0,NULL,0,'{"source":{"package":"mama-core","source_type":"legacy_save"}}',0,0,0,NULL,NULL,NULL,NULL,'decision','active','세션 쿠키를 사용하기로 결정했다',0,NULL,NULL,NULL,NULL,NULL,'[]','{"actor":"actor:direct_client","source_type":"direct_client"}');
INSERT INTO "decisions" VALUES('decision_t10292560_1795929238834_e001834c','인증_방식','패스키를 기본으로 사용한다','비밀번호 재설정 문의가 전체의 40 %였다.',NULL,NULL,NULL,'approved',NULL,NULL,NULL,NULL,0.75,1795929238834,1795929238834,0,0,NULL,0,'{"source":{"package":"mama-core","source_type":"legacy_save"}}',0,0,0,NULL,NULL,NULL,NULL,'decision','active','패스키를 기본으로 사용한다',0,NULL,NULL,NULL,NULL,NULL,'[]','{"actor":"actor:direct_client","source_type":"direct_client"}');
INSERT INTO "decisions" VALUES('decision_tfc57c737_1795929238850_2a660ece','ログ形式','ログは JSON Lines で出力する','解析が簡単。𠮷野家のような文字 (U+20BB7) も失われない。',NULL,NULL,NULL,'approved',NULL,NULL,NULL,NULL,0.5,1795929238850,1795929238850,0,0,NULL,0,'{"source":{"package":"mama-core","source_type":"legacy_save"}}',0,0,0,NULL,NULL,NULL,NULL,'decision','active','ログは JSON Lines で出力する',0,NULL,NULL,NULL,NULL,NULL,'[]','{"actor":"actor:direct_client","source_type":"direct_client"}');
INSERT INTO "decisions" VALUES('decision_gr_en_einheit_1795929238866_792fca2e','größen_einheit','Alle Größen in Byte — niemals „KB“ oder „KiB“ gemischt','Missverständnis am 3. März: 1 KB ≠ 1 KiB.',NULL,NULL,NULL,'approved',NULL,NULL,NULL,NULL,0.5,1795929238866,1795929238866,0,0,NULL,0,'{"source":{"package":"mama-core","source_type":"legacy_save"}}',0,0,0,NULL,NULL,NULL,NULL,'decision','active','Alle Größen in Byte — niemals „KB“ oder „KiB“ gemischt',0,NULL,NULL,NULL,NULL,NULL,'[]','{"actor":"actor:direct_client","source_type":"direct_client"}');
INSERT INTO "decisions" VALUES('decision_t20a6d3b1_1795929238882_f3ae4e1f','язык_ошибок','Сообщения об ошибках — на английском','Поиск в сети работает лучше.',NULL,NULL,NULL,'approved',NULL,NULL,NULL,NULL,0.5,1795929238882,1795929238882,0,0,NULL,0,'{"source":{"package":"mama-core","source_type":"legacy_save"}}',0,0,0,NULL,NULL,NULL,NULL,'decision','active','Сообщения об ошибках — на английском',0,NULL,NULL,NULL,NULL,NULL,'[]','{"actor":"actor:direct_client","source_type":"direct_client"}');
INSERT INTO "decisions" VALUES('decision_status_icons_1795929238896_253cdd10','status_icons','No emoji in logs 🚫🙂; ZWJ test 👩‍👩‍👧‍👦 and é combining','Terminals of the operators render them as boxes.
Second line.	Tab.',NULL,NULL,NULL,'approved',NULL,NULL,NULL,NULL,0.5,1795929238896,1795929238896,0,0,NULL,0,'{"source":{"package":"mama-core","source_type":"legacy_save"}}',0,0,0,NULL,NULL,NULL,NULL,'decision','active','No emoji in logs 🚫🙂; ZWJ test 👩‍👩‍👧‍👦 and é combining',0,NULL,NULL,NULL,NULL,NULL,'[]','{"actor":"actor:direct_client","source_type":"direct_client"}');
INSERT INTO "decisions" VALUES('decision_error_budget_1795929238910_2dd29f00','error_budget','Freeze releases below 99.5 % availability. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. ','Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. Reason: customers in two regions reported outages that the global figure hid. ',NULL,NULL,NULL,'approved',NULL,NULL,NULL,NULL,0.5,1795929238910,1795929238910,0,0,NULL,0,'{"source":{"package":"mama-core","source_type":"legacy_save"}}',0,0,0,NULL,NULL,NULL,NULL,'decision','active','Freeze releases below 99.5 % availability. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. Details: the window is 28 days, counted per region. ',0,NULL,NULL,NULL,NULL,NULL,'[]','{"actor":"actor:direct_client","source_type":"direct_client"}');
INSERT INTO "decisions" VALUES('decision_cache_layer_1795929238926_61b87642','cache_layer','No cache in front of the search service','Invalidation was wrong twice. debates: decision_auth_strategy_1795929238771_396e6fce',NULL,NULL,NULL,'approved',NULL,NULL,NULL,NULL,0.4,1795929238926,1795929238926,0,0,NULL,0,'{"source":{"package":"mama-core","source_type":"legacy_save"}}',0,0,0,NULL,NULL,NULL,NULL,'decision','active','No cache in front of the search service',0,NULL,NULL,NULL,NULL,NULL,'[]','{"actor":"actor:direct_client","source_type":"direct_client"}');
INSERT INTO "decisions" VALUES('decision_platform_direction_1795929238941_0e40e364','platform_direction','One session store and one shared database','Fewer moving parts. synthesizes: [decision_auth_strategy_1795929238771_396e6fce, decision_database_1795929238800_be6798f7]',NULL,NULL,NULL,'approved',NULL,NULL,NULL,NULL,0.65,1795929238941,1795929238941,0,0,NULL,0,'{"source":{"package":"mama-core","source_type":"legacy_save"}}',0,0,0,NULL,NULL,NULL,NULL,'decision','active','One session store and one shared database',0,NULL,NULL,NULL,NULL,NULL,'[]','{"actor":"actor:direct_client","source_type":"direct_client"}');
INSERT INTO "decisions" VALUES('decision_quoting_drop_table_decisions_1795929238956_cf387c46','quoting''; DROP TABLE decisions; --','Quotes "double", ''single'', back\slash, <b>markup</b>, %s {json:true}','Text that must survive as it is.',NULL,NULL,NULL,'approved',NULL,NULL,NULL,NULL,0.5,1795929238956,1795929238956,0,0,NULL,0,'{"source":{"package":"mama-core","source_type":"legacy_save"}}',0,0,0,NULL,NULL,NULL,NULL,'decision','active','Quotes "double", ''single'', back\slash, <b>markup</b>, %s {json:true}',0,NULL,NULL,NULL,NULL,NULL,'[]','{"actor":"actor:direct_client","source_type":"direct_client"}');
INSERT INTO "decisions" VALUES('decision_alternatives_kept_1795929238987_a0eaafa0','alternatives_kept','Use axum','Context - a new HTTP service. Evidence - the team knows tokio. Alternatives - actix, warp (unmaintained). Risks - breaking releases. Rationale - smallest tree.','SUCCESS',NULL,NULL,'approved',NULL,NULL,NULL,NULL,1.0,1795929238987,1795929239031,0,0,NULL,0,'{"source":{"package":"mama-core","source_type":"legacy_save"}}',0,0,0,NULL,NULL,NULL,NULL,'decision','active','Use axum',0,NULL,NULL,NULL,NULL,NULL,'[]','{"actor":"actor:direct_client","source_type":"direct_client"}');
INSERT INTO "decisions" VALUES('decision_low_confidence_1795929239002_9f9ed9a4','low_confidence','Maybe move the queue to NATS','Untested guess.',NULL,NULL,NULL,'approved',NULL,NULL,NULL,NULL,0.0,1795929239002,1795929239002,0,0,NULL,0,'{"source":{"package":"mama-core","source_type":"legacy_save"}}',0,0,0,NULL,NULL,NULL,NULL,'decision','active','Maybe move the queue to NATS',0,NULL,NULL,NULL,NULL,NULL,'[]','{"actor":"actor:direct_client","source_type":"direct_client"}');
INSERT INTO "decisions" VALUES('decision_duplicate_text_1795929239016_34f20165','duplicate_text','Use axum','The same decision text as another topic.',NULL,NULL,NULL,'approved',NULL,NULL,NULL,NULL,0.5,1795929239016,1795929239016,0,0,NULL,0,'{"source":{"package":"mama-core","source_type":"legacy_save"}}',0,0,0,NULL,NULL,NULL,NULL,'decision','active','Use axum',0,NULL,NULL,NULL,NULL,NULL,'[]','{"actor":"actor:direct_client","source_type":"direct_client"}');
INSERT INTO "decisions" VALUES('decision_user_we_deploy_on_tuesdays_only_assist_1795929239038_2ec8d0cf','user_we_deploy_on_tuesdays_only_assist','user: We deploy on Tuesdays only.
assistant: Noted.','user: We deploy on Tuesdays only.
assistant: Noted.',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.5,1795929239038,1795929239038,0,0,NULL,0,'{"source":{"package":"mcp-server","source_type":"mcp_ingest_conversation"}}',0,0,0,NULL,NULL,NULL,'2026-08-20','fact','active','user: We deploy on Tuesdays only.
assistant: Noted.',0,NULL,NULL,NULL,NULL,NULL,'[]','{"actor":"actor:direct_client","source_type":"direct_client"}');
INSERT INTO "decisions" VALUES('decision_user_1795929239040_2290204b','user','user: Я предпочитаю табы','user: Я предпочитаю табы',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.5,1795929239040,1795929239040,0,0,NULL,0,'{"source":{"package":"mcp-server","source_type":"mcp_ingest_conversation"}}',0,0,0,NULL,NULL,NULL,'2026-08-20','fact','active','user: Я предпочитаю табы',0,NULL,NULL,NULL,NULL,NULL,'[]','{"actor":"actor:direct_client","source_type":"direct_client"}');
INSERT INTO "decisions" VALUES('decision_scoped_choice_1795929239041_4fbe6bca','scoped_choice','Only for the project alpha','A scope and an event date.',NULL,NULL,NULL,'approved',NULL,NULL,NULL,NULL,0.5,1795929239041,1795929239041,0,0,NULL,0,'{"source":{"package":"mama-core","source_type":"legacy_save"}}',0,0,0,NULL,NULL,NULL,'2026-07-01','decision','active','Only for the project alpha',0,NULL,NULL,NULL,NULL,NULL,'[]','{"actor":"actor:direct_client","source_type":"direct_client"}');
CREATE TRIGGER validate_edge_timestamp
AFTER INSERT ON decision_edges
WHEN NEW.created_at IS NOT NULL AND NEW.created_at < 1577836800000
BEGIN
  UPDATE decision_edges
  SET created_at = NEW.created_at * 1000
  WHERE from_id = NEW.from_id AND to_id = NEW.to_id AND relationship = NEW.relationship;
END;
COMMIT;
