//! The form `commit`: checks commit messages, the branch name, the title of a pull request, and the
//! files that a change touches. The check of a page is compiled once; its input is plain data that
//! the frontend has collected.

mod change;
mod error;
mod members;
pub mod message;
mod requirements;
#[cfg(test)]
mod tests;

pub use error::CommitError;
pub use members::members;
pub use requirements::is_bot;

use crate::forms::expression;
use crate::text::source::Span;
use aidd_page::{
    BodyHeader, ChangeHeader, CommitHeader, ConventionalHeader, FootersHeader, MessageHeader,
    SkippedCommit, SubjectHeader,
};
use change::ChangeCheck;
use regex::Regex;

/// The virtual directory of findings on commits. It contains no files; the rest of the path is the
/// short hash of the commit, or one of [`TITLE_PATH`], [`BRANCH_PATH`], [`CHANGE_PATH`] and
/// [`DRAFT_PATH`].
pub const DIR: &str = "commit/";
/// The path of findings on the title of a pull request.
pub const TITLE_PATH: &str = "commit/title";
/// The path of findings on the branch name.
pub const BRANCH_PATH: &str = "commit/branch";
/// The path of findings on a change as a whole.
pub const CHANGE_PATH: &str = "commit/change";
/// The path of findings on a message that is being written.
pub const DRAFT_PATH: &str = "commit/message";

/// Whether `path` is the path of findings on a commit, a branch or a change rather than on a file.
#[must_use]
pub fn is_virtual_path(path: &str) -> bool {
    let is_fixed_path = [TITLE_PATH, BRANCH_PATH, CHANGE_PATH, DRAFT_PATH].contains(&path);
    is_fixed_path
        || path.strip_prefix(DIR).is_some_and(|hash| {
            // The hash must have the length that `commit_path` produces; real projects contain no
            // file with such a path.
            hash.len() == HASH_DIGITS && hash.bytes().all(|b| b.is_ascii_hexdigit())
        })
}

/// Number of hex digits of a hash that are displayed.
const HASH_DIGITS: usize = 12;

/// The path of findings on the commit with this hash.
#[must_use]
pub fn commit_path(hash: &str) -> String {
    format!("{DIR}{}", hash.get(..HASH_DIGITS).unwrap_or(hash))
}

/// The parts of a commit that are checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    /// The full hash; empty for a message that is being written.
    pub hash: String,
    /// The commit message.
    pub message: String,
    /// The name and email address of the author.
    pub author: String,
    /// Whether the commit is a merge commit.
    pub is_merge: bool,
}

/// A file that a change touches.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TouchedFile {
    /// The path from the root; for a deleted file its former path.
    pub path: String,
    /// Whether the change adds the file.
    pub added: bool,
    /// The number of lines added and removed.
    pub lines: u64,
}

/// The input of the `commit` checks of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommitInput {
    /// The commits, newest first.
    pub commits: Vec<Commit>,
    /// The title of the pull request.
    pub title: Option<String>,
    /// The name of the branch.
    pub branch: Option<String>,
    /// The files that the change touches; `None` if they are unknown and therefore not checked.
    pub touched: Option<Vec<TouchedFile>>,
    /// The names of the project's members, for scopes.
    pub members: Vec<String>,
}

/// A violation in a message, a name or a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The span in the [`CheckedText`].
    pub span: Span,
    /// The message of the finding.
    pub message: String,
    /// How to fix the violation.
    pub help: Option<String>,
}

impl Fault {
    fn new(span: Span, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), help: None }
    }

    fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// One checked text with its violations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedText {
    /// The path at which the findings are reported.
    pub path: String,
    /// The checked text: a message, a title, a name, or the paths of a change.
    pub text: String,
    /// The violations in the text.
    pub faults: Vec<Fault>,
}

/// The compiled `commit` check of a page.
#[derive(Debug)]
pub struct CommitCheck {
    conventional: Option<ConventionalHeader>,
    subject: Option<Subject>,
    body: Option<(BodyHeader, Expressions)>,
    message: Expressions,
    footers: Option<FootersHeader>,
    trailers: Vec<String>,
    branch: Option<Regex>,
    title: bool,
    change: Option<ChangeCheck>,
    skip: Vec<SkippedCommit>,
}

#[derive(Debug)]
struct Subject {
    header: SubjectHeader,
    expressions: Expressions,
}

/// The expressions that a text must match and must not match.
#[derive(Debug, Default)]
struct Expressions {
    matches: Option<Regex>,
    not: Option<Regex>,
}

impl Expressions {
    fn new(matches: Option<&String>, not: Option<&String>) -> Result<Self, CommitError> {
        Ok(Self {
            matches: matches.map(|text| compile(text)).transpose()?,
            not: not.map(|text| compile(text)).transpose()?,
        })
    }
}

impl CommitCheck {
    /// Compiles the check of a page. `base` is the directory that its globs are relative to.
    ///
    /// # Errors
    /// The first malformed expression, glob or name, and why.
    pub fn new(header: &CommitHeader, base: &str) -> Result<Self, CommitError> {
        let subject = |header: &SubjectHeader| {
            requirements::check_cases(header)?;
            let (matches, not) = (header.matches.as_ref(), header.not_matches.as_ref());
            let expressions = Expressions::new(matches, not)?;
            Ok::<_, CommitError>(Subject { header: header.clone(), expressions })
        };
        let body = |header: &BodyHeader| {
            let (matches, not) = (header.matches.as_ref(), header.not_matches.as_ref());
            Ok::<_, CommitError>((header.clone(), Expressions::new(matches, not)?))
        };
        let message = |header: &MessageHeader| {
            Expressions::new(header.matches.as_ref(), header.not_matches.as_ref())
        };
        let default_skips = [SkippedCommit::Merges, SkippedCommit::Reverts, SkippedCommit::Bots];
        let change = |header: &ChangeHeader| ChangeCheck::new(header, base);
        Ok(Self {
            conventional: header.conventional.clone(),
            subject: header.subject.as_ref().map(subject).transpose()?,
            body: header.body.as_ref().map(body).transpose()?,
            message: header.message.as_ref().map(message).transpose()?.unwrap_or_default(),
            footers: header.footers.clone(),
            trailers: header.trailers.to_vec(),
            branch: header.branch.as_deref().map(compile).transpose()?,
            title: header.title,
            change: header.change.as_ref().map(change).transpose()?,
            skip: header.skip.clone().unwrap_or_else(|| default_skips.to_vec()),
        })
    }

    /// Excludes the files that match `exclude` from the check: these files do not trigger the rule
    /// and are not counted.
    ///
    /// # Errors
    /// A malformed glob.
    pub fn excluding(mut self, exclude: &[String], base: &str) -> Result<Self, CommitError> {
        if let Some(change) = &mut self.change {
            change.exclude(exclude, base)?;
        }
        Ok(self)
    }

    /// Whether the check needs the number of changed lines.
    #[must_use]
    pub fn counts_lines(&self) -> bool {
        self.change.as_ref().is_some_and(ChangeCheck::counts_lines)
    }

    /// Whether the names of the project's members are allowed as scopes.
    #[must_use]
    pub fn needs_members(&self) -> bool {
        let scopes = self.conventional.iter().flat_map(|header| header.scopes.iter());
        scopes.into_iter().any(|scope| scope == "workspace")
    }

    /// Returns the checked texts that have violations.
    #[must_use]
    pub fn check(&self, input: &CommitInput) -> Vec<CheckedText> {
        let mut checked: Vec<CheckedText> = Vec::new();
        for commit in input.commits.iter().filter(|commit| !self.skips(commit)) {
            let path = if commit.hash.is_empty() {
                DRAFT_PATH.to_owned()
            } else {
                commit_path(&commit.hash)
            };
            let faults = self.check_message(&commit.message, &input.members);
            checked.push(CheckedText { path, text: commit.message.clone(), faults });
        }
        if let Some(title) = input.title.as_ref().filter(|_| self.title) {
            let faults = self.check_title(title, &input.members);
            checked.push(CheckedText { path: TITLE_PATH.to_owned(), text: title.clone(), faults });
        }
        if let Some((branch, expected)) = input.branch.as_ref().zip(self.branch.as_ref())
            && !expected.is_match(branch)
        {
            let span = Span::new(0, branch.len());
            let message = format!("the branch `{branch}` does not match `{expected}`");
            let faults = vec![Fault::new(span, message)];
            checked.push(CheckedText {
                path: BRANCH_PATH.to_owned(),
                text: branch.clone(),
                faults,
            });
        }
        if let Some((change, touched)) = self.change.as_ref().zip(input.touched.as_ref()) {
            checked.push(change.check(touched));
        }
        checked.retain(|text| !text.faults.is_empty());
        checked
    }

    /// The number of texts that the check applies to.
    #[must_use]
    pub fn checked_count(&self, input: &CommitInput) -> usize {
        let commits = input.commits.iter().filter(|commit| !self.skips(commit)).count();
        commits
            + usize::from(self.title && input.title.is_some())
            + usize::from(self.branch.is_some() && input.branch.is_some())
            + usize::from(self.change.is_some() && input.touched.is_some())
    }
}

fn compile(text: &str) -> Result<Regex, CommitError> {
    expression::check(text).map_err(|_| CommitError::TooLarge(text.to_owned()))?;
    Regex::new(text).map_err(|why| CommitError::Expression { text: text.to_owned(), why })
}
