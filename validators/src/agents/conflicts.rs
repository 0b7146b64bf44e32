//! Statements that instructions of one directory contradict: a client that loads both files cannot
//! follow both.

use super::AgentContext;
use super::commands::script_managers;
use super::formatting::statements;
use super::markdown::Instructions;
use super::model::{Purpose, classify};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::side_file;
use aidd_engine::text::paths::below;
use aidd_engine::text::source::Source;

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

pub(super) fn conflict(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let Some((instructions, listing)) = context.project_instructions() else { return };
    let path = context.source.path();
    let Some(directory) = subject(path).filter(|_| context.file.purpose == Purpose::Instructions)
    else {
        return;
    };
    let (own_styles, own_managers) = (statements(instructions), script_managers(instructions));
    if own_styles.is_empty() && own_managers.is_empty() {
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
        let others = Instructions::parse(&source);
        let other_styles = statements(&others);
        for (style, span) in &own_styles {
            let against = other_styles.iter().find(|(known, _)| known.contradicts(*style));
            // A file that says both has a reason.
            let is_own = own_styles.iter().any(|(known, _)| known.contradicts(*style));
            let is_both = other_styles.iter().any(|(known, _)| known == style);
            if let Some((known, at)) = against.filter(|_| !is_own && !is_both) {
                let line = source.line_of(at.start) + 1;
                let message = format!(
                    "`{}` contradicts `{other}`, which says {} on line {line}",
                    context.source.slice(*span),
                    known.display()
                );
                report.at(*span, message).help("keep one of the statements");
            }
        }
        let other_managers = script_managers(&others);
        if let ([(own, span), ..], [(known, at), ..]) = (&own_managers[..], &other_managers[..])
            && own_managers.iter().all(|(name, _)| name == own)
            && other_managers.iter().all(|(name, _)| name == known)
            && own != known
        {
            let line = source.line_of(at.start) + 1;
            let message =
                format!("`{own}` contradicts `{other}`, which uses `{known}` on line {line}");
            report.at(*span, message).help("name the commands of one package manager");
        }
    }
}
