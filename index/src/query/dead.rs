//! Functions and types that nothing refers to.

use super::{Reader, SymbolRow};
use crate::IndexError;

/// The condition on the symbols `s` in the files `f`. Parameter 1: whether exported symbols are included.
/// In languages whose code often calls methods of values of unknown types, such a call by the same name
/// can be a use, and a type whose members are used is used. A method that overrides another one is called by the package that declares that one.
const CONDITION: &str = "s.kind IN ('function', 'class', 'component', 'struct', 'interface', 'enum', 'trait',
      'type', 'method')
    AND NOT s.test AND NOT f.test AND (?1 OR NOT s.exported)
    AND s.name NOT IN ('main', 'init', 'constructor', 'default')
    AND s.name NOT LIKE '\\_\\_%' ESCAPE '\\'
    AND NOT EXISTS(SELECT 1 FROM refs r WHERE r.target = s.id
      AND (r.source IS NULL OR r.source <> s.id))
    AND NOT EXISTS(SELECT 1 FROM candidates c WHERE c.symbol = s.id)
    AND NOT EXISTS(SELECT 1 FROM declared_routes r WHERE r.handler = s.id)
    AND NOT EXISTS(SELECT 1 FROM symbols t WHERE t.name = s.name AND t.id <> s.id
      AND s.kind = 'method')
    AND NOT EXISTS(SELECT 1 FROM refs r WHERE r.source = s.id AND r.kind = 'decorates')
    AND (f.language NOT IN ('java', 'kotlin', 'csharp', 'ruby', 'php')
      OR s.kind IN ('function', 'method')
      OR NOT EXISTS(SELECT 1 FROM symbols m JOIN refs r ON r.target = m.id
        WHERE m.file = s.file AND m.parent = s.id AND (r.file <> s.file
          OR r.line NOT BETWEEN s.start_line AND s.end_line)))
    AND (f.language NOT IN ('java', 'kotlin', 'csharp', 'ruby', 'php') OR s.kind <> 'method' AND (f.language <> 'kotlin' OR s.kind <> 'function') OR (
      instr(' ' || s.signature, ' override ') = 0
      AND (f.language <> 'php' OR coalesce(s.return_type, '') <> 'Attribute'
        AND (instr(s.signature, 'protected ') = 0 OR NOT EXISTS(SELECT 1 FROM symbols p
          WHERE p.id = s.parent AND instr(p.signature, ' extends '))))
      AND (f.language <> 'ruby' OR NOT EXISTS(SELECT 1 FROM refs r WHERE r.file = s.file
        AND r.name IN ('send', 'public_send', '__send__')))
      AND CASE WHEN instr(' ' || s.signature, ' private ')
        THEN NOT EXISTS(SELECT 1 FROM refs r WHERE r.file = s.file AND r.name = s.name
          AND r.certainty = 'unresolved' AND r.kind <> 'decorates')
        ELSE s.name NOT IN (SELECT r.name FROM refs r WHERE r.certainty = 'unresolved') END))";

/// The symbols without references.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dead {
    /// The first of these symbols.
    pub symbols: Vec<SymbolRow>,
    /// How many there are.
    pub total: u32,
    /// The number of generated and minified files with such symbols, which are left out.
    pub generated: u32,
}

impl Reader {
    /// The functions and types without references, including possible references; without tests,
    /// generated files and, unless `exported` is set, exported symbols.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn dead(&self, exported: bool, limit: u32) -> Result<Dead, IndexError> {
        let from = format!("FROM symbols s JOIN files f ON f.id = s.file WHERE {CONDITION}");
        let sql = format!(
            "SELECT coalesce(sum(NOT f.generated), 0),
               count(DISTINCT CASE WHEN f.generated THEN f.id END) {from}"
        );
        let counts = self.rows(&sql, &[&exported], |row| Ok((row.get(0)?, row.get(1)?)))?.pop();
        let (total, generated) = counts.unwrap_or_default();
        let condition =
            format!("{CONDITION} AND NOT f.generated ORDER BY f.path, s.start_line LIMIT ?2");
        Ok(Dead { symbols: self.symbols(&condition, &[&exported, &limit])?, total, generated })
    }
}
