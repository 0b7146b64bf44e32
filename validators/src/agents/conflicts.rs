//! Statements that instructions of one directory contradict: a client that loads both files cannot
//! follow both.

use super::AgentContext;
use super::commands::{script_managers, test_runners};
use super::formatting::{Style, statements};
use super::markdown::Instructions;
use super::model::{Purpose, classify};
use super::polarity::{Demands, demands};
use super::versions::{Stated, stated_versions};
use aidd_engine::parse::lines::active_set::ActiveSet;
use aidd_engine::parse::lines::log::{self, Revision};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::side_file;
use aidd_engine::text::kind::MEMORY_DIR;
use aidd_engine::text::paths::below;
use aidd_engine::text::source::{Source, Span};
use std::collections::BTreeMap;

/// The files with instructions for the whole project that a client or several clients load.
const WHOLE: [&str; 9] = [
    ".clinerules",
    ".cursorrules",
    ".github/copilot-instructions.md",
    ".rules",
    ".windsurfrules",
    "AGENT.md",
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
];

/// The directory that the file is about; `None` if it is not about a whole directory.
fn subject(path: &str) -> Option<&str> {
    let name = WHOLE.iter().find(|name| {
        path.strip_suffix(**name).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    })?;
    Some(path[..path.len() - name.len()].trim_end_matches('/'))
}

/// What instructions decide, with the spans.
struct Decided<'s> {
    styles: Vec<(Style, Span)>,
    managers: Vec<(&'s str, Span)>,
    runners: Vec<(&'static str, Span)>,
    versions: Vec<Stated>,
    demands: Demands,
}

impl<'s> Decided<'s> {
    fn read(instructions: &Instructions<'s>) -> Self {
        Self {
            styles: statements(instructions),
            managers: script_managers(instructions),
            runners: test_runners(instructions),
            versions: stated_versions(instructions),
            demands: demands(instructions),
        }
    }

    fn is_empty(&self) -> bool {
        self.styles.is_empty()
            && self.managers.is_empty()
            && self.runners.is_empty()
            && self.versions.is_empty()
            && self.demands.is_empty()
    }

    /// The statements that contradict those of another text: the own span, the span in the other
    /// text, and the remedy. A text that says both has a reason.
    fn contradictions(&self, other: &Decided<'_>) -> Vec<(Span, Span, &'static str)> {
        let mut found = Vec::new();
        for (style, span) in &self.styles {
            let against = other.styles.iter().find(|(known, _)| known.contradicts(*style));
            let is_own = self.styles.iter().any(|(known, _)| known.contradicts(*style));
            let is_both = other.styles.iter().any(|(known, _)| known == style);
            if let Some((_, at)) = against.filter(|_| !is_own && !is_both) {
                found.push((*span, *at, "keep one of the statements"));
            }
        }
        for version in &self.versions {
            let is_agreed =
                |it: &&Stated| it.program == version.program && !it.contradicts(version);
            let against = other.versions.iter().find(|it| it.contradicts(version));
            if let Some(known) = against.filter(|_| !other.versions.iter().any(|it| is_agreed(&it)))
            {
                found.push((version.span, known.span, "state one version"));
            }
        }
        let demands = self.demands.contradictions(&other.demands);
        found.extend(demands.map(|(span, at)| (span, at, "keep one of the rules")));
        let names = [
            (
                names(&self.managers),
                names(&other.managers),
                "name the commands of one package manager",
            ),
            (names(&self.runners), names(&other.runners), "name the command that runs the tests"),
        ];
        for (own, known, help) in names {
            if let (Some((own, span)), Some((known, at))) = (own, known)
                && own != known
            {
                found.push((span, at, help));
            }
        }
        found
    }
}

/// The name that all commands have; `None` if they differ.
fn names<'n>(found: &[(&'n str, Span)]) -> Option<(&'n str, Span)> {
    let first = *found.first()?;
    found.iter().all(|(name, _)| *name == first.0).then_some(first)
}

pub(super) fn conflict(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let Some((instructions, listing)) = context.project_instructions() else { return };
    let path = context.source.path();
    let Some(directory) = subject(path).filter(|_| context.file.purpose == Purpose::Instructions)
    else {
        return;
    };
    let own = Decided::read(instructions);
    if own.is_empty() {
        return;
    }
    for name in WHOLE {
        let other = below(directory, name);
        // Of two files, the one with the later path reports the contradiction.
        if other.as_str() >= path || !listing.has_file(&other) || classify(&other).is_none() {
            continue;
        }
        let Some(text) = side_file(context.files, &other) else { continue };
        let source = Source::new(other.as_str(), text);
        let others = Decided::read(&Instructions::parse(&source));
        for (span, at, help) in own.contradictions(&others) {
            let line = source.line_of(at.start) + 1;
            let message = format!(
                "`{}` contradicts `{other}`, which says `{}` on line {line}",
                context.source.slice(span),
                source.slice(at)
            );
            report.at(span, message).help(help);
        }
    }
    for file in ["conventions.jsonl", "decisions.jsonl"] {
        let memory = below(&below(directory, MEMORY_DIR), file);
        for (id, text) in active_memories(context, &memory) {
            let source = Source::new("memory.md", text);
            let others = Decided::read(&Instructions::parse(&source));
            for (span, at, _) in own.contradictions(&others) {
                let message = format!(
                    "`{}` contradicts `{id}` in the memory, which says `{}`",
                    context.source.slice(span),
                    source.slice(at)
                );
                report.at(span, message).help("correct the instruction, or supersede the memory");
            }
        }
    }
}

/// The active memories of a file: their ids and texts.
fn active_memories(context: &AgentContext<'_, '_>, path: &str) -> Vec<(String, String)> {
    let Some(text) = side_file(context.files, path) else { return Vec::new() };
    let (revisions, _) = log::read_numbered(path, text.as_bytes());
    let mut by_memory: BTreeMap<String, Vec<Revision>> = BTreeMap::new();
    for (_, revision) in revisions {
        by_memory.entry(revision.id.clone()).or_default().push(revision);
    }
    let memories: Vec<_> = by_memory.values().filter_map(|it| log::fold(it)).collect();
    let active = ActiveSet::new(&memories);
    let is_active = |id: &str| active.is_active(id);
    let entries = memories.iter().map(|memory| &memory.entry);
    entries
        .filter(|entry| is_active(&entry.id))
        .map(|entry| (entry.id.clone(), entry.content.clone()))
        .collect()
}
