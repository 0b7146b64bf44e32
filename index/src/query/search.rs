//! Finds the symbols and files to which a question in natural language refers.

use super::{Reader, SymbolRow};
use crate::IndexError;
use aidd_engine::text::nearest::nearest;
use aidd_lexicon::terms;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

/// Maximum number of terms of a question.
const MAX_TERMS: usize = 24;
/// Maximum number of names whose symbols are compared in detail.
const MAX_NAMES: usize = 80;
/// Maximum number of best matches whose references are counted.
const MAX_COUNTED: usize = 40;
/// Length in bytes of the prefix of a term that a name must contain to be compared. A stem differs
/// from its word only at the end.
const START: usize = 3;
/// Minimum length in bytes of a term that also matches longer terms, as `auth` matches
/// `authentication`.
const MIN_PREFIX: usize = 4;
/// Share of the weight of a term that matches only as a prefix.
const PREFIX_SHARE: f64 = 0.5;
/// Share of the weight of a term that is found in the name of an enclosing symbol.
const ENCLOSING_SHARE: f64 = 0.8;
/// Share of the weight of a term that is found in the path or the documentation.
const NEARBY_SHARE: f64 = 0.4;
/// Maximum number of symbols with the same name that are compared.
const MAX_OF_NAME: usize = 6;
/// Maximum number of symbols with the same name that are read.
const MAX_READ: u32 = 2000;
/// Relative gain in score per unit of ln(1 + number of references).
const USE_SHARE: f64 = 0.08;
/// Minimum share of the best score that a result must have.
const MIN_SHARE: f64 = 0.55;
/// Share of the weight of a term that an earlier result matches.
const REPEATED_SHARE: f64 = 0.7;

/// The symbols and files to which a question refers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// Symbols that the question names exactly, in the order of the question.
    pub named: Vec<(String, Vec<SymbolRow>)>,
    /// Files that the question names.
    pub files: Vec<String>,
    /// Symbols whose names, paths and documentation match the other words, best first.
    pub similar: Vec<SymbolRow>,
    /// Words that are written as names of symbols or files, but name none.
    pub unknown: Vec<String>,
}

impl Subject {
    fn add_named(&mut self, word: &str, found: Vec<SymbolRow>) {
        if !found.is_empty() && !self.named.iter().any(|(known, _)| known == word) {
            self.named.push((word.to_owned(), found));
        }
    }
}

impl Reader {
    /// The symbols and files that `question` names or describes.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn subject(&self, question: &str, limit: usize) -> Result<Subject, IndexError> {
        let mut subject = Subject::default();
        let count = question.split_whitespace().count();
        for (word, is_name) in words(question) {
            if let Some(path) = self.file_named(word)? {
                subject.files.push(path);
            } else if is_name || count == 1 {
                let found = self.named(word)?;
                if is_name && found.is_empty() && !subject.unknown.iter().any(|at| at == word) {
                    subject.unknown.push(word.to_owned());
                }
                subject.add_named(word, found);
            }
        }
        if !subject.named.is_empty() || !subject.files.is_empty() {
            return Ok(subject);
        }
        subject.similar = self.similar(question, limit)?;
        // Of two words, each can be a name, unless a symbol and its enclosing symbol match both.
        let is_matched =
            subject.similar.first().is_some_and(|symbol| has_all_terms(symbol, question));
        if count == 2 && !is_matched {
            for (word, _) in words(question) {
                subject.add_named(word, self.named(word)?);
            }
            if !subject.named.is_empty() {
                subject.similar.clear();
            }
        }
        Ok(subject)
    }

    /// The path of the only file that `text` names: a path, or its last segments.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn file_named(&self, text: &str) -> Result<Option<String>, IndexError> {
        let text = text.trim_start_matches("./");
        if !text.contains(['/', '.']) || text.contains([' ', '#']) {
            return Ok(None);
        }
        let sql = "SELECT path FROM files WHERE path = ?1
            OR substr(path, -length(?1) - 1) = '/' || ?1 ORDER BY path <> ?1 LIMIT 2";
        let found: Vec<String> = self.rows(sql, &[&text], |row| row.get(0))?;
        Ok(match found.as_slice() {
            [only] => Some(only.clone()),
            [first, _] if first == text => Some(first.clone()),
            _ => None,
        })
    }

    /// The path of the file whose name is most similar to that of `path`.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn nearest_file(&self, path: &str) -> Result<Option<String>, IndexError> {
        let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let paths: Vec<String> =
            self.rows("SELECT path FROM files ORDER BY path", &[], |row| row.get(0))?;
        let names: Vec<String> = paths.iter().map(|path| last(path)).collect();
        let wanted = last(path);
        let stem = wanted.split('.').next().unwrap_or_default();
        let first = |name: &str| name.chars().next().map(|first| first.to_ascii_lowercase());
        let contains = |name: &&String| stem.len() >= START && name.contains(stem);
        let near = match names.iter().find(|name| **name == wanted) {
            Some(same) => Some(same.as_str()),
            None => names.iter().find(contains).map(String::as_str).or_else(|| {
                let near = nearest(&wanted, names.iter().map(String::as_str));
                near.filter(|near| first(near) == first(&wanted))
            }),
        };
        let near = near.and_then(|near| names.iter().position(|name| name == near));
        Ok(near.map(|at| paths[at].clone()))
    }

    /// The names that are most similar to `name`, at most three.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn nearest(&self, name: &str) -> Result<Vec<String>, IndexError> {
        let parts = self.find(name, 3)?;
        let mut found: Vec<String> = Vec::new();
        let names = self.rows("SELECT DISTINCT name FROM symbols", &[], |row| row.get(0))?;
        let last = name.rsplit(['.', ':', '#']).next().unwrap_or(name);
        found.extend(nearest(last, names.iter().map(|name: &String| &**name)).map(str::to_owned));
        for symbol in parts {
            if !found.contains(&symbol.qualified) {
                found.push(symbol.qualified);
            }
        }
        found.truncate(3);
        Ok(found)
    }

    /// The symbols whose names match the terms of `question`, best first.
    fn similar(&self, question: &str, limit: usize) -> Result<Vec<SymbolRow>, IndexError> {
        let wanted = terms::distinct_terms(&without_work(question), MAX_TERMS);
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let sql = "SELECT DISTINCT name FROM symbols";
        let names: Vec<String> = self.rows(sql, &[], |row| row.get(0))?;
        let regulars: Vec<Option<&str>> = wanted.iter().map(|term| regular(term)).collect();
        let starts: Vec<&str> = wanted
            .iter()
            .map(String::as_str)
            .chain(regulars.iter().copied().flatten())
            .map(|term| &term[..term.floor_char_boundary(START)])
            .collect();
        let matches = names.iter().map(|name| {
            let lower = name.to_lowercase();
            let can_match = starts.iter().any(|start| lower.contains(start));
            can_match.then(|| Matches::new(&wanted, &regulars, name)).flatten()
        });
        let matches: Vec<Option<Matches>> = matches.collect();
        let mut counts = vec![0_u32; wanted.len()];
        for found in matches.iter().flatten() {
            for (count, share) in counts.iter_mut().zip(&found.shares) {
                *count += u32::from(*share > 0.0);
            }
        }
        let total = f64::from(u32::try_from(names.len()).unwrap_or(u32::MAX));
        let weights: Vec<f64> =
            counts.iter().map(|count| (1.0 + total / (1.0 + f64::from(*count))).ln()).collect();
        let mut ranked: Vec<(f64, &str, &Matches)> = names
            .iter()
            .zip(&matches)
            .filter_map(|(name, found)| {
                let found = found.as_ref()?;
                Some((found.parts(&weights).iter().sum(), &**name, found))
            })
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        ranked.truncate(MAX_NAMES);
        let mut found: Vec<Candidate> = Vec::new();
        for (_, name, own) in &ranked {
            for symbol in self.of_name(name, &wanted)? {
                let mut parts = own.parts(&weights);
                add_nearby(&mut parts, &wanted, &weights, name, &symbol);
                found.push(Candidate { factor: kind_factor(&symbol), parts, symbol });
            }
        }
        sort(&mut found);
        found.truncate(MAX_COUNTED);
        let sql = "SELECT count(*) FROM refs WHERE target = ?1";
        for candidate in &mut found {
            let id = &candidate.symbol.id;
            let count: u32 = self.rows(sql, &[id], |row| row.get(0))?.iter().sum();
            candidate.factor *= 1.0 + f64::from(count).ln_1p() * USE_SHARE;
        }
        sort(&mut found);
        let best = found.first().map_or(0.0, Candidate::score);
        found.retain(|candidate| candidate.score() >= best * MIN_SHARE);
        Ok(select(found, wanted.len(), limit))
    }

    /// Some symbols with exactly this name: first those whose enclosing symbols have most of the
    /// terms, and code that is neither a test nor generated.
    fn of_name(&self, name: &str, wanted: &[String]) -> Result<Vec<SymbolRow>, IndexError> {
        let sql = "SELECT s.id, s.qualified, s.test OR f.test OR f.generated FROM symbols s
            JOIN files f ON f.id = s.file WHERE s.name = ?1 ORDER BY s.id LIMIT ?2";
        let mut found: Vec<(i64, String, bool)> =
            self.rows(sql, &[&name, &MAX_READ], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        if found.len() > MAX_OF_NAME {
            found.sort_by_cached_key(|(_, qualified, is_minor)| {
                let lower = qualified.to_lowercase();
                let count = wanted.iter().filter(|term| lower.contains(&***term)).count();
                (Reverse(count), *is_minor)
            });
            found.truncate(MAX_OF_NAME);
        }
        let mut symbols = Vec::with_capacity(found.len());
        for (id, ..) in found {
            symbols.extend(self.symbols("s.id = ?1", &[&id])?);
        }
        Ok(symbols)
    }
}

/// How a name matches each term of a question.
struct Matches {
    shares: Vec<f64>,
    /// The divisor for the number of terms of the name.
    scale: f64,
}

impl Matches {
    fn new(wanted: &[String], regulars: &[Option<&str>], name: &str) -> Option<Self> {
        let own = terms::name_terms(name, MAX_TERMS);
        let share = |(term, regular): (&String, &Option<&str>)| {
            let best = own.iter().map(|part| similarity(term, *regular, part));
            best.fold(0.0, f64::max)
        };
        let shares: Vec<f64> = wanted.iter().zip(regulars).map(share).collect();
        let scale = length_scale(own.len());
        shares.iter().any(|share| *share > 0.0).then_some(Self { shares, scale })
    }

    /// The weight of each matching term, lower for names with other words.
    fn parts(&self, weights: &[f64]) -> Vec<f64> {
        let scale = self.scale;
        self.shares.iter().zip(weights).map(|(share, weight)| share * weight / scale).collect()
    }
}

/// The divisor for a name with this number of terms: a name with other words matches less.
fn length_scale(terms: usize) -> f64 {
    f64::from(u32::try_from(terms.max(1)).unwrap_or(u32::MAX)).powf(0.35)
}

/// A symbol that matches terms of the question.
struct Candidate {
    symbol: SymbolRow,
    /// What each term of the question contributes.
    parts: Vec<f64>,
    /// The factor for the kind of the symbol and its uses.
    factor: f64,
}

impl Candidate {
    fn score(&self) -> f64 {
        self.parts.iter().sum::<f64>() * self.factor
    }

    /// The score if the terms count only with these shares.
    fn score_with(&self, shares: &[f64]) -> f64 {
        self.parts.iter().zip(shares).map(|(part, share)| part * share).sum::<f64>() * self.factor
    }
}

fn sort(found: &mut [Candidate]) {
    found.sort_by(|a, b| {
        let place = |candidate: &Candidate| (candidate.symbol.path.clone(), candidate.symbol.line);
        b.score().total_cmp(&a.score()).then_with(|| place(a).cmp(&place(b)))
    });
}

/// The best candidates in an order in which each term of the question is soon represented: a term that
/// an earlier symbol matches counts less.
fn select(mut found: Vec<Candidate>, terms: usize, limit: usize) -> Vec<SymbolRow> {
    let mut shares = vec![1.0; terms];
    let mut selected = Vec::new();
    while selected.len() < limit && !found.is_empty() {
        let (mut best, mut best_score) = (0, f64::MIN);
        for (at, candidate) in found.iter().enumerate() {
            let score = candidate.score_with(&shares);
            if score > best_score {
                (best, best_score) = (at, score);
            }
        }
        let candidate = found.remove(best);
        for (share, part) in shares.iter_mut().zip(&candidate.parts) {
            if *part > 0.0 {
                *share *= REPEATED_SHARE;
            }
        }
        selected.push(candidate.symbol);
    }
    selected
}

/// Irregular forms of verbs, each with the form that names in code have.
const IRREGULAR: &[(&str, &str)] = &[
    ("begun", "begin"),
    ("bought", "buy"),
    ("bound", "bind"),
    ("broken", "break"),
    ("brought", "bring"),
    ("built", "build"),
    ("caught", "catch"),
    ("chosen", "choose"),
    ("drawn", "draw"),
    ("driven", "drive"),
    ("forgotten", "forget"),
    ("found", "find"),
    ("frozen", "freeze"),
    ("given", "give"),
    ("held", "hold"),
    ("hidden", "hide"),
    ("kept", "keep"),
    ("lost", "lose"),
    ("made", "make"),
    ("overridden", "override"),
    ("paid", "pay"),
    ("ran", "run"),
    ("rebuilt", "rebuild"),
    ("rewritten", "rewrite"),
    ("sent", "send"),
    ("shown", "show"),
    ("sold", "sell"),
    ("sought", "seek"),
    ("spent", "spend"),
    ("spoken", "speak"),
    ("stolen", "steal"),
    ("taken", "take"),
    ("thrown", "throw"),
    ("withdrawn", "withdraw"),
    ("woken", "wake"),
    ("written", "write"),
];

/// The term of the form in [`IRREGULAR`] that names have, if `term` is that of an irregular form.
fn regular(term: &str) -> Option<&'static str> {
    static TERMS: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
        let term = |word: &str| terms::distinct_terms(word, 1).pop();
        IRREGULAR.iter().filter_map(|(form, base)| Some((term(form)?, term(base)?))).collect()
    });
    TERMS.get(term).map(String::as_str)
}

/// 1 for equal terms, less if the term of the question is a prefix.
fn similarity(wanted: &str, regular: Option<&str>, part: &str) -> f64 {
    if wanted == part || regular == Some(part) {
        1.0
    } else if wanted.len() >= MIN_PREFIX && part.starts_with(wanted) {
        PREFIX_SHARE
    } else {
        0.0
    }
}

/// Adds the weight of the terms that occur in the path, the enclosing symbol or the documentation, but
/// not in the name.
fn add_nearby(
    parts: &mut [f64],
    wanted: &[String],
    weights: &[f64],
    name: &str,
    symbol: &SymbolRow,
) {
    let own = terms::name_terms(name, MAX_TERMS);
    let text =
        format!("{} {} {}", symbol.path, symbol.qualified, symbol.doc.as_deref().unwrap_or(""));
    let lower = text.to_lowercase();
    let can_add = |term: &String| {
        lower.contains(&term[..term.floor_char_boundary(START)]) && !own.contains(term)
    };
    // Splitting the text takes longest.
    if !wanted.iter().any(can_add) {
        return;
    }
    let around: BTreeSet<String> = terms::distinct_terms(&text, 64).into_iter().collect();
    let mut enclosing = terms::name_terms(&symbol.qualified, MAX_TERMS);
    enclosing.retain(|term| !own.contains(term));
    let enclosing_weight = ENCLOSING_SHARE / length_scale(enclosing.len());
    for (part, (term, weight)) in parts.iter_mut().zip(wanted.iter().zip(weights)) {
        if own.contains(term) {
            continue;
        }
        if enclosing.contains(term) {
            *part += weight * enclosing_weight;
        } else if around.contains(term) {
            *part += weight * NEARBY_SHARE;
        }
    }
}

/// Whether the names of the symbol and its enclosing symbols contain each term of the question.
fn has_all_terms(symbol: &SymbolRow, question: &str) -> bool {
    let own = terms::name_terms(&symbol.qualified, MAX_TERMS);
    terms::distinct_terms(question, MAX_TERMS).iter().all(|term| own.contains(term))
}

fn kind_factor(symbol: &SymbolRow) -> f64 {
    let kind = match &*symbol.kind {
        "function" | "method" | "class" | "component" | "struct" | "trait" | "macro" => 1.0,
        "interface" | "enum" | "type" => 0.85,
        "constant" | "variable" | "module" => 0.75,
        _ => 0.4,
    };
    let visible = if symbol.exported { 1.1 } else { 1.0 };
    let test = if symbol.test { 0.3 } else { 1.0 };
    // A method on a single line is often only a declaration.
    let body = if symbol.kind == "method" && symbol.line == symbol.end_line { 0.5 } else { 1.0 };
    let written = if symbol.generated { 0.3 } else { 1.0 };
    kind * visible * test * body * written
}

/// The question without the verb in `how does login work`, which is not about work.
fn without_work(question: &str) -> String {
    let words: Vec<&str> = question.split_whitespace().collect();
    let plain = |at: usize| {
        let word =
            words.get(at).map_or("", |word| word.trim_matches(|c: char| !c.is_alphanumeric()));
        word.to_ascii_lowercase()
    };
    let is_how = (0..words.len()).any(|at| plain(at) == "how");
    let is_verb = |at: usize| matches!(&*plain(at), "work" | "works" | "working");
    let last = (0..words.len()).rev().find(|at| is_verb(*at)).filter(|at| {
        let next = plain(at + 1);
        next.is_empty() || AFTER_WORK.contains(&&*next)
    });
    let Some(verb) = last.filter(|_| is_how) else { return question.to_owned() };
    let others = words.iter().enumerate().filter(|(at, _)| *at != verb).map(|(_, word)| *word);
    others.collect::<Vec<_>>().join(" ")
}

/// Words that follow the verb `work` in a question.
const AFTER_WORK: [&str; 12] =
    ["and", "at", "for", "here", "if", "in", "inside", "on", "there", "under", "when", "with"];

/// The words of a question without surrounding punctuation, each with whether it looks like a name in
/// code.
fn words(question: &str) -> impl Iterator<Item = (&str, bool)> {
    question.split_whitespace().filter_map(|word| {
        let is_quoted = word.contains('`');
        let is_call = word.contains("()");
        let edge =
            |c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$' | '#' | '@' | '/' | '.');
        let word = word.trim_matches(edge).trim_end_matches(['.', '(', ')']);
        let inner = word.get(1..).unwrap_or_default();
        let has_case = inner.contains(char::is_uppercase) && word.contains(char::is_lowercase);
        let has_mark = word.contains(['_', '#', '~']) || inner.contains(['.', ':']);
        (!word.is_empty()).then_some((word, is_quoted || is_call || has_case || has_mark))
    })
}

#[cfg(test)]
mod tests {
    use super::without_work;

    #[test]
    fn the_verb_of_a_question_is_no_name() {
        for (question, expected) in [
            ("how does login work?", "how does login"),
            ("How do the queues work", "How do the queues"),
            ("who does the work", "who does the work"),
            ("how does the network start", "how does the network start"),
        ] {
            assert_eq!(without_work(question), expected);
        }
    }
}
