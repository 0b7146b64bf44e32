-- AIFP of 2025-10 (ef898dd): published schema, rows by hand, see README.md
PRAGMA foreign_keys=OFF;
BEGIN;
CREATE TABLE project (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,              -- e.g., 'MatrixCalculator'
    purpose TEXT NOT NULL,                  -- e.g., 'Build a pure functional matrix math library'
    goals_json TEXT NOT NULL,               -- JSON array, e.g., '["Fast computation", "No OOP"]'
    status TEXT DEFAULT 'active',           -- active, paused, completed, abandoned
    version INTEGER DEFAULT 1,              -- Tracks idea evolution
    blueprint_checksum TEXT,                -- MD5/SHA256 checksum of ProjectBlueprint.md for sync validation
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE files (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    path TEXT NOT NULL UNIQUE,
    language TEXT,                          -- Guessed or set (e.g., 'Python')
    checksum TEXT,                          -- For change detection
    project_id INTEGER NOT NULL,            -- Link to project
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    FOREIGN KEY (project_id) REFERENCES project(id)
);
CREATE TABLE functions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    file_id INTEGER NOT NULL,
    purpose TEXT,
    parameters JSON,                        -- e.g., '["param1: str", "param2: int"]'
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    FOREIGN KEY (file_id) REFERENCES files(id) ON DELETE CASCADE
);
CREATE TABLE types (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    definition_json TEXT NOT NULL, -- JSON schema for ADT (e.g., {"type": "enum", "variants": ["A", "B"]})
    description TEXT,
    linked_function_id INTEGER,                -- Optional: ADT associated with specific function
    project_id INTEGER NOT NULL,
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    FOREIGN KEY (project_id) REFERENCES project(id),
    FOREIGN KEY (linked_function_id) REFERENCES functions(id) ON DELETE SET NULL
);
CREATE TABLE interactions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    source_function_id INTEGER NOT NULL,
    target_function_id INTEGER NOT NULL,
    interaction_type TEXT NOT NULL, -- e.g., 'call', 'chain', 'borrow'
    description TEXT,
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
    project_id INTEGER NOT NULL,            -- Link to project
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    FOREIGN KEY (project_id) REFERENCES project(id)
);
CREATE TABLE flows (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    description TEXT,
    ai_generated BOOLEAN DEFAULT 1,
    confidence_score REAL DEFAULT 0.0,
    project_id INTEGER NOT NULL,            -- Link to project
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    FOREIGN KEY (project_id) REFERENCES project(id)
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
CREATE TABLE infrastructure (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    type TEXT NOT NULL,                    -- e.g., 'language', 'package', 'testing'
    value TEXT,                            -- e.g., 'Python 3.12', 'numpy'
    description TEXT,
    project_id INTEGER NOT NULL,            -- Link to project
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    FOREIGN KEY (project_id) REFERENCES project(id)
);
CREATE TABLE completion_path (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,                    -- e.g., 'setup', 'core dev', 'finish'
    order_index INTEGER NOT NULL,           -- For explicit ordering (1, 2, 3...)
    status TEXT DEFAULT 'pending',          -- pending, in_progress, complete
    description TEXT,
    project_id INTEGER NOT NULL,            -- Link to project
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    FOREIGN KEY (project_id) REFERENCES project(id)
);
CREATE TABLE milestones (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    completion_path_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    status TEXT DEFAULT 'pending',
    description TEXT,
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    FOREIGN KEY (completion_path_id) REFERENCES completion_path(id) ON DELETE CASCADE
);
CREATE TABLE tasks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    milestone_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    status TEXT DEFAULT 'pending',
    priority INTEGER DEFAULT 0,
    description TEXT,
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    FOREIGN KEY (milestone_id) REFERENCES milestones(id) ON DELETE CASCADE
);
CREATE TABLE subtasks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    parent_task_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    status TEXT DEFAULT 'pending',
    priority TEXT DEFAULT 'high', -- Subtasks default to high priority
    description TEXT,
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    FOREIGN KEY (parent_task_id) REFERENCES tasks(id) ON DELETE CASCADE
);
CREATE TABLE sidequests (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    paused_task_id INTEGER NOT NULL,
    paused_subtask_id INTEGER,                 -- Optional: for finer-grained interruption tracking
    name TEXT NOT NULL,
    status TEXT DEFAULT 'pending',
    priority TEXT DEFAULT 'low', -- Sidequests default to low priority
    description TEXT,
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    FOREIGN KEY (paused_task_id) REFERENCES tasks(id) ON DELETE CASCADE,
    FOREIGN KEY (paused_subtask_id) REFERENCES subtasks(id) ON DELETE SET NULL
);
CREATE TABLE items (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    reference_table TEXT NOT NULL CHECK (reference_table IN ('tasks', 'subtask', 'sidequests')),
    reference_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    status TEXT DEFAULT 'pending',
    description TEXT,
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE notes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    content TEXT NOT NULL,
    note_type TEXT NOT NULL,               -- e.g., 'clarification', 'pivot', 'research'
    reference_table TEXT,                   -- e.g., 'items', 'files', 'completion_path'
    reference_id INTEGER,
    source TEXT DEFAULT 'user',             -- 'user', 'ai', 'directive' (who created this note)
    directive_name TEXT,                    -- Optional: directive context if note relates to directive execution
    severity TEXT DEFAULT 'info',           -- 'info', 'warning', 'error'
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE schema_version (
    id INTEGER PRIMARY KEY CHECK (id = 1),      -- Only one row allowed
    version TEXT NOT NULL,                      -- e.g., '1.0'
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP
);
INSERT INTO "project" VALUES(1,'Altes Projekt','An older shop','["Fast"]','active',2,NULL,'2025-10-10 08:00:00','2025-10-11 08:01:00');
INSERT INTO "files" VALUES(1,'src/a.py','python','0000000000000000000000000000000000000000000000000000000000000000',1,'2025-10-11 08:01:00','2025-10-11 08:01:00');
INSERT INTO "files" VALUES(2,'src/größe.py','python','0000000000000000000000000000000000000000000000000000000000000000',1,'2025-10-11 08:01:00','2025-10-11 08:01:00');
INSERT INTO "functions" VALUES(1,'run',1,'Runs','["x: int"]','2025-10-11 08:01:00','2025-10-11 08:01:00');
INSERT INTO "themes" VALUES(1,'Auth','Who may do what',1,0.8,1,'2025-10-11 08:01:00','2025-10-11 08:01:00');
INSERT INTO "themes" VALUES(2,'검색',NULL,1,0.8,1,'2025-10-11 08:01:00','2025-10-11 08:01:00');
INSERT INTO "flows" VALUES(1,'Login','Flow Login',1,0.5,1,'2025-10-11 08:01:00','2025-10-11 08:01:00');
INSERT INTO "flows" VALUES(2,'Query','Flow Query',1,0.5,1,'2025-10-11 08:01:00','2025-10-11 08:01:00');
INSERT INTO "flows" VALUES(3,'Login','Flow Login',1,0.5,1,'2025-10-11 08:01:00','2025-10-11 08:01:00');
INSERT INTO "flow_themes" VALUES(1,1);
INSERT INTO "flow_themes" VALUES(2,2);
INSERT INTO "flow_themes" VALUES(3,1);
INSERT INTO "file_flows" VALUES(1,1);
INSERT INTO "completion_path" VALUES(1,'setup',1,'complete',NULL,1,'2025-10-12 08:02:00','2025-10-12 08:02:00');
INSERT INTO "completion_path" VALUES(2,'core',2,'in_progress',NULL,1,'2025-10-12 08:02:00','2025-10-12 08:02:00');
INSERT INTO "milestones" VALUES(1,1,'Repository','completed','M','2025-10-12 08:02:00','2025-10-13 08:03:00');
INSERT INTO "milestones" VALUES(2,2,'Sessions','in_progress','M','2025-10-12 08:02:00','2025-10-13 08:03:00');
INSERT INTO "tasks" VALUES(1,1,'git init','completed',0,'D','2025-10-13 08:03:00','2025-10-14 08:04:00');
INSERT INTO "tasks" VALUES(2,2,'Store','in_progress',2,'D','2025-10-13 08:03:00','2025-10-14 08:04:00');
INSERT INTO "tasks" VALUES(3,2,'Form größer','blocked',-1,'D','2025-10-13 08:03:00','2025-10-14 08:04:00');
INSERT INTO "subtasks" VALUES(1,2,'Keys','pending','high',NULL,'2025-10-14 08:04:00','2025-10-14 08:04:00');
INSERT INTO "sidequests" VALUES(1,2,1,'Upgrade','pending','low',NULL,'2025-10-14 08:04:00','2025-10-14 08:04:00');
INSERT INTO "items" VALUES(1,'tasks',1,'init','completed',NULL,'2025-10-13 08:03:00','2025-10-13 08:03:00');
INSERT INTO "notes" VALUES(1,'Prices are gross','clarification','tasks',2,'user',NULL,'info','2025-10-15 08:05:00','2025-10-15 08:05:00');
INSERT INTO "notes" VALUES(2,'Web instead of desktop','pivot',NULL,NULL,'user',NULL,'info','2025-10-16 08:06:00','2025-10-16 08:06:00');
INSERT INTO "notes" VALUES(3,'BM25 is enough — größer','research',NULL,NULL,'user',NULL,'info','2025-10-17 08:07:00','2025-10-17 08:07:00');
INSERT INTO "notes" VALUES(4,'The library has no tests','roadblock','files',1,'user',NULL,'info','2025-10-18 08:08:00','2025-10-18 08:08:00');
INSERT INTO "notes" VALUES(5,'Version 2: 검색 added','evolution','project',1,'user',NULL,'info','2025-10-19 08:09:00','2025-10-19 08:09:00');
INSERT INTO "notes" VALUES(6,'free text type','fp_analysis',NULL,NULL,'user',NULL,'info','2025-10-20 08:10:00','2025-10-20 08:10:00');
INSERT INTO "schema_version" VALUES(1,'1.0','2026-11-29 05:24:26');
CREATE TRIGGER update_project_timestamp
AFTER UPDATE ON project
FOR EACH ROW
BEGIN
    UPDATE project SET updated_at = CURRENT_TIMESTAMP WHERE id = OLD.id;
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
COMMIT;
