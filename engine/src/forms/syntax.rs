//! Syntax patterns: ast-grep rules on a tree-sitter tree; all rules of a language share one tree.

use crate::forms::expression;
use crate::parse::syntax::Tree;
use crate::rules::rule::{Report, Rule};
use crate::text::finding::RuleId;
use crate::text::nearest::nearest;
use crate::text::paths::Globs;
use crate::text::source::{Source, Span};
use crate::text::time_limit::{self, Exceeded, end_if_exceeded};
use aidd_page::{Form, SyntaxHeader, Tables};
use ast_grep_config::{GlobalRules, RuleConfig};
use ast_grep_core::matcher::{Matcher, MatcherExt};
use ast_grep_core::{Language, Node};
use ast_grep_language::SupportLang;
use regex::Regex;
use serde_json::{Map, Value};
use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

mod fix;
mod linked;
mod messages;
pub(crate) mod prevailing;
mod recursion;
mod stack;
pub(crate) mod trees;

use fix::{binds_sources, edit, replacement_title};
use linked::{LinkedDoc, LinkedMatch};
use messages::{error_chain, key_with_list, rewrite_error};

/// Time limit for all syntax patterns on one file.
const BUDGET: Duration = Duration::from_secs(2);

/// Number of match attempts between two reads of the clock: one read takes as long as a fast
/// attempt.
const ATTEMPTS_PER_CLOCK_READ: u32 = 8;

/// The languages whose grammars are built in, by ast-grep's names.
pub const LANGUAGES: [(&str, SupportLang); 16] = [
    ("bash", SupportLang::Bash),
    ("c", SupportLang::C),
    ("csharp", SupportLang::CSharp),
    ("css", SupportLang::Css),
    ("go", SupportLang::Go),
    ("html", SupportLang::Html),
    ("java", SupportLang::Java),
    ("javascript", SupportLang::JavaScript),
    ("json", SupportLang::Json),
    ("php", SupportLang::Php),
    ("python", SupportLang::Python),
    ("ruby", SupportLang::Ruby),
    ("rust", SupportLang::Rust),
    ("tsx", SupportLang::Tsx),
    ("typescript", SupportLang::TypeScript),
    ("yaml", SupportLang::Yaml),
];

/// All syntax patterns of an engine, by language.
#[derive(Debug)]
pub struct SyntaxPatterns {
    tables: &'static Tables,
    /// In the order of [`LANGUAGES`]; collected when the first file of the language is checked.
    by_language: [OnceLock<Vec<SyntaxPattern>>; LANGUAGES.len()],
}

struct SyntaxPattern {
    rule: Rule,
    language: &'static str,
    /// Compiled when the first file of the language is checked with the rule enabled, because most
    /// rules are disabled.
    globs: OnceLock<Globs>,
    /// `None` if the rule is invalid.
    config: OnceLock<Option<Box<RuleConfig<SupportLang>>>>,
    /// A finding is suppressed if this expression matches the text after the finding on the same
    /// line; `None` if the page does not set an expression.
    suppressing: OnceLock<Option<Regex>>,
}

impl fmt::Debug for SyntaxPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SyntaxPattern").field("rule", &self.rule.id).finish_non_exhaustive()
    }
}

/// The patterns exceeded their time limit on one file.
#[derive(Debug, PartialEq, Eq)]
pub struct OverBudget {
    /// The rule that was running when the time limit was reached.
    pub rule: RuleId,
}

impl SyntaxPatterns {
    /// No patterns yet; `tables` are the precomputed tables of the shipped pages.
    #[must_use]
    pub fn new(tables: &'static Tables) -> Self {
        Self { tables, by_language: [const { OnceLock::new() }; LANGUAGES.len()] }
    }

    /// The patterns of `rules` in `language`. A pattern that does not compile is omitted; the error is
    /// reported on its rule page.
    fn in_language(&self, language: &str, rules: &[Rule]) -> &[SyntaxPattern] {
        let Some(at) = LANGUAGES.iter().position(|(name, _)| *name == language) else {
            return &[];
        };
        let language = LANGUAGES[at].0;
        let includes = |names: &mut dyn Iterator<Item = &str>| {
            languages(names).is_ok_and(|known| known.iter().any(|(name, _)| *name == language))
        };
        let collect = || {
            // The languages of the shipped pages come from a precomputed table.
            let shipped = self.tables.languages.all();
            let shipped = shipped.filter(|(name, _)| includes(&mut std::iter::once(*name)));
            let shipped: HashSet<usize> = shipped.map(|(_, page)| page).collect();
            let applies = |rule: &&Rule| match rule.shipped_page() {
                Some(page) => shipped.contains(&page),
                None => header(rule).is_some_and(|header| {
                    includes(&mut header.language.iter().map(String::as_str))
                }),
            };
            let rules = rules.iter().filter(|rule| rule.form == Some(Form::Syntax));
            let pattern = |rule: &Rule| SyntaxPattern {
                rule: rule.clone(),
                language,
                globs: OnceLock::new(),
                config: OnceLock::new(),
                suppressing: OnceLock::new(),
            };
            rules.filter(applies).map(pattern).collect()
        };
        self.by_language[at].get_or_init(collect)
    }

    /// Runs all enabled patterns of the source's language over its tree. `rules` must be the same in
    /// each call.
    ///
    /// # Errors
    /// The time limit for one file was exceeded; the findings so far remain in the report.
    pub fn run(
        &self,
        rules: &[Rule],
        tree: &Tree<'_>,
        report: &mut Report<'_>,
    ) -> Result<(), OverBudget> {
        self.run_within(BUDGET, rules, tree, report)
    }

    fn run_within(
        &self,
        budget: Duration,
        rules: &[Rule],
        tree: &Tree<'_>,
        report: &mut Report<'_>,
    ) -> Result<(), OverBudget> {
        let source = report.source();
        let Some((name, language)) = language_of(source.path()) else { return Ok(()) };
        let active: Vec<Active<'_>> = self
            .in_language(name, rules)
            .iter()
            .filter(|pattern| {
                report.begin(&pattern.rule.id) && pattern.globs().matches(source.path())
            })
            .filter_map(|pattern| Some((pattern, pattern.config()?)))
            .collect();
        if active.is_empty() {
            return Ok(());
        }
        // The caller that runs all patterns reports a parser timeout.
        let Some(tree) = tree.in_language(language) else { return Ok(()) };
        let tree = LinkedDoc::tree(tree);
        let root = tree.root();
        let tried = Cell::new(0);
        let search = || time_limit::run_within(budget, || search(&root, &active, &tried, report));
        let searched = stack::with_stack(&root.get_inner_node().node(), search);
        // A tree that is too deep for the stack is not searched.
        let over_budget = |Exceeded| OverBudget { rule: active[tried.get()].0.rule.id.clone() };
        searched.unwrap_or(Err(Exceeded)).map_err(over_budget)
    }
}

/// A pattern and its compiled form.
type Active<'p> = (&'p SyntaxPattern, &'p RuleConfig<SupportLang>);

/// Tries patterns on all nodes below `root`, until the time limit of the check. `current` is the index
/// of the pattern that was tried last.
fn search(
    root: &Node<'_, LinkedDoc>,
    active: &[Active<'_>],
    current: &Cell<usize>,
    report: &mut Report<'_>,
) {
    // Node kind → the patterns that can match it, computed when the kind first occurs.
    let mut by_kind: Vec<Option<Vec<usize>>> = Vec::new();
    let mut tried = 0_u32;
    for node in root.dfs() {
        let kind = node.kind_id();
        // The kind of an error node is the maximum value, which would make the table very long.
        let slot = usize::from(kind.wrapping_add(1));
        if by_kind.len() <= slot {
            by_kind.resize(slot + 1, None);
        }
        let candidates = by_kind[slot].get_or_insert_with(|| {
            let can_match = |(_, config): &Active<'_>| {
                config.matcher.potential_kinds().is_none_or(|kinds| kinds.contains(kind.into()))
            };
            (0..active.len()).filter(|&index| can_match(&active[index])).collect()
        });
        for &index in &*candidates {
            let (pattern, config) = active[index];
            current.set(index);
            if let Some(found) = config.matcher.match_node(node.clone()) {
                pattern.report(config, &found, report);
            }
            tried = tried.wrapping_add(1);
            if tried.is_multiple_of(ATTEMPTS_PER_CLOCK_READ) {
                end_if_exceeded();
            }
        }
    }
}

impl SyntaxPattern {
    fn globs(&self) -> &Globs {
        self.globs.get_or_init(|| {
            let check = self.rule.check.as_ref();
            check.map_or_else(Globs::all, |check| {
                Globs::from_check(check, self.rule.path.as_deref())
            })
        })
    }

    fn config(&self) -> Option<&RuleConfig<SupportLang>> {
        let compile = || {
            let header = header(&self.rule)?;
            reject_slow(header).ok()?;
            recursion::reject_recursive(header).ok()?;
            config(&self.rule.id, self.language, header).ok().map(Box::new)
        };
        self.config.get_or_init(compile).as_deref()
    }

    fn report(
        &self,
        config: &RuleConfig<SupportLang>,
        found: &LinkedMatch<'_>,
        report: &mut Report<'_>,
    ) {
        let Some(header) = header(&self.rule).filter(|_| report.begin(&self.rule.id)) else {
            return;
        };
        let source = report.source();
        let span = Span::from(found.range());
        let suppressing =
            self.suppressing.get_or_init(|| compile_unless_followed_by(header).ok().flatten());
        if suppressing
            .as_ref()
            .is_some_and(|suppressing| suppressing.is_match(rest_of_line(source, span)))
        {
            return;
        }
        let env = found.get_env();
        let template = self.rule.message.as_ref().unwrap_or(&self.rule.summary);
        let message = super::fill(template, source, span, |name| {
            env.get_match(name).map(|node| node.text().into_owned())
        });
        let finding = report.at(span, message);
        finding.help.clone_from(&self.rule.help);
        for (variable, label) in &header.labels {
            if let Some(node) = env.get_match(variable) {
                finding.related(Span::from(node.range()), label.clone());
            }
        }
        let fixer = config.fixer.first().filter(|_| binds_sources(header, found));
        let edit = fixer.map(|fixer| edit(fixer, found, config));
        // A replacement that does not change the text is not offered.
        if let Some(edit) = edit.filter(|edit| edit.text != source.slice(edit.span)) {
            let title = replacement_title(&edit.text);
            if header.safe {
                finding.fix(title, vec![edit])
            } else {
                finding.fix_unsafe(title, vec![edit])
            };
        }
    }
}

/// Maximum number of bytes after a match that are searched on its line: one line can contain
/// thousands of matches.
const MAX_REST_OF_LINE: u32 = 4096;

/// The text after `span` on its last line.
fn rest_of_line(source: &Source, span: Span) -> &str {
    let last = span.end.saturating_sub(1).max(span.start);
    let line = source.line_span(source.line_of(last));
    let end = line.end.max(span.end).min(span.end.saturating_add(MAX_REST_OF_LINE));
    source.slice(Span { start: span.end, end })
}

/// Compiles the expression of `unless-followed-by`.
fn compile_unless_followed_by(header: &SyntaxHeader) -> Result<Option<Regex>, String> {
    let Some(text) = header.unless_followed_by.as_deref() else { return Ok(None) };
    expression::check(text).map_err(|why| format!("`unless-followed-by`: {why}"))?;
    Regex::new(text).map(Some).map_err(|error| format!("`unless-followed-by`: {error}"))
}

/// The `syntax` check of a rule.
fn header(rule: &Rule) -> Option<&SyntaxHeader> {
    rule.check.as_ref()?.syntax.as_deref()
}

/// The language of the file at `path`: ast-grep's name and the grammar.
pub fn language_of(path: &str) -> Option<(&'static str, SupportLang)> {
    let language = SupportLang::from_path(path)?;
    LANGUAGES.into_iter().find(|&(_, known)| known == language)
}

/// Whether the pattern applies to the language of the file at `path`.
pub(crate) fn applies_to(header: &SyntaxHeader, path: &str) -> bool {
    language_of(path).is_some_and(|(language, _)| {
        let names = header.language.iter().map(|name| name.to_ascii_lowercase());
        names
            .into_iter()
            .any(|name| name == language || (&*name, language) == ("typescript", "tsx"))
    })
}

/// Checks whether the header of a syntax pattern is valid.
///
/// # Errors
/// An unknown language, or a rule that does not parse, has no node kind to start at, would be
/// too slow, or recurses without a bound.
pub(crate) fn check_header(header: &SyntaxHeader) -> Result<(), String> {
    reject_slow(header)?;
    recursion::reject_recursive(header)?;
    compile_unless_followed_by(header)?;
    prevailing::validate(header)?;
    languages(&header.language)?
        .into_iter()
        .try_for_each(|(name, _)| config("check", name, header).map(drop))
}

/// Common short name of a language → its name in [`LANGUAGES`].
const ALIASES: [(&str, &str); 14] = [
    ("ts", "typescript"),
    ("js", "javascript"),
    ("jsx", "javascript"),
    ("py", "python"),
    ("python3", "python"),
    ("rs", "rust"),
    ("cs", "csharp"),
    ("c#", "csharp"),
    ("golang", "go"),
    ("rb", "ruby"),
    ("sh", "bash"),
    ("shell", "bash"),
    ("zsh", "bash"),
    ("yml", "yaml"),
];

/// The languages with these names, without duplicates.
fn languages<S: AsRef<str>>(
    names: impl IntoIterator<Item = S>,
) -> Result<Vec<(&'static str, SupportLang)>, String> {
    let mut languages = Vec::new();
    for language in names {
        let language = language.as_ref();
        let name = language.to_ascii_lowercase();
        let known = |(built_in, _): &(&str, SupportLang)| *built_in == name;
        languages.push(*LANGUAGES.iter().find(|row| known(row)).ok_or_else(|| {
            let names: Vec<&str> = LANGUAGES.iter().map(|(name, _)| *name).collect();
            let full_name = ALIASES.iter().find(|(short, _)| *short == name).map(|(_, long)| *long);
            let hint = match full_name.or_else(|| nearest(&name, names.iter().copied())) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("expected one of {}", names.join(", ")),
            };
            format!("`{language}` is not a built-in language; {hint}")
        })?);
        // For authors, TypeScript and TSX are one language, but they have two grammars.
        if name == "typescript" {
            languages.push(("tsx", SupportLang::Tsx));
        }
    }
    if languages.is_empty() {
        return Err("a syntax pattern requires at least one language".to_owned());
    }
    languages.sort_by_key(|(name, _)| *name);
    languages.dedup_by_key(|(name, _)| *name);
    Ok(languages)
}

fn config(
    id: &str,
    language: &str,
    header: &SyntaxHeader,
) -> Result<RuleConfig<SupportLang>, String> {
    let mut rule = Map::new();
    rule.insert("id".to_owned(), id.into());
    rule.insert("language".to_owned(), language.into());
    let parts = [
        ("rule", Some(&header.rule)),
        ("constraints", header.constraints.as_ref()),
        ("utils", header.utils.as_ref()),
        ("transform", header.transform.as_ref()),
        ("fix", header.fix.as_ref()),
    ];
    for (key, yaml) in parts {
        if let Some(yaml) = yaml {
            rule.insert(
                key.to_owned(),
                serde_json::from_str(&yaml.0).map_err(|error| error.to_string())?,
            );
        }
    }
    if let Some(key) = rule.get("rule").and_then(|rule| key_with_list("rule", rule)) {
        return Err(format!(
            "`{key}` is a list; expected one rule as a mapping, such as `{{ kind: … }}`"
        ));
    }
    // JSON is a subset of YAML.
    let yaml = Value::Object(rule).to_string();
    let mut rules = ast_grep_config::from_yaml_string(&yaml, &GlobalRules::default())
        .map_err(|error| rewrite_error(&error_chain(&error), language))?;
    rules.pop().ok_or_else(|| "the rule is empty".to_owned())
}

/// Rejects two nested relational rules that both search without a bound: the cost of such rules
/// grows with the square of the file size, or with nodes × depth for a leaf kind (ast-grep #1920).
fn reject_slow(header: &SyntaxHeader) -> Result<(), String> {
    let parts = [Some(&header.rule), header.constraints.as_ref(), header.utils.as_ref()];
    for yaml in parts.into_iter().flatten() {
        let value: Value = serde_json::from_str(&yaml.0).map_err(|error| error.to_string())?;
        if let Some((outer, inner)) = unbounded_pair(&value) {
            return Err(format!(
                "`{inner}` with `stopBy: end` inside `{outer}` with `stopBy: end` is too slow: start at the \
                 larger node, or bound one of them"
            ));
        }
    }
    Ok(())
}

/// Two nested relations that both search without a bound, outer first.
fn unbounded_pair(value: &Value) -> Option<(&'static str, &'static str)> {
    const RELATIONS: [&str; 4] = ["inside", "has", "follows", "precedes"];
    // A worklist instead of recursion, because the nesting depth of the YAML is not limited.
    let mut remaining = vec![(value, None)];
    while let Some((value, outer)) = remaining.pop() {
        match value {
            Value::Array(items) => remaining.extend(items.iter().map(|item| (item, outer))),
            Value::Object(object) => {
                for (key, item) in object {
                    let relation = RELATIONS.into_iter().find(|relation| relation == key);
                    let unbounded = item.get("stopBy").is_some_and(|stop| stop == "end");
                    match (relation.filter(|_| unbounded), outer) {
                        (Some(inner), Some(outer)) => return Some((outer, inner)),
                        (Some(relation), None) => remaining.push((item, Some(relation))),
                        (None, _) => remaining.push((item, outer)),
                    }
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::registry::Registry;
    use crate::rules::select;

    #[test]
    fn a_pattern_that_takes_too_long_is_reported() {
        let page = "---\nseverity: error\ncheck:\n  syntax: { language: [rust], rule: { kind: identifier } }\n---\n# a/b\n\nWhy.\n";
        let registry =
            Registry::new(crate::DISTRIBUTION.pages, &[("rules/a.md".into(), page.to_owned())]);
        let patterns = SyntaxPatterns::new(crate::DISTRIBUTION.pages);
        let rules = registry.rules();
        let settings = select::defaults(registry.rules());
        let source = Source::new("a.rs", format!("fn a() {{ {} }}", "b(c);".repeat(40)));
        let mut report = Report::new(&source, &settings);
        let tree = Tree::new(&source);
        let result = patterns.run_within(Duration::ZERO, rules, &tree, &mut report);
        assert_eq!(result, Err(OverBudget { rule: "a/b".into() }));
        assert_eq!(patterns.run_within(BUDGET, rules, &tree, &mut report), Ok(()));
        assert!(report.finish().iter().any(|finding| &*finding.rule == "a/b"));
    }
}
