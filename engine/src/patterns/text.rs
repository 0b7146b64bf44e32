//! Text patterns: one pass over the text for the keywords of all rules, then each rule's regular
//! expression near its keywords only. Expressions compile when first needed.

use super::keywords::Keywords;
use super::placeholder::is_placeholder;
use super::prefilter::Prefilter;
use super::{password, shape};
use crate::finding::{Edit, Finding};
use crate::paths::Globs;
use crate::rule::{Report, Rule};
use crate::source::{Source, Span};
use aidd_content::page::{CheckHeader, Confidence, FixHeader, Form, TextHeader};
use regex_automata::meta::Regex;
use regex_automata::util::captures::Captures;
use regex_automata::util::interpolate;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};
use std::collections::HashSet;
use std::ops::Range;
use std::sync::OnceLock;

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
    keywords: Keywords,
}

/// One rule's text pattern.
#[derive(Debug)]
struct TextPattern {
    /// Index of the rule.
    rule: usize,
    /// Made when one of its keywords is first met.
    ready: OnceLock<Box<Ready>>,
}

#[derive(Debug)]
struct Ready {
    globs: Globs,
    compiled: OnceLock<Option<Compiled>>,
}

impl TextPattern {
    fn ready(&self, check: &CheckHeader, rule: &Rule) -> &Ready {
        self.ready.get_or_init(|| {
            let globs = Globs::of_check(check, rule.path.as_deref());
            Box::new(Ready { globs, compiled: OnceLock::new() })
        })
    }
}

#[derive(Debug)]
struct Compiled {
    regex: Regex,
    /// The group that the finding covers.
    group: usize,
    unless: Vec<Regex>,
    unless_match: Vec<Regex>,
}

impl TextPatterns {
    /// The patterns of those `rules` that have one; the places of the words in `watch` are noted
    /// in passing.
    #[must_use]
    pub fn new(rules: &[Rule], watch: &[&'static str]) -> Self {
        let of_text = || rules.iter().enumerate().filter(|(_, rule)| rule.form == Some(Form::Text));
        let pattern = |(rule, _)| TextPattern { rule, ready: OnceLock::new() };
        let (keywords, words) = Keywords::new(of_text().map(|(_, rule)| rule), watch);
        Self {
            patterns: of_text().map(pattern).collect(),
            prefilter: Prefilter::new(words),
            keywords,
        }
    }

    /// Runs all enabled patterns over the source of `report`; only those for secrets when the
    /// source is too large or not text. `rules` are those the patterns were made of.
    /// Returns the offsets of the watched words.
    pub fn run(&self, rules: &[Rule], only_secrets: bool, report: &mut Report<'_>) -> Vec<usize> {
        let source = report.source();
        let mut scan = Scan::new(self, rules, source, only_secrets);
        for &index in &self.keywords.everywhere {
            if scan.applies(index, report) {
                scan.try_pattern(index, 0..source.text().len(), report);
            }
        }
        let mut watched = Vec::new();
        self.prefilter.each(source.text(), |keyword, place| {
            if self.keywords.is_watched(keyword) {
                watched.push(place.start);
            }
            for &index in self.keywords.owners(keyword) {
                scan.near(index, place.start, place.end, report);
            }
        });
        watched
    }
}

/// The state of one pass over one source.
struct Scan<'a> {
    patterns: &'a TextPatterns,
    rules: &'a [Rule],
    source: &'a Source,
    only_secrets: bool,
    lock_file: bool,
    /// Pattern → where its last window ended: 0 before the first, `usize::MAX` once it is known not
    /// to apply to the source.
    done: Vec<usize>,
    seen: HashSet<(u32, Span)>,
}

impl<'a> Scan<'a> {
    fn new(
        patterns: &'a TextPatterns,
        rules: &'a [Rule],
        source: &'a Source,
        only_secrets: bool,
    ) -> Self {
        let lock_file = is_lock_file(source.name());
        Self {
            patterns,
            rules,
            source,
            only_secrets,
            lock_file,
            done: vec![0; patterns.patterns.len()],
            seen: HashSet::new(),
        }
    }

    /// A pattern, its rule and the header that states it.
    fn pattern(
        &self,
        index: u32,
    ) -> Option<(&'a TextPattern, &'a Rule, &'a CheckHeader, &'a TextHeader)> {
        let pattern = self.patterns.patterns.get(index as usize)?;
        let rule = self.rules.get(pattern.rule)?;
        let check = rule.check.as_ref()?;
        Some((pattern, rule, check, check.text.as_ref()?))
    }

    /// Tries a pattern around a keyword.
    fn near(&mut self, index: u32, start: usize, end: usize, report: &mut Report<'_>) {
        let done = self.done[index as usize];
        // The last window still reaches far enough past this keyword.
        if end + AFTER / 2 <= done {
            return;
        }
        if done == 0 && !self.applies(index, report) {
            self.done[index as usize] = usize::MAX;
            return;
        }
        let Some((.., header)) = self.pattern(index) else { return };
        let window = self.window(start, end, header.reach as usize);
        // The whole line was tried already.
        if window.end <= done {
            return;
        }
        self.done[index as usize] = window.end;
        self.try_pattern(index, window, report);
    }

    fn applies(&self, index: u32, report: &mut Report<'_>) -> bool {
        let Some((pattern, rule, check, header)) = self.pattern(index) else { return false };
        let unsure = header.secret.is_some_and(|sure| sure < Confidence::High);
        !(self.only_secrets && header.secret.is_none() || self.lock_file && unsure)
            && report.begin(&rule.id)
            && pattern.ready(check, rule).globs.matches(self.source.path())
            // A page shows what it speaks against.
            && rule.path.as_deref() != Some(self.source.path())
    }

    /// The text around a keyword that a match may lie in: its line, with the line break.
    fn window(&self, start: usize, end: usize, reach: usize) -> Range<usize> {
        let text = self.source.text().as_bytes();
        let from = start.saturating_sub(BEFORE);
        let first =
            memchr::memrchr2(b'\n', b'\r', &text[from..start]).map_or(from, |at| from + at + 1);
        let to = (end + AFTER).min(text.len());
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
        // An expression that does not compile: its page carries the finding.
        let ready = pattern.ready(check, rule);
        let Some(compiled) = ready.compiled.get_or_init(|| compile(header).ok()) else { return };
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
            // The next match may share the boundary that this one ended with.
            at = found.end.max(whole.start() + 1).max(at + 1);
            let span = Span::new(found.start, found.end);
            let around = self.source.slice(Span::from(whole.range()));
            if accepts(header, compiled, self.source.slice(span), around)
                && self.seen.insert((index, span))
            {
                let finding = state(rule, self.source, &captures, span, report);
                if header.secret.is_some() {
                    finding.secret(span);
                }
                if let Some((fix, replace)) =
                    check.fix.as_ref().and_then(|fix| Some((fix, fix.replace.as_deref()?)))
                {
                    offer(fix, replace, self.source, &captures, compiled, span, finding);
                }
            }
        }
    }
}

/// The tests on the found text that an expression cannot state.
fn accepts(header: &TextHeader, compiled: &Compiled, found: &str, whole: &str) -> bool {
    let credible = header.secret.is_none() || !is_placeholder(found);
    credible
        && shape::entropy(found) >= header.entropy
        && (!header.random || shape::looks_random(found))
        && !(header.password && password::is_example(found, whole))
        && !compiled.unless.iter().any(|unless| unless.is_match(found))
        && !compiled.unless_match.iter().any(|unless| unless.is_match(whole))
}

fn state<'r>(
    rule: &Rule,
    source: &Source,
    captures: &Captures,
    span: Span,
    report: &'r mut Report<'_>,
) -> &'r mut Finding {
    let message = rule.message.as_deref().unwrap_or(&rule.summary);
    let message = super::fill(message, source, span, |name| {
        captures
            .get_group_by_name(name)
            .map(|group| source.slice(Span::from(group.range())).to_owned())
    });
    let finding = report.at(span, message);
    finding.help.clone_from(&rule.help);
    finding
}

fn offer(
    fix: &FixHeader,
    replace: &str,
    source: &Source,
    captures: &Captures,
    compiled: &Compiled,
    span: Span,
    finding: &mut Finding,
) {
    let mut text = String::new();
    interpolate::string(
        replace,
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
    let all = |texts: &[String]| {
        texts.iter().map(|text| build(text, unicode)).collect::<Result<_, String>>()
    };
    let (unless, unless_match) = (all(&header.unless)?, all(&header.unless_match)?);
    Ok(Compiled { regex, group, unless, unless_match })
}

fn build(text: &str, unicode: bool) -> Result<Regex, String> {
    Regex::builder()
        .syntax(syntax::Config::new().unicode(unicode).utf8(unicode).multi_line(true).crlf(true))
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
        r#"(?i:{names})[0-9A-Za-z_.\-]{{0,40}}(?:(?:[ \t][A-Za-z]{{2,12}}){{1,3}}[ \t]{{0,2}}[:=]|(?:\\?["'\])`]){{0,2}}(?:[ \t]{{0,8}}(?::?[ \t]{{0,4}}[&0-9A-Za-z_<>\[\]?.']{{1,24}}[ \t]{{1,4}}=|:[0-9A-Za-z_<>?]{{1,24}}=|=>|:{{1,3}}=?|\?\??=?|\|\|[=:]?|={{1,3}}|[>,(])|[ \t]+value=|[ \t]))[ \t]{{0,8}}(?:(?:@|[bBfFrRuU]{{1,2}})?\\?["'`]{{1,3}}|\[{{1,2}}["']?)?(?:(?i:bearer|token|basic)[ \t]+)?(?P<at>{value})(?:[^\w\-+/=.]|[.=]?(?:\s|$)|\\[nrt"])"#,
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

#[cfg(test)]
mod tests {
    use crate::check::{Engine, Selection};
    use crate::config::Config;
    use crate::files::Memory;
    use crate::registry::Registry;
    use crate::source::Source;

    fn found(check: &str, text: &str) -> Vec<String> {
        let page =
            format!("---\nseverity: error\ncheck:\n  text: {{ {check} }}\n---\n# a/b\n\nWhy.\n");
        let registry = Registry::new(&[("rules/a.md".into(), page)]);
        let engine =
            Engine::new(registry, &Config::default(), &Selection::default()).expect("valid");
        let rule = engine.registry().get("a/b").expect("present");
        assert_eq!(crate::patterns::problems(rule), Vec::<String>::new());
        let source = Source::new("x", text);
        let findings = engine.check_rule(&rule.id, &source, &Memory::default());
        findings.iter().map(|finding| source.slice(finding.span).to_owned()).collect()
    }

    #[test]
    fn line_breaks_of_all_kinds_end_a_token() {
        let check = r"regex: '\bk_(?P<at>[a-z]{4})(?:[^a-z]|$)', keywords: [k_]";
        for end in ["", "\n", "\r\n", "\r", ";\r\n"] {
            assert_eq!(found(check, &format!("x = k_abcd{end}")), ["abcd"], "{end:?}");
        }
        assert_eq!(found(check, "k_abcd k_efgh\r\nk_abcde k_ijkl"), ["abcd", "efgh", "ijkl"]);
        assert_eq!(
            found("assigned: '[a-z]{4}', keywords: [key]", "key=abcd\r\nkey: 'efgh'\r\n"),
            ["abcd", "efgh"]
        );
    }

    #[test]
    fn the_name_of_an_assigned_value_may_have_words_after_it() {
        let check = "assigned: '[0-9]{4}', keywords: [acme]";
        assert_eq!(
            found(check, "Acme access token: 1234\nacme secret key = 5678"),
            ["1234", "5678"]
        );
        assert_eq!(found(check, "<meta name='acme-site' content='1234'>"), [""; 0]);
        assert_eq!(found(check, "acme was founded in the year: 1234"), [""; 0]);
    }

    #[test]
    fn keywords_are_found_in_any_case_and_on_very_long_lines() {
        let check = "regex: 'KEY[0-9]', keywords: [key]";
        assert_eq!(found(check, "KEY1 key2 Key3 KEY4"), ["KEY1", "KEY4"]);
        let long = format!("{}KEY1{}KEY2", " key ".repeat(4000), " key ".repeat(4000));
        assert_eq!(found(check, &long), ["KEY1", "KEY2"]);
    }

    #[test]
    fn what_stands_beside_a_finding_may_excuse_it() {
        let check = r"regex: '://u:(?P<at>[a-z]+)@[a-z.]+', keywords: ['://'], unless-match: ['@localhost$']";
        assert_eq!(found(check, "a://u:abc@localhost a://u:def@host.io"), ["def"]);
    }

    #[test]
    fn a_pattern_without_keywords_keeps_to_its_files() {
        let page = "---\nseverity: error\ncheck:\n  files: ['*.md']\n  text: { regex: 'a' }\n---\n# a/b\n\nWhy.\n";
        let registry = Registry::new(&[("rules/a.md".into(), page.into())]);
        let engine =
            Engine::new(registry, &Config::default(), &Selection::default()).expect("valid");
        let rule = engine.registry().get("a/b").expect("present");
        let count = |path: &str| {
            engine.check_rule(&rule.id, &Source::new(path, "a"), &Memory::default()).len()
        };
        assert_eq!((count("x.md"), count("x.py")), (1, 0));
    }

    #[test]
    fn a_pattern_without_keywords_sees_the_whole_text() {
        assert_eq!(found("regex: '(?s)a.*?b'", "x a\n\nb a b"), ["a\n\nb", "a b"]);
        assert_eq!(found("regex: '^#.*$'", "# a\r\n# b"), ["# a", "# b"]);
    }
}
