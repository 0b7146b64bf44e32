//! Clean-up after package managers, shared by the rules on caches in the image.

use super::Run;
use crate::shell::{Command, Join};
use aidd_engine::text::finding::Edit;

/// Whether a command removes one of `directories`, its content, or a directory above it.
pub(super) fn removes(command: &Command, directories: &[&str]) -> bool {
    let removes = match command.program() {
        "rm" => true,
        "find" => command.has_argument(&["-delete"]),
        _ => false,
    };
    removes
        && command.arguments().iter().filter(|word| word.text().starts_with('/')).any(|word| {
            let path = word.text().split(['*', '{', '$']).next().unwrap_or_default();
            let path = path.trim_end_matches('/');
            path.len() > 1
                && directories
                    .iter()
                    .any(|directory| directory.starts_with(path) || path.starts_with(directory))
        })
}

/// Whether a command is a call of one of `programs` with one of `verbs` among its arguments.
pub(super) fn calls(command: &Command, programs: &[&str], verbs: &[&str]) -> bool {
    programs.contains(&command.program()) && command.has_argument(verbs)
}

/// The edit that runs `command` at the end of a `RUN`; `None` if the syntax of the `RUN` does not
/// allow it.
pub(super) fn append_command(run: &Run<'_>, command: &str) -> Option<Edit> {
    let [script] = run.scripts.as_slice() else { return None };
    if !run.is_editable() || !run.instruction.heredocs.is_empty() || !script.faults.is_empty() {
        return None;
    }
    let last = script.commands.last()?;
    // Append only to a plain list: elsewhere, `&&` could bind differently.
    let is_plain_list = script.scopes.len() == 1
        && script.commands.iter().all(|it| !matches!(it.before, Join::Or | Join::Background));
    let argument = run.instruction.argument_span();
    (is_plain_list && last.span.end == argument.end)
        .then(|| Edit::insert(argument.end, format!(" && {command}")))
}
