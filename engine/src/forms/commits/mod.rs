//! The form `commit`: messages, the name of a branch, the title of a pull request, and what a
//! change touches. What a page demands is compiled once; what is judged is plain data that a door
//! has gathered.

mod change;
mod demands;
mod error;
mod members;
pub mod message;
#[cfg(test)]
mod tests;

pub use error::CommitError;
pub use members::members;

use crate::forms::expression;
use crate::text::source::Span;
use aidd_page::{
    BodyHeader, ChangeHeader, CommitHeader, ConventionalHeader, FootersHeader, MessageHeader,
    SkippedCommit, SubjectHeader,
};
use change::Touched;
use regex::Regex;

/// The folder that findings on commits are told in: no file lies there, the rest of the path is the
/// short hash of the commit, or one of [`TITLE`], [`BRANCH`] and [`CHANGE`].
pub const FOLDER: &str = "commit/";
/// Where findings on the title of a pull request are told.
pub const TITLE: &str = "commit/title";
/// Where findings on the name of a branch are told.
pub const BRANCH: &str = "commit/branch";
/// Where findings on a change as a whole are told.
pub const CHANGE: &str = "commit/change";
/// Where findings on a message that is being written are told.
pub const DRAFT: &str = "commit/message";

/// Whether findings at `path` are on a commit, a branch or a change, and on no file.
#[must_use]
pub fn is_told_at(path: &str) -> bool {
    let known = [TITLE, BRANCH, CHANGE, DRAFT].contains(&path);
    known
        || path.strip_prefix(FOLDER).is_some_and(|hash| {
            // As long as the hashes that `told_at` makes, and no file of a real project.
            hash.len() == HASH && hash.bytes().all(|b| b.is_ascii_hexdigit())
        })
}

/// Digits of a hash that are shown.
const HASH: usize = 12;

/// Where findings on the commit with this hash are told.
#[must_use]
pub fn told_at(hash: &str) -> String {
    format!("{FOLDER}{}", hash.get(..HASH).unwrap_or(hash))
}

/// A commit, as far as it is judged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    /// Its full hash; empty for one that is being written.
    pub hash: String,
    /// Its message.
    pub message: String,
    /// The name and address of its author.
    pub author: String,
    /// It joins lines of work.
    pub is_merge: bool,
}

/// A file that a change touches.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Touch {
    /// Its path from the root, now or, when it is gone, before.
    pub path: String,
    /// It is new.
    pub added: bool,
    /// Lines added and removed.
    pub lines: u64,
}

/// All that is judged at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// The commits, the newest first.
    pub commits: Vec<Commit>,
    /// The title of the pull request.
    pub title: Option<String>,
    /// The branch that the work is done on.
    pub branch: Option<String>,
    /// What the change touches; `None`: that is not known, and not judged.
    pub touched: Option<Vec<Touch>>,
    /// The names of the parts of the project, for scopes.
    pub members: Vec<String>,
}

/// A place of a message, a name or a change that breaks a demand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub span: Span,
    /// What is wrong.
    pub message: String,
    /// What to do.
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

/// One text of the work with what is wrong in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Where its findings are told.
    pub path: String,
    /// The text: a message, a title, a name, or the paths of a change.
    pub text: String,
    /// What is wrong.
    pub faults: Vec<Fault>,
}

/// What a page demands of commits.
#[derive(Debug)]
pub struct Demands {
    conventional: Option<ConventionalHeader>,
    subject: Option<Subject>,
    body: Option<(BodyHeader, Expressions)>,
    message: Expressions,
    footers: Option<FootersHeader>,
    trailers: Vec<String>,
    branch: Option<Regex>,
    title: bool,
    change: Option<Touched>,
    skip: Vec<SkippedCommit>,
}

#[derive(Debug)]
struct Subject {
    header: SubjectHeader,
    expressions: Expressions,
}

/// What a text matches, and what it does not.
#[derive(Debug, Default)]
struct Expressions {
    matches: Option<Regex>,
    not: Option<Regex>,
}

impl Expressions {
    fn new(matches: Option<&String>, not: Option<&String>) -> Result<Self, CommitError> {
        Ok(Self {
            matches: matches.map(|text| compiled(text)).transpose()?,
            not: not.map(|text| compiled(text)).transpose()?,
        })
    }
}

impl Demands {
    /// Compiles the demands of a page. `base` is the folder that its globs start from.
    ///
    /// # Errors
    /// The first expression, glob or name that is malformed, and why.
    pub fn new(header: &CommitHeader, base: &str) -> Result<Self, CommitError> {
        let subject = |header: &SubjectHeader| {
            demands::known_cases(header)?;
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
        let all = [SkippedCommit::Merges, SkippedCommit::Reverts, SkippedCommit::Bots];
        let change = |header: &ChangeHeader| Touched::new(header, base);
        Ok(Self {
            conventional: header.conventional.clone(),
            subject: header.subject.as_ref().map(subject).transpose()?,
            body: header.body.as_ref().map(body).transpose()?,
            message: header.message.as_ref().map(message).transpose()?.unwrap_or_default(),
            footers: header.footers.clone(),
            trailers: header.trailers.to_vec(),
            branch: header.branch.as_deref().map(compiled).transpose()?,
            title: header.title,
            change: header.change.as_ref().map(change).transpose()?,
            skip: header.skip.clone().unwrap_or_else(|| all.to_vec()),
        })
    }

    /// The same demands on a change without the files that `exclude` names: they bring no rule up
    /// and are not counted.
    ///
    /// # Errors
    /// A glob that is malformed.
    pub fn leaving_out(mut self, exclude: &[String], base: &str) -> Result<Self, CommitError> {
        if let Some(change) = &mut self.change {
            change.leave_out(exclude, base)?;
        }
        Ok(self)
    }

    /// Whether the lines of a change must be counted.
    #[must_use]
    pub fn counts_lines(&self) -> bool {
        self.change.as_ref().is_some_and(Touched::counts_lines)
    }

    /// Whether the parts of the project are scopes.
    #[must_use]
    pub fn asks_members(&self) -> bool {
        let scopes = self.conventional.iter().flat_map(|header| header.scopes.iter());
        scopes.into_iter().any(|scope| scope == "workspace")
    }

    /// What breaks a demand, text by text; texts without a fault are left out.
    #[must_use]
    pub fn judge(&self, work: &Work) -> Vec<Told> {
        let mut all: Vec<Told> = Vec::new();
        for commit in work.commits.iter().filter(|commit| !self.skips(commit)) {
            let path =
                if commit.hash.is_empty() { DRAFT.to_owned() } else { told_at(&commit.hash) };
            let faults = self.message(&commit.message, &work.members);
            all.push(Told { path, text: commit.message.clone(), faults });
        }
        if let Some(title) = work.title.as_ref().filter(|_| self.title) {
            let faults = self.title(title, &work.members);
            all.push(Told { path: TITLE.to_owned(), text: title.clone(), faults });
        }
        if let Some((branch, wanted)) = work.branch.as_ref().zip(self.branch.as_ref())
            && !wanted.is_match(branch)
        {
            let span = Span::new(0, branch.len());
            let message = format!("the branch `{branch}` does not match `{wanted}`");
            let faults = vec![Fault::new(span, message)];
            all.push(Told { path: BRANCH.to_owned(), text: branch.clone(), faults });
        }
        if let Some((change, touched)) = self.change.as_ref().zip(work.touched.as_ref()) {
            all.push(change.judge(touched));
        }
        all.retain(|told| !told.faults.is_empty());
        all
    }

    /// How many texts were judged: a rule that judged none says so.
    #[must_use]
    pub fn judged(&self, work: &Work) -> usize {
        let commits = work.commits.iter().filter(|commit| !self.skips(commit)).count();
        commits
            + usize::from(self.title && work.title.is_some())
            + usize::from(self.branch.is_some() && work.branch.is_some())
            + usize::from(self.change.is_some() && work.touched.is_some())
    }
}

fn compiled(text: &str) -> Result<Regex, CommitError> {
    expression::check(text).map_err(|_| CommitError::TooLarge(text.to_owned()))?;
    Regex::new(text).map_err(|why| CommitError::Expression { text: text.to_owned(), why })
}
