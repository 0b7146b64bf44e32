//! What an agent is told once, when it connects.

use crate::catalog::Catalog;

/// Sentences, each with the tools it speaks of: it is said when all of them can be called.
const SENTENCES: &[(&[&str], &str)] = &[
    (
        &["aidd_bootstrap", "aidd_classify_task"],
        "Unless a start hook told where work stands, call aidd_bootstrap first, with aiProvider: it tells rules, past mistakes, decisions, and opens a session. Then aidd_classify_task with the task.",
    ),
    (&["load_checkpoint"], "To take up earlier work: load_checkpoint."),
    (&["aidd_session"], "End the session with aidd_session (action end) and its id."),
    (
        &["aidd_memory_search", "aidd_memory_context", "aidd_memory_get"],
        "Before you decide something or mend an error, ask what is known: aidd_memory_search lists titles, aidd_memory_context what came before and after one, aidd_memory_get whole entries by id.",
    ),
    (
        &["save_decision", "evolve_outcome"],
        "Record a decision with save_decision, and how it turned out with evolve_outcome.",
    ),
    (
        &["aidd_diagnose_error"],
        "Give an error to aidd_diagnose_error: it may have been met and mended before.",
    ),
    (&["aidd_ci_diff_check"], "Before you commit, check with aidd_ci_diff_check."),
];

/// What is said of the tools of a server.
#[must_use]
pub(crate) fn of(catalog: &Catalog) -> String {
    let mut text =
        String::from("aidd keeps this project's memory and checks its files by the team's rules.");
    for (names, sentence) in SENTENCES {
        if names.iter().all(|name| catalog.find(name).is_ok()) {
            text.push(' ');
            text.push_str(sentence);
        }
    }
    let unlisted: Vec<&str> = catalog.unlisted().map(|tool| tool.name).collect();
    if !unlisted.is_empty() {
        text.push_str(" Not listed, and callable by name (an unknown argument is answered with the known ones): ");
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
    fn they_speak_of_tools_that_there_are() {
        let text = of(&Catalog::new(tools::all(), Profile::Engine));
        for (names, sentence) in SENTENCES {
            assert!(text.contains(sentence), "a tool is gone: {names:?}");
            assert!(names.iter().all(|name| sentence.contains(name)), "{sentence}");
        }
        // It is paid for in every conversation, as the list is.
        assert!(text.len() <= 1200, "{} bytes", text.len());
    }

    #[test]
    fn a_small_profile_hears_of_its_own_tools_only() {
        let text = of(&Catalog::new(tools::all(), Profile::Tools));
        assert!(text.contains("aidd_ci_diff_check") && !text.contains("save_decision"), "{text}");
    }
}
