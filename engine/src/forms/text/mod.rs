//! Text patterns: a single pass over the text for the keywords of all rules, then the regular
//! expression of each rule near its keywords only. Expressions are compiled when first needed.

mod accept;
mod compile;
mod fixes;
mod limits;
mod memory;
mod required;
mod shared_regex;

use super::keywords::Keywords;
use super::parts::{self, Parts};
use super::prefilter::Prefilter;
use crate::parse::syntax::Tree;
use crate::rules::rule::{Report, Rule};
use crate::text::finding::{Finding, RuleId};
use crate::text::paths::Globs;
use crate::text::source::{Source, Span};
use aidd_page::{CheckHeader, Confidence, Form, Part, Tables, TextHeader};
use regex_automata::util::captures::Captures;
use regex_automata::util::primitives::NonMaxUsize;
use regex_automata::{Anchored, Input};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::OnceLock;

use accept::{accepts, is_identifier};
pub(crate) use compile::check_header;
use limits::Limits;
use required::Required;
use shared_regex::{Searcher, SharedRegex};

/// Maximum distance in bytes from the beginning of a match to its keyword, on the same line.
const MAX_BEFORE_KEYWORD: usize = 512;
/// Maximum distance in bytes from a keyword to the end of its match, on the same line.
const MAX_AFTER_KEYWORD: usize = 4096;
/// Maximum length in bytes of the text before and after a word that is searched for a URL or an
/// email address around the word.
const MAX_ADDRESS: usize = 512;
/// Size in bytes of the parts in which a whole text is searched.
const PART_BYTES: usize = 64 << 10;

/// All text patterns of an engine.
#[derive(Debug)]
pub struct TextPatterns {
    patterns: Vec<TextPattern>,
    prefilter: Prefilter,
    keywords: Keywords,
    /// The number of lists of words whose occurrences are recorded.
    lists: usize,
    /// The indexes of the patterns that a file must match.
    required: Vec<u32>,
}

/// One rule's text pattern.
#[derive(Debug)]
struct TextPattern {
    /// Index of the rule.
    rule: usize,
    /// Compiled when one of the pattern's keywords is first found.
    prepared: OnceLock<Box<PreparedPattern>>,
}

/// The parts of a pattern that are not needed before its keyword is found.
#[derive(Debug)]
struct PreparedPattern {
    globs: Globs,
    required: OnceLock<Required>,
    compiled: OnceLock<Option<CompiledPattern>>,
}

impl TextPattern {
    fn prepared(&self, check: &CheckHeader, rule: &Rule) -> &PreparedPattern {
        self.prepared.get_or_init(|| {
            let globs = Globs::from_check(check, rule.path.as_deref());
            Box::new(PreparedPattern {
                globs,
                required: OnceLock::new(),
                compiled: OnceLock::new(),
            })
        })
    }
}

#[derive(Debug)]
struct CompiledPattern {
    regex: SharedRegex,
    /// Maximum length of a match in bytes; `None` if the length is unbounded.
    max_match_len: Option<usize>,
    /// Whether the expression mentions the byte order mark.
    mentions_bom: bool,
    /// Index of the group that the finding covers.
    group: usize,
    unless: Vec<SharedRegex>,
    unless_match: Vec<SharedRegex>,
    /// Lower-case word → its replacement.
    swap: HashMap<String, String>,
}

impl TextPatterns {
    /// Collects the text patterns of `rules`; `tables` are the keyword tables of the shipped pages.
    /// The scan also records the offsets of the words in each list of `watch`, at most 32 lists.
    #[must_use]
    pub fn new(tables: &'static Tables, rules: &[Rule], watch: &[&[&'static str]]) -> Self {
        let text_rules =
            || rules.iter().enumerate().filter(|(_, rule)| rule.form == Some(Form::Text));
        let pattern = |(rule, _)| TextPattern { rule, prepared: OnceLock::new() };
        let required = (0..).zip(text_rules()).filter(|(_, (_, rule))| rule.requires);
        let (keywords, words) = Keywords::new(tables, text_rules().map(|(_, rule)| rule), watch);
        Self {
            patterns: text_rules().map(pattern).collect(),
            prefilter: Prefilter::new(words),
            keywords,
            lists: watch.len(),
            required: required.map(|(index, _)| index).collect(),
        }
    }

    /// Runs all enabled patterns over the source of `report`. If `only_secrets` is set, because the
    /// source is too large or binary, only the patterns for secrets run. `rules` are the rules that
    /// the patterns were compiled from, `tree` is the syntax tree of the source.
    pub fn run(
        &self,
        rules: &[Rule],
        tree: &Tree<'_>,
        only_secrets: bool,
        report: &mut Report<'_>,
    ) -> ScanResult {
        let source = report.source();
        let mut scan = Scan::new(self, rules, (source, tree), only_secrets);
        let limits = Limits::new(source.text().len());
        for &index in &self.keywords.everywhere {
            if scan.applies(index, report) {
                scan.limits = limits.for_pattern();
                scan.try_pattern(index, 0..source.text().len(), report);
            }
        }
        scan.limits = Limits::default();
        let mut watched = vec![Vec::new(); self.lists];
        self.prefilter.for_each_match(source.text(), |keyword, found| {
            let mut lists = self.keywords.watched(keyword);
            while lists != 0 {
                watched[lists.trailing_zeros() as usize].push(found.start);
                lists &= lists - 1;
            }
            for &index in self.keywords.owners(keyword) {
                scan.search_near_keyword(index, found.start, found.end, report);
            }
        });
        for &index in &self.required {
            if !scan.matches.contains_key(&index) && scan.applies(index, report) {
                scan.report_missing_match(index, report);
            }
        }
        ScanResult { watched, stopped: scan.stopped }
    }
}

/// The results of one pass over a text, apart from findings.
#[derive(Debug, Default)]
pub struct ScanResult {
    /// For each list of words whose occurrences are recorded, the offsets of its words.
    pub watched: Vec<Vec<usize>>,
    /// The first rule whose pattern exceeded its time limit on the file and was searched for only
    /// in part.
    pub stopped: Option<RuleId>,
}

/// The state of one pass over one source.
struct Scan<'a> {
    patterns: &'a TextPatterns,
    rules: &'a [Rule],
    source: &'a Source,
    tree: &'a Tree<'a>,
    only_secrets: bool,
    is_lock_file: bool,
    /// Pattern → the end of its last window; 0 before the first window, `usize::MAX` once the
    /// pattern is known not to apply to the source.
    done: Vec<usize>,
    seen: HashSet<(u32, Span)>,
    /// Pattern → the number of its accepted matches.
    matches: HashMap<u32, u32>,
    /// The parts of the source, computed for the first match that requires them.
    parts: OnceLock<Option<Parts>>,
    limits: Limits,
    stopped: Option<RuleId>,
}

impl<'a> Scan<'a> {
    fn new(
        patterns: &'a TextPatterns,
        rules: &'a [Rule],
        (source, tree): (&'a Source, &'a Tree<'a>),
        only_secrets: bool,
    ) -> Self {
        let is_lock_file = is_lock_file(source.name());
        Self {
            patterns,
            rules,
            source,
            tree,
            only_secrets,
            is_lock_file,
            done: vec![0; patterns.patterns.len()],
            seen: HashSet::new(),
            matches: HashMap::new(),
            parts: OnceLock::new(),
            limits: Limits::default(),
            stopped: None,
        }
    }

    /// A pattern, its rule and the `text` check of the rule.
    fn pattern(
        &self,
        index: u32,
    ) -> Option<(&'a TextPattern, &'a Rule, &'a CheckHeader, &'a TextHeader)> {
        let pattern = self.patterns.patterns.get(index as usize)?;
        let rule = self.rules.get(pattern.rule)?;
        let check = rule.check.as_ref()?;
        Some((pattern, rule, check, check.text.as_ref()?))
    }

    /// Searches for a pattern around a keyword.
    fn search_near_keyword(
        &mut self,
        index: u32,
        start: usize,
        end: usize,
        report: &mut Report<'_>,
    ) {
        let done = self.done[index as usize];
        // The last window still extends far enough past this keyword.
        if end + MAX_AFTER_KEYWORD / 2 <= done {
            return;
        }
        if done == 0 && !self.applies(index, report) {
            self.done[index as usize] = usize::MAX;
            return;
        }
        let Some((.., header)) = self.pattern(index) else { return };
        let window = self.window(start, end, header.reach as usize);
        // The whole line has been searched already.
        if window.end <= done {
            return;
        }
        self.done[index as usize] = window.end;
        self.try_pattern(index, window, report);
    }

    fn applies(&self, index: u32, report: &mut Report<'_>) -> bool {
        let Some((pattern, rule, check, header)) = self.pattern(index) else { return false };
        let is_uncertain = header.secret.is_some_and(|confidence| confidence < Confidence::High);
        !(self.only_secrets && header.secret.is_none() || self.is_lock_file && is_uncertain)
            && report.begin(&rule.id)
            && pattern.prepared(check, rule).globs.matches(self.source.path())
            && parts::applies_to(&header.parts, self.source.path())
            // A rule page contains examples of the text that its rule reports.
            && rule.path.as_deref() != Some(self.source.path())
    }

    /// The range around a keyword in which a match can lie: its line, including the line break.
    fn window(&self, start: usize, end: usize, reach: usize) -> Range<usize> {
        let text = self.source.text().as_bytes();
        let from = start.saturating_sub(MAX_BEFORE_KEYWORD);
        let first =
            memchr::memrchr2(b'\n', b'\r', &text[from..start]).map_or(from, |at| from + at + 1);
        let to = (end + MAX_AFTER_KEYWORD).min(text.len());
        let last = memchr::memchr2(b'\n', b'\r', &text[end..to]).map_or(to, |at| {
            let line_break = if text[end + at..].starts_with(b"\r\n") { 2 } else { 1 };
            end + at + line_break
        });
        first..last.max(end.saturating_add(reach).min(text.len()))
    }

    fn try_pattern(&mut self, index: u32, window: Range<usize>, report: &mut Report<'_>) {
        let Some((pattern, rule, check, header)) = self.pattern(index) else { return };
        if !report.begin(&rule.id) {
            return;
        }
        // An expression that does not compile is not searched for; the error is reported on the
        // rule page.
        let prepared = pattern.prepared(check, rule);
        let text = self.source.text();
        let required = prepared.required.get_or_init(|| compile::required(header));
        if !required.is_in(&text.as_bytes()[window.clone()]) {
            return;
        }
        let Some(compiled) = prepared.compiled.get_or_init(|| compile::compile(header).ok()) else {
            return;
        };
        let mut captures = compiled.regex.regex.create_captures();
        let mut searcher = compiled.regex.searcher();
        let mut at = window.start;
        while at <= window.end {
            if self.limits.are_exceeded() {
                self.stopped.get_or_insert_with(|| rule.id.clone());
                return;
            }
            let part = compiled.part(text, at..window.end);
            search(&mut searcher, compiled, text, part.clone(), &mut captures);
            let found = captures.get_match().zip(captures.get_group(compiled.group));
            let Some((full_match, found)) = found else {
                match compiled.max_match_len.filter(|_| part.end < window.end) {
                    // A match that begins before the new `at` would have been found completely.
                    Some(longest) => at = text.floor_char_boundary(part.end - longest),
                    None => return,
                }
                continue;
            };
            // A match that could continue beyond the part is searched for again with its full
            // reach.
            if part.end < window.end
                && compiled.max_match_len.is_some_and(|max| full_match.start() + max > part.end)
            {
                at = full_match.start();
                continue;
            }
            // The next match can share the boundary at which this one ended.
            at = found.end.max(full_match.start() + 1).max(at + 1);
            let span = Span::new(found.start, found.end);
            let whole_text = self.source.slice(Span::from(full_match.range()));
            let value = self.source.slice(span);
            if !accepts(header, compiled, value, whole_text)
                || is_identifier((&rule.id, header), value, whole_text)
                || !compiled.swap.is_empty() && self.is_in_address(span)
                || !self.is_in_scope(header, span.start)
                || !self.seen.insert((index, span))
            {
                continue;
            }
            let count = self.matches.entry(index).or_default();
            *count += 1;
            match header.max {
                None if header.require => return,
                Some(max) if *count <= max => continue,
                _ => {}
            }
            let replacement = compiled.replacement(self.source.slice(span));
            let finding =
                message(rule, self.source, &captures, (span, replacement.as_deref()), report);
            if header.secret.is_some() {
                finding.secret(span);
            }
            if let Some(replacement) = replacement {
                let is_prose = matches!(self.part(span.start), Some(Part::Prose | Part::Comments));
                let safe = is_prose && !parts::includes_every_part(&header.parts);
                fixes::add_swap_fix(span, &replacement, safe, finding);
            } else if let Some(fix) = check.fix.as_deref() {
                fixes::add_found_fix(fix, self.source, (&captures, compiled), span, finding);
            }
        }
    }

    /// Whether a word is part of a URL or email address, which would break if the word were
    /// replaced.
    fn is_in_address(&self, span: Span) -> bool {
        let line = self.source.line_span(self.source.line_of(span.start));
        let text = self.source.slice(line);
        let is_delimiter = |c: char| c.is_whitespace() || "<>()[]\"'`|".contains(c);
        let at = (span.start - line.start) as usize;
        // Addresses that people write are not longer than `MAX_ADDRESS`.
        let from = text.floor_char_boundary(at.saturating_sub(MAX_ADDRESS));
        let to = text.floor_char_boundary((at + MAX_ADDRESS).min(text.len()));
        let before = text[from..at].rsplit(is_delimiter).next().unwrap_or_default();
        let after = text[at..to].split(is_delimiter).next().unwrap_or_default();
        before.contains("://")
            || before.starts_with("www.")
            || before.ends_with('@')
            || after.split_once('@').is_some_and(|(_, host)| host.contains('.'))
    }

    /// Whether a match that begins at `offset` is in the lines and parts that the pattern applies
    /// to.
    fn is_in_scope(&self, header: &TextHeader, offset: u32) -> bool {
        if header.first.is_some() || header.last.is_some() {
            let line = self.source.line_of(offset);
            // A final line break does not begin a new line.
            let trailing = usize::from(self.source.text().ends_with(['\n', '\r']));
            let below = (self.source.line_count() - trailing).saturating_sub(line);
            let is_first = header.first.is_some_and(|first| line < first as usize);
            if !is_first && header.last.is_none_or(|last| below > last as usize) {
                return false;
            }
        }
        parts::includes_every_part(&header.parts)
            || self.part(offset).is_some_and(|part| header.parts.contains(&part))
    }

    fn part(&self, offset: u32) -> Option<Part> {
        self.parts.get_or_init(|| Parts::of(self.source, self.tree)).as_ref()?.at(offset)
    }

    /// Reports a file that lacks the required match, on its first line.
    fn report_missing_match(&self, index: u32, report: &mut Report<'_>) {
        let Some((pattern, rule, check, header)) = self.pattern(index) else { return };
        let prepared = pattern.prepared(check, rule);
        if prepared.compiled.get_or_init(|| compile::compile(header).ok()).is_none() {
            return;
        }
        let span = self.source.line_span(0);
        let message = rule.message.as_deref().unwrap_or(&rule.summary);
        let finding = report.at(span, super::fill(message, self.source, span, |_| None));
        finding.help.clone_from(&rule.help);
        finding.is_about_file = true;
        if let Some(fix) = check.fix.as_deref() {
            fixes::add_insert_fix(fix, header, self.source, finding);
        }
    }
}

impl CompiledPattern {
    /// The next part of a long text to search. A match is complete if it ends before the end of the
    /// part by at least the maximum match length.
    fn part(&self, text: &str, rest: Range<usize>) -> Range<usize> {
        let end = self.max_match_len.map_or(rest.end, |longest| {
            rest.start.saturating_add(longest).saturating_add(PART_BYTES).min(rest.end)
        });
        rest.start..text.ceil_char_boundary(end)
    }
}

/// Searches a part of a text as if it had no byte order mark (U+FEFF): authors expect `^` to match
/// before the first letter. An expression that mentions the mark is matched against the text
/// including the mark.
fn search(
    searcher: &mut Searcher<'_>,
    compiled: &CompiledPattern,
    text: &str,
    part: Range<usize>,
    captures: &mut Captures,
) {
    let visible = match text.strip_prefix('\u{FEFF}') {
        Some(visible) if !compiled.mentions_bom => visible,
        _ => text,
    };
    let bom_len = text.len() - visible.len();
    let part = part.start.saturating_sub(bom_len)..part.end.saturating_sub(bom_len);
    let input = Input::new(visible).range(part).anchored(Anchored::No);
    searcher.search(&input, captures);
    if bom_len > 0 {
        for slot in captures.slots_mut().iter_mut().flatten() {
            *slot = NonMaxUsize::new(slot.get() + bom_len).unwrap_or(*slot);
        }
    }
}

fn message<'r>(
    rule: &Rule,
    source: &Source,
    captures: &Captures,
    (span, replacement): (Span, Option<&str>),
    report: &'r mut Report<'_>,
) -> &'r mut Finding {
    let message: Cow<'_, str> = match (&rule.message, replacement) {
        (Some(message), _) => message.into(),
        (None, Some(_)) => "`<match>`: write `<better>`".into(),
        (None, None) => (&rule.summary).into(),
    };
    let message = super::fill(&message, source, span, |name| {
        let group = captures.get_group_by_name(name);
        let text = group.map(|group| source.slice(Span::from(group.range())));
        text.or(replacement.filter(|_| name == "better")).map(str::to_owned)
    });
    let finding = report.at(span, message);
    finding.help.clone_from(&rule.help);
    finding
}

/// Whether the file contains only names, versions and hashes.
fn is_lock_file(name: &str) -> bool {
    const NAMES: [&str; 16] = [
        "Cargo.lock",
        "Gemfile.lock",
        "Package.resolved",
        "Pipfile.lock",
        "Podfile.lock",
        "bun.lock",
        "composer.lock",
        "deno.lock",
        "flake.lock",
        "go.sum",
        "mix.lock",
        "npm-shrinkwrap.json",
        "package-lock.json",
        "pnpm-lock.yaml",
        "poetry.lock",
        "yarn.lock",
    ];
    NAMES.contains(&name) || name == "uv.lock" || name == "pubspec.lock"
}

#[cfg(test)]
mod tests;
