CREATE INDEX symbols_by_name ON symbols(name);
CREATE INDEX symbols_by_file ON symbols(file);
CREATE INDEX refs_by_file ON refs(file);
CREATE INDEX refs_by_target ON refs(target) WHERE target IS NOT NULL;
CREATE INDEX refs_by_source ON refs(source) WHERE source IS NOT NULL;
CREATE INDEX candidates_by_symbol ON candidates(symbol);
CREATE INDEX imports_by_file ON imports(file);
CREATE INDEX imports_by_target ON imports(target_file) WHERE target_file IS NOT NULL;
CREATE INDEX bindings_by_file ON bindings(file);
CREATE INDEX files_by_theme ON files(theme);
CREATE INDEX accesses_by_file ON accesses(file);
CREATE INDEX accesses_by_symbol ON accesses(symbol) WHERE symbol IS NOT NULL;
CREATE INDEX declared_routes_by_file ON declared_routes(file);
CREATE INDEX declared_routes_by_handler ON declared_routes(handler) WHERE handler IS NOT NULL;
CREATE INDEX mounts_by_file ON mounts(file);
CREATE INDEX mounts_by_target ON mounts(target);
-- Covers the comparison of all files with their stamps: the rows themselves are large.
CREATE INDEX files_by_stamp ON files(path, hash, stamp, size);
CREATE INDEX indirect_calls_by_source ON indirect_calls(source);
