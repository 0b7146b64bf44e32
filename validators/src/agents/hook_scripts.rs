//! Scripts of hooks that do not exist or cannot be executed.

use super::AgentContext;
use super::elsewhere::is_unlisted;
use super::hooks::{commands, script};
use super::model::{Client, Purpose};
use super::modes::{makes_executable, names_file};
use crate::cached::cached;
use aidd_engine::parse::values::Value;
use aidd_engine::project::ignored::is_ignored_by_git;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::side_file;
use aidd_engine::text::finding::Severity;
use aidd_engine::text::paths::{join, parent_dir};
use aidd_engine::text::source::Span;

pub(super) fn hook_script(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let is_supported = matches!(
        (context.file.client, context.file.purpose),
        (Client::Claude, Purpose::Hooks | Purpose::Settings)
            | (Client::Codex | Client::Copilot | Client::Cursor | Client::Windsurf, Purpose::Hooks)
            | (Client::Gemini, Purpose::Settings)
    );
    if !is_supported {
        return;
    }
    let mut not_executable: Vec<(String, Span)> = Vec::new();
    for (command, span) in commands(context) {
        // Of a plugin, only its own scripts are known.
        if context.plugin.is_some() && !command.contains("CLAUDE_PLUGIN_ROOT") {
            continue;
        }
        let Some(script) = script(command) else { continue };
        let Some(path) = join(context.project_dir(), &script) else { continue };
        let is_file = context.files.exists(&path)
            || context.files.exists(&script)
            || is_below_cursor(context, &script)
            || context.listing().is_none_or(|listing| listing.has_dir(&path));
        let is_direct = command.split_whitespace().next().is_some_and(|word| {
            word.replace(['"', '\''], "").ends_with(script.trim_start_matches("./"))
        });
        if is_direct
            && !is_for_windows(context, &script, span)
            && !has_directory(context, span)
            && is_executable(context, &path) == Some(false)
        {
            if not_executable.iter().all(|(other, _)| *other != path) {
                not_executable.push((path, span));
            }
            continue;
        }
        if !is_file
            && !is_unlisted(&path, context.files)
            && !has_directory(context, span)
            && !is_ignored_by_git(context.files, &path)
        {
            let message = format!("the script `{path}` does not exist, so the hook fails");
            report
                .at(span, message)
                .help("correct the path, which is relative to the project root");
        }
    }
    let has_modes = has_executable_scripts(context);
    let (set_up, others): (Vec<_>, Vec<_>) = not_executable
        .into_iter()
        .partition(|(path, _)| !has_modes || sets_permission(context, path));
    add_not_executable(&others, Severity::Warning, report);
    add_not_executable(&set_up, Severity::Info, report);
}

/// Reports the scripts of one file that are not executable as one finding: one command corrects all.
fn add_not_executable(scripts: &[(String, Span)], highest: Severity, report: &mut Report<'_>) {
    let Some(((path, span), others)) = scripts.split_first() else { return };
    let message = match others.len() {
        0 => format!("the script `{path}` is not executable, so the hook fails"),
        more => {
            format!("the script `{path}` and {more} more are not executable, so the hooks fail")
        }
    };
    let finding = report.at(*span, message);
    finding.severity = finding.severity.min(highest);
    finding.help("run `git update-index --chmod=+x` on it, or start it with its interpreter");
    for (path, span) in others {
        finding.related(*span, format!("`{path}` is not executable"));
    }
}

/// Maximum number of scripts whose permissions are read.
const MAX_MODES: usize = 100;

/// Whether some script of the project is executable. If none is, the project may be developed on
/// Windows only, where no file has this permission and the hooks work.
fn has_executable_scripts(context: &AgentContext<'_, '_>) -> bool {
    let Some(listing) = context.listing() else { return true };
    *cached(context.files, "agents executable scripts", || {
        let is_script = |path: &&String| {
            [".sh", ".py", ".bash"].iter().any(|ending| path.ends_with(ending))
                || path.contains(".husky/")
                || path.ends_with("gradlew")
        };
        let mut scripts = listing.files().iter().filter(is_script).take(MAX_MODES);
        scripts.any(|path| context.files.is_executable(path) == Some(true))
    })
}

/// Whether Cursor finds a script relative to the directory of `hooks.json`.
fn is_below_cursor(context: &AgentContext<'_, '_>, script: &str) -> bool {
    let path = join(parent_dir(context.source.path()), script);
    context.file.client == Client::Cursor && path.is_some_and(|path| context.files.exists(&path))
}

/// Whether a script runs on Windows, which has no permission to execute a file.
fn is_for_windows(context: &AgentContext<'_, '_>, script: &str, span: Span) -> bool {
    let is_command = |value: &&Value| value.span == span;
    let key = context.data.all.iter().find(is_command).and_then(|value| value.key.as_ref());
    let ends = |ending: &&str| script.to_ascii_lowercase().ends_with(ending);
    key.is_some_and(|(key, _)| matches!(&**key, "powershell" | "windows"))
        || [".ps1", ".cmd", ".bat"].iter().any(ends)
}

/// Whether the script at `path` can be run directly; `None` if the store does not know it.
fn is_executable(context: &AgentContext<'_, '_>, path: &str) -> Option<bool> {
    context.files.exists(path).then(|| context.files.is_executable(path)).flatten()
}

/// Maximum number of files that can set permissions.
const MAX_SETUP_FILES: usize = 50;

/// Whether a script or a document in the root, or a container for development, makes the script at
/// `path`, or all scripts in its directory, executable.
fn sets_permission(context: &AgentContext<'_, '_>, path: &str) -> bool {
    let Some(listing) = context.listing() else { return false };
    let lines = cached(context.files, "agents permissions", || {
        let is_setup = |path: &&String| {
            let name = path.rsplit('/').next().unwrap_or(path);
            let is_near = !path.contains('/')
                || ["scripts/", "bin/", ".devcontainer/", "docs/"]
                    .iter()
                    .any(|it| path.starts_with(it));
            let is_read = [".sh", ".md", ".json"].iter().any(|it| name.ends_with(it))
                || matches!(name, "Makefile" | "justfile" | "Justfile" | "Taskfile.yml");
            is_near && is_read
        };
        let files = listing.files().iter().filter(is_setup).take(MAX_SETUP_FILES);
        let texts = files.filter_map(|path| side_file(context.files, path));
        texts
            .flat_map(|text| {
                let lines = text.lines().filter(|line| line.contains("chmod"));
                let lines = lines.filter(|line| makes_executable(line));
                lines.map(str::to_owned).collect::<Vec<_>>()
            })
            .collect::<Vec<String>>()
    });
    lines.iter().any(|line| names_file(line, path))
}

/// Whether the hook with the command at `span` sets the directory in which the command runs.
fn has_directory(context: &AgentContext<'_, '_>, span: Span) -> bool {
    let command = context.data.all.iter().find(|value| value.span == span);
    let hook = command.and_then(|command| command.parent);
    let keys = ["cwd", "working_directory"];
    hook.is_some_and(|hook| keys.iter().any(|key| context.data.child(hook, key).is_some()))
}
