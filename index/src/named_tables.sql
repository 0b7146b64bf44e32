-- What people named, and the files and symbols that it refers to.
CREATE TEMP TABLE named(id INTEGER PRIMARY KEY, kind TEXT, name TEXT, description TEXT, UNIQUE(kind, name));
CREATE TEMP TABLE named_paths(kind TEXT, name TEXT, path TEXT);
CREATE TEMP TABLE named_starts(flow TEXT, entry TEXT);
CREATE TEMP TABLE named_flow_themes(flow TEXT, theme TEXT);
CREATE TEMP TABLE named_files(file_id INTEGER PRIMARY KEY, theme TEXT);
CREATE TEMP TABLE named_entries(symbol INTEGER PRIMARY KEY, flow TEXT);
