//! The map of a project within a token budget: the most important symbols, by a PageRank of the
//! references between files, personalised by the files in focus.

use super::{Reader, SymbolRow};
use crate::IndexError;
use aidd_lexicon::tokens;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

const DAMPING: f64 = 0.85;
const ROUNDS: usize = 30;
/// Minimum number of tokens of the line of a symbol.
const MIN_TOKENS: usize = 3;
/// Maximum number of symbols that are considered.
const MAX_SYMBOLS: usize = 5000;

impl Reader {
    /// The map of the project in at most `budget` tokens. Files and directories in `focus` have the
    /// highest weight.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn map(&self, budget: usize, focus: &[String]) -> Result<String, IndexError> {
        let files: Vec<(i64, String, bool)> =
            self.rows("SELECT id, path, test OR generated FROM files ORDER BY path", &[], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })?;
        let at: HashMap<i64, usize> =
            files.iter().enumerate().map(|(at, (id, ..))| (*id, at)).collect();
        let sql = "SELECT r.file, s.file, r.target, count(*) FROM refs r
            JOIN symbols s ON s.id = r.target GROUP BY r.file, r.target ORDER BY 1, 3";
        let refs: Vec<(i64, i64, i64, i64)> =
            self.rows(sql, &[], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
        let edges: Vec<(usize, usize, i64, f64)> = refs
            .iter()
            .filter(|(from, to, ..)| from != to)
            .filter_map(|(from, to, symbol, count)| {
                let weight = f64::from(i32::try_from(*count).unwrap_or(i32::MAX)).sqrt();
                Some((*at.get(from)?, *at.get(to)?, *symbol, weight))
            })
            .collect();
        let is_in_focus = |path: &str| {
            focus.iter().any(|wanted| {
                let wanted = wanted.trim_end_matches('/');
                path == wanted
                    || path.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('/'))
            })
        };
        let mut start: Vec<f64> = files
            .iter()
            .map(|(_, path, is_minor)| match (is_in_focus(path), is_minor) {
                (true, _) => 100.0,
                (false, true) => 0.1,
                (false, false) => 1.0,
            })
            .collect();
        let total: f64 = start.iter().sum::<f64>().max(1.0);
        start.iter_mut().for_each(|value| *value /= total);
        let mut out = vec![0.0; files.len()];
        edges.iter().for_each(|(from, _, _, weight)| out[*from] += weight);
        let mut rank = start.clone();
        for _ in 0..ROUNDS {
            let mut next: Vec<f64> = start.iter().map(|value| value * (1.0 - DAMPING)).collect();
            for (from, to, _, weight) in &edges {
                next[*to] += DAMPING * rank[*from] * weight / out[*from];
            }
            let lost = 1.0 - next.iter().sum::<f64>();
            next.iter_mut().zip(&start).for_each(|(value, start)| *value += lost * start);
            rank = next;
        }
        // The rank of a file is distributed to the symbols to which it refers.
        let mut by_symbol: BTreeMap<i64, f64> = BTreeMap::new();
        for (from, _, symbol, weight) in &edges {
            *by_symbol.entry(*symbol).or_default() += rank[*from] * weight / out[*from];
        }
        let condition = "s.kind NOT IN ('field', 'variant', 'test', 'module') ORDER BY s.id";
        let mut symbols: Vec<(f64, SymbolRow)> = self
            .symbols(condition, &[])?
            .into_iter()
            .map(|symbol| {
                let score = by_symbol.get(&symbol.id).copied().unwrap_or_default();
                let own = if is_in_focus(&symbol.path) { 1.0 } else { 0.0 };
                (score + own, symbol)
            })
            .filter(|(score, symbol)| *score > 0.0 || symbol.exported)
            .collect();
        // Written code comes before generated code.
        let is_last = |symbol: &SymbolRow| symbol.generated && !is_in_focus(&symbol.path);
        symbols.sort_by(|a, b| {
            let place = |symbol: &SymbolRow| (symbol.path.clone(), symbol.line);
            is_last(&a.1)
                .cmp(&is_last(&b.1))
                .then_with(|| b.0.total_cmp(&a.0))
                .then_with(|| place(&a.1).cmp(&place(&b.1)))
        });
        symbols.truncate(MAX_SYMBOLS.min(budget / MIN_TOKENS));
        // The largest number of symbols that fits in the budget.
        let (mut low, mut high) = (0, symbols.len());
        while low < high {
            let middle = (low + high).div_ceil(2);
            if tokens::count(&render(&symbols[..middle])) <= budget {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        Ok(render(&symbols[..low]))
    }
}

fn render(symbols: &[(f64, SymbolRow)]) -> String {
    let mut by_file: BTreeMap<&str, (f64, Vec<&SymbolRow>)> = BTreeMap::new();
    for (score, symbol) in symbols {
        let file = by_file.entry(&symbol.path).or_default();
        file.0 += score;
        file.1.push(symbol);
    }
    let mut files: Vec<_> = by_file.into_iter().collect();
    files.sort_by(|a, b| b.1.0.total_cmp(&a.1.0).then_with(|| a.0.cmp(b.0)));
    let mut text = String::new();
    for (path, (_, mut symbols)) in files {
        symbols.sort_by_key(|symbol| symbol.line);
        let _ = writeln!(text, "{path}");
        for symbol in symbols {
            let _ = writeln!(text, "  {}: {}", symbol.line, symbol.signature);
        }
    }
    text
}
