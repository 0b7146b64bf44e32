//! `aidd generate`: texts made from what is in the repository.

use crate::Io;
use crate::cli::{GenerateCommand, MessageFormat};
use crate::exit::{Exit, UserError};
use crate::project;
use aidd_engine::commit_message::{self, Change, Fate, Input, Message};
use anyhow::{Context, Result};
use serde_json::json;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Larger files are named, and not looked into, in bytes.
const LARGEST: u64 = 1 << 20;
/// How many commits show which scopes a project has.
const RECENT: &str = "--max-count=200";

/// Runs `aidd generate …`.
///
/// # Errors
/// When there is no repository, or nothing is staged.
pub fn run(command: &GenerateCommand, io: &mut Io<'_>) -> Result<Exit> {
    match command {
        GenerateCommand::CommitMessage { format } => commit_message(*format, io),
    }
}

fn commit_message(format: MessageFormat, io: &mut Io<'_>) -> Result<Exit> {
    let input = staged(&io.cwd)?;
    let message = commit_message::describe(&input).ok_or_else(|| {
        UserError::new("nothing is staged").hint("stage what the commit is to hold: git add FILE…")
    })?;
    let message = redacted(message);
    match format {
        MessageFormat::Text => writeln!(io.out, "{message}")?,
        MessageFormat::Json => {
            writeln!(io.out, "{}", serde_json::to_string_pretty(&wire(&message))?)?;
        }
    }
    Ok(Exit::Clean)
}

/// The message without secrets: a name or a heading may hold one.
fn redacted(message: Message) -> Message {
    let clean = |text: String| project::redacted(&text);
    Message {
        scope: message.scope.map(clean),
        subject: clean(message.subject),
        body: message.body.map(clean),
        footer: message.footer.map(clean),
        why: message.why.into_iter().map(clean).collect(),
        ..message
    }
}

fn wire(message: &Message) -> serde_json::Value {
    json!({
        "type": message.kind.name(),
        "scope": message.scope,
        "breaking": message.breaking,
        "subject": message.subject,
        "body": message.body,
        "footer": message.footer,
        "message": message.to_string(),
        "why": message.why,
    })
}

/// What is staged in the repository that `folder` lies in.
fn staged(folder: &Path) -> Result<Input> {
    let git = Git { folder };
    git.run(&["rev-parse", "--git-dir"]).map_err(|error| match error.downcast::<UserError>() {
        Ok(error) => error,
        Err(_) => UserError::new(format!("{} lies in no Git repository", folder.display()))
            .hint("run this in the folder of a project, or begin one with: git init"),
    })?;
    let raw = git.run(&[
        "diff",
        "--cached",
        "--raw",
        "-z",
        "--no-abbrev",
        "--no-ext-diff",
        "--no-textconv",
        "-M",
    ])?;
    let entries = entries(&raw);
    if entries.is_empty() {
        return Ok(Input::default());
    }
    let mut objects = Objects::open(&git)?;
    let mut changes = Vec::with_capacity(entries.len());
    for entry in entries {
        changes.push(objects.change(entry)?);
    }
    let mut context = Vec::new();
    for path in commit_message::context_paths(&changes) {
        // A line is a request: a name with a line break cannot be asked for.
        if !path.contains('\n')
            && let Some(text) = objects.text(&format!(":0:{path}"))?
        {
            context.push((path, text));
        }
    }
    let log = git.run(&["log", RECENT, "--no-merges", "--format=%s"]).unwrap_or_default();
    let subjects = String::from_utf8_lossy(&log).lines().map(str::to_owned).collect();
    Ok(Input { changes, context, subjects, reverts: reverted(&git) })
}

/// The last commit, when what is staged takes it back.
fn reverted(git: &Git<'_>) -> Option<(String, String)> {
    let last = String::from_utf8(git.run(&["log", "-1", "--format=%H%n%P%n%s"]).ok()?).ok()?;
    let mut lines = last.lines();
    let (hash, parents, subject) = (lines.next()?, lines.next()?, lines.next()?);
    let parents: Vec<&str> = parents.split(' ').filter(|parent| !parent.is_empty()).collect();
    let [parent] = parents.as_slice() else { return None };
    git.run(&["diff", "--cached", "--quiet", parent]).ok()?;
    Some((subject.to_owned(), hash.to_owned()))
}

/// One line of `git diff --raw`.
struct Entry {
    fate: Fate,
    old_mode: String,
    new_mode: String,
    old_id: String,
    new_id: String,
    path: String,
    old_path: Option<String>,
}

/// Reads the output of `git diff --raw -z --no-abbrev`:
/// `:MODE MODE ID ID STATUS NUL PATH NUL`, with two paths for renames and copies.
fn entries(raw: &[u8]) -> Vec<Entry> {
    let text = String::from_utf8_lossy(raw);
    let mut fields = text.split('\0');
    let mut entries = Vec::new();
    while let Some(header) = fields.next().and_then(|header| header.strip_prefix(':')) {
        let mut parts = header.split(' ').map(str::to_owned);
        let mut part = || parts.next().unwrap_or_default();
        let (old_mode, new_mode, old_id, new_id, status) = (part(), part(), part(), part(), part());
        let Some(first) = fields.next() else { break };
        let second = if status.starts_with(['R', 'C']) { fields.next() } else { None };
        entries.push(Entry {
            fate: match status.chars().next() {
                Some('A' | 'C') => Fate::Added,
                Some('D') => Fate::Deleted,
                _ => Fate::Changed,
            },
            old_mode,
            new_mode,
            old_id,
            new_id,
            path: second.unwrap_or(first).to_owned(),
            old_path: second.filter(|_| status.starts_with('R')).map(|_| first.to_owned()),
        });
    }
    entries
}

struct Git<'a> {
    folder: &'a Path,
}

impl Git<'_> {
    /// Git, so that no program that the repository's settings name is run.
    #[expect(clippy::disallowed_methods, reason = "Git reads the index; it runs nothing here")]
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("git");
        command
            .current_dir(self.folder)
            .args(["--no-optional-locks", "--literal-pathspecs", "-c", "core.fsmonitor=false"])
            .args(args)
            .stdin(Stdio::null());
        command
    }

    fn run(&self, args: &[&str]) -> Result<Vec<u8>> {
        let output = self.command(args).output().map_err(|error| {
            UserError::new(format!("git cannot be run: {error}"))
                .hint("install Git, or put it on the PATH")
        })?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let name = args.first().copied().unwrap_or_default();
            anyhow::bail!("git {name}: {}", said.trim());
        }
        Ok(output.stdout)
    }
}

/// The objects of a repository, asked for one by one.
struct Objects {
    child: Child,
    replies: BufReader<std::process::ChildStdout>,
}

impl Objects {
    fn open(git: &Git<'_>) -> Result<Self> {
        let mut child = git
            .command(&["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("git cat-file")?;
        let replies = BufReader::new(child.stdout.take().context("git cat-file")?);
        Ok(Self { child, replies })
    }

    fn change(&mut self, entry: Entry) -> Result<Change> {
        let is_file = |mode: &str| mode.starts_with("100");
        let both = is_file(&entry.old_mode) && is_file(&entry.new_mode);
        let executable = both && entry.old_mode != entry.new_mode;
        Ok(Change {
            before: if is_file(&entry.old_mode) { self.text(&entry.old_id)? } else { None },
            after: if is_file(&entry.new_mode) { self.text(&entry.new_id)? } else { None },
            executable: executable.then(|| entry.new_mode == "100755"),
            path: entry.path,
            old_path: entry.old_path,
            fate: entry.fate,
        })
    }

    /// The text of a file; `None` when there is none by that name, or it is no text, or too large.
    fn text(&mut self, name: &str) -> Result<Option<String>> {
        let requests = self.child.stdin.as_mut().context("git cat-file")?;
        writeln!(requests, "{name}").and_then(|()| requests.flush()).context("git cat-file")?;
        let mut header = String::new();
        self.replies.read_line(&mut header).context("git cat-file")?;
        // `ID blob SIZE`, or `NAME missing`.
        let mut words = header.trim_end().rsplit(' ');
        let (size, kind) = (words.next(), words.next());
        let Some(size) = size.and_then(|size| size.parse::<u64>().ok()) else { return Ok(None) };
        let mut bytes = Vec::new();
        let mut reply = self.replies.by_ref().take(size);
        if size <= LARGEST && kind == Some("blob") {
            reply.read_to_end(&mut bytes).context("git cat-file")?;
        } else {
            std::io::copy(&mut reply, &mut std::io::sink()).context("git cat-file")?;
        }
        // The line break after the object.
        self.replies.read_exact(&mut [0]).context("git cat-file")?;
        let is_text = !bytes.is_empty() || size == 0;
        Ok(String::from_utf8(bytes).ok().filter(|text| is_text && !text.contains('\0')))
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        // It ends by itself once no more can be asked.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_differences_are_read() {
        let raw = b":100644 100755 aa bb M\0a b\0:000000 100644 00 cc A\0n\nl\0:100644 100644 dd ee R090\0old\0new\0:100644 000000 ff 00 D\0gone\0";
        let entries = entries(raw);
        let shown: Vec<String> = entries
            .iter()
            .map(|it| format!("{:?} {:?} {:?} {}", it.fate, it.old_path, it.path, it.new_id))
            .collect();
        insta::assert_snapshot!(shown.join("\n"), @r#"
        Changed None "a b" bb
        Added None "n\nl" cc
        Changed Some("old") "new" ee
        Deleted None "gone" 00
        "#);
    }
}
