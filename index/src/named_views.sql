-- Tables and views that hide the views of the same name: themes and flows with the names that people
-- gave. Derived themes and flows contain what people did not name.
CREATE TEMP TABLE file_themes(file_id INTEGER PRIMARY KEY, theme TEXT);
INSERT INTO file_themes
  SELECT f.id, coalesce(n.theme, f.theme) FROM main.files f LEFT JOIN named_files n ON n.file_id = f.id;
CREATE TEMP TABLE themes AS
  WITH inside(theme, share) AS (
    SELECT a.theme, round(avg(t.theme = a.theme), 2)
    FROM main.refs r JOIN main.symbols s ON s.id = r.target
    JOIN file_themes a ON a.file_id = r.file JOIN file_themes t ON t.file_id = s.file
    GROUP BY a.theme
  )
  SELECT min(p.file_id) AS id, p.theme AS name,
    coalesce(n.description, count(*) || ' files') AS description, n.name IS NULL AS ai_generated,
    CASE WHEN n.name IS NULL THEN coalesce(i.share, 0.0) ELSE 1.0 END AS confidence_score,
    1 AS project_id, NULL AS created_at, NULL AS updated_at
  FROM file_themes p LEFT JOIN named n ON n.kind = 'theme' AND n.name = p.theme
  LEFT JOIN inside i ON i.theme = p.theme
  GROUP BY p.theme
  UNION ALL
  SELECT 1000000000 + n.id, n.name, n.description, 0, 1.0, 1, NULL, NULL
  FROM named n WHERE n.kind = 'theme' AND n.name NOT IN (SELECT theme FROM file_themes);
CREATE TEMP TABLE flows AS
  SELECT id, name, description, ai_generated, confidence_score, project_id, created_at, updated_at
  FROM main.flows WHERE id NOT IN (SELECT symbol FROM named_entries)
  UNION ALL
  SELECT coalesce(
      (SELECT min(e.symbol) FROM named_entries e WHERE e.flow = n.name), 1000000000 + n.id),
    n.name, n.description, 0, 1.0, 1, NULL, NULL
  FROM named n WHERE n.kind = 'flow';
CREATE TEMP VIEW flow_steps AS
  WITH RECURSIVE reach(flow_id, symbol, depth) AS (
    SELECT id, id, 0 FROM flows WHERE ai_generated
    UNION
    SELECT f.id, e.symbol, 0 FROM named_entries e JOIN flows f ON f.name = e.flow AND NOT f.ai_generated
    UNION
    SELECT flow_id, r.target, depth + 1 FROM reach JOIN main.refs r ON r.source = symbol
    WHERE r.target IS NOT NULL AND r.kind IN ('call', 'new') AND depth < 6
  )
  SELECT flow_id, symbol AS function_id, min(depth) AS depth FROM reach GROUP BY flow_id, symbol;
CREATE TEMP VIEW file_flows AS
  SELECT s.file AS file_id, w.flow_id FROM flow_steps w JOIN main.symbols s ON s.id = w.function_id
  UNION
  SELECT f.id, n.id FROM named_paths p JOIN flows n ON n.name = p.name AND NOT n.ai_generated
  JOIN main.files f ON f.path = p.path OR p.path = ''
    OR substr(f.path, 1, length(p.path) + 1) = p.path || '/'
  WHERE p.kind = 'flow';
CREATE TEMP VIEW flow_themes AS
  SELECT DISTINCT w.flow_id, t.id AS theme_id
  FROM file_flows w JOIN file_themes p ON p.file_id = w.file_id JOIN themes t ON t.name = p.theme
  WHERE w.flow_id NOT IN (
    SELECT n.id FROM flows n JOIN named_flow_themes l ON l.flow = n.name WHERE NOT n.ai_generated
  )
  UNION
  SELECT n.id, t.id FROM named_flow_themes l JOIN flows n ON n.name = l.flow AND NOT n.ai_generated
  JOIN themes t ON t.name = l.theme;
