//! What a change is about: changed files in, a Conventional Commit message out. Pure, and the same
//! for the same input. A message says only what the files show; of their text it repeats names
//! (symbols, headings, keys, titles of tests), versions, plain numbers, and lines of a changelog.

mod dependencies;
mod facts;
mod file_kind;
mod keys;
mod lines;
mod package;
mod phrase;
mod prose;
mod say;
mod scope;
mod symbols;
mod symbols_diff;
mod syntax;
#[cfg(test)]
mod tests;
mod verdict;

pub use package::context_paths;

use facts::Facts;
use std::fmt;

/// Most characters of a header: what Git's own views show without cutting.
pub const HEADER: usize = 72;
/// Most facts in a body; more are counted.
const BODY: usize = 8;
/// Most characters of a line in body and footer.
const LINE: usize = 72;

/// A changed file.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Its path from the root, or the last one it had.
    pub path: String,
    /// The path it had before, when that was another one.
    pub old_path: Option<String>,
    /// What happened to it.
    pub fate: Fate,
    /// Its text before; `None`: there was no file, or it is no text, or too large.
    pub before: Option<String>,
    /// Its text after, likewise.
    pub after: Option<String>,
}

/// What happened to a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fate {
    /// It is new.
    Added,
    /// It is gone.
    Deleted,
    /// It was there, and is.
    #[default]
    Changed,
}

/// All that a message is made of.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// The changed files.
    pub changes: Vec<Change>,
    /// Those files of [`context_paths`] that there are: path and text.
    pub context: Vec<(String, String)>,
    /// First lines of recent commit messages, newest first: which scopes the project has.
    pub subjects: Vec<String>,
    /// The commit that these changes take back: its first line and its hash.
    pub reverts: Option<(String, String)>,
}

/// The type of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// Something new for those who use it.
    Feat,
    /// A fault less.
    Fix,
    /// The same, faster.
    Perf,
    /// The same, otherwise written.
    Refactor,
    /// Tests.
    Test,
    /// Documentation.
    Docs,
    /// Layout of source only.
    Style,
    /// What builds the project, and what it depends on.
    Build,
    /// What runs on a server for each commit.
    Ci,
    /// All else.
    Chore,
    /// Taking a commit back.
    Revert,
}

impl Type {
    /// The word in the header.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Feat => "feat",
            Self::Fix => "fix",
            Self::Perf => "perf",
            Self::Refactor => "refactor",
            Self::Test => "test",
            Self::Docs => "docs",
            Self::Style => "style",
            Self::Build => "build",
            Self::Ci => "ci",
            Self::Chore => "chore",
            Self::Revert => "revert",
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A commit message, and why it is this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its type.
    pub kind: Type,
    /// The part of the project it is about.
    pub scope: Option<String>,
    /// Whether something that others rely on is gone or otherwise.
    pub breaking: bool,
    /// What was done, in the imperative.
    pub subject: String,
    /// What else was done, if anything.
    pub body: Option<String>,
    /// Trailers: what breaks.
    pub footer: Option<String>,
    /// The grounds of type, scope and breaking.
    pub why: Vec<String>,
}

impl Message {
    /// The first line.
    #[must_use]
    pub fn header(&self) -> String {
        format!("{}{}", prefix(self.kind, self.scope.as_deref(), self.breaking), self.subject)
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.header())?;
        for part in [&self.body, &self.footer].into_iter().flatten() {
            write!(f, "\n\n{part}")?;
        }
        Ok(())
    }
}

fn prefix(kind: Type, scope: Option<&str>, breaking: bool) -> String {
    let scope = scope.map(|scope| format!("({scope})")).unwrap_or_default();
    format!("{kind}{scope}{}: ", if breaking { "!" } else { "" })
}

/// The message for these changes; `None` when there are none.
#[must_use]
pub fn describe(input: &Input) -> Option<Message> {
    if input.changes.is_empty() {
        return None;
    }
    if let Some((subject, hash)) = &input.reverts {
        return Some(revert(subject, hash));
    }
    let facts = Facts::of(input);
    let verdict = verdict::judge(&facts);
    let scope = scope::choose(&facts, &verdict, input);
    let breaks = package::breaks(&facts, &input.context);
    let mut why = vec![verdict.why.clone()];
    why.extend(scope.why);
    if let Some(sentence) = &breaks {
        why.push(format!("breaking: {sentence}"));
    }
    let room =
        HEADER - prefix(verdict.kind, scope.name.as_deref(), breaks.is_some()).chars().count();
    let mut said = say::say(&facts, &verdict, scope.name.as_deref()).into_iter();
    let subject = said.next()?.fitting(room);
    Some(Message {
        kind: verdict.kind,
        scope: scope.name,
        breaking: breaks.is_some(),
        body: body(said.map(|phrase| phrase.longest()).collect(), &subject),
        subject,
        footer: breaks.map(|sentence| wrapped(&format!("BREAKING CHANGE: {sentence}"), "")),
        why,
    })
}

fn revert(subject: &str, hash: &str) -> Message {
    let room = HEADER - prefix(Type::Revert, None, false).chars().count();
    let hash: String = hash.chars().filter(char::is_ascii_hexdigit).collect();
    Message {
        kind: Type::Revert,
        scope: None,
        breaking: false,
        subject: phrase::cut(&phrase::plain(subject), room),
        body: Some(format!("This reverts commit {hash}.")),
        footer: None,
        why: vec!["type revert: the files are as they were before that commit".to_owned()],
    }
}

/// What the subject does not say, one line a fact.
fn body(mut facts: Vec<String>, subject: &str) -> Option<String> {
    facts.retain(|fact| fact != subject);
    let mut seen = std::collections::BTreeSet::new();
    facts.retain(|fact| seen.insert(fact.clone()));
    if facts.is_empty() {
        return None;
    }
    let more = facts.len().saturating_sub(BODY);
    facts.truncate(BODY);
    let mut lines: Vec<String> =
        facts.iter().map(|fact| wrapped(&format!("- {fact}"), "  ")).collect();
    if more > 0 {
        lines.push(format!("- and {more} more"));
    }
    Some(lines.join("\n"))
}

/// `text` in lines of at most [`LINE`] characters; all but the first begin with `indent`.
fn wrapped(text: &str, indent: &str) -> String {
    let mut out = String::new();
    let mut width = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if width > 0 && width + 1 + length > LINE {
            out.push('\n');
            out.push_str(indent);
            width = indent.len();
        } else if width > 0 {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += length;
    }
    out
}
