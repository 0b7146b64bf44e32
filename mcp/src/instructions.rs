//! The server instructions, which an agent receives when it connects.

use crate::catalog::Catalog;

/// Pairs of tool names and a sentence that mentions these tools. A sentence is included if all of
/// its tools can be called.
const SENTENCES: &[(&[&str], &str)] = &[
    (
        &["aidd_bootstrap", "aidd_classify_task"],
        "Unless a start hook already printed the project state, call aidd_bootstrap first, with aiProvider: it returns rules, past mistakes and decisions and opens a session. Then call aidd_classify_task with the task.",
    ),
    (&["load_checkpoint"], "Use load_checkpoint to resume earlier work."),
    (&["aidd_session"], "End the session with aidd_session (action end) and its id."),
    (
        &["aidd_memory_search", "aidd_memory_context", "aidd_memory_get"],
        "Before a decision or a fix, search the memory: aidd_memory_search, with otherWordings, lists titles, aidd_memory_context lists the memories saved before and after one, and aidd_memory_get returns full memories by id.",
    ),
    (
        &["save_decision", "evolve_outcome"],
        "Record decisions with save_decision and their outcomes with evolve_outcome.",
    ),
    (&["aidd_explore"], "Before reading or changing code, call aidd_explore."),
    (&["aidd_diagnose_error"], "Look up an error with aidd_diagnose_error: a fix may be known."),
    (&["aidd_ci_diff_check"], "Before a commit, run aidd_ci_diff_check."),
];

/// The instructions for the tools of a server.
#[must_use]
pub(crate) fn render(catalog: &Catalog) -> String {
    let mut text = String::from(
        "aidd stores this project's memory and checks its files against the team's rules.",
    );
    for (names, sentence) in SENTENCES {
        if names.iter().all(|name| catalog.find(name).is_ok()) {
            text.push(' ');
            text.push_str(sentence);
        }
    }
    let unlisted: Vec<&str> = catalog.unlisted().map(|tool| tool.name).collect();
    if !unlisted.is_empty() {
        text.push_str(
            " Not listed, but callable by name (an unknown argument returns the known arguments; `aidd mcp --profile plan` lists all): ",
        );
        text.push_str(&unlisted.join(", "));
        text.push('.');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;
    use crate::tools;

    #[test]
    fn instructions_name_existing_tools() {
        let text = render(&Catalog::new(tools::all(), Profile::Engine));
        for (names, sentence) in SENTENCES {
            assert!(text.contains(sentence), "not callable: {names:?}");
            assert!(names.iter().all(|name| sentence.contains(name)), "{sentence}");
        }
        // Like the tool list, this text costs tokens in every conversation.
        assert!(text.len() <= 2200, "{} bytes", text.len());
    }

    #[test]
    fn a_small_profile_names_only_its_own_tools() {
        let text = render(&Catalog::new(tools::all(), Profile::Tools));
        assert!(text.contains("aidd_ci_diff_check") && !text.contains("save_decision"), "{text}");
    }
}
