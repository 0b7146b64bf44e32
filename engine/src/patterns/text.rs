//! Text patterns: one pass over the text for the keywords of all rules, then each rule's regular
//! expression near its keywords only. Expressions compile when first needed.

use super::placeholder::is_placeholder;
use super::shape;
use crate::finding::{Edit, Finding, RuleId};
use crate::paths::Globs;
use crate::rule::{Report, Rule};
use crate::source::{Source, Span};
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use aidd_content::page::{CheckHeader, Confidence, FixHeader, TextHeader};
use regex_automata::meta::Regex;
use regex_automata::util::captures::Captures;
use regex_automata::util::interpolate;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How far before a keyword a match may begin on the same line, in bytes.
const BEFORE: usize = 512;
/// How far after a keyword a match may reach on the same line, in bytes.
const AFTER: usize = 4096;
/// The largest program an expression may compile to, in bytes. A page whose expression is larger
/// is refused.
const PROGRAM_LIMIT: usize = 4 << 20;

/// All text patterns of an engine.
#[derive(Debug)]
pub struct TextPatterns {
    patterns: Vec<TextPattern>,
    prefilter: Prefilter,
    /// Keyword → the patterns it belongs to.
    owners: Vec<Vec<u32>>,
    /// Patterns without keywords.
    everywhere: Vec<u32>,
    /// Keyword → whether a validator wants to know where it stands.
    watched: Vec<bool>,
}

/// Finds the keywords of all patterns in one pass. Two automata do the same: one that is quick to
/// make, for the file or two of an editor, and one that is three times as fast and takes 20 ms to
/// make, once there is enough text to pay for it.
#[derive(Debug)]
struct Prefilter {
    keywords: Vec<String>,
    quick: AhoCorasick,
    fast: OnceLock<AhoCorasick>,
    /// Bytes of text so far.
    seen: AtomicUsize,
}

/// Bytes of text from which on the faster automaton pays.
const PAYS: usize = 2 << 20;

impl Prefilter {
    fn new(keywords: Vec<String>) -> Result<Self, aho_corasick::BuildError> {
        let quick = automaton(&keywords, AhoCorasickKind::ContiguousNFA)?;
        Ok(Self { keywords, quick, fast: OnceLock::new(), seen: AtomicUsize::new(0) })
    }

    /// The automaton for a text of `length` bytes.
    fn finder(&self, length: usize) -> &AhoCorasick {
        if self.seen.fetch_add(length, Ordering::Relaxed) < PAYS {
            return &self.quick;
        }
        self.fast.get_or_init(|| {
            automaton(&self.keywords, AhoCorasickKind::DFA).unwrap_or_else(|_| self.quick.clone())
        })
    }
}

fn automaton(
    keywords: &[String],
    kind: AhoCorasickKind,
) -> Result<AhoCorasick, aho_corasick::BuildError> {
    AhoCorasick::builder().ascii_case_insensitive(true).kind(Some(kind)).build(keywords)
}

/// One rule's text pattern.
#[derive(Debug)]
struct TextPattern {
    rule: RuleId,
    header: TextHeader,
    fix: Option<FixHeader>,
    message: String,
    help: Option<String>,
    globs: Globs,
    compiled: OnceLock<Option<Compiled>>,
}

#[derive(Debug)]
struct Compiled {
    regex: Regex,
    /// The group that the finding covers.
    group: usize,
    unless: Vec<Regex>,
}

impl TextPatterns {
    /// The patterns of those `rules` that have one; the places of the words in `watch` are noted
    /// in passing.
    ///
    /// # Errors
    /// When the keywords of all rules do not fit one automaton (some 100 MB of them).
    pub fn new(rules: &[Rule], watch: &[&str]) -> Result<Self, aho_corasick::BuildError> {
        let patterns: Vec<TextPattern> = rules.iter().filter_map(TextPattern::new).collect();
        let mut owners: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        let mut everywhere = Vec::new();
        for (index, pattern) in (0..).zip(&patterns) {
            if pattern.header.keywords.is_empty() {
                everywhere.push(index);
            }
            for keyword in &pattern.header.keywords {
                owners.entry(keyword.to_ascii_lowercase()).or_default().push(index);
            }
        }
        for word in watch {
            owners.entry((*word).to_owned()).or_default();
        }
        let watched = owners.keys().map(|word| watch.contains(&word.as_str())).collect();
        let prefilter = Prefilter::new(owners.keys().cloned().collect())?;
        let owners = owners.into_values().collect();
        Ok(Self { patterns, prefilter, owners, everywhere, watched })
    }

    /// Runs all enabled patterns over the source of `report`; only those for secrets when the
    /// source is too large or not text. Returns the offsets of the watched words.
    pub fn run(&self, only_secrets: bool, report: &mut Report<'_>) -> Vec<usize> {
        let source = report.source();
        let mut scan = Scan::new(self, source, only_secrets);
        for &index in &self.everywhere {
            scan.try_pattern(index, 0..source.text().len(), report);
        }
        let mut watched = Vec::new();
        for hit in self.prefilter.finder(source.text().len()).find_overlapping_iter(source.text()) {
            if self.watched[hit.pattern().as_usize()] {
                watched.push(hit.start());
            }
            for &index in &self.owners[hit.pattern().as_usize()] {
                scan.near(index, hit.start(), hit.end(), report);
            }
        }
        watched
    }
}

/// The state of one pass over one source.
struct Scan<'a> {
    patterns: &'a TextPatterns,
    source: &'a Source,
    only_secrets: bool,
    lock_file: bool,
    /// Pattern → where its last window ended; `usize::MAX` once it does not apply to the source.
    done: HashMap<u32, usize>,
    seen: HashSet<(u32, Span)>,
}

impl<'a> Scan<'a> {
    fn new(patterns: &'a TextPatterns, source: &'a Source, only_secrets: bool) -> Self {
        let lock_file = is_lock_file(source.name());
        Self {
            patterns,
            source,
            only_secrets,
            lock_file,
            done: HashMap::new(),
            seen: HashSet::new(),
        }
    }

    /// Tries a pattern around a keyword.
    fn near(&mut self, index: u32, start: usize, end: usize, report: &mut Report<'_>) {
        let done = self.done.get(&index).copied();
        // The last window still reaches far enough past this keyword.
        if done.is_some_and(|done| end + AFTER / 2 <= done) {
            return;
        }
        if done.is_none() && !self.applies(index, report) {
            self.done.insert(index, usize::MAX);
            return;
        }
        let reach = self.patterns.patterns[index as usize].header.reach as usize;
        let window = self.window(start, end, reach);
        // The whole line was tried already.
        if done.is_some_and(|done| window.end <= done) {
            return;
        }
        self.done.insert(index, window.end);
        self.try_pattern(index, window, report);
    }

    fn applies(&self, index: u32, report: &mut Report<'_>) -> bool {
        let pattern = &self.patterns.patterns[index as usize];
        let secret = pattern.header.secret;
        !(self.only_secrets && secret.is_none()
            || self.lock_file && secret.is_some_and(|sure| sure < Confidence::High))
            && report.begin(&pattern.rule)
            && pattern.globs.matches(self.source.path())
    }

    /// The text around a keyword that a match may lie in.
    fn window(&self, start: usize, end: usize, reach: usize) -> std::ops::Range<usize> {
        let text = self.source.text().as_bytes();
        let from = start.saturating_sub(BEFORE);
        let first =
            memchr::memrchr2(b'\n', b'\r', &text[from..start]).map_or(from, |at| from + at + 1);
        let to = (end + AFTER).min(text.len());
        let last = memchr::memchr2(b'\n', b'\r', &text[end..to]).map_or(to, |at| end + at);
        first..last.max(end.saturating_add(reach).min(text.len()))
    }

    fn try_pattern(&mut self, index: u32, window: std::ops::Range<usize>, report: &mut Report<'_>) {
        let pattern = &self.patterns.patterns[index as usize];
        if pattern.header.keywords.is_empty() && !self.applies(index, report)
            || !report.begin(&pattern.rule)
        {
            return;
        }
        let Some(compiled) = pattern.compiled() else { return };
        let text = self.source.text();
        let mut captures = compiled.regex.create_captures();
        let mut at = window.start;
        while at <= window.end {
            let input = Input::new(text).range(at..window.end).anchored(Anchored::No);
            compiled.regex.search_captures(&input, &mut captures);
            let (Some(whole), Some(found)) =
                (captures.get_match(), captures.get_group(compiled.group))
            else {
                return;
            };
            at = whole.end().max(at + 1);
            let span = Span::new(found.start, found.end);
            if pattern.accepts(compiled, self.source.slice(span)) && self.seen.insert((index, span))
            {
                pattern.report(self.source, &captures, compiled, span, report);
            }
        }
    }
}

impl TextPattern {
    fn new(rule: &Rule) -> Option<Self> {
        let check: &CheckHeader = rule.check.as_ref()?;
        let header = check.text.clone()?;
        Some(Self {
            rule: rule.id.clone(),
            header,
            fix: check.fix.clone(),
            message: rule.message.clone().unwrap_or_else(|| rule.summary.clone()),
            help: rule.help.clone(),
            globs: Globs::of_check(check, rule.path.as_deref()),
            compiled: OnceLock::new(),
        })
    }

    /// `None` for an expression that does not compile: its page carries the finding.
    fn compiled(&self) -> Option<&Compiled> {
        self.compiled.get_or_init(|| compile(&self.header).ok()).as_ref()
    }

    /// The tests on the found text that an expression cannot state.
    fn accepts(&self, compiled: &Compiled, found: &str) -> bool {
        let secret = self.header.secret.is_some();
        shape::entropy(found) >= self.header.entropy
            && !(self.header.random && !shape::looks_random(found))
            && !(secret && is_placeholder(found))
            && !compiled.unless.iter().any(|unless| unless.is_match(found))
    }

    fn report(
        &self,
        source: &Source,
        captures: &Captures,
        compiled: &Compiled,
        span: Span,
        report: &mut Report<'_>,
    ) {
        let message = super::fill(&self.message, source, span, |name| {
            captures
                .get_group_by_name(name)
                .map(|group| source.slice(Span::from(group.range())).to_owned())
        });
        let finding = report.at(span, message);
        finding.help.clone_from(&self.help);
        if self.header.secret.is_some() {
            finding.secret(span);
        }
        if let Some(fix) = &self.fix {
            offer(fix, source, captures, compiled, span, finding);
        }
    }
}

fn offer(
    fix: &FixHeader,
    source: &Source,
    captures: &Captures,
    compiled: &Compiled,
    span: Span,
    finding: &mut Finding,
) {
    let mut text = String::new();
    interpolate::string(
        &fix.replace,
        |index, into| {
            if let Some(group) = captures.get_group(index) {
                into.push_str(source.slice(Span::from(group.range())));
            }
        },
        |name| compiled.regex.group_info().to_index(regex_automata::PatternID::ZERO, name),
        &mut text,
    );
    let title =
        if text.is_empty() { "Delete it".to_owned() } else { format!("Replace by `{text}`") };
    let edits = vec![Edit::replace(span, text)];
    if fix.safe {
        finding.fix(title, edits)
    } else {
        finding.fix_unsafe(title, edits)
    };
}

/// Compiles the expressions of a text pattern.
///
/// # Errors
/// What is wrong with the expression, as its parser says it.
pub(crate) fn check_header(header: &TextHeader) -> Result<(), String> {
    compile(header).map(|_| ())
}

fn compile(header: &TextHeader) -> Result<Compiled, String> {
    // The alphabets of secrets are ASCII, and ASCII classes are several times faster.
    let unicode = header.secret.is_none();
    let text = match (&header.regex, &header.assigned) {
        (Some(regex), _) => regex.clone(),
        (None, Some(value)) => assigned(&header.keywords, value),
        (None, None) => return Err("neither `regex` nor `assigned`".to_owned()),
    };
    let regex = build(&text, unicode)?;
    let group = regex.group_info().to_index(regex_automata::PatternID::ZERO, "at").unwrap_or(0);
    let unless = header.unless.iter().map(|text| build(text, unicode)).collect::<Result<_, _>>()?;
    Ok(Compiled { regex, group, unless })
}

fn build(text: &str, unicode: bool) -> Result<Regex, String> {
    Regex::builder()
        .syntax(syntax::Config::new().unicode(unicode).utf8(unicode).multi_line(true))
        .configure(Regex::config().utf8_empty(false).nfa_size_limit(Some(PROGRAM_LIMIT)))
        .build(text)
        .map_err(|error| {
            let detail =
                error.syntax_error().map_or_else(|| error.to_string(), ToString::to_string);
            detail.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
        })
}

/// The expression for a value that is assigned to a name with one of `keywords` in it.
fn assigned(keywords: &[String], value: &str) -> String {
    let names: Vec<String> = keywords.iter().map(|keyword| regex::escape(keyword)).collect();
    format!(
        r#"(?i:{names})[\w.\-]{{0,40}}["'\])`]{{0,2}}(?:[ \t]{{0,8}}(?:=>|:=|::|\|\||[=:>,(])|[ \t])[ \t]{{0,8}}\\?["'`]{{0,3}}(?:(?i:bearer|token|basic)[ \t]+)?(?P<at>{value})(?:[^\w\-+/=.]|[.=]?(?:\s|$)|\\[nrt"])"#,
        names = names.join("|"),
    )
}

/// Files that hold nothing but names, versions and hashes.
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
