//! Checks written in Rust: one module per kind of file. Each parses its file once and lists its
//! checks by rule id; a rule's severity and words are in its page.

mod credentials;
mod dockerfile;
mod memory;
mod mermaid;
mod project;
mod tkb;

use crate::files::Files;
use crate::kind::{self, Kind};
use crate::registry::Registry;
use crate::rule::Report;
use crate::source::{Source, Span};

pub use project::{wrong_packs, wrong_params};

pub(crate) use credentials::keywords;

/// One rule's code: looks at a parsed file and reports what breaks the rule.
type Check<T> = fn(&T, &mut Report<'_>);

/// The rules of one validator, by id.
type Checks<T> = &'static [(&'static str, Check<T>)];

/// All kinds of a file at `path` (relative, `/` between segments) with this text.
#[must_use]
pub fn kinds(path: &str, text: &str) -> Vec<Kind> {
    let mut kinds = kind::kinds(path, text);
    if credentials::is_known(path, kind::look(text)) {
        kinds.push(Kind::Credentials);
    }
    kinds
}

/// Runs every enabled check of `kind` over the source of `report`.
pub(crate) fn run(kind: Kind, registry: &Registry, files: &dyn Files, report: &mut Report<'_>) {
    // One arm a validator: `Kind::X => each(x::CHECKS, &x::parse(report.source(), files), report)`.
    match kind {
        Kind::Dockerfile => dockerfile::run(registry, files, report),
        Kind::HadolintConfig => dockerfile::check_settings(report),
        Kind::Config => project::check_config(registry, report),
        Kind::RulePage => project::check_page(files, report),
        Kind::PackPage => project::check_pack(registry, report),
        Kind::Credentials => {
            each(credentials::CHECKS, &credentials::parse(report.source()), report);
        }
        Kind::Mermaid => mermaid::run(report),
        Kind::KnowledgeEntry => each(tkb::CHECKS, &tkb::parse(report.source(), files), report),
        Kind::Memory => each(memory::CHECKS, &memory::parse(report.source()), report),
        _ => {}
    }
}

/// Runs the checks that any file gets, on the places of [`keywords`] in it.
pub(crate) fn run_generic(words: &[usize], report: &mut Report<'_>) {
    if !words.is_empty() {
        let found = credentials::generic(report.source(), words.iter().copied());
        each(credentials::CHECKS, &found, report);
    }
}

/// What an allow comment above its first line speaks of as a whole.
pub(crate) fn statements(kind: Kind, source: &Source) -> Vec<Span> {
    match kind {
        Kind::Dockerfile => dockerfile::statements(source),
        _ => Vec::new(),
    }
}

/// The ids of all rules written in Rust.
pub fn ids() -> impl Iterator<Item = &'static str> {
    let credentials = credentials::CHECKS.iter().map(|&(id, _)| id);
    let mermaid = mermaid::CHECKS.iter().map(|(id, _)| *id);
    let memory = memory::CHECKS.iter().map(|(id, _)| *id);
    let knowledge = tkb::CHECKS.iter().map(|(id, _)| *id);
    [project::CONFIG, project::PAGE, project::ENFORCERS]
        .into_iter()
        .chain(dockerfile::ids())
        .chain(mermaid)
        .chain(memory)
        .chain(knowledge)
        .chain(credentials)
}

fn each<T>(checks: Checks<T>, file: &T, report: &mut Report<'_>) {
    for &(id, check) in checks {
        if report.begin(id) {
            check(file, report);
        }
    }
}
