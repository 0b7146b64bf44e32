-- claude-mem 13.25.3: claude-mem.db made by its own store and worker, see README.md
PRAGMA foreign_keys=OFF;
BEGIN;
CREATE TABLE schema_versions (
        id INTEGER PRIMARY KEY,
        version INTEGER UNIQUE NOT NULL,
        applied_at TEXT NOT NULL
      );
CREATE TABLE sdk_sessions (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        content_session_id TEXT NOT NULL,
        memory_session_id TEXT UNIQUE,
        project TEXT NOT NULL,
        platform_source TEXT NOT NULL DEFAULT 'claude',
        user_prompt TEXT,
        started_at TEXT NOT NULL,
        started_at_epoch INTEGER NOT NULL,
        completed_at TEXT,
        completed_at_epoch INTEGER,
        status TEXT CHECK(status IN ('active', 'completed', 'failed')) NOT NULL DEFAULT 'active'
      , worker_port INTEGER, prompt_counter INTEGER DEFAULT 0, custom_title TEXT, observed_model TEXT, observed_billing TEXT);
CREATE TABLE "session_summaries" (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        memory_session_id TEXT NOT NULL,
        project TEXT NOT NULL,
        request TEXT,
        investigated TEXT,
        learned TEXT,
        completed TEXT,
        next_steps TEXT,
        files_read TEXT,
        files_edited TEXT,
        notes TEXT,
        prompt_number INTEGER,
        created_at TEXT NOT NULL,
        created_at_epoch INTEGER NOT NULL, discovery_tokens INTEGER DEFAULT 0, merged_into_project TEXT, synced_at INTEGER, origin_device_id TEXT, origin_local_id TEXT, sync_rev TEXT NOT NULL DEFAULT '1',
        FOREIGN KEY(memory_session_id) REFERENCES sdk_sessions(memory_session_id) ON DELETE CASCADE ON UPDATE CASCADE
      );
CREATE TABLE "observations" (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        memory_session_id TEXT NOT NULL,
        project TEXT NOT NULL,
        text TEXT,
        type TEXT NOT NULL,
        title TEXT,
        subtitle TEXT,
        facts TEXT,
        narrative TEXT,
        concepts TEXT,
        files_read TEXT,
        files_modified TEXT,
        prompt_number INTEGER,
        created_at TEXT NOT NULL,
        created_at_epoch INTEGER NOT NULL, discovery_tokens INTEGER DEFAULT 0, content_hash TEXT, generated_by_model TEXT, relevance_count INTEGER DEFAULT 0, merged_into_project TEXT, agent_type TEXT, agent_id TEXT, metadata TEXT, synced_at INTEGER, origin_device_id TEXT, origin_local_id TEXT, sync_rev TEXT NOT NULL DEFAULT '1',
        FOREIGN KEY(memory_session_id) REFERENCES sdk_sessions(memory_session_id) ON DELETE CASCADE ON UPDATE CASCADE
      );
CREATE TABLE pending_messages (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session_db_id INTEGER NOT NULL,
        content_session_id TEXT NOT NULL,
        message_type TEXT NOT NULL CHECK(message_type IN ('observation', 'summarize')),
        tool_name TEXT,
        tool_input TEXT,
        tool_response TEXT,
        cwd TEXT,
        last_user_message TEXT,
        last_assistant_message TEXT,
        prompt_number INTEGER,
        status TEXT NOT NULL DEFAULT 'pending' CHECK(status IN ('pending', 'processing')),
        created_at_epoch INTEGER NOT NULL, agent_type TEXT, agent_id TEXT, tool_use_id TEXT,
        FOREIGN KEY (session_db_id) REFERENCES sdk_sessions(id) ON DELETE CASCADE
      );
CREATE TABLE "user_prompts" (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session_db_id INTEGER,
        content_session_id TEXT NOT NULL,
        prompt_number INTEGER NOT NULL,
        prompt_text TEXT NOT NULL,
        created_at TEXT NOT NULL,
        created_at_epoch INTEGER NOT NULL, synced_at INTEGER, origin_device_id TEXT, origin_local_id TEXT, sync_rev TEXT NOT NULL DEFAULT '1',
        FOREIGN KEY(session_db_id) REFERENCES sdk_sessions(id) ON DELETE CASCADE
      );
CREATE TABLE sync_state (
        k TEXT PRIMARY KEY,
        v TEXT
      );
CREATE TABLE sync_outbox (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        op_uuid TEXT NOT NULL UNIQUE,
        rev TEXT NOT NULL DEFAULT '1',
        body TEXT NOT NULL,
        canonical_body TEXT,
        operation_sha256 TEXT,
        created_at_epoch INTEGER NOT NULL
      );
CREATE TABLE sync_entity_heads (
        entity_id TEXT PRIMARY KEY,
        kind TEXT NOT NULL CHECK (kind IN ('observation', 'summary', 'prompt')),
        origin_device_id TEXT NOT NULL,
        origin_local_id TEXT NOT NULL,
        entity_rev TEXT NOT NULL,
        operation_sha256 TEXT NOT NULL,
        deleted INTEGER NOT NULL CHECK (deleted IN (0, 1)),
        updated_at_epoch INTEGER NOT NULL
      );
CREATE TABLE sync_content_outbox (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        entity_id TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('observation', 'summary', 'prompt')),
        origin_local_id TEXT NOT NULL,
        entity_rev TEXT NOT NULL,
        body TEXT NOT NULL,
        operation_sha256 TEXT NOT NULL,
        deleted INTEGER NOT NULL DEFAULT 0 CHECK (deleted IN (0, 1)),
        created_at_epoch INTEGER NOT NULL,
        UNIQUE(entity_id, entity_rev)
      );
CREATE TABLE sync_dead_letter (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        lane TEXT NOT NULL CHECK (lane IN ('content', 'mutation')),
        queue_key TEXT NOT NULL,
        kind TEXT,
        origin_local_id TEXT,
        entity_rev TEXT,
        reason TEXT NOT NULL,
        raw_body TEXT,
        created_at_epoch INTEGER NOT NULL,
        UNIQUE(lane, queue_key, entity_rev, reason)
      );
CREATE TABLE sync_launch_exclusions (
        kind TEXT NOT NULL CHECK (kind IN ('observation', 'summary', 'prompt')),
        origin_local_id TEXT NOT NULL,
        through_rev TEXT NOT NULL,
        PRIMARY KEY (kind, origin_local_id)
      );
CREATE TABLE tool_uses (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      tool_use_id TEXT NOT NULL,
      content_session_id TEXT NOT NULL,
      memory_session_id TEXT,
      session_db_id INTEGER,
      project TEXT NOT NULL,
      platform_source TEXT NOT NULL DEFAULT 'claude',
      tool_name TEXT NOT NULL,
      tool_input TEXT,
      tool_response TEXT,
      cwd TEXT,
      prompt_number INTEGER,
      agent_type TEXT,
      agent_id TEXT,
      observation_id INTEGER,
      or_generation_id TEXT,
      or_session_id TEXT,
      content_hash TEXT,
      created_at TEXT NOT NULL,
      created_at_epoch INTEGER NOT NULL,
      UNIQUE(content_session_id, tool_use_id)
    );
CREATE TABLE telegram_wrapups (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        platform_source TEXT NOT NULL,
        content_session_id TEXT NOT NULL,
        project TEXT NOT NULL,
        route_key TEXT NOT NULL,
        summary_created_at_epoch INTEGER NOT NULL,
        status TEXT NOT NULL CHECK(status IN ('claimed', 'sent')),
        claimed_at_epoch INTEGER NOT NULL,
        sent_at_epoch INTEGER,
        UNIQUE(platform_source, content_session_id, project, route_key)
      );
INSERT INTO "schema_versions" VALUES(1,4,'2026-11-29T05:18:01.440Z');
INSERT INTO "schema_versions" VALUES(2,5,'2026-11-29T05:18:01.441Z');
INSERT INTO "schema_versions" VALUES(3,6,'2026-11-29T05:18:01.442Z');
INSERT INTO "schema_versions" VALUES(4,7,'2026-11-29T05:18:01.443Z');
INSERT INTO "schema_versions" VALUES(5,8,'2026-11-29T05:18:01.444Z');
INSERT INTO "schema_versions" VALUES(6,9,'2026-11-29T05:18:01.444Z');
INSERT INTO "schema_versions" VALUES(7,10,'2026-11-29T05:18:01.445Z');
INSERT INTO "schema_versions" VALUES(8,11,'2026-11-29T05:18:01.446Z');
INSERT INTO "schema_versions" VALUES(9,16,'2026-11-29T05:18:01.446Z');
INSERT INTO "schema_versions" VALUES(10,17,'2026-11-29T05:18:01.446Z');
INSERT INTO "schema_versions" VALUES(11,20,'2026-11-29T05:18:01.446Z');
INSERT INTO "schema_versions" VALUES(12,21,'2026-11-29T05:18:01.447Z');
INSERT INTO "schema_versions" VALUES(13,22,'2026-11-29T05:18:01.447Z');
INSERT INTO "schema_versions" VALUES(14,23,'2026-11-29T05:18:01.447Z');
INSERT INTO "schema_versions" VALUES(15,24,'2026-11-29T05:18:01.452Z');
INSERT INTO "schema_versions" VALUES(16,26,'2026-11-29T05:18:01.452Z');
INSERT INTO "schema_versions" VALUES(17,27,'2026-11-29T05:18:01.454Z');
INSERT INTO "schema_versions" VALUES(18,29,'2026-11-29T05:18:01.454Z');
INSERT INTO "schema_versions" VALUES(19,30,'2026-11-29T05:18:01.454Z');
INSERT INTO "schema_versions" VALUES(20,31,'2026-11-29T05:18:01.455Z');
INSERT INTO "schema_versions" VALUES(21,28,'2026-11-29T05:18:01.456Z');
INSERT INTO "schema_versions" VALUES(22,32,'2026-11-29T05:18:01.456Z');
INSERT INTO "schema_versions" VALUES(23,33,'2026-11-29T05:18:01.456Z');
INSERT INTO "schema_versions" VALUES(24,34,'2026-11-29T05:18:01.458Z');
INSERT INTO "schema_versions" VALUES(25,35,'2026-11-29T05:18:01.458Z');
INSERT INTO "schema_versions" VALUES(26,39,'2026-11-29T05:18:01.461Z');
INSERT INTO "schema_versions" VALUES(27,41,'2026-11-29T05:18:01.465Z');
INSERT INTO "schema_versions" VALUES(28,42,'2026-11-29T05:18:01.466Z');
INSERT INTO "schema_versions" VALUES(29,44,'2026-11-29T05:18:01.466Z');
INSERT INTO "schema_versions" VALUES(30,45,'2026-11-29T05:18:01.466Z');
INSERT INTO "schema_versions" VALUES(31,46,'2026-11-29T05:18:01.468Z');
INSERT INTO "schema_versions" VALUES(32,47,'2026-11-29T05:18:01.468Z');
INSERT INTO "schema_versions" VALUES(33,48,'2026-11-29T05:18:01.468Z');
INSERT INTO "schema_versions" VALUES(34,49,'2026-11-29T05:18:01.472Z');
INSERT INTO "schema_versions" VALUES(35,50,'2026-11-29T05:18:01.473Z');
INSERT INTO "schema_versions" VALUES(36,51,'2026-11-29T05:18:01.473Z');
INSERT INTO "schema_versions" VALUES(37,52,'2026-11-29T05:18:01.474Z');
INSERT INTO "sdk_sessions" VALUES(1,'content-a1','mem-content-a1','shop','claude','Replace the login','2026-11-29T05:18:01.474Z',1795929481474,NULL,NULL,'active',NULL,0,'Login',NULL,NULL);
INSERT INTO "sdk_sessions" VALUES(2,'content-b2','mem-content-b2','shop','claude','패스키 등록을 추가해 줘','2026-11-29T05:18:01.487Z',1795929481487,NULL,NULL,'active',NULL,0,'패스키',NULL,NULL);
INSERT INTO "sdk_sessions" VALUES(3,'content-c3','mem-content-c3','größen','codex','Alles in Byte — nie „KB“','2026-11-29T05:18:01.487Z',1795929481487,NULL,NULL,'active',NULL,0,NULL,NULL,NULL);
INSERT INTO "sdk_sessions" VALUES(4,'manual-content-shop','manual-shop','shop','claude',NULL,'2026-11-29T05:18:01.497Z',1795929481497,NULL,NULL,'active',NULL,0,NULL,NULL,NULL);
INSERT INTO "sdk_sessions" VALUES(5,'manual-content-shop-claude','manual-shop-claude','shop','claude',NULL,'2026-11-29T05:19:20.148Z',1795929560148,NULL,NULL,'active',NULL,0,NULL,NULL,NULL);
INSERT INTO "session_summaries" VALUES(1,'mem-content-a1','shop','Replace the login','Read the store','JWT cannot be revoked','Sessions live in Redis','Mobile client','["src/a.rs"]','["src/session/store.rs"]','Ask about the cookie name',1,'2026-02-16T00:00:00.000Z',1771200000000,500,NULL,NULL,NULL,NULL,'1');
INSERT INTO "session_summaries" VALUES(2,'mem-content-b2','shop','패스키 등록',NULL,'브라우저마다 다르다','등록 화면 완료','QA에 전달','["src/a.rs"]','[]',NULL,1,'2026-02-16T02:00:00.000Z',1771207200000,500,NULL,NULL,NULL,NULL,'1');
INSERT INTO "session_summaries" VALUES(3,'mem-content-c3','größen','Byte überall','Alle Stellen gesucht',NULL,NULL,NULL,'["src/a.rs"]','[]',NULL,1,'2026-02-16T04:00:00.000Z',1771214400000,500,NULL,NULL,NULL,NULL,'1');
INSERT INTO "observations" VALUES(1,'mem-content-a1','shop',NULL,'bugfix','Fixed the file watcher','ENOSPC on Linux','["The limit was 8192","Raised to 524288"]','The watcher failed on Linux.','["gotcha","problem-solution"]','["vite.config.ts"]','["vite.config.ts","docs/setup.md"]',1,'2026-02-16T00:00:00.000Z',1771200000000,900,'1fea80c58b8b3ffb','claude-haiku-4-5',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO "observations" VALUES(2,'mem-content-b2','shop',NULL,'feature','Session store in Redis',NULL,'["Keys expire after 30 minutes"]','Sessions moved to Redis.','["how-it-works"]','[]','["src/session/store.rs"]',2,'2026-02-16T01:00:00.000Z',1771203600000,910,'bc94dd8f0d2c5992','claude-haiku-4-5',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO "observations" VALUES(3,'mem-content-c3','größen',NULL,'refactor','Split the store module','Two files','[]','No change of behaviour.','["pattern"]','["src/store.rs"]','["src/store/read.rs","src/store/write.rs"]',1,'2026-02-16T02:00:00.000Z',1771207200000,920,'99dca9a1d3e83a72','claude-haiku-4-5',0,NULL,'Explore',NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO "observations" VALUES(4,'mem-content-a1','shop',NULL,'change','Documentation of the sizes',NULL,'["Größen in Byte"]','Missverständnis am 3. März.','["what-changed"]','["docs/größen.md"]','["docs/größen.md"]',2,'2026-02-16T03:00:00.000Z',1771210800000,930,'9a6cd6d73c704e83','claude-haiku-4-5',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO "observations" VALUES(5,'mem-content-b2','shop',NULL,'discovery','The cache is never warm',NULL,'["0 hits in 400 requests","캐시 적중 0"]','A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details. A long story of the finding with many details.','["why-it-exists","trade-off"]','["src/cache.rs"]','[]',1,'2026-02-16T04:00:00.000Z',1771214400000,940,'dbeffba7ffa456b9','claude-haiku-4-5',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO "observations" VALUES(6,'mem-content-c3','größen',NULL,'decision','Use server side sessions','JWT was removed','["Revocation took 15 minutes"]','Two services need revocation.','["trade-off"]','[]','[]',2,'2026-02-16T05:00:00.000Z',1771218000000,950,'8b2b48139b947a92','claude-haiku-4-5',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO "observations" VALUES(7,'mem-content-a1','shop',NULL,'decision','패스키를 기본으로 사용한다',NULL,'["비밀번호 문의 40 %"]',NULL,'[]','[]','[]',1,'2026-02-16T06:00:00.000Z',1771221600000,960,'b7273e47c7ce5359','claude-haiku-4-5',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO "observations" VALUES(8,'mem-content-b2','shop',NULL,'decision','BM25 first','Vectors later','["0.71 against 0.64"]','Compared on 400 questions.','["trade-off"]','["src/search.py"]','[]',2,'2026-02-16T07:00:00.000Z',1771225200000,970,'5f96d1dfc3f7ae7e','claude-haiku-4-5',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO "observations" VALUES(9,'mem-content-c3','größen',NULL,'security_note','Cookies are SameSite=Lax',NULL,'[]','Worth recording.','["gotcha"]','[]','["src/cookie.rs"]',1,'2026-02-16T08:00:00.000Z',1771228800000,980,'5c747533ccb1803a','claude-haiku-4-5',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO "observations" VALUES(10,'mem-content-a1','shop',NULL,'security_alert','Form accepts any origin','Fix before the release','["No check of the origin"]','Found in review.','["gotcha"]','["src/form.rs"]','[]',2,'2026-02-16T09:00:00.000Z',1771232400000,990,'3b062baaa23e9a2d','claude-haiku-4-5',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO "observations" VALUES(11,'mem-content-b2','shop',NULL,'discovery','Emoji 🚫 𠮷 and "quotes" in a title',NULL,'["it''s","back\\slash","line\nbreak"]','Tab	here.','[]','["a \"b\".rs"]','[]',1,'2026-02-16T10:00:00.000Z',1771236000000,1000,'fee130eb8d0a75b8','claude-haiku-4-5',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO "observations" VALUES(12,'mem-content-c3','größen',NULL,'bugfix','Ошибка: дубли строк','Нет индекса','["Добавлен уникальный индекс"]','Дубли появились после повтора запроса.','["problem-solution"]','[]','["db/schema.sql"]',2,'2026-02-16T11:00:00.000Z',1771239600000,1010,'6731d80d30544275','claude-haiku-4-5',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO "observations" VALUES(14,'manual-shop','shop',NULL,'discovery','Saved by hand',NULL,'[]','We deploy on Tuesdays only.','[]','[]','[]',NULL,'2026-02-17T01:00:00.000Z',1771290000000,0,'88cd9438645f952b',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO "observations" VALUES(15,'manual-shop-claude','shop',NULL,'discovery','Deploy day','Manual memory','[]','Deploys happen on Tuesdays only','[]','[]','[]',NULL,'2026-11-29T05:19:20.148Z',1795929560148,0,'9bdbdf4ca91a6fd6',NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'1');
INSERT INTO "user_prompts" VALUES(1,1,'content-a1',1,'Replace the login','2026-11-29T05:18:01.486Z',1795929481486,NULL,NULL,NULL,'1');
INSERT INTO "user_prompts" VALUES(2,1,'content-a1',2,'Now the tests 🚫 and <b>markup</b>','2026-11-29T05:18:01.486Z',1795929481486,NULL,NULL,NULL,'1');
INSERT INTO "user_prompts" VALUES(3,2,'content-b2',1,'패스키 등록을 추가해 줘','2026-11-29T05:18:01.487Z',1795929481487,NULL,NULL,NULL,'1');
INSERT INTO "user_prompts" VALUES(4,3,'content-c3',1,'Alles in Byte — nie „KB“','2026-11-29T05:18:01.492Z',1795929481492,NULL,NULL,NULL,'1');
INSERT INTO "sync_outbox" VALUES(1,'2ec5804b-46da-47cd-b970-5a5f813c18a8','1','{"op":"set_title","target":{"content_session_id":"content-a1","platform_source":"claude"},"fields":{"custom_title":"Login"}}',NULL,NULL,1795929481475);
INSERT INTO "sync_outbox" VALUES(2,'cc67d391-7538-4ae7-853b-130f51f11fdd','1','{"op":"set_title","target":{"content_session_id":"content-b2","platform_source":"claude"},"fields":{"custom_title":"패스키"}}',NULL,NULL,1795929481487);
COMMIT;
