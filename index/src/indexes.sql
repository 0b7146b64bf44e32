CREATE INDEX symbols_by_name ON symbols(name);
CREATE INDEX symbols_by_file ON symbols(file);
CREATE INDEX refs_by_file ON refs(file);
CREATE INDEX refs_by_target ON refs(target) WHERE target IS NOT NULL;
CREATE INDEX refs_by_source ON refs(source) WHERE source IS NOT NULL;
CREATE INDEX candidates_by_symbol ON candidates(symbol);
CREATE INDEX imports_by_file ON imports(file);
CREATE INDEX imports_by_target ON imports(target_file) WHERE target_file IS NOT NULL;
CREATE INDEX bindings_by_file ON bindings(file);
