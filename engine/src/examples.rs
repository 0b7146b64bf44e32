//! The examples of a rule page, and running them: the tests that every page carries.

use crate::check::Engine;
use crate::files::Memory;
use crate::finding::{Finding, Fix};
use crate::fix;
use crate::parse::markdown::{self, Fence};
use crate::rule::Rule;
use crate::source::{Encoding, Source};

pub use crate::patterns::placeholder::JOIN_MARK;

/// What an example should give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// These findings, a line each: `line:column first line of the text under it`.
    Fails(Vec<String>),
    /// None.
    Passes,
}

/// One example of a page.
#[derive(Clone, Debug)]
pub struct Example {
    /// Line of the page where its block begins, from 1.
    pub line: usize,
    /// The file under check: path and text.
    pub path: String,
    /// Its text.
    pub text: String,
    /// Files beside it.
    pub beside: Memory,
    /// What it should give.
    pub expected: Expected,
}

/// The examples of a page, and the texts under `## Fixed`.
///
/// # Errors
/// What is wrong with the page's sections.
pub fn read(rule: &Rule) -> Result<(Vec<Example>, Vec<String>), String> {
    let source = Source::new("page.md", rule.page.as_ref());
    let mut examples = Vec::new();
    let mut fixed = Vec::new();
    let mut beside = Memory::default();
    for fence in markdown::fences(&source, |_| true) {
        let start = fence.pieces.first().map_or(0, |(_, span)| span.start);
        let line = source.line_of(start);
        let text = fence.text.replace(JOIN_MARK, "");
        match section(&rule.page[..start as usize]) {
            Some("Fails") if fence.language() == "finding" => {
                let Some(Example { expected: Expected::Fails(lines), .. }) = examples.last_mut()
                else {
                    return Err(format!(
                        "line {line}: a `finding` block without an example before it"
                    ));
                };
                lines.extend(text.lines().map(str::to_owned));
            }
            Some(part @ ("Fails" | "Passes")) => {
                let path = path_of(&fence);
                if fence.has_word("with") {
                    beside.0.insert(path, text.into_bytes());
                    continue;
                }
                let expected =
                    if part == "Fails" { Expected::Fails(Vec::new()) } else { Expected::Passes };
                examples.push(Example {
                    line,
                    path,
                    text,
                    beside: std::mem::take(&mut beside),
                    expected,
                });
            }
            Some("Fixed") => fixed.push(text),
            _ => {}
        }
    }
    Ok((examples, fixed))
}

/// The last `## ` heading before a block, outside of other blocks: examples may be Markdown.
fn section(before: &str) -> Option<&str> {
    let mut found = None;
    let mut open: Option<&str> = None;
    for line in before.lines() {
        let marks = line.len() - line.trim_start_matches(['`', '~']).len();
        match open {
            Some(fence) if line.trim_end() == fence => open = None,
            None if marks >= 3 => open = Some(&line[..marks]),
            None => found = line.strip_prefix("## ").map(str::trim).or(found),
            Some(_) => {}
        }
    }
    found
}

fn path_of(fence: &Fence) -> String {
    fence.attribute("path").map_or_else(|| default_path(fence.language()), str::to_owned)
}

fn default_path(language: &str) -> String {
    match language {
        "dockerfile" => "Dockerfile".to_owned(),
        "mermaid" => "diagram.mmd".to_owned(),
        "" => "example.txt".to_owned(),
        other => format!("example.{other}"),
    }
}

/// Runs the examples of `rule`, with that rule alone (a rule on rules runs among all). Returns what
/// went wrong, a text each; nothing is well.
#[must_use]
pub fn run(engine: &Engine, rule: &Rule) -> Vec<String> {
    let (examples, fixed) = match read(rule) {
        Ok(read) => read,
        Err(error) => return vec![error],
    };
    let fails = |example: &&Example| example.expected != Expected::Passes;
    let mut wrong = Vec::new();
    if !examples.iter().any(|example| fails(&example)) {
        wrong.push("no example under `## Fails`".to_owned());
    }
    if examples.iter().all(|example| fails(&example)) {
        wrong.push("no example under `## Passes`".to_owned());
    }
    let mut fixed = fixed.into_iter();
    for example in &examples {
        let source = Source::new(example.path.as_str(), example.text.as_str());
        let findings = engine.check_rule(&rule.id, &source, &example.beside);
        let found: Vec<String> = findings.iter().map(|finding| found(&source, finding)).collect();
        let none = Vec::new();
        let expected = if let Expected::Fails(lines) = &example.expected { lines } else { &none };
        if found != *expected {
            wrong.push(format!("line {}: expected {expected:?}, found {found:?}", example.line));
        }
        if let Expected::Fails(lines) = &example.expected
            && lines.is_empty()
        {
            wrong.push(format!("line {}: no `finding` block follows", example.line));
        }
        let fixes: Vec<&Fix> = findings.iter().filter_map(|finding| finding.fix.as_ref()).collect();
        if !fixes.is_empty() {
            let (bytes, _) = fix::apply(example.text.as_bytes(), &fixes);
            let result = String::from_utf8_lossy(&bytes).into_owned();
            let wanted = fixed.next();
            if wanted.as_ref() != Some(&result) {
                wrong.push(format!(
                    "line {}: fixed: expected {wanted:?}, got {result:?}",
                    example.line
                ));
            }
        }
    }
    wrong.extend(fixed.map(|text| format!("a block under `## Fixed` that no fix gives: {text:?}")));
    wrong
}

/// A finding as a `finding` block has it.
fn found(source: &Source, finding: &Finding) -> String {
    let at = source.position(finding.span.start, Encoding::CodePoints);
    let text = source.slice(finding.span).lines().next().unwrap_or_default();
    format!("{}:{} {text}", at.line + 1, at.column + 1)
}
