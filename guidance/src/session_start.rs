//! The context that an agent gets at session start, and the sections of context it can request
//! later. Each part is limited to its share of one token budget.

use super::demands;
use super::library::{Library, Origin, Page};
use super::page_kind::PageKind;
use super::suggestions::Suggestion;
use super::token_budget::{BudgetedText, Part, fit};
use aidd_engine::project::config::TokenBudget;
use aidd_memory::brief::Brief;
use aidd_memory::kinds::{self, Checkpoint};
use aidd_memory::state::State;
use serde_json::{Map, Value};

/// Maximum number of characters per line.
const MAX_LINE_CHARS: usize = 220;

/// The token budget of [`render_start`].
#[must_use]
pub fn budget(of: TokenBudget) -> usize {
    match of {
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
    /// Notes to print first, such as an opened session or a store that was moved aside.
    pub notes: &'a [String],
}

/// Renders the context at session start, within [`budget`].
#[must_use]
pub fn render_start(reported: &StartContext<'_>, size: TokenBudget) -> BudgetedText {
    render_start_within(reported, size, budget(size))
}

/// As [`render_start`], within another number of tokens, for use as a part of a larger text.
#[must_use]
pub fn render_start_within(
    reported: &StartContext<'_>,
    size: TokenBudget,
    all: usize,
) -> BudgetedText {
    // Maximum number of lines: project rules per page, shipped rules, and memories per type.
    let (own, shipped, memories) = match size {
        TokenBudget::Minimal => (2, None, 3),
        TokenBudget::Standard => (6, Some(0), 5),
        TokenBudget::Full => (usize::MAX, Some(5), 12),
    };
    let share = |percent: usize| all * percent / 100;
    let mut parts = vec![
        Part::new(
            format!("{}: current state", reported.project),
            share(25),
            "aidd_branch get",
            state_lines(reported),
        ),
        Part::new("First", share(20), "aidd_suggest_next", suggestion_lines(reported.next)),
        hazards(reported.state, 3, share(20)),
        failed(reported.state, 3, share(10)),
        decisions(reported.state, memories, share(20)),
        rules(reported.library, own, share(30)),
        conventions(reported.state, memories, share(12)),
    ];
    if let Some(lines) = shipped {
        parts.push(shipped_rules(reported.library, lines, share(20)));
        parts.push(index(reported.library, size == TokenBudget::Full, share(20)));
    }
    if size == TokenBudget::Full {
        parts.push(protocol(reported.library, share(25)));
    }
    fit(&parts, all)
}

/// The sections of context that can be requested.
pub const SECTIONS: [&str; 6] = ["header", "memory", "session", "suggestions", "rules", "agents"];

/// The shares of [`SECTIONS`], in percent of the budget after the reserve.
const SECTION_SHARES: [usize; 6] = [10, 40, 15, 10, 15, 10];

/// The reserve for the rest of the answer, in percent.
pub const RESERVE_PERCENT: usize = 12;

/// The requested sections, within `budget` tokens minus the reserve.
#[must_use]
pub fn render_sections(
    reported: &StartContext<'_>,
    wanted: &[&str],
    budget: usize,
) -> BudgetedText {
    let all = budget - budget * RESERVE_PERCENT / 100;
    let mut parts = Vec::new();
    for (slice, percent) in SECTIONS.iter().zip(SECTION_SHARES) {
        if !wanted.contains(slice) {
            continue;
        }
        let share = all * percent / 100;
        match *slice {
            "header" => parts.push(Part::new(reported.project, share, "", header(reported))),
            "memory" => {
                parts.push(hazards(reported.state, usize::MAX, share / 3));
                parts.push(failed(reported.state, usize::MAX, share / 6));
                parts.push(decisions(reported.state, usize::MAX, share / 3));
                parts.push(conventions(reported.state, usize::MAX, share / 3));
            }
            "session" => {
                parts.push(Part::new("Session", share, "aidd_branch get", session(reported.state)));
            }
            "suggestions" => {
                parts.push(Part::new(
                    "Next",
                    share,
                    "aidd_suggest_next",
                    suggestion_lines(reported.next),
                ));
            }
            "rules" => {
                parts.push(rules(reported.library, usize::MAX, share));
                parts.push(shipped_rules(reported.library, 5, share / 2));
            }
            _ => parts.push(index(reported.library, true, share)),
        }
    }
    BudgetedText { budget, ..fit(&parts, all) }
}

fn header(reported: &StartContext<'_>) -> Vec<String> {
    let mut lines: Vec<String> = reported.notes.iter().map(|note| to_line(note)).collect();
    lines.extend(
        reported.library.problems.iter().map(|problem| to_line(&format!("Skipped: {problem}"))),
    );
    if let Some(branch) = &reported.state.branch {
        let feature = reported.state.context.feature.as_ref();
        let feature = feature.map(|feature| format!(": {feature}")).unwrap_or_default();
        lines.push(to_line(&format!("Branch {branch}{feature}")));
    }
    lines
}

fn state_lines(reported: &StartContext<'_>) -> Vec<String> {
    let mut lines = header(reported);
    // The notes already mention a session that was just opened.
    let opened = reported.state.session.as_ref().map(|session| open_session(&session.id));
    let is_reported = |id: &str| reported.notes.iter().any(|note| note.contains(id));
    let is_again = reported.state.session.as_ref().is_some_and(|session| is_reported(&session.id));
    let own = session(reported.state).into_iter();
    lines.extend(own.filter(|line| !is_again || Some(line) != opened.as_ref()));
    lines
}

fn open_session(id: &str) -> String {
    to_line(&format!("Open session {id}"))
}

fn session(state: &State) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(lifecycle) = &state.lifecycle {
        let (feature, phase, id) = (&lifecycle.feature, &lifecycle.current_phase, &lifecycle.id);
        let open: Vec<&str> = state.unmet.iter().map(|(_, says)| *says).collect();
        let open = if open.is_empty() { "all criteria met".to_owned() } else { open.join("; ") };
        lines.push(to_line(&format!("Lifecycle {id}, {feature}, in {phase}. Open: {open}")));
    } else if let Some(phase) = &state.context.phase {
        lines.push(to_line(&format!("Phase {phase}")));
    }
    if let Some(session) = &state.session {
        lines.push(open_session(&session.id));
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
    let mut args = next.args.clone();
    for need in next.needs {
        args.entry(*need).or_insert_with(|| Value::Object(Map::new()));
    }
    let args = if args.is_empty() { String::new() } else { format!(" {}", Value::Object(args)) };
    // A call is never truncated.
    format!("- {}: `{}{args}` ({})", to_line(&next.action), next.tool, to_line(&next.reason))
}

fn hazards(state: &State, most: usize, share: usize) -> Part {
    let line = |brief: &Brief| {
        let entry = &brief.entry;
        let said = |key: &str| entry.metadata.get(key).and_then(Value::as_str).unwrap_or_default();
        let prevention =
            [said("prevention"), said("fix")].into_iter().find(|text| !text.is_empty());
        let prevention = prevention.map(|text| format!(" -> {text}")).unwrap_or_default();
        to_line(&format!("- {}{prevention} [{}]", brief.line(90), entry.id))
    };
    let lines = state.hazards.iter().take(most).map(line).collect();
    Part::new("Mistakes not to repeat", share, "aidd_memory_search", lines)
}

/// A decision on one line, with its outcome.
fn decision(brief: &Brief) -> String {
    // The outcome is never truncated.
    let chars = if brief.marks().is_empty() { 140 } else { 60 };
    to_line(&format!("- {} [{}]", brief.line(chars), brief.entry.id))
}

fn failed(state: &State, most: usize, share: usize) -> Part {
    let lines = state.failed.iter().take(most).map(decision).collect();
    Part::new("Failed decisions, not to be repeated", share, "aidd_memory_search", lines)
}

fn decisions(state: &State, most: usize, share: usize) -> Part {
    let lines = state.decisions.iter().take(most).map(decision).collect();
    Part::new("Active decisions", share, "aidd_memory_search", lines)
}

fn conventions(state: &State, most: usize, share: usize) -> Part {
    let lines = state.conventions.iter().take(most);
    let lines = lines.map(|brief| to_line(&format!("- {}", brief.line(160)))).collect();
    Part::new("Conventions", share, "aidd_memory_search", lines)
}

fn is_project_page(page: &&Page) -> bool {
    page.origin == Origin::Project
}

/// The project's rules, each with at most `most` of its demands.
fn rules(library: &Library, most: usize, share: usize) -> Part {
    let mut lines = Vec::new();
    for page in library.pages_of_kind(PageKind::Rules).filter(is_project_page) {
        let demands = demands::parse_demands(page);
        // A page whose summary is one of its demands prints it once.
        let is_reported = demands.iter().any(|demand| demand.text == page.summary);
        let said = if page.summary.is_empty() || is_reported {
            String::new()
        } else {
            format!(": {}", page.summary)
        };
        if demands.is_empty() {
            lines.push(to_line(&format!("- {}{said}", page.name)));
        } else {
            lines.push(to_line(&format!("{}{said}", page.name)));
        }
        lines.extend(select_demands(&demands, most));
    }
    Part::new("Rules of this project", share, "aidd://rules/{name}", lines)
}

/// Up to `most` demands of a page, prohibitions first.
fn select_demands(demands: &[demands::Demand<'_>], most: usize) -> Vec<String> {
    let (forbid, demand): (Vec<_>, Vec<_>) = demands.iter().partition(|demand| demand.forbids);
    let line = |demand: &demands::Demand<'_>| to_line(&format!("- {}", without_links(demand.text)));
    forbid.into_iter().chain(demand).take(most).map(line).collect()
}

fn shipped_rules(library: &Library, most: usize, share: usize) -> Part {
    let pages = library.pages_of_kind(PageKind::Rules).filter(|page| !is_project_page(page));
    let mut lines = Vec::new();
    if most == 0 {
        let (global, others): (Vec<&Page>, Vec<&Page>) =
            pages.partition(|page| page.name == "global");
        let demands = global
            .iter()
            .flat_map(|page| select_demands(&demands::parse_demands(page), usize::MAX));
        lines.extend(demands);
        let names: Vec<&str> = others.iter().map(|page| &*page.name).collect();
        if !names.is_empty() {
            lines.insert(0, format!("By topic at aidd://rules/NAME: {}", names.join(", ")));
        }
    } else {
        // Global rules come first; rules for a single language stay on their page.
        let (global, others): (Vec<&Page>, Vec<&Page>) =
            pages.partition(|page| page.name == "global");
        for page in global.into_iter().chain(others) {
            let mut demands = demands::parse_demands(page);
            demands.retain(|demand| !demand.is_language_specific);
            lines.push(to_line(&format!("{}: {}", page.name, page.summary)));
            lines.extend(select_demands(&demands, most));
        }
    }
    Part::new("Rules", share, "aidd://rules/{name}", lines)
}

/// Pages that tools read on behalf of the agent.
const TABLES: [&str; 3] = ["competency-matrix", "decision-tree", "routing"];

/// An index of the other pages, by name.
fn index(library: &Library, with_summaries: bool, share: usize) -> Part {
    let mut lines = Vec::new();
    for (shelf, word) in [
        (PageKind::Skills, "Roles"),
        (PageKind::Workflows, "Workflows"),
        (PageKind::Templates, "Templates"),
    ] {
        let pages: Vec<&Page> =
            library.pages_of_kind(shelf).filter(|page| !TABLES.contains(&&*page.name)).collect();
        if pages.is_empty() {
            continue;
        }
        let names: Vec<&str> = pages.iter().map(|page| &*page.name).collect();
        if with_summaries && shelf != PageKind::Templates {
            lines.push(format!("{word}:"));
            lines.extend(
                pages.iter().map(|page| to_line(&format!("- {}: {}", page.name, page.summary))),
            );
        } else {
            lines.push(format!("{word}: {}", names.join(", ")));
        }
    }
    let known = library.pages_of_kind(PageKind::Knowledge).count();
    if known > 0 {
        lines.push(format!("Knowledge: {known} technologies (aidd_query_tkb)"));
    }
    Part::new("Also available with aidd_get_agent", share, "aidd_get_agent", lines)
}

/// The agents page: the project's, otherwise the shipped one.
fn protocol(library: &Library, share: usize) -> Part {
    let page = library.pages_of_kind(PageKind::Protocol).next();
    let lines = page.map(|page| page.body().lines().filter(|line| !line.trim().is_empty()));
    let lines = lines.into_iter().flatten().map(str::to_owned).collect();
    Part::new("How to work here (AGENTS.md)", share, "AGENTS.md", lines)
}

/// Replaces links by their text; the targets are relative to another directory.
fn without_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once('[') {
        plain.push_str(before);
        let words = link.split_once("](").and_then(|(words, target)| {
            let after = target.split_once(')')?.1;
            (!words.contains(['[', ']'])).then_some((words, after))
        });
        match words {
            Some((words, after)) => {
                plain.push_str(words);
                rest = after;
            }
            None => {
                plain.push('[');
                rest = link;
            }
        }
    }
    plain + rest
}

/// The text on one line, truncated to [`MAX_LINE_CHARS`] characters.
fn to_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_LINE_CHARS) {
        None => line,
        Some((at, _)) => format!("{}…", &line[..at]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suggestions::{SuggestionInput, suggest};
    use aidd_lexicon::tokens;

    fn context<'a>(
        library: &'a Library,
        state: &'a State,
        next: &'a [Suggestion],
    ) -> StartContext<'a> {
        StartContext { library, state, next, project: "shop", notes: &[] }
    }

    #[test]
    fn the_start_text_is_within_its_budget() {
        let library = Library::shipped(&aidd_content::RULES);
        let mut state = State { branch: Some("main".to_owned()), ..State::default() };
        state.context.pending_tasks =
            (0..60).map(|n| format!("task {n} of the long list")).collect();
        let next = suggest(
            &state,
            &SuggestionInput { task: Some("Add a login page"), ..SuggestionInput::default() },
        );
        for size in [TokenBudget::Minimal, TokenBudget::Standard, TokenBudget::Full] {
            let sheet = render_start(&context(&library, &state, &next), size);
            assert!(sheet.tokens <= budget(size), "{size:?}: {}", sheet.text);
            assert_eq!(tokens::count(&sheet.text), sheet.tokens);
            assert!(sheet.text.contains("aidd_session"), "{}", sheet.text);
        }
    }

    #[test]
    fn only_requested_sections_are_rendered() {
        let library = Library::shipped(&aidd_content::RULES);
        let state = State { branch: Some("main".to_owned()), ..State::default() };
        let sheet = render_sections(&context(&library, &state, &[]), &["rules"], 500);
        assert!(sheet.text.starts_with("## Rules\n"), "{}", sheet.text);
        assert!(!sheet.text.contains("Roles"));
        let all = render_sections(&context(&library, &state, &[]), &["rules"], 20_000);
        assert!(all.text.starts_with("## Rules\nglobal: "), "{}", all.text);
        assert!(all.text.contains("create an import cycle") && !all.text.contains("`any`"));
        assert!(sheet.tokens <= 440);
        for budget in [0, 20, 100, 4000, 20_000] {
            let sheet = render_sections(&context(&library, &state, &[]), &SECTIONS, budget);
            assert!(sheet.tokens <= budget - budget * RESERVE_PERCENT / 100);
        }
    }

    #[test]
    fn links_become_text() {
        assert_eq!(
            without_links("by the [protocol](../a.md) and [x] [y](z)"),
            "by the protocol and [x] y"
        );
        assert_eq!(without_links("[half](open"), "[half](open");
    }

    #[test]
    fn section_shares_sum_to_100() {
        assert_eq!(SECTION_SHARES.iter().sum::<usize>(), 100);
    }
}
