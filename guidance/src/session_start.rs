//! The context that an agent gets at session start, and the sections of context that it can request
//! later. Each part is limited to its share of a common token budget.

use super::instructions::condense;
use super::library::{Library, Origin, Page};
use super::page_kind::PageKind;
use super::requirements;
use super::suggestions::Suggestion;
use super::token_budget::{BudgetedText, Part, fit};
use aidd_engine::project::config::TokenBudget;
use aidd_memory::brief::Brief;
use aidd_memory::kinds::{self, Checkpoint};
use aidd_memory::state::State;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Maximum number of characters per line.
const MAX_LINE_CHARS: usize = 220;

/// The token budget of [`render_start`] for a size.
#[must_use]
pub fn budget(size: TokenBudget) -> usize {
    match size {
        TokenBudget::Minimal => 400,
        TokenBudget::Standard => 1200,
        TokenBudget::Full => 3000,
    }
}

/// The content to render.
#[derive(Debug)]
pub struct StartContext<'a> {
    /// The guidance pages.
    pub library: &'a Library,
    /// The state of the work.
    pub state: &'a State,
    /// The suggested next steps.
    pub next: &'a [Suggestion],
    /// The name of the project.
    pub project: &'a str,
    /// What to read before whole documents, in order, such as the memory packs of the ticket.
    pub reading: &'a [String],
    /// Notes to print first, such as that a session was opened or a damaged store was moved.
    pub notes: &'a [String],
}

/// Renders the context at session start, within [`budget`].
#[must_use]
pub fn render_start(context: &StartContext<'_>, size: TokenBudget) -> BudgetedText {
    render_start_within(context, size, budget(size))
}

/// Like [`render_start`], but within `total` tokens, for use as a part of a larger text.
#[must_use]
pub fn render_start_within(
    context: &StartContext<'_>,
    size: TokenBudget,
    total: usize,
) -> BudgetedText {
    // Maximum number of lines: project rules per page, shipped rules, and memories per type.
    let (project_lines, shipped_lines, memories) = match size {
        TokenBudget::Minimal => (2, None, 3),
        TokenBudget::Standard => (6, Some(0), 5),
        TokenBudget::Full => (usize::MAX, Some(5), 12),
    };
    let share = |percent: usize| total * percent / 100;
    let mut parts = vec![
        Part::new(
            format!("{}: current state", context.project),
            share(25),
            "aidd_branch get",
            state_lines(context),
        ),
        Part::new("Read in this order", share(20), "aidd_pack show", context.reading.to_vec()),
        rules(context.library, project_lines, share(30)),
        mistakes(context.state, 3, share(20)),
        failed_decisions(context.state, 3, share(10)),
        decisions(context.state, memories, share(20)),
        conventions(context.state, memories, share(12)),
        Part::new("First", share(20), "aidd_suggest_next", suggestion_lines(context.next)),
    ];
    // The project's own instructions get their share, and most of what the project's memory leaves.
    let unused = total.saturating_sub(fit(&parts, total).tokens);
    let instructed = !context.library.instructions.is_empty();
    let (least, most) = if size == TokenBudget::Minimal { (30, 45) } else { (40, 65) };
    let tokens = (unused * 4 / 5).clamp(share(least), share(most));
    parts.insert(0, instructions_part(context.library, tokens));
    if let Some(lines) = shipped_lines {
        if !instructed {
            parts.push(shipped_rules(context.library, lines, share(20)));
        }
        parts.push(index(context.library, size == TokenBudget::Full, share(20)));
        if instructed {
            parts.push(shipped_rules(context.library, 0, share(10)));
        }
    }
    if size == TokenBudget::Full {
        parts.push(protocol(context.library, share(25)));
    }
    fit(&parts, total)
}

/// The project's own instructions, condensed to `tokens`.
fn instructions_part(library: &Library, tokens: usize) -> Part {
    // The heading takes a part of the tokens.
    let condensed = condense(&library.instructions, tokens.saturating_sub(40));
    let title = format!("Instructions of this project ({})", condensed.paths.join(", "));
    let mut lines = condensed.lines;
    if condensed.omitted > 0 && !lines.is_empty() {
        lines.push(format!("{} more statements; read the files for all.", condensed.omitted));
    }
    Part::new(title, tokens, "the files", lines)
}

/// The sections of context that can be requested.
pub const SECTIONS: [&str; 6] = ["header", "memory", "session", "suggestions", "rules", "agents"];

/// The shares of [`SECTIONS`], in percent of the budget after the reserve.
const SECTION_SHARES: [usize; 6] = [10, 40, 15, 10, 15, 10];

/// The reserve for the other parts of the answer, in percent.
pub const RESERVE_PERCENT: usize = 12;

/// A section in the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SectionTokens {
    /// The name of the section.
    pub section: &'static str,
    /// The number of tokens that the section uses.
    pub tokens: usize,
    /// The number of tokens that the section can use before the remaining budget is distributed, or
    /// at most if the caller sets it.
    pub budget: usize,
    /// The number of omitted lines.
    pub omitted: usize,
}

/// The requested sections, within `budget` tokens minus the reserve. `limits` sets the maximum
/// number of tokens of a section.
#[must_use]
pub fn render_sections(
    context: &StartContext<'_>,
    requested: &[&str],
    limits: &BTreeMap<String, usize>,
    budget: usize,
) -> (BudgetedText, Vec<SectionTokens>) {
    let available = budget - budget * RESERVE_PERCENT / 100;
    let (mut parts, mut sections) = (Vec::new(), Vec::new());
    let mut counts = Vec::new();
    for (section, percent) in SECTIONS.into_iter().zip(SECTION_SHARES) {
        if !requested.contains(&section) {
            continue;
        }
        let limit = limits.get(section).copied();
        let share = limit.unwrap_or(available * percent / 100);
        let mut own = section_parts(context, section, share);
        let lines = |parts: &[Part]| parts.iter().map(|part| part.lines.len()).sum::<usize>();
        let all = lines(&own);
        if let Some(limit) = limit {
            let mut left = limit;
            for part in &mut own {
                *part = std::mem::take(part).limited(left);
                left -= fit(std::slice::from_ref(part), left).tokens.min(left);
            }
        }
        counts.push(own.iter().filter(|part| !part.lines.is_empty()).count());
        let omitted = all - lines(&own);
        sections.push(SectionTokens { section, tokens: 0, budget: share, omitted });
        parts.extend(own);
    }
    let rendered = fit(&parts, available);
    let mut shares = rendered.shares.iter();
    for (section, count) in sections.iter_mut().zip(counts) {
        for share in shares.by_ref().take(count) {
            section.tokens += share.tokens;
            section.omitted += share.omitted;
        }
    }
    (BudgetedText { budget, ..rendered }, sections)
}

fn section_parts(context: &StartContext<'_>, section: &str, share: usize) -> Vec<Part> {
    match section {
        "header" => vec![Part::new(context.project, share, "", header(context))],
        "memory" => vec![
            mistakes(context.state, usize::MAX, share / 3),
            failed_decisions(context.state, usize::MAX, share / 6),
            decisions(context.state, usize::MAX, share / 3),
            conventions(context.state, usize::MAX, share / 3),
        ],
        "session" => {
            vec![Part::new("Session", share, "aidd_branch get", session(context.state))]
        }
        "suggestions" => {
            vec![Part::new("Next", share, "aidd_suggest_next", suggestion_lines(context.next))]
        }
        "rules" => vec![
            instructions_part(context.library, share),
            rules(context.library, usize::MAX, share),
            shipped_rules(context.library, 5, share / 2),
        ],
        _ => vec![index(context.library, true, share)],
    }
}

fn header(context: &StartContext<'_>) -> Vec<String> {
    let mut lines: Vec<String> = context.notes.iter().map(|note| to_line(note)).collect();
    lines.extend(
        context.library.problems.iter().map(|problem| to_line(&format!("Skipped: {problem}"))),
    );
    if let Some(branch) = &context.state.branch {
        let feature = context.state.context.feature.as_ref();
        let feature = feature.map(|feature| format!(": {feature}")).unwrap_or_default();
        lines.push(to_line(&format!("Branch {branch}{feature}")));
    }
    lines
}

fn state_lines(context: &StartContext<'_>) -> Vec<String> {
    let mut lines = header(context);
    // If a session was just opened, the notes already mention it.
    let opened = context.state.session.as_ref().map(|session| open_session_line(&session.id));
    let is_in_notes = |id: &str| context.notes.iter().any(|note| note.contains(id));
    let is_already_reported =
        context.state.session.as_ref().is_some_and(|session| is_in_notes(&session.id));
    let session_lines = session(context.state).into_iter();
    lines
        .extend(session_lines.filter(|line| !is_already_reported || Some(line) != opened.as_ref()));
    lines
}

fn open_session_line(id: &str) -> String {
    to_line(&format!("Open session {id}"))
}

fn session(state: &State) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(lifecycle) = &state.lifecycle {
        let (feature, phase, id) = (&lifecycle.feature, &lifecycle.current_phase, &lifecycle.id);
        let open: Vec<&str> = state.unmet.iter().map(|(_, criterion)| *criterion).collect();
        let open = if open.is_empty() { "none".to_owned() } else { open.join("; ") };
        lines.push(to_line(&format!("Lifecycle {id}, {feature}, in {phase}. Unmet: {open}")));
    } else if let Some(phase) = &state.context.phase {
        lines.push(to_line(&format!("Phase {phase}")));
    }
    if let Some(session) = &state.session {
        lines.push(open_session_line(&session.id));
    }
    let pending = &state.context.pending_tasks;
    if !pending.is_empty() {
        lines.push(to_line(&format!("Pending: {}", pending.join("; "))));
    }
    if let Some(checkpoint) = &state.checkpoint {
        lines.push(to_line(&format!(
            "Checkpoint {}: {}",
            checkpoint.id,
            checkpoint.title(MAX_LINE_CHARS)
        )));
        let body: Checkpoint = kinds::typed(&checkpoint.metadata).unwrap_or_default();
        if let Some(steps) = body.next_steps.as_ref().and_then(steps) {
            lines.push(to_line(&format!("Next steps of the checkpoint: {steps}")));
        }
        if !body.open_files.is_empty() {
            lines.push(to_line(&format!(
                "Files open at the checkpoint: {}",
                body.open_files.join(", ")
            )));
        }
    }
    for decision in &state.context.decisions {
        lines.push(to_line(&format!("Decision on the branch: {}", decision.decision)));
    }
    lines
}

/// The steps, given as a string or as a list of strings, on one line.
fn steps(steps: &Value) -> Option<String> {
    match steps {
        Value::String(text) => Some(text.clone()),
        Value::Array(steps) => {
            let steps: Vec<&str> = steps.iter().filter_map(Value::as_str).collect();
            (!steps.is_empty()).then(|| steps.join("; "))
        }
        _ => None,
    }
}

fn suggestion_lines(next: &[Suggestion]) -> Vec<String> {
    next.iter().map(next_line).collect()
}

/// A suggestion on one line, with its tool call ready to use.
#[must_use]
pub fn next_line(next: &Suggestion) -> String {
    let args = match next.args.is_empty() {
        true => String::new(),
        false => format!(" {}", Value::Object(next.args.clone())),
    };
    let needs = match next.needs {
        [] => String::new(),
        needs => format!(" with your {}", needs.join(", ")),
    };
    // A call is never truncated.
    format!("- {}: `{}{args}`{needs} ({})", to_line(&next.action), next.tool, to_line(&next.reason))
}

fn mistakes(state: &State, max_lines: usize, share: usize) -> Part {
    let line = |brief: &Brief| {
        let entry = &brief.entry;
        let field = |key: &str| entry.metadata.get(key).and_then(Value::as_str).unwrap_or_default();
        let prevention =
            [field("prevention"), field("fix")].into_iter().find(|text| !text.is_empty());
        let prevention = prevention.map(|text| format!(" -> {text}")).unwrap_or_default();
        to_line(&format!("- {}{prevention} [{}]", brief.line(90), entry.id))
    };
    let lines = state.hazards.iter().take(max_lines).map(line).collect();
    Part::new("Mistakes not to repeat", share, "aidd_memory_search", lines)
}

/// A decision on one line, with its outcome.
fn decision(brief: &Brief) -> String {
    // The outcome is never truncated.
    let chars = if brief.marks().is_empty() { 140 } else { 60 };
    to_line(&format!("- {} [{}]", brief.line(chars), brief.entry.id))
}

fn failed_decisions(state: &State, max_lines: usize, share: usize) -> Part {
    let lines = state.failed.iter().take(max_lines).map(decision).collect();
    Part::new("Failed decisions, not to be repeated", share, "aidd_memory_search", lines)
}

fn decisions(state: &State, max_lines: usize, share: usize) -> Part {
    let lines = state.decisions.iter().take(max_lines).map(decision).collect();
    Part::new("Active decisions", share, "aidd_memory_search", lines)
}

fn conventions(state: &State, max_lines: usize, share: usize) -> Part {
    let lines = state.conventions.iter().take(max_lines);
    let lines = lines.map(|brief| to_line(&format!("- {}", brief.line(160)))).collect();
    Part::new("Conventions", share, "aidd_memory_search", lines)
}

fn is_project_page(page: &&Page) -> bool {
    page.origin == Origin::Project
}

/// The project's rules, each with at most `max_lines` of its requirements.
fn rules(library: &Library, max_lines: usize, share: usize) -> Part {
    let mut lines = Vec::new();
    for page in library.pages_of_kind(PageKind::Rules).filter(is_project_page) {
        let requirements = requirements::parse_requirements(page);
        // If the summary of a page is one of its requirements, print it only once.
        let is_requirement =
            requirements.iter().any(|requirement| requirement.text == page.summary);
        let summary = if page.summary.is_empty() || is_requirement {
            String::new()
        } else {
            format!(": {}", page.summary)
        };
        if requirements.is_empty() {
            lines.push(to_line(&format!("- {}{summary}", page.name)));
        } else {
            lines.push(to_line(&format!("{}{summary}", page.name)));
        }
        lines.extend(select_requirements(&requirements, max_lines));
    }
    Part::new("Rules of this project", share, "aidd://rules/{name}", lines)
}

/// Up to `max_lines` requirements of a page, prohibitions first.
fn select_requirements(
    requirements: &[requirements::Requirement<'_>],
    max_lines: usize,
) -> Vec<String> {
    let (prohibitions, others): (Vec<_>, Vec<_>) =
        requirements.iter().partition(|requirement| requirement.forbids);
    let line = |requirement: &requirements::Requirement<'_>| {
        to_line(&format!("- {}", without_links(requirement.text)))
    };
    prohibitions.into_iter().chain(others).take(max_lines).map(line).collect()
}

fn shipped_rules(library: &Library, max_lines: usize, share: usize) -> Part {
    let pages = library.pages_of_kind(PageKind::Rules).filter(|page| !is_project_page(page));
    let mut lines = Vec::new();
    if max_lines == 0 {
        let (global, others): (Vec<&Page>, Vec<&Page>) =
            pages.partition(|page| page.name == "global");
        let requirements = global.iter().flat_map(|page| {
            select_requirements(&requirements::parse_requirements(page), usize::MAX)
        });
        lines.extend(requirements);
        let names: Vec<&str> = others.iter().map(|page| &*page.name).collect();
        if !names.is_empty() {
            lines.insert(0, format!("By topic at aidd://rules/NAME: {}", names.join(", ")));
        }
    } else {
        // Global rules come first; rules for a single language are omitted.
        let (global, others): (Vec<&Page>, Vec<&Page>) =
            pages.partition(|page| page.name == "global");
        for page in global.into_iter().chain(others) {
            let mut requirements = requirements::parse_requirements(page);
            requirements.retain(|requirement| !requirement.is_language_specific);
            lines.push(to_line(&format!("{}: {}", page.name, page.summary)));
            lines.extend(select_requirements(&requirements, max_lines));
        }
    }
    Part::new("Rules", share, "aidd://rules/{name}", lines)
}

/// Pages that agents need not read, because tools use them.
const TABLES: [&str; 3] = ["competency-matrix", "decision-tree", "routing"];

/// An index of the other pages, by name.
fn index(library: &Library, with_summaries: bool, share: usize) -> Part {
    let mut lines = Vec::new();
    for (kind, word) in [
        (PageKind::Skills, "Roles"),
        (PageKind::Workflows, "Workflows"),
        (PageKind::Templates, "Templates"),
    ] {
        let pages: Vec<&Page> =
            library.pages_of_kind(kind).filter(|page| !TABLES.contains(&&*page.name)).collect();
        if pages.is_empty() {
            continue;
        }
        let names: Vec<&str> = pages.iter().map(|page| &*page.name).collect();
        if with_summaries && kind != PageKind::Templates {
            lines.push(format!("{word}:"));
            lines.extend(
                pages.iter().map(|page| to_line(&format!("- {}: {}", page.name, page.summary))),
            );
        } else {
            lines.push(format!("{word}: {}", names.join(", ")));
        }
    }
    let count = library.pages_of_kind(PageKind::Knowledge).count();
    if count > 0 {
        lines.push(format!("Knowledge: {count} technologies (aidd_query_tkb)"));
    }
    Part::new("Also available with aidd_get_agent", share, "aidd_get_agent", lines)
}

/// The shipped agents page, unless the project has its own.
fn protocol(library: &Library, share: usize) -> Part {
    let page = library.pages_of_kind(PageKind::Protocol).find(|page| !is_project_page(page));
    let lines = page.map(|page| page.body().lines().filter(|line| !line.trim().is_empty()));
    let lines = lines.into_iter().flatten().map(str::to_owned).collect();
    Part::new("How to work here (AGENTS.md)", share, "AGENTS.md", lines)
}

/// Replaces links with their text, because the targets are relative to another directory.
fn without_links(text: &str) -> String {
    let mut output = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once('[') {
        output.push_str(before);
        let label = link.split_once("](").and_then(|(label, target)| {
            let after = target.split_once(')')?.1;
            (!label.contains(['[', ']'])).then_some((label, after))
        });
        match label {
            Some((label, after)) => {
                output.push_str(label);
                rest = after;
            }
            None => {
                output.push('[');
                rest = link;
            }
        }
    }
    output + rest
}

/// The text on one line, truncated to [`MAX_LINE_CHARS`] characters.
fn to_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_LINE_CHARS) {
        None => line,
        Some((end, _)) => format!("{}…", &line[..end]),
    }
}

#[cfg(test)]
mod tests;
