use super::*;
use crate::instructions::{Instructions, Statement, Weight};
use crate::suggestions::{SuggestionInput, suggest};
use aidd_lexicon::tokens;

fn context<'a>(library: &'a Library, state: &'a State, next: &'a [Suggestion]) -> StartContext<'a> {
    StartContext { library, state, next, project: "shop", reading: &[], notes: &[] }
}

#[test]
fn the_start_text_is_within_its_budget() {
    let library = Library::shipped(&aidd_content::RULES);
    let mut state = State { branch: Some("main".to_owned()), ..State::default() };
    state.context.pending_tasks =
        (0..60).map(|number| format!("task {number} of the long list")).collect();
    let next = suggest(
        &state,
        &SuggestionInput { task: Some("Add a login page"), ..SuggestionInput::default() },
    );
    for size in [TokenBudget::Minimal, TokenBudget::Standard, TokenBudget::Full] {
        let rendered = render_start(&context(&library, &state, &next), size);
        assert!(rendered.tokens <= budget(size), "{size:?}: {}", rendered.text);
        assert_eq!(tokens::count(&rendered.text), rendered.tokens);
        assert!(rendered.text.contains("aidd_session"), "{}", rendered.text);
    }
}

#[test]
fn only_requested_sections_are_rendered() {
    let library = Library::shipped(&aidd_content::RULES);
    let state = State { branch: Some("main".to_owned()), ..State::default() };
    let rendered =
        render_sections(&context(&library, &state, &[]), &["rules"], &BTreeMap::new(), 500).0;
    assert!(rendered.text.starts_with("## Rules\n"), "{}", rendered.text);
    assert!(!rendered.text.contains("Roles"));
    let all =
        render_sections(&context(&library, &state, &[]), &["rules"], &BTreeMap::new(), 20_000).0;
    assert!(all.text.starts_with("## Rules\nglobal: "), "{}", all.text);
    assert!(all.text.contains("create an import cycle") && !all.text.contains("`any`"));
    assert!(rendered.tokens <= 440);
    for budget in [0, 20, 100, 4000, 20_000] {
        let rendered =
            render_sections(&context(&library, &state, &[]), &SECTIONS, &BTreeMap::new(), budget).0;
        assert!(rendered.tokens <= budget - budget * RESERVE_PERCENT / 100);
    }
}

#[test]
fn the_instructions_of_the_project_come_first_and_leave_room_for_its_memory() {
    let statement = |number: usize| Statement {
        heading: format!("Part {}", number / 10),
        text: format!("Always run `make check-{number}` before the commit."),
        weight: Weight::Rule,
        tokens: 16,
        commands: Vec::new(),
        forbidden: Vec::new(),
    };
    let mut library = Library::shipped(&aidd_content::RULES);
    library.instructions = vec![Instructions {
        path: "AGENTS.md".to_owned(),
        statements: (0..400).map(statement).collect(),
        ..Instructions::default()
    }];
    let mut state = State { branch: Some("main".to_owned()), ..State::default() };
    for size in [TokenBudget::Minimal, TokenBudget::Standard, TokenBudget::Full] {
        let alone = render_start(&context(&library, &state, &[]), size);
        assert!(alone.text.starts_with("## Instructions of this project (AGENTS.md)\nPart 0:"));
        assert!(alone.tokens <= budget(size), "{}", alone.text);
        assert!(alone.text.contains("more statements"), "{}", alone.text);
        assert!(alone.text.contains("Branch main"), "{}", alone.text);
    }
    state.context.pending_tasks = (0..9).map(|number| format!("pending task {number}")).collect();
    let rendered = render_start(&context(&library, &state, &[]), TokenBudget::Standard);
    assert!(rendered.text.contains("pending task 8"), "{}", rendered.text);
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

#[test]
fn a_section_keeps_to_its_own_limit_and_reports_its_tokens() {
    let library = Library::shipped(&aidd_content::RULES);
    let state = State { branch: Some("main".to_owned()), ..State::default() };
    let limits = BTreeMap::from([("rules".to_owned(), 150)]);
    let (rendered, sections) =
        render_sections(&context(&library, &state, &[]), &["header", "rules"], &limits, 5000);
    let rules = sections.iter().find(|section| section.section == "rules").expect("rules");
    assert!(rules.tokens <= 150 && rules.tokens > 75 && rules.omitted > 0, "{rules:?}");
    assert_eq!(rules.budget, 150);
    let sum: usize = sections.iter().map(|section| section.tokens).sum();
    assert!(sum.abs_diff(rendered.tokens) <= 5, "{sum} {}", rendered.tokens);
}
