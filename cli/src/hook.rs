//! `aidd hook`: Git hook scripts, and the hooks that agent clients run (`agent`, `user_prompt`). In
//! a Git hook, aidd's part is between two markers; `install` rewrites only this part, and
//! `uninstall` removes it.

mod agent;
mod commit_msg;
mod user_prompt;

pub use agent::{is_agent_hook, is_unknown, run_with_timeout};

use crate::cli::{HookCommand, HookName};
use aidd_report::Io;
use aidd_report::exit::{Exit, UserError};
use aidd_report::project;
use anyhow::{Context, Result};
use clap::ValueEnum;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const SHEBANG: &str = "#!/bin/sh\n";
const BEGIN: &str = "# >>> aidd >>>";
const END: &str = "# <<< aidd <<<";
/// Extension of a backed-up hook.
const BACKUP: &str = "aidd-backup";
/// The comment that marks scripts that run a backed-up hook. Do not change it: installed hooks
/// contain this text.
const CHAIN_COMMENT: &str = "# Runs what was here before.";

/// Runs `aidd hook …`.
///
/// # Errors
/// Fails when there is no repository, another hook is already installed, or a file cannot be
/// written.
pub fn run(command: &HookCommand, io: &mut Io<'_>) -> Result<Exit> {
    if let Some(exit) = run_agent_hook(command, io) {
        return Ok(exit);
    }
    if let HookCommand::CommitMsg { file } = command {
        return commit_msg::run(file, io);
    }
    let (directory, is_shared) = hooks_dir(&io.cwd)?;
    match command {
        HookCommand::Install { hooks, force, chain } => {
            let hooks = if hooks.is_empty() { &[HookName::PreCommit][..] } else { hooks };
            let existing = match (force, chain) {
                (_, true) => ExistingHook::MoveAndRun,
                (true, _) => ExistingHook::Move,
                _ => ExistingHook::Reject,
            };
            reject_managed(&directory, hooks)?;
            if is_shared {
                reject_repository_setting(&io.cwd, &directory)?;
                writeln!(
                    io.err,
                    "note: core.hooksPath is {}, which other repositories also use",
                    directory.display()
                )?;
            }
            let binary = std::env::current_exe().unwrap_or_default();
            for &hook in hooks {
                let status = install(&directory, hook, existing, &binary)?;
                writeln!(io.out, "{status} {}", directory.join(name(hook)).display())?;
            }
        }
        HookCommand::Uninstall { hooks } => {
            let hooks = if hooks.is_empty() { HookName::value_variants() } else { hooks };
            let mut has_hooks = false;
            for &hook in hooks {
                if let Some(status) = uninstall(&directory, hook)? {
                    has_hooks = true;
                    writeln!(io.out, "{status} {}", directory.join(name(hook)).display())?;
                }
            }
            if !has_hooks {
                writeln!(io.out, "no aidd hooks in {}", directory.display())?;
            }
        }
        HookCommand::Status => {
            writeln!(io.out, "hooks in {}", directory.display())?;
            for &hook in HookName::value_variants() {
                writeln!(io.out, "  {:<18} {}", name(hook), status(&directory, hook)?)?;
            }
        }
        // Handled before the hooks directory is resolved.
        HookCommand::CommitMsg { .. }
        | HookCommand::UserPrompt
        | HookCommand::SessionStart
        | HookCommand::PreToolUse
        | HookCommand::PostToolUse
        | HookCommand::PreCompact
        | HookCommand::Stop
        | HookCommand::SessionEnd => {}
    }
    Ok(Exit::Clean)
}

/// Runs a hook of an agent client and returns its exit code; `None` for Git's hooks.
fn run_agent_hook(command: &HookCommand, io: &mut Io<'_>) -> Option<Exit> {
    let event = match command {
        HookCommand::UserPrompt => return Some(user_prompt::run(io)),
        HookCommand::SessionStart => agent::Event::SessionStart,
        HookCommand::PreToolUse => agent::Event::PreToolUse,
        HookCommand::PostToolUse => agent::Event::PostToolUse,
        HookCommand::PreCompact => agent::Event::PreCompact,
        HookCommand::Stop => agent::Event::Stop,
        HookCommand::SessionEnd => agent::Event::SessionEnd,
        HookCommand::CommitMsg { .. }
        | HookCommand::Install { .. }
        | HookCommand::Uninstall { .. }
        | HookCommand::Status => return None,
    };
    Some(agent::run(event, io))
}

/// How `install` treats an existing hook from another source.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExistingHook {
    Reject,
    Move,
    MoveAndRun,
}

/// Git's name of the hook.
fn name(hook: HookName) -> &'static str {
    match hook {
        HookName::PreCommit => "pre-commit",
        HookName::PrepareCommitMsg => "prepare-commit-msg",
        HookName::CommitMsg => "commit-msg",
        HookName::PrePush => "pre-push",
    }
}

/// Description of a hook for `aidd hook status`.
fn description(hook: HookName) -> &'static str {
    match hook {
        HookName::PreCommit => "aidd checks the staged changes",
        HookName::PrepareCommitMsg => {
            "aidd adds facts about the staged changes to an empty message"
        }
        HookName::CommitMsg => "aidd checks the message for secrets and against the commit rules",
        HookName::PrePush => "aidd checks the commits to be pushed",
    }
}

/// Git's hooks directory, and whether other repositories use it too. It is either the configured
/// directory, or the directory of the repository that all work trees share.
#[expect(
    clippy::disallowed_methods,
    reason = "only Git knows the path; runs no code of the project"
)]
fn hooks_dir(cwd: &Path) -> Result<(PathBuf, bool)> {
    let output = Command::new("git")
        .current_dir(cwd)
        .args(["rev-parse", "--git-path", "hooks", "--git-common-dir"])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| {
            UserError::new(format!("cannot run git: {error}"))
                .hint("install Git or add it to the PATH")
        })?;
    if !output.status.success() {
        if String::from_utf8_lossy(&output.stderr).contains("dubious ownership") {
            let message =
                format!("Git does not trust {}: it belongs to another user", cwd.display());
            let hint = format!(
                "trust it with: git config --global --add safe.directory {}",
                cwd.display()
            );
            return Err(UserError::new(message).hint(hint).into());
        }
        let message = format!("{} is not in a Git repository", cwd.display());
        return Err(UserError::new(message).hint("create one with: git init").into());
    }
    let paths =
        String::from_utf8(output.stdout).context("the path of the hooks directory is not UTF-8")?;
    let mut paths = paths.lines().map(|path| project::absolute(cwd, Path::new(path)));
    let directory = paths.next().context("Git printed no hooks directory")?;
    let common = paths.next().context("Git printed no repository directory")?;
    // A symbolic link can lead outside the repository.
    let (real, root) = (resolve_links(&directory), project::root_of(cwd));
    let is_own = [common.parent(), Some(&common), Some(&root)]
        .into_iter()
        .flatten()
        .any(|directory| real.starts_with(resolve_links(directory)));
    Ok((directory, !is_own))
}

/// Resolves symbolic links in the existing part of a path.
fn resolve_links(path: &Path) -> PathBuf {
    let found =
        path.ancestors().find_map(|ancestor| Some((ancestor, ancestor.canonicalize().ok()?)));
    let Some((ancestor, real)) = found else { return path.to_owned() };
    real.join(path.strip_prefix(ancestor).unwrap_or(Path::new("")))
}

/// Rejects a hooks directory outside the repository if the repository's own configuration names it:
/// an untrusted repository must not choose where the user's files are written.
#[expect(
    clippy::disallowed_methods,
    reason = "only Git knows the scope; runs no code of the project"
)]
fn reject_repository_setting(cwd: &Path, directory: &Path) -> Result<()> {
    let output = Command::new("git")
        .current_dir(cwd)
        .args(["config", "--show-scope", "--get", "core.hooksPath"])
        .stdin(Stdio::null())
        .output()
        .context("cannot run git")?;
    let output = String::from_utf8_lossy(&output.stdout);
    let scope = output.split_whitespace().next().unwrap_or_default();
    if matches!(scope, "global" | "system" | "command") {
        return Ok(());
    }
    let message = format!(
        "core.hooksPath of this repository is {}, which is outside the repository",
        directory.display()
    );
    let scope = if scope == "worktree" { "--worktree" } else { "--local" };
    let hint = format!(
        "to use the hooks in the repository: git config {scope} --unset core.hooksPath; to use a \
         directory in all your repositories, also: git config --global core.hooksPath DIR"
    );
    Err(UserError::new(message).hint(hint).into())
}

/// Rejects a hooks directory that another program manages.
fn reject_managed(directory: &Path, hooks: &[HookName]) -> Result<()> {
    let is_husky = directory.components().any(|part| part.as_os_str() == ".husky");
    if !is_husky {
        return Ok(());
    }
    let lines: Vec<String> = hooks
        .iter()
        .map(|hook| match hook {
            HookName::PreCommit => "to .husky/pre-commit: aidd check --staged".to_owned(),
            HookName::CommitMsg => "to .husky/commit-msg: aidd hook commit-msg \"$1\"".to_owned(),
            other => {
                format!(
                    "to .husky/{}: the lines that `aidd hook install` writes in another repository",
                    name(*other)
                )
            }
        })
        .collect();
    let message = format!("husky manages the hooks in {}", directory.display());
    Err(UserError::new(message).hint(format!("instead, add {}", lines.join("; "))).into())
}

fn install(
    directory: &Path,
    hook: HookName,
    existing: ExistingHook,
    binary: &Path,
) -> Result<&'static str> {
    let path = directory.join(name(hook));
    let backup = backup(&path);
    let current = read(&path)?;
    let parts = current.as_deref().and_then(split);
    let should_chain = match (&current, &parts) {
        (Some(_), Some((_, block, _))) => {
            block.contains(CHAIN_COMMENT) || existing == ExistingHook::MoveAndRun
        }
        _ => existing == ExistingHook::MoveAndRun,
    };
    let should_chain = should_chain && (current.is_some() || backup.exists());
    let text = match (&current, parts) {
        (None, _) => format!("{SHEBANG}{}", script(hook, should_chain, binary)),
        (Some(_), Some((before, _, after))) => {
            format!("{before}{}{after}", script(hook, should_chain && backup.exists(), binary))
        }
        (Some(_), None) => {
            move_to_backup(&path, &backup, existing)?;
            format!("{SHEBANG}{}", script(hook, should_chain, binary))
        }
    };
    if current.as_deref() == Some(text.as_bytes()) {
        return Ok("up to date:");
    }
    fs::create_dir_all(directory).with_context(|| directory.display().to_string())?;
    fs::write(&path, &text).with_context(|| path.display().to_string())?;
    make_executable(&path).with_context(|| path.display().to_string())?;
    Ok(if current.is_some() { "updated" } else { "wrote" })
}

/// Moves an existing hook from another source to its backup.
fn move_to_backup(path: &Path, backup: &Path, existing: ExistingHook) -> Result<()> {
    if existing == ExistingHook::Reject {
        let message = format!("{} is a hook from another source", path.display());
        return Err(UserError::new(message)
            .hint("--chain runs it before aidd; --force moves it to a backup")
            .into());
    }
    if backup.exists() {
        let message = format!("{} already exists", backup.display());
        return Err(UserError::new(message).hint("move it away first").into());
    }
    fs::rename(path, backup).with_context(|| path.display().to_string())
}

/// Removes aidd's part of a hook; returns `None` if the hook has no such part.
fn uninstall(directory: &Path, hook: HookName) -> Result<Option<&'static str>> {
    let path = directory.join(name(hook));
    let Some(current) = read(&path)? else { return Ok(None) };
    let Some((before, _, after)) = split(&current) else { return Ok(None) };
    let remaining = format!("{before}{after}");
    let is_empty = remaining.lines().all(|line| line.trim().is_empty() || line.starts_with("#!"));
    if !is_empty {
        fs::write(&path, remaining).with_context(|| path.display().to_string())?;
        return Ok(Some("removed aidd from"));
    }
    fs::remove_file(&path).with_context(|| path.display().to_string())?;
    let backup = backup(&path);
    if backup.exists() {
        fs::rename(&backup, &path).with_context(|| backup.display().to_string())?;
        return Ok(Some("restored"));
    }
    Ok(Some("removed"))
}

fn status(directory: &Path, hook: HookName) -> Result<String> {
    let path = directory.join(name(hook));
    let Some(current) = read(&path)? else { return Ok("none".to_owned()) };
    let Some((_, block, _)) = split(&current) else { return Ok("from another source".to_owned()) };
    let mut text = description(hook).to_owned();
    if block.contains(CHAIN_COMMENT) {
        text.push_str(", after the previous hook");
    }
    if !is_executable(&path) {
        text.push_str("; not executable, so Git skips it");
    }
    Ok(text)
}

fn backup(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{BACKUP}"));
    PathBuf::from(name)
}

fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| path.display().to_string()),
    }
}

/// Splits a hook into the text before, between and after aidd's markers; `None` without markers.
fn split(hook: &[u8]) -> Option<(&str, &str, &str)> {
    let text = std::str::from_utf8(hook).ok()?;
    let start = text.find(BEGIN)?;
    let end = start + text[start..].find(END)? + END.len();
    let end = end + usize::from(text[end..].starts_with('\n'));
    Some((&text[..start], &text[start..end], &text[end..]))
}

/// aidd's part of a hook. Git runs hooks with a POSIX shell on every system; Git for Windows
/// includes such a shell. If aidd is not installed, the script prints a note and succeeds, because
/// not every contributor has aidd.
fn script(hook: HookName, should_chain: bool, binary: &Path) -> String {
    let chain = if should_chain {
        format!("{CHAIN_COMMENT}\nif [ -x \"$0.{BACKUP}\" ]; then\n  {}\nfi\n", chain_call(hook))
    } else {
        String::new()
    };
    format!(
        "{BEGIN}\n# Written by `aidd hook install`; `aidd hook uninstall` removes it.\n{}{chain}\
         aidd=$(command -v aidd) || aidd={}\nif [ -x \"$aidd\" ]; then\n{}else\n  \
         echo \"{}: aidd is not installed, so this hook did nothing\" >&2\nfi\n{END}\n",
        if hook == HookName::PrePush { "refs=$(cat)\n" } else { "" },
        quoted(binary),
        commands(hook),
        name(hook),
    )
}

/// The shell command that runs the backed-up hook. The input of a pre-push hook is read once and
/// passed to both the backed-up hook and aidd.
fn chain_call(hook: HookName) -> &'static str {
    match hook {
        HookName::PrePush => "printf '%s\\n' \"$refs\" | \"$0.aidd-backup\" \"$@\" || exit $?",
        _ => "\"$0.aidd-backup\" \"$@\" || exit $?",
    }
}

/// The aidd commands of a hook, indented.
fn commands(hook: HookName) -> &'static str {
    match hook {
        HookName::PreCommit => "  \"$aidd\" check --staged || exit $?\n",
        // Add facts only if Git opens an editor with an empty message, as `git commit` does without
        // -m, -t, -c or a merge. The text below the scissors line of --verbose is the diff.
        HookName::PrepareCommitMsg => {
            "  if [ -z \"$2\" ] && ! sed '/^# -* >8 -*$/,$d' \"$1\" | grep -q '^[^#]'; then\n    \
             if facts=$(\"$aidd\" generate commit-message 2>/dev/null); then\n      \
             comments=$(printf '%s\\n' \"$facts\" | git stripspace --comment-lines) && rest=$(cat \"$1\") &&\n        \
             printf '\\n%s\\n%s\\n' \"$comments\" \"$rest\" >\"$1\"\n    fi\n  fi\n"
        }
        // The text below the scissors line of `git commit --verbose` is the diff, not the message.
        HookName::CommitMsg => {
            "  sed '/^# -* >8 -*$/,$d' \"$1\" | \"$aidd\" check --quiet --only 'secrets/*' --stdin-path COMMIT_EDITMSG - || {\n    \
             code=$?\n    echo \"commit-msg: the message contains a secret or could not be checked; it is saved in $1\" >&2\n    \
             exit $code\n  }\n  \"$aidd\" hook commit-msg \"$1\" || exit $?\n"
        }
        // The input has one line per ref: local name, local commit, remote name, remote commit. A
        // missing commit is written as zeros. If the branch is new or its remote commit is not in
        // the clone, check the commits that no remote has; on the very first push, check all files.
        HookName::PrePush => {
            "  printf '%s\\n' \"$refs\" | while read -r _ local _ remote; do\n    \
             case $local in *[!0]*) ;; *) continue ;; esac\n    \
             if [ \"$(git rev-parse -q --verify \"$local^{commit}\")\" != \"$(git rev-parse HEAD)\" ]; then\n      \
             echo \"pre-push: not checked, because it is not checked out: $local\" >&2\n      continue\n    fi\n    \
             if ! base=$(git rev-parse -q --verify \"$remote^{commit}\"); then\n      \
             first=$(git rev-list \"$local\" --not --remotes | tail -n 1)\n      \
             [ -n \"$first\" ] || continue\n      \
             base=$(git rev-parse -q --verify \"$first^\") || base=\n    fi\n    \
             \"$aidd\" check ${base:+--diff \"$base\"} </dev/null || exit $?\n  done || exit $?\n"
        }
    }
}

/// Quotes a path as one shell word, with `/` separators, which the shell of Git for Windows
/// accepts.
fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    let text = if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() };
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(unix)]
fn make_executable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mut permissions = fs::metadata(path)?.permissions();
    permissions.set_mode(permissions.mode() | 0o111);
    fs::set_permissions(path, permissions)
}

/// Windows has no executable bit; Git runs any hook it finds.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "same signature as on Unix")]
fn make_executable(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|data| data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(_: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_is_split_at_the_markers() {
        let hook = format!("#!/bin/sh\na\n{BEGIN}\nb\n{END}\nc\n");
        let (before, block, after) = split(hook.as_bytes()).expect("marked");
        assert_eq!((before, after), ("#!/bin/sh\na\n", "c\n"));
        assert_eq!(format!("{before}{block}{after}"), hook);
        assert_eq!(split(b"#!/bin/sh\n"), None);
        assert_eq!(split(format!("{BEGIN}\n").as_bytes()), None);
    }

    #[test]
    fn a_path_is_quoted_as_one_word() {
        assert_eq!(quoted(Path::new("/a b/it's")), r"'/a b/it'\''s'");
    }

    #[test]
    fn a_hook_script_is_stable() {
        insta::assert_snapshot!(script(HookName::PreCommit, true, Path::new("/bin/aidd")), @r#"
        # >>> aidd >>>
        # Written by `aidd hook install`; `aidd hook uninstall` removes it.
        # Runs what was here before.
        if [ -x "$0.aidd-backup" ]; then
          "$0.aidd-backup" "$@" || exit $?
        fi
        aidd=$(command -v aidd) || aidd='/bin/aidd'
        if [ -x "$aidd" ]; then
          "$aidd" check --staged || exit $?
        else
          echo "pre-commit: aidd is not installed, so this hook did nothing" >&2
        fi
        # <<< aidd <<<
        "#);
    }
}
