//! Parses and runs the examples of a rule page, which are the tests of the page.

use crate::check::Engine;
use crate::forms::commits;
use crate::forms::syntax::trees;
use crate::parse::markdown::{self, Fence};
use crate::rules::rule::Rule;
use crate::text::files::{Files, Listed, Memory, WithBase};
use crate::text::finding::{FileChange, Finding, Fix};
use crate::text::kind::is_memory_path;
use crate::text::listing::Listing;
use crate::text::paths::{Globs, scope_of};
use crate::text::source::{Encoding, Source};
use crate::workspace::commit_checks;
use crate::workspace::fix;
use crate::workspace::project_checks;
use aidd_page::Form;
use std::collections::{BTreeMap, HashMap};
use thiserror::Error;

pub use crate::text::placeholder::JOIN_MARK;

/// The expected result of an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// These findings, one line each: `line:column` and the first line of the text that the finding
    /// covers.
    Fails(Vec<String>),
    /// No findings.
    Passes,
}

/// One example of a page.
#[derive(Clone, Debug)]
pub struct Example {
    /// The one-based line of the page at which the block begins.
    pub line: usize,
    /// The path of the checked file.
    pub path: String,
    /// The text of the file.
    pub text: String,
    /// Other files of the example project.
    pub siblings: Memory,
    /// The files before the change, for a rule that compares the file with its base.
    pub base: Option<Memory>,
    /// The expected result.
    pub expected: Expected,
    /// The offset of the heading above the block.
    heading: usize,
}

/// A `finding` block without a preceding example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("line {line}: a `finding` block without an example before it")]
pub struct StrayFinding {
    /// The one-based line of the page at which the block begins.
    pub line: usize,
}

/// Parses the examples of a page, and the texts under `## Fixed`.
///
/// # Errors
/// A `finding` block without an example.
pub fn read(rule: &Rule) -> Result<(Vec<Example>, Vec<String>), StrayFinding> {
    let source = Source::new("page.md", rule.page.as_ref());
    let mut examples = Vec::new();
    let mut fixed = Vec::new();
    let mut nearby = Memory::default();
    let mut base: Option<Memory> = None;
    let fences = markdown::fences(&source, |_| true);
    let outline = outline(&rule.page, &fences);
    for fence in fences {
        let start = fence.pieces.first().map_or(0, |(_, span)| span.start);
        let line = source.line_of(start);
        let text = fence.text.replace(JOIN_MARK, "").repeat(times(&fence));
        let before = outline.get(..start as usize).unwrap_or_default();
        match section(before) {
            Some("Fails") if fence.language() == "finding" => {
                let Some(Example { expected: Expected::Fails(lines), .. }) = examples.last_mut()
                else {
                    return Err(StrayFinding { line });
                };
                lines.extend(text.lines().map(str::to_owned));
            }
            Some("Fails" | "Passes") if rule.is_project_check() => {
                let heading = heading(before);
                let path = path_of(&fence);
                let passes = section(before) == Some("Passes");
                // Consecutive blocks form one project, up to a `finding` block or a heading.
                let open = examples.last_mut().filter(|last: &&mut Example| {
                    last.heading == heading
                        && match &last.expected {
                            Expected::Passes => passes,
                            Expected::Fails(lines) => !passes && lines.is_empty(),
                        }
                });
                if let Some(example) = open {
                    example.siblings.0.insert(path, text.into_bytes());
                    continue;
                }
                let expected = if passes { Expected::Passes } else { Expected::Fails(Vec::new()) };
                let nearby = Memory([(path, text.into_bytes())].into());
                let (path, text) = (String::new(), String::new());
                examples.push(Example {
                    line,
                    path,
                    text,
                    siblings: nearby,
                    base: None,
                    expected,
                    heading,
                });
            }
            Some(part @ ("Fails" | "Passes")) => {
                let path = path_of(&fence);
                if fence.has_word("base") {
                    base.get_or_insert_default().0.insert(path, text.into_bytes());
                    continue;
                }
                if fence.has_word("with") {
                    nearby.0.insert(path, text.into_bytes());
                    continue;
                }
                let expected =
                    if part == "Fails" { Expected::Fails(Vec::new()) } else { Expected::Passes };
                examples.push(Example {
                    line,
                    path,
                    text,
                    siblings: std::mem::take(&mut nearby),
                    base: base.take(),
                    expected,
                    heading: 0,
                });
            }
            Some("Fixed") => fixed.push(text),
            _ => {}
        }
    }
    Ok((examples, fixed))
}

/// The page without the `#` in its blocks: a heading in an example is not a heading of the page.
fn outline(page: &str, fences: &[Fence]) -> String {
    let mut outline = page.to_owned();
    for (_, span) in fences.iter().flat_map(|fence| &fence.pieces) {
        let blank = page[span.range()].replace('#', " ");
        outline.replace_range(span.range(), &blank);
    }
    outline
}

/// The number of times that the text of a block is repeated: `times=501` creates a long file from
/// one line.
fn times(fence: &Fence) -> usize {
    const MAX_TIMES: usize = 10_000;
    fence.attribute("times").and_then(|times| times.parse().ok()).unwrap_or(1).min(MAX_TIMES)
}

/// The offset of the last heading of any level before a block.
fn heading(before: &str) -> usize {
    ["\n## ", "\n### "].iter().filter_map(|prefix| before.rfind(prefix)).max().unwrap_or(0)
}

/// The last `## ` heading before a block, in the result of [`outline`].
fn section(before: &str) -> Option<&str> {
    before.lines().rev().find_map(|line| line.strip_prefix("## ")).map(str::trim)
}

fn path_of(fence: &Fence) -> String {
    fence.attribute("path").map_or_else(|| default_path(fence.language()), str::to_owned)
}

fn default_path(language: &str) -> String {
    match language {
        "dockerfile" => "Dockerfile".to_owned(),
        "mermaid" => "diagram.mmd".to_owned(),
        "commit" => commits::DRAFT_PATH.to_owned(),
        "" => "example.txt".to_owned(),
        other => format!("example.{}", extension(other)),
    }
}

/// The file extension for a language whose name is not its extension. With a wrong extension no
/// syntax check would read the block, and a passing example would prove nothing.
fn extension(language: &str) -> &str {
    match language {
        "python" => "py",
        "rust" => "rs",
        "javascript" => "js",
        "typescript" => "ts",
        "bash" | "shell" => "sh",
        "ruby" => "rb",
        "golang" => "go",
        "kotlin" => "kt",
        "csharp" => "cs",
        "powershell" => "ps1",
        other => other,
    }
}

/// The hint for an example whose file does not match the rule's globs, so that no finding is
/// possible.
fn exclusion_hint(rule: &Rule, example: &Example) -> Option<String> {
    let check = rule.check.as_ref()?;
    let globs = Globs::new(&check.files, &check.exclude).ok()?;
    let is_excluded = !example.path.is_empty() && !globs.matches(&example.path);
    is_excluded.then(|| {
        let glob = check.files.first().map_or("", String::as_str);
        format!(
            "; the block is the file `{}`, which `files` and `exclude` exclude; set a matching \
             path after the language, such as `path=…` for `{glob}`",
            example.path
        )
    })
}

/// Runs the examples of `rule`, with only that rule enabled (a rule that checks other rules runs
/// together with them). Returns the failures, one string each.
#[must_use]
pub fn run(engine: &Engine, rule: &Rule) -> Vec<String> {
    let (examples, fixed) = match read(rule) {
        Ok(read) => read,
        Err(stray) => return vec![stray.to_string()],
    };
    if rule.path.as_deref().is_some_and(is_memory_path) {
        let examples = examples.into_iter().map(|example| move_into_scope(rule, example));
        return examples.filter_map(|example| memory_failure(engine, rule, &example)).collect();
    }
    let fails = |example: &&Example| example.expected != Expected::Passes;
    let mut failures = Vec::new();
    if !examples.iter().any(|example| fails(&example)) {
        failures.push("no example under `## Fails`".to_owned());
    }
    if examples.iter().all(|example| fails(&example)) {
        failures.push("no example under `## Passes`".to_owned());
    }
    let mut fixed = fixed.into_iter();
    for example in &examples {
        let results = results(engine, rule, example);
        let found = finding_lines(rule, &results);
        let none = Vec::new();
        let expected = if let Expected::Fails(lines) = &example.expected { lines } else { &none };
        if found != *expected {
            let hint = exclusion_hint(rule, example).filter(|_| found.is_empty());
            let why = hint.unwrap_or_default();
            let line = example.line;
            let (expected, found) = (quoted(expected), quoted(&found));
            failures.push(format!("line {line}: expected {expected}, found {found}{why}"));
        }
        if let Expected::Fails(lines) = &example.expected
            && lines.is_empty()
        {
            failures.push(format!(
                "line {}: expected a `finding` block after the example, with one line \
                 `line:column matched text` per finding{}",
                example.line,
                exclusion_hint(rule, example).unwrap_or_default()
            ));
        }
        for (_, result) in apply_fixes(&results) {
            let expected_text = fixed.next();
            if expected_text.as_ref() != Some(&result) {
                let line = example.line;
                failures.push(match expected_text {
                    Some(text) => {
                        format!("line {line}: fixed: expected {text:?}, found {result:?}")
                    }
                    None => format!("line {line}: no block under `## Fixed` for {result:?}"),
                });
            }
        }
    }
    failures.extend(fixed.map(|text| format!("surplus block under `## Fixed`: {text:?}")));
    failures
}

/// For each example of a syntax rule that should fail but has no findings: the one-based line of
/// the page, and the syntax trees of the pattern and of the example, several lines.
#[must_use]
pub fn unmatched_trees(engine: &Engine, rule: &Rule) -> Vec<(usize, String)> {
    let Ok((examples, _)) = read(rule) else { return Vec::new() };
    let is_unmatched = |example: &&Example| {
        example.expected != Expected::Passes
            && exclusion_hint(rule, example).is_none()
            && results(engine, rule, example).is_empty()
    };
    let explain = |example: &Example| {
        Some((example.line, trees::explain(rule, &example.path, &example.text)?))
    };
    examples.iter().filter(is_unmatched).filter_map(explain).collect()
}

/// The line of the page at the start of a failure that [`run`] returned, and the rest.
#[must_use]
pub fn split_line(failure: &str) -> (Option<usize>, &str) {
    let numbered = failure.strip_prefix("line ").and_then(|rest| rest.split_once(": "));
    let numbered = numbered.and_then(|(line, rest)| Some((Some(line.parse().ok()?), rest)));
    numbered.unwrap_or((None, failure))
}

/// The lines of a `finding` block, for a message.
fn quoted(lines: &[String]) -> String {
    if lines.is_empty() { "no finding".to_owned() } else { format!("`{}`", lines.join("`, `")) }
}

/// Moves the paths of an example of a memory's rule below the directory of the memory.
fn move_into_scope(rule: &Rule, example: Example) -> Example {
    let dir = rule.path.as_deref().map_or("", scope_of);
    if dir.is_empty() || rule.form == Some(Form::Commit) {
        return example;
    }
    let below = |path: String| format!("{dir}/{path}");
    let Example { path, siblings: Memory(files), .. } = example;
    let siblings = Memory(files.into_iter().map(|(path, text)| (below(path), text)).collect());
    Example { path: below(path), siblings, ..example }
}

/// The files of an example after the fixes of a rule: path and text.
#[must_use]
pub fn fixed_files(engine: &Engine, rule: &Rule, example: &Example) -> Vec<(String, String)> {
    apply_fixes(&results(engine, rule, example))
}

/// The texts of files after their own fixes, each file separately. Created files come last.
pub fn apply_fixes(results: &[(Source, Finding)]) -> Vec<(String, String)> {
    let mut texts: BTreeMap<&str, (&str, Vec<&Fix>)> = BTreeMap::new();
    let mut file_changes: BTreeMap<&str, String> = BTreeMap::new();
    for (source, finding) in results {
        match finding.fix.as_ref().and_then(|fix| fix.file.as_ref()) {
            Some(FileChange::Create { path, text }) => {
                file_changes.insert(path, text.clone());
                continue;
            }
            // The block only contains the new path.
            Some(FileChange::Rename { to }) => {
                file_changes.insert(source.path(), format!("{to}\n"));
                continue;
            }
            None => {}
        }
        if let Some(fix) = &finding.fix {
            let text = texts.entry(source.path()).or_insert((source.text(), Vec::new()));
            text.1.push(fix);
        }
    }
    let fixed = texts.into_iter().map(|(path, (text, fixes))| {
        let (bytes, _) = fix::apply(text.as_bytes(), &fixes);
        (path.to_owned(), String::from_utf8_lossy(&bytes).into_owned())
    });
    fixed.chain(file_changes.into_iter().map(|(path, text)| (path.to_owned(), text))).collect()
}

/// The failure of an example of a memory's rule, which does not list the expected findings.
fn memory_failure(engine: &Engine, rule: &Rule, example: &Example) -> Option<String> {
    let results = results(engine, rule, example);
    let location = if rule.is_project_check() { "the files" } else { &*example.path };
    match (&example.expected, results.first()) {
        (Expected::Fails(_), None) => Some(format!("`fails`: no finding in {location}")),
        (Expected::Passes, Some((source, finding))) => Some(format!(
            "`passes`: finding in {}: {}",
            source.path(),
            position_and_text(source, finding)
        )),
        _ => None,
    }
}

/// The contents of the `finding` block for an example, one line per finding.
#[must_use]
pub fn example_finding_lines(engine: &Engine, rule: &Rule, example: &Example) -> Vec<String> {
    finding_lines(rule, &results(engine, rule, example))
}

fn finding_lines(rule: &Rule, results: &[(Source, Finding)]) -> Vec<String> {
    results.iter().map(|(source, finding)| line(rule, source, finding)).collect()
}

/// The findings of the rule in an example, by file.
pub fn results(engine: &Engine, rule: &Rule, example: &Example) -> Vec<(Source, Finding)> {
    let checked_path = (!rule.is_project_check()).then(|| example.path.clone());
    let listing = Listing::new(example.siblings.0.keys().cloned().chain(checked_path));
    if rule.is_project_check() {
        return project_checks::check_rule(engine, rule, &example.siblings, &listing);
    }
    let with_base = example.base.as_ref().map(|base| WithBase {
        files: &example.siblings,
        base,
        base_paths: HashMap::new(),
    });
    let files: &dyn Files = match &with_base {
        Some(files) => files,
        None => &example.siblings,
    };
    let files = Listed { files, listing: &listing };
    if rule.check.as_ref().is_some_and(|check| check.commit.is_some()) {
        return commit_checks::check_rule(engine, rule, (&example.path, &example.text), &files);
    }
    let source = || Source::new(example.path.as_str(), example.text.as_str());
    let findings = engine.check_rule(&rule.id, &source(), &files);
    findings.into_iter().map(|finding| (source(), finding)).collect()
}

/// The paths among `files` in which a rule has findings; empty for a rule on commits.
pub fn files_with_findings(engine: &Engine, rule: &Rule, files: &Memory) -> Vec<String> {
    let listing = Listing::new(files.0.keys().cloned());
    if rule.is_project_check() {
        let found = project_checks::check_rule(engine, rule, files, &listing);
        return found.into_iter().map(|(source, _)| source.path().to_owned()).collect();
    }
    if rule.check.as_ref().is_some_and(|check| check.commit.is_some()) {
        return Vec::new();
    }
    let all = Listed { files, listing: &listing };
    let has_findings = |(path, bytes): &(&String, &Vec<u8>)| {
        let source = Source::new(path.as_str(), String::from_utf8_lossy(bytes).into_owned());
        !engine.check_rule(&rule.id, &source, &all).is_empty()
    };
    files.0.iter().filter(has_findings).map(|(path, _)| path.clone()).collect()
}

/// A finding as a line of the `finding` block in a page of `rule`.
pub fn line(rule: &Rule, source: &Source, finding: &Finding) -> String {
    let position = position_and_text(source, finding);
    if !rule.is_project_check() {
        return position;
    }
    // For a finding on a whole file, the path is enough.
    let at = if source.text().is_empty() { String::new() } else { format!(":{position}") };
    format!("{}{at}", source.path())
}

/// The position of a finding, and the first line of the text that it covers.
fn position_and_text(source: &Source, finding: &Finding) -> String {
    let at = source.position(finding.span.start, Encoding::CodePoints);
    let text = source.slice(finding.span).lines().next().unwrap_or_default();
    format!("{}:{} {text}", at.line + 1, at.column + 1)
}
