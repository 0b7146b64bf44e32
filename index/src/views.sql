-- The routes with the prefixes under which other files serve their routers; a route that is served
-- under several prefixes has several rows.
CREATE VIEW routes AS
  WITH RECURSIVE served(id, router, scope, prefix, base, depth) AS (
    SELECT id, router, scope, '', base, 0 FROM declared_routes
    UNION
    SELECT s.id, m.router, m.scope, m.prefix || s.prefix,
      CASE WHEN s.depth = 0 AND m.replaces THEN '' ELSE s.base END, s.depth + 1
    FROM served s JOIN mounts m ON m.target = CASE
      WHEN EXISTS (SELECT 1 FROM mounts o WHERE o.target = s.router) THEN s.router ELSE s.scope END
    WHERE s.depth < 6
  ),
  complete(id, prefix) AS (
    SELECT id, prefix || base FROM served s
    WHERE NOT EXISTS (SELECT 1 FROM mounts m WHERE m.target IN (s.router, s.scope))
  )
  SELECT d.id, d.file, d.line, d.method,
    CASE WHEN d.path = '/' AND coalesce(c.prefix, d.base) <> '' THEN coalesce(c.prefix, d.base)
      ELSE coalesce(c.prefix, d.base) || d.path END AS path,
    d.framework, d.handler
  FROM declared_routes d LEFT JOIN complete c ON c.id = d.id;
-- Views under the names of the AIFP project database, so that its queries run on the index.
CREATE VIEW project AS
  SELECT 1 AS id, value AS name, NULL AS purpose, '[]' AS goals_json, 'active' AS status,
    1 AS version, NULL AS user_directives_status, NULL AS blueprint_checksum,
    NULL AS last_known_git_hash, NULL AS last_git_sync, NULL AS created_at, NULL AS updated_at
  FROM meta WHERE key = 'project';
CREATE VIEW functions AS
  SELECT s.id, s.name, s.file AS file_id, s.doc AS purpose, coalesce(s.parameters, '[]') AS parameters,
    s.return_type, s.return_type AS returns, coalesce(p.purity_level, 'unknown') AS purity_level,
    p.side_effects AS side_effects_json, s.complexity, NULL AS created_at, NULL AS updated_at
  FROM symbols s LEFT JOIN purity p ON p.symbol = s.id WHERE s.kind IN ('function', 'method', 'macro');
CREATE VIEW types AS
  SELECT s.id, s.name, s.file AS file_id, s.kind, s.doc AS description,
    json_object('kind', s.kind, 'name', s.qualified, 'signature', s.signature) AS definition_json,
    NULL AS linked_function_id, 1 AS project_id, NULL AS created_at, NULL AS updated_at
  FROM symbols s WHERE s.kind IN ('class', 'component', 'interface', 'struct', 'enum', 'trait', 'type')
    OR s.kind = 'module' AND s.key LIKE '%.rb#%';
CREATE VIEW interactions AS
  SELECT r.id, r.source AS source_function_id, r.target AS target_function_id,
    r.kind AS interaction_type, NULL AS description, NULL AS created_at, NULL AS updated_at
  FROM refs r WHERE r.certainty = 'proved' AND r.source IS NOT NULL AND r.target IS NOT NULL
  UNION ALL
  -- What accesses the network or a database has no target in the project.
  SELECT -a.id, a.symbol, NULL,
    CASE a.certainty WHEN 'proved' THEN a.kind ELSE 'possible ' || a.kind END, a.code, NULL, NULL
  FROM accesses a WHERE a.symbol IS NOT NULL;
-- A theme is a directory; its confidence is the share of proved references that stay in the directory.
CREATE VIEW themes AS
  SELECT min(f.id) AS id, f.theme AS name, count(*) || ' files' AS description,
    1 AS ai_generated,
    coalesce((SELECT round(avg(t.theme = f.theme), 2) FROM files a
      JOIN refs r ON r.file = a.id AND r.target IS NOT NULL
      JOIN symbols s ON s.id = r.target JOIN files t ON t.id = s.file
      WHERE a.theme = f.theme), 0.0) AS confidence_score,
    1 AS project_id, NULL AS created_at, NULL AS updated_at
  FROM files f GROUP BY f.theme;
-- A flow begins at the handler of a route, or at a function named main.
CREATE VIEW flows AS
  WITH handled(handler, name, first) AS MATERIALIZED (
    SELECT handler, method || ' ' || path, min(id) FROM routes
    WHERE handler IS NOT NULL GROUP BY handler
  )
  SELECT s.id, coalesce(h.name, s.qualified) AS name,
    s.doc AS description, 1 AS ai_generated, 1.0 AS confidence_score, 1 AS project_id,
    NULL AS created_at, NULL AS updated_at
  FROM symbols s JOIN files f ON f.id = s.file LEFT JOIN handled h ON h.handler = s.id
  WHERE h.handler IS NOT NULL
    OR s.name IN ('main', 'Main') AND s.kind IN ('function', 'method') AND NOT s.test AND NOT f.test;
CREATE VIEW flow_steps AS
  WITH RECURSIVE reach(flow_id, symbol, depth) AS (
    SELECT id, id, 0 FROM flows
    UNION
    SELECT flow_id, r.target, depth + 1 FROM reach JOIN refs r ON r.source = symbol
    WHERE r.target IS NOT NULL AND r.kind IN ('call', 'new') AND depth < 6
  )
  SELECT flow_id, symbol AS function_id, min(depth) AS depth FROM reach GROUP BY flow_id, symbol;
CREATE VIEW file_flows AS
  SELECT DISTINCT s.file AS file_id, w.flow_id FROM flow_steps w JOIN symbols s ON s.id = w.function_id;
CREATE VIEW flow_themes AS
  SELECT DISTINCT w.flow_id, (SELECT min(id) FROM files WHERE theme = f.theme) AS theme_id
  FROM file_flows w JOIN files f ON f.id = w.file_id;
CREATE VIEW infrastructure AS
  SELECT row_number() OVER (ORDER BY type, value) AS id, type, value, description, 1 AS project_id,
    NULL AS created_at, NULL AS updated_at
  FROM (
    SELECT 'language' AS type, language AS value, count(*) || ' files' AS description
    FROM files GROUP BY language
    UNION ALL
    SELECT 'package', module, count(*) || ' imports' FROM imports WHERE external GROUP BY module
  );
-- Tasks are not part of the code: these views have the columns and no rows.
CREATE VIEW completion_path AS
  SELECT 0 AS id, '' AS name, 0 AS order_index, '' AS status, '' AS description, 1 AS project_id,
    NULL AS created_at, NULL AS updated_at WHERE 0;
CREATE VIEW milestones AS
  SELECT 0 AS id, 0 AS completion_path_id, '' AS name, '' AS status, '' AS description,
    NULL AS created_at, NULL AS updated_at WHERE 0;
CREATE VIEW tasks AS
  SELECT 0 AS id, 0 AS milestone_id, '' AS name, '' AS status, '' AS priority, '' AS description,
    NULL AS created_at, NULL AS updated_at WHERE 0;
CREATE VIEW subtasks AS
  SELECT 0 AS id, 0 AS parent_task_id, '' AS name, '' AS status, '' AS priority, '' AS description,
    NULL AS created_at, NULL AS updated_at WHERE 0;
CREATE VIEW sidequests AS
  SELECT 0 AS id, 0 AS paused_task_id, 0 AS paused_subtask_id, '' AS name, '' AS status,
    '' AS priority, '' AS description, NULL AS created_at, NULL AS updated_at WHERE 0;
CREATE VIEW items AS
  SELECT 0 AS id, '' AS reference_table, 0 AS reference_id, '' AS name, '' AS status,
    '' AS description, NULL AS created_at, NULL AS updated_at WHERE 0;
CREATE VIEW notes AS
  SELECT 0 AS id, '' AS content, '' AS note_type, '' AS reference_table, 0 AS reference_id,
    '' AS source, '' AS directive_name, '' AS severity, NULL AS created_at, NULL AS updated_at
  WHERE 0;
