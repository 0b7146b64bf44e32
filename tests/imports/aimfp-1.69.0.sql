-- AIMFP (AIFP) 1.69.0: .aimfp-project/project.db made by its own server, see README.md
PRAGMA foreign_keys=OFF;
BEGIN;
CREATE TABLE project (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,              -- e.g., 'MatrixCalculator'
    purpose TEXT NOT NULL,                  -- e.g., 'Build a pure functional matrix math library'
    goals_json TEXT NOT NULL,               -- JSON array, e.g., '["Fast computation", "No OOP"]'
    status TEXT DEFAULT 'active' CHECK (status IN ('active', 'paused', 'completed', 'abandoned')),
    version INTEGER DEFAULT 1,              -- Tracks idea evolution
    user_directives_status TEXT DEFAULT NULL CHECK (user_directives_status IN (NULL, 'pending_discovery', 'pending_parse', 'in_progress', 'active', 'disabled')),
                                            -- NULL: Case 1 (no user directives), 'pending_discovery': Case 2 selected during discovery,
                                            -- 'pending_parse': waiting for directive files, 'in_progress': building automation code,
                                            -- 'active': directives running, 'disabled': paused
    last_known_git_hash TEXT,               -- Last Git commit hash processed by AIMFP (for external change detection)
    last_git_sync DATETIME,                 -- Last time Git state was synchronized
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE infrastructure (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    type TEXT NOT NULL,                    -- e.g., 'language', 'package', 'testing'
    value TEXT,                            -- e.g., 'Python 3.12', 'numpy'
    description TEXT,
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE files (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT,                              -- File name (e.g., 'calculator_id_42.py' or 'calculator.py' if id_in_name=0)
    path TEXT NOT NULL UNIQUE,              -- Full file path
    language TEXT,                          -- Guessed or set (e.g., 'Python')
    is_reserved BOOLEAN DEFAULT 0,          -- TRUE during reservation, FALSE after finalization
    id_in_name BOOLEAN DEFAULT 1,           -- TRUE if name contains _id_XX pattern, FALSE if ID naming skipped
    no_flow_reason TEXT,                    -- Explicit opt-out from file_flows (e.g. 'config file'); NULL = file must have flows
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE functions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    entity_key TEXT UNIQUE,                 -- Stable cross-clone identity for semantic merge (minted at creation)
    name TEXT NOT NULL,                     -- Function name (not unique — language enforces per-file uniqueness)
    file_id INTEGER NOT NULL,
    purpose TEXT,
    parameters JSON,                        -- e.g., '["param1: str", "param2: int"]'
    returns JSON,                           -- e.g., '{"type": "int", "description": "Sum of inputs"}'
    is_reserved BOOLEAN DEFAULT 0,          -- TRUE during reservation, FALSE after finalization
    id_in_name BOOLEAN DEFAULT 1,           -- TRUE if name contains _id_XX pattern, FALSE if ID naming skipped
    source_hash TEXT,                       -- Code hash when purpose/parameters/returns were last written (NULL = never baselined)
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    FOREIGN KEY (file_id) REFERENCES files(id) ON DELETE CASCADE
);
CREATE TABLE types (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    entity_key TEXT UNIQUE,                     -- Stable cross-clone identity for semantic merge (minted at creation)
    name TEXT NOT NULL,
    file_id INTEGER,                            -- File where type is defined
    definition_json TEXT NOT NULL,              -- JSON schema for ADT (e.g., {"type": "enum", "variants": ["A", "B"]})
    description TEXT,
    links TEXT,                                 -- JSON string for type relationships/links
    is_reserved BOOLEAN DEFAULT 0,              -- TRUE during reservation, FALSE after finalization
    id_in_name BOOLEAN DEFAULT 1,               -- TRUE if name contains _id_XX pattern, FALSE if ID naming skipped
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    FOREIGN KEY (file_id) REFERENCES files(id) ON DELETE CASCADE
);
CREATE TABLE types_functions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    type_id INTEGER NOT NULL,
    function_id INTEGER NOT NULL,
    role TEXT CHECK (role IN ('factory', 'transformer', 'operator', 'pattern_matcher', 'accessor', 'validator', 'combinator')),
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    UNIQUE(type_id, function_id, role),
    FOREIGN KEY (type_id) REFERENCES types(id) ON DELETE CASCADE,
    FOREIGN KEY (function_id) REFERENCES functions(id) ON DELETE CASCADE
);
CREATE TABLE audit_exemptions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    category TEXT NOT NULL CHECK (category IN ('stale_functions', 'param_mismatch', 'incomplete_functions',
                                               'malformed_json', 'dangling_mentions', 'stale_types',
                                               'incomplete_types')),
    function_id INTEGER,
    type_id INTEGER,
    reason TEXT NOT NULL,                   -- Why the finding is not drift (shown with every exempted finding)
    code_hash TEXT,                         -- Function code hash when exempted; a code change lapses the exemption
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    CHECK ((function_id IS NULL) != (type_id IS NULL)),
    FOREIGN KEY (function_id) REFERENCES functions(id) ON DELETE CASCADE,
    FOREIGN KEY (type_id) REFERENCES types(id) ON DELETE CASCADE
);
CREATE TABLE interactions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    source_function_id INTEGER NOT NULL,
    target_function_id INTEGER NOT NULL,
    interaction_type TEXT NOT NULL CHECK (interaction_type IN ('call', 'chain', 'borrow', 'compose', 'pipe')),
    description TEXT,
    is_indirect BOOLEAN DEFAULT 0,          -- Deliberate edge the code makes indirectly (dispatch table, chain link); audits never flag it stale
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    FOREIGN KEY (source_function_id) REFERENCES functions(id) ON DELETE CASCADE,
    FOREIGN KEY (target_function_id) REFERENCES functions(id) ON DELETE CASCADE
);
CREATE TABLE themes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    description TEXT,
    ai_generated BOOLEAN DEFAULT 1,
    confidence_score REAL DEFAULT 0.0,      -- 0-1
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE flows (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    description TEXT,
    ai_generated BOOLEAN DEFAULT 1,
    confidence_score REAL DEFAULT 0.0,
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE flow_themes (
    flow_id INTEGER,
    theme_id INTEGER,
    PRIMARY KEY (flow_id, theme_id),
    FOREIGN KEY (flow_id) REFERENCES flows(id) ON DELETE CASCADE,
    FOREIGN KEY (theme_id) REFERENCES themes(id) ON DELETE CASCADE
);
CREATE TABLE file_flows (
    file_id INTEGER,
    flow_id INTEGER,
    PRIMARY KEY (file_id, flow_id),
    FOREIGN KEY (file_id) REFERENCES files(id) ON DELETE CASCADE,
    FOREIGN KEY (flow_id) REFERENCES flows(id) ON DELETE CASCADE
);
CREATE TABLE completion_path (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,                    -- e.g., 'setup', 'core dev', 'finish'
    order_index INTEGER NOT NULL,           -- For explicit ordering (1, 2, 3...)
    status TEXT DEFAULT 'pending' CHECK (status IN ('pending', 'in_progress', 'completed')),
    description TEXT,
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE milestones (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    slug TEXT UNIQUE,                       -- Stable cross-clone identity for semantic merge (minted at creation)
    completion_path_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    status TEXT DEFAULT 'pending' CHECK (status IN ('pending', 'in_progress', 'completed', 'blocked')),
    description TEXT,
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    FOREIGN KEY (completion_path_id) REFERENCES completion_path(id) ON DELETE CASCADE
);
CREATE TABLE completion_path_themes (
    completion_path_id INTEGER NOT NULL,
    theme_id INTEGER NOT NULL,
    PRIMARY KEY (completion_path_id, theme_id),
    FOREIGN KEY (completion_path_id) REFERENCES completion_path(id) ON DELETE CASCADE,
    FOREIGN KEY (theme_id) REFERENCES themes(id) ON DELETE CASCADE
);
CREATE TABLE milestone_flows (
    milestone_id INTEGER NOT NULL,
    flow_id INTEGER NOT NULL,
    PRIMARY KEY (milestone_id, flow_id),
    FOREIGN KEY (milestone_id) REFERENCES milestones(id) ON DELETE CASCADE,
    FOREIGN KEY (flow_id) REFERENCES flows(id) ON DELETE CASCADE
);
CREATE TABLE tasks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    slug TEXT UNIQUE,                       -- Stable cross-clone identity for semantic merge (minted at creation)
    milestone_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    status TEXT DEFAULT 'pending' CHECK (status IN ('pending', 'in_progress', 'completed', 'blocked')),
    priority TEXT DEFAULT 'medium' CHECK (priority IN ('low', 'medium', 'high', 'critical')),
    description TEXT,
    flow_ids TEXT,                          -- JSON array: [1, 3, 5] - flows this task works on
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    FOREIGN KEY (milestone_id) REFERENCES milestones(id) ON DELETE CASCADE
);
CREATE TABLE subtasks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    slug TEXT UNIQUE,                       -- Stable cross-clone identity for semantic merge (minted at creation)
    parent_task_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    status TEXT DEFAULT 'pending' CHECK (status IN ('pending', 'in_progress', 'completed', 'blocked')),
    priority TEXT DEFAULT 'high' CHECK (priority IN ('low', 'medium', 'high', 'critical')),
    description TEXT,
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    FOREIGN KEY (parent_task_id) REFERENCES tasks(id) ON DELETE CASCADE
);
CREATE TABLE sidequests (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    slug TEXT UNIQUE,                          -- Stable cross-clone identity for semantic merge (minted at creation)
    paused_task_id INTEGER NOT NULL,
    paused_subtask_id INTEGER,                 -- Optional: for finer-grained interruption tracking
    name TEXT NOT NULL,
    status TEXT DEFAULT 'pending' CHECK (status IN ('pending', 'in_progress', 'completed')),
    priority TEXT DEFAULT 'critical' CHECK (priority IN ('low', 'medium', 'high', 'critical')),
    description TEXT,
    flow_ids TEXT,                             -- JSON array: [1, 3, 5] - flows this sidequest works on
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    FOREIGN KEY (paused_task_id) REFERENCES tasks(id) ON DELETE CASCADE,
    FOREIGN KEY (paused_subtask_id) REFERENCES subtasks(id) ON DELETE SET NULL
);
CREATE TABLE items (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    slug TEXT UNIQUE,                       -- Stable cross-clone identity for semantic merge (minted at creation)
    reference_table TEXT NOT NULL CHECK (reference_table IN ('tasks', 'subtasks', 'sidequests')),
    reference_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    status TEXT DEFAULT 'pending' CHECK (status IN ('pending', 'in_progress', 'completed')),
    description TEXT,
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE notes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    content TEXT NOT NULL,
    note_type TEXT NOT NULL CHECK (note_type IN (
        -- Original types (kept for compatibility)
        'clarification', 'pivot', 'research', 'entry_deletion', 'warning', 'error', 'info', 'auto_summary',
        -- New semantic types for better categorization
        'decision',        -- User decisions, confirmations (broader than clarification)
        'evolution',       -- Project direction changes, architecture shifts (broader than pivot)
        'analysis',        -- AI research, findings, reasoning (broader than research)
        'task_context',    -- Task/milestone/sidequest lifecycle context
        'external',        -- Git changes, dependency updates, file system events
        'summary',         -- Manual summaries (distinct from auto_summary which is automated)
        -- Deferred work tracking
        'deferred',        -- Placeholder code, TODOs, stubs, intentionally incomplete work
        'completed',       -- Resolved deferred items, closed follow-ups
        'obsolete'         -- Deferred items no longer relevant (code refactored, task re-scoped)
    )),
    reference_table TEXT,                   -- e.g., 'items', 'files', 'completion_path'
    reference_id INTEGER,
    source TEXT DEFAULT 'ai' CHECK (source IN ('ai', 'user', 'directive')),
    directive_name TEXT,                    -- Optional: directive context if note relates to directive execution
    severity TEXT DEFAULT 'info' CHECK (severity IN ('info', 'warning', 'error')),
    send_with_directive BOOLEAN DEFAULT 0,  -- If TRUE and directive_name set, include note in directive retrieval
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE modules (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,                  -- e.g., 'wallet_connection', 'validation', 'cart_management'
    path TEXT NOT NULL UNIQUE,                  -- Directory path relative to source root (e.g., 'src/wallet_connection/')
    description TEXT,                           -- What this module does
    purpose TEXT,                               -- Domain concern this module owns (one sentence)
    external_dependencies JSON,                 -- Libraries/services this module wraps (e.g., '["walletconnect", "stripe"]')
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE task_files (
    reference_table TEXT NOT NULL CHECK (reference_table IN ('tasks', 'subtasks', 'sidequests')),
    reference_id INTEGER NOT NULL,
    file_id INTEGER NOT NULL,
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    PRIMARY KEY (reference_table, reference_id, file_id),
    FOREIGN KEY (file_id) REFERENCES files(id) ON DELETE CASCADE
);
CREATE TABLE module_files (
    module_id INTEGER NOT NULL,
    file_id INTEGER NOT NULL,
    PRIMARY KEY (module_id, file_id),
    FOREIGN KEY (module_id) REFERENCES modules(id) ON DELETE CASCADE,
    FOREIGN KEY (file_id) REFERENCES files(id) ON DELETE CASCADE
);
CREATE TABLE work_branches (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    branch_name TEXT UNIQUE NOT NULL,           -- e.g., 'aimfp-alice-001', 'aimfp-ai-claude-001'
    user_name TEXT NOT NULL,                    -- e.g., 'alice', 'ai-claude'
    purpose TEXT NOT NULL,                      -- e.g., 'Implement matrix operations'
    status TEXT DEFAULT 'active' CHECK (status IN ('active', 'merged', 'abandoned')),
    created_from TEXT DEFAULT 'main',           -- Parent branch (usually 'main')
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    merged_at DATETIME NULL,                    -- When branch was merged
    merge_conflicts_count INTEGER DEFAULT 0,    -- Number of conflicts during merge
    merge_resolution_strategy TEXT,             -- JSON: how conflicts were resolved (FP purity, tests, manual)
    metadata_json TEXT                          -- Additional branch metadata (themes, flows, tasks)
);
CREATE TABLE merge_history (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    source_branch TEXT NOT NULL,                -- Branch being merged (e.g., 'aimfp-alice-001')
    target_branch TEXT DEFAULT 'main',          -- Branch being merged into (usually 'main')
    merge_timestamp DATETIME DEFAULT CURRENT_TIMESTAMP,
    conflicts_detected INTEGER DEFAULT 0,       -- Total conflicts detected
    conflicts_auto_resolved INTEGER DEFAULT 0,  -- Conflicts AI auto-resolved using FP purity
    conflicts_manual_resolved INTEGER DEFAULT 0,-- Conflicts user manually resolved
    resolution_details TEXT,                    -- JSON: detailed resolution log (function-by-function)
    merged_by TEXT,                             -- User or AI instance that performed merge
    merge_commit_hash TEXT                      -- Git commit hash of merge
);
CREATE TABLE schema_version (
    id INTEGER PRIMARY KEY CHECK (id = 1),      -- Only one row allowed
    version TEXT NOT NULL,                      -- e.g., '1.3'
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP
);
INSERT INTO "project" VALUES(1,'Beispiel Größe','A shop with sessions and search','["Fast search", "No passwords", "\u65e5\u672c\u8a9e\u306e\u76ee\u6a19"]','active',1,NULL,NULL,'2026-11-29 05:16:50','2026-11-29 05:16:50','2026-11-29 05:16:50');
INSERT INTO "infrastructure" VALUES(1,'project_root','/home/user/beispiel','Full path to project root directory (e.g., /home/user/my-project)','2026-11-29 05:16:50','2026-11-29 05:22:07');
INSERT INTO "infrastructure" VALUES(2,'source_directory','','Primary source code directory, RELATIVE to project_root (e.g., src). Stored relative so it resolves against the live worktree root; absolute values are auto-relativized.','2026-11-29 05:16:50','2026-11-29 05:22:07');
INSERT INTO "infrastructure" VALUES(3,'primary_language','','Main programming language (e.g., Python 3.11, Rust 1.75, Node 18)','2026-11-29 05:16:50','2026-11-29 05:22:07');
INSERT INTO "infrastructure" VALUES(4,'build_tool','','Primary build tool (e.g., cargo, npm, make, maven, gradle)','2026-11-29 05:16:50','2026-11-29 05:22:07');
INSERT INTO "infrastructure" VALUES(5,'package_manager','','Package/dependency manager (e.g., pip, npm, cargo, maven)','2026-11-29 05:16:50','2026-11-29 05:22:07');
INSERT INTO "infrastructure" VALUES(6,'test_framework','','Testing framework (e.g., pytest, jest, cargo test, junit)','2026-11-29 05:16:50','2026-11-29 05:22:07');
INSERT INTO "infrastructure" VALUES(7,'runtime_version','','Language runtime or compiler version (e.g., Python 3.11.2, rustc 1.75.0)','2026-11-29 05:16:50','2026-11-29 05:22:07');
INSERT INTO "infrastructure" VALUES(8,'main_branch','main','Primary git branch name (main or master)','2026-11-29 05:16:50','2026-11-29 05:22:07');
INSERT INTO "files" VALUES(1,'session.py','src/auth/session.py','python',0,0,NULL,'2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "files" VALUES(2,'passkey.py','src/auth/passkey.py','python',0,0,NULL,'2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "files" VALUES(3,'search.py','src/search.py','python',0,0,NULL,'2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "files" VALUES(4,'größe.py','src/größe.py','python',0,0,NULL,'2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "themes" VALUES(1,'Authentication','Everything about who may do what',1,0.9,'2026-11-29 05:16:50','2026-11-29 05:16:50');
INSERT INTO "themes" VALUES(2,'Search','Finding things',1,0.75,'2026-11-29 05:16:50','2026-11-29 05:16:50');
INSERT INTO "themes" VALUES(3,'Переводы','Тексты на нескольких языках',0,1.0,'2026-11-29 05:16:50','2026-11-29 05:16:50');
INSERT INTO "flows" VALUES(1,'Login flow','From the form to the session',1,0.6,'2026-11-29 05:16:50','2026-11-29 05:16:50');
INSERT INTO "flows" VALUES(2,'Passkey registration','패스키 등록',1,0.6,'2026-11-29 05:16:50','2026-11-29 05:16:50');
INSERT INTO "flows" VALUES(3,'Query flow','Parse, rank, answer',1,0.6,'2026-11-29 05:16:50','2026-11-29 05:16:50');
INSERT INTO "flows" VALUES(4,'Index flow',NULL,1,0.6,'2026-11-29 05:16:50','2026-11-29 05:16:50');
INSERT INTO "flow_themes" VALUES(1,1);
INSERT INTO "flow_themes" VALUES(2,1);
INSERT INTO "flow_themes" VALUES(2,3);
INSERT INTO "flow_themes" VALUES(3,2);
INSERT INTO "flow_themes" VALUES(4,2);
INSERT INTO "file_flows" VALUES(1,1);
INSERT INTO "file_flows" VALUES(2,2);
INSERT INTO "file_flows" VALUES(3,3);
INSERT INTO "completion_path" VALUES(1,'setup',1,'completed','Stage setup','2026-11-29 05:16:50','2026-11-29 05:16:51');
INSERT INTO "completion_path" VALUES(2,'core development',2,'in_progress','Stage core development','2026-11-29 05:16:50','2026-11-29 05:16:51');
INSERT INTO "completion_path" VALUES(3,'finish',3,'pending','Stage finish','2026-11-29 05:16:50','2026-11-29 05:16:50');
INSERT INTO "milestones" VALUES(1,'milestone-repository-and-ci-5624ed67',1,'Repository and CI','completed','Milestone Repository and CI','2026-11-29 05:16:50','2026-11-29 05:16:51');
INSERT INTO "milestones" VALUES(2,'milestone-sessions-in-redis-590210b0',2,'Sessions in Redis','in_progress','Milestone Sessions in Redis','2026-11-29 05:16:50','2026-11-29 05:16:51');
INSERT INTO "milestones" VALUES(3,'milestone-suche-auf-deutsch-gr-er-cbdf3bac',2,'Suche auf Deutsch — „größer“','pending','Milestone Suche auf Deutsch — „größer“','2026-11-29 05:16:50','2026-11-29 05:16:50');
INSERT INTO "milestones" VALUES(4,'milestone-release-1-0-fac4bd70',3,'Release 1.0','pending','Milestone Release 1.0','2026-11-29 05:16:50','2026-11-29 05:16:50');
INSERT INTO "completion_path_themes" VALUES(1,1);
INSERT INTO "completion_path_themes" VALUES(2,1);
INSERT INTO "completion_path_themes" VALUES(2,2);
INSERT INTO "milestone_flows" VALUES(2,1);
INSERT INTO "milestone_flows" VALUES(2,2);
INSERT INTO "milestone_flows" VALUES(3,3);
INSERT INTO "milestone_flows" VALUES(3,4);
INSERT INTO "tasks" VALUES(1,'task-create-the-repository-4ee2fbf1',1,'Create the repository','completed','high','Do: Create the repository',NULL,'2026-11-29 05:16:50','2026-11-29 05:16:51');
INSERT INTO "tasks" VALUES(2,'task-session-store-81e2d72e',2,'Session store','in_progress','critical','Do: Session store','[1]','2026-11-29 05:16:50','2026-11-29 05:16:51');
INSERT INTO "tasks" VALUES(3,'task-passkey-form-cea5999c',2,'Passkey form','blocked','medium','Do: Passkey form','[2]','2026-11-29 05:16:50','2026-11-29 05:16:51');
INSERT INTO "tasks" VALUES(4,'task-ranking-917594b1',3,'Ranking','pending','medium','Do: Ranking','[3]','2026-11-29 05:16:50','2026-11-29 05:16:50');
INSERT INTO "tasks" VALUES(5,'task-index-of-the-catalogue-89adbb2f',3,'Index of the catalogue','pending','low','Do: Index of the catalogue','[4]','2026-11-29 05:16:50','2026-11-29 05:16:50');
INSERT INTO "tasks" VALUES(6,'task-write-the-notes-of-the-release-db163972',4,'Write the notes of the release','pending','low','Do: Write the notes of the release',NULL,'2026-11-29 05:16:50','2026-11-29 05:16:50');
INSERT INTO "subtasks" VALUES(1,'subtask-schema-of-the-keys-6fc1684c',2,'Schema of the keys','completed','high','Subtask: Schema of the keys','2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "subtasks" VALUES(2,'subtask-expiry-3b39c7d5',2,'Expiry','pending','high','Subtask: Expiry','2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "subtasks" VALUES(3,'subtask-bm25-5987f971',4,'BM25','pending','high','Subtask: BM25','2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "sidequests" VALUES(1,'sidequest-redis-upgrade-breaks-the-tests-9babbeb5',2,2,'Redis upgrade breaks the tests','in_progress','critical','Sidequest',NULL,'2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "sidequests" VALUES(2,'sidequest-fix-the-analyser-for-672ea725',4,NULL,'Fix the analyser for ß','pending','critical','Sidequest',NULL,'2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "items" VALUES(1,'item-git-init-5bffbde1','tasks',1,'git init','completed',NULL,'2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "items" VALUES(2,'item-ci-file-833d477c','tasks',1,'CI file','completed','One job','2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "items" VALUES(3,'item-choose-the-prefix-6937f7f2','subtasks',1,'Choose the prefix','pending',NULL,'2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "items" VALUES(4,'item-pin-version-7-287bd76f','sidequests',1,'Pin version 7','pending',NULL,'2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "notes" VALUES(1,'ProjectBlueprint.md created at init. Needs to be populated with project blueprint data by AI after discussing details of the project with user.','evolution',NULL,NULL,'directive','aimfp_init','info',0,'2026-11-29 05:16:50','2026-11-29 05:16:50');
INSERT INTO "notes" VALUES(2,'Sessions live in Redis; JWT was removed.','decision','tasks',2,'user',NULL,'info',0,'2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "notes" VALUES(3,'검색은 BM25로 한다. 벡터는 나중에.','decision','flows',3,'user',NULL,'info',0,'2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "notes" VALUES(4,'Use passkeys by default — „Passwort vergessen“ entfällt.','decision','themes',1,'user',NULL,'info',0,'2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "notes" VALUES(5,'From a desktop program to a web shop.','pivot',NULL,NULL,'user',NULL,'warning',0,'2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "notes" VALUES(6,'The search moves into its own module.','evolution',NULL,NULL,'ai',NULL,'info',0,'2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "notes" VALUES(7,'Prices are gross, in cents.','clarification',NULL,NULL,'user',NULL,'info',0,'2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "notes" VALUES(8,'Compared BM25 and TF-IDF on 400 questions: 0.71 against 0.64.','research','tasks',4,'ai',NULL,'info',0,'2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "notes" VALUES(9,'A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking. A long analysis of the ranking.','analysis','tasks',4,'ai',NULL,'info',0,'2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "notes" VALUES(10,'The analyser splits ß; results differ between ss and ß.','warning','sidequests',2,'ai',NULL,'warning',0,'2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "notes" VALUES(11,'Index build failed: out of memory at 2 GB.
Fixed by batches of 1,000.','error','tasks',5,'ai',NULL,'error',0,'2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "notes" VALUES(12,'CI takes 4 minutes.','info',NULL,NULL,'ai',NULL,'info',0,'2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "notes" VALUES(13,'Session 3: 2 tasks done.','auto_summary',NULL,NULL,'ai',NULL,'info',0,'2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "notes" VALUES(14,'Paused because of the Redis upgrade.','task_context','tasks',2,'ai',NULL,'info',0,'2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "notes" VALUES(15,'Redis 8 was released 🚀','external',NULL,NULL,'ai',NULL,'info',0,'2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "notes" VALUES(16,'Week 12: sessions done, search half done.','summary','milestones',2,'user',NULL,'info',0,'2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "notes" VALUES(17,'Rate limits of the login are a stub.','deferred','files',1,'ai',NULL,'warning',0,'2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "notes" VALUES(18,'Rate limits done.','completed','files',1,'ai',NULL,'info',0,'2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "notes" VALUES(19,'The desktop installer is no longer needed.','obsolete',NULL,NULL,'user',NULL,'info',0,'2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "notes" VALUES(20,'Always ask before renaming a public function.','clarification',NULL,NULL,'user','project_file_write','info',1,'2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "modules" VALUES(1,'auth','src/auth/','Who may do what','Own the sessions','["redis"]','2026-11-29 05:16:51','2026-11-29 05:16:51');
INSERT INTO "task_files" VALUES('sidequests',1,1,'2026-11-29 05:16:51');
INSERT INTO "task_files" VALUES('sidequests',1,2,'2026-11-29 05:16:51');
INSERT INTO "task_files" VALUES('sidequests',1,3,'2026-11-29 05:16:51');
INSERT INTO "task_files" VALUES('sidequests',1,4,'2026-11-29 05:16:51');
INSERT INTO "schema_version" VALUES(1,'1.16','2026-11-29 05:16:50');
CREATE TRIGGER update_project_timestamp
AFTER UPDATE ON project
FOR EACH ROW
BEGIN
    UPDATE project SET updated_at = CURRENT_TIMESTAMP WHERE id = OLD.id;
END;
CREATE TRIGGER update_infrastructure_timestamp
AFTER UPDATE ON infrastructure
FOR EACH ROW
BEGIN
    UPDATE infrastructure SET updated_at = CURRENT_TIMESTAMP WHERE id = OLD.id;
END;
CREATE TRIGGER update_files_timestamp
AFTER UPDATE ON files
FOR EACH ROW
BEGIN
    UPDATE files SET updated_at = CURRENT_TIMESTAMP WHERE id = OLD.id;
END;
CREATE TRIGGER update_functions_timestamp
AFTER UPDATE ON functions
FOR EACH ROW
BEGIN
    UPDATE functions SET updated_at = CURRENT_TIMESTAMP WHERE id = OLD.id;
END;
CREATE TRIGGER update_types_timestamp
AFTER UPDATE ON types
FOR EACH ROW
BEGIN
    UPDATE types SET updated_at = CURRENT_TIMESTAMP WHERE id = OLD.id;
END;
CREATE TRIGGER update_interactions_timestamp
AFTER UPDATE ON interactions
FOR EACH ROW
BEGIN
    UPDATE interactions SET updated_at = CURRENT_TIMESTAMP WHERE id = OLD.id;
END;
CREATE TRIGGER update_themes_timestamp
AFTER UPDATE ON themes
FOR EACH ROW
BEGIN
    UPDATE themes SET updated_at = CURRENT_TIMESTAMP WHERE id = OLD.id;
END;
CREATE TRIGGER update_flows_timestamp
AFTER UPDATE ON flows
FOR EACH ROW
BEGIN
    UPDATE flows SET updated_at = CURRENT_TIMESTAMP WHERE id = OLD.id;
END;
CREATE TRIGGER update_completion_path_timestamp
AFTER UPDATE ON completion_path
FOR EACH ROW
BEGIN
    UPDATE completion_path SET updated_at = CURRENT_TIMESTAMP WHERE id = OLD.id;
END;
CREATE TRIGGER update_milestones_timestamp
AFTER UPDATE ON milestones
FOR EACH ROW
BEGIN
    UPDATE milestones SET updated_at = CURRENT_TIMESTAMP WHERE id = OLD.id;
END;
CREATE TRIGGER update_tasks_timestamp
AFTER UPDATE ON tasks
FOR EACH ROW
BEGIN
    UPDATE tasks SET updated_at = CURRENT_TIMESTAMP WHERE id = OLD.id;
END;
CREATE TRIGGER update_subtasks_timestamp
AFTER UPDATE ON subtasks
FOR EACH ROW
BEGIN
    UPDATE subtasks SET updated_at = CURRENT_TIMESTAMP WHERE id = OLD.id;
END;
CREATE TRIGGER update_sidequests_timestamp
AFTER UPDATE ON sidequests
FOR EACH ROW
BEGIN
    UPDATE sidequests SET updated_at = CURRENT_TIMESTAMP WHERE id = OLD.id;
END;
CREATE TRIGGER update_items_timestamp
AFTER UPDATE ON items
FOR EACH ROW
BEGIN
    UPDATE items SET updated_at = CURRENT_TIMESTAMP WHERE id = OLD.id;
END;
CREATE TRIGGER update_notes_timestamp
AFTER UPDATE ON notes
FOR EACH ROW
BEGIN
    UPDATE notes SET updated_at = CURRENT_TIMESTAMP WHERE id = OLD.id;
END;
CREATE TRIGGER update_modules_timestamp
AFTER UPDATE ON modules
FOR EACH ROW
BEGIN
    UPDATE modules SET updated_at = CURRENT_TIMESTAMP WHERE id = OLD.id;
END;
CREATE TRIGGER delete_task_items
AFTER DELETE ON tasks
FOR EACH ROW
BEGIN
    DELETE FROM items WHERE reference_table='tasks' AND reference_id=OLD.id;
END;
CREATE TRIGGER delete_subtask_items
AFTER DELETE ON subtasks
FOR EACH ROW
BEGIN
    DELETE FROM items WHERE reference_table='subtasks' AND reference_id=OLD.id;
END;
CREATE TRIGGER delete_sidequest_items
AFTER DELETE ON sidequests
FOR EACH ROW
BEGIN
    DELETE FROM items WHERE reference_table='sidequests' AND reference_id=OLD.id;
END;
CREATE TRIGGER delete_task_task_files
AFTER DELETE ON tasks
FOR EACH ROW
BEGIN
    DELETE FROM task_files WHERE reference_table='tasks' AND reference_id=OLD.id;
END;
CREATE TRIGGER delete_subtask_task_files
AFTER DELETE ON subtasks
FOR EACH ROW
BEGIN
    DELETE FROM task_files WHERE reference_table='subtasks' AND reference_id=OLD.id;
END;
CREATE TRIGGER delete_sidequest_task_files
AFTER DELETE ON sidequests
FOR EACH ROW
BEGIN
    DELETE FROM task_files WHERE reference_table='sidequests' AND reference_id=OLD.id;
END;
COMMIT;
